"""The leaderboard: ratings with their intervals, ranks and tiers.

Without ratings it shows points only.
"""

import pandas as pd
from matplotlib.figure import Figure

from arena.charts.style import POINTS, About, Nothing, styled
from arena.charts.style.markers import BEYOND, bands, ends, intervals
from arena.charts.style.sheet import ROWS, Panel, best, sheet
from arena.results.columns import LEADERBOARD, ranks_text
from arena.results.leaderboard import Results


def frame(results: Results) -> pd.DataFrame:
    """Return a row for each game and bot, best first, as `Results.leaderboard` has them.

    A row without a game is over all games. `plays` says of a bot without a rank which part of the
    game it plays.
    """
    parts = {
        (league.game, bot): part
        for league in results.leagues
        for bot, part in league.specialists.items()
    }
    table = results.leaderboard()
    keys = zip(table["game"], table["bot"], strict=True)
    return table.assign(plays=pd.Series([parts.get(key) for key in keys], dtype=object))


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a panel a game, a row a bot: its rating with the 95 % interval; each shade is a tier."""
    if not len(frame) or not frame["points"].notna().any():
        return Nothing("no matches")
    rated = "rating" in frame and bool(frame["rating"].notna().any())
    tables = [(heading, table.head(ROWS)) for heading, table in about.by_game(frame)]
    axes_ends = [
        ends(table["rating"], table["rating_low"], table["rating_high"])
        for _, table in tables
        if rated
    ]
    beyond = BEYOND if any(note for _, note in axes_ends) else ""
    tiers = rated and "tier" in frame and any(table["tier"].nunique() > 1 for _, table in tables)
    figures = f"Rating{f' in {about.unit}' if about.unit else ''} with its 95 % interval{beyond}"
    shades = ". Bots on the same shade cannot be told apart from the best of them" if tiers else ""
    most = max((list(table["bot"]) for _, table in about.by_game(frame)), key=len)
    figure, axes = sheet(
        about.title("who is best"),
        (figures if rated else "Points: mean score over boards and roles, 0 to 100")
        + shades
        + best(most, ROWS)[1],
        [
            Panel(
                heading=heading,
                names=tuple(about.labels(table["bot"])),
                columns=_columns(table, about.unit, rated=rated),
            )
            for heading, table in tables
        ],
        wide=4.0,
    )
    for number, (panel, (_, table)) in enumerate(zip(axes, tables, strict=True)):
        if rated:
            if tiers:
                grounds = table["tier"].astype(object)
                bands(panel, [None if pd.isna(ground) else ground for ground in grounds])
            intervals(
                panel,
                table["rating"],
                table["rating_low"],
                table["rating_high"],
                axes_ends[number][0],
            )
        else:
            points = table["points"].astype(float).fillna(0)
            panel.barh(range(len(points)), points, height=0.6, color=POINTS)
            panel.set(xlim=(0, 100), xticks=range(0, 101, 25))
        panel.grid(axis="x")
    return figure


def _columns(frame: pd.DataFrame, unit: str, *, rated: bool) -> dict[str, list[str]]:
    """Return the texts of the columns to the right of the panel, by their heads."""
    declared = LEADERBOARD.rated_in(unit)
    points = [
        "never played" if pd.isna(value) else declared["points"].printed(value)
        for value in frame["points"]
    ]
    if not rated:
        return {"points": points}
    columns = {"rating": list(map(declared["rating"].printed, frame["rating"]))}
    if "rank_low" in frame and frame["rank_low"].notna().any():
        ranks = (
            frame[["rank_low", "rank_high"]].astype(object).where(frame["rank_low"].notna(), None)
        )
        columns["rank"] = list(map(ranks_text, ranks["rank_low"], ranks["rank_high"]))
    columns |= {} if frame["rating"].equals(frame["points"]) else {"points": points}
    parts = frame["plays"].fillna("") if "plays" in frame else pd.Series(dtype=str)
    return columns | ({"plays": list(parts)} if parts.any() else {})
