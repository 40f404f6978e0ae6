"""The frames of language models: what bots asked, and what their play owes to memory."""

from math import fsum

import numpy as np
import pandas as pd

from arena.extras.models import memory
from arena.results.columns import Column, Columns, interval_columns
from arena.results.leaderboard import Results
from arena.values import DEFAULT_MODEL, DISGUISED

MODELS = Columns(
    Column("bot", "The bot's name"),
    Column("model", "The name of the model that it asks, in tournament.toml"),
    Column("matches", "Its matches", "matches"),
    Column("calls", "Its calls of the language model", "calls"),
    Column("tokens_in", "Tokens of its questions", "tokens", "tokens in"),
    Column("tokens_out", "Tokens of the answers", "tokens", "tokens out"),
    Column("cost", "What its calls cost, by the prices in tournament.toml", "cost", "cost"),
    Column("cost_a_match", "The same, a match", "cost", "cost a match"),
    Column(
        "cost_a_point",
        "`cost` for each point of rating (Elo, or points) above the weakest bot that asks; "
        "missing for that bot",
        "cost",
        "cost a point",
    ),
)
DISGUISE = Columns(
    Column("bot", "The bot's name"),
    Column("plain", "Its rating on the boards as they are", "rating"),
    Column(
        "disguised",
        "Its rating on the same boards in disguise, by the same fit",
        "rating",
        "in disguise",
    ),
    Column(
        "difference",
        "`plain` less `disguised`: what it owes to knowing the game; "
        "missing without opponents that need no model",
        "rating",
    ),
    *interval_columns(
        "difference_low",
        "difference_high",
        "The 95 % interval of the difference; infinite where it is open",
    ),
)


def has_model(results: Results) -> bool:
    """Return whether a language model answers in this event."""
    return results.event.conditions.has_models


def is_disguised(results: Results) -> bool:
    """Return whether this event has boards in disguise."""
    return any(board.name.endswith(DISGUISED) for board in results.event.boards)


def models(results: Results) -> pd.DataFrame:
    """Return a row for each bot that asks a language model, the dearest last.

    It has calls, tokens, cost, and cost of a point of rating.
    """
    strengths = {rating.bot: rating.strength.value for rating in results.ratings.ratings}
    seats = {standing.bot: standing.matches for standing in results.standings}
    sums: dict[str, list[int]] = {}  # calls, tokens in, tokens out
    costs: dict[str, list[float]] = {}
    for record in results.archive.records():
        bots = {seat.role: seat.bot for seat in record.match.seats}
        for call in record.calls:
            asker = bots.get(call.role)
            if asker is None:  # a stranger wrote this record
                continue
            bot = asker.name
            terms = record.match.conditions.model_of(asker)
            answer = call.answer
            figures = sums.setdefault(bot, [0, 0, 0])
            figures[0] += 1
            figures[1] += answer.tokens_in
            figures[2] += answer.tokens_out
            cost = 0.0
            if terms is not None:
                cost = terms.price(answer.tokens_in, answer.tokens_out)
            costs.setdefault(bot, []).append(cost)
    aliases = {bot.name: bot.model_alias or DEFAULT_MODEL for bot in results.event.bots}
    totals = {bot: fsum(prices) for bot, prices in costs.items()}
    weakest = min((strengths[bot] for bot in sums if bot in strengths), default=0.0)
    rows = []
    for bot in sorted(sums, key=lambda bot: (totals[bot], bot)):
        cost = totals[bot]
        above = strengths.get(bot, weakest) - weakest
        matches = seats.get(bot, 0)
        cost_a_match = cost / max(1, matches)
        cost_a_point = cost / above if above > 0 else np.nan
        rows.append(
            (
                bot,
                aliases.get(bot, DEFAULT_MODEL),
                matches,
                *sums[bot],
                cost,
                cost_a_match,
                cost_a_point,
            )
        )
    return pd.DataFrame(rows, columns=MODELS.names)


def disguise(results: Results) -> pd.DataFrame:
    """Return a row for each bot that also played in disguise.

    It has the ratings on plain boards and in disguise, and the difference.
    """
    askers = {bot.name for bot in results.event.bots if bot.model}
    matches = memory.with_disguised_bots(results.arrays, askers)
    rows: list[tuple[object, ...]] = []
    if len(matches.seed):
        fitted = results.on_scale(results.fit(matches))
        for bot, plain, disguised, difference in memory.memories(fitted):
            middle, low, high = difference or (np.nan, np.nan, np.nan)
            rows.append((bot, plain.value, disguised.value, middle, low, high))
    return pd.DataFrame(rows, columns=DISGUISE.names)
