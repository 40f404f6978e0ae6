"""`arena import`: take matches from texts into an event, once the rules confirm them."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, output, paths, stored_match
from arena.errors import ArenaError
from arena.values import Match


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files that `arena export --match` wrote.")],
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="EVENT", help="The event that takes them; default: the one here."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Take matches that `arena export --match` wrote into an event, once the rules confirm them."""
    from arena.event import plan
    from arena.results.archive import Archive, records

    folder = paths.event_folder(into)
    read = {path: stored_match.read_record(path) for path in files}
    rows: list[dict[str, object]] = []
    with Archive.open(folder, writing=True) as archive:
        wanted = {record.match.id for record in read.values()}
        planned: dict[str, Match] = {}
        for each in plan.known(archive.event(), archive):
            if each.match.id in wanted:
                planned[each.match.id] = each.match
                if planned.keys() == wanted:
                    break
        stored = archive.transcripts_of(list(wanted))
        for path, record in read.items():
            match = record.match
            # An id says which match it is. A record with the id of a planned match would count as that match, so
            # nothing else may have it.
            if match.id not in planned or _essence(match) != _essence(planned[match.id]):
                raise ArenaError(
                    f"{path}: {folder} plans no match {match.id} of these bots, boards, seeds and conditions; "
                    f"`arena replay {path}` shows it without an event"
                )
            if stored.get(match.id, transcript := records.transcript(record)) != transcript:
                raise ArenaError(f"{path}: {folder} has another record of match {match.id}, and keeps it")
            read[path] = replace(record, match=planned[match.id])  # the text decides nothing about bots but their moves
            rows.append({"file": str(path), "match": match.id, "new": match.id not in stored})
            stored[match.id] = transcript  # two files may have the same match
        archive.append(*read.values())
    if json:
        output.print_json(rows)
        return
    for row in rows:
        print(f"match {row['match']}: {'imported' if row['new'] else 'was there already'}")


def _essence(match: Match) -> tuple[object, ...]:
    """Return what the id of a match stands for, and what its draws are made from."""
    seats = tuple((seat.role, seat.bot.name, seat.bot.digest) for seat in match.seats)
    return match.label, match.repeat, match.seed, match.key, match.opening, match.sampled, match.conditions, seats
