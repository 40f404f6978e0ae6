"""A row a bot, in order of rating, with a point at a figure of its graded moves, and figures beside it."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import ACCURACY, GREY, PALE, About, Nothing
from arena.charts.style.letters import widest
from arena.charts.style.sheet import ROWS, Space, bare, best, row_height, row_size, rows, sheet
from arena.results.columns import LEADERBOARD

WIDE, FIGURES = 3.2, 1.95  # inches of the panel, and of the figures beside it


def dots(
    frame: pd.DataFrame,
    about: About,
    name: str,
    most: float,
    columns: Mapping[str, float],
    subtitle: str,
    nothing: Nothing,
) -> Figure | Nothing:
    """Draw the column `name` of a frame from 0 to `most`; bots without a figure or a rating have no row.

    `columns` are those of the figures, with the inches from the panel to their right end.
    """
    graded = frame.dropna(subset=["rating", name]).sort_values("rating", ascending=False, kind="stable")
    if graded.empty:
        return nothing
    order, omitted = best(list(graded["bot"]), ROWS)
    graded = graded.iloc[: len(order)]
    names, size = about.labels(order), row_size(len(order))
    title = name.replace("_estimate", " (estimate)")
    figure, (panel,) = sheet(
        about.title(title),
        f"{subtitle}{omitted}",
        (WIDE, row_height(len(order)) * len(order)),
        space=Space(left=widest(names, size) + 0.12, right=FIGURES, above=0.3, below=0.3),
    )
    at = range(len(order))
    panel.hlines(at, 0, graded[name], color=PALE, linewidth=1.4, zorder=2)
    panel.scatter(graded[name], at, s=26, color=ACCURACY, zorder=3)
    panel.set_xlim(0, most)
    declared = LEADERBOARD.rated_in(about.unit)
    for column, inches in columns.items():
        texts = (declared[column].text(value).replace("-", "\u2212") for value in graded[column])
        for row, text in enumerate([title if column == name else column, *texts]):
            panel.text(
                1 + inches / WIDE,
                row - 1 if row else -0.5,
                text,
                transform=panel.get_yaxis_transform(),
                ha="right",
                va="center_baseline" if row else "bottom",
                color=GREY,
                fontsize=size,
            )
    rows(panel, names)
    bare(panel)
    return figure
