"""What a shell completes: bots, boards, events and matches, wherever a command's help calls its argument so.

A shell asks at each press of a key, so nothing here imports what is slow, and a workspace with
mistakes completes less.
"""

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from arena.cli import paths
from arena.errors import ArenaError

SAFE = re.compile(r"[\w./:-]+", re.ASCII)
"""What is completed: shells run the answer, and others may have named the files in a folder."""
MOST = 200
"""Completions: more would only fill the screen."""


def bots() -> Iterator[str]:
    """Yield the names of the bots in the folder bots/ here; a path is completed by the shell itself."""
    for path in sorted(Path("bots").glob("[!._]*")):
        if path.name != "README.md":
            yield path.name if path.is_dir() else path.stem


def boards() -> Iterator[str]:
    """Yield the boards that can be played here."""
    from arena.games import rulebook

    return (board.label for board in rulebook.all_boards())


def events() -> Iterator[str]:
    """Yield the events that were played here."""
    return (path.parent.name for path in sorted(Path("results").glob(f"*/{paths.EVENT_FILE}")))


def matches() -> Iterator[str]:
    """Yield the ids of the matches of the event here."""
    sys.modules.pop(
        "pydantic", None
    )  # barred for all other completions (arena/cli/__init__.py); archives need it
    from arena.results.archive import Archive

    with Archive.open(paths.event_folder(None)) as archive:
        yield from sorted(archive.ids())


COMPLETERS: dict[str, Callable[[], Iterable[str]]] = {
    "BOT": bots,
    "BOARD": boards,
    "GAME": boards,
    "EVENT": events,
    "MATCH": matches,
    "ID": matches,
}
"""By the word for an argument in a command's help."""


def complete(parameter: Any) -> None:
    """Have a parameter of a command complete what its help calls it; one that has no such word stays as it is."""
    word = (parameter.metavar or "").rstrip(".,").strip("{}[]")
    if word not in COMPLETERS:
        return

    def shell_complete(_context: object, incomplete: str) -> list[SimpleNamespace]:
        before, comma, last = (
            incomplete.rpartition(",")
            if parameter.metavar.endswith(",...")
            else ("", "", incomplete)
        )
        with contextlib.suppress(ArenaError, OSError):
            fitting = islice(
                (
                    name
                    for name in COMPLETERS[word]()
                    if name.startswith(last) and SAFE.fullmatch(name)
                ),
                MOST,
            )
            return [
                SimpleNamespace(value=f"{before}{comma}{name}", help=None, type="plain")
                for name in fitting
            ]
        return []

    parameter.shell_complete = shell_complete
