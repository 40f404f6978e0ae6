"""Join archives of one event that was played on several machines; take single matches into one.

This module decides what may be joined. It reads the archives and writes a new one; it does not know
where workspaces keep them.
"""

# A match has the same id wherever it is played, whatever other boards and bots are entered there.
# So merging is a union by id, also where the machines played different boards or bots of the event.
# Where two archives have a record of one match with equal moves and an equal verdict, only clocks
# differ, and the record of the archive that is named first stays. Where moves differ, a bot uses
# chance of its own, or one of the machines was at fault. Then nobody knows which record is right,
# so the caller must choose (`keep_first`), or nothing is merged.
#
# The records are copied in batches. Which of them count is decided at the end, when all are copied:
# a later batch of a plan may depend on results that another archive has.

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

from arena.errors import ArenaError
from arena.event import plan
from arena.event.plan_key import IRRELEVANT
from arena.results.archive import Archive, inspection, records
from arena.values import Conditions, Event, Match, Record

BATCH = 200
"""The number of matches in one transaction."""
MOST_NAMED = 5
"""The number of conflicts that a message names; it counts the others."""


def joined_event(archives: Sequence[Archive]) -> Event:
    """Return the event of which all archives are a part.

    It has the boards and bots of all archives, and the most repeats. ArenaError when they are parts
    of different events: bots or boards with the same name differ, or any other key differs.
    """
    joined = archives[0].event()
    for archive in archives[1:]:
        event = archive.event()
        difference = next(_differences(joined, event), None)
        if difference is not None:
            raise ArenaError(
                f"{archive.folder}: is of another event than {archives[0].folder}: {difference}"
            )
        joined = _union(joined, event)
    return joined


def _union(joined: Event, event: Event) -> Event:
    """Return an event with the boards and bots of both; those of `joined` come first."""
    labels = {board.label for board in joined.boards}
    new_boards = tuple(board for board in event.boards if board.label not in labels)
    bots = {bot.name: bot for bot in event.bots + joined.bots}
    in_order = [bots[name] for name in sorted(bots)]

    max_matches = None
    if joined.max_matches is not None and event.max_matches is not None:
        max_matches = max(joined.max_matches, event.max_matches)
    return replace(
        joined,
        boards=joined.boards + new_boards,
        bots=tuple(in_order),
        repeats=max(joined.repeats, event.repeats),
        max_matches=max_matches,
    )


def merge(
    event: Event,
    archives: Sequence[Archive],
    target: Archive,
    bots: Path,
    *,
    keep_first: bool = False,
    tell: Callable[[int, int], object] = lambda _copied, _total: None,
) -> tuple[int, int]:
    """Copy all records and aborts into an empty archive of this event.

    Return how many matches it has then, and how many of them count. `bots` is the folder that will
    hold the copies of the bots. `tell` is called with the number of records that are copied and the
    number of all. ArenaError if two archives have different records of a match, unless
    `keep_first`.
    """
    event = _with_copies(event, bots)
    target.begin(event, "", tuple)

    total = sum(archive.of_all_versions().count() for archive in archives)
    copied = 0
    conflicts: list[str] = []
    for archive in archives:
        numbers = archive.of_all_versions().numbers_in_order()
        for start in range(0, len(numbers), BATCH):
            numbers_of_batch = numbers[start : start + BATCH]
            batch = [_record(archive, number) for number in numbers_of_batch]
            transcripts = {record.match.id: records.transcript(record) for record in batch}
            stored = target.transcripts(list(transcripts))
            for match, transcript in stored.items():
                if transcript != transcripts[match]:
                    conflicts.append(match)
            if not conflicts or keep_first:
                target.append(*batch)
            copied += len(batch)
            tell(copied, total)

        known = set(target.aborts())
        for abort in archive.aborts():
            if abort not in known:
                target.append_abort(abort)
        if conflicts and not keep_first:
            named = ", ".join(conflicts[:MOST_NAMED])
            unnamed = len(conflicts) - MOST_NAMED
            if unnamed > 0:
                named += f" and {unnamed} more"
            raise ArenaError(
                f"{archive.folder}: has other moves or another verdict than an archive before it "
                f"of the matches {named}; "
                "with --keep-first the record of the archive named first stays"
            )

    # Under the interim key of `begin` above every record counts. Under the key of the event, the
    # records of its plan count.
    merged = plan.begin(event, target)
    merged.walk_on()
    merged.store_batches()
    target.append_stop(merged.stop(late=False))
    return target.of_all_versions().count(), merged.finished


def _with_copies(event: Event, folder: Path) -> Event:
    """Return the event with the files of its bots where their copies in this folder will be."""
    copies = []
    for bot in event.bots:
        if bot.files is not None:
            name = Path(bot.files).name
            files = folder / bot.digest / name
            bot = replace(bot, files=str(files))
        copies.append(bot)
    return replace(event, bots=tuple(copies))


def add(
    source: Path,
    target: Path,
    bots: Path,
    *,
    newer: bool,
) -> None:
    """Add the matches of one archive to another, whose records stay.

    The event of the target stays too, unless that of the source is `newer` or the target has no
    match. `bots` is the folder of the copies of the bots.
    """
    Archive.make(target)  # unless it is there
    with Archive.open(source) as added, Archive.open(target, writing=True) as archive:
        if newer or not archive.of_all_versions().count():
            event = added.event()
        else:
            event = archive.event()
        merge(event, (added,), archive, bots, keep_first=True)


def take(archive: Archive, records_by_path: Sequence[tuple[Path, Record]]) -> tuple[bool, ...]:
    """Take records from files into an archive that is open for writing.

    Return of each record whether it is new in the archive. The caller has confirmed them by the
    rules. ArenaError, and nothing is taken, if the event plans no such match, or if the archive has
    another record of it.
    """
    ids = {record.match.id for _, record in records_by_path}
    planned = _planned(archive, ids)
    stored = archive.transcripts(list(ids))
    merged: list[Record] = []
    are_new: list[bool] = []
    for path, record in records_by_path:
        match = record.match
        # An id says which match it is. A record with the id of a planned match would count as that
        # match, so no other match may have this id.
        planned_match = planned.get(match.id)
        if planned_match is None or essence(match) != essence(planned_match):
            raise ArenaError(
                f"{path}: {archive.folder} plans no match {match.id} of these bots, boards, seeds "
                f"and conditions; `arena replay {path}` shows it without an event"
            )

        transcript = records.transcript(record)
        if stored.get(match.id, transcript) != transcript:
            raise ArenaError(
                f"{path}: {archive.folder} has another record of match {match.id}, and keeps it"
            )

        # Of the bots, only the moves are taken from the file.
        own_record = replace(record, match=planned_match)
        merged.append(own_record)
        are_new.append(match.id not in stored)
        stored[match.id] = transcript  # two files may have the same match
    archive.append(*merged)
    return tuple(are_new)


def _planned(archive: Archive, ids: Collection[str]) -> dict[str, Match]:
    """Return the matches of the plan with these ids, by id; walk on until all are found."""
    known = plan.Plan(archive.event(), archive).known()
    matching = (planned.match for planned in known if planned.match.id in ids)
    return {match.id: match for match in islice(matching, len(ids))}


def essence(match: Match) -> tuple[object, ...]:
    """Return the values for which the id of a match stands, and from which its draws are made."""
    seats: list[tuple[str, str, str]] = []
    for seat in match.seats:
        seats.append((seat.role, seat.bot.name, seat.bot.digest))
    return (
        match.label,
        match.repeat,
        match.seed,
        match.key,
        match.opening,
        match.sampled,
        match.conditions,
        tuple(seats),
    )


def _record(archive: Archive, number: int) -> Record:
    """Return the record with this number; ArenaError if it is damaged."""
    match, blob = inspection.packed_record(archive, number) or ("", b"")
    try:
        record = records.unpacked(blob)
    except ValueError as error:
        raise archive.damaged(f"the record of match {match} cannot be read") from error
    if record.match.id != match:
        raise archive.damaged(f"the record of match {match} is that of match {record.match.id}")
    return record


JOINED = {
    "boards",
    "bots",
    "repeats",
    "max_matches",
    "seed",
    "conditions",
    "rating",
    "prior",
    "confidence",
    *IRRELEVANT,
}
"""Fields of an event that may differ, or that `_differences` compares in other ways."""


def _differences(first: Event, second: Event) -> Iterator[str]:
    """Yield the reasons why two events have no plan in common."""
    digests = _digests(first)
    for part, digest in _digests(second).items():
        if digests.get(part, digest) != digest:
            yield f"its {part} has other files"
    if first.seed != second.seed:
        yield "its seed is another one"

    sampled = {board.label: board.sampled for board in first.boards}
    for board in second.boards:
        boards = sampled.get(board.label, board.sampled)
        number = len(board.sampled)
        if len(boards) != number:
            yield f"its board {board.label} has {number} sampled boards, not {len(boards)}"
        elif boards != board.sampled:
            yield f"its board {board.label} has other sampled boards"
    yield from _different_fields(first.conditions, second.conditions)
    yield from _different_fields(first, second, JOINED)


def _different_fields(
    first: Event | Conditions,
    second: Event | Conditions,
    ignored: Collection[str] = (),
) -> Iterator[str]:
    """Yield the fields in which two values of the same type differ, in words."""
    for field in fields(first):
        if field.name in ignored:
            continue
        value = getattr(second, field.name)
        expected = getattr(first, field.name)
        if value != expected:
            yield f"its {field.name} is {value!r}, not {expected!r}"


def _digests(event: Event) -> dict[str, str]:
    """Return the digest of each board and bot, by the words that name it."""
    boards = {f"board {board.label}": board.digest for board in event.boards}
    bots = {f"bot {bot.name}": bot.digest for bot in event.bots}
    return boards | bots
