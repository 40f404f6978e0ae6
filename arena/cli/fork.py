"""A recorded match as the beginning of another one: `--from MATCH --turn N` of `arena match` and `arena play`.

The recorded moves are an opening of the new match (arena/games/openings.py), so the referee plays them, and bots are
told of them as in an event with openings. Clocks and strikes begin anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli import stored_match, workspace
from arena.errors import ArenaError
from arena.game import CHANCE, Role
from arena.values import Board, Bot, OpeningMoves, Record

MatchId = Annotated[
    str | None,
    typer.Option("--from", metavar="MATCH", help="Begin as this recorded match did: ID, or EVENT/ID, or a file."),
]
TurnNumber = Annotated[
    int | None, typer.Option("--turn", metavar="N", help="With --from: go on after this turn of it; 0 is the start.")
]


@dataclass(frozen=True)
class Fork:
    """The beginning of a recorded match, from which another one goes on."""

    record: Record
    board: Board
    moves: OpeningMoves
    """All moves up to the turn, those of chance among them."""
    next_role: Role
    """The role that is the first to move after the turn, chance aside."""

    def bots(self) -> dict[Role, Bot]:
        """Return the bots that played the match, as they are now, by role."""
        return {seat.role: workspace.entrant_named(seat.bot.name) for seat in self.record.match.seats}


def read(name: str | None, turn: int | None) -> Fork | None:
    """Return the fork that the two options name; None when they name none."""
    from arena.games import openings, rulebook
    from arena.replay.replayer import scenes

    if name is None:
        if turn is not None:
            raise ArenaError("--turn: name the match too, by --from MATCH")
        return None
    if turn is None:
        raise ArenaError(f"--from {name}: name the turn too, by --turn N; 0 is the start")
    record = stored_match.load_record(name)
    board = stored_match.board_of(record.match)
    game, match_id = rulebook.game_of(board), record.match.id
    last = max((played.number for played in record.turns), default=0)
    if not 0 <= turn <= last:
        raise ArenaError(f"--turn {turn}: match {match_id} has turns 0 (the start) to {last}")
    turns = [played for played in record.turns if played.number <= turn]
    try:
        for _ in scenes(game, turns):  # refuses moves that today's rules do not allow, or that lead elsewhere
            pass
    except ArenaError as error:
        raise ArenaError(f"match {match_id}: {error}") from error
    state = game.start()
    for number in range(1, turn + 1):
        state = game.play(state, {played.role: played.move for played in turns if played.number == number})
    if openings.decided(game, state):
        raise ArenaError(f"--turn {turn}: match {match_id} is over after it; take an earlier turn")
    later = (played.role for played in record.turns if played.number > turn)
    movers: Iterator[Role] = (role for role in (*later, *game.to_move(state)) if role != CHANCE)
    return Fork(
        record=record,
        board=board,
        moves=tuple((played.role, played.move) for played in turns),
        next_role=next(movers, game.roles[0]),
    )
