"""How much of the disk the authors and the whole site use, what limits them, and which old versions make room.

It owns figures and the choice of versions; bot_store.py removes them. It knows neither the web nor
processes.
"""

# What counts. Each file, folder and link counts as the blocks that it has on disk, and as one block
# at least, so that many empty files are no way around a limit. An author's are: uploads that wait;
# versions, the copy that plays, and the last refused one; what builds made of them, and their
# copies beside results; results of requests; the words of verdicts. What `matches.zip` has is made
# in memory. The site's are all bots, results and files of the server.
#
# What makes room. A version goes if nothing needs it: it does not play, it is not the newest of its
# name (its number would be given again), no archive has it among its results or its bots, no
# request waits for it, and nobody has begun a match against it within an hour. `verify` and `rerun`
# find every version that has results. If an archive cannot be read, no version goes, and none goes
# if all of them would not be enough.
#
# A kill at any moment leaves a version whole or gone: the note in the log comes first, the folder
# is moved away in one step, and the next change of the bots removes what was moved away.

import contextlib
import os
import stat
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

from arena.author.submissions.bot_store import BotStore, Version
from arena.errors import ArenaError
from arena.event import bot_folder, discovery
from arena.event.discovery.notes import VERSIONS
from arena.extras.serve.accounts import FOLDER, REQUESTS, Account, Accounts
from arena.extras.serve.entrants import own_versions, text_of
from arena.results.archive import Archive, NoResultsError
from arena.sandbox.watchdog import BLOCK_BYTES, STAT_BLOCK_BYTES

MEGABYTE = 1_000_000
WAIT_S, LOOK_S = 5.0, 0.1
"""How long an upload waits for the lock of the bots, which the check of another upload may hold, and how often it
looks.
"""


def size_of(path: Path) -> int:
    """Return the bytes on disk of a file, or of a folder with all that is in it; 0 for what is not there."""
    total, waiting = 0, [os.fspath(path)]
    while waiting:
        entry = waiting.pop()
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # somebody removes it now
            status = os.lstat(entry)
            total += max(status.st_blocks * STAT_BLOCK_BYTES, BLOCK_BYTES)
            if stat.S_ISDIR(status.st_mode):
                with os.scandir(entry) as entries:
                    waiting += [inner.path for inner in entries]
    return total


class Disk:
    """What one author has on the disk of a site, and the room that there is."""

    def __init__(self, accounts: Accounts, account: Account) -> None:
        self._accounts, self._account = accounts, account
        self._results = accounts.workspace / "results"
        self.store = BotStore(accounts.workspace / (text_of(accounts.workspace, "bots") or "bots"))

    def used(self) -> int:
        """Return the bytes of the author."""
        return sum(map(size_of, set(self._paths()))) + self._accounts.bytes_of_verdicts(
            self._account
        )

    def used_by_all(self) -> int:
        """Return the bytes of the site, without what is being made or removed."""
        folders = {self._accounts.workspace / FOLDER, self._results, self.store.bots}
        return sum(map(size_of, folders)) - size_of(self.store.incoming)

    def make_room(self, needed: int) -> None:
        """Make room for this number of bytes; ArenaError, with the figures, if that is impossible.

        Old versions of the author that nothing needs are removed for it. Wait only WAIT_S for the
        lock of the bots.
        """
        when_bots_are_free(partial(self.make_room_now, needed))

    def make_room_now(self, needed: int) -> None:
        """Do what `make_room` does without waiting: BlockingIOError while the bots are locked and something must go."""
        if self.lack(needed) is None:
            return
        with self.store.changing(waits=False):
            self.remove_versions(needed)

    def remove_versions(self, needed: int, *, leaving: int = 0) -> None:
        """Do what `make_room` does, while the bots are `changing`; `leaving` are bytes that the author soon frees.

        Nothing is removed if all that may go would not be enough.
        """
        excess = self._excess(needed, leaving)
        if not excess:
            return
        missing = max(excess.values())  # a version counts for its author and for the site
        chosen: list[tuple[str, Version]] = []
        freed = 0
        for name, version in self._removable():
            if freed >= missing:
                break
            chosen.append((name, version))
            freed += size_of(version.path.parent)
            if not self._is_stored([removed for _, removed in chosen], version.digest):
                freed += size_of(self._build_of(version.digest))
        if freed < missing:
            lack = self.lack(needed, leaving=leaving + freed)
            if lack is not None:
                raise ArenaError(lack)
        for name, version in chosen:
            self._accounts.note(
                self._account.name, "version removed for room", f"{name}@{version.number}"
            )
            self.store.remove(version)
            if not self._is_stored([], version.digest):
                built = self._build_of(version.digest)
                bot_folder.remove(built)
                built.with_suffix(".built").unlink(missing_ok=True)

    def lack(self, needed: int, *, leaving: int = 0) -> str | None:
        """Return in words why there is no room for this number of bytes; None if there is."""
        excess = self._excess(needed, leaving)
        if not excess:
            return None
        return f"{next(iter(excess))}, and this takes {_megabytes(needed)} more: ask the organiser for room"

    def _excess(self, needed: int, leaving: int) -> dict[str, int]:
        """Return the bytes that would be too many, by what takes how much of what limit, in words."""
        excess = {}
        if not self._account.is_organiser:
            used, most = self.used() - leaving, MEGABYTE * self._accounts.limit("disk")
            words = f"your bots and results, of which nothing old can go, take {_megabytes(used)} of {_megabytes(most)}"
            excess[words] = used + needed - most
        used, most = self.used_by_all() - leaving, MEGABYTE * self._accounts.limit("site")
        excess[f"the site takes {_megabytes(used)} of {_megabytes(most)}"] = used + needed - most
        return {words: count for words, count in excess.items() if count > 0}

    def _paths(self) -> Iterator[Path]:
        """Yield the files and folders of the author."""
        accounts, account, store = self._accounts, self._account, self.store
        for upload in accounts.uploads(account, status="waiting"):
            yield accounts.folder / "uploads" / upload.id
        digests: set[str] = set()
        for name, versions in own_versions(store, account).items():
            yield store.bots / VERSIONS / name
            yield from store.playing(name)
            digests |= {version.digest for version in versions}
        for refusal in store.refused():
            if refusal.note.person in account.ids:
                yield store.folder_of(refusal)
        for request in accounts.requests(account):
            yield self._results / request.event
        for folder in (self._results / ".builds", *self._results.glob("*/bots")):
            for digest in digests:
                if not folder.parent.name.startswith(REQUESTS):  # which counts as a whole
                    yield folder / digest

    def _removable(self) -> Iterator[tuple[str, Version]]:
        """Yield the author's versions that nothing needs, the oldest first, each with the name of its bot."""
        accounts, store = self._accounts, self.store
        own = own_versions(store, self._account)
        try:
            needed = set(self._digests_in_archives())
            for name in own:
                needed |= {discovery.from_path(path, name).digest for path in store.playing(name)}
        except ArenaError:
            return
        named = {
            name
            for asked in accounts.requests()
            if not asked.ended
            for name in (asked.first, asked.second)
        }
        named |= accounts.played_lately()
        found: list[tuple[str, str, Version]] = []
        for name, versions in own.items():
            found += [(version.note.submitted, name, version) for version in versions[:-1]]
        for _, name, version in sorted(found, key=lambda each: each[:2]):
            if version.digest not in needed and f"{name}@{version.number}" not in named:
                yield name, version

    def _digests_in_archives(self) -> Iterator[str]:
        """Yield the digests of all bots that have results, or are entered where matches begin."""
        for file in self._results.glob("*/event.sqlite"):
            with contextlib.suppress(NoResultsError), Archive.open(file.parent) as archive:
                yield from (span.digest for span in archive.spans())
                yield from (bot.digest for bot in archive.event().bots)

    def _build_of(self, digest: str) -> Path:
        """Return the folder of what the build of a version made."""
        return self._results / ".builds" / digest

    def _is_stored(self, without: Collection[Version], digest: str) -> bool:
        """Return whether a version has these files, `without` some versions."""
        store, left_out = self.store, {version.path for version in without}
        for name in store.names():
            for version in store.versions(name):
                if version.digest == digest and version.path not in left_out:
                    return True
        return False


def when_bots_are_free(step: Callable[[], None]) -> None:
    """Take a step that raises BlockingIOError while the bots are locked, again and again for WAIT_S; then ArenaError.

    Nothing else is locked between two attempts, so nobody else waits.
    """
    until = time.monotonic() + WAIT_S
    while True:
        try:
            step()
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise ArenaError(
                    "the check of another upload is under way: try again in a minute"
                ) from error
        else:
            return
        time.sleep(LOOK_S)


def _megabytes(count: int) -> str:
    return f"{count / MEGABYTE:.1f} MB"
