"""`arena run --plan`: how many matches, of what, and about how long."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.cli import screen
from arena.cli.run.progress import duration
from arena.event import Event

GUESS = 0.3  # seconds that a match of the shipped bots takes on a small machine
HEADERS = ("board", "matches", "played", "seconds")


@dataclass(frozen=True)
class Line:
    """One board of a plan."""

    board: str
    matches: int
    played: int
    each: float
    """Seconds that one match takes."""

    def seconds(self, workers: int) -> float:
        """Expected time for what is left of it."""
        return (self.matches - self.played) * self.each / workers


def lines(event: Event, done: Collection[str], measured: Mapping[str, float]) -> tuple[Line, ...]:
    """The plan board by board; a board that was never played takes as long as the others do, or a guess."""
    from arena import schedules

    plan = schedules.find(event.schedule).plan(event)
    matches = Counter(match.label for match in plan)
    played = Counter(match.label for match in plan if match.id in done)
    other = sum(measured.values()) / len(measured) if measured else GUESS
    return tuple(
        Line(board.label, matches[board.label], played[board.label], measured.get(board.label, other))
        for board in event.boards
    )


def show(event: Event, folder: Path, workers: int, *, json: bool) -> None:
    """Print the plan of an event."""
    done, measured = _history(folder)
    plan = lines(event, done, measured)
    if json:
        rows = ((line.board, line.matches, line.played, line.seconds(workers)) for line in plan)
        screen.print_json(dict(zip(HEADERS, row, strict=True)) for row in rows)
        return
    seconds = [line.seconds(workers) for line in plan]
    shown = [(line.board, line.matches, line.played, duration(time)) for line, time in zip(plan, seconds, strict=True)]
    total = (sum(line.matches for line in plan), sum(line.played for line in plan), duration(sum(seconds)))
    screen.show(screen.table((*HEADERS[:3], "time"), [*shown, ("all", *total)]))
    source = "by the mean time of the matches played before" if measured else f"guessed at {GUESS} s a match"
    print(f"{len(event.bots)} bots; time left {source}, with {workers} at a time")


def _history(folder: Path) -> tuple[set[str], dict[str, float]]:
    """The ids that are on disk, and each board's mean seconds a match."""
    from arena.archive import Archive

    if not (folder / "event.sqlite").is_file():
        return set(), {}
    with Archive.open(folder, writing=False) as archive:
        # A bot that was absent costs no time: such matches say nothing about the others.
        means = archive.rows("select game, board, avg(seconds) from matches where turns > 0 group by game, board")
        return archive.ids(), {f"{game}/{board}": mean for game, board, mean in means}
