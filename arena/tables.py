"""Frames as CSV files and as plain rows. It knows no column but the clock's, whose figures want more decimals.

The same frame gives the same bytes, a file is whole or not there, and no cell is a formula to a spreadsheet.
"""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

DECIMALS = 4
MICROSECONDS = 6  # decimals of a frame of clock readings
FORMULA = ("=", "+", "-", "@", "\t")


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Write a frame as CSV: UTF-8, LF, rounded; half of a surrogate pair is escaped."""
    text = StringIO()
    safe = frame.copy(deep=False)
    for name in frame.select_dtypes(exclude="number"):
        safe[name] = _harmless(frame[name])
    safe.to_csv(
        text, index=False, lineterminator="\n", float_format=f"%.{_decimals(frame)}f", quoting=csv.QUOTE_MINIMAL
    )
    part = path.with_suffix(".part")
    part.write_bytes(text.getvalue().encode("utf-8", "backslashreplace"))
    part.replace(path)
    return path


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A frame as plain rows for JSON: missing values are None, figures are rounded as in the CSV files."""
    rounded = frame.round(_decimals(frame))
    plain = rounded.astype(object).where(rounded.notna(), None)
    return [
        {str(key): value.item() if isinstance(value, np.generic) else value for key, value in row.items()}
        for row in plain.to_dict("records")
    ]


def _decimals(frame: pd.DataFrame) -> int:
    return MICROSECONDS if any(str(column).startswith("wall") for column in frame) else DECIMALS


def _harmless(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Texts that a spreadsheet would run as a formula get a quote in front; no carriage return ends a row early."""
    texts = (cell for cell in column.unique() if isinstance(cell, str))
    changed = {text: safe for text in texts if (safe := _quoted(text)) != text}
    return column.map(lambda cell: changed.get(cell, cell)) if changed else column


def _quoted(cell: str) -> str:
    text = cell.replace("\r", "\\r")
    return f"'{text}" if text.startswith(FORMULA) else text
