"""How each move of a bot with a language model came about, by the record of its match.

arena knows the calls of each turn, how each answer ended, and whether the referee took the move.
Only the bot knows why it asked again (`again` of a request) and whether the move is the model's own
(the remark `fallback 1`): it says both, and nothing is guessed from the texts. Pure.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.results.leaderboard import metrics
from arena.values import ModelCall, Record, Turn

FALLBACK = "fallback"
"""The metric by which a bot says that a move is none of the model's."""
Z = 1.959964
"""Of a normal distribution: 95 % lie within."""


class Origin(NamedTuple):
    """How one move came about."""

    bot: str
    kind: str
    """`at_once`, `rethought`, `fallback`, `unasked` (the bot asked nothing), or `no_move` (a
    strike, or a fault)."""
    illegal: int = 0
    unreadable: int = 0
    """Answers after which the bot asked again because of these."""
    cut: int = 0
    refused: int = 0
    """Answers that ended so."""


def origins(record: Record) -> Iterator[Origin]:
    """Yield the origin of each move of a match whose bot has a model, and of each missing move."""
    conditions = record.match.conditions
    names = {}
    askers = set()
    for seat in record.match.seats:
        names[seat.role] = seat.bot.name
        if seat.bot.model and conditions.model_of(seat.bot) is not None:
            askers.add(seat.role)

    calls: dict[tuple[int, str], list[ModelCall]] = {}
    for call in record.calls:
        key = (call.turn, call.role)
        calls.setdefault(key, []).append(call)
        if call.role in names:  # a bot that only may ask, and does
            askers.add(call.role)

    for turn in record.turns:
        if turn.role in askers and turn.by in ("bot", "strike"):
            calls_of_turn = calls.get((turn.number, turn.role), [])
            kind = _kind(turn, calls_of_turn)
            yield _origin(names[turn.role], kind, calls_of_turn)

    for fault in record.verdict.faults:
        if fault.role in askers and fault.turn:
            calls_of_turn = calls.get((fault.turn, fault.role), [])
            yield _origin(names[fault.role], "no_move", calls_of_turn)


def _kind(turn: Turn, calls: Sequence[ModelCall]) -> str:
    if turn.by == "strike":
        return "no_move"
    for remark in turn.remarks:
        if metrics.read(remark).get(FALLBACK):
            return "fallback"
    if not calls:
        return "unasked"
    if len(calls) == 1:
        return "at_once"
    return "rethought"


def _origin(bot: str, kind: str, calls: Sequence[ModelCall]) -> Origin:
    reasons: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for call in calls:
        reasons[reason_again(call)] += 1
        ends[call.answer.end] += 1
    return Origin(
        bot,
        kind,
        illegal=reasons["illegal"],
        unreadable=reasons["unreadable"],
        cut=ends["length"],
        refused=ends["refused"],
    )


def reason_again(call: ModelCall) -> str:
    """Return why a bot asked again, by its request; empty for a first question."""
    try:
        request = json.loads(call.request)
    except (ValueError, RecursionError):  # a stranger may have written the record
        return ""
    if not isinstance(request, dict):
        return ""
    reason = request.get("again")
    if not isinstance(reason, str):
        return ""
    return reason


def rate(matches: Sequence[tuple[int, int]]) -> tuple[float, float, float]:
    """Return a share in %, with the ends of its 95 % interval.

    `matches` has for each match how often something was so, and of how many. Moves of one match are
    alike, so the interval is Wilson's for fewer moves, by the variance between matches.
    """
    hits = sum(hits_of_match for hits_of_match, _ in matches)
    moves = sum(moves_of_match for _, moves_of_match in matches)
    if not moves:
        return math.nan, math.nan, math.nan
    share = hits / moves
    size: float = moves
    if 0 < share < 1 and len(matches) > 1:
        squares = [(hit - share * number) ** 2 for hit, number in matches]
        spread = sum(squares)
        spread *= len(matches) / (len(matches) - 1)
        spread_if_independent = moves * share * (1 - share)
        alikeness = spread / spread_if_independent
        size = moves / max(1.0, alikeness)

    variance = share * (1 - share) / size
    middle = share + Z * Z / (2 * size)
    correction = Z * Z / (4 * size * size)
    half = Z * math.sqrt(variance + correction)
    scale = 1 + Z * Z / size
    low = 100 * (middle - half) / scale
    high = 100 * (middle + half) / scale
    return 100 * share, low, high
