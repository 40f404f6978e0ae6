"""The places by the rules of a Swiss or a knockout, from the results of its batches. Pure.

The leaderboard's rating knows matches only; a bye is no match, and a bracket has a winner whatever
the ratings say. So each game of such an event has this table beside its leaderboard. The schedule
makes it; other schedules have none. plan.py stores it with each batch, and reads it.
"""

from collections.abc import Sequence
from dataclasses import asdict

from arena.event import schedules
from arena.event.schedules._pairings import leagues
from arena.results.archive.records import Place
from arena.results.columns import PLACINGS, Column
from arena.values import Batch, Event

LEFT_OUT = {"swiss": ("out",), "knockout": ("drawn", "buchholz")}
"""Columns that say nothing about the events of a schedule."""


def has_places(event: Event) -> bool:
    """Return whether the schedule of an event makes a table of places."""
    return getattr(schedules.find(event.schedule), "placings", None) is not None


def places(event: Event, history: Sequence[Batch]) -> tuple[Place, ...]:
    """Return the table of each game after these batches; none where the schedule has no table."""
    schedule = schedules.find(event.schedule)
    table = getattr(schedule, "placings", None)
    if table is None:
        return ()
    rows: list[Place] = []
    for league, league_history in leagues(event, history):
        for placing in table(league, league_history):
            columns = asdict(placing)
            columns["points"] = float(placing.points)
            if placing.buchholz is not None:
                columns["buchholz"] = float(placing.buchholz)
            rows.append(Place(game=league.games[0], **columns))
    return tuple(rows)


def shown_columns(schedule: str) -> list[Column]:
    """Return the columns that a reader of a game's table sees, where a bot has the name to show."""
    left_out = LEFT_OUT.get(schedule, ())
    return [column for column in PLACINGS.columns[1:-1] if column.name not in left_out]
