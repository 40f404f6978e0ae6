"""The frames of cycles, with their columns."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from arena.extras.cycles.finding import Cycles, cycles_of
from arena.results.columns import BOT_AND_OPPONENT, Column, Columns
from arena.results.leaderboard import Results

CYCLES = Columns(
    Column("game", "The game"),
    Column("triples", "Triples of bots"),
    Column("share", "The share of them in which A beats B, B beats C and C beats A", "0 to 1"),
    *(
        Column(
            name,
            "Its 95 % interval; among equal bots a quarter of all triples are cycles by chance",
            "0 to 1",
        )
        for name in ("low", "high")
    ),
    Column(
        "proven",
        "Pairs of bots in which one surely beats the other, and which are in a cycle of such pairs",
    ),
)
BEATEN = Columns(
    Column("game", "The game"),
    *BOT_AND_OPPONENT,
    Column("blocks", "Meetings of the two; the matches of one seed are one meeting"),
    Column("result", "The mean result of `bot` in them: half of it is a draw", "%"),
)


Found = Sequence[tuple[Results, Cycles]]
"""The results of each game, with its cycles."""


def cycles(results: Results) -> pd.DataFrame:
    """Return a row for each game: the share of triples of bots that are cycles, and its 95 % interval."""
    return shares_of(found_in(results))


def beaten_in_cycles(results: Results) -> pd.DataFrame:
    """Return a row for each bot and opponent that it surely beats, best first, in proven cycles; often no row.

    All pairs of a game are proven together, at 95 %.
    """
    return beaten_of(found_in(results))


def found_in(results: Results) -> Found:
    """Find the cycles of each game, which takes a bootstrap."""
    return [
        (league, cycles_of(league.arrays, seed=league.event.resampling_seed))
        for league in results.leagues
    ]


def shares_of(cycles: Found) -> pd.DataFrame:
    """Return the rows of `cycles`."""
    rows = []
    for league, of_league in cycles:
        bots = len(of_league.bots)
        triples = bots * (bots - 1) * (bots - 2) // 6
        rows.append((league.game, triples, *of_league.share, int(of_league.proven.sum())))
    return pd.DataFrame(rows, columns=CYCLES.names)


def beaten_of(cycles: Found) -> pd.DataFrame:
    """Return the rows of `beaten_in_cycles`."""
    rows: list[tuple[object, ...]] = []
    for league, of_league in cycles:
        order = [standing.bot for standing in league.standings]
        rows += _rows_of(of_league, league.game, order)
    return pd.DataFrame(rows, columns=BEATEN.names)


def _rows_of(cycles: Cycles, game: str | None, order: Sequence[str]) -> list[tuple[object, ...]]:
    """Return a row for each proven pair of bots, in this order of bots."""
    rank = {bot: number for number, bot in enumerate(order)}
    pairs = []
    for row, column in np.argwhere(cycles.proven).tolist():
        pairs.append((rank[cycles.bots[row]], rank[cycles.bots[column]], row, column))
    rows: list[tuple[object, ...]] = []
    for _, _, row, column in sorted(pairs):
        meetings = int(cycles.payoffs.blocks[row, column])
        result = 100 * float(cycles.payoffs.mean[row, column])
        rows.append((game, cycles.bots[row], cycles.bots[column], meetings, result))
    return rows
