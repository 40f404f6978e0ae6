"""`arena openings`: print openings of a board, a line each, for the file that `[openings] file` names."""

import secrets
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, output
from arena.errors import ArenaError

MOST_OPENINGS = 1_000_000


def openings(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A board, or a game for all of its boards.")],
    plies: Annotated[int, typer.Option(min=1, help="Turns of each opening.")] = 4,
    count: Annotated[int, typer.Option(min=1, max=MOST_OPENINGS, help="Openings of each board.")] = 50,
    seed: Annotated[str | None, typer.Option(help="Any text that fixes the draws; default: a new one.")] = None,
    json: options.Json = False,
) -> None:
    """Draw openings that lead to different states; none of them ends the match."""
    from arena.games import openings, rulebook

    seed = secrets.token_hex(16) if seed is None else seed
    rows: list[dict[str, object]] = []
    for chosen in rulebook.find(board, Path()):
        game = rulebook.game_of(chosen)
        try:
            openings.refuse_rare(game, plies)
        except ArenaError as error:
            raise ArenaError(f"--plies {plies}: {chosen.label}: {error}") from error
        sequence = openings.different(game, plies, f"{seed}/{chosen.label}")
        sequences = [openings.moves_of(turns) for turns in islice(sequence, count)]
        if len(sequences) < count:
            output.notice(
                f"{chosen.label}: {len(sequences)} of {count}: no more states were found with --plies {plies}"
            )
        rows += [{"board": chosen.label, "moves": moves} for moves in sequences]
        if not json:
            print("\n".join(openings.line(chosen.label, moves) for moves in sequences))
    if json:
        output.print_json(rows)
