"""`arena run --plan`: the number of matches on each board, and about how long they take."""

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.cli import output
from arena.cli.watching import duration
from arena.values import Event

GUESSED_MATCH_S = 0.3  # a match of the shipped bots on a small machine


@dataclass(frozen=True)
class Line:
    """One board of a plan."""

    board: str
    matches: int
    played: int
    match_seconds: float
    """Seconds that one match takes."""

    def seconds(self, workers: int) -> float:
        """Return the expected time for the matches that are not yet played."""
        return (self.matches - self.played) * self.match_seconds / workers


def lines(event: Event, played: Mapping[str, int], measured: Mapping[str, float]) -> tuple[Line, ...]:
    """Return the plan board by board; a board that was never played takes as long as the others do, or a guess."""
    from arena.event import plan

    matches = plan.counts(event)
    mean_s = sum(measured.values()) / len(measured) if measured else GUESSED_MATCH_S
    return tuple(
        Line(board.label, matches[board.label], played.get(board.label, 0), measured.get(board.label, mean_s))
        for board in event.boards
    )


def show(event: Event, folder: Path, workers: int, *, json: bool) -> None:
    """Print the plan of an event."""
    from arena.event import plan, schedules
    from arena.results.archive import Archive, NoResultsError

    played: Counter[str] = Counter()
    measured: Mapping[str, float] = {}
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        measured = archive.mean_seconds()
        played.update(match.label for match in plan.stored(event, archive))
    rows = [(line.board, line.matches, line.played, line.seconds(workers)) for line in lines(event, played, measured)]
    if json:
        headers = ("board", "matches", "played", "seconds")
        output.print_json(dict(zip(headers, row, strict=True)) for row in rows)
        return
    seconds = sum(row[3] for row in rows)
    rows.append(("all", schedules.total(event), played.total(), seconds))
    at_most = schedules.at_most(event)
    cells = [(*row[:3], duration(row[3])) for row in rows]
    output.print_table(output.make_table(("board", f"{at_most}matches", "played", "time"), cells))
    source = "by the mean time of the matches played before" if measured else f"guessed at {GUESSED_MATCH_S} s a match"
    print(f"{len(event.bots)} bots; time left {source}, with {workers} at a time")
    if event.stop_when is not None:
        print(f"the event ends earlier when the {event.stop_when} (stop_when)")
    if event.stop_after is not None:
        print(f"a run begins no more matches after {duration(event.stop_after)} (stop_after)")
