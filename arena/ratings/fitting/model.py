"""The model as numbers: which strengths meet in which score, and how far a strength is believed to stray.

    logit(score / 100) = advantage(role on board) + strength(bot, role) - mean strength of the other side

is the paired comparison model of Zermelo (1929) and of Bradley and Terry (1952), with their "home" advantage (Agresti,
Categorical Data Analysis, 11.6) for each role, and a score in between counted in between (the quasi-likelihood of
Papke and Wooldridge, 1996). With several roles a side its strength is the mean of its bots', as Huang, Weng and Lin
(2006) rate teams. A side whose roles always score alike is one score, not several; where what one side won the
other lost, the second says nothing new and is left out.

It owns which unknowns stand in which score, not how they are found.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.ratings.fitting.columns import Floats, Ints
from arena.ratings.fitting.evidence import Evidence


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """N scores that say something about P unknowns: first the advantages, then the strengths that occur."""

    unknown: Ints
    """N x K: the unknowns in a score; where there are fewer than K, 0 with the factor 0."""
    factor: Floats
    """N x K: what each is multiplied by."""
    seating: Ints
    """N: the seating that scored."""
    role: Ints
    """N: whose score it is, as a column of the evidence."""
    share: Floats
    """N: how much of its side's score it is."""
    matches: Floats
    """N: how many matches of the seating count."""
    mean: Floats
    """N: the mean score, 0 to 1."""
    square: Floats
    """N: the mean of the squared score."""
    other: Ints
    """N x K: the scores of the other sides in the same matches, or the score itself where there are none."""
    product: Floats
    """N x K: the mean of the score times each of those."""
    advantages: Ints
    """A: the place of each advantage; a side that scores as one has one, under its first role's place."""
    bot: Ints
    """P - A: the bot of each strength."""
    place: Ints
    """P - A: the place of each strength."""

    @property
    def size(self) -> int:
        """P."""
        return len(self.advantages) + len(self.bot)


def model_of(seen: Evidence) -> Model:
    """The scores of these matches, by seating and by role, or by side where a side scores as one."""
    depth = seen.seats.shape[1]
    seatings: list[Ints] = []
    roles: list[Ints] = []
    shares: list[Floats] = []
    factors: list[Floats] = []
    boards, board = np.unique(seen.where, axis=0, return_inverse=True)
    for number, where in enumerate(boards):
        own = np.flatnonzero(board == number)
        for role, part, by in _scores(seen, where):
            seatings.append(own)
            roles.append(np.full(len(own), role))
            shares.append(np.full(len(own), part))
            factors.append(np.tile(by, (len(own), 1)))
    seating = np.concatenate([np.zeros(0, np.int64), *seatings])
    column = np.concatenate([np.zeros(0, np.int64), *roles])
    factor = np.concatenate([np.zeros((0, depth)), *factors])
    advantages, first = np.unique(seen.where[seating, column], return_inverse=True)
    code = seen.where[seating] * len(seen.bots) + seen.seats[seating]
    strengths, second = np.unique(code[factor != 0], return_inverse=True)
    unknown = np.zeros((len(seating), depth + 1), dtype=np.int64)
    unknown[:, 0] = first
    unknown[:, 1:][factor != 0] = second + len(advantages)
    other, product = _others(seen, seating, column)
    return Model(
        unknown=unknown,
        factor=np.column_stack((np.ones(len(seating)), factor)),
        seating=seating,
        role=column,
        share=np.concatenate([np.zeros(0), *shares]),
        matches=seen.different[seating].astype(np.float64),
        mean=seen.scores[seating, column] / (100.0 * seen.matches[seating]),
        square=seen.products[seating, column, column] / (10000.0 * seen.matches[seating]),
        other=other,
        product=product,
        advantages=advantages,
        bot=strengths % max(1, len(seen.bots)),
        place=strengths // max(1, len(seen.bots)),
    )


def _scores(seen: Evidence, where: Ints) -> Iterator[tuple[int, float, Floats]]:
    """Each score of a board: the role whose it is, its share of a match, and what each role's strength does to it."""
    sides: dict[tuple[str, int], list[int]] = {}
    for column, place in enumerate(where[where >= 0]):
        sides.setdefault((seen.places[place].label, seen.places[place].side), []).append(column)
    against = np.zeros(len(where))
    for roles in sides.values():
        against[roles] = -1 / (len(roles) * max(1, len(sides) - 1))
    for side, roles in sides.items():
        together = side in seen.shared
        if side[0] in seen.opposed and side[1] != min(number for _, number in sides):
            continue
        for own in [roles] if together else [[role] for role in roles]:
            factor = against.copy()
            factor[roles] = 0
            factor[own] = 1 / len(own)
            yield own[0], 1 if together else 1 / len(roles), factor


def _others(seen: Evidence, seating: Ints, column: Ints) -> tuple[Ints, Floats]:
    """N x K: which scores are other sides' in the same matches, and the mean product with them."""
    rows, depth = np.arange(len(seating)), seen.seats.shape[1]
    score = np.full(seen.seats.shape, -1)
    score[seating, column] = rows
    side = np.array([place.side for place in seen.places], dtype=np.int64)[seen.where]
    there = (score[seating] >= 0) & (side[seating] != side[seating, column][:, None])
    mean = seen.products[seating, column] / (10000.0 * seen.matches[seating])[:, None]
    return np.where(there, score[seating], np.tile(rows[:, None], depth)), mean
