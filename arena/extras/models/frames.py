"""The frames of language models: what bots asked, and what their play owes to memory."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum

import numpy as np
import pandas as pd

from arena.extras.models import memory, origins
from arena.protocol import clean
from arena.results.columns import Column, Columns, interval_columns
from arena.results.leaderboard import Results
from arena.values import DEFAULT_MODEL, DISGUISED

SHARES = ("at_once", "rethought", "fallback", "no_move")
ANSWERS = ("illegal", "unreadable", "cut", "refused")


def _share(name: str, meaning: str) -> tuple[Column, ...]:
    """Return the columns of a share of moves: a rate in %, and the ends of its interval."""
    ends = f"The 95 % interval of `{name}`; moves of one match are alike, so it counts both"
    return (
        Column(name, meaning, "%"),
        Column(f"{name}_low", ends, "%", "95 %"),
        Column(f"{name}_high", ends, "%", "95 %"),
    )


MODELS = Columns(
    Column("bot", "The bot's name"),
    Column("model", "The name of the model that it asks, in tournament.toml"),
    Column("matches", "Its matches", "matches"),
    Column("moves", "Its moves, those that it failed to make too", "moves"),
    *_share("at_once", "Moves that the model named in its first answer"),
    *_share("rethought", "Moves that the model named after rethinks: it was asked again"),
    *_share("fallback", "Moves that are none of the model's, as the bot says"),
    *_share("no_move", "Turns without a legal move: a strike, or a fault"),
    Column("unasked", "Moves for which it asked nothing, and says nothing of a fallback", "moves"),
    Column(
        "illegal", "Answers after which it asked again, because the move was illegal", "answers"
    ),
    Column(
        "unreadable", "Answers after which it asked again, because there was no move", "answers"
    ),
    Column("cut", "Answers that were cut by their limit of tokens", "answers"),
    Column("refused", "Answers in which the model or its provider refused", "answers"),
    Column("calls", "Its calls of the language model", "calls"),
    Column("tokens_in", "Tokens of its questions", "tokens", "tokens in"),
    Column("cached", "Those that the provider had in a cache", "tokens"),
    Column("cache_written", "Those that the provider wrote to a cache", "tokens"),
    Column("tokens_out", "Tokens of the answers", "tokens", "tokens out"),
    Column(
        "cost",
        "What its calls cost, by the provider or by the prices in tournament.toml",
        "cost",
        "cost",
    ),
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
    sums: dict[str, list[int]] = {}  # calls, tokens in, of these cached and written, tokens out
    costs: dict[str, list[float]] = {}
    by_match: dict[str, list[Counter[str]]] = {}  # the counts of each match of a bot
    labels = {board.label for board in results.event.boards}
    for record in results.archive.records():
        if record.match.label not in labels:  # of another game
            continue
        counts: dict[str, Counter[str]] = {}
        for origin in origins.origins(record):
            count = counts.setdefault(origin.bot, Counter())
            count["moves"] += 1
            count[origin.kind] += 1
            for name in ANSWERS:
                count[name] += getattr(origin, name)
        for name, count in counts.items():
            by_match.setdefault(name, []).append(count)
        bots = {seat.role: seat.bot for seat in record.match.seats}
        for call in record.calls:
            asker = bots.get(call.role)
            if asker is None:  # a stranger wrote this record
                continue
            bot = asker.name
            terms = record.match.conditions.model_of(asker)
            answer = call.answer
            figures = sums.setdefault(bot, [0] * 5)
            figures[0] += 1
            figures[1] += answer.tokens_in
            figures[2] += answer.cached
            figures[3] += answer.cache_written
            figures[4] += answer.tokens_out
            cost = 0.0
            if terms is not None:
                cost = terms.cost_of(answer)
            costs.setdefault(bot, []).append(cost)
    aliases = {bot.name: bot.model_alias or DEFAULT_MODEL for bot in results.event.bots}
    for name in by_match:  # a bot that was never answered
        sums.setdefault(name, [0] * 5)
        costs.setdefault(name, [])
    totals = {bot: fsum(prices) for bot, prices in costs.items()}
    strengths_of_askers = [strengths[bot] for bot in sums if bot in strengths]
    weakest = min(strengths_of_askers, default=0.0)
    rows = []
    for bot in sorted(sums, key=lambda bot: (totals[bot], bot)):
        cost = totals[bot]
        above = strengths.get(bot, weakest) - weakest
        matches = seats.get(bot, 0)
        alias = clean(aliases.get(bot, DEFAULT_MODEL))
        moves = _came_about(by_match.get(bot, []))
        cost_a_match = cost / max(1, matches)
        cost_a_point = cost / above if above > 0 else np.nan
        rows.append(
            (
                bot,
                alias,
                matches,
                *moves,
                *sums[bot],
                cost,
                cost_a_match,
                cost_a_point,
            )
        )
    return pd.DataFrame(rows, columns=MODELS.names)


def _came_about(matches: Sequence[Counter[str]]) -> Iterator[float]:
    """Yield the figures of how the moves of a bot came about; `matches` has the counts of each."""
    totals: Counter[str] = Counter()
    for count in matches:
        totals.update(count)
    yield totals["moves"]
    for kind in SHARES:
        hits_and_moves = [(count[kind], count["moves"]) for count in matches]
        yield from origins.rate(hits_and_moves)
    yield totals["unasked"]
    for name in ANSWERS:
        yield totals[name]


def disguise(results: Results) -> pd.DataFrame:
    """Return a row for each bot that also played in disguise.

    It has the ratings on plain boards and in disguise, and the difference.
    """
    askers = {bot.name for bot in results.event.bots if bot.model}
    matches = memory.with_disguised_bots(results.arrays, askers)
    rows: list[tuple[object, ...]] = []
    if len(matches.seed):
        fit = results.fit(matches)
        fitted = results.on_scale(fit)
        for bot, plain, disguised, difference in memory.memories(fitted):
            middle, low, high = difference or (np.nan, np.nan, np.nan)
            row = (
                bot,
                plain.value,
                disguised.value,
                middle,
                low,
                high,
            )
            rows.append(row)
    return pd.DataFrame(rows, columns=DISGUISE.names)
