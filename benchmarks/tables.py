"""Tables in Markdown, as they stand in the pages: `renew.py` writes what a benchmark prints.

Shared by the benchmarks beside it. They print tables and nothing else to stdout, and what is only
of interest while they run to stderr.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """The ratio that was hoped for."""

    least: float = 0.0
    most: float = math.inf

    def __str__(self) -> str:
        """Return it as a cell."""
        return f"at least {self.least:g}" if self.least else f"at most {self.most:g}"

    def missed(self, ratio: float) -> bool:
        """Return whether a ratio misses it, as it is shown."""
        return not self.least <= round(ratio, 2) <= self.most


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table under its title, each row as soon as it is there.

    A first cell that is that of the row above is left empty.
    """
    print(f"**{title}**\n")
    print(line(head))
    print("|" + "---|" * len(head))
    above: object = None
    for first, *others in rows:
        print(line(["" if first == above else first, *others]), flush=True)
        above = first
    print()


def ratio_cell(ratio: float, goal: Goal | None) -> str:
    """Return a ratio as a cell: in bold, and with its goal, where it misses it."""
    if goal is None:
        return f"{ratio:.2f}"
    if goal.missed(ratio):
        return f"**{ratio:.2f}** ({goal})"
    return f"{ratio:.2f} ({goal})"


def line(cells: Iterable[object]) -> str:
    """Return a row."""
    return "| " + " | ".join(map(str, cells)) + " |"
