"""Records as the archive's rows, and back: what is packed whole, and what stands in columns for the tables.

It owns the conversion and no file. Everything of a record is in its packed text; the columns repeat what leaderboards
need, so that a table of 100 000 matches unpacks none of them. Texts may be hostile: half of a surrogate pair, which is
no UTF-8, comes back equal from the packed text; a column has it escaped.
"""

import json
import zlib
from array import array
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from arena.event import Event, Played
from arena.match import Abort, Ending, Record, SeatReport

MATCH = ("id", "game", "board", "repeat", "seed", "reason", "turns", "sides", "seconds", "started", "record")
SEAT = (
    *("match", "place", "role", "bot", "digest", "score", "ending", "words", "fault_turn"),
    *("ready", "exit", "killed", "memory", "cpu", "turns", "walls", "cpus", "waits"),
)
PLAYED = MATCH[:8]
Row = tuple[Any, ...]

_records = TypeAdapter(Record)
_events = TypeAdapter(Event)


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


def match_row(record: Record) -> Row:
    """The columns MATCH."""
    match = record.match
    turns = max((turn.number for turn in record.turns), default=0)
    return _storable(
        *(match.id, match.game, match.board, match.repeat, match.seed, record.verdict.reason, turns),
        *(json.dumps(record.sides), record.seconds, record.started, packed(record)),
    )


def seat_rows(record: Record) -> list[Row]:
    """The columns SEAT of each seat, in order of play."""
    return [_seat_row(record, place, seat) for place, seat in enumerate(record.seats)]


def abort_row(abort: Abort) -> Row:
    """The id of the match, the attempt and the cause."""
    return _storable(abort.match, abort.attempt, abort.cause)


def played_of(row: Row, seats: list[Row]) -> Played:
    """A finished match, from the columns PLAYED, and (match, role, bot, score, ending) of its seats in order."""
    match, game, board, repeat, seed, reason, turns, sides = row
    return Played(
        id=match,
        game=game,
        board=board,
        repeat=repeat,
        seed=seed,
        seats={role: bot for _, role, bot, _, _ in seats},
        scores={role: score for _, role, _, score, _ in seats},
        reason=reason,
        endings={role: Ending(ending) for _, role, _, _, ending in seats if ending is not None},
        sides=_sides(sides),
        turns=turns,
    )


@lru_cache  # an event has as many as it has boards
def _sides(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(side) for side in json.loads(text))


def _seat_row(record: Record, place: int, seat: SeatReport) -> Row:
    fault = next((fault for fault in record.verdict.faults if fault.role == seat.role), None)
    asked = [turn for turn in record.turns if turn.role == seat.role and turn.by in {"bot", "strike"}]
    times = (array("f", (getattr(turn, name) for turn in asked)).tobytes() for name in ("wall", "cpu", "waited"))
    return _storable(
        *(record.match.id, place, seat.role, seat.bot, seat.digest, record.verdict.scores[seat.role]),
        *((fault.ending.value, fault.words, fault.turn) if fault else (None, None, None)),
        *(seat.ready, seat.exit, seat.killed, seat.memory, seat.cpu, len(asked), *times),
    )


def _storable(*row: object) -> Row:
    """A row without the texts that UTF-8 cannot say: half of a surrogate pair is escaped."""
    return tuple(value.encode("utf-8", "backslashreplace").decode() if type(value) is str else value for value in row)
