"""Progress of the bots: the rating of each version, and the rank that it had while it played."""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import About, Nothing, styled
from arena.charts.style.curves import curves
from arena.results.leaderboard import Results
from arena.results.leaderboard.frames import joined


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each `game`, `bot` and `version`.

    It has the `rank` in its time, the `rating`, `rating_low` and `rating_high`.
    """
    tables = []
    for league in results.leagues:
        table = league.versions()
        tables.append(table.assign(game=league.game))
    return joined(tables)


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a bot: the rating and rank of each version, with the 95 % interval."""
    several = frame
    if len(frame):
        versions = frame.groupby(["game", "bot"])["version"]
        version_counts = versions.transform("size")  # by row of the frame
        several = frame[version_counts > 1]
    if several.empty:
        return Nothing("no bot has played in two versions")
    unit = ""
    if about.unit:
        unit = f" in {about.unit}"
    subtitle = (
        f"Rating of each version{unit}, with its 95 % interval; the number is its rank at the time"
    )
    subject = "how the bots developed"
    return curves(several, about, "version", subject, subtitle, texts="rank")
