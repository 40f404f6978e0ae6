"""Conversion of records to the archive's rows, and back.

The whole record is packed as compressed JSON. The columns repeat the parts that tables need, so
that a leaderboard of 100 000 matches unpacks no record. Texts may be hostile: half of a surrogate
pair is not valid in UTF-8; it comes back equal from the packed record, and a column has it escaped.
"""

import json
import re
import sys
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from math import isfinite
from struct import Struct
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, SchemaValidator
from pydantic_core.core_schema import CoreConfig

from arena.game import Role
from arena.identity import digest_of
from arena.results.standings import seat_results
from arena.values import Ending, Event, Played, Record, SeatReport, Stop

MATCH = (
    "id",
    "game",
    "board",
    "repeat",
    "seed",
    "reason",
    "turns",
    "sides",
    "seconds",
    "started",
    "transcript",
    "machine",
    "scale",
)
SEAT = (
    "score",
    "result",
    "ending",
    "words",
    "fault_turn",
    "ready",
    "exit",
    "killed",
    "memory",
    "cpu",
    "turns",
)
CLOCKS = ("walls", "cpus", "waits")
FIGURES = (
    ("repeat", "q"),
    ("seed", "q"),
    ("turns", "q"),
    ("transcript", "q"),
    ("position", "i"),
    ("entry", "i"),
    ("score", "i"),
    ("ending", "i"),
)
"""The numbers of each seat in `figures`, with codes of `struct` and numpy.

`ending` is -1 or an index in Ending.
"""
PLAYED = MATCH[:8]
SEAT_PLAYED = ("role", "bot", "score", "ending", "fault_turn")
SAMPLED = frozenset({"chance", "strike", "substitute"})
"""`Turn.by` of the moves that are sampled from the seed of a match."""
PLAY_BITS = 32
"""The low bits of a transcript, which say how the match went.

Those above say where the bots' play began.
"""
MOST_BYTES = 50_000_000
"""The most bytes of a record or an event as JSON, as of the text of a match.

A bot's output in a match is limited to 4 MB.
"""
MOST_TOKENS = 10**9
"""The most tokens of an answer of a language model, so that all costs can be added up."""
MOST_PRICE = 1e15
"""The highest price of a million tokens."""
FEW_BYTES = 1_000_000
"""A shorter JSON needs little memory, whatever is in it."""
MOST_LISTS = 500_000
"""A turn is two lists. While JSON is read an empty list takes 300 bytes."""
MOST_VALUES = 5_000_000
"""A turn has 13 values. While JSON is read a number takes 32 bytes."""
TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
Row = tuple[Any, ...]
Value = TypeVar("Value")

_figures = Struct("<" + "".join(code for _, code in FIGURES))
_ending_codes: dict[str | None, int] = {None: -1}
_ending_codes |= {ending.value: index for index, ending in enumerate(Ending)}


class _Json(Generic[Value]):
    """Reads and writes values of one type as JSON; anybody may have written what it reads."""

    def __init__(self, kind: type[Value]) -> None:
        self._kind = kind

    @cached_property  # it takes 5 to 10 ms to make, and most commands need only some of them
    def adapter(self) -> TypeAdapter[Value]:
        return TypeAdapter(self._kind)

    @cached_property
    def _validator(self) -> SchemaValidator:
        # By default pydantic goes on after a mistake, and stores 700 bytes for each: a list of ten
        # million takes all memory. A message does not show what was read, because its text would
        # have all of that.
        schema = _fail_fast(self.adapter.core_schema)
        return SchemaValidator(schema, CoreConfig(hide_input_in_errors=True))

    def read(self, text: str | bytes) -> Value:
        """Return the value of a text; raise ValueError at the first mistake in it."""
        try:
            if not isinstance(text, bytes):
                text = text.encode("utf-8", "surrogatepass")
            _refuse_excess(text)
            return self._validated(text)
        # It is no text, it has the wrong length, or it is nested too deep.
        except (AttributeError, TypeError, RecursionError) as error:
            raise ValueError(str(error)) from error

    def _validated(self, text: bytes) -> Value:
        try:
            value: Value = self._validator.validate_json(text)
        except ValidationError as error:
            if error.error_count() > 1:
                raise
            if error.errors(include_input=False)[0]["type"] != "json_invalid":
                raise
            # It may have half of a surrogate pair, which only the module json reads.
            value = self._validator.validate_python(json.loads(text))
        return value


def _refuse_excess(text: bytes) -> None:
    """Raise ValueError for JSON that is too long, or takes much more memory than its length."""
    if len(text) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    if len(text) > FEW_BYTES and _has_excess(text):
        raise ValueError("it has more values than a match")


def _has_excess(text: bytes) -> bool:
    """Say whether JSON has more texts, lists or values than a match."""
    quotes = text.count(b'"')
    escaped_quotes = text.count(b'\\"')
    if quotes - escaped_quotes > MOST_VALUES:
        return True
    signs = TEXTS.sub(b"", text)  # a bot may have written any text, so signs in texts do not count
    lists = signs.count(b"[") + signs.count(b"{")
    if lists > MOST_LISTS:
        return True
    return signs.count(b",") > MOST_VALUES


def _fail_fast(schema: Any) -> Any:
    """Return a schema of pydantic that stops at the first mistake in a list."""
    if isinstance(schema, list | tuple):
        return [_fail_fast(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {}
    for key, part in schema.items():
        if key == "default":
            strict[key] = part  # it is a value: a tuple in it stays one
        else:
            strict[key] = _fail_fast(part)
    kind = schema.get("type")
    if kind in {"tuple", "list", "dict"}:
        strict["fail_fast"] = True
    elif kind == "arguments":
        # Values beyond those of a NamedTuple go to it, and it raises a TypeError.
        strict["var_args_schema"] = {"type": "any"}
    return strict


class Place(NamedTuple):
    """A row of the table of a Swiss or a knockout, with the columns of `PLACINGS`."""

    game: str
    place: int
    bot: str
    points: float
    won: int
    drawn: int
    lost: int
    byes: int
    buchholz: float | None
    out: int | None


@dataclass(frozen=True, kw_only=True)
class StoredBatch:
    """A batch that a run has planned to its end, such as a round of a Swiss."""

    ids: str
    """The ids of its matches in the order of the plan, 12 hex digits each. They are its pairs: each
    match has its seats on record, and a bot without a match has the bye."""
    complete: bool = False
    """True when all its matches are stored, and all batches before it are complete."""
    places: tuple[Place, ...] | None = None
    """The table of places after it, byes included; None before, and for other schedules."""
    ended_by: str = ""
    """The key of the rule that ended the plan with this batch; empty where the plan goes on."""
    cut: bool = False
    """True when that rule ended the plan inside this batch: no table of places counts it."""


IDS = re.compile("(?:[0-9a-f]{12})+")
_record = _Json(Record)
_event = _Json(Event)
_stop = _Json(Stop)
_batch = _Json(StoredBatch)


class BoardRole(NamedTuple):
    """A role on a board, with its side; in this order board roles are sorted."""

    label: str
    """`game/board`."""
    side: int
    """Roles of the same number on one board win together."""
    role: Role


class Entry(NamedTuple):
    """A bot in a role on a board: the same row for all its matches there."""

    game: str
    board: str
    side: int
    """Roles of one number on one board win together."""
    role: Role
    bot: str
    digest: str
    """Hash of the bot's files; two entries may differ in this alone."""

    @property
    def label(self) -> str:
        """`game/board`."""
        return f"{self.game}/{self.board}"

    @property
    def board_role(self) -> BoardRole:
        """The role on the board."""
        return BoardRole(self.label, self.side, self.role)


ENTRY = Entry._fields


class Span(NamedTuple):
    """A version of a bot, and the matches in which it played, by their numbers in the archive."""

    bot: str
    digest: str
    first: int
    last: int
    matches: int


class StoredSeat(NamedTuple):
    """A seat of a match with columns of its match and its entry, as tables show it."""

    match: str
    role: Role
    bot: str
    digest: str
    score: int
    ending: str | None
    words: str | None
    ready: float | None
    exit: str
    cpu: float
    memory: int
    turns: int


class SeatRows(NamedTuple):
    """A seat of a match as rows."""

    entry: Row
    """The columns of Entry."""
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
    """Return a record as rows."""
    played = Played.of(record)
    names = {role: valid_text(bot) for role, bot in played.seats.items()}
    match = _storable(
        (
            played.id,
            played.game,
            played.board,
            played.repeat,
            played.seed,
            played.reason,
            played.turns,
            json.dumps(record.sides),
            record.seconds,
            record.started,
            transcript(record),
            record.machine,
            record.scale,
        )
    )
    # The column has the result of the bot's side, as from the first version on, whether or not the
    # bot started; `Archive.tallies` knows who did not.
    results = seat_results(replace(played, seats=names, fault_turns={}))
    seats = []
    for report, (_, _, result, _) in zip(record.seats, results, strict=True):
        seats.append(_seat_rows(record, report, result))
    return Rows(match, packed(record), tuple(seats))


def figures(rows: Rows, entries: Iterable[int]) -> bytes:
    """Return FIGURES of a match's seats in one blob.

    `entries` are the numbers of the seats' entries.
    """
    match = dict(zip(MATCH, rows.match, strict=True))
    packed_seats = []
    for position, (entry, row) in enumerate(zip(entries, rows.seats, strict=True)):
        seat = dict(zip(SEAT, row.seat, strict=True))
        packed_seat = _figures.pack(
            match["repeat"],
            match["seed"],
            match["turns"],
            match["transcript"],
            position,
            entry,
            seat["score"],
            _ending_codes[seat["ending"]],
        )
        packed_seats.append(packed_seat)
    return b"".join(packed_seats)


def without_entries(figures: object, entries: Sequence[object]) -> tuple[object, ...]:
    """Return FIGURES of a match's seats, without the entries where these are the given ones.

    The numbers of entries differ from archive to archive. Other bytes are returned as they are.
    """
    size = _figures.size * len(entries)
    if not isinstance(figures, bytes) or len(figures) != size:
        return (figures,)
    names = [name for name, _ in FIGURES]
    position = names.index("entry")
    seats: list[object] = []
    rows = _figures.iter_unpack(figures)
    for row, entry in zip(rows, entries, strict=True):
        if row[position] != entry:
            return (figures,)
        before = row[:position]
        after = row[position + 1 :]
        seats.append(before + after)
    return tuple(seats)


def packed(record: Record) -> bytes:
    """Return the whole record, compressed."""
    try:
        text = _record.adapter.dump_json(record)
    except PydanticSerializationError:
        # It has half of a surrogate pair: json escapes that, but takes longer.
        plain = _record.adapter.dump_python(record)
        text = json.dumps(plain).encode("ascii")
    return zlib.compress(text, 1)


def unpacked(blob: bytes) -> Record:
    """Return a record equal to the one that was packed.

    Raise ValueError if it was none, or is too large for a match.
    """
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(blob, MOST_BYTES + 1)
    except (zlib.error, TypeError) as error:  # TypeError: SQLite may hold any value
        raise ValueError(str(error)) from error
    if not unpacking.eof and len(text) <= MOST_BYTES:
        raise ValueError("it is cut")
    record = _record.read(text)
    for terms in record.match.conditions.all_models:
        for price in (*terms.prices_in, terms.price_out):
            if not 0 <= price <= MOST_PRICE:
                raise ValueError("no language model has such a price")
    for call in record.calls:
        answer = call.answer
        cached = (answer.cached, answer.cache_written)
        for number in (answer.tokens_in, answer.tokens_out, answer.thoughts, *cached):
            if not 0 <= number <= MOST_TOKENS:
                raise ValueError("no answer of a language model has so many tokens")
        if sum(cached) > answer.tokens_in:
            raise ValueError("no answer of a language model has so many tokens in a cache")
        if answer.cost is not None and not 0 <= answer.cost <= MOST_PRICE:
            raise ValueError("no answer of a language model has such a cost")
    return record


def valid_text(text: str) -> str:
    """Return a text that is valid in UTF-8: half of a surrogate pair is escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def event_text(event: Event) -> str:
    """Return an event as JSON."""
    return json.dumps(_event.adapter.dump_python(event))


def event_of(text: str) -> Event:
    """Return an event equal to the one that the JSON was made of; raise ValueError if it was none.

    Files are named after the event and its bots, so a name that leads to another folder is refused.
    """
    event = _event.read(text)
    names = [bot.name for bot in event.bots]
    names.append(event.name)
    for name in names:
        is_folder = name in {"", ".", ".."}
        if is_folder or "/" in name or "\0" in name:
            raise ValueError("a name leads to another folder")
    for board in event.boards:
        # SQLite is asked for the matches of each game, and holds no half of a surrogate pair.
        board.game.encode()
        roles = sorted(board.roles)
        roles_of_sides = sorted(chain.from_iterable(board.sides))
        if not roles or roles_of_sides != roles:
            raise ValueError("the sides of a board are not its roles")
    if len(set(event.tie_breaks)) < len(event.tie_breaks):
        raise ValueError("a tie-break stands twice")
    return event


def stop_text(stop: Stop) -> str:
    """Return the reason for an end as JSON."""
    return json.dumps(_stop.adapter.dump_python(stop))


def stop_of(text: str) -> Stop:
    """Return the reason that the JSON was made of; raise ValueError if it was made of none."""
    return _stop.read(text)


def batch_text(batch: StoredBatch) -> str:
    """Return a batch as JSON."""
    return json.dumps(_batch.adapter.dump_python(batch))


def batch_of(text: str) -> StoredBatch:
    """Return the batch that the JSON was made of; ValueError when it was made of none."""
    batch = _batch.read(text)
    if not IDS.fullmatch(batch.ids):
        raise ValueError("its matches have no ids")
    for row in batch.places or ():
        if not isfinite(row.points) or not isfinite(row.buchholz or 0):
            raise ValueError("a place has no points")
    return batch


def played_of(row: Row, seats: list[Row]) -> Played:
    """Return a match from the columns PLAYED, and SEAT_PLAYED of its seats in order of play."""
    match, game, board, repeat, seed, reason, turns, sides = row
    bots = []
    scores = []
    endings = []
    fault_turns = []
    for role, bot, score, ending, fault_turn in seats:
        role = _shared(role)
        bots.append((role, _shared(bot)))
        scores.append((role, score))
        if ending is not None:
            endings.append((role, ending))
            # A stranger's archive may have any value there.
            fault_turns.append((role, int(fault_turn or 0)))
    return Played(
        id=match,
        game=_shared(game),
        board=_shared(board),
        repeat=repeat,
        seed=seed,
        seats=_mapping(tuple(bots)),
        scores=_mapping(tuple(scores)),
        reason=_shared(reason),
        endings=_endings(tuple(endings)),
        fault_turns=_mapping(tuple(fault_turns)),
        sides=sides_of(sides),
        turns=turns,
    )


@lru_cache(10_000)  # seatings, scores and faults come again and again
def _mapping(pairs: tuple[tuple[Role, Value], ...]) -> Mapping[Role, Value]:
    """Return a mapping of these pairs; many matches share it."""
    return dict(pairs)


@lru_cache(10_000)  # apart: an ending is equal to its text, which may be the name of a bot
def _endings(pairs: tuple[tuple[Role, str], ...]) -> Mapping[Role, Ending]:
    """Return the endings of some roles; many matches share them."""
    return {role: Ending(ending) for role, ending in pairs}


def _shared(text: Any) -> Any:
    """Return a text that is the same object each time: names come again in each match."""
    if type(text) is str:
        return sys.intern(text)
    return text


@lru_cache  # all matches of a board have the same text
def sides_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the sides in the column `sides` of a match."""
    return tuple(tuple(side) for side in json.loads(text))


def transcript(record: Record) -> int:
    """Return a hash by which matches that repeat each other are detected; clocks do not change it.

    It is 31 bits of where the bots' play began, then 32 of how it went. Bots and seed are left out.
    Play begins on a sampled board and behind an opening. Matches of the same bots that began alike
    and all went alike are repeats; if one of them went otherwise, the bots use chance (`add_up`). A
    match in which a move was sampled begins like no other. So does one that a bot forfeits before
    its first move: it has shown no play that another match could repeat. Of an imported match
    nobody knows how it went.
    """
    match = record.match
    verdict = record.verdict
    movers = {turn.role for turn in record.turns if turn.by == "bot"}
    has_sampled = any(turn.by in SAMPLED for turn in record.turns)
    forfeited_unmoved = any(fault.role not in movers for fault in verdict.faults)
    unique_id = ""
    if match.imported or has_sampled or forfeited_unmoved:
        unique_id = match.id

    turns = []
    openings = []
    for turn in record.turns:
        move = (turn.number, turn.role, turn.by, turn.move)
        turns.append(move)
        if turn.by == "opening":
            openings.append(move)
    beginning = _hashed(match.sampled, unique_id, openings)
    faults = [(fault.role, fault.ending, fault.turn) for fault in verdict.faults]
    play = _hashed(turns, faults, dict(verdict.scores), verdict.reason)
    return (beginning >> 1) << PLAY_BITS | play


def _hashed(*values: object) -> int:
    """Return 32 bits of a hash of plain values."""
    return int(digest_of(*values, length=8), 16)


def _seat_rows(
    record: Record,
    seat: SeatReport,
    result: str | None,
) -> SeatRows:
    """Return a seat as rows.

    Its answers are the moves that the bot chose or that cost it a strike.
    """
    match = record.match
    side = next(number for number, roles in enumerate(record.sides) if seat.role in roles)
    ending = None
    words = None
    fault_turn = None
    for fault in reversed(record.verdict.faults):  # the first fault of a seat counts
        if fault.role == seat.role:
            ending = fault.ending.value
            words = fault.words
            fault_turn = fault.turn
    walls = array("f")
    cpus = array("f")
    waits = array("f")
    for turn in record.turns:
        if turn.role == seat.role and turn.by in {"bot", "strike"}:
            walls.append(turn.wall)
            cpus.append(turn.cpu)
            waits.append(turn.waited)
    entry = (match.game, match.board, side, seat.role, seat.bot, seat.digest)
    cells = (
        record.verdict.scores[seat.role],
        result,
        ending,
        words,
        fault_turn,
        seat.ready,
        seat.exit,
        seat.killed,
        seat.memory,
        seat.cpu,
        len(walls),
    )
    clocks = (walls.tobytes(), cpus.tobytes(), waits.tobytes())
    return SeatRows(_storable(entry), _storable(cells), clocks)


def _storable(row: Row) -> Row:
    """Return a row whose texts are all valid in UTF-8."""
    return tuple(valid_text(value) if type(value) is str else value for value in row)
