"""Starter kits: a folder each, which is a whole bot, copied under a name of one's own.

It owns the folders beside this file and what is filled in. A folder is a kit when it has a bot.toml, so a new language
is a new folder. It knows no workspace, and runs nothing.
"""

import json
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.errors import ArenaError, known_are

HERE = Path(__file__).parent
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


@dataclass(frozen=True)
class Starter:
    """One kit."""

    name: str
    """The folder's name: what `--language` takes."""
    folder: Path

    @property
    def language(self) -> str:
        """What its bot.toml calls the language."""
        return str(self._toml["language"])

    @property
    def build(self) -> str | None:
        """The command that makes it runnable; None when it is."""
        return self._toml.get("build")

    @cached_property
    def _toml(self) -> dict[str, str]:
        return tomllib.loads((self.folder / "bot.toml").read_text("utf-8"))


def starters() -> tuple[Starter, ...]:
    """Every kit, in order of name."""
    return tuple(Starter(path.parent.name, path.parent) for path in sorted(HERE.glob("*/bot.toml")))


def find(words: str) -> Starter:
    """The kit of this name, or the first in a language of this name."""
    known = starters()
    for kit in known:
        if words.lower() in {kit.name, kit.language}:
            return kit
    names = [kit.name for kit in known]
    raise ArenaError(f"--language {words}: no starter kit in it; {known_are(words.lower(), names)}")


def copy(kit: Starter, target: Path, *, author: str, games: Iterable[str], words: Mapping[str, str]) -> None:
    """A new bot in the folder `target`, which must not exist; `words` replace `@key@` in its README.md."""
    try:
        shutil.copytree(kit.folder, target, ignore=LEFT_OUT)
        listed = ", ".join(map(_quoted, games))
        _fill(target / "bot.toml", {'"@author@"': _quoted(author), '"@game@"': listed})
        _fill(target / "README.md", {f"@{key}@": value for key, value in words.items()})
    except FileExistsError as error:
        raise ArenaError(f"{target}: is there already; choose another name") from error
    except OSError as error:
        raise ArenaError(f"{error.filename or target}: cannot be written: {error.strerror}") from error


def _fill(path: Path, words: Mapping[str, str]) -> None:
    text = path.read_text("utf-8")
    for key, value in words.items():
        text = text.replace(key, value)
    path.write_text(text, "utf-8")


def _quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
