"""What a bot sees on disk: a private copy of its own files, an empty scratch folder, and the kit.

One Folder serves one referee process and is removed with it. It knows where things stand, not what they mean.
"""

import compileall
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from arena import rulefile
from arena.match import Bot

KIT = ("kit.py", "game.py", "rulefile.py")
"""The files of arena that a Python bot may import, read-only; nothing else of arena."""


class Folder:
    """A private folder with the bots of one referee process in it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="arena-"))
        self._kits: dict[Path, Path] = {}
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
            self._kits[rules.parent] = kit
        return self._kits[rules.parent]

    def room(self, bot: Bot) -> "Room":
        """A new room for one bot in one match: a copy of its files alone, so that no note outlives a match."""
        self._count += 1
        room = Room(self.path / f"room{self._count}")
        shutil.copytree(self._originals(bot), room.home, symlinks=True)
        room.scratch.mkdir()
        return room

    def _originals(self, bot: Bot) -> Path:
        """The bot's files as they were when this referee process first met it."""
        originals = self.path / "bots" / bot.digest
        if not originals.exists():
            making = Path(tempfile.mkdtemp(dir=self.path))
            if bot.files is not None and Path(bot.files).is_dir():
                unseen = shutil.ignore_patterns("__pycache__", ".git")  # nor does the digest see them
                shutil.copytree(bot.files, making, symlinks=True, dirs_exist_ok=True, ignore=unseen)
            elif bot.files is not None:
                shutil.copy(bot.files, making)
            originals.parent.mkdir(exist_ok=True)
            making.rename(originals)
        return originals

    def remove(self) -> None:
        """Remove everything."""
        discard(self.path)


@dataclass(frozen=True)
class Room:
    """What one bot has on disk for one match."""

    path: Path

    @property
    def home(self) -> Path:
        """Its own files; it runs here."""
        return self.path / "home"

    @property
    def scratch(self) -> Path:
        """Empty at first, its TMPDIR."""
        return self.path / "scratch"

    def discard(self) -> None:
        """Remove it, whatever a bot made of it."""
        discard(self.path)


def discard(path: Path) -> None:
    """Remove a folder, however deep a bot made it: `shutil.rmtree` recurses and may give up, `rm` does not."""
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):
        subprocess.run(["/bin/rm", "-rf", "--", os.fspath(path)], check=False, stderr=subprocess.DEVNULL)


def _copy_rules(source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for file in source.iterdir():
        if file.suffix in {".py", ".toml"} and file.is_file():
            shutil.copy(file, target)
