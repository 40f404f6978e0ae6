"""The frames of language models: what bots asked, and what their play owes to memory."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
CALLS = ("calls", "tokens_in", "cached", "cache_written", "tokens_out")


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
    usages = _usages(results)
    costs = {bot: fsum(usage.costs) for bot, usage in usages.items()}
    matches_of = {standing.bot: standing.matches for standing in results.standings}
    aliases = {bot.name: bot.model_alias or DEFAULT_MODEL for bot in results.event.bots}
    strengths = {rating.bot: rating.strength.value for rating in results.ratings.ratings}
    strengths_of_askers = [strengths[bot] for bot in usages if bot in strengths]
    weakest = min(strengths_of_askers, default=0.0)

    rows = []
    for bot in sorted(usages, key=lambda bot: (costs[bot], bot)):
        usage = usages[bot]
        matches = matches_of.get(bot, 0)
        cost = costs[bot]
        cost_a_match = cost / max(1, matches)
        above = strengths.get(bot, weakest) - weakest
        cost_a_point = np.nan
        if above > 0:
            cost_a_point = cost / above
        row = (
            bot,
            clean(aliases.get(bot, DEFAULT_MODEL)),
            matches,
            *_came_about(usage.moves),
            *(usage.calls[name] for name in CALLS),
            cost,
            cost_a_match,
            cost_a_point,
        )
        rows.append(row)
    return pd.DataFrame(rows, columns=MODELS.names)


@dataclass
class _Usage:
    """What one bot asked, and how its moves came about."""

    moves: list[Counter[str]] = field(default_factory=list)
    """The counts of each match."""
    calls: Counter[str] = field(default_factory=Counter)
    """The number of its calls, and the sums of their tokens, by the names in CALLS."""
    costs: list[float] = field(default_factory=list)
    """The cost of each call."""


def _usages(results: Results) -> dict[str, _Usage]:
    """Return the usage of each bot that asked a model, or that has one and was never answered."""
    usages: defaultdict[str, _Usage] = defaultdict(_Usage)
    labels = {board.label for board in results.event.boards}
    for record in results.archive.records():
        if record.match.label not in labels:  # of another game
            continue
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for origin in origins.origins(record):
            count = counts[origin.bot]
            count["moves"] += 1
            count[origin.kind] += 1
            for name in ANSWERS:
                count[name] += getattr(origin, name)
        for name, count in counts.items():
            usages[name].moves.append(count)

        bots = {seat.role: seat.bot for seat in record.match.seats}
        for call in record.calls:
            bot = bots.get(call.role)
            if bot is None:  # a stranger wrote this record
                continue
            answer = call.answer
            usage = usages[bot.name]
            usage.calls["calls"] += 1
            usage.calls["tokens_in"] += answer.tokens_in
            usage.calls["cached"] += answer.cached
            usage.calls["cache_written"] += answer.cache_written
            usage.calls["tokens_out"] += answer.tokens_out
            terms = record.match.conditions.model_of(bot)
            cost = 0.0
            if terms is not None:
                cost = terms.cost_of(answer)
            usage.costs.append(cost)
    return usages


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
