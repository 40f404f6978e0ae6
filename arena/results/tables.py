"""Frames as CSV files and as plain rows for JSON, rounded as columns.py declares.

The same frame gives the same bytes, a file is whole or absent, and no cell is a formula in a
spreadsheet.
"""

import csv
import math
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from pandas.api.types import is_float_dtype

from arena import whole_files
from arena.results.anytext import pd
from arena.results.columns import Columns

ROWS = 10_000
"""The rows of a file that are made at once, so that a large event needs little memory."""
FORMULA = ("=", "+", "-", "@", "\t")
"""A spreadsheet runs a cell that begins with one of these as a formula."""


def write(
    frame: pd.DataFrame,
    columns: Columns,
    path: Path,
    mode: int = whole_files.SHARED,
) -> Path:
    """Write a frame with these columns as CSV."""
    content = as_csv(frame, columns)
    return whole_files.write(path, content, mode)


def as_csv(frame: pd.DataFrame, columns: Columns) -> bytes:
    """Return a frame with these columns as CSV: UTF-8, LF, rounded.

    Half of a surrogate pair is escaped.
    """
    file = StringIO()
    table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    table.writerow(frame.columns)
    # pandas' `to_csv` takes longer, because it makes a frame of the texts.
    for start in range(0, len(frame), ROWS):
        end = start + ROWS
        part = frame.iloc[start:end]
        by_column = [_cells(series, columns) for _, series in part.items()]
        rows = zip(*by_column, strict=True)
        table.writerows(rows)
    text = file.getvalue()
    return text.encode("utf-8", "backslashreplace")


def narrowed(content: bytes, other: bytes) -> bytes:
    """Return a table as CSV with the columns of another table, which may come from anybody.

    Later versions of arena add columns, so a file of an older version is compared by the columns
    that it has. All columns stay if the other table has one that this one lacks.
    """
    file = StringIO(content.decode("utf-8"), newline="")
    rows = csv.reader(file)
    names = next(rows, [])
    other_file = StringIO(other.decode("utf-8", "replace"), newline="")
    try:
        selected = next(csv.reader(other_file), [])
    except csv.Error:  # such as a field without end
        return content
    if selected == names or not selected:
        return content
    if not set(selected).issubset(names):
        return content

    indices = [names.index(name) for name in selected]
    narrow_file = StringIO()
    table = csv.writer(narrow_file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    table.writerow(selected)
    for row in rows:
        cells = [row[index] for index in indices]
        table.writerow(cells)
    return narrow_file.getvalue().encode("utf-8")


def _cells(series: pd.Series, columns: Columns) -> Iterable[object]:
    """Return the cells of a column as the file has them."""
    if not is_float_dtype(series.dtype):
        return map(_cell, series.tolist())
    column = columns[str(series.name)]
    decimals = column.file_decimals
    figures = series.to_numpy("float64", na_value=np.nan)
    figures = np.round(figures, decimals)
    figures = figures + 0.0  # 0.0 for -0.0
    return [_figure_text(figure, decimals) for figure in figures.tolist()]


def _figure_text(figure: float, decimals: int) -> str:
    if math.isnan(figure):
        return ""
    return f"{figure:.{decimals}f}"


def _cell(cell: object) -> object:
    """Return a cell that no spreadsheet runs as a formula.

    Its carriage returns do not end the row early. A missing value is the empty text.
    """
    if isinstance(cell, str):
        text = cell.replace("\r", "\\r")
        if text.startswith(FORMULA):
            return f"'{text}"
        return text
    if cell is pd.NA or cell != cell:  # NaN and NaT are not equal to themselves
        return ""
    return cell


def rows_of(frame: pd.DataFrame, columns: Columns) -> list[dict[str, Any]]:
    """Return a frame with these columns as plain rows for JSON, rounded as in the CSV files.

    Missing values are None, and so are infinite values, which JSON does not have: an open end of an
    interval.
    """
    plain = frame.astype(object)
    plain = plain.where(frame.notna(), None)
    rows = []
    for record in plain.to_dict("records"):
        row = {}
        for name, cell in record.items():
            if isinstance(cell, np.generic):
                cell = cell.item()
            row[str(name)] = cell
        rows.append(row)
    return columns.in_file(rows)
