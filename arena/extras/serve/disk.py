"""The use of the disk by authors and by the site, its limits, and the old versions that make room.

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
from arena.results.folders import BUILDS, EVENT_FILE
from arena.sandbox.watchdog import BLOCK_BYTES, STAT_BLOCK_BYTES

MEGABYTE = 1_000_000
WAIT_S = 5.0
"""How long an upload waits for the lock of the bots, which the check of another may hold."""
LOOK_S = 0.1
"""The time between two looks at the lock."""


def size_of(path: Path) -> int:
    """Return the bytes on disk of a file, or of a folder with its content; 0 for a missing path."""
    total = 0
    waiting = [os.fspath(path)]
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
    """The files of an author on the disk of a site, and the room for more."""

    def __init__(self, accounts: Accounts, account: Account) -> None:
        self._accounts = accounts
        self._account = account
        self._results = accounts.workspace / "results"
        bots = text_of(accounts.workspace, "bots") or "bots"
        self.store = BotStore(accounts.workspace / bots)

    def used(self) -> int:
        """Return the bytes of the author."""
        paths = set(self._paths())
        files = sum(map(size_of, paths))
        return files + self._accounts.bytes_of_verdicts(self._account)

    def used_by_all(self) -> int:
        """Return the bytes of the site, without what is being made or removed."""
        folders = {self._accounts.workspace / FOLDER, self._results, self.store.bots}
        files = sum(map(size_of, folders))
        return files - size_of(self.store.incoming)

    def make_room(self, needed: int) -> None:
        """Make room for this number of bytes; ArenaError, with the figures, if that is impossible.

        Old versions of the author that nothing needs are removed for it. Wait only WAIT_S for the
        lock of the bots.
        """
        when_bots_are_free(partial(self.make_room_now, needed))

    def make_room_now(self, needed: int) -> None:
        """Make room without waiting.

        Raise BlockingIOError while the bots are locked and a version must go.
        """
        if self.lack(needed) is None:
            return
        with self.store.changing(waits=False):
            self.remove_versions(needed)

    def remove_versions(self, needed: int, *, leaving: int = 0) -> None:
        """Make room while the bots are `changing`; `leaving` are bytes that the author soon frees.

        Nothing is removed if that would not be enough.
        """
        excess = self._excess(needed, leaving)
        if not excess:
            return
        missing = max(excess.values())  # a version counts for its author and for the site
        names: list[str] = []
        chosen: list[Version] = []
        freed = 0
        for name, version in self._removable():
            if freed >= missing:
                break
            names.append(f"{name}@{version.number}")
            chosen.append(version)
            freed += size_of(version.path.parent)
            if not self._is_stored(chosen, version.digest):
                build = self._build_of(version.digest)
                freed += size_of(build)
        if freed < missing:
            lack = self.lack(needed, leaving=leaving + freed)
            if lack is not None:
                raise ArenaError(lack)
        for name, version in zip(names, chosen, strict=True):
            self._accounts.note(self._account.name, "version removed for room", name)
            self.store.remove(version)
            if not self._is_stored([], version.digest):
                build = self._build_of(version.digest)
                bot_folder.remove(build)
                build.with_suffix(".built").unlink(missing_ok=True)

    def lack(self, needed: int, *, leaving: int = 0) -> str | None:
        """Return in words why there is no room for this number of bytes; None if there is room."""
        for sentence in self._excess(needed, leaving):
            return (
                f"{sentence}, and this takes {_megabytes(needed)} more: ask the organiser for room"
            )
        return None

    def _excess(self, needed: int, leaving: int) -> dict[str, int]:
        """Return how many bytes exceed each limit, by a sentence with the use and the limit."""
        excess: dict[str, int] = {}
        if not self._account.is_organiser:
            used = self.used() - leaving
            most = MEGABYTE * self._accounts.limit("disk")
            if used + needed > most:
                share = f"{_megabytes(used)} of {_megabytes(most)}"
                sentence = f"your bots and results, of which nothing old can go, take {share}"
                excess[sentence] = used + needed - most
        used = self.used_by_all() - leaving
        most = MEGABYTE * self._accounts.limit("site")
        if used + needed > most:
            sentence = f"the site takes {_megabytes(used)} of {_megabytes(most)}"
            excess[sentence] = used + needed - most
        return excess

    def _paths(self) -> Iterator[Path]:
        """Yield the files and folders of the author."""
        accounts = self._accounts
        account = self._account
        store = self.store
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
        folders = [self._results / BUILDS]
        for copies in self._results.glob("*/bots"):
            if not copies.parent.name.startswith(REQUESTS):  # a request counts as a whole
                folders.append(copies)
        for folder in folders:
            for digest in digests:
                yield folder / digest

    def _removable(self) -> Iterator[tuple[str, Version]]:
        """Yield the author's versions that nothing needs, with their bots, the oldest first."""
        store = self.store
        versions_of_author = own_versions(store, self._account)
        try:
            needed = set(self._digests_in_archives())
            for name in versions_of_author:
                for path in store.playing(name):
                    bot = discovery.from_path(path, name)
                    needed.add(bot.digest)
        except ArenaError:
            return
        named = self._accounts.played_lately()
        for request in self._accounts.requests():
            if not request.ended:
                named |= {request.first, request.second}
        older: list[tuple[str, Version]] = []
        for name, versions in versions_of_author.items():
            for version in versions[:-1]:
                older.append((name, version))

        def oldest_first(pair: tuple[str, Version]) -> tuple[str, str]:
            name, version = pair
            return version.note.submitted, name

        for name, version in sorted(older, key=oldest_first):
            if version.digest in needed:
                continue
            if f"{name}@{version.number}" not in named:
                yield name, version

    def _digests_in_archives(self) -> Iterator[str]:
        """Yield the digests of all bots that have results, or are entered where matches begin."""
        for file in self._results.glob(f"*/{EVENT_FILE}"):
            with contextlib.suppress(NoResultsError), Archive.open(file.parent) as archive:
                yield from (span.digest for span in archive.spans())
                yield from (bot.digest for bot in archive.event().bots)

    def _build_of(self, digest: str) -> Path:
        """Return the folder with the files that the build of a version made."""
        return self._results / BUILDS / digest

    def _is_stored(self, removed: Collection[Version], digest: str) -> bool:
        """Return whether a version that is not `removed` has these files."""
        removed_paths = {version.path for version in removed}
        for name in self.store.names():
            for version in self.store.versions(name):
                is_removed = version.path in removed_paths
                if version.digest == digest and not is_removed:
                    return True
        return False


def when_bots_are_free(step: Callable[[], None]) -> None:
    """Try a step that raises BlockingIOError while the bots are locked; ArenaError after WAIT_S.

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
