"""How many points a match each bot throws away where a search grades moves (an estimate), in order of their rating."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.graded import dots
from arena.results.leaderboard import Results

COLUMNS = {"regret_estimate": 1.15, "rating": 1.7}  # inches from the panel to the right end of the figures


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `bot`: its `rating`, and its `regret_estimate` in points a match."""
    columns = ["bot", "rating", "regret_estimate"]
    return results.leaderboard()[columns] if results.regret_sums else pd.DataFrame(columns=columns)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot, with a point at its regret. Where regret and rating agree, the points go down to the right.

    A bot whose moves no search graded has no row.
    """
    subtitle = "Points a match that moves threw away on boards that nobody solved: an estimate by a search"
    most = frame["regret_estimate"].max() if len(frame) else 0
    return dots(
        frame, about, "regret_estimate", 1.03 * max(most, 1), COLUMNS, subtitle, Nothing("no move with an estimate")
    )
