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
    from arena.games import rulebook
    from arena.games.conformance import Flaw, flaws, other_process

    results: list[tuple[str, list[Flaw]]] = []
    try:
        for board in rulebook.find(file, Path()):
            game = rulebook.game_of(board)
            breaches = flaws(game, playouts, seed) or other_process.differences(game, Path(board.rules), board.name)
            results.append((board.label, breaches))
    except ArenaError as error:
        if not Path(file).is_file():
            raise
        results = [(file, [Flaw(words=str(error))])]
    if json:
        output.print_json(
            {
                "board": label,
                "sound": not breaches,
                "flaws": [{"words": f.words, "turn": f.turn, "moves": f.moves, "state": f.facts} for f in breaches],
            }
            for label, breaches in results
        )
    else:
        for label, breaches in results:
            name = output.safe_line(label)
            if not breaches:
                print(f"ok     {name}: keeps the contract in {playouts} random matches, and in other processes")
            for flaw in breaches:
                print(f"FAULT  {name}: {output.safe_lines(flaw.words)}", *_origin(flaw), sep="\n")
    if any(breaches for _, breaches in results):
        raise typer.Exit(1)


def _origin(flaw: "Flaw") -> Iterator[str]:
    """Yield lines: the state in which a flaw shows, and the moves that lead there."""
    if flaw.turn is None:
        return
    yield f"       in the state after {output.counted(flaw.turn, 'turn')}:"
    yield from (f"         {output.safe_line(fact)}" for fact in flaw.facts)
    if flaw.moves:
        omitted = "... " if len(flaw.moves) > MOVES_SHOWN else ""
        yield f"       reached by: {omitted}{output.safe_line('; '.join(flaw.moves[-MOVES_SHOWN:]), 1000)}"
