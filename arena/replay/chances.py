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
from arena.games.quality import MoveQuality, PerfectPlay
from arena.protocol import clean
from arena.replay.like_positions import LikePositions, best_scores, shares
from arena.replay.replayer import Scene
from arena.values import Record

BREAK = 20
"""A turn in which the chance of a side falls by so many per cent points breaks the line."""
MOST_BREAKS = 8
"""Only the largest falls are marked, of equal falls the later turn; and a forfeit."""
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
    game: Game[Any],
    record: Record,
    scenes: Sequence[Scene],
    like: LikePositions | None = None,
) -> Chances | None:
    """Return the chances of a match; None where nothing tells them.

    That is so where its board is not solved and nothing is known of like positions. The scenes are
    those of the whole match, with or without the quality of moves.
    """
    sides = tuple(map(tuple, game.sides))
    roles = set(game.roles)
    seated = {seat.role for seat in record.match.seats}
    if len(sides) < 2 or record.sides != sides:
        return None  # a record may come from anybody
    if set(record.verdict.scores) != roles or seated != roles:
        return None

    assessor = PerfectPlay.of(game)
    if assessor is not None:
        of_scenes = _exact(assessor, record, scenes)
        return _with_breaks(record, scenes, sides, of_scenes, EXACT)
    if like is None:
        return None

    facts = [scene.facts for scene in scenes]
    movers = []
    for scene in scenes[1:]:
        roles_of_turn = [turn.role for turn in scene.turns]
        movers.append(roles_of_turn)
    at_fault = {fault.role for fault in record.verdict.faults}
    movers.append(sorted(at_fault))
    states = zip(facts, movers, strict=True)
    of_scenes = like.chances(game, record.match, states)
    if not record.verdict.faults:
        of_scenes[-1] = shares(record.verdict.scores, sides)
    return _with_breaks(record, scenes, sides, of_scenes, like.basis)


def _exact(
    assessor: PerfectPlay,
    record: Record,
    scenes: Sequence[Scene],
) -> list[tuple[float, ...]]:
    """Return the chances on a solved board.

    There the loss of each move leads from one value to the next.
    """
    qualities: list[MoveQuality] = []
    for scene in scenes:
        qualities.extend(scene.qualities)
    losses = iter(qualities or assessor.of_turns(record.turns))

    first_side = assessor.game.sides[0]
    start = assessor.game.start()
    score = assessor.worth(start).score  # of the first side
    of_scenes: list[tuple[float, ...]] = []
    for scene in scenes:
        for turn, quality in zip(scene.turns, losses, strict=False):
            if turn.role in first_side:
                score -= quality.points
            else:
                score += quality.points
        chance = 50.0
        if score > DRAW:
            chance = 100.0
        elif score < DRAW:
            chance = 0.0
        of_scenes.append((chance, 100 - chance))
    return of_scenes


def _with_breaks(
    record: Record,
    scenes: Sequence[Scene],
    sides: tuple[tuple[Role, ...], ...],
    of_scenes: Sequence[tuple[float, ...]],
    basis: str,
) -> Chances:
    """Return the chances with the turns in which they broke."""
    breaks = []
    for index in range(1, len(scenes)):
        scene = scenes[index]
        before = of_scenes[index - 1]
        after = of_scenes[index]
        falls = [old - new for old, new in zip(before, after, strict=True)]
        fall = max(falls)
        if fall < BREAK:
            continue

        side = falls.index(fall)
        change = _change(scene, sides[side], before[side], after[side], basis)
        sentence = f"turn {scene.number}: {change}"
        turning_point = Break(
            scene=index,
            side=side,
            fall=fall,
            sentence=clean(sentence, SENTENCE),
        )
        breaks.append(turning_point)

    breaks.sort(key=lambda turning: (-turning.fall, -turning.scene))
    largest = breaks[:MOST_BREAKS]
    largest.sort(key=lambda turning: turning.scene)
    if record.verdict.faults:
        last = len(scenes) - 1
        largest.append(_forfeit(record, last, sides, of_scenes[-1]))
    return Chances(
        sides=sides,
        of_scenes=tuple(of_scenes),
        basis=basis,
        breaks=tuple(largest),
    )


def _change(
    scene: Scene,
    side: Sequence[Role],
    before: float,
    after: float,
    basis: str,
) -> str:
    """Return what the moves of a turn did to the chance of a side, in words."""
    texts = []
    for number, turn in enumerate(scene.turns):
        texts.append(f"{turn.role} {scene.move(number)}")
    moves = ", ".join(texts)
    if basis == EXACT:
        return f"{moves} turns a {_state(before)} position into a {_state(after)} one"
    roles = " and ".join(side)
    return f"{moves}: the chance of {roles} falls from {before:.0f} to {after:.0f} %"


def _forfeit(
    record: Record,
    scene: int,
    sides: tuple[tuple[Role, ...], ...],
    chances: tuple[float, ...],
) -> Break:
    """Return the break of a forfeit after the last scene, whose chances it has."""
    scores = record.verdict.scores
    best = best_scores(scores, sides)
    loser = best.index(min(best))
    chance = chances[loser]
    faults = []
    for fault in record.verdict.faults:
        ending = fault.ending.value.replace("_", " ")
        faults.append(f"{fault.role} ({ending})")
    reason = ", ".join(faults)
    sentence = f"a forfeit ends the match, by {reason}, at a chance of {chance:.0f} %"
    return Break(
        scene=scene,
        side=loser,
        fall=chance,
        sentence=clean(sentence, SENTENCE),
    )


def _state(chance: float) -> str:
    """Return what a chance is called on a solved board."""
    if chance > 50:
        return "won"
    if chance < 50:
        return "lost"
    return "drawn"
