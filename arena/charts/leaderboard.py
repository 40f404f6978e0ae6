"""The leaderboard: ratings with their intervals, ranks and tiers.

Without ratings it shows points only.
"""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import POINTS, About, Nothing, styled
from arena.charts.style.markers import bands, ends, intervals
from arena.charts.style.sheet import ROWS, Panel, best, sheet
from arena.results.columns import LEADERBOARD, ranks_text
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each game and bot, best first, as `Results.leaderboard` has them.

    A row without a game is over all games. `plays` says of a bot without a rank which part of the
    game it plays.
    """
    parts = {}
    for league in results.leagues:
        for bot, part in league.specialists.items():
            parts[league.game, bot] = part
    table = results.leaderboard()
    keys = zip(table["game"], table["bot"], strict=True)
    plays = [parts.get(key) for key in keys]
    return table.assign(plays=pd.Series(plays, dtype=object))


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a game, a row a bot: its rating with the 95 % interval; each shade is a tier."""
    if not len(frame) or not frame["points"].notna().any():
        return Nothing("no matches")
    rated = False
    if "rating" in frame:
        rated = bool(frame["rating"].notna().any())

    tables = []
    panels = []
    longest: list[str] = []  # of the lists of bots
    for heading, rows in about.by_game(frame):
        table = rows.head(ROWS)
        texts = Panel(
            heading=heading,
            names=tuple(about.labels(table["bot"])),
            columns=_columns(table, about.unit, rated=rated),
        )
        tables.append(table)
        panels.append(texts)
        longest = max(longest, list(rows["bot"]), key=len)
    _, omitted = best(longest, ROWS)

    axes_ends = []
    beyond = ""
    tiers = False
    if rated:
        for table in tables:
            axis, note = ends(
                table["rating"],
                table["rating_low"],
                table["rating_high"],
            )
            axes_ends.append(axis)
            beyond = beyond or note
        if "tier" in frame:
            tiers = any(table["tier"].nunique() > 1 for table in tables)

    subtitle = "Points: mean score over boards and roles, 0 to 100"
    if rated:
        unit = ""
        if about.unit:
            unit = f" in {about.unit}"
        subtitle = f"Rating{unit} with its 95 % interval{beyond}"
    if tiers:
        subtitle += ". No bot is proven to be worse than the best of its band"
    title = about.title("who is best")
    figure, axes = sheet(title, subtitle + omitted, panels, wide=4.0)
    for number, (panel, table) in enumerate(zip(axes, tables, strict=True)):
        if tiers:
            grounds = table["tier"].astype(object)
            grounds = grounds.where(grounds.notna(), None)
            bands(panel, list(grounds))
        if rated:
            intervals(
                panel,
                table["rating"],
                table["rating_low"],
                table["rating_high"],
                axes_ends[number],
            )
        else:
            points = table["points"].astype(float).fillna(0)
            row = range(len(points))
            panel.barh(row, points, height=0.6, color=POINTS)
            panel.set_xlim(0, 100)
            panel.set_xticks(range(0, 101, 25))
        panel.grid(axis="x")
    return figure


def _columns(
    frame: pd.DataFrame,
    unit: str,
    *,
    rated: bool,
) -> dict[str, list[str]]:
    """Return the texts of the columns to the right of the panel, by their heads."""
    declared = LEADERBOARD.rated_in(unit)
    points = []
    for value in frame["points"]:
        text = "never played"
        if not pd.isna(value):
            text = declared["points"].printed(value)
        points.append(text)
    if not rated:
        return {"points": points}

    ratings = map(declared["rating"].printed, frame["rating"])
    columns = {"rating": list(ratings)}
    if "rank_low" in frame and frame["rank_low"].notna().any():
        ranks = frame[["rank_low", "rank_high"]].astype(object)
        ranks = ranks.where(frame["rank_low"].notna(), None)
        texts = map(ranks_text, ranks["rank_low"], ranks["rank_high"])
        columns["ranks, 95 %"] = list(texts)
    if not frame["rating"].equals(frame["points"]):
        columns["points"] = points
    if "plays" in frame:
        parts = frame["plays"].fillna("")
        if parts.any():
            columns["plays"] = list(parts)
    return columns
