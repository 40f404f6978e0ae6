"""What a bot sees on disk: its own files, an empty scratch folder, and the kit.

One Folder serves one referee process and is removed with it. It knows where things stand, not what they mean. As root
it is made so that the unprivileged users that bots become can reach their part of it, and list no other.
"""

import compileall
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from arena import rulefile
from arena.match import Bot
from arena.sandbox import spawner
from arena.sandbox.copying import Copier

KIT = ("kit.py", "game.py", "rulefile.py")
"""The files of arena that a Python bot may import, read-only; nothing else of arena."""

LEFT_OUT = {"__pycache__", ".git"}
"""Folders that tools leave beside a bot: no part of it."""

REACHABLE = 0o711
"""Others may pass through a folder, and not list it."""


class Folder:
    """A private folder with the bots of one referee process in it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="arena-"))
        if os.getuid() == 0:
            self.path.chmod(REACHABLE)
        self._kits: dict[Path, Path] = {}
        self._bots: dict[str, Path] = {}
        self._vacant: list[Room] = []
        self._count = 0

    def kit(self, rules: Path) -> Path:
        """A folder for PYTHONPATH: the kit, and the rules beside the given rules file over those shipped with arena."""
        if rules.parent not in self._kits:
            kit = self.path / f"kit{len(self._kits)}"
            (kit / "arena").mkdir(parents=True)
            (kit / "arena" / "__init__.py").touch()
            for name in KIT:
                shutil.copy(Path(rulefile.__file__).parent / name, kit / "arena")
            for source in (rulefile.shipped(), rules.parent):
                _copy_rules(source, kit / "rules")
            compileall.compile_dir(kit, quiet=2)  # once here instead of once a match in every bot
            _open_up(kit)
            self._kits[rules.parent] = kit
        return self._kits[rules.parent]

    def room(self, bot: Bot, *, own_copy: bool, user: int | None) -> "Room":
        """A new room for one bot in one match, which `user` may use (None = who we are).

        A bot that could write its files gets a copy of its own, so that no note outlives a match.
        """
        lasts = not own_copy and user is None
        if self._vacant and lasts:
            return replace(self._vacant.pop(), home=self._originals(bot))
        self._count += 1
        path = self.path / f"{'cell' if lasts else 'room'}{self._count}"
        path.mkdir(mode=0o755)
        home = path / "home" if own_copy else self._originals(bot)
        if own_copy:
            Copier(owner=user).copy(self._originals(bot), home)
        room = Room(path, home)
        room.scratch.mkdir(mode=0o700)
        if user is not None:
            path.chmod(REACHABLE)
            os.chown(room.scratch, user, user)
        if lasts:
            os.utime(room.scratch, (0, 0))  # whatever is done in it now shows, however soon, and be it only looked into
            return replace(room, fresh=_seen(room.scratch))
        return room

    def vacate(self, room: "Room") -> None:
        """A bot of one process has left its room: one that it never touched serves another, and tells it nothing."""
        if room.untouched:
            self._vacant.append(room)
        else:
            room.discard()

    def _originals(self, bot: Bot) -> Path:
        """The bot's files as they were when this referee process first met it."""
        if bot.digest not in self._bots:
            self._bots[bot.digest] = self._copied(bot)
        return self._bots[bot.digest]

    def _copied(self, bot: Bot) -> Path:
        originals = self.path / "bots" / bot.digest
        if not originals.exists():
            making = Path(tempfile.mkdtemp(dir=self.path))
            copier = Copier(leave_out=LEFT_OUT, everybody=os.getuid() == 0)
            if bot.files is not None:
                source = Path(bot.files)
                copier.copy(source, making if source.is_dir() else making / source.name)
            making.chmod(0o755)
            originals.parent.mkdir(exist_ok=True)
            originals.parent.chmod(REACHABLE)
            making.rename(originals)
        return originals

    def remove(self) -> None:
        """Remove everything."""
        discard(self.path)


@dataclass(frozen=True)
class Room:
    """What one bot has on disk for one match."""

    path: Path
    home: Path
    """Its own files; it runs here."""
    fresh: tuple[int, ...] = ()
    """Its scratch folder as it was made, if that may be used again."""

    @property
    def untouched(self) -> bool:
        """Whether it is as it was made, and may be used again."""
        return bool(self.fresh) and _seen(self.scratch) == self.fresh

    @cached_property
    def scratch(self) -> Path:
        """Empty at first, its TMPDIR."""
        return self.path / "scratch"

    def empty(self) -> None:
        """Remove what is in the scratch folder."""
        with os.scandir(self.scratch) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    discard(Path(entry.path))
                else:
                    Path(entry.path).unlink(missing_ok=True)  # its last call before it froze may have been the same

    def discard(self) -> None:
        """Remove it, whatever a bot made of it."""
        discard(self.path)


def _seen(folder: Path) -> tuple[int, ...]:
    """All that anybody can learn or change of an empty folder."""
    told = os.lstat(folder)
    times = told.st_atime_ns, told.st_mtime_ns, told.st_ctime_ns
    return told.st_ino, told.st_mode, told.st_uid, told.st_gid, told.st_nlink, told.st_size, *times


def discard(path: Path) -> None:
    """Remove a folder, whatever a bot made of it: `shutil.rmtree` recurses and may give up, these programs do not."""
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):
        subprocess.run(["/bin/sh", "-c", spawner.REMOVE, "sh", os.fspath(path)], check=False, stderr=subprocess.DEVNULL)


def _open_up(folder: Path) -> None:
    """As root: let everybody read a folder of ours whose path they know."""
    if os.getuid() != 0:
        return
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def _copy_rules(source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for file in source.iterdir():
        if file.suffix in {".py", ".toml"} and file.is_file():
            shutil.copy(file, target)
