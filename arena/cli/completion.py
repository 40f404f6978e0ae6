"""What a shell completes: bots, boards, events and matches, by the word in a command's help.

A shell asks at each press of a key, so nothing here imports what is slow, and a workspace with
mistakes completes less.
"""

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from arena.cli import paths
from arena.errors import ArenaError

SAFE = re.compile(r"[\w./:-]+", re.ASCII)
"""The names that are completed: shells run the answer, and strangers may have named these files."""
MOST = 200
"""The most completions: more would only fill the screen."""


def bots() -> Iterator[str]:
    """Yield the names of the bots in the folder bots/ here; the shell itself completes paths."""
    for path in sorted(Path("bots").glob("[!._]*")):
        if path.name == "README.md":
            continue
        if path.is_dir():
            yield path.name
        else:
            yield path.stem


def boards() -> Iterator[str]:
    """Yield the boards that can be played here."""
    from arena.games import rulebook

    return (board.label for board in rulebook.all_boards())


def events() -> Iterator[str]:
    """Yield the events that were played here."""
    for path in sorted(Path("results").glob(f"*/{paths.EVENT_FILE}")):
        yield path.parent.name


def matches() -> Iterator[str]:
    """Yield the ids of the matches of the event here."""
    # arena/cli/__init__.py bars it for all other completions, but archives need it.
    sys.modules.pop("pydantic", None)
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
"""The completer for each word that a command's help uses for an argument."""


def complete(parameter: Any) -> None:
    """Complete a parameter of a command by the word in its help; leave any other as it is."""
    metavar = parameter.metavar or ""
    word = metavar.rstrip(".,").strip("{}[]")
    if word not in COMPLETERS:
        return

    def shell_complete(_context: object, incomplete: str) -> list[SimpleNamespace]:
        before = ""
        last = incomplete
        if metavar.endswith(",..."):
            before, comma, last = incomplete.rpartition(",")
            before += comma
        items: list[SimpleNamespace] = []
        with contextlib.suppress(ArenaError, OSError):
            for name in COMPLETERS[word]():
                if len(items) == MOST:
                    break
                if name.startswith(last) and SAFE.fullmatch(name):
                    item = SimpleNamespace(
                        value=before + name,
                        help=None,
                        type="plain",
                    )
                    items.append(item)
        return items

    parameter.shell_complete = shell_complete
