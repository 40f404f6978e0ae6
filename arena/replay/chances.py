"""The chance to win of each side, at the start and after every turn, and where it broke.

It owns what a chance is, when it breaks, and how that is said. like_positions.py estimates it where
no board is solved.
"""

# What a chance is
#
# A side wins a match if it scores most of all; sides that tie share the win. So the chances of all
# sides add up to 100 %, with two sides a draw counts as half, and how many points a win is worth
# plays no part.
#
# On a solved board the chance is exact: who wins if all play perfectly from now on, which is 100,
# 50 or 0 %. Elsewhere it is an estimate from like positions in other matches of the event: how
# often did sides win from there, whoever played? Everything in the facts counts, hidden cards too;
# the strength of the bots that play does not. In the last state of a match that ended by the rules
# the chance is the result. A forfeit is no turn: it breaks the line in the last state, where the
# chance of that state stays.

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from arena.game import DRAW, Game, Role
from arena.games.quality import PerfectPlay
from arena.protocol import clean
from arena.replay.like_positions import LikePositions, shares
from arena.replay.replayer import Scene
from arena.values import Record

BREAK = 20
"""A turn in which the chance of a side falls by so many per cent points breaks the line."""
MOST_BREAKS = 8
"""Of more the largest are marked, of equal ones the last; and a forfeit."""
SENTENCE = 300  # characters
EXACT = "exact: who wins by perfect play of all"


class Break(NamedTuple):
    """A turn in which a side lost much of its chance."""

    scene: int
    """The index of the scene that the turn led to; 0 of a forfeit before the first turn."""
    side: int
    """The side that lost most."""
    fall: float
    """The per cent points that it lost."""
    sentence: str
    """What happened, in words; harmless to show."""


@dataclass(frozen=True, kw_only=True)
class Chances:
    """The chances of a match."""

    sides: tuple[tuple[Role, ...], ...]
    of_scenes: tuple[tuple[float, ...], ...]
    """For each scene, the start first, the chance of each side in per cent."""
    basis: str
    """Where they come from, in words: exact, or an estimate."""
    breaks: tuple[Break, ...]
    """In the order of the turns."""


def chances_of(
    game: Game[Any], record: Record, scenes: Sequence[Scene], like: LikePositions | None = None
) -> Chances | None:
    """Return the chances of a match; None where nothing tells them.

    That is so where its board is not solved and nothing is known of like positions.
    The scenes are those of the whole match, with or without the quality of moves.
    """
    sides = tuple(tuple(side) for side in game.sides)
    roles = {seat.role for seat in record.match.seats}
    if (
        len(sides) < 2
        or record.sides != sides
        or not {*record.verdict.scores} == {*game.roles} == roles
    ):
        return None  # a record may come from anybody
    if (assessor := PerfectPlay.of(game)) is not None:
        return _with_breaks(record, scenes, sides, _exact(assessor, record, scenes), EXACT)
    if like is None:
        return None
    movers = [[turn.role for turn in scene.turns] for scene in scenes[1:]]
    movers.append(sorted({fault.role for fault in record.verdict.faults}))
    states = zip((scene.facts for scene in scenes), movers, strict=True)
    of_scenes = like.chances(game, record.match.id, states)
    if not record.verdict.faults:
        of_scenes[-1] = shares(record.verdict.scores, sides)
    return _with_breaks(record, scenes, sides, of_scenes, like.basis)


def _exact(
    assessor: PerfectPlay, record: Record, scenes: Sequence[Scene]
) -> list[tuple[float, ...]]:
    """Return the chances on a solved board.

    There the loss of each move leads from one value to the next.
    """
    lost = iter(
        [quality for scene in scenes for quality in scene.qualities]
        or assessor.of_turns(record.turns)
    )
    score, of_scenes = assessor.worth(assessor.game.start()).score, list[tuple[float, ...]]()
    for scene in scenes:
        for turn, quality in zip(scene.turns, lost, strict=False):
            score -= quality.points if turn.role in assessor.game.sides[0] else -quality.points
        first = 100.0 if score > DRAW else 50.0 if score == DRAW else 0.0
        of_scenes.append((first, 100 - first))
    return of_scenes


def _with_breaks(
    record: Record,
    scenes: Sequence[Scene],
    sides: tuple[tuple[Role, ...], ...],
    of_scenes: Sequence[tuple[float, ...]],
    basis: str,
) -> Chances:
    found = []
    for index in range(1, len(scenes)):
        falls = [
            before - after
            for before, after in zip(of_scenes[index - 1], of_scenes[index], strict=True)
        ]
        if max(falls) >= BREAK:
            side = falls.index(max(falls))
            before, after = of_scenes[index - 1][side], of_scenes[index][side]
            scene = scenes[index]
            moves = ", ".join(
                f"{turn.role} {scene.move(number)}" for number, turn in enumerate(scene.turns)
            )
            said = (
                f"{moves} turns a {_state(before)} position into a {_state(after)} one"
                if basis == EXACT
                else f"{moves}: the chance of {' and '.join(sides[side])} "
                f"falls from {before:.0f} to {after:.0f} %"
            )
            found.append(
                Break(index, side, max(falls), clean(f"turn {scene.number}: {said}", SENTENCE))
            )
    breaks = sorted(
        sorted(found, key=lambda each: (-each.fall, -each.scene))[:MOST_BREAKS],
        key=lambda each: each.scene,
    )
    if record.verdict.faults:
        loser = min(
            range(len(sides)),
            key=lambda side: max(record.verdict.scores[role] for role in sides[side]),
        )
        chance = of_scenes[-1][loser]
        faults = ", ".join(
            f"{fault.role} ({fault.ending.value.replace('_', ' ')})"
            for fault in record.verdict.faults
        )
        said = f"a forfeit ends the match, by {faults}, at a chance of {chance:.0f} %"
        breaks.append(Break(len(scenes) - 1, loser, chance, clean(said, SENTENCE)))
    return Chances(sides=sides, of_scenes=tuple(of_scenes), basis=basis, breaks=tuple(breaks))


def _state(chance: float) -> str:
    return "won" if chance > 50 else "drawn" if chance == 50 else "lost"
