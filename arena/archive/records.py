"""Records as the archive's rows, and back: what is packed whole, and what stands in columns for the tables.

It owns the conversion and no file. Everything of a record is in its packed text; the columns repeat what leaderboards
need, so that a table of 100 000 matches unpacks none of them. Texts may be hostile: half of a surrogate pair, which is
no UTF-8, comes back equal from the packed text; a column has it escaped.
"""

import json
import zlib
from array import array
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from arena.event import Event, Played
from arena.match import Abort, Ending, Record, SeatReport
from arena.standings import seat_results

MATCH = ("id", "game", "board", "repeat", "seed", "reason", "turns", "sides", "seconds", "started", "transcript")
ENTRY = ("game", "board", "side", "role", "bot", "digest")
SEAT = ("score", "result", "ending", "words", "fault_turn", "ready", "exit", "killed", "memory", "cpu", "turns")
CLOCKS = ("walls", "cpus", "waits")
PLAYED = MATCH[:8]
Row = tuple[Any, ...]

_records = TypeAdapter(Record)
_events = TypeAdapter(Event)


class SeatRows(NamedTuple):
    """One seat of a match."""

    entry: Row
    """The columns ENTRY: the bot in its role on this board, the same in all of its matches there."""
    seat: Row
    """The columns SEAT."""
    clocks: Row
    """The columns CLOCKS: a float32 for each answer."""


class Rows(NamedTuple):
    """A record as rows."""

    match: Row
    """The columns MATCH."""
    packed: bytes
    seats: tuple[SeatRows, ...]
    """In order of play."""


def rows_of(record: Record) -> Rows:
    """A record as rows."""
    played = Played.of(record)
    named = replace(played, seats={role: _text(bot) for role, bot in played.seats.items()})
    seats = zip(record.seats, seat_results(named), strict=True)
    return Rows(
        _match_row(record, played),
        packed(record),
        tuple(_seat_rows(record, report, result) for report, (_, _, result, _) in seats),
    )


def packed(record: Record) -> bytes:
    """All of a record, compressed."""
    try:
        text = _records.dump_json(record)
    except PydanticSerializationError:  # half of a surrogate pair, which the slower way escapes
        text = json.dumps(_records.dump_python(record)).encode("ascii")
    return zlib.compress(text, 1)


def unpacked(blob: bytes) -> Record:
    """The record that was packed, equal to it."""
    text = zlib.decompress(blob)
    try:
        return _records.validate_json(text)
    except ValidationError:
        return _records.validate_python(json.loads(text))


def event_text(event: Event) -> str:
    """An event as JSON."""
    return json.dumps(_events.dump_python(event))


def event_of(text: str) -> Event:
    """The event that was made a text, equal to it."""
    return _events.validate_python(json.loads(text))


def abort_row(abort: Abort) -> Row:
    """The id of the match, the attempt and the cause."""
    return _storable(abort.match, abort.attempt, abort.cause)


def played_of(row: Row, seats: list[Row]) -> Played:
    """A finished match, from the columns PLAYED, and (role, bot, score, ending) of its seats in order of play."""
    match, game, board, repeat, seed, reason, turns, sides = row
    return Played(
        id=match,
        game=game,
        board=board,
        repeat=repeat,
        seed=seed,
        seats={role: bot for role, bot, _, _ in seats},
        scores={role: score for role, _, score, _ in seats},
        reason=reason,
        endings={role: Ending(ending) for role, _, _, ending in seats if ending is not None},
        sides=sides_of(sides),
        turns=turns,
    )


@lru_cache  # an event has as many as it has boards
def sides_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The sides that stand in a match's row."""
    return tuple(tuple(side) for side in json.loads(text))


def transcript(record: Record) -> int:
    """63 bits over the moves, who chose them, and the verdict: equal for matches that went alike, clocks aside.

    Bots and seed are not in it, so that a repeat in which nothing new happened can be told.
    """
    verdict = record.verdict
    lines = (
        *(f"{turn.number} {turn.role} {turn.by} {turn.move}" for turn in record.turns),
        *(f"{fault.role} {fault.ending} {fault.turn}" for fault in verdict.faults),
        *(f"{role} {score}" for role, score in sorted(verdict.scores.items())),
        verdict.reason,
    )
    digest = blake2b("\n".join(lines).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _match_row(record: Record, played: Played) -> Row:
    return _storable(
        *(played.id, played.game, played.board, played.repeat, played.seed, played.reason, played.turns),
        *(json.dumps(record.sides), record.seconds, record.started, transcript(record)),
    )


def _seat_rows(record: Record, seat: SeatReport, result: str | None) -> SeatRows:
    match = record.match
    side = next(place for place, roles in enumerate(record.sides) if seat.role in roles)
    fault = next((fault for fault in record.verdict.faults if fault.role == seat.role), None)
    asked = [turn for turn in record.turns if turn.role == seat.role and turn.by in {"bot", "strike"}]
    return SeatRows(
        _storable(match.game, match.board, side, seat.role, seat.bot, seat.digest),
        _storable(
            *(record.verdict.scores[seat.role], result),
            *((fault.ending.value, fault.words, fault.turn) if fault else (None, None, None)),
            *(seat.ready, seat.exit, seat.killed, seat.memory, seat.cpu, len(asked)),
        ),
        tuple(array("f", (getattr(turn, name) for turn in asked)).tobytes() for name in ("wall", "cpu", "waited")),
    )


def _storable(*row: object) -> Row:
    """A row without the texts that UTF-8 cannot say."""
    return tuple(_text(value) if type(value) is str else value for value in row)


def _text(text: str) -> str:
    """A text in which half of a surrogate pair is escaped."""
    return text.encode("utf-8", "backslashreplace").decode()
