"""The places by the rules of a Swiss or a knockout, from the results on disk.

The leaderboard's rating knows matches only; a bye is no match, and a bracket has a winner whatever the ratings say. So
each game of such an event has this table beside its leaderboard. The schedule makes it; other schedules have none.
"""

from dataclasses import asdict
from typing import Any

from arena.display_names import display_names
from arena.event import schedules
from arena.event.plan import Plan
from arena.event.schedules._pairings import Placing, leagues
from arena.results.archive import Archive
from arena.results.columns import PLACINGS, Column

LEFT_OUT = {"swiss": ("out",), "knockout": ("drawn", "buchholz")}
"""Columns that say nothing about the events of a schedule."""


def placings(archive: Archive) -> list[dict[str, Any]]:
    """Return the rows of a stored event's tables after its complete batches; none where its schedule has no table.

    The keys are those of `PLACINGS`.
    """
    event = archive.event()
    table = getattr(schedules.find(event.schedule), "placings", None)
    if table is None:
        return []
    plan = Plan(event, archive)
    plan.walk_on()
    placed: list[tuple[str, Placing]] = [
        (league.games[0], row) for league, own in leagues(event, plan.complete_batches()) for row in table(league, own)
    ]
    shown = display_names(event.bots)
    return [
        {"game": game}
        | asdict(row)
        | {"points": float(row.points), "buchholz": None if row.buchholz is None else float(row.buchholz)}
        | {"display": shown[row.bot]}
        for game, row in placed
    ]


def shown_columns(schedule: str) -> list[Column]:
    """Return the columns that a reader of a game's table sees, where a bot has the name to show."""
    return [column for column in PLACINGS.columns[1:-1] if column.name not in LEFT_OUT.get(schedule, ())]
