"""A Python bot's own files, and Python's: the first hide the second, in the folder of the program that is run.

A bot called `random.py` that imports `random` imports itself, and its author is told of an attribute that is missing.
"""

import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from arena.errors import ArenaError
from arena.roster.bot_toml import RUN_PYTHON
from arena.roster.files import shown

TAKEN = frozenset({"arena", *sys.stdlib_module_names})


def refuse(command: tuple[str, ...], files: Iterable[tuple[str, Path]]) -> None:
    """ArenaError when a file of the bot has the name of a module that it, or what it imports, may want."""
    if command[:1] != RUN_PYTHON[:1]:
        return
    beside = PurePosixPath(next((word for word in command if word.endswith(".py")), ".py")).parent
    for name, path in files:
        if not name.endswith(".py") or not PurePosixPath(name).is_relative_to(beside):
            continue
        module = PurePosixPath(name).relative_to(beside).parts[0].removesuffix(".py")
        if module in TAKEN:
            whose = "arena's own package" if module == "arena" else f"Python's own module {module!r}"
            raise ArenaError(f"{shown(path)}: hides {whose} from the bot; give it another name")
