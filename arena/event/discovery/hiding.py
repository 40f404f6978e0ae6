"""Refuse a Python bot whose file would shadow a standard module.

Python looks for modules in the folder of the program first. A bot called `random.py` that imports `random` imports
itself, and its author gets a message about a missing attribute.
"""

import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from arena.errors import ArenaError
from arena.event.discovery.commands import RUN_PYTHON
from arena.event.discovery.files import shown

TAKEN = frozenset({"arena", *sys.stdlib_module_names})


def refuse(command: tuple[str, ...], files: Iterable[tuple[str, Path]]) -> None:
    """Raise ArenaError when a file beside the program has the name of a standard module or of arena."""
    if command[:1] != RUN_PYTHON[:1]:
        return
    program = next((word for word in command if word.endswith(".py")), ".py")
    folder = PurePosixPath(program).parent.as_posix()
    prefix = "" if folder == "." else f"{folder}/"
    for name, path in files:
        if not name.endswith(".py") or not name.startswith(prefix):
            continue
        module = name.removeprefix(prefix).partition("/")[0].removesuffix(".py")
        if module in TAKEN:
            owner = "arena's own package" if module == "arena" else f"Python's own module {module!r}"
            raise ArenaError(f"{shown(path)}: hides {owner} from the bot; give it another name")
