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
from arena.results.ratings import find

PARTS = 8
MANY = 100  # bots; with more there are the fewest parts: to rate 300 takes 12 s of a core
REFITS = 100  # of a part: its interval is a shade on the picture, and in no table
FEWEST = 4  # parts: fewer make no curve


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `game`, part of its matches and `bot`.

    It has the number of `matches`, the `rating`, `rating_low` and `rating_high`.
    """
    rows = [(league.game, *row) for league in results.leagues for row in _parts(league)]
    return pd.DataFrame(
        rows, columns=["game", "matches", "bot", "rating", "rating_low", "rating_high"]
    )


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel for each of the best bots: its rating over the matches, with its interval."""
    if not len(frame):
        return Nothing("too few matches")
    subtitle = "Rating after the first matches, more and more of them, with its 95 % interval"
    return curves(frame, about, "matches", "how the ratings settle", subtitle)


def _parts(league: Results) -> Iterator[tuple[object, ...]]:
    """Yield the ratings after each part; none of too few matches, or of fewer than two bots."""
    arrays = league.arrays
    # The legs of a pair have one seed, so they are one block, and a part has whole blocks.
    order = np.lexsort((arrays.seed, arrays.repeat))
    new = np.diff(arrays.seed[order], prepend=-1) != 0
    block = np.empty_like(order)
    block[order] = np.cumsum(new) - 1
    count, bots = int(new.sum()), len(arrays.coded(attrgetter("bot"))[0])
    if count < FEWEST or bots < 2:
        return
    rule, seed = find(league.rating), league.event.resampling_seed
    parts = PARTS if bots <= MANY else FEWEST
    for share in sorted({-(-count * part // parts) for part in range(1, parts + 1)}):
        counted, part = block < share, league.ratings
        if not counted.all():
            part = league.on_scale(rule.rate(arrays.select(counted), seed=seed, refits=REFITS))
        yield from ((int(counted.sum()), rating.bot, *rating.strength) for rating in part.ratings)
