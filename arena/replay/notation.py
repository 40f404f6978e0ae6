"""One recorded match as a text, and back: tags in brackets, then a line for each move.

The text is much like PGN in chess.

The text has the whole record but for the paths and commands of the machine on which it was played.
`record_of` trusts nothing: it refuses what is no match in one line, and whether the moves are legal
is for `reconstruct.py` to say. docs/export.md describes the format.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from datetime import datetime
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from pydantic import TypeAdapter, ValidationError

from arena import file_formats
from arena.errors import ArenaError
from arena.event.discovery.files import DIGEST
from arena.event.tables import MOST
from arena.games import boards
from arena.games.openings import MOST_PLIES
from arena.protocol import clean
from arena.values import Bot, Opening, Record, SeatReport, Turn

LONGEST_ERROR = 500  # characters
MOST_BYTES = 50_000_000
MOST_DRAWN_PLIES = 100_000
"""The most plies that are sampled for an opening: those of a lower number are sampled, too.

100,000 plies take 16 s at Connect Four, and 22 s at Mummy Maze.
"""
MOST_DIGITS = 19
"""Digits of a whole number: SQLite stores numbers of 64 bits."""
MATCH = {
    "Match": "id",
    "Repeat": "repeat",
    "Seed": "seed",
    "Key": "key",
    "Opening": "opening",
    "Sampled": "sampled",
    "Conditions": "conditions",
}
RECORD = {
    "Started": "started",
    "Seconds": "seconds",
    "Machine": "machine",
    "Scale": "scale",
    "Sides": "sides",
}
"""The fields of a match, and of a record, that tags have."""
OPTIONAL = {
    "Event": "",
    "Key": "",
    "Opening": None,
    "Sampled": "",
    "Machine": "",
    "Scale": 1.0,
}
"""Tags that are left out where they have these values."""
DEFAULTS = OPTIONAL | {"Seconds": 0.0}
"""The values of tags that a text need not have."""
BEFORE_SEATS = (
    "Format",
    "Event",
    "Match",
    "Board",
    "Started",
    "Seconds",
    "Repeat",
    "Seed",
    "Key",
    "Opening",
    "Sampled",
    "Machine",
    "Scale",
    "Conditions",
    "Sides",
)
AFTER_SEATS = ("Result", "Reason")
ONCE = BEFORE_SEATS + AFTER_SEATS
REPEATED = ("Seat", "Fault")
BOT_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
PLAIN_MOVE = re.compile(r"[!#-z|~](?:[ !#-z|~]*[!#-z|~])?")
"""A move that stands in its line as it is: printable ASCII without quotes and braces."""
TURN = re.compile(r"([0-9]{1,9})\. ([a-z0-9_]+) (.+)")
STARTED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?\+00:00")
DETAILS = Turn._field_defaults

_records = TypeAdapter(Record)


def text_of(record: Record, event: str = "") -> str:
    """Return a match as a text of ASCII lines; only readers need the name of its `event`."""
    match = record.match
    plain = asdict(replace(record, turns=()))
    tags = {
        "Format": file_formats.MATCH_TEXT.number,
        "Event": event,
        "Board": match.label,
    }
    for tag, field in MATCH.items():
        tags[tag] = plain["match"][field]
    tags["Conditions"] = _stated(match.conditions)
    for tag, field in RECORD.items():
        tags[tag] = plain[field]

    lines = []
    for tag in BEFORE_SEATS:
        value = tags[tag]
        if tag in OPTIONAL and value == OPTIONAL[tag]:
            continue
        lines.append(_tag(tag, value))
    for seat, report in zip(match.seats, record.seats, strict=True):
        values = {
            "role": seat.role,
            "bot": _changed(_portable(seat.bot), {"command", "files"}),
            "report": _changed(report, {"role"}),
        }
        lines.append(_tag("Seat", values))

    verdict = plain["verdict"]
    for fault in verdict["faults"]:
        lines.append(_tag("Fault", fault))
    lines.append(_tag("Result", verdict["scores"]))
    lines.append(_tag("Reason", verdict["reason"]))
    lines.append("")
    for turn in record.turns:
        lines.append(_line(turn))
    lines.append("")
    return "\n".join(lines)


def portable(record: Record) -> Record:
    """Return the record as `record_of` returns it: without paths and commands of a machine."""
    seats = []
    for seat in record.match.seats:
        bot = _portable(seat.bot)
        seats.append(replace(seat, bot=bot))
    match = replace(record.match, rules="", seats=tuple(seats))
    return replace(record, match=match)


def _portable(bot: Bot) -> Bot:
    """Return a bot without the paths and the command of a machine; a remote bot stays remote."""
    remote = ""
    if bot.remote:
        remote = "remote"
    return replace(bot, command=(), files=None, remote=remote)


def read(path: Path) -> Record:
    """Return the record in a file; ArenaError, which names the file, for anything else.

    No rules have confirmed it.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ArenaError(f"has more than {MOST_BYTES:,} bytes, and no match is so long")
        return record_of(content.decode("utf-8"))
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: is no text of a match, but other data") from error
    except ArenaError as error:
        reason = clean(str(error), LONGEST_ERROR)
        raise ArenaError(f"{path}: {reason}") from error


def record_of(text: str) -> Record:
    """Return the record that a text tells; ArenaError, in one line, if it is no text of a match."""
    tags: dict[str, Any] = {}
    repeated: dict[str, list[Any]] = {name: [] for name in REPEATED}
    turns: list[Turn] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith(";"):
            continue
        if not line.startswith("["):
            turn = _turn(line, number)
            turns.append(turn)
            continue

        tag = line[1:].removesuffix("]")
        name, _, value = tag.partition(" ")
        if not line.endswith("]") or name not in ONCE + REPEATED:
            _refuse(number, f"{line[:40]!r} is no tag of a match")
        if name in tags:
            _refuse(number, f"the tag {name} is there twice")
        if name in repeated:
            repeated[name].append(_json(value, number))
        else:
            tags[name] = _json(value, number)
        if name == "Format":
            reason = file_formats.MATCH_TEXT.refusal(tags[name])
            if reason is not None:
                _refuse(number, f"its format {reason}")

    for name, default in DEFAULTS.items():
        tags.setdefault(name, default)
    for name in ONCE:
        if name not in tags:
            raise _no_match(f"it has no tag {name}; `arena export --match ID` writes one")
    return _record(tags, repeated["Seat"], repeated["Fault"], turns)


def _record(
    tags: Mapping[str, Any],
    seats: list[Any],
    faults: list[Any],
    turns: list[Turn],
) -> Record:
    """Return the record of tags and turns that were read, once everything has the right type."""
    try:
        values = _values(tags, seats, faults, turns)
        record = _records.validate_python(values)
        if not STARTED.fullmatch(record.started):
            raise ValueError(record.started[:40])
        datetime.fromisoformat(record.started)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        first = errors[0]
        where = ".".join(map(str, first["loc"]))
        raise _no_match(f"{where}: {first['msg']}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise _no_match(f"a seat or the time of its start is not as it must be: {error}") from error

    contradiction = next(_contradictions(record), None)
    if contradiction is not None:
        raise _no_match(contradiction)
    return record


def _values(
    tags: Mapping[str, Any],
    seats: list[Any],
    faults: list[Any],
    turns: list[Turn],
) -> dict[str, Any]:
    """Return the fields of a record by their names.

    Raise KeyError or TypeError for a seat that lacks a part.
    """
    match_seats = []
    reports = []
    for seat in seats:
        role = seat["role"]
        bot = {**seat["bot"], "command": ()}
        match_seats.append({"role": role, "bot": bot})
        reports.append({**seat["report"], "role": role})

    match: dict[str, Any] = {}
    for tag, field in MATCH.items():
        match[field] = tags[tag]
    game, _, board = str(tags["Board"]).partition("/")
    match["game"] = game
    match["board"] = board
    match["rules"] = ""
    match["seats"] = match_seats

    values: dict[str, Any] = {}
    for tag, field in RECORD.items():
        values[field] = tags[tag]
    values["match"] = match
    values["turns"] = turns
    values["verdict"] = {
        "scores": tags["Result"],
        "reason": tags["Reason"],
        "faults": faults,
    }
    values["seats"] = reports
    return values


def _contradictions(record: Record) -> Iterator[str]:
    """Yield what cannot be, though every value has the right type."""
    match = record.match
    names = [(match.game, boards.NAME), (match.board, boards.BOARD_NAME)]
    for seat in match.seats:
        names.append((seat.bot.name, BOT_NAME))
    for name, pattern in names:
        if not pattern.fullmatch(name) or name.startswith((".", "-")):
            yield f"{name[:40]!r} is no name of a game, a board or a bot"

    if not re.fullmatch("[0-9a-f]{12}", match.id):
        yield f"its id {match.id[:40]!r} is not 12 hex digits"
    if not record.scale > 0:
        yield f"its scale {record.scale:g} is not above 0"
    time = match.conditions.time
    if not min(time.start or 0, time.move or 0, time.bank, time.margin) >= 0:
        yield "it has a time below 0"
    if not match.sampled.isprintable():
        yield "the parameters of its board are not one line"

    opening = match.opening or Opening()
    drawn_plies = opening.number * max(1, opening.plies)
    plies_fit = 0 <= opening.plies <= MOST_PLIES
    drawn_plies_fit = 0 <= drawn_plies <= MOST_DRAWN_PLIES
    if not plies_fit or not drawn_plies_fit:
        yield (
            f"an opening has 0 to {MOST_PLIES} plies, and times its number "
            f"they are no more than {MOST_DRAWN_PLIES}"
        )

    roles = sorted(seat.role for seat in match.seats)
    roles_of_sides = sorted(chain.from_iterable(record.sides))
    if not roles == roles_of_sides == sorted(record.verdict.scores):
        yield "its seats, its sides and its result do not have the same roles"

    for seat, report in zip(match.seats, record.seats, strict=True):
        bot = seat.bot
        if bot.digest and not DIGEST.fullmatch(bot.digest):
            yield f"the digest {bot.digest[:40]!r} is not hexadecimal"
        if bot.threads < 1:
            yield f"{bot.name} has {bot.threads} threads"
        if bot.processes is not None and bot.processes < 1:
            yield f"{bot.name} has {bot.processes} processes"
        if report.bot != bot.name or report.digest != bot.digest:
            yield f"the report of {seat.role[:40]!r} is that of another bot"


def _tag(name: str, value: object) -> str:
    return f"[{name} {json.dumps(value)}]"


def _line(turn: Turn) -> str:
    """Return the line of a move; values that are the default are left out."""
    details = {}
    for name, default in DETAILS.items():
        value = getattr(turn, name)
        if value != default:
            details[name] = value
    move = turn.move
    if not PLAIN_MOVE.fullmatch(move):
        move = json.dumps(move)
    return f"{turn.number}. {turn.role} {move} {json.dumps(details)}"


def _turn(line: str, number: int) -> Turn:
    """Return the turn of a line, whose values may be of any type."""
    fields_of_line = TURN.fullmatch(line)
    if fields_of_line is None:
        _refuse(number, f"{line[:40]!r} is no move, which looks like `1. explorer move1 west {{}}`")
    turn_number, role, move_and_details = fields_of_line.groups()
    if move_and_details.startswith('"'):
        try:
            move, end = _decoder.raw_decode(move_and_details)
        except (ValueError, RecursionError):
            _refuse(number, "its move is no text in quotes")
        details = move_and_details[end:].strip()
    else:
        move, brace, details = move_and_details.partition(" {")
        details = brace.strip() + details

    values = _json(details, number)
    if not isinstance(values, dict) or not values.keys() <= DETAILS.keys():
        keys = ", ".join(sorted(DETAILS))
        _refuse(
            number,
            f"the details of its move are not in braces, or have other keys than {keys}",
        )
    return Turn(int(turn_number), role, move, **values)


def _json(text: str, number: int) -> Any:
    """Return the value of a JSON text in a line of this number."""
    try:
        return json.loads(
            text,
            parse_constant=_not_finite,
            parse_float=_float,
            parse_int=_int,
        )
    except (ValueError, RecursionError) as error:
        reason = str(error)
        if isinstance(error, RecursionError):
            reason = "it has lists in lists without end"
        _refuse(number, f"{text[:40]!r} is no JSON: {reason}")


def _float(text: str) -> float:
    """Return a number, whose sums and products with others are finite, too."""
    value = float(text)
    if not isfinite(value):
        _not_finite(text)
    if abs(value) > MOST:
        raise ValueError(f"{text[:40]} is too large a number")
    return value


def _int(text: str) -> int:
    if len(text) > MOST_DIGITS or abs(int(text)) >= 1 << 63:
        raise ValueError(f"{text[:40]} is too large a number")
    return int(text)


def _not_finite(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no number")


_decoder = json.JSONDecoder()


def _stated(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain values, without those that texts may leave out."""
    stated: dict[str, Any] = {}
    for field in fields(value):
        part = getattr(value, field.name)
        is_optional = field.metadata.get("optional_in_texts")
        if is_optional and part == field.default:
            continue
        if isinstance(part, tuple):
            stated[field.name] = [_plain(element) for element in part]
        else:
            stated[field.name] = _plain(part)
    return stated


def _plain(value: Any) -> Any:
    """Return a dataclass as its stated fields, and another value as it is."""
    if is_dataclass(value):
        return _stated(value)
    return value


def _changed(value: Bot | SeatReport, left_out: set[str]) -> dict[str, Any]:
    """Return the fields of a value that are not the default, as plain values."""
    plain = asdict(value)
    changed = {}
    for field in fields(value):
        name = field.name
        if name in left_out:
            continue
        if getattr(value, name) != field.default:
            changed[name] = plain[name]
    return changed


def _no_match(reason: str) -> ArenaError:
    return ArenaError(f"is no text of a match: {reason}")


def _refuse(number: int, reason: str) -> NoReturn:
    raise ArenaError(f"line {number}: {reason}")
