"""Work and results as bytes: what the driver and a machine both have travels by its name.

A match names its bots, and a record its match. So no path of one machine reaches another, and a record comes back with
the very match that was given out.
"""

import io
import pickle
import zlib
from dataclasses import fields
from functools import lru_cache
from typing import Any

from arena.values import Bot, Conditions, Event, Match, Seat

PROTOCOL = 5
MESSAGES_KEPT = {"distributed.admin.low-level-log-length": 10}
"""A setting of dask: how many of the last messages of a connection stay in memory, whole, for dask's own developers.

By default it is 1,000, and with a parcel in each the driver grew by 60 MB. A scheduler that a user starts has the
default, unless its environment says otherwise (docs/clusters.md).
"""
PLAIN = tuple(field.name for field in fields(Match) if field.name not in {"rules", "seats", "conditions"})
"""The fields of a match that are the same on every machine."""


class _Packer(pickle.Pickler):
    """Pickles values, with matches and bots by name."""

    def __init__(self, file: io.BytesIO, conditions: Conditions | None, scale: float) -> None:
        super().__init__(file, PROTOCOL)
        self._conditions, self._scale = conditions, scale

    def persistent_id(self, value: object) -> object:
        if isinstance(value, Bot):
            return "bot", value.name
        if not isinstance(value, Match):
            return None
        if self._conditions is None:
            return "record's", value.id
        return (
            "planned",
            {name: getattr(value, name) for name in PLAIN},
            tuple((seat.role, seat.bot.name) for seat in value.seats),
            self._scale,
            None if value.conditions == self._conditions else value.conditions,
        )


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, names: "Names") -> None:
        super().__init__(file)
        self._names = names

    def persistent_load(self, name: Any) -> object:
        kind, *values = name
        if kind == "bot":
            return self._names.bots[values[0]]
        if kind == "record's":
            return self._names.matches[values[0]]
        return self._names.match(*values)


class Names:
    """The bots, boards and matches of an event, by which values are packed and unpacked on one side."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._rules = {board.label: board.rules for board in event.boards}
        self.bots = {bot.name: bot for bot in event.bots}
        self.matches: dict[str, Match] = {}
        """The matches that are given out, by id; only the driver has them."""

    def order(self, value: object, scale: float) -> bytes:
        """Pack work for a machine whose bots get `scale` times the time."""
        return _packed(value, self._event.conditions, scale)

    def unpacked(self, data: bytes) -> Any:
        """Return the value that the other side packed."""
        return _Unpacker(io.BytesIO(data), self).load()

    def match(
        self, plain: dict[str, Any], seats: tuple[tuple[str, str], ...], scale: float, conditions: Conditions | None
    ) -> Match:
        """Return a match as this side has it, with its bots' files and rules here, and with its time scaled."""
        return Match(
            rules=self._rules[f"{plain['game']}/{plain['board']}"],
            seats=tuple(Seat(role, self.bots[bot]) for role, bot in seats),
            conditions=_scaled(conditions or self._event.conditions, scale),
            **plain,
        )


def parcel(orders: list[bytes]) -> bytes:
    """Pack the orders of a parcel for its way through the scheduler.

    They have much in common: 500 of them take 10 kB instead of 149. That matters because dask's scheduler remembers
    messages (MESSAGES_KEPT).
    """
    return zlib.compress(pickle.dumps(orders, PROTOCOL), 1)


def orders(parcel: bytes) -> list[bytes]:
    """Return the orders of a parcel."""
    unpacked: list[bytes] = pickle.loads(zlib.decompress(parcel))  # noqa: S301 (its driver may run any program here)
    return unpacked


def result(value: object) -> bytes:
    """Pack a result for the driver."""
    return _packed(value, None, 1.0)


_scaled = lru_cache(Conditions.scaled)
"""The same object for all matches of a machine: other caches are keyed by it."""


def _packed(value: object, conditions: Conditions | None, scale: float) -> bytes:
    file = io.BytesIO()
    _Packer(file, conditions, scale).dump(value)
    return file.getvalue()
