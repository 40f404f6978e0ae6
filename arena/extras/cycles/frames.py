"""The frames of cycles, with their columns."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from arena.extras.cycles.finding import Cycles, cycles_of
from arena.results.columns import BOT_AND_OPPONENT, Column, Columns
from arena.results.leaderboard import Results

INTERVAL = "Its 95 % interval; among equal bots a quarter of all triples are cycles by chance"
CYCLES = Columns(
    Column("game", "The game"),
    Column("triples", "Triples of bots"),
    Column("share", "The share of them in which A beats B, B beats C and C beats A", "0 to 1"),
    Column("low", INTERVAL, "0 to 1"),
    Column("high", INTERVAL, "0 to 1"),
    Column(
        "proven",
        "Pairs of bots in which one surely beats the other, and which are in a cycle of such pairs",
    ),
)
BEATEN = Columns(
    Column("game", "The game"),
    BOT_AND_OPPONENT,
    Column("blocks", "Meetings of the two; the matches of one seed are one meeting"),
    Column("result", "The mean result of `bot` in them: half of it is a draw", "%"),
)

CyclesByGame = Sequence[tuple[Results, Cycles]]
"""The results of each game, with its cycles."""


def cycles(results: Results) -> pd.DataFrame:
    """Return a row for each game: the share of triples that are cycles, and its 95 % interval."""
    return shares_of(cycles_by_game(results))


def beaten_in_cycles(results: Results) -> pd.DataFrame:
    """Return a row for each bot and opponent that it surely beats in proven cycles, best first.

    Often there is no row. All pairs of a game are proven together, at 95 %.
    """
    return beaten_of(cycles_by_game(results))


def cycles_by_game(results: Results) -> CyclesByGame:
    """Find the cycles of each game, which takes a bootstrap."""
    by_game = []
    for league in results.leagues:
        cycles = cycles_of(league.arrays, seed=league.event.resampling_seed)
        by_game.append((league, cycles))
    return by_game


def shares_of(by_game: CyclesByGame) -> pd.DataFrame:
    """Return the rows of `cycles`."""
    rows = []
    for league, cycles in by_game:
        bots = len(cycles.bots)
        triples = bots * (bots - 1) * (bots - 2) // 6
        proven = int(cycles.proven.sum())
        row = (
            league.game,
            triples,
            cycles.share.value,
            cycles.share.low,
            cycles.share.high,
            proven,
        )
        rows.append(row)
    return pd.DataFrame(rows, columns=CYCLES.names)


def beaten_of(by_game: CyclesByGame) -> pd.DataFrame:
    """Return the rows of `beaten_in_cycles`."""
    rows: list[tuple[object, ...]] = []
    for league, cycles in by_game:
        order = [standing.bot for standing in league.standings]
        rows += _rows_of(cycles, league.game, order)
    return pd.DataFrame(rows, columns=BEATEN.names)


def _rows_of(
    cycles: Cycles,
    game: str | None,
    order: Sequence[str],
) -> list[tuple[object, ...]]:
    """Return a row for each proven pair of bots, in this order of bots."""
    rank = {bot: number for number, bot in enumerate(order)}

    def by_rank(pair: Sequence[int]) -> tuple[int, int]:
        bot, opponent = pair
        return rank[cycles.bots[bot]], rank[cycles.bots[opponent]]

    pairs = np.argwhere(cycles.proven).tolist()
    rows: list[tuple[object, ...]] = []
    for bot, opponent in sorted(pairs, key=by_rank):
        meetings = int(cycles.payoffs.blocks[bot, opponent])
        result = 100 * float(cycles.payoffs.mean[bot, opponent])
        row = (
            game,
            cycles.bots[bot],
            cycles.bots[opponent],
            meetings,
            result,
        )
        rows.append(row)
    return rows
