"""The distribution of each bot's scores in each role."""

from operator import attrgetter

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from arena.charts.style import FAINT, MEAN, SCORES, About, Nothing, styled
from arena.charts.style.sheet import ROWS, Panel, best, sheet
from arena.results.leaderboard import Results

BINS = 20


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role`, `bot` and `score`, 0 to 100.

    `matches` counts the matches that brought this score.
    """
    arrays = results.arrays
    boards, board_codes = arrays.coded(attrgetter("label"))
    roles, role_codes = arrays.coded(attrgetter("role"))
    bots, bot_codes = arrays.coded(attrgetter("bot"))
    # A number stands for a board, a role, a bot and a score: equal rows are equal numbers.
    key = board_codes * len(roles) + role_codes  # by entry
    key = key * len(bots) + bot_codes
    key = key[arrays.entry] * 101 + arrays.score  # an element for each seat of each match
    bot_count = max(1, len(bots))
    role_count = max(1, len(roles))
    keys, matches = np.unique(key, return_counts=True)
    keys, score = np.divmod(keys, 101)
    keys, bot = np.divmod(keys, bot_count)
    board, role = np.divmod(keys, role_count)

    board_names = np.array(boards, dtype=object)
    role_names = np.array(roles, dtype=object)
    bot_names = np.array(bots, dtype=object)
    columns = {
        "board": board_names[board],
        "role": role_names[role],
        "bot": bot_names[bot],
        "score": score,
        "matches": matches,
    }
    return pd.DataFrame(columns)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a role, a row a bot: a histogram of its scores, and a line at their mean."""
    if not len(frame):
        return Nothing("no matches")
    if frame["score"].nunique() < 2:
        return Nothing("all scores are equal")
    entries = about.by_role(frame, ["bot", "score", "matches"])
    panels = []
    orders = []
    note = ""
    for board, role, table in entries:
        order = about.order(table["bot"], board)
        bots, omitted = best(order, ROWS)
        labels = tuple(about.labels(bots))
        panels.append(Panel(heading=(board, role), names=labels))
        orders.append(bots)
        note = max(note, omitted, key=len)
    figure, axes = sheet(
        about.title("how scores are spread"),
        "How many of the bot's matches in the role brought which score, 0 to 100; "
        f"the line is the mean{note}",
        panels,
        wide=1.6,
        columns=4,
    )
    for panel, (_, _, table), bots in zip(axes, entries, orders, strict=True):
        drawn = table[table["bot"].isin(bots)]
        _panel(panel, drawn, bots)
    return figure


def _panel(panel: Axes, table: pd.DataFrame, order: list[str]) -> None:
    """Draw the histograms of the bots in this order, the first on top."""
    number = {bot: index for index, bot in enumerate(order)}
    row = table["bot"].map(number).to_numpy()
    score = table["score"].to_numpy()
    matches = table["matches"].to_numpy()
    column = np.minimum(score * BINS // 100, BINS - 1)  # a score of 100 is in the last bin
    count = np.zeros((len(order), BINS))  # bots x bins
    np.add.at(count, (row, column), matches)
    total = np.zeros(len(order))  # of the scores of each bot
    np.add.at(total, row, score * matches)
    match_count = count.sum(axis=1)
    mean = total / np.maximum(match_count, 1)

    highest = count.max(axis=1, keepdims=True)  # bots x 1
    height = 0.86 * count / np.maximum(highest, 1)  # bots x bins
    bars = PathPatch(
        _bars(height),
        facecolor=SCORES,
        linewidth=0,
        alpha=0.75,
        zorder=2,
    )
    panel.add_patch(bars)
    floors = np.arange(len(order)) + 0.45
    panel.hlines(
        floors,
        0,
        100,
        color=FAINT,
        linewidth=0.6,
        zorder=1,
    )
    played = np.flatnonzero(match_count)
    panel.vlines(
        mean[played],
        played - 0.41,
        played + 0.45,
        color=MEAN,
        linewidth=1.6,
        zorder=3,
    )
    panel.set_xlim(-1, 101)
    panel.set_xticks([0, 50, 100])


def _bars(height: npt.NDArray[np.float64]) -> Path:
    """Return all bars as one path: a file with a thousand of them stays small."""
    row, column = np.nonzero(height)  # of each bar
    west = 100 / BINS * column
    east = west + 0.94 * 100 / BINS
    foot = row + 0.45
    top = foot - height[row, column]
    corners = [
        np.column_stack([west, foot]),
        np.column_stack([west, top]),
        np.column_stack([east, top]),
        np.column_stack([east, foot]),
        np.column_stack([west, foot]),
    ]
    points = np.stack(corners, axis=1)  # bars x corners x 2
    codes = [
        Path.MOVETO,
        Path.LINETO,
        Path.LINETO,
        Path.LINETO,
        Path.CLOSEPOLY,
    ]
    vertices = points.reshape(-1, 2)
    codes_of_bars = np.tile(codes, len(row))
    return Path(vertices, codes_of_bars)
