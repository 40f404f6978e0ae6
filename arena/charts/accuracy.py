"""How accurately each bot plays on solved boards, the bots in order of their rating."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import ACCURACY, GREY, PALE, About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.sheet import ROWS, Room, bare, best, row_height, row_size, rows, sheet
from arena.results.columns import LEADERBOARD
from arena.results.leaderboard import Results

WIDE, FIGURES = 3.2, 1.95  # inches of the panel, and of the figures beside it
COLUMNS = {"accuracy": 0.6, "rating": 1.15, "blunders": 1.85}  # inches from the panel to the right end of the figures


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot`: its `rating`, its `accuracy` in per cent, and its `blunders` a match."""
    columns = ["bot", "rating", "accuracy", "blunders"]
    return results.leaderboard()[columns] if results.graded else pd.DataFrame(columns=columns)


@styled
def draw(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot, with a point at its accuracy. Where accuracy and rating agree, the points go down to the left.

    A bot that never could throw points away on a solved board has no row.
    """
    graded = frame.dropna(subset=["rating", "accuracy"]).sort_values("rating", ascending=False, kind="stable")
    if graded.empty:
        return Nothing("no move on a solved board")
    order, omitted = best(list(graded["bot"]), ROWS)
    graded = graded.iloc[: len(order)]
    names, size = about.labels(order), row_size(len(order))
    figure, (panel,) = sheet(
        about.title("accuracy"),
        f"Of the moves on solved boards that could have thrown points away, the percentage that did not{omitted}",
        (WIDE, row_height(len(order)) * len(order)),
        room=Room(left=widest(names, size) + 0.12, right=FIGURES, above=0.3, below=0.3),
    )
    at = range(len(order))
    panel.hlines(at, 0, graded["accuracy"], color=PALE, linewidth=1.4, zorder=2)
    panel.scatter(graded["accuracy"], at, s=26, color=ACCURACY, zorder=3)
    panel.set_xlim(0, 103)
    declared = LEADERBOARD.rated_in(about.unit)
    for name, inches in COLUMNS.items():
        texts = (declared[name].text(value).replace("-", "\u2212") for value in graded[name])
        for row, text in enumerate([name, *texts]):
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
