"""A recorded match as the beginning of another one.

The recorded moves are an opening of the new match (arena/games/openings.py), so the referee plays
them, and bots are told of them as in an event with openings. Clocks and strikes begin anew.
"""

from dataclasses import dataclass

from arena.errors import ArenaError
from arena.game import CHANCE, Role
from arena.games import openings, rulebook
from arena.replay.replayer import Replayer
from arena.values import Board, OpeningMoves, Record


@dataclass(frozen=True)
class Fork:
    """The beginning of a recorded match, from which another one goes on."""

    record: Record
    board: Board
    moves: OpeningMoves
    """All moves up to the turn, those of chance among them."""
    next_role: Role
    """The role that is the first to move after the turn, chance aside."""


def forked(record: Record, board: Board, turn: int) -> Fork:
    """Return the fork of a match after a turn of it; 0 is the start.

    `board` is that of the rules that are known here. ArenaError where these refuse a move, or end
    the match by then.
    """
    game = rulebook.game_of(board)
    match_id = record.match.id
    last = max((played.number for played in record.turns), default=0)
    if not 0 <= turn <= last:
        raise ArenaError(f"--turn {turn}: match {match_id} has turns 0 (the start) to {last}")
    replayer = Replayer(game)
    turns = []
    movers = []
    for played in record.turns:
        if played.number <= turn:
            turns.append(played)
        else:
            movers.append(played.role)
    try:
        # Refuses moves that today's rules do not allow, or that lead elsewhere.
        for _ in replayer.go_on(turns):
            pass
    except ArenaError as error:
        raise ArenaError(f"match {match_id}: {error}") from error
    if openings.decided(game, replayer.state):
        raise ArenaError(f"--turn {turn}: match {match_id} is over after it; take an earlier turn")
    movers.extend(game.to_move(replayer.state))
    next_roles = [role for role in movers if role != CHANCE]
    next_roles.append(game.roles[0])
    return Fork(
        record=record,
        board=board,
        moves=tuple((played.role, played.move) for played in turns),
        next_role=next_roles[0],
    )
