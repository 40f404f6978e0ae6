"""Who met whom, and what of it tells nothing: why a rating should be read with care."""

import numpy as np

from arena.ratings.fitting.columns import Ints
from arena.ratings.fitting.evidence import Evidence


def groups(seen: Evidence) -> tuple[tuple[str, ...], ...]:
    """The bots that are tied together by matches, largest group first; more than one can't be compared.

    A board for one bot alone ties all that played it together.
    """
    number = np.arange(len(seen.bots) + len(seen.places))
    for one, other in _ties(seen).tolist():
        low, high = sorted((_root(number, one), _root(number, other)))
        number[high] = low
    roots: dict[int, list[str]] = {}
    for bot in np.unique(seen.seats[seen.seats >= 0]).tolist():
        roots.setdefault(_root(number, bot), []).append(seen.bots[bot])
    return tuple(sorted((tuple(bots) for bots in roots.values()), key=lambda bots: (-len(bots), bots)))


def repeated(seen: Evidence) -> int:
    """How many matches add nothing, because the same bots had played the same moves before."""
    return int((seen.matches - seen.different).sum())


def _ties(seen: Evidence) -> Ints:
    """Pairs of a bot and another, or of a bot and a board that it played alone; places come after the bots."""
    alone = np.where(seen.seats[:, 1:].max(axis=1, initial=-1) < 0, len(seen.bots) + seen.where[:, 0], -1)
    others = np.column_stack((alone, seen.seats[:, 1:]))
    pairs = np.stack((np.repeat(seen.seats[:, 0], others.shape[1]), others.ravel()), axis=1)
    return np.unique(pairs[pairs[:, 1] >= 0], axis=0)


def _root(number: Ints, at: int) -> int:
    while number[at] != at:
        at = int(number[at])
    return at
