"""The mean score of every bot against every other bot, a panel for each board and role."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import FAINT, About, Nothing, styled
from arena.charts.style.grids import grids
from arena.charts.style.sheet import GRID, best
from arena.results.leaderboard import Results

NAME = 16  # letters of a bot's name: it stands along two sides


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `board`, `role`, `bot` and `opponent`: the mean `score`, 0 to 100."""
    return results.crosstable()


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw heat maps: rows play the panel's role, columns are their opponents."""
    if not len(frame):
        return Nothing("no two bots met")
    everybody = pd.concat([frame["bot"], frame["opponent"]])
    bots, omitted = best(about.order(everybody), GRID)
    frame = frame[frame["bot"].isin(bots)]
    frame = frame[frame["opponent"].isin(bots)]
    panels = []
    unmet = False
    for board, role, table in about.by_role(frame, ["bot", "opponent", "score"]):
        grid = table.pivot_table(
            index="bot",
            columns="opponent",
            values="score",
        )
        grid = grid.reindex(
            index=about.order(grid.index, board),
            columns=about.order(grid.columns, board),
        )
        panels.append(((board, f"as {role}"), grid))
        # A bot does not meet itself, and that needs no hatching.
        diagonal = grid.index.intersection(grid.columns)
        empty_cells = int(grid.isna().sum().sum())
        unmet = unmet or empty_cells > len(diagonal)
    hatching = ""
    if unmet:
        hatching = "; hatched: never met"
    figure, axes = grids(
        about,
        "who beats whom",
        "Mean score, 0 to 100, of the bot in a row, in the panel's role, "
        f"against the bot in a column{hatching}{omitted}",
        panels,
        least=0,
        sides=(0.34, 0.24, 0.155),
        columns=3,
        length=NAME,
    )
    if unmet:  # an empty cell would look like a score of 0
        for panel in axes:
            panel.patch.set(hatch="////", edgecolor=FAINT, linewidth=0)
    return figure
