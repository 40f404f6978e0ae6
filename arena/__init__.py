"""Bot tournaments: a referee, a line protocol, schedules, standings and charts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.leaderboard import Results

__version__ = "0.1.0"


def open_results(path: str, *, all_versions: bool = False, rating: str | None = None) -> "Results":
    """The results of an event, such as `results/demo`, as pandas frames; see `arena.leaderboard.Results`.

    `all_versions` counts matches of edited bots, boards and rules too; `rating` is another rating than the event's.
    """
    from arena.leaderboard import Results  # pandas takes half a second to import: only who reads results pays it

    return Results.open(path, all_versions=all_versions, rating=rating)
