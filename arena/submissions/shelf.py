"""Where submitted bots stand, in the folder of bots of a workspace.

    mine/, mine.py            what plays
    _versions/mine/1/...      each version as it was submitted, with .version.json beside it
    _refused/mine/...         the last refused submission of a name, with the reason

What stands under one of these names is whole: it is made in `_versions/.incoming` and moved. Nothing else is stored:
which version plays, the digests say.
"""

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from arena import roster
from arena.errors import ArenaError
from arena.match import Bot

VERSIONS, REFUSED, INCOMING, NOTE, REASON = "_versions", "_refused", ".incoming", ".version.json", "reason.txt"


@dataclass(frozen=True)
class Version:
    """One version of a bot, as it is kept."""

    number: int
    """1, 2, ..."""
    digest: str
    submitted: str
    """When, in UTC."""
    path: Path
    """The file or folder."""


class Shelf:
    """The bots of one workspace, on disk."""

    def __init__(self, bots: Path) -> None:
        self.bots = bots
        self.incoming = bots / VERSIONS / INCOMING
        """Where things are made, beside where they will stand."""

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """While bots are taken in or out: nobody else does, and what a killed one left is gone."""
        with self._writing():
            (self.bots / VERSIONS).mkdir(exist_ok=True)
            lock = os.open(self.bots / VERSIONS / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            with self._writing():
                fcntl.flock(lock, fcntl.LOCK_EX)
                shutil.rmtree(self.incoming, ignore_errors=True)
                self.incoming.mkdir()
            yield
            shutil.rmtree(self.incoming, ignore_errors=True)
        finally:
            os.close(lock)

    def names(self) -> tuple[str, ...]:
        """Every name that a bot has, or had, in order."""
        playing = {path.name if path.is_dir() else path.stem for path in self._entries()}
        kept = {path.name for path in (self.bots / VERSIONS).glob("[!.]*")}
        return tuple(sorted(playing | kept))

    def playing(self, name: str) -> tuple[Path, ...]:
        """What stands under this name; two only where somebody put them there."""
        return tuple(path for path in self._entries() if name == (path.name if path.is_dir() else path.stem))

    def versions(self, name: str) -> tuple[Version, ...]:
        """Every version of a bot, the oldest first."""
        return tuple(sorted(self._versions(name), key=lambda one: one.number))

    def refused(self) -> tuple[tuple[str, str], ...]:
        """The name and the reason of each refused submission."""
        found = sorted((self.bots / REFUSED).glob(f"*/{REASON}"))
        return tuple((path.parent.name, path.read_text("utf-8", "replace")) for path in found)

    def keep(self, bot: Bot, made: Path) -> Version:
        """Keep a bot that stands in `incoming` as the next version of its name."""
        with self._writing():
            number = max((one.number for one in self.versions(bot.name)), default=0) + 1
            version = Version(number, bot.digest, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", made)
            place = self.incoming / ".version"
            place.mkdir()
            made.rename(place / made.name)
            note = {key: value for key, value in asdict(version).items() if key != "path"}
            (place / NOTE).write_text(json.dumps(note) + "\n", "utf-8")
            target = self.bots / VERSIONS / bot.name / str(number)
            target.parent.mkdir(exist_ok=True)
            place.rename(target)
            return Version(number, bot.digest, version.submitted, target / made.name)

    def play(self, name: str, version: Version) -> None:
        """Put a version where it plays; what stood there, which is kept, goes."""
        with self._writing():
            made = self.incoming / ".playing" / version.path.name
            made.parent.mkdir()
            copied(version.path, made)
            for number, old in enumerate(self.playing(name)):
                if old.is_dir() or old.name != made.name:
                    old.rename(self.incoming / f".old{number}")
            made.replace(self.bots / made.name)

    def withdraw(self, name: str) -> None:
        """Take a bot out of the event; its versions stay."""
        with self._writing():
            for number, old in enumerate(self.playing(name)):
                old.rename(self.incoming / f".withdrawn{number}")

    def quarantine(self, name: str, reason: str, made: Path | None) -> Path:
        """Keep what was refused apart, in place of the last of this name, with the reason; the reason's file."""
        with self._writing():
            place = self.incoming / ".refused"
            place.mkdir()
            if made is not None and os.path.lexists(made):
                (place / "submitted").mkdir()
                made.rename(place / "submitted" / made.name)
            (place / REASON).write_text(reason + "\n", "utf-8", "backslashreplace")
            self.forgive(name)
            target = self.bots / REFUSED / name
            target.parent.mkdir(exist_ok=True)
            place.rename(target)
            return target / REASON

    def forgive(self, name: str) -> None:
        """Forget the last refused submission of this name."""
        shutil.rmtree(self.bots / REFUSED / name, ignore_errors=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """What the disk refuses is the user's business."""
        try:
            yield
        except OSError as error:
            raise ArenaError(f"{error.filename or self.bots}: cannot be written: {error.strerror}") from error

    def _entries(self) -> Iterator[Path]:
        for path in sorted(self.bots.iterdir()):
            if not path.name.startswith((".", "_")) and path.name != roster.README:
                yield path

    def _versions(self, name: str) -> Iterator[Version]:
        for place in (self.bots / VERSIONS / name).glob("[0-9]*"):
            try:
                note = json.loads((place / NOTE).read_text("utf-8"))
                (path,) = (one for one in place.iterdir() if one.name != NOTE)
                yield Version(int(place.name), note["digest"], note["submitted"], path)
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise ArenaError(f"{place}: is no version that arena kept ({error}); move it away") from error


def copied(source: Path, target: Path) -> None:
    """A bot that is kept, once more."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
