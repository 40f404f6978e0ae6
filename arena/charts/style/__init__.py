"""The one style of every chart: colours, sizes, and how a chart is saved. Legible in print and for the colour-blind.

`letters.py` owns names and their fonts, `sheet.py` where panels stand, `marks.py` what is drawn in them. A chart has no
layout solver: each text is measured beforehand, which is quicker, and the same to the last digit each time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena.charts.style import letters

COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#7A6A00",
    "#000000",
)  # Okabe and Ito, 2008; their yellow is too pale on paper, so a dark one stands for it
INK, GREY, FAINT, PALE, BAND = "#22262B", "#5D6470", "#B4BAC3", "#DDE1E6", "#F2F5F8"
SMALL, TEXT, LARGE = 7.5, 9.0, 13.0
DPI = 130

RC: Any = {
    "font.family": letters.FAMILY,
    "font.size": TEXT,
    "text.color": INK,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "xtick.color": GREY,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "xtick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "xtick.major.pad": 4,
    "grid.color": PALE,
    "grid.linewidth": 0.8,
    "svg.hashsalt": "arena",  # the same ids in the file each time
    "svg.fonttype": "path",
    "text.parse_math": False,  # a bot may be called $x^2$
}
styled = matplotlib.rc_context(RC)
"""Puts a function under the style, whatever a notebook has set. A decorator only: as a context it would serve once."""


@dataclass(frozen=True)
class About:
    """What a chart says of its event besides the frame; nothing of it is needed."""

    event: str = ""
    bots: tuple[str, ...] = ()
    """Best first; others come after them, as the frame has them."""
    boards: Mapping[str, str] = field(default_factory=dict)
    """A short name for a `game/board`."""
    places: tuple[tuple[str, str], ...] = ()
    """Every (`game/board`, role), in order."""
    unit: str = ""
    """Of ratings and strengths."""
    limit: float | None = None
    """Seconds for a move."""

    def title(self, what: str) -> str:
        """What is seen, and of which event."""
        return f"{self.event}: {what}" if self.event else what[:1].upper() + what[1:]

    def board(self, label: str) -> str:
        """The short name of a `game/board`."""
        return self.boards.get(label, label)

    def placed(self, frame: Any, alike: Sequence[str]) -> list[tuple[str, str, Any]]:
        """Board, role and rows of each role, in order of `places`.

        Neighbours on a board that are equal in the columns `alike`, as the ghosts of one bot, share an entry.
        """
        order = {place: number for number, place in enumerate(self.places)}
        groups = list(frame.groupby(["board", "role"], sort=False))
        groups.sort(key=lambda group: order.get(group[0], len(order)))
        made: list[tuple[str, str, Any]] = []
        for (board, role), table in groups:
            if made and made[-1][0] == board and _alike(made[-1][2], table, list(alike)):
                made[-1] = (board, f"{made[-1][1]}, {role}", made[-1][2])
            else:
                made.append((board, role, table))
        return made

    def order(self, found: Any) -> list[str]:
        """These bots, each once, best first."""
        names = dict.fromkeys(found)
        known = dict.fromkeys(bot for bot in self.bots if bot in names)
        return list(known | names)


def _alike(one: Any, other: Any, columns: list[str]) -> bool:
    tables = (table[columns].sort_values(columns, ignore_index=True) for table in (one, other))
    return bool(next(tables).equals(next(tables)))


@dataclass(frozen=True)
class Nothing:
    """A chart that has nothing to say."""

    why: str


@styled
def save(made: Figure, path: Path) -> tuple[Path, Path]:
    """Write a figure as SVG and PNG, without a date in either."""
    vector, pixels = path.with_suffix(".svg"), path.with_suffix(".png")
    for text in made.findobj(Text):
        if not (words := str(text.get_text())).isascii():
            text.set_fontfamily(list(letters.families(words)))
    made.savefig(vector, metadata={"Date": None, "Creator": None})
    made.savefig(pixels, metadata={"Software": None})
    return vector, pixels
