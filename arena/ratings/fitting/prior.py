"""What is believed before any match: a bot has a mean strength, and in each (board, role) something of its own besides.

Both stray normally about 0, which is a ridge: little is made of little, and a bot that always wins gets a figure. The
average bot is 0. It owns the two spreads and what they make of strengths, not how the spreads are found.
"""

from dataclasses import dataclass

import numpy as np

from arena.ratings.fitting.columns import Floats
from arena.ratings.fitting.model import Model

ADVANTAGE = 3.0
"""How far a role's advantage is believed to stray from none, in logits: wide, to bound only a role that always wins."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Standard deviations, in logits: of the bots' mean strengths, and of what is special to a role of a bot."""

    bots: float = 2.0
    roles: float = 0.5


def precision(model: Model, spread: Spread) -> Floats:
    """P x P: a bot's strengths share its mean, so they are drawn towards each other and, together, to 0."""
    count = len(model.advantages)
    same = model.bot[:, None] == model.bot[None, :]
    drawn = pull(model, spread)[model.bot]
    matrix = np.zeros((model.size, model.size))
    matrix[:count, :count] = np.eye(count) / ADVANTAGE**2
    matrix[count:, count:] = (np.eye(len(model.bot)) - same * drawn[:, None]) / spread.roles**2
    return matrix


def pull(model: Model, spread: Spread) -> Floats:
    """What each of a bot's strengths tells of its mean, by bot."""
    told = spread.bots**2 / (spread.roles**2 + np.bincount(model.bot) * spread.bots**2)
    return np.asarray(told)


def means(model: Model, spread: Spread, bots: int, places: int) -> Floats:
    """Bots x P: what turns the unknowns into each bot's mean strength over all places.

    Where a bot never played, its strength is its mean as the other places tell it.
    """
    by = (1 + (places - np.bincount(model.bot)) * pull(model, spread)) / max(places, 1)
    turn = np.zeros((bots, model.size))
    turn[model.bot, len(model.advantages) + np.arange(len(model.bot))] = by[model.bot]
    return turn
