"""Bradley-Terry with roles: strengths in logits, the average bot at 0. The model is told in `fitting/model.py`.

A bot that is stronger by 1 than the other side scores 73 where roles are even; by 2, 88; by 3, 95.
"""

import numpy as np

from arena.ratings import REFITS, Ratings, Strength
from arena.ratings.fitting.columns import Columns, Floats
from arena.ratings.fitting.evidence import Evidence, evidence
from arena.ratings.fitting.learn import learn
from arena.ratings.fitting.model import Model, model_of
from arena.ratings.fitting.prior import means
from arena.ratings.fitting.refits import refits as refitted
from arena.ratings.fitting.uncertainty import ratings_of, strengths


def rate(columns: Columns, *, seed: int = 0, refits: int = REFITS) -> Ratings:
    """Rate all bots of these matches; a bot's strength is the mean over every (board, role) of the event."""
    seen = evidence(columns)
    model = model_of(seen)
    found = learn(model)
    draws = np.column_stack((found.unknowns, refitted(seen, found, refits, np.random.default_rng(abs(seed)))))
    overall = means(model, found.spread, len(seen.bots), len(seen.places)) @ draws
    overall -= overall[seen.played > 0].mean(axis=0, keepdims=True) if model.size else 0
    return ratings_of("logits", seen, overall, _roles(model, seen, draws), _advantages(model, seen, draws))


def _roles(model: Model, seen: Evidence, draws: Floats) -> dict[tuple[int, int], Strength]:
    """Each bot's strength in each place, the average bot of the place at 0."""
    own = draws[len(model.advantages) :] - _average(model, seen, draws)[model.place]
    places = zip(model.bot.tolist(), model.place.tolist(), strict=True)
    return dict(zip(places, strengths(own), strict=True))


def _advantages(model: Model, seen: Evidence, draws: Floats) -> dict[int, Strength]:
    """The advantage of each place when average bots meet."""
    average, count = _average(model, seen, draws), len(model.advantages)
    rows = []
    for number in range(count):
        score = int(np.argmax(model.unknown[:, 0] == number))
        used = np.flatnonzero(model.factor[score, 1:]) + 1
        there = model.place[model.unknown[score, used] - count]
        rows.append(draws[number] + model.factor[score, used] @ average[there])
    told = strengths(np.array(rows).reshape(count, draws.shape[1]))
    found = dict(zip(model.advantages.tolist(), told, strict=True))
    for label in seen.opposed:
        sides = {place.side: number for number, place in reversed(list(enumerate(seen.places))) if place.label == label}
        value, low, high = found[sides[min(sides)]]
        found[sides[max(sides)]] = Strength(-value, -high, -low)
    return found


def _average(model: Model, seen: Evidence, draws: Floats) -> Floats:
    """The mean strength of the bots of each place."""
    total = np.zeros((len(seen.places), draws.shape[1]))
    np.add.at(total, model.place, draws[len(model.advantages) :])
    return total / np.maximum(np.bincount(model.place, minlength=len(seen.places)), 1)[:, None]
