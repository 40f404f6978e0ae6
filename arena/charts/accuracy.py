"""How accurately each bot plays on solved boards, the bots in order of their rating."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.graded import dots
from arena.results.leaderboard import Results

COLUMNS = {"accuracy": 0.6, "rating": 1.15, "blunders": 1.85}  # inches from the panel to the right end of the figures


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot`: its `rating`, its `accuracy` in per cent, and its `blunders` a match."""
    columns = ["bot", "rating", "accuracy", "blunders"]
    return results.leaderboard()[columns] if results.accuracy_sums else pd.DataFrame(columns=columns)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot, with a point at its accuracy. Where accuracy and rating agree, the points go down to the left.

    A bot that never could throw points away on a solved board has no row.
    """
    subtitle = "Of the moves on solved boards that could have thrown points away, the percentage that did not"
    nothing = Nothing("no move on a solved board")
    return dots(frame, about, "accuracy", 103, COLUMNS, subtitle, nothing)
