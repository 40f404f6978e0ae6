"""Convergence of the ratings: the ratings after one part of the matches, after two parts, and so on.

The parts are cut by repeat and then by seed, so that each is a fair mixture of boards and pairs, and the same whatever
the order in which matches happened to end.
"""

from operator import attrgetter

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.curves import curves
from arena.results.leaderboard import Results
from arena.results.ratings import find

PARTS = 8
MANY = 100  # bots; of more there are as few parts as can be: to rate 300 takes 12 s of a core, each time
REFITS = 100  # of a part: its interval is a shade on the picture, and in no table
FEWEST = 4  # parts: fewer make no curve


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each part of the schedule and `bot`: `matches`, `rating`, `rating_low`, `rating_high`."""
    rule, seed = find(results.rating), results.event.resampling_seed
    rows: list[tuple[object, ...]] = []
    arrays = results.arrays
    # The legs of a pair have one seed, so they are one block, and a part has whole blocks.
    order = np.lexsort((arrays.seed, arrays.repeat))
    new = np.diff(arrays.seed[order], prepend=-1) != 0
    block = np.empty_like(order)
    block[order] = np.cumsum(new) - 1
    count = int(new.sum())
    parts = PARTS if len(arrays.coded(attrgetter("bot"))[0]) <= MANY else FEWEST
    for share in sorted({-(-count * part // parts) for part in range(1, parts + 1)} if count >= FEWEST else ()):
        counted, part = block < share, results.ratings
        if not counted.all():
            part = results.on_scale(rule.rate(arrays.select(counted), seed=seed, refits=REFITS))
        rows += ((int(counted.sum()), rating.bot, *rating.strength) for rating in part.ratings)
    return pd.DataFrame(rows, columns=["matches", "bot", "rating", "rating_low", "rating_high"])


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel for each of the best bots: its rating over the number of matches, with its 95 % interval."""
    if frame["matches"].nunique() < FEWEST or frame["bot"].nunique() < 2:
        return Nothing("too few matches")
    subtitle = "Rating after the first matches, more and more of them, with its 95 % interval"
    return curves(frame, about, "matches", "how the ratings settle", subtitle)
