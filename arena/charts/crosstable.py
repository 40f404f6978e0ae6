"""The mean score of every bot against every other bot, a panel for each board and role."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import FAINT, About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.markers import NUMBERED, cells, scale
from arena.charts.style.sheet import GRID, Panel, Space, best, row_size, sheet
from arena.results.leaderboard import Results

NAME = 16  # letters of a bot's name: it stands along two sides


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role`, `bot` and `opponent`: the bot's mean `score`, 0 to 100."""
    return results.crosstable()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw heat maps: rows play the panel's role, columns are their opponents."""
    if not len(frame):
        return Nothing("no two bots met")
    bots, omitted = best(about.order([*frame["bot"], *frame["opponent"]]), GRID)
    frame = frame[frame["bot"].isin(bots) & frame["opponent"].isin(bots)]
    entries = [
        (board, role, table.pivot_table(index="bot", columns="opponent", values="score"))
        for board, role, table in about.by_role(frame, ["bot", "opponent", "score"])
    ]
    grids = [
        grid.reindex(index=about.order(grid.index, board), columns=about.order(grid.columns, board))
        for board, _, grid in entries
    ]
    most = max(max(grid.shape) for grid in grids)
    side = 0.34 if most <= NUMBERED else 0.24 if most <= 24 else 0.155
    # A bot does not meet itself, and that needs no hatching.
    unmet = any(int(grid.isna().sum().sum()) > len(grid.index.intersection(grid.columns)) for grid in grids)
    wide = side * max(grid.shape[1] for grid in grids)
    figure, axes = sheet(
        about.title("who beats whom"),
        "Mean score, 0 to 100, of the bot in a row, in the panel's role, against the bot in a column"
        f"{'; hatched: never met' if unmet else ''}{omitted}",
        [
            Panel(heading=(about.board(board), f"as {role}"), names=tuple(about.labels(grid.index, NAME)))
            for (board, role, _), grid in zip(entries, grids, strict=True)
        ],
        wide=max(wide, 1.6),
        high=side,
        columns=3 if most <= NUMBERED else 2,
        space=Space(below=widest(about.labels(bots, NAME), row_size(most)) + 0.17, top=0.36 if most > NUMBERED else 0),
    )
    for panel, grid in zip(axes, grids, strict=True):
        if unmet:  # an empty cell would look like a score of 0
            panel.patch.set(hatch="////", edgecolor=FAINT, linewidth=0)
        cells(panel, grid.to_numpy(dtype=np.float64))
        panel.set_xticks(range(grid.shape[1]), about.labels(grid.columns, NAME), rotation=90, fontsize=row_size(most))
    if most > NUMBERED:
        scale(axes[0], 0, 100)
    return figure
