"""Frames as CSV files and as plain rows for JSON, rounded as columns.py declares.

The same frame gives the same bytes, a file is whole or absent, and no cell is a formula in a spreadsheet.
"""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from arena import durable
from arena.results.anytext import pd
from arena.results.columns import Columns

FORMULA = ("=", "+", "-", "@", "\t")
"""A spreadsheet runs a cell that begins with one of these as a formula."""


def write(frame: pd.DataFrame, columns: Columns, path: Path, mode: int = durable.SHARED) -> Path:
    """Write a frame with these columns as CSV: UTF-8, LF, rounded; half of a surrogate pair is escaped."""
    safe = _rounded(frame, columns)
    for name in safe.select_dtypes("float"):
        safe[name] = safe[name].map(f"{{:.{columns[str(name)].file_decimals}f}}".format, na_action="ignore")
    for name in frame.select_dtypes(exclude="number"):
        texts = {cell: _harmless(cell) for cell in frame[name].unique() if isinstance(cell, str)}
        changed = {cell: text for cell, text in texts.items() if text != cell}
        safe[name] = frame[name].map(lambda cell, changed=changed: changed.get(cell, cell)) if changed else frame[name]
    text = StringIO()
    safe.to_csv(text, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    return durable.write(path, text.getvalue().encode("utf-8", "backslashreplace"), mode)


def _harmless(cell: str) -> str:
    """Return a text that no spreadsheet runs as a formula, and whose carriage returns do not end the row early."""
    text = cell.replace("\r", "\\r")
    return f"'{text}" if text.startswith(FORMULA) else text


def rows_of(frame: pd.DataFrame, columns: Columns) -> list[dict[str, Any]]:
    """Return a frame with these columns as plain rows for JSON, with figures rounded as in the CSV files.

    Missing values are None, and so are infinite ones, which JSON does not have: an open end of an interval.
    """
    plain = frame.astype(object).where(frame.notna(), None)
    return columns.in_file(
        {str(key): value.item() if isinstance(value, np.generic) else value for key, value in row.items()}
        for row in plain.to_dict("records")
    )


def _rounded(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the frame with its figures rounded, and 0.0 for -0.0."""
    rounded = frame.copy()
    for name in frame.select_dtypes("float"):
        rounded[name] = frame[name].round(columns[str(name)].file_decimals) + 0.0
    return rounded
