"""The one style of every chart: colours, sizes, and how a chart is saved.

The style is legible in print and for the colour-blind.

`letters.py` owns names and their fonts, `sheet.py` where panels stand, `markers.py`, `curves.py`
and `grids.py` what they show.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.text import Text

from arena import whole_files
from arena.charts.style import letters
from arena.display_names import NAME
from arena.values import Ending

# The one table of colours. Each name below it says what the colour shows; several charts may share
# a name. Okabe and Ito, 2008.
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
ORANGE = "#E69F00"
BLACK = "#000000"
RATING = BLUE  # ratings and strengths with their intervals: `leaderboard` and `roles`
POINTS = BLUE  # bars of `leaderboard` when no bot has a rating
SCORES = BLUE
MEAN = VERMILION
TURNS = BLUE
METRIC = BLUE
ACCURACY = BLUE
MEDIAN_TIME = BLUE
P99_TIME = ORANGE
LONGEST_TIME = VERMILION
FAULTS = dict(zip(Ending, (BLUE, ORANGE, GREEN, VERMILION, BLACK), strict=True))
HEAT = ("#F1F5F9", "#9CC9E6", BLUE, "#00263D")  # cells, from the least to the most

# From the darkest to the palest.
INK = "#22262B"
GREY = "#5D6470"
FAINT = "#B4BAC3"
PALE = "#DDE1E6"
BAND = "#F2F5F8"

# Of letters, in points.
SMALL = 7.5
TEXT = 9.0
LARGE = 13.0
DPI = 130

RC: Any = {
    "font.family": letters.FAMILY,
    "font.size": TEXT,
    "text.color": INK,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.bottom": False,
    "axes.spines.top": False,
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
"""Puts a function under the style, whatever a notebook has set.

Use it as a decorator: as a `with` block it works only once.
"""


@dataclass(frozen=True)
class About:
    """The event of a chart, beside the frame; every field is optional."""

    event: str = ""
    bots: tuple[str, ...] = ()
    """Best first; others come after them, as the frame has them."""
    leagues: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The bots of each game, best first."""
    board_roles: tuple[tuple[str, str], ...] = ()
    """Every (`game/board`, role), in order."""
    unit: str = ""
    """Of ratings and strengths."""
    limit: float | None = None
    """Seconds for a move."""

    def title(self, subject: str) -> str:
        """Return the title of a chart: the event and the subject."""
        if self.event:
            return f"{self.event}: {subject}"
        return subject[:1].upper() + subject[1:]

    def by_role(self, frame: Any, alike: Sequence[str]) -> list[tuple[str, str, Any]]:
        """Return the board, the role and the rows of each role, in order of `board_roles`.

        Rows of no role come before those of the board's roles. Neighbouring roles of a board that
        are equal in the columns `alike`, as one bot's two ghosts, share an entry.
        """
        boards = [board for board, _ in self.board_roles]
        boards.extend(frame["board"])
        board_order = list(dict.fromkeys(boards))
        role_order = {board_role: number for number, board_role in enumerate(self.board_roles)}

        def position(group: tuple[tuple[str, str], Any]) -> tuple[int, int]:
            board_role, _ = group
            board, _ = board_role
            return board_order.index(board), role_order.get(board_role, -1)

        groups = frame.groupby(["board", "role"], sort=False)
        entries: list[tuple[str, str, Any]] = []
        columns = list(alike)
        last_board = None
        last_content = None
        for (board, role), table in sorted(groups, key=position):
            content = table[columns].sort_values(columns, ignore_index=True)
            if board == last_board and content.equals(last_content):
                _, other_roles, other_table = entries.pop()
                entries.append((board, f"{other_roles}, {role}", other_table))
            else:
                entries.append((board, role, table))
            last_board = board
            last_content = content
        return entries

    def labels(self, bots: Iterable[str], length: int = NAME) -> list[str]:
        """Return a label for each bot, the same in every chart; no two bots share a label."""
        names = list(bots)
        every_name = list(dict.fromkeys([*self.bots, *names]))
        every_label = letters.shown(every_name, length)
        label_of = dict(zip(every_name, every_label, strict=True))
        return [label_of[name] for name in names]

    def order(self, bots: Any, board: str = "") -> list[str]:
        """Return these bots, each once, best first in the game of a `game/board`, or over all."""
        names = dict.fromkeys(bots)
        game, _, _ = board.partition("/")
        best_first = self.leagues.get(game, self.bots)
        ordered = [bot for bot in best_first if bot in names]
        ordered.extend(names)
        return list(dict.fromkeys(ordered))

    def by_game(self, frame: Any) -> list[tuple[tuple[str, ...], Any]]:
        """Return a heading and the rows of each game, in order.

        An event of one game has no heading. Rows of no game are those of all games.
        """
        if "game" not in frame:
            return [((), frame)]
        game_count = frame["game"].nunique(dropna=False)
        if game_count < 2:
            return [((), frame)]

        game_of_row = frame["game"].fillna("all games")
        tables: list[tuple[tuple[str, ...], Any]] = []
        for game, rows in frame.groupby(game_of_row, sort=False):
            heading = (str(game),)
            tables.append((heading, rows.reset_index(drop=True)))
        return tables


@dataclass(frozen=True)
class Nothing:
    """A chart that has nothing to show, with the reason."""

    why: str


@styled
def save(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Write a figure as SVG and PNG, without a date in either; a file is whole or not there."""
    for text in figure.findobj(Text):
        content = str(text.get_text())
        if not content.isascii():
            families = letters.families(content)
            text.set_fontfamily(list(families))

    vector = path.with_suffix(".svg")
    svg_metadata = {"Date": None, "Creator": None}
    with whole_files.replacing(vector) as file:
        figure.savefig(file, format="svg", metadata=svg_metadata)

    pixels = path.with_suffix(".png")
    png_metadata = {"Software": None}
    with whole_files.replacing(pixels) as file:
        figure.savefig(file, format="png", metadata=png_metadata)
    return vector, pixels
