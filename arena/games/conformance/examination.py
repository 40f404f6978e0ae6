"""The rules of a file, examined in a process of their own, whatever they do: end it, never answer, take all memory.

It owns the limits, and who is told what. The process that calls it imports no rules.
"""

import sysconfig
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from arena import rulefile
from arena.errors import ArenaError
from arena.games import rulebook
from arena.games.conformance import Flaw, doubts, examine, other_process
from arena.limited import LimitedError, Place, limited, limited_value
from arena.values import Board

MEMORY_BYTES = 2_000_000_000
CPU_SECONDS = 30
"""For a single match with all laws. The slowest game of OpenSpiel takes 8 s."""
WALL_SECONDS = 120.0


def boards_of(query: str) -> tuple[Board, ...]:
    """Return the boards that a query means, as `rulebook.find`; ArenaError for whatever keeps them from loading."""
    try:
        return limited_value(partial(rulebook.find, query), memory=MEMORY_BYTES, cpu=CPU_SECONDS, wall=WALL_SECONDS)
    except LimitedError as error:
        raise ArenaError(f"when {query} is loaded, {_words(error)}") from error


def examined(board: Board, playouts: int, seed: int) -> tuple[list[Flaw], list[Flaw]]:
    """Return the flaws of a board, and if it has none what only its author can know."""
    work = partial(_examine, board, playouts, seed)
    try:
        *_, result = limited(work, memory=MEMORY_BYTES, cpu=CPU_SECONDS, wall=WALL_SECONDS)
    except LimitedError as error:
        return [Flaw(words=f"when it is played, {_words(error)}")], []
    return result


def _examine(board: Board, playouts: int, seed: int) -> Iterator[tuple[list[Flaw], list[Flaw]]]:
    """Yield what is known after each match."""
    game = rulebook.game_of(board)
    flaws: list[Flaw] = []
    for flaws in examine(game, playouts, seed):
        yield flaws, []
    if not flaws:
        flaws = other_process.differences(game, Path(board.rules), board.name)
    yield flaws, [] if flaws else doubts(game)


def _words(error: LimitedError) -> str:
    """Return how the rules ended the process, with the line where that is known."""
    of_rules = (place for place in error.places if _is_of_rules(place))
    lines = (f" ({Path(place.file).name}, line {place.line}, in {place.function})" for place in of_rules)
    return f"it {error}{next(lines, '')}"


def _is_of_rules(place: Place) -> bool:
    """Return whether a line belongs neither to arena nor to Python nor to a package."""
    file = Path(place.file)
    others = (str(Path(rulefile.__file__).parent), *sysconfig.get_paths().values())
    of_others = place.file.startswith("<") or any(file.is_relative_to(folder) for folder in others)
    return file.is_relative_to(rulefile.shipped()) or not of_others
