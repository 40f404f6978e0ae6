"""What the bridges share: their settings, their words for a fault, and the file of a bot in Python.

It runs confined, as a part of the bot, with the kit. Of arena it has nothing else.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from arena import kit
from arena.kit import Turn

Option = bool | str | int | float | list[str]
SHOWN_LETTERS = 200
"""Of what a bot or an engine said."""


class BridgeSettings:
    """What the bridge was started with."""

    def __init__(self, argv: Sequence[str]) -> None:
        given = json.loads(argv[1])
        self.options: dict[str, Option] = given["options"]
        self.command: list[str] = list(argv[2:])
        """The command of the bot itself."""

    @property
    def file(self) -> str:
        """The bot's own file in Python."""
        for word in self.command:
            if word.endswith(".py"):
                return word
        raise Failed(
            f"{' '.join(self.command)}: this bridge takes a file in Python; name it in `command`"
        )

    @property
    def name(self) -> str:
        """The name of the bot's program, for sentences."""
        for word in reversed(self.command):
            if word.endswith((".py", ".js", ".jar", ".sh")):
                return Path(word).name
        return Path(self.command[0]).name


def settings() -> BridgeSettings:
    """Return the settings of this process.

    Take the folder of the bridges out of the module path.
    """
    sys.path[0] = str(Path.cwd())  # so that the bot finds the modules beside it, and none of ours
    return BridgeSettings(sys.argv)


class Failed(SystemExit):
    """The end of the bot, with a line on stderr that the verdict quotes."""

    def __init__(self, words: str) -> None:
        super().__init__(short(words, 4 * SHOWN_LETTERS))


def short(text: str, most: int = SHOWN_LETTERS) -> str:
    """Return a text of a bot in one line, cut."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return f"{line[: most - 3]}..."


def own_output() -> IO[str]:
    """Return what leads to the referee.

    All that the bot itself prints goes to stderr from now on.
    """
    stdout = os.dup(1)
    out = os.fdopen(stdout, "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return out


def play(
    choose: Callable[[Turn], str],
    prepare: Callable[[Turn], None] | None,
    out: IO[str],
) -> None:
    """Play matches, for as long as the event has some for this process."""
    kit.run(choose, prepare, out=out, again=True)


def module_of(settings: BridgeSettings) -> ModuleType:
    """Return the bot's file as a module; end with a line where it has no such file."""
    path = Path(settings.file).absolute()
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise Failed(f"{settings.file}: there is no such file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def facts(turn: Turn, word: str) -> list[str]:
    """Return the rest of each fact of this turn that begins with a word."""
    texts: list[str] = []
    for fact in turn.facts:
        first, _, text = fact.partition(" ")
        if first == word:
            texts.append(text)
    return texts


def refused(settings: BridgeSettings, answer: Any) -> str:
    """Return an answer that is no legal move, and says who gave it: the referee judges it."""
    return short(f"{settings.name} answered {answer!r}")
