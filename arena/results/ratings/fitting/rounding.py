"""Figures that are the same on every CPU.

A linear algebra library has code of its own for each kind of CPU, which adds in another order, so the last digits of
its results differ. Therefore each such result is rounded before the next step uses it: every step begins with the same
bits everywhere, and a figure that is 0 by symmetry is 0, not -0.0 or 1e-17.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from arena.results.arrays import Floats

DECIMALS = 10
"""The noise is about 1e-14 of a result near 1, so it hardly ever reaches a digit at which rounding decides."""


def rounded(values: npt.NDArray[np.floating[Any]]) -> Floats:
    """Round to DECIMALS, with 0.0 for -0.0."""
    return np.asarray(np.round(values, DECIMALS) + 0.0, dtype=np.float64)
