"""The mean score of every bot against every other bot, a panel for each board and role."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import FAINT, About, Nothing, styled
from arena.charts.style.letters import shown, widest
from arena.charts.style.markers import NUMBERED, cells, scale
from arena.charts.style.sheet import GRID, Space, best, heading, row_size, rows, sheet
from arena.results.leaderboard import Results

NAME = 16  # letters of a bot's name: it stands along two sides

Panel = tuple[str, str, pd.DataFrame]
"""A board, its roles in words, and their grid: a row a bot, a column an opponent."""


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role`, `bot` and `opponent`: the bot's mean `score`, 0 to 100."""
    return results.crosstable()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw heat maps: rows play the panel's role, columns are their opponents; a row of panels for each board."""
    if not len(frame):
        return Nothing("no two bots met")
    shown_bots, omitted = best(about.order([*frame["bot"], *frame["opponent"]]), GRID)
    frame = frame[frame["bot"].isin(shown_bots) & frame["opponent"].isin(shown_bots)]
    order = list(about.boards)
    boards = sorted(frame["board"].unique(), key=lambda board: order.index(board) if board in order else len(order))
    by_board = [_panels(frame[frame["board"] == board], board, about) for board in boards]
    most = max(max(grid.shape) for panels in by_board for *_, grid in panels)
    size, side = row_size(most), 0.34 if most <= NUMBERED else 0.24 if most <= 24 else 0.155
    label_inches = widest(about.labels(frame["bot"].unique(), NAME), size) + 0.12
    high = [side * max(len(grid) for *_, grid in panels) for panels in by_board]
    columns = max(map(len, by_board))
    wide = max(2.1, side * most)
    missing = any(  # beside the cells of a bot and itself
        int(grid.isna().sum().sum()) > len(grid.index.intersection(grid.columns))
        for panels in by_board
        for *_, grid in panels
    )
    unmet = "; hatched: never met" if missing else ""
    figure, axes = sheet(
        about.title("who beats whom"),
        f"Mean score, 0 to 100, of the bot in a row, in the panel's role, against the bot in a column{unmet}{omitted}",
        (wide, high),
        grid=(len(by_board), columns),
        space=Space(
            left=label_inches, between=0.3, above=0.4, below=label_inches + 0.05, top=0.36 if most > NUMBERED else 0
        ),
    )
    for row, panels in enumerate(by_board):
        for column in range(columns):
            panel = axes[row * columns + column]
            if column >= len(panels):
                panel.set_axis_off()
                continue
            board, role, table = panels[column]
            if unmet:  # an empty cell would look like a score of 0
                panel.patch.set(hatch="////", edgecolor=FAINT, linewidth=0)
            cells(panel, table.to_numpy(dtype=np.float64), most=100)
            heading(panel, shown([about.board(board)], 26)[0], shown([f"as {role}"], 34)[0])
            rows(panel, about.labels(table.index, NAME), named=column == 0)
            panel.set_xticks(range(table.shape[1]), about.labels(table.columns, NAME), rotation=90, fontsize=size)
    if most > NUMBERED:
        scale(axes[0], (0, 1 + 0.62 / high[0], min(1, 1.6 / wide), 0.09 / high[0]), 100, "")
    return figure


def _panels(table: pd.DataFrame, board: str, about: About) -> list[Panel]:
    """Return a panel for each role; roles whose tables are equal, as those of one bot's ghosts, share one."""
    rows, columns = about.order(table["bot"]), about.order(table["opponent"])
    return [
        (
            board,
            role,
            scores.pivot_table(index="bot", columns="opponent", values="score").reindex(index=rows, columns=columns),
        )
        for _, role, scores in about.by_role(table, ["bot", "opponent", "score"])
    ]
