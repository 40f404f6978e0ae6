"""Moves that threw points away, by the positions in which they were made: those on solved boards, which are exact.

It owns what the same position is. move_estimates.py finds such moves on all other boards.
"""

# On a solved board a lesson is exact: the move threw points of score away, whoever the opponent is. Moves that only
# lose turns are no lesson, because they change no result.

from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.game import Move, Role
from arena.games.quality import PerfectPlay, positions
from arena.results.archive import Archive
from arena.values import Record


class Mean(NamedTuple):
    """The matches in which a move was made in a position, those that repeat others left out."""

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
    """On a solved board the state, else a hash of what the role is shown and of its legal moves."""


Blunders = dict[RolePosition, list[Blunder]]


def add_exact(
    blunders: Blunders, archive: Archive, record: Record, assessor: PerfectPlay, bot: str
) -> None:
    """Add the moves of a match by which the bot threw points away."""
    qualities = assessor.of_turns(record.turns)
    if not any(quality.points for quality in qualities):
        return
    match, names = record.match, {seat.role: seat.bot.name for seat in record.match.seats}
    for (state, (turn,)), quality in zip(
        positions(assessor.game, record.turns), qualities, strict=False
    ):
        if quality.points and turn.by == "bot" and names[turn.role] == bot:
            legal = assessor.game.legal_moves(state, turn.role)
            good = tuple(
                move for move in legal if not assessor.quality(state, turn.role, move).points
            )
            blunder = Blunder(
                quality.points, archive, match.id, turn.number, turn.role, turn.move, good, {}
            )
            blunders.setdefault(
                RolePosition(match.label, match.sampled, turn.role, state), []
            ).append(blunder)
