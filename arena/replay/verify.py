"""A check of an event's results against the rules: every record, every column, the plan.

It reads an archive and changes nothing. It proves that results agree with each other and with the
rules. It can't prove more: a forger who replaces plan, moves and states together has made another
event.
"""

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from arena import parallel
from arena.errors import ArenaError
from arena.event import placings, plan
from arena.game import Game
from arena.replay.reconstruct import disagreements
from arena.replay.verified import GameOf, Verified, fits
from arena.results.archive import Archive, DamagedError, inspection, records
from arena.results.standings import Tally, tallies
from arena.values import Batch, Bot, Event, Match

UNREADABLE = (KeyError, ValueError, TypeError)
"""Exceptions that a text raises where arena did not write it."""
DAMAGED = (DamagedError, KeyError, ValueError, TypeError)
"""The same, and that of a file that is no sound database."""
FEW = 12
"""Up to this number of records this process checks, since it takes longer to start others."""
CHUNK = 50
"""The number of records that a process checks before it reports them."""
DAMAGE_SEARCH_S = 5.0


Problem = tuple[str, str]
"""The id of a match, empty for the event, and a statement of the results that does not hold."""


def checked(
    archive: Archive,
    game_of: GameOf,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    all_versions: bool = False,
    unfinished: bool = True,
    verified: Verified | None = None,
) -> tuple[int, list[Problem]]:
    """Return the number of records, and the problems of each, by id, and of the event.

    All cores check many records. Those that `verified` has, unchanged, are not checked again, and
    it takes note of those that hold.

    Records of the current plan must be the matches that were planned; with `all_versions` the
    others are checked too. Of imported matches only the tables are checked. With `unfinished`
    planned matches without a record are a problem. Of a damaged file everything readable is
    checked, in any order. `tell` hears how many of how many records are checked.
    """
    rules: GameOf = game_of
    played = event_in(archive)
    if played is not None and played.imported:
        rules = partial(_refuse_played, game_of)
    walk: _Walk | None = None
    planned: Mapping[str, Match] = {}
    with contextlib.suppress(*DAMAGED):  # then it is reported below
        walk = _Walk(archive)
        planned = walk.planned
    readable = inspection.readable_numbers(archive, all_versions=all_versions)
    numbers = list(dict.fromkeys(readable))
    archive.close()  # no connection is open in a process that forks

    cores = None
    if len(numbers) <= FEW:
        cores = 1
    if verified is None:
        check = partial(_check_all, archive, planned, rules)
    else:
        check = partial(_check_new, archive, planned, rules, verified)
    chunks = []
    for start in range(0, len(numbers), CHUNK):
        chunks.append(numbers[start : start + CHUNK])

    problems: list[Problem] = []
    done = 0
    try:
        for of_records, held in parallel.parallel_map(check, chunks, cores=cores):
            problems += of_records
            done = min(done + CHUNK, len(numbers))
            if verified is not None:
                verified.add(held)
            tell(done, len(numbers))
    finally:
        if verified is not None:
            verified.store(complete=done == len(numbers))

    problems += _check_event(archive, walk, unfinished=unfinished)
    return len(numbers), problems


def _check_event(
    archive: Archive,
    walk: "_Walk | None",
    *,
    unfinished: bool,
) -> list[Problem]:
    """Return the problems of the event itself, whose id is empty."""
    problems: list[Problem] = []
    try:
        if event_in(archive) is None:
            return [("", "the event itself cannot be read; the file is damaged")]
        for problem in _event_problems(archive, walk, unfinished=unfinished):
            problems.append(("", problem))
    except DAMAGED:
        problems.append(("", "its tables cannot be read; the file is damaged"))
    return problems


class _Walk:
    """A walk of the whole plan of an archive, at one moment."""

    def __init__(self, archive: Archive, until: float = inf) -> None:
        self.version = archive.cache_version()
        self.plan = plan.Plan(archive.event(), archive)
        self.planned: dict[str, Match] = {}
        """The planned matches that are stored, by id."""
        self.missing = 0
        """The number of the others."""
        self.is_whole = False
        """False if the time was over before the end."""
        for entry in self.plan.known():
            if time.monotonic() > until:
                return
            if entry.stored:
                self.planned[entry.match.id] = entry.match
            else:
                self.missing += 1
        self.is_whole = True


def event_in(archive: Archive) -> Event | None:
    """Return the event that was played last; None where it can't be read any more."""
    try:
        return archive.event()
    except DAMAGED:
        return None


def damage(archive: Archive) -> str | None:
    """Return what in the file is not as arena wrote it, or None.

    It looks for `DAMAGE_SEARCH_S` at most.
    """
    until = time.monotonic() + DAMAGE_SEARCH_S
    try:
        complaint = archive.unsound()
        if complaint is not None:
            return f"it is no sound database ({complaint})"
        if event_in(archive) is None:
            return "its event cannot be read"
        for number in inspection.readable_numbers(archive, all_versions=True):
            if time.monotonic() > until:
                break
            problems = _check(archive, {}, None, number)
            if problems:
                return f"match {': '.join(problems[0])}"
        until = time.monotonic() + DAMAGE_SEARCH_S
        return next(_event_problems(archive, unfinished=False, until=until), None)
    except DamagedError as error:
        return str(error)
    except UNREADABLE:
        return "its tables cannot be read"


class _ImportedError(Exception):
    """The match was imported, and its event is one of imported matches."""


def _refuse_played(game_of: GameOf, match: Match) -> Game[Any]:
    """Raise _ImportedError for an imported match; return the rules of any other one.

    Such a match is nothing that an archive of imported matches has, so its rules are asked.
    """
    if match.imported:
        raise _ImportedError
    return game_of(match)


Found = tuple[list[Problem], list[bytes]]
"""The problems of some records, and the seals of those that hold."""


def _check_all(
    archive: Archive,
    planned: Mapping[str, Match],
    game_of: GameOf | None,
    numbers: Sequence[int],
) -> Found:
    """Return the problems of records, by number; no seals."""
    problems: list[Problem] = []
    for number in numbers:
        problems += _check(archive, planned, game_of, number)
    return problems, []


def _check_new(
    archive: Archive,
    planned: Mapping[str, Match],
    game_of: GameOf,
    verified: Verified,
    numbers: Sequence[int],
) -> Found:
    """Return the problems of the records, by number, that did not hold before, and all seals."""
    matches: list[Match] = []  # the matches whose rules were asked for

    def noted_game_of(match: Match) -> Game[Any]:
        matches.append(match)
        return game_of(match)

    rows_by_number: Mapping[int, inspection.StoredRows] = {}
    with contextlib.suppress(*DAMAGED):  # then each of them is checked
        rows_by_number = inspection.rows_of(archive, numbers)
    problems: list[Problem] = []
    held: list[bytes] = []
    for number in numbers:
        seal = None
        rows = rows_by_number.get(number)
        if rows is not None:
            seal = verified.seal(rows, planned.get(rows.id))
        if seal is not None and seal in verified:
            held.append(seal)
            continue

        matches.clear()
        of_record = _check(archive, planned, noted_game_of, number)
        problems += of_record
        if seal is not None and not of_record and matches and fits(matches[-1]):
            held.append(seal)
    return problems, held


def _check(
    archive: Archive,
    planned: Mapping[str, Match],
    game_of: GameOf | None,
    number: int,
) -> list[Problem]:
    """Return the problems of a record, by number where its id is lost.

    Without `game_of` return those that need no rules.
    """
    match = f"number {number}"
    problems: list[Problem] = []
    try:
        row = inspection.packed_record(archive, number)
        if row is None:
            return [(match, "its row is lost; the file is damaged")]
        match, blob = row
        expected = planned.get(match)
        for problem in _record_problems(archive, number, match, blob, expected, game_of):
            problems.append((match, problem))
    except DamagedError:
        return [(match, "it cannot be read; the file is damaged")]
    return problems


def _event_problems(
    archive: Archive,
    walk: _Walk | None = None,
    *,
    unfinished: bool,
    until: float = inf,
) -> Iterator[str]:
    """Yield the problems of plan and sums.

    `walk` is an earlier walk, which counts if nothing was stored since. A plan that is too long to
    be walked `until` then is not checked.
    """
    if walk is None or walk.version != archive.cache_version():
        walk = _Walk(archive, until)
    if walk.is_whole:
        yield from _plan_problems(archive, walk, unfinished=unfinished)
    try:
        counted = _counter(_tallies_of_matches(archive))
    except UNREADABLE:
        yield "its seats are not those of its matches"
        return
    try:
        stored = _counter(archive.tallies())
    except UNREADABLE:  # such as an ending that does not exist
        stored = Counter()
    if counted != stored:
        yield "the sums behind the leaderboard are not those of its matches"


def _plan_problems(
    archive: Archive,
    walk: _Walk,
    *,
    unfinished: bool,
) -> Iterator[str]:
    """Yield the problems of the plan, the whole of which was walked."""
    yield from _batch_problems(archive, walk.plan)
    planned = set(walk.planned)
    flagged = archive.planned_ids()
    if archive.event().imported:  # all that is stored counts, and nothing was planned
        planned = archive.ids()
    strange = sorted(flagged - planned)
    if strange:
        names = ", ".join(strange[:5])
        yield f"{len(strange)} matches count that were never planned: {names}"
    uncounted = sorted(planned - flagged)
    if uncounted:
        names = ", ".join(uncounted[:5])
        yield f"{len(uncounted)} planned matches do not count: {names}"
    if walk.missing and unfinished:
        total = len(planned) + walk.missing
        yield f"{walk.missing} of {total} planned matches have no record: unfinished, or removed"


def _batch_problems(archive: Archive, walked: plan.Plan) -> Iterator[str]:
    """Yield the stored batches that differ from those that the results make."""
    try:
        stored = archive.batches()
    except DamagedError:
        yield "the batches of its plan cannot be read; the file is damaged"
        return
    recomputed = walked.unstored()
    history: list[Batch] = []
    for number, batch in enumerate(stored):
        expected = recomputed.get(number)
        if not batch.complete:
            begun = walked.begun(number)
            if not begun.startswith(batch.ids) and not batch.ids.startswith(begun):
                yield f"batch {number + 1} is stored with other matches than its results make"
            continue
        if expected is None or not expected.complete:
            yield f"batch {number + 1} is stored as complete, and is not by its matches"
            return
        if batch.ids != expected.ids:
            yield f"batch {number + 1} is stored with other matches than its results make"
            return
        if batch.ended_by not in ("", expected.ended_by):
            yield f"the plan is stored as ended by {batch.ended_by!r} with batch {number + 1}"
        if batch.cut != expected.cut:
            yield f"batch {number + 1} is stored as cut, or as whole, and is not"
            return
        history.append(walked.results(number))
        if batch.places is None:
            continue
        if batch.cut or batch.places != placings.places(archive.event(), history):
            yield f"the places after batch {number + 1} are not those of its results"


def _record_problems(
    archive: Archive,
    number: int,
    match: str,
    blob: bytes,
    planned: Match | None,
    game_of: GameOf | None,
) -> Iterator[str]:
    """Yield the problems of a record: its plan, its rules, its reports and its columns."""
    try:
        record = records.unpacked(blob)
    except ValueError:
        yield "its record cannot be read"
        return
    if record.match.id != match:
        yield f"its record is that of match {record.match.id}"
    if planned is not None and _essence(record.match) != _essence(planned):
        yield (
            "its record is of another match than was planned: "
            "game, seats, seed or conditions differ"
        )
        return
    if game_of is not None:
        game: Game[Any] | None
        try:
            game = game_of(record.match)
        except _ImportedError:  # nobody has its rules, and there are no moves
            game = None
        except ArenaError as error:
            yield f"its rules cannot be had: {error}"
            return
        if game is not None:
            yield from disagreements(game, record)
    seated = [seat.role for seat in record.match.seats]
    if [report.role for report in record.seats] != seated:
        yield "its reports are not those of its seats"
        return
    count = len(inspection.seat_rows(archive, number))
    if count != len(record.seats):
        yield f"{count} seats are counted, its record has {len(record.seats)}"
        return
    wrong = inspection.differing_columns(archive, number, record)
    if wrong:
        yield f"columns that its tables are made of differ from its record: {', '.join(wrong)}"


def _essence(match: Match) -> Match:
    """Return a match with what identifies it, wherever its files are."""
    seats = []
    for seat in match.seats:
        bot = Bot(
            name=seat.bot.name,
            command=(),
            digest=seat.bot.digest,
            processes=seat.bot.processes,
        )
        seats.append(replace(seat, bot=bot))
    return replace(match, rules="", seats=tuple(seats))


def _tallies_of_matches(archive: Archive) -> Iterator[Tally]:
    """Yield what each match adds to the sums behind the leaderboard."""
    for played in archive.played():
        yield from tallies(played)


def _counter(counted: Iterable[Tally]) -> Counter[object]:
    """Add up seats and scores by board, role, bot, result and ending."""
    sums: Counter[object] = Counter()
    for tally in counted:
        key = (tally.board, tally.role, tally.bot, tally.result, tally.ending)
        sums[key, "seats"] += tally.seats
        sums[key, "score"] += tally.score
    return sums
