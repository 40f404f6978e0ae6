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
    labels, label = arrays.coded(attrgetter("label"))
    roles, role = arrays.coded(attrgetter("role"))
    bots, bot = arrays.coded(attrgetter("bot"))
    key = (label * len(roles) + role) * len(bots) + bot
    keys, matches = np.unique(key[arrays.entry] * 101 + arrays.score, return_counts=True)
    role_and_board, score = np.divmod(keys, 101)
    role_and_board, bot_code = np.divmod(role_and_board, max(1, len(bots)))
    board, part = np.divmod(role_and_board, max(1, len(roles)))
    columns = {"board": (labels, board), "role": (roles, part), "bot": (bots, bot_code)}
    texts = {name: np.array(names, dtype=object)[codes] for name, (names, codes) in columns.items()}
    return pd.DataFrame(texts | {"score": score, "matches": matches})


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a role, a row a bot: a histogram of its scores, and a line at their mean."""
    if not len(frame):
        return Nothing("no matches")
    if frame["score"].nunique() < 2:
        return Nothing("all scores are equal")
    entries = about.by_role(frame, ["bot", "score", "matches"])
    orders = [best(about.order(table["bot"], board), ROWS) for board, _, table in entries]
    figure, axes = sheet(
        about.title("how scores are spread"),
        "How many of the bot's matches in the role brought which score, 0 to 100; "
        "the line is the mean"
        f"{max((omitted for _, omitted in orders), key=len)}",
        [
            Panel(heading=(board, role), names=tuple(about.labels(bots)))
            for (board, role, _), (bots, _) in zip(entries, orders, strict=True)
        ],
        wide=1.6,
        columns=4,
    )
    for panel, (*_, table), (bots, _) in zip(axes, entries, orders, strict=True):
        _panel(panel, table[table["bot"].isin(bots)], bots)
    return figure


def _panel(panel: Axes, table: pd.DataFrame, order: list[str]) -> None:
    count, total = np.zeros((len(order), BINS)), np.zeros(len(order))
    row = table["bot"].map({bot: index for index, bot in enumerate(order)}).to_numpy()
    score, matches = table["score"].to_numpy(), table["matches"].to_numpy()
    np.add.at(count, (row, np.minimum(score * BINS // 100, BINS - 1)), matches)
    np.add.at(total, row, score * matches)
    held = count.sum(axis=1)
    mean = total / np.maximum(held, 1)
    high = 0.86 * count / np.maximum(count.max(axis=1, keepdims=True), 1)
    panel.add_patch(PathPatch(_bars(high), facecolor=SCORES, linewidth=0, alpha=0.75, zorder=2))
    panel.hlines(np.arange(len(order)) + 0.45, 0, 100, color=FAINT, linewidth=0.6, zorder=1)
    played = np.flatnonzero(held)
    panel.vlines(mean[played], played - 0.41, played + 0.45, color=MEAN, linewidth=1.6, zorder=3)
    panel.set(xlim=(-1, 101), xticks=[0, 50, 100])


def _bars(high: npt.NDArray[np.float64]) -> Path:
    """Return all bars as one path: a file with a thousand of them stays small."""
    row, at = np.nonzero(high)
    start, foot = 100 / BINS * at, row + 0.45
    right, top = start + 0.94 * 100 / BINS, foot - high[row, at]
    corners = np.stack(
        [start, foot, start, top, right, top, right, foot, start, foot], axis=1
    ).reshape(-1, 2)
    return Path(corners, np.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(row)))
