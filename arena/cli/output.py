"""Text, tables and JSON on a terminal or in a pipe.

Results go to stdout, everything else to stderr. Text that a bot may have written passes `safe_line`
first, and reaches rich as `Text`, which reads no markup.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import IO, TYPE_CHECKING, Any, Literal

# Commands import these from here, as they do all that prints.
from arena.errors import counted as counted
from arena.streams import notice as notice
from arena.streams import safe_lines as safe_lines
from arena.streams import shorten_lines as shorten_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column as TableColumn
    from rich.table import Table

    from arena.results.columns import Column

NAMES = frozenset({"name", "bot", "opponent", "student", "match", "board", "digest", "look at"})
"""The headers of columns that break last: a name in two lines would be read as two names."""
LEAST_COLUMNS = 6  # of the terminal, for each other column, if not all words fit
PIPE_COLUMNS = 10_000  # a pipe has no width: nothing is cut or wrapped there


def console(stream: IO[str] | None = None) -> "Console":
    """Return a rich console on a stream, by default stdout; in a pipe it cuts no line."""
    from rich.console import Console

    if stream is None:
        stream = sys.stdout
    width = None
    if not stream.isatty():
        width = PIPE_COLUMNS
    return Console(
        file=stream,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=width is not None,
    )


def wants_colour(stream: IO[str] | None = None) -> bool:
    """Return True for a terminal that has colours, unless the user set NO_COLOR."""
    if stream is None:
        stream = sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("TERM") != "dumb"


@contextmanager
def silence() -> Iterator[None]:
    """Print nothing; an error that leaves this context is printed by its caller."""
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        yield


def safe_line(value: object, length: int = 200) -> str:
    """Return any value as one line without control characters; None and NaN are empty."""
    from arena.protocol import clean

    is_nan = value != value  # NaN is unlike itself
    if value is None or is_nan:
        return ""
    return clean(str(value), length)


def percent_done(done: int, planned: int) -> int:
    """Return whole per cent, rounded down: 100 only at the end."""
    if not planned:
        return 100
    return 100 * done // planned


def can_encode(text: str) -> bool:
    """Return True if stdout's encoding has every letter of the text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def make_table(columns: Sequence["str | Column"], rows: Iterable[Sequence[object]]) -> "Table":
    """Make a table with its numbers to the right; a cell is any value, or rich's own Text.

    A value is shown literally. A column of results shows figures with its decimals, under its name.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from arena.results.columns import Column

    rows = [tuple(row) for row in rows]
    result = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for index, column in enumerate(columns):
        heading = column
        if isinstance(column, Column):
            heading = column.name
        values = [row[index] for row in rows]
        are_numbers = all(isinstance(value, (int, float, NoneType)) for value in values)
        justify: Literal["left", "right"] = "left"
        if values and are_numbers:
            justify = "right"
        result.add_column(Text(safe_line(heading)), justify=justify, overflow="fold")

    for row in rows:
        texts: list[Text] = []
        for column, value in zip(columns, row, strict=True):
            if isinstance(value, Text):
                texts.append(value)
                continue
            figure = value
            if isinstance(column, Column) and isinstance(value, float):
                figure = column.text(value)
            texts.append(Text(safe_line(figure)))
        result.add_row(*texts)
    return result


def table_of(columns: Mapping[str, list[object]]) -> "Table":
    """Return a table of these columns, by their headings."""
    rows = zip(*columns.values(), strict=True)
    return make_table(list(columns), list(rows))


def tightened(table: "Table", to: "Console") -> "Table":
    """Return the table, with its columns closer together if the terminal is too narrow for it.

    If that is not enough, names stay whole, and other columns break, at blanks if that is enough.
    """
    if _columns_of(table, to) > to.width:
        table.padding = (0, 0, 0, 0)
    if _columns_of(table, to) <= to.width:
        return table

    room = to.width - len(table.columns) + 1  # without the blanks between columns
    least = _widths_of_words(table)
    if sum(least) > room:
        least = _widths_of_names(table)
    if sum(least) > room:
        return table

    widths = [_widest(column) for column in table.columns]
    while sum(widths) > room:
        breakable = [index for index, width in enumerate(widths) if width > least[index]]
        widest = max(breakable, key=lambda index: widths[index])
        widths[widest] -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    return table


def _widths_of_words(table: "Table") -> list[int]:
    """Return the columns of the terminal that each column needs to break at blanks alone."""
    from rich.cells import cell_len

    widths = []
    for column in table.columns:
        texts = [str(column.header)]
        if texts[0] in NAMES:
            widths.append(_widest(column))
            continue
        texts.extend(str(cell) for cell in column.cells)
        words = " ".join(texts).split()
        longest = max(map(cell_len, words), default=1)
        widths.append(longest)
    return widths


def _widths_of_names(table: "Table") -> list[int]:
    """Return the columns of the terminal that each column needs if only names stay whole."""
    widths = []
    for column in table.columns:
        width = _widest(column)
        if str(column.header) not in NAMES:
            width = min(width, LEAST_COLUMNS)
        widths.append(width)
    return widths


def _widest(column: "TableColumn") -> int:
    """Return how many columns of the terminal the widest cell of a column of a table needs."""
    from rich.cells import cell_len

    widest = cell_len(str(column.header))
    for cell in column.cells:
        widest = max(widest, cell_len(str(cell)))
    return widest


def fitting_table(
    columns: Sequence["str | Column"],
    rows: Sequence[Sequence[object]],
    to: "Console",
) -> "Table":
    """Make a table that fits the terminal, without the last columns if they would break words."""
    for count in range(len(columns), 0, -1):
        cells = [row[:count] for row in rows]
        table = tightened(make_table(columns[:count], cells), to)
        if _columns_of(table, to) <= to.width:
            break
    return table


def _columns_of(table: "Table", to: "Console") -> int:
    """Return how many columns of the terminal the table needs if nothing is folded."""
    options = to.options.update(max_width=PIPE_COLUMNS)
    return to.measure(table, options=options).maximum


def print_section(number: int, title: object) -> None:
    """Print the title of a section on stdout, below an empty line unless its number is 0."""
    if number > 0:
        print()
    print(safe_line(title))


def print_table(table: "Table") -> None:
    """Print a table on stdout; in a pipe without blanks at the ends of its lines."""
    to = console()
    if to.is_terminal:
        to.print(tightened(table, to))
        return
    with to.capture() as captured:
        to.print(table)
    text = captured.get()
    lines = [line.rstrip() for line in text.split("\n")]
    print("\n".join(lines).strip("\n"))


def print_columns(columns: Mapping[str, list[object]], spare: Iterable[str]) -> None:
    """Print columns by their headings, without as many of the `spare` ones as the terminal needs.

    The first of them is left out first, if words would be broken otherwise.
    """
    columns = dict(columns)
    left_out = []
    width = console().width
    table = table_of(columns)
    for header in spare:
        blanks = len(columns) - 1
        if sum(_widths_of_words(table)) + blanks <= width:
            break
        if header in columns:
            del columns[header]
            left_out.append(header)
            table = table_of(columns)
    print_table(table)
    if left_out:
        notice(f"the terminal is too narrow for: {', '.join(left_out)}; --json has all")


def fields(value: object, *names: str) -> dict[str, object]:
    """Return these attributes of a value by their names, for a row of JSON."""
    return {name: getattr(value, name) for name in names}


def print_json(rows: Iterable[Mapping[str, object]]) -> None:
    """Print one array of objects, and nothing else; a float that is not finite becomes null."""
    import json

    values = [_json_value(row) for row in rows]
    print(json.dumps(values, indent=1, allow_nan=False))


def print_result(
    rows: Iterable[Mapping[str, object]],
    *lines: str,
    json: bool,
) -> None:
    """Print what a command has found: rows as JSON, or lines of text."""
    if json:
        print_json(rows)
    elif lines:
        print("\n".join(lines))


def print_records(rows: Sequence[Mapping[str, object]], *, json: bool) -> None:
    """Print rows that have the same keys, as JSON or as a table under these keys."""
    if json:
        print_json(rows)
        return
    headings = list(rows[0])
    cells = [list(row.values()) for row in rows]
    print_table(make_table(headings, cells))


def _json_value(value: Any) -> Any:
    """Return a value as JSON can hold it; frames hold numpy's own numbers."""
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    if isinstance(value, Mapping):
        values: dict[str, Any] = {}
        for key, item in value.items():
            values[str(key)] = _json_value(item)
        return values
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
