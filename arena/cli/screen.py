"""How words, tables and JSON reach a terminal or a pipe.

Results go to stdout, all else to stderr. Whatever a bot may have written passes `shown` first, and reaches rich as
Text, which reads no markup.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from arena.protocol import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPED_WIDTH = 10_000  # a pipe has no width: nothing is cut or wrapped there


def console(stream: IO[str] | None = None) -> "Console":
    """A rich console on stdout or another stream; as wide as it takes when that is no terminal."""
    from rich.console import Console

    stream = sys.stdout if stream is None else stream
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False, soft_wrap=width is not None)


def colourful(stream: IO[str] | None = None) -> bool:
    """Whether colour is wanted: a terminal that can, and no NO_COLOR."""
    stream = sys.stdout if stream is None else stream
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def notice(text: str) -> None:
    """A line for the user on stderr; a terminal that is gone is no reason to fail."""
    with contextlib.suppress(OSError):
        print(harmless(text), file=sys.stderr, flush=True)


def warn_of(level: str) -> None:
    """Say on every run what a level of confinement leaves open, if it does."""
    from arena.sandbox import levels

    if (open_to := levels.warning(level)) is not None:
        notice(f"warning: {open_to}")


def harmless(text: str) -> str:
    """Our own words, of any number of lines, in which the name of a file may still be anybody's."""
    lines = text.split("\n")
    return "\n".join("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)


def shown(value: object, length: int = 200, decimals: int = 2) -> str:
    """Any value as one harmless line; None is nothing."""
    if value is None or value != value:  # NaN
        return ""
    return f"{value:.{decimals}f}" if isinstance(value, float) else clean(str(value), length)


def can_say(text: str) -> bool:
    """Whether stdout's encoding has the letters of a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], decimals: int = 2) -> "Table":
    """A table whose numbers stand right; its text is shown as it is, and rich's own Text with its style."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    kept = [tuple(row) for row in rows]
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for place, column in enumerate(columns):
        numbers = all(isinstance(row[place], (int, float, type(None))) for row in kept)
        drawn.add_column(Text(shown(column)), justify="right" if kept and numbers else "left", overflow="fold")
    for row in kept:
        drawn.add_row(*(v if isinstance(v, Text) else Text(shown(v, decimals=decimals)) for v in row))
    return drawn


def fitted(drawn: "Table", to: "Console") -> "Table":
    """The table, with its columns closer together where the terminal is narrow."""
    if to.measure(drawn, options=to.options.update(max_width=PIPED_WIDTH)).maximum > to.width:
        drawn.padding = (0, 0, 0, 0)
    return drawn


def show(drawn: "Table") -> None:
    """A table on stdout, without blanks at the ends of its lines when piped."""
    to = console()
    if to.is_terminal:
        to.print(fitted(drawn, to))
        return
    with to.capture() as caught:
        to.print(drawn)
    print("\n".join(line.rstrip() for line in caught.get().split("\n")).strip("\n"))


def print_json(rows: Iterable[Mapping[str, object]]) -> None:
    """One array of objects, and nothing else; not a number is null."""
    plain = [{str(key): _plain(value) for key, value in row.items()} for row in rows]
    print(json.dumps(plain, indent=1, allow_nan=False))


def _plain(value: Any) -> Any:
    """A value as JSON can hold it; frames hold numpy's own numbers."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and value != value else value  # NaN
