"""The rule `stop_when`: whether the order of the bots is certain enough to end an event early.

This module looks at ratings only. It knows no schedule and no worker, and plan.py decides when to
look. The other reasons why a run ends early are in director.py (`RunPhase`).
results/leaderboard/stop_words.py says in words why an event ended.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from arena.results import ratings
from arena.results.ranked import ranked_bots
from arena.values import Event, OpenRanks

if TYPE_CHECKING:
    from arena.results.arrays import Arrays, Floats

# The rule
# --------
# A rule that looks at an event again and again, and stops as soon as two bots are 95 % apart, is
# wrong far more often than in 5 % of the events: each look is another chance for luck. Two
# corrections were compared (benchmarks/stopping.py measures both):
#
# - Alpha spending (Lan and DeMets, 1983): each look may use a part of the 5 %, by the share of the
#   plan that was played. It is the sharper rule at the end of a plan. But the shares need a fixed
#   end: an organiser who raises `repeats` later has already spent the 5 %, and a ladder has no end
#   at all.
# - Bounds that are valid at all times (Robbins, 1970: the normal mixture): one bound for any number
#   of looks, which needs no end. It is used here, because an event may always be extended.
#
# Let z be the difference of two bots' strengths, divided by its standard deviation over the refits
# of the fit, and t the information, which grows with the matches a bot played, without copies.
# Under the mixture with weight r,
#
#     z^2 > (1 + r/t) * (log(1 + t/r) + 2 log(1/a))
#
# holds at any look with a chance of at most `a` if the bots are equal. The bound is nearly flat in
# t. With r = 10 matches a bot it is narrowest where events with close bots are decided, at some 20
# to 2,000 matches each.
#
# Many pairs. "The order is certain" when *all* pairs are apart, also those that are not neighbours.
# If the order is wrong, then two bots that are neighbours in the true order are the wrong way
# round, and there are only n - 1 such pairs. So a = (1 - confidence) / (n - 1) keeps the promise
# for the whole order, however the pairs depend on each other. "The best is certain" when the first
# bot is apart from all others: if it is not the best, it was wrongly put above the best bot, which
# again is an error in one of n - 1 pairs.
#
# Several games. Each game has its own order, of the bots that have a rank there
# (results/ranked.py), from its own matches; a rule holds when it holds in each game. So the
# neighbours of all games together share the 1 - confidence. A game in which no bot has a rank has
# no order to wait for. If this is so in all games, no rule ever holds.
#
# The bound assumes that z is normal and that its deviation is known, which is true for many matches
# only. So nothing is certain before each bot has played FEWEST matches.

REFITS = 400
"""The draws of each fit, which give a standard deviation to 4 %."""
BEST_MATCHES = 10
"""r in the bound, in matches a bot."""
FEWEST = 6
"""The matches that each bot must have played; those that repeat others do not count."""
LEAST_VARIANCE = 1e-12
STEP = 1.1
"""The factor between the complete parts (repeats or batches) at two looks: while the parts double,
there are eight fits, and a stop is late by a tenth at most."""

ORDER = "order is certain"
BEST = "best is certain"


def next_look(parts: int) -> int:
    """Return after how many complete parts of a plan to look next, after a look at `parts`."""
    return max(parts + 1, int(parts * STEP))


class StopRule:
    """The rule of one event, with the bots that have a rank in each of its games."""

    def __init__(self, event: Event) -> None:
        self._stop_when = event.stop_when
        self._confidence = event.confidence
        self._leagues: dict[str, Event] = {}
        """Each game of the event, as an event."""
        self._ranked: dict[str, frozenset[str]] = {}
        """The bots of each game that have a rank there."""
        self._neighbours = 0
        """The number of bots of all games that are neighbours in the order of their game."""
        for game in event.games:
            league = event.league(game)
            ranked = ranked_bots(league)
            self._leagues[game] = league
            self._ranked[game] = ranked
            self._neighbours += max(0, len(ranked) - 1)

    def holds(self, still_open: Sequence[OpenRanks]) -> bool:
        """Return whether `stop_when` ends the event when these ranks are open."""
        if not any(self._ranked.values()):
            return False
        if self._stop_when == ORDER:
            return not still_open
        return all(ranks.first > 1 for ranks in still_open)

    def open_ranks(
        self, arrays: "Arrays | None", absent: Collection[tuple[str, str]] = ()
    ) -> tuple[OpenRanks, ...]:
        """Return the ranks that these matches leave open, game by game, best first.

        They are runs of bots that are not all apart. `absent` has (game, bot) for each bot that
        never said `ready`: it stands behind all others, so no rank waits for it.
        """
        still_open: list[OpenRanks] = []
        for game, league in self._leagues.items():
            present = {bot for bot in self._ranked[game] if (game, bot) not in absent}
            order: list[str] = []
            closed: list[bool] = []
            if present and arrays is not None:
                played = arrays.of_game(game)
                if len(played.seed):
                    order, closed = self._decided(league, played, present)
            order += sorted(present.difference(order))  # the bots that have not played
            gaps = len(order) - 1
            closed += [False] * (gaps - len(closed))

            game_name = ""
            if len(self._leagues) > 1:
                game_name = game
            for ranks in runs(order, closed):
                still_open.append(replace(ranks, game=game_name))
        return tuple(still_open)

    def _decided(
        self,
        league: Event,
        arrays: "Arrays",
        present: Collection[str],
    ) -> tuple[list[str], list[bool]]:
        """Return the bots of a game that have played, best first, and which gaps are closed."""
        names, squares, matches = pairs(league, arrays, present)
        least = bound(matches, self._confidence, self._neighbours)
        is_apart = (squares > least) & (matches >= FEWEST)
        closed: list[bool] = []
        for index in range(1, len(names)):
            # A gap is closed if all bots above it are apart from all below.
            across = is_apart[:index, index:]
            closed.append(bool(across.all()))
        return list(names), closed


def bound(matches: "Floats", confidence: float, neighbours: int) -> "Floats":
    """Return how large the square of z must be after these numbers of matches a bot."""
    import numpy as np

    share = BEST_MATCHES / np.maximum(matches, FEWEST)  # r/t
    error = (1 - confidence) / max(1, neighbours)  # a
    growth = np.log(1 + 1 / share)
    logarithms = growth - 2 * log(error)
    return np.asarray((1 + share) * logarithms)


def pairs(
    event: Event,
    arrays: "Arrays",
    ranked: Collection[str],
) -> tuple[tuple[str, ...], "Floats", "Floats"]:
    """Compare every two bots of `ranked` in an event of one game.

    Return the names, best first, and two N x N tables with a row for one bot and a column for the
    other. The first table has z^2, which is the square of the difference in strength over its
    variance, or 0 where the row's bot is not ahead. The second table has the number of matches of
    the bot that played fewer; copies do not count.
    """
    import numpy as np

    from arena.results.ratings.fitting.match_totals import add_up

    rule = ratings.find(event.rating, prior=event.has_prior)
    fitted = rule.rate(arrays, seed=event.resampling_seed, refits=REFITS)
    rows: list[int] = []
    names: list[str] = []
    values: list[float] = []
    for row, rating in enumerate(fitted.ratings):
        if rating.bot in ranked:
            rows.append(row)
            names.append(rating.bot)
            values.append(rating.strength.value)

    totals = add_up(arrays)
    played_different = totals.played_different.tolist()
    matches_of = dict(zip(totals.bots, played_different, strict=True))
    matches = np.array([matches_of[name] for name in names], dtype=np.float64)  # N
    fewer_matches = np.minimum(matches[:, None], matches)  # N x N

    covariance = np.cov(fitted.resamples[rows])
    covariance = np.atleast_2d(covariance)  # N x N
    variances = np.diag(covariance)
    sums = variances[:, None] + variances  # N x N
    variance = sums - 2 * covariance  # of the difference, N x N
    variance = np.maximum(variance, LEAST_VARIANCE)
    strengths = np.array(values)
    lead = strengths[:, None] - strengths  # N x N
    squares = lead**2 / variance

    both = np.ix_(rows, rows)
    bounded = fitted.bounded[both]  # where it is False, the draws show the prior only
    is_ahead = bounded & (lead > 0)
    squares = np.where(is_ahead, squares, 0.0)
    return tuple(names), squares, fewer_matches


def runs(names: Sequence[str], closed: Sequence[bool]) -> tuple[OpenRanks, ...]:
    """Return the runs of two bots or more between closed gaps.

    `closed` has a mark for each two neighbours.
    """
    ends = [index for index, mark in enumerate(closed, 1) if mark]
    ends.append(len(names))
    open_runs = []
    start = 0
    for end in ends:
        if end - start > 1:
            bots = tuple(names[start:end])
            open_runs.append(OpenRanks(first=start + 1, last=end, bots=bots))
        start = end
    return tuple(open_runs)
