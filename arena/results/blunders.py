"""Moves that threw points away on solved boards, by the positions in which they were made.

It owns what the same position is. move_estimates.py finds such moves on all other boards.
"""

# On a solved board a lesson is exact: the move threw points of score away, whoever the opponent is.
# Moves that only lose turns are no lesson, because they change no result.

from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.game import Move, Role
from arena.games.quality import PerfectPlay, positions
from arena.results.archive import Archive
from arena.values import Record


class Mean(NamedTuple):
    """The matches in which a move was made in a position, without repeats."""

    matches: int
    score: float
    """Their mean score for the role that made it, 0 to 100."""


class Blunder(NamedTuple):
    """A move that may become a lesson; the record is read again then."""

    points: float
    archive: Archive
    match: str
    turn: int
    role: Role
    move: Move
    good: tuple[Move, ...]
    means: Mapping[Move, Mean]


class RolePosition(NamedTuple):
    """A position of a role."""

    label: str
    """`game/board`."""
    sampled: str
    role: Role
    state: Any
    """On a solved board the state; otherwise a hash of the role's view and its legal moves."""


Blunders = dict[RolePosition, list[Blunder]]


def add_exact(
    blunders: Blunders,
    archive: Archive,
    record: Record,
    assessor: PerfectPlay,
    bot: str,
) -> None:
    """Add the moves of a match by which the bot threw points away."""
    qualities = assessor.of_turns(record.turns)
    if not any(quality.points for quality in qualities):
        return
    match = record.match
    game = assessor.game
    names = {seat.role: seat.bot.name for seat in match.seats}
    steps = zip(positions(game, record.turns), qualities, strict=False)
    for (state, (turn,)), quality in steps:
        role = turn.role
        if not quality.points or turn.by != "bot" or names[role] != bot:
            continue
        good = []
        for move in game.legal_moves(state, role):
            quality_of_move = assessor.quality(state, role, move)
            if not quality_of_move.points:
                good.append(move)
        blunder = Blunder(
            points=quality.points,
            archive=archive,
            match=match.id,
            turn=turn.number,
            role=role,
            move=turn.move,
            good=tuple(good),
            means={},
        )
        position = RolePosition(match.label, match.sampled, role, state)
        blunders.setdefault(position, []).append(blunder)
