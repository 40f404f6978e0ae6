"""Texts that fit: how many columns one takes on a terminal, and as much of it as there is room for."""

import re
from collections.abc import Iterator

SGR = re.compile(r"(\x1b\[[0-9;]*m)")


def width(text: str) -> int:
    """The columns that a text takes, its colours apart."""
    from rich.cells import cell_len

    return cell_len(SGR.sub("", text))


def cut(text: str, columns: int) -> str:
    """As much of a text as goes into so many columns, its colours kept and ended."""
    if width(text) <= columns:
        return text
    from rich.cells import set_cell_size

    kept, left = "", max(0, columns - 1)
    for part in SGR.split(text):
        if SGR.fullmatch(part):
            kept += part
            continue
        kept += part if width(part) <= left else set_cell_size(part, left)
        left = max(0, left - width(part))
    return f"{kept}…\x1b[0m" if SGR.search(kept) else f"{kept}…"


def wrapped(text: str, columns: int, indent: int) -> Iterator[str]:
    """A text in lines, those after the first indented."""
    import textwrap

    yield from textwrap.wrap(text, max(10, columns), subsequent_indent=" " * indent) or [""]
