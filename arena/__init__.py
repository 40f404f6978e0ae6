"""Bot tournaments: a referee, a line protocol, schedules, standings and charts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.leaderboard import Results

__version__ = "0.1.0"


def open_results(path: str) -> "Results":
    """The results of an event, such as `results/demo`, as pandas frames; see `arena.leaderboard.Results`."""
    from arena.leaderboard import Results  # pandas takes half a second to import: only who reads results pays it

    return Results.open(path)
