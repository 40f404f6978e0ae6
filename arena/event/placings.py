"""The places by the rules of a Swiss or a knockout, from the results on disk.

The leaderboard's rating knows matches only; a bye is no match, and a bracket has a winner whatever the ratings say. So
such an event has this table beside its leaderboard. The schedule makes it; other schedules have none.
"""

from itertools import count

from arena.event import plan, schedules
from arena.event.schedules._pairings import Placing
from arena.results.archive import Archive
from arena.values import Batch


def placings(archive: Archive) -> tuple[Placing, ...]:
    """Return the table of a stored event after its complete batches; empty where its schedule has none."""
    event = archive.event()
    schedule = schedules.find(event.schedule)
    table = getattr(schedule, "placings", None)
    if table is None:
        return ()
    walked: dict[int, list[str]] = {}  # the plan may end in the middle of a batch
    for planned in plan.known(event, archive):
        if planned.stored:
            walked.setdefault(planned.batch, []).append(planned.match.id)
    history: list[Batch] = []
    for number in count():
        batch = schedule.batch(event, number, history[: max(0, number - schedule.BEHIND)])
        ids = [match.id for match in batch]
        if not ids or walked.get(number) != ids:
            break
        history.append(archive.played_of(ids))
    placed: tuple[Placing, ...] = table(event, history)
    return placed
