"""`arena run --plan`: the number of matches on each board, and about how long they take."""

import contextlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from arena.cli import output
from arena.cli.watching import duration
from arena.event import schedules
from arena.values import Event

GUESSED_MATCH_S = 0.3  # a match of the shipped bots on a small machine


def show(event: Event, folder: Path, workers: int, *, json: bool) -> None:
    """Print the plan of an event; a board that was never played takes as long as the others do, or a guess."""
    from arena.event import plan
    from arena.results.archive import Archive, NoResultsError

    played: Counter[str] = Counter()
    measured: Mapping[str, float] = {}
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        measured = archive.mean_seconds()
        played.update(match.label for match in plan.Plan(event, archive).stored())
    mean_s = sum(measured.values()) / len(measured) if measured else GUESSED_MATCH_S
    rows = [
        (label, matches, played[label], (matches - played[label]) * measured.get(label, mean_s) / workers)
        for label, matches in plan.counts(event).items()
    ]
    if json:
        headers = ("board", "matches", "played", "seconds")
        output.print_json(dict(zip(headers, row, strict=True)) for row in rows)
        return
    rows.append(("all", schedules.total(event), played.total(), sum(row[3] for row in rows)))
    cells = [(*row[:3], duration(row[3])) for row in rows]
    output.print_table(output.make_table(("board", f"{schedules.at_most(event)}matches", "played", "time"), cells))
    source = "by the mean time of the matches played before" if measured else f"guessed at {GUESSED_MATCH_S} s a match"
    print(f"{len(event.bots)} bots; time left {source}, with {workers} at a time")
    if event.stop_when is not None:
        print(f"the event ends earlier when the {event.stop_when} (stop_when)")
    if event.stop_after is not None:
        print(f"a run begins no more matches after {duration(event.stop_after)} (stop_after)")
