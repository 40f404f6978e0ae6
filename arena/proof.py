"""Whether an event's results are what its records and the rules say: every record, every column, the plan.

It reads an archive and changes nothing. It proves that results agree with themselves and with the rules; somebody who
forges all of it, plan and moves and states alike, plays another event.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from arena import schedules
from arena.archive import Archive, records
from arena.errors import ArenaError
from arena.event import Event
from arena.game import Game
from arena.match import Match, Record
from arena.retrace import disagreements
from arena.standings import Tally, tallies

GameOf = Callable[[Match], Game[Any]]
"""The rules of a match, from where rules are trusted; never from the path in the record."""


@dataclass(frozen=True)
class Trouble:
    """Something that does not hold."""

    match: str
    """The match's id; empty when it is about the event."""
    words: str


def checked(archive: Archive, game_of: GameOf, *, all_versions: bool = False) -> Iterator[tuple[str, list[Trouble]]]:
    """The id of each record, and what is wrong with it; by id.

    Records of the current plan must be the matches that were planned; with `all_versions` the others are looked at too.
    """
    planned = {match.id: match for match in _plan(archive.event())}
    rules = cache(game_of)
    query = "select number, id, record from matches left join records on match = number where planned or ? order by id"
    for number, match, blob in archive.rows(query, all_versions):
        words = _record_words(archive, number, match, blob, planned.get(match), rules)
        yield match, [Trouble(match, one) for one in words]


def of_event(archive: Archive) -> Iterator[Trouble]:
    """What is wrong with the event as a whole: its plan, and the sums that its leaderboard is made of."""
    list(archive.rows("begin"))  # one moment of an event that may still be played
    try:
        yield from _event_troubles(archive)
    finally:
        list(archive.rows("rollback"))


def _event_troubles(archive: Archive) -> Iterator[Trouble]:
    planned = {match.id for match in _plan(archive.event())}
    flagged = {match for (match,) in archive.rows("select id from matches where planned")}
    if strange := flagged - planned:
        yield Trouble("", f"{len(strange)} matches count that were never planned: {', '.join(sorted(strange)[:5])}")
    if hidden := (archive.ids() & planned) - flagged:
        yield Trouble("", f"{len(hidden)} planned matches do not count: {', '.join(sorted(hidden)[:5])}")
    if missing := planned - archive.ids():
        yield Trouble("", f"{len(missing)} of {len(planned)} planned matches have no record: unfinished, or removed")
    try:
        counted = _counter(tally for played in archive.played() for tally in tallies(played))
    except (KeyError, ValueError):
        yield Trouble("", "its seats are not those of its matches")
        return
    if counted != _counter(archive.tallies()):
        yield Trouble("", "the sums behind the leaderboard are not those of its matches")


def _plan(event: Event) -> tuple[Match, ...]:
    return schedules.find(event.schedule).plan(event)


def _record_words(
    archive: Archive, number: int, match: str, blob: bytes | None, planned: Match | None, game_of: GameOf
) -> Iterator[str]:
    """What is wrong with one record."""
    try:
        record = records.unpacked(blob or b"")
    except (ValueError, zlib.error):
        yield "its record cannot be read"
        return
    if record.match.id != match:
        yield f"its record is that of match {record.match.id}"
    if planned is not None and _essence(record.match) != _essence(planned):
        yield "its record is of another match than was planned: game, seats, seed or conditions differ"
        return
    try:
        game = game_of(record.match)
    except ArenaError as error:
        yield f"its rules cannot be had: {error}"
        return
    yield from disagreements(game, record)
    yield from _column_words(archive, number, record)


def _essence(match: Match) -> tuple[object, ...]:
    """What makes a match, wherever its files are."""
    seats = tuple((seat.role, seat.bot.name, seat.bot.digest) for seat in match.seats)
    return match.id, match.label, match.repeat, match.seed, match.conditions, seats


def _column_words(archive: Archive, number: int, record: Record) -> Iterator[str]:
    """Whether the columns that tables are made of say what the record says."""
    if [seat.role for seat in record.seats] != [seat.role for seat in record.match.seats]:
        yield "its reports are not those of its seats"
        return
    rows = records.rows_of(record)
    (stored,) = archive.rows(f"select {', '.join(records.MATCH)} from matches where number = ?", number)
    wrong = [name for name, want, has in zip(records.MATCH, rows.match, stored, strict=True) if has not in {want, None}]
    columns = (*(f"entries.{name}" for name in records.ENTRY), *(f"seats.{name}" for name in records.SEAT))
    query = (
        f"select {', '.join((*columns, *records.CLOCKS))} from seats join entries on entry = entries.number "
        "left join clocks on clocks.match = seats.match and clocks.place = seats.place "
        "where seats.match = ? order by seats.place"
    )
    seats = list(archive.rows(query, number))
    if len(seats) != len(rows.seats):
        yield f"{len(seats)} seats are counted, its record has {len(rows.seats)}"
        return
    for want, has in zip(rows.seats, seats, strict=True):
        wanted = (*want.entry, *want.seat, *want.clocks)
        names = (*columns, *records.CLOCKS)
        wrong += [name for name, one, other in zip(names, wanted, has, strict=True) if one != other]
    if wrong:
        yield f"columns that its tables are made of differ from its record: {', '.join(dict.fromkeys(wrong))}"


def _counter(counted: Iterator[Tally] | tuple[Tally, ...]) -> Counter[object]:
    """Seats and scores by all the rest."""
    sums: Counter[object] = Counter()
    for one in counted:
        key = (one.board, one.role, one.bot, one.result, one.ending)
        sums[*key, "seats"] += one.seats
        sums[*key, "score"] += one.score
    return sums
