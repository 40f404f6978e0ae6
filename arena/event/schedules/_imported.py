"""Imported: nothing is planned, because all matches were played without arena.

An archive of imported matches has this schedule, and no tournament.toml can name it. All matches
that are stored count.
"""

from collections.abc import Iterable, Mapping, Sequence

from arena.values import Batch, Event, Match

BEHIND = 0


def batch(
    _event: Event,
    _number: int,
    _history: Sequence[Batch],
) -> Iterable[Match]:
    """Yield no match."""
    return ()


def count(event: Event) -> Mapping[str, int]:
    """Return 0 for each board."""
    return {board.label: 0 for board in event.boards}
