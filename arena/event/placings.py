"""The places by the rules of a Swiss or a knockout, from the results on disk.

The leaderboard's rating knows matches only; a bye is no match, and a bracket has a winner whatever
the ratings say. So each game of such an event has this table beside its leaderboard. The schedule
makes it; other schedules have none.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from arena.display_names import display_names
from arena.event import schedules
from arena.event.plan import Plan
from arena.event.schedules._pairings import leagues
from arena.results.archive import Archive
from arena.results.archive.records import Place
from arena.results.columns import PLACINGS, Column
from arena.values import Batch, Event

LEFT_OUT = {"swiss": ("out",), "knockout": ("drawn", "buchholz")}
"""Columns that say nothing about the events of a schedule."""


def placings(archive: Archive) -> list[dict[str, Any]]:
    """Return the rows of the tables of a stored event after its complete batches.

    There are none where its schedule has no table. The keys are those of `PLACINGS`. The table that
    the run stored is used if there is one.
    """
    event = archive.event()
    if not has_places(event):
        return []
    plan = Plan.resumed(event, archive)
    complete = plan.look()
    stored = plan.batches.get(complete - 1)
    if stored is None or stored.places is None:
        rows = places(event, plan.complete_batches())
    else:
        rows = stored.places
        bots: list[tuple[str, str]] = []
        for league, _ in leagues(event):
            for bot in league.bots:
                bots.append((league.games[0], bot.name))
        if sorted((row.game, row.bot) for row in rows) != sorted(bots):
            raise archive.damaged("the places after its last round are not those of its bots")
    labels = display_names(event.bots)
    return [row._asdict() | {"display": labels[row.bot]} for row in rows]


def has_places(event: Event) -> bool:
    """Return whether the schedule of an event makes a table of places."""
    return getattr(schedules.find(event.schedule), "placings", None) is not None


def places(event: Event, history: Sequence[Batch]) -> tuple[Place, ...]:
    """Return the table of each game after these batches; none where the schedule has no table."""
    table = getattr(schedules.find(event.schedule), "placings", None)
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


def store_batches(plan: Plan) -> None:
    """Store the batches that began or ended since the last call, with the places after them."""
    batches = plan.unstored()
    for number, batch in batches.items():
        if batch.complete and not batch.cut and batch.places is None and has_places(plan.event):
            history = [plan.results(earlier) for earlier in range(number + 1)]
            batches[number] = replace(batch, places=places(plan.event, history))
    if batches:
        plan.archive.store_batches(batches)
        plan.batches.update(batches)


def shown_columns(schedule: str) -> list[Column]:
    """Return the columns that a reader of a game's table sees, where a bot has the name to show."""
    left_out = LEFT_OUT.get(schedule, ())
    return [column for column in PLACINGS.columns[1:-1] if column.name not in left_out]
