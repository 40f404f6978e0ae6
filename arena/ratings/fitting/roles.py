"""What a fit expects of every role, also of those whose score the model left out because another tells it."""

import numpy as np
import numpy.typing as npt

from arena.ratings.fitting.columns import Floats, Ints
from arena.ratings.fitting.evidence import Evidence
from arena.ratings.fitting.fit import Fit


def by_role(seen: Evidence, found: Fit) -> tuple[Floats, Floats]:
    """S x K: the score, 0 to 1, that a role can expect; and its dispersion. Any figure beyond a board's last role."""
    told, against = _told(seen, found)
    expected = found.expected[told]
    return np.where(against, 1 - expected, expected), found.dispersion[told]


def _told(seen: Evidence, found: Fit) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """S x K: the score that tells a role's, and whether by what it leaves of 1.

    Roles stand by sides. One without a score has that of its side's role before it, or is on the second side of two.
    """
    told: Ints = np.full(seen.seats.shape, -1)
    told[found.model.seating, found.model.role] = np.arange(len(found.model.seating))
    side = np.array([place.side for place in seen.places], dtype=np.int64)[seen.where]
    against = np.zeros(told.shape, dtype=np.bool_)
    for role in range(1, told.shape[1]):
        silent, mate = told[:, role] < 0, side[:, role] == side[:, role - 1]
        told[:, role] = np.where(silent, np.where(mate, told[:, role - 1], told[:, 0]), told[:, role])
        against[:, role] = silent & np.where(mate, against[:, role - 1], True)
    return told, against
