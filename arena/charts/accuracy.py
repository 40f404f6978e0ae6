"""How accurately each bot plays on solved boards, beside its rating."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.charts.style import ACCURACY, GREY, SMALL, About, Nothing, styled
from arena.charts.style.letters import widest
from arena.charts.style.sheet import Room, bare, sheet
from arena.results.leaderboard import Results

WIDE, HIGH = 4.6, 3.2  # inches
NAMED = 30  # bots; with more of them names would cover each other


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot`, best first: its `rating`, `accuracy` in per cent, and `blunders` a match."""
    leaderboard = results.leaderboard()
    columns = ["bot", "rating", "accuracy", "blunders"]
    return leaderboard[columns] if results.graded else pd.DataFrame(columns=columns)


@styled
def draw(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a point for each bot: its accuracy over its rating. Where both say the same, the points rise."""
    graded = frame.dropna(subset=["rating", "accuracy"])
    if graded.empty:
        return Nothing("no move on a solved board")
    names = about.labels(graded["bot"]) if len(graded) <= NAMED else []
    figure, (panel,) = sheet(
        about.title("accuracy"),
        "Of the moves on solved boards that could have thrown points away, the percentage that did not",
        (WIDE, HIGH),
        room=Room(left=0.5, right=widest(names, SMALL) + 0.1, below=0.45),
    )
    panel.scatter(graded["rating"], graded["accuracy"], s=26, color=ACCURACY, zorder=3)
    for name, x, y in zip(names, graded["rating"], graded["accuracy"], strict=False):
        panel.annotate(name, (x, y), (5, -2), textcoords="offset points", fontsize=SMALL)
    panel.set_xlabel(f"rating{f' in {about.unit}' if about.unit else ''}", fontsize=8.5)
    panel.set_ylabel("accuracy in per cent", fontsize=8.5)
    panel.set_ylim(min(0.0, float(graded["accuracy"].min())) - 4, 106)
    panel.xaxis.set_major_locator(MaxNLocator(nbins=6))
    panel.tick_params(axis="both", labelsize=8, labelcolor=GREY)
    bare(panel, grid="y")
    return figure
