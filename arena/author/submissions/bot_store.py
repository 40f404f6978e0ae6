"""The submitted bots of a workspace, in its folder of bots.

    mine/, mine.py            the bot that plays
    _versions/mine/1/...      each version as it was submitted, with .version.json beside it
    _refused/mine/...         the last refused submission of a name, with the reason

Each of these is whole: it is made in `_versions/.incoming`, and then moved. No file says which
version plays: arena compares digests.
"""

import contextlib
import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from arena import whole_files
from arena.errors import ArenaError, did_you_mean, writing
from arena.event import bot_folder, discovery
from arena.event.discovery import notes
from arena.event.discovery.notes import NOTE, VERSIONS, Note
from arena.values import Bot

REFUSED = "_refused"
REASON = "reason.txt"
ABOUT = ".about.json"
SUBMITTED = "submitted"
INCOMING = ".incoming"
REPLACED = ".replaced"
AT_FDCWD = -100
RENAME_EXCHANGE = 2
UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}
"""Errors of kernels, file systems and containers that have no such call."""


@dataclass(frozen=True)
class Version:
    """One version of a bot in the store."""

    note: Note
    path: Path
    """The file or folder."""

    @property
    def number(self) -> int:
        """1, 2, ..."""
        return self.note.number

    @property
    def digest(self) -> str:
        """The bot's digest."""
        return self.note.digest


def first_line(reasons: str) -> str:
    """Return the first of several paragraphs, as one line."""
    paragraph, _, _ = reasons.partition("\n\n")
    return " ".join(paragraph.split())


@dataclass(frozen=True)
class Refusal:
    """A submission that was refused."""

    name: str
    reason: str
    """All reasons, a paragraph each."""
    note: Note


class BotStore:
    """The bots of one workspace, on disk."""

    def __init__(self, bots: Path) -> None:
        self.bots = bots
        self.incoming = bots / VERSIONS / INCOMING
        """The folder where bots are made, on the same file system as their final names."""

    @contextlib.contextmanager
    def changing(self, *, waits: bool = True) -> Iterator[None]:
        """Hold the lock while bots come and go, and clear the leftovers of an interrupted run.

        BlockingIOError if another process holds it, unless this one `waits`.
        """
        with contextlib.ExitStack() as stack:
            with writing(self.bots):
                whole_files.make_folder(self.bots / VERSIONS)
                lock = whole_files.locked(self.bots / VERSIONS / ".lock", waits=waits)
                stack.enter_context(lock)
                self._return_replaced()
                shutil.rmtree(self.incoming, ignore_errors=True)
                self.incoming.mkdir()
            yield
            shutil.rmtree(self.incoming, ignore_errors=True)

    def _return_replaced(self) -> None:
        """Put back the bots that a killed process moved away without a new bot in their place."""
        for old in (self.incoming / REPLACED).glob("*"):
            target = self.bots / old.name
            if self.playing(_name(old)) or os.path.lexists(target):
                continue
            old.rename(target)
            whole_files.sync_folder(self.bots)

    def new_folder(self) -> Path:
        """Make a new folder in `incoming`, while bots are `changing`."""
        with writing(self.bots):
            return Path(tempfile.mkdtemp(dir=self.incoming))

    def names(self) -> tuple[str, ...]:
        """Return every name that a bot has or had, in order."""
        playing = {_name(path) for path in self._entries()}
        folders = (self.bots / VERSIONS).glob("[!.]*")
        submitted = {path.name for path in folders}
        return tuple(sorted(playing | submitted))

    def playing(self, name: str) -> tuple[Path, ...]:
        """Return the bots of this name that play; two if somebody added a second by hand."""
        return tuple(path for path in self._entries() if name == _name(path))

    def versions(self, name: str) -> tuple[Version, ...]:
        """Return every version of a bot that can be read, the oldest first."""
        versions: list[Version] = []
        for folder in self._version_folders(name):
            version = self._version(folder)
            if version is not None:
                versions.append(version)
        return tuple(sorted(versions, key=lambda version: version.number))

    def last_submitted(self, name: str) -> Version | None:
        """Return the newest version that somebody submitted; without one, the newest, if any.

        A version without a source was edited by hand, in place of a bot whose author is in an
        earlier note.
        """
        versions = self.versions(name)
        for version in reversed(versions):
            if version.note.source:
                return version
        if not versions:
            return None
        return versions[-1]

    def version_of(self, bot: Bot) -> Version | None:
        """Return the version that has the bot's name and digest, None if it was never submitted."""
        for version in self.versions(bot.name):
            if version.digest == bot.digest:
                return version
        return None

    def damaged(self, name: str) -> tuple[Path, ...]:
        """Return the versions that cannot be read, as after a power cut under an older arena."""
        damaged: list[Path] = []
        for folder in self._version_folders(name):
            if self._version(folder) is None:
                damaged.append(folder)
        return tuple(damaged)

    def refused(self) -> tuple[Refusal, ...]:
        """Return each refused submission whose author had no other accepted since, by name."""
        refusals = []
        for path in sorted((self.bots / REFUSED).glob(f"*/{REASON}")):
            try:
                note = notes.read(path.parent / ABOUT)
            except (OSError, ValueError):  # an older arena wrote none
                note = Note()
            reason = path.read_text("utf-8", "replace")
            refusals.append(Refusal(path.parent.name, reason, note))
        return tuple(refusals)

    def keep(self, bot: Bot, copy: Path, note: Note) -> Version:
        """Move a bot from `incoming` to the versions, as the next of its name."""
        with writing(self.bots):
            folders = self._version_folders(bot.name)
            numbers = [int(path.name) for path in folders]
            number = max(numbers, default=0) + 1
            now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
            note = replace(
                note,
                number=number,
                digest=bot.digest,
                submitted=now,
            )

            versions = whole_files.make_folder(self.bots / VERSIONS / bot.name)
            folder = versions / str(number)
            incoming = self.new_folder() / "version"
            with bot_folder.making(folder, incoming) as part:
                part.mkdir(0o755)
                copy.rename(part / copy.name)
                (part / NOTE).write_text(note.text(), "utf-8")
            return Version(note, folder / copy.name)

    def restore(self, version: Version, copy: Path) -> None:
        """Replace a damaged version by a whole copy."""
        with writing(self.bots):
            new = self.new_folder() / version.path.name
            bot_folder.copy(copy, new)
            _put(new, version.path, self.new_folder() / "damaged")

    def rename_author(self, version: Version, note: Note) -> None:
        """Store the name that the author of a version has now, from a later submission's note."""
        changed = replace(
            version.note,
            display=note.display,
            email=note.email,
            person=note.person,
        )
        if changed == version.note:
            return
        with writing(self.bots):
            path = version.path.parent / NOTE
            content = changed.text().encode("utf-8", "surrogateescape")
            whole_files.write(path, content)

    def remove(self, version: Version) -> None:
        """Remove a version that nobody needs, in one step, while bots are `changing`.

        The newest of a name must stay: its number would be given to another one.
        """
        folder = version.path.parent
        with writing(self.bots):
            folder.rename(self.new_folder() / "removed")
            whole_files.sync_folder(folder.parent)

    def folder_of(self, refusal: Refusal) -> Path:
        """Return the folder of a refused submission."""
        return self.bots / REFUSED / refusal.name

    def forget_refused(self, name: str) -> None:
        """Remove the files of a refused submission, and leave the reason."""
        with self.changing():
            shutil.rmtree(self.bots / REFUSED / name / SUBMITTED, ignore_errors=True)

    def play(self, name: str, version: Version) -> None:
        """Let a version play: replace the bot of that name by a copy, in one step."""
        with writing(self.bots):
            aside = self.incoming / REPLACED
            aside.mkdir(exist_ok=True)
            new = self.new_folder() / version.path.name
            bot_folder.copy(version.path, new)

            for old in self.playing(name):
                if old.name != new.name:
                    old.rename(aside / old.name)
            _put(new, self.bots / new.name, aside / new.name)

    def withdraw(self, name: str) -> Version:
        """Remove a bot from the event; return its version, which stays."""
        self._refuse_absent(name)  # before anything is made for the lock
        with self.changing(), writing(self.bots):
            self._refuse_absent(name)  # somebody may have withdrawn it while we waited
            playing = self.playing(name)
            versions: list[Version] = []
            for path in playing:
                bot = discovery.from_path(path, name)
                version = self.version_of(bot)
                if version is None:  # somebody added it by hand: store it before it goes
                    copy = self.new_folder() / path.name
                    bot_folder.copy(path, copy)
                    version = self.keep(bot, copy, Note(display=bot.display))
                versions.append(version)

            for number, path in enumerate(playing):
                path.rename(self.incoming / f".withdrawn{number}")
            whole_files.sync_folder(self.bots)
            return versions[-1]

    def _refuse_absent(self, name: str) -> None:
        """Raise ArenaError unless there is a bot of this name that plays."""
        if self.playing(name):
            return
        names = self.names()
        state = "there is no such bot"
        if name in names:
            state = "is withdrawn already"
        near = did_you_mean(name, filter(self.playing, names))
        cure = near or "`arena bots` lists them"
        raise ArenaError(f"{name!r}: {state}; {cure}")

    def refuse(
        self,
        name: str,
        reason: str,
        copy: Path | None,
        note: Note,
    ) -> Path:
        """Keep a refused submission in place of the last of its name; return the reason's file."""
        with writing(self.bots):
            new = self.new_folder() / "refusal"
            new.mkdir(0o755)
            if copy is not None and os.path.lexists(copy):
                submitted = new / SUBMITTED
                submitted.mkdir()
                copy.rename(submitted / copy.name)
            (new / REASON).write_text(reason + "\n", "utf-8", "backslashreplace")
            (new / ABOUT).write_text(note.text(), "utf-8")

            folder = whole_files.make_folder(self.bots / REFUSED)
            target = folder / name
            _put(new, target, self.new_folder() / "refused")
            return target / REASON

    def forgive(self, is_forgiven: Callable[[Refusal], bool]) -> None:
        """Forget the refused submissions that an accepted one makes up for."""
        for refusal in self.refused():
            if is_forgiven(refusal):
                shutil.rmtree(self.bots / REFUSED / refusal.name, ignore_errors=True)

    def _entries(self) -> Iterator[Path]:
        for path in sorted(self.bots.iterdir()):
            if not discovery.is_skipped(path.name):
                yield path

    def _version_folders(self, name: str) -> Iterator[Path]:
        for path in (self.bots / VERSIONS / name).glob("[0-9]*"):
            if path.name.isdecimal():
                yield path

    def _version(self, folder: Path) -> Version | None:
        """Return the version in a folder, or None when its note cannot be read."""
        try:
            (path,) = (entry for entry in folder.iterdir() if entry.name != NOTE)
            note = notes.read(folder / NOTE)
        except (OSError, ValueError):
            return None
        if not note.number:
            return None
        if not note.digest:
            with contextlib.suppress(ArenaError):  # it is damaged; `arena bots` says so
                bot = discovery.from_path(path, folder.parent.name)
                note = replace(note, digest=bot.digest)
        return Version(note, path)


# With two renames there is a moment with neither file: a kill at that moment would withdraw a bot.
# Linux exchanges two names in one step (renameat2, RENAME_EXCHANGE). Python does not offer this
# call, and some file systems do not know it.


def _put(new: Path, target: Path, aside: Path) -> None:
    """Give `new`, which is whole, the name `target`; move the old target to the free `aside`.

    All three are in one file system. Where the exchange is impossible, a kill between two renames
    leaves no target: `BotStore.changing` puts the old one back.
    """
    whole_files.sync_tree(new)
    if not os.path.lexists(target):
        new.rename(target)
    elif exchange(new, target):
        new.rename(aside)
    else:
        target.rename(aside)
        new.rename(target)
    whole_files.sync_folder(target.parent)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step; return False where that is impossible."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    first_name = os.fsencode(first)
    second_name = os.fsencode(second)
    status = libc.renameat2(AT_FDCWD, first_name, AT_FDCWD, second_name, RENAME_EXCHANGE)
    if status == 0:
        return True
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(second))


def _name(path: Path) -> str:
    if path.is_dir():
        return path.name
    return path.stem
