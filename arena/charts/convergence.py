"""Convergence of the ratings: after one part of the matches, after two parts, and so on.

The parts are cut by repeat and then by seed, so that each is a fair mixture of boards and pairs,
and the same whatever the order in which matches happened to end.
"""

from collections.abc import Iterator
from operator import attrgetter

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.curves import curves
from arena.results.leaderboard import Results
from arena.results.ratings import Rating, find

PARTS = 8
MANY = 100  # bots; with more there are the fewest parts: to rate 300 takes 12 s of a core
REFITS = 100  # of a part: its interval is a shade on the picture, and in no table
FEWEST = 4  # parts: fewer make no curve


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `game`, part of its matches and `bot`.

    It has the number of `matches`, the `rating`, `rating_low` and `rating_high`.
    """
    rows: list[tuple[object, ...]] = []
    for league in results.leagues:
        for matches, rating in _parts(league):
            value, low, high = rating.strength
            row = (
                league.game,
                matches,
                rating.bot,
                value,
                low,
                high,
            )
            rows.append(row)
    columns = ["game", "matches", "bot", "rating", "rating_low", "rating_high"]
    return pd.DataFrame(rows, columns=columns)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel for each of the best bots: its rating over the matches, with its interval."""
    if not len(frame):
        return Nothing("too few matches")
    subject = "how the ratings settle"
    subtitle = "Rating after the first matches, more and more of them, with its 95 % interval"
    return curves(frame, about, "matches", subject, subtitle)


def _parts(league: Results) -> Iterator[tuple[int, Rating]]:
    """Yield the number of matches of each part, with each rating after it.

    Yield nothing for too few matches, or for fewer than two bots.
    """
    arrays = league.arrays
    # The legs of a pair have one seed, so they are one block, and a part has whole blocks.
    order = np.lexsort((arrays.seed, arrays.repeat))
    seeds_in_order = arrays.seed[order]
    starts = np.diff(seeds_in_order, prepend=-1) != 0
    block_in_order = np.cumsum(starts) - 1
    block = np.empty_like(order)  # of each match, in the order of the arrays
    block[order] = block_in_order
    block_count = int(starts.sum())
    bots, _ = arrays.coded(attrgetter("bot"))
    if block_count < FEWEST or len(bots) < 2:
        return

    rule = find(league.rating, prior=league.event.has_prior)
    seed = league.event.resampling_seed
    parts = PARTS
    if len(bots) > MANY:
        parts = FEWEST
    ends = set()
    for part in range(1, parts + 1):
        end = -(-block_count * part // parts)  # rounded up
        ends.add(end)
    for end in sorted(ends):
        counted = block < end
        ratings = league.ratings
        if not counted.all():
            part_of_matches = arrays.select(counted)
            rated = rule.rate(part_of_matches, seed=seed, refits=REFITS)
            ratings = league.on_scale(rated)
        matches = int(counted.sum())
        for rating in ratings.ratings:
            yield matches, rating
