"""Rows of whole numbers as values: a number for each row, changes between rows, sums of runs of rows. All are exact."""

import numpy as np

from arena.results.arrays import Ints, Mask

LARGEST = 2**62
"""Keys stay below this, within 64 bits: the parts of a larger key are numbered anew."""


def key(*columns: Ints) -> Ints:
    """Return a number for each row: equal rows have equal numbers, and the numbers have the order of the rows."""
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
    """Return each value's index among the different ones, and the number of different ones."""
    unique, index = np.unique(values, return_inverse=True)
    return index.astype(np.int64), len(unique)


def changes(*columns: Ints) -> Mask:
    """Return True for each row that differs from the row before it, and for the first."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    rows = np.column_stack(columns)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return new


def sums(rows: Ints, starts: Ints) -> Ints:
    """Return the sum of each run of rows; `starts` has the first row of each run."""
    return np.add.reduceat(rows, starts, axis=0) if len(starts) else rows[:0]
