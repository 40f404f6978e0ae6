"""Work and results as bytes: what the driver and a machine both have travels by its name.

A match names its bots, and a record comes back without its match, for which the driver puts the very one that was given
out. A machine has paths of its own for bots and rules.
"""

import io
import pickle
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.values import Bot, Event, Match

if TYPE_CHECKING:
    from arena.event.director import Work

PROTOCOL = 5
MESSAGES_KEPT = {"distributed.admin.low-level-log-length": 10}
"""A setting of dask: how many of the last messages of a connection stay in memory, whole, for dask's own developers.

By default it is 1,000, and with a parcel in each the driver grew by 60 MB. A scheduler that a user starts has the
default, unless its environment says otherwise (docs/clusters.md).
"""


class _Packer(pickle.Pickler):
    def persistent_id(self, value: object) -> object:
        return value.name if isinstance(value, Bot) else None


class _ResultPacker(pickle.Pickler):
    def persistent_id(self, value: object) -> object:
        return value.id if isinstance(value, Match) else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, named: dict[str, Any]) -> None:
        super().__init__(io.BytesIO(data))
        self._named = named

    def persistent_load(self, name: str) -> object:
        return self._named[name]


def parcel(function: Callable[..., object], items: Sequence["Work"], scale: float) -> bytes:
    """Pack a function and its work for a machine whose bots get `scale` times the time.

    The items have much in common: 500 of them take 10 kB instead of 149. That matters because dask's scheduler
    remembers messages (MESSAGES_KEPT).
    """
    return zlib.compress(_packed(_Packer, (function, items, scale)), 1)


def unpacked(parcel: bytes, event: Event) -> tuple[Callable[..., object], list["Work"]]:
    """Return the function and the work of a parcel, with the bots and rules of this machine, and its time scaled."""
    rules = {board.label: board.rules for board in event.boards}
    function, items, scale = _Unpacker(zlib.decompress(parcel), {bot.name: bot for bot in event.bots}).load()
    works = []
    for work in items:
        match = work.match
        match = replace(match, rules=rules[match.label], conditions=match.conditions.scaled(scale))
        works.append(replace(work, match=match))
    return function, works


def packed_result(value: object) -> bytes:
    """Pack a result for the driver."""
    return _packed(_ResultPacker, value)


def result(data: bytes, match: Match) -> Any:
    """Return the result of this match, or of a roll call for it, that a machine packed."""
    return _Unpacker(data, {match.id: match}).load()


def _packed(packer: type[pickle.Pickler], value: object) -> bytes:
    file = io.BytesIO()
    packer(file, PROTOCOL).dump(value)
    return file.getvalue()
