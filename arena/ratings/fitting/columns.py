"""Matches as columns: what ratings read, so that a million matches need no Python object each.

It owns the shape of the input and its making from `Played`. It knows nothing of fits. One array has an entry a match,
another an entry a seat; names stand once, in `bots` and `places`. Any order of matches, seats and names will do: what
is made of them is sorted first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.event import Played
from arena.game import Role

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

UNKNOWN = -1
"""The transcript of a match of which only the scores are known: unlike every other."""


class Place(NamedTuple):
    """A role on a board, and the side it belongs to."""

    label: str
    """`game/board`."""
    role: Role
    side: int
    """Roles of one number on one board win together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Columns:
    """The matches of an event, each with one seat for every role of its board."""

    bots: tuple[str, ...]
    places: tuple[Place, ...]
    seed: Ints
    """A match: its seed. Matches of the same bots with the same seed (the legs) are one block."""
    transcript: Ints
    """A match: a hash of its moves, 0 or above, or UNKNOWN. Of one seating, equal hashes are the same match again."""
    match: Ints
    """A seat: its match, as a position in `seed`."""
    bot: Ints
    """A seat: a position in `bots`."""
    place: Ints
    """A seat: a position in `places`."""
    score: Ints
    """A seat: 0 to 100."""


def of(played: Iterable[Played], transcripts: Mapping[str, int] | None = None) -> Columns:
    """The columns of these matches; `transcripts` gives the hash of a match's moves by its id, where it is known."""
    known = transcripts or {}
    bots: dict[str, int] = {}
    places: dict[Place, int] = {}
    matches: list[tuple[int, int]] = []
    seats: list[tuple[int, int, int, int]] = []
    for number, match in enumerate(played):
        matches.append((match.seed, known.get(match.id, UNKNOWN)))
        for role, bot in match.seats.items():
            side = next(side for side, roles in enumerate(match.sides) if role in roles)
            place = places.setdefault(Place(match.label, role, side), len(places))
            seats.append((number, bots.setdefault(bot, len(bots)), place, match.scores[role]))
    by_match = np.array(matches, dtype=np.int64).reshape(-1, 2).T
    by_seat = np.array(seats, dtype=np.int64).reshape(-1, 4).T
    return Columns(
        bots=tuple(bots),
        places=tuple(places),
        seed=by_match[0],
        transcript=by_match[1],
        match=by_seat[0],
        bot=by_seat[1],
        place=by_seat[2],
        score=by_seat[3],
    )
