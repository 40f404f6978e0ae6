"""Archives of one event that was played in several places, joined into one; and single matches taken into an event.

It decides what may be joined. It reads the archives and writes a new one; it does not know where
workspaces keep them.
"""

# A match has the same id wherever it is played, whatever other boards and bots are entered there.
# So a union by id is all that is to do, also where one place played other boards or bots of the
# event than another. Where two archives have a record of one match with equal moves and an equal
# verdict, only clocks differ, and the record of the archive that is named first stays. Where moves
# differ, a bot uses chance of its own, or one of the machines was at fault. Then nobody knows which
# record is right, so the caller must choose (`keep_first`), or nothing is merged.
#
# The records are copied a batch at a time. Which of them count is decided at the end, when all are
# there: a later batch of a plan may depend on results that another archive has.

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

from arena.errors import ArenaError
from arena.event import placings, plan
from arena.results.archive import Archive, inspection, records
from arena.values import Event, Match, Record

BATCH = 200  # matches in one transaction
NAMED = 5  # conflicts that are named; the others are counted


def joined_event(archives: Sequence[Archive]) -> Event:
    """Return the event of which all archives are a part: with the boards and bots of all, and the most repeats.

    ArenaError when they are parts of different events: a bot or a board of one name differs, or any
    other key does.
    """
    joined = archives[0].event()
    for archive in archives[1:]:
        event = archive.event()
        if (difference := next(_differences(joined, event), None)) is not None:
            raise ArenaError(
                f"{archive.folder}: is of another event than {archives[0].folder}: {difference}"
            )
        labels = {board.label for board in joined.boards}
        bots = {bot.name: bot for bot in (*event.bots, *joined.bots)}
        limits = joined.max_matches, event.max_matches
        joined = replace(
            joined,
            boards=(
                *joined.boards,
                *(board for board in event.boards if board.label not in labels),
            ),
            bots=tuple(bots[name] for name in sorted(bots)),
            repeats=max(joined.repeats, event.repeats),
            max_matches=None if None in limits else max(filter(None, limits)),
        )
    return joined


def merge(
    event: Event,
    archives: Sequence[Archive],
    target: Archive,
    bots: Path,
    *,
    keep_first: bool = False,
    tell: Callable[[int, int], object] = lambda _done, _total: None,
) -> tuple[int, int]:
    """Copy all records and aborts into an empty archive of this event.

    Return how many matches it has then, and how many of them count. `bots` is the folder that will
    hold the copies of the bots. `tell` hears how many records of how many are copied. ArenaError if
    two archives have different records of a match, unless `keep_first`.
    """
    copies = (
        bot
        if bot.files is None
        else replace(bot, files=str(bots / bot.digest / Path(bot.files).name))
        for bot in event.bots
    )
    event = replace(event, bots=tuple(copies))
    target.begin(event, "", tuple)
    total = sum(archive.of_all_versions().count() for archive in archives)
    copied = 0
    conflicts: list[str] = []
    for archive in archives:
        numbers = archive.of_all_versions().numbers_in_order()
        for start in range(0, len(numbers), BATCH):
            batch = [_record(archive, number) for number in numbers[start : start + BATCH]]
            stored = target.transcripts([record.match.id for record in batch])
            transcripts = {record.match.id: records.transcript(record) for record in batch}
            conflicts += [match for match in stored if stored[match] != transcripts[match]]
            if not conflicts or keep_first:
                target.append(*batch)
            copied += len(batch)
            tell(copied, total)
        known = set(target.aborts())
        for abort in archive.aborts():
            if abort not in known:
                target.append_abort(abort)
        if conflicts and not keep_first:
            more = f" and {len(conflicts) - NAMED} more" if len(conflicts) > NAMED else ""
            raise ArenaError(
                f"{archive.folder}: has other moves or another verdict than an archive before it of the matches "
                f"{', '.join(conflicts[:NAMED])}{more}; with --keep-first the record of the archive named first stays"
            )
    # Under the interim key of `begin` above every record counts. Under its own key those of the
    # plan do.
    plan.begin(event, target)
    walked = plan.Plan(event, target)
    walked.walk_on()
    placings.store_batches(event, walked, target)
    counting = target.count()
    target.append_stop(walked.stop(counting, late=False))
    return target.of_all_versions().count(), counting


def add(source: Path, target: Path, bots: Path, *, newer: bool) -> None:
    """Add the matches of one archive to another, whose records stay; its event too, unless the source's is `newer`.

    `bots` is the folder of the copies of the bots.
    """
    Archive.make(target)  # unless it is there
    with Archive.open(source) as others, Archive.open(target, writing=True) as ours:
        event = (others if newer or not ours.of_all_versions().count() else ours).event()
        merge(event, (others,), ours, bots, keep_first=True)


def take(archive: Archive, given: Sequence[tuple[Path, Record]]) -> tuple[bool, ...]:
    """Take records from files into an archive that is open for writing; return of each whether it is new there.

    The rules have confirmed them. ArenaError, and nothing is taken, if the event plans no such
    match, or if the archive has another record of it.
    """
    wanted = {record.match.id for _, record in given}
    known = (each.match for each in plan.Plan(archive.event(), archive).known())
    planned = {
        match.id: match
        for match in islice((match for match in known if match.id in wanted), len(wanted))
    }
    stored = archive.transcripts(list(wanted))
    taken, new = [], []
    for path, record in given:
        match = record.match
        # An id says which match it is. A record with the id of a planned match would count as that
        # match, so nothing else may have it.
        if match.id not in planned or essence(match) != essence(planned[match.id]):
            raise ArenaError(
                f"{path}: {archive.folder} plans no match {match.id} of these bots, boards, seeds and conditions; "
                f"`arena replay {path}` shows it without an event"
            )
        if stored.get(match.id, transcript := records.transcript(record)) != transcript:
            raise ArenaError(
                f"{path}: {archive.folder} has another record of match {match.id}, and keeps it"
            )
        taken.append(
            replace(record, match=planned[match.id])
        )  # the text decides nothing about bots but their moves
        new.append(match.id not in stored)
        stored[match.id] = transcript  # two files may have the same match
    archive.append(*taken)
    return tuple(new)


def essence(match: Match) -> tuple[object, ...]:
    """Return what the id of a match stands for, and what its draws are made from."""
    seats = tuple((seat.role, seat.bot.name, seat.bot.digest) for seat in match.seats)
    return (
        match.label,
        match.repeat,
        match.seed,
        match.key,
        match.opening,
        match.sampled,
        match.conditions,
        seats,
    )


def _record(archive: Archive, number: int) -> Record:
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
    "confidence",
    *plan.IRRELEVANT,
}
"""Fields of an event that may differ, or that are compared in words of their own."""


def _differences(first: Event, other: Event) -> Iterator[str]:
    """Yield why two events have no plan in common."""
    before, now = _digests(first), _digests(other)
    yield from (
        f"its {part} has other files" for part in now if before.get(part, now[part]) != now[part]
    )
    if first.seed != other.seed:
        yield "its seed is another one"
    sampled = {board.label: board.sampled for board in first.boards}
    for board in other.boards:
        boards = sampled.get(board.label, board.sampled)
        if len(boards) != len(board.sampled):
            yield f"its board {board.label} has {len(board.sampled)} sampled boards, not {len(boards)}"
        elif boards != board.sampled:
            yield f"its board {board.label} has other sampled boards"
    for old, new in ((first.conditions, other.conditions), (first, other)):
        for each in fields(old):
            if (old is not first or each.name not in JOINED) and getattr(old, each.name) != getattr(
                new, each.name
            ):
                yield f"its {each.name} is {getattr(new, each.name)!r}, not {getattr(old, each.name)!r}"


def _digests(event: Event) -> dict[str, str]:
    return {f"board {board.label}": board.digest for board in event.boards} | {
        f"bot {bot.name}": bot.digest for bot in event.bots
    }
