"""`arena check-rules`: does a rules file keep the contract, and where does it not?"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, screen
from arena.errors import ArenaError
from arena.event import Board

if TYPE_CHECKING:
    from arena.conformance import Flaw

MOVES_SHOWN = 12
"""Of the moves that lead to a flaw, the last ones."""


def check_rules(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A rules file, or the name of a game or board.")],
    playouts: Annotated[int, typer.Option(min=1, help="Matches of random moves that are tried on each board.")] = 20,
    seed: Annotated[int, typer.Option(help="Fixes the random moves.")] = 0,
    json: options.Json = False,
) -> None:
    """Try the rules of a game, board by board, by random matches; exit code 1 when they break the contract."""
    from arena.conformance import Flaw

    try:
        found = {board: _flaws(board, playouts, seed) for board in _boards(file)}
        rows = [(board.label, flaws) for board, flaws in found.items()]
    except ArenaError as error:
        if not Path(file).is_file():
            raise
        rows = [(file, [Flaw(words=str(error))])]
    if json:
        screen.print_json(_row(label, flaws) for label, flaws in rows)
    else:
        print("\n".join(line for label, flaws in rows for line in _lines(label, flaws, playouts)))
    if any(flaws for _, flaws in rows):
        raise typer.Exit(1)


def _boards(words: str) -> tuple[Board, ...]:
    from arena import rulebook

    return rulebook.find(words, Path())


def _flaws(board: Board, playouts: int, seed: int) -> "list[Flaw]":
    """What is wrong with the game on this board, in this process and in others."""
    from arena import rulebook
    from arena.conformance import elsewhere, flaws

    game = rulebook.game_of(board)
    return flaws(game, playouts, seed) or elsewhere.differences(game, Path(board.rules), board.name)


def _row(label: str, flaws: "list[Flaw]") -> dict[str, object]:
    found = [{"words": one.words, "turn": one.turn, "moves": one.moves, "state": one.facts} for one in flaws]
    return {"board": label, "sound": not flaws, "flaws": found}


def _lines(label: str, flaws: "list[Flaw]", playouts: int) -> Iterator[str]:
    if not flaws:
        yield f"ok     {screen.shown(label)}: keeps the contract in {playouts} random matches, and in other processes"
    for flaw in flaws:
        yield f"FAULT  {screen.shown(label)}: {screen.harmless(flaw.words)}"
        yield from _where(flaw)


def _where(flaw: "Flaw") -> Iterator[str]:
    """The state in which it happens, and how one gets there."""
    if flaw.turn is None:
        return
    yield f"       in the state after {flaw.turn} turn{'' if flaw.turn == 1 else 's'}:"
    yield from (f"         {screen.shown(fact)}" for fact in flaw.facts)
    if flaw.moves:
        left_out = "... " if len(flaw.moves) > MOVES_SHOWN else ""
        yield f"       reached by: {left_out}{screen.shown('; '.join(flaw.moves[-MOVES_SHOWN:]), 1000)}"
