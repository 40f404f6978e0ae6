"""The leaderboard: ratings with their intervals, ranks and tiers.

Without ratings it shows points only.
"""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import POINTS, About, Nothing, styled
from arena.charts.style.markers import bands, ends, intervals
from arena.charts.style.sheet import ROWS, Panel, bare, best, sheet
from arena.results.columns import LEADERBOARD, Column
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row a bot, best first: `bot`, `rank`, `points`; `rating` and `tier` with `rating_low` ... `rank_high`.

    `plays` says of a bot without an overall rank which part of the event it plays.
    """
    table = results.leaderboard(by_game=False)
    return table.assign(plays=table["bot"].map(results.specialists)) if results.specialists else table


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot: its rating with the 95 % interval; a ground of one shade is a tier."""
    if not len(frame) or not frame["points"].notna().any():
        return Nothing("no matches")
    bots, omitted = best(list(frame["bot"]), ROWS)
    frame = frame.head(len(bots))
    rated = "rating" in frame and bool(frame["rating"].notna().any())
    axis, beyond = ends(frame["rating"], frame["rating_low"], frame["rating_high"]) if rated else ((0, 100), "")
    unit = f", in {about.unit}," if about.unit else ""
    tiers = rated and "tier" in frame and frame["tier"].nunique() > 1
    figures = f"Rating{unit} with its 95 % interval" if rated else "Points: mean score over boards and roles, 0 to 100"
    shades = ". Bots on the same shade cannot be told apart from the best of them" if tiers else ""
    figure, (panel,) = sheet(
        about.title("who is best"),
        f"{figures}{beyond}{shades}{omitted}",
        [Panel(names=tuple(about.labels(frame["bot"])), columns=_columns(frame, about.unit, rated=rated))],
        wide=4.0,
    )
    if rated:
        if tiers:
            grounds = frame["tier"].astype(object)
            grounds = grounds.where(frame["plays"].isna(), frame["plays"]) if "plays" in frame else grounds
            bands(panel, [None if pd.isna(ground) else ground for ground in grounds])
        intervals(panel, frame["rating"], frame["rating_low"], frame["rating_high"], axis)
    else:
        points = frame["points"].astype(float).fillna(0)
        panel.barh(range(len(points)), points, height=0.6, color=POINTS)
        panel.set(xlim=axis, xticks=range(0, 101, 25))
    bare(panel)
    return figure


def _columns(frame: pd.DataFrame, unit: str, *, rated: bool) -> dict[str, list[str]]:
    """Return the texts of the columns to the right of the panel, by their heads."""
    declared = LEADERBOARD.rated_in(unit)
    points = ["never played" if pd.isna(value) else _text(value, declared["points"]) for value in frame["points"]]
    if not rated:
        return {"points": points}
    columns = {"rating": [_text(value, declared["rating"]) for value in frame["rating"]]}
    if "rank_low" in frame and frame["rank_low"].notna().any():
        columns["rank"] = [
            "" if pd.isna(low) else f"{low:.0f}" if low == high else f"{low:.0f}\u2013{high:.0f}"
            for low, high in zip(frame["rank_low"], frame["rank_high"], strict=True)
        ]
    columns |= {} if frame["rating"].equals(frame["points"]) else {"points": points}
    return columns | ({"plays": list(frame["plays"].fillna(""))} if "plays" in frame else {})


def _text(value: float, column: Column) -> str:
    return column.text(None if pd.isna(value) else value).replace("-", "\u2212")
