"""How true "better with 0.99" is, and 95 % intervals are: `python benchmarks/calibration.py
[leagues]`, 60 unless told.

Fields of 12 bots are played by dice, as a round robin and as a ladder, which chooses its matches by
results. `covered`: the share of the intervals that hold the true strength. Then, of the pairs of
whom arena says that one is better with a chance in this range: their share of all pairs, what arena
says on average, and how often it is so. Of equal bots each is better in half of the cases, so there
the share of the pairs is what counts.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command `arena` does

import numpy as np
from formats import arrays_of, paired, played
from tables import print_table

from arena import parallel
from arena.event.schedules import ladder, round_robin
from arena.results import ratings

BOTS = 12
REFITS = 400
FIELDS = {"spread out": 1.0, "close": 0.3, "nearly equal": 0.05, "equal": 0.0}
"""The standard deviation of the strengths, in logits."""
PLANS = {
    "round robin, 264 matches": (round_robin, {"repeats": 2}),
    "round robin, 1,320": (round_robin, {"repeats": 10}),
    "ladder, 640": (ladder, {"rounds": 40}),
}
RANGES = ((0.8, 0.95), (0.95, 0.99), (0.99, 1.01))


def league(task: tuple[str, str, int]) -> tuple[list[bool], list[float], list[float]]:
    """Play a league; return which intervals hold the truth, and of each pair the chance of the
    better and the truth.
    """
    field, plan, number = task
    schedule, more = PLANS[plan]
    name = schedule.__name__.rpartition(".")[2]
    event = replace(paired.event(name, BOTS, seed_order=(), **more), seed=number)
    strength = paired.strengths(event, number, FIELDS[field])
    matches = played(event, schedule, strength, frozenset())
    found = ratings.find("bradley_terry").rate(arrays_of(matches), seed=number, refits=REFITS)
    truth = np.array([strength[rating.bot] for rating in found.ratings])
    held = [
        rating.strength.low <= value <= rating.strength.high
        for rating, value in zip(found.ratings, truth - truth.mean(), strict=True)
    ]
    row, column = np.triu_indices(BOTS, 1)
    chance, right = found.better[row, column], 0.5 + 0.5 * np.sign(truth[row] - truth[column])
    right = np.where(chance < 0.5, 1 - right, right)
    return held, np.maximum(chance, 1 - chance).tolist(), right.tolist()


def rows(leagues: int) -> Iterator[list[str]]:
    """Yield a row for each field and schedule."""
    for field in FIELDS:
        for plan in PLANS:
            every = [
                *parallel.parallel_map(league, [(field, plan, number) for number in range(leagues)])
            ]
            held, chance, right = (np.concatenate(column) for column in zip(*every, strict=True))
            row = [field, plan, f"{held.mean():.1%}"]
            for low, high in RANGES:
                here = (chance >= low) & (chance < high)
                figures = f"{here.mean():.1%}"
                if here.any():
                    figures += f": {chance[here].mean():.3f}, {right[here].mean():.3f}"
                row.append(figures)
            yield row


def main(leagues: int) -> None:
    """Print the table."""
    ranges = [f"{low:g} to {min(high, 1):g}" for low, high in RANGES]
    title = f"{leagues} fields of {BOTS} bots a row"
    print_table(title, ["field", "schedule", "covered", *ranges], rows(leagues))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
