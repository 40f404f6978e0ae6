"""`arena check-rules`: find out whether a rules file keeps the contract of a game, and show where it does not."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.games.conformance import Flaw

MOVES_SHOWN = 12
"""So many of the moves that lead to a flaw are shown: the last ones."""


def check_rules(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A rules file, or the name of a game or board.")],
    playouts: Annotated[int, typer.Option(min=1, help="Matches of random moves that are tried on each board.")] = 20,
    seed: Annotated[int, typer.Option(help="Fixes the random moves.")] = 0,
    json: options.Json = False,
) -> None:
    """Try the rules of a game, board by board, by random matches; exit code 1 when they break the contract."""
    from arena.games.conformance import Flaw
    from arena.games.conformance.examination import boards_of, examined

    results: list[tuple[str, list[Flaw], list[Flaw]]] = []
    try:
        results += [(board.label, *examined(board, playouts, seed)) for board in boards_of(file)]
    except ArenaError as error:
        if not Path(file).is_file():
            raise
        results = [(file, [Flaw(words=str(error))], [])]
    if json:
        output.print_json(
            {"board": label, "sound": not flaws, "flaws": list(map(_row, flaws)), "warnings": list(map(_row, doubts))}
            for label, flaws, doubts in results
        )
    else:
        for label, flaws, doubts in results:
            name = output.safe_line(label)
            if not flaws:
                print(f"ok     {name}: keeps the contract in {playouts} random matches, and in other processes")
            for mark, found in (("FAULT", flaws), ("WARN ", doubts)):
                for flaw in found:
                    print(f"{mark}  {name}: {output.safe_lines(flaw.words)}", *_origin(flaw), sep="\n")
    if any(flaws for _, flaws, _ in results):
        raise typer.Exit(1)


def _row(flaw: "Flaw") -> dict[str, object]:
    return {"words": flaw.words, "turn": flaw.turn, "moves": flaw.moves, "state": flaw.facts}


def _origin(flaw: "Flaw") -> Iterator[str]:
    """Yield lines: the state in which a flaw shows, and the moves that lead there."""
    if flaw.turn is None:
        return
    yield f"       in the state after {output.counted(flaw.turn, 'turn')}:"
    yield from (f"         {output.safe_line(fact)}" for fact in flaw.facts)
    if flaw.moves:
        omitted = "... " if len(flaw.moves) > MOVES_SHOWN else ""
        yield f"       reached by: {omitted}{output.safe_line('; '.join(flaw.moves[-MOVES_SHOWN:]), 1000)}"
