"""Rows of whole numbers as values: a number for each, where they change, sums of runs of them. Exact throughout."""

import numpy as np
import numpy.typing as npt

from arena.ratings.fitting.columns import Ints

LARGEST = 2**62  # what a key may reach before its parts are numbered anew


def key(*columns: Ints) -> Ints:
    """One number for each row: equal rows have equal numbers, and their order is that of the rows."""
    number, values = np.zeros_like(columns[0]), 1
    for column in columns:
        low = int(column.min(initial=0))
        width = int(column.max(initial=0)) - low + 1
        if values * width >= LARGEST:
            number, values = ranked(number)
        if values * width >= LARGEST:
            column, width = ranked(column)
            low = 0
        number, values = number * width + (column - low), values * width
    return number


def ranked(values: Ints) -> tuple[Ints, int]:
    """Each value's position among the different ones, and how many there are."""
    unique, rank = np.unique(values, return_inverse=True)
    return rank.astype(np.int64), len(unique)


def changes(*columns: Ints) -> npt.NDArray[np.bool_]:
    """Where a row differs from the one before it; true for the first."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    rows = np.column_stack(columns)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return new


def sums(rows: Ints, starts: Ints) -> Ints:
    """The sum of each run of rows, by where it starts."""
    return np.add.reduceat(rows, starts, axis=0) if len(starts) else rows[:0]
