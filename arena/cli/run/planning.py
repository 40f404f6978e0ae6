"""`arena run --plan`: the number of matches on each board, and about how long they take."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.cli import output
from arena.cli.run.watching import duration
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


def lines(event: Event, done: Collection[str], measured: Mapping[str, float]) -> tuple[Line, ...]:
    """Return the plan board by board; a board that was never played takes as long as the others do, or a guess."""
    from arena.event import schedules

    schedule = schedules.find(event.schedule)
    matches = schedule.count(event)
    # The plan itself only tells which part of it is done: of 600,000 matches it takes 20 s and 350 MB.
    played = Counter(match.label for match in (schedule.plan(event) if done else ()) if match.id in done)
    other = sum(measured.values()) / len(measured) if measured else GUESSED_MATCH_S
    return tuple(
        Line(board.label, matches[board.label], played[board.label], measured.get(board.label, other))
        for board in event.boards
    )


def show(event: Event, folder: Path, workers: int, *, json: bool) -> None:
    """Print the plan of an event."""
    from arena.results.archive import Archive, NoResultsError

    try:
        with Archive.open(folder, writing=False) as archive:
            done, measured = archive.ids(), archive.mean_seconds()
    except NoResultsError:
        done, measured = set(), {}
    plan = [(line.board, line.matches, line.played, line.seconds(workers)) for line in lines(event, done, measured)]
    if json:
        headers = ("board", "matches", "played", "seconds")
        output.print_json(dict(zip(headers, row, strict=True)) for row in plan)
        return
    _, matches, played, seconds = zip(*plan, strict=True)
    rows = [*plan, ("all", sum(matches), sum(played), sum(seconds))]
    cells = [(*row[:3], duration(row[3])) for row in rows]
    output.print_table(output.make_table(("board", "matches", "played", "time"), cells))
    source = "by the mean time of the matches played before" if measured else f"guessed at {GUESSED_MATCH_S} s a match"
    print(f"{len(event.bots)} bots; time left {source}, with {workers} at a time")
