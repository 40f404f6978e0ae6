"""The leaderboard: ratings with their intervals, ranks and tiers.

Without ratings it shows points only.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import GREY, INK, POINTS, SMALL, About, Nothing, styled
from arena.charts.style.gap import GAP_NOTE, gap_in
from arena.charts.style.letters import widest
from arena.charts.style.markers import bands, intervals
from arena.charts.style.sheet import ROWS, Space, bare, best, row_height, row_size, rows, sheet
from arena.results.columns import LEADERBOARD, Column
from arena.results.leaderboard import Results

WIDE, COLUMN = 4.0, 0.62


def frame(results: Results) -> pd.DataFrame:
    """Return a row a bot, best first: `bot`, `rank`, `points`; `rating` and `tier` with `rating_low` ... `rank_high`.

    `plays` says of a bot without an overall rank which part of the event it plays.
    """
    table = results.leaderboard()
    return table.assign(plays=table["bot"].map(results.specialists)) if results.specialists else table


@styled
def render(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """Draw a row a bot: its rating with the 95 % interval; a ground of one shade is a tier."""
    if not len(frame) or not frame["points"].notna().any():
        return Nothing("no matches")
    bots, omitted = best(list(frame["bot"]), ROWS)
    frame = frame.head(len(bots))
    rated = "rating" in frame and bool(frame["rating"].notna().any())
    names = about.labels(frame["bot"])
    size = row_size(len(names))
    columns = _columns(frame, about.unit, rated=rated)
    wide = [max(COLUMN, 0.2 + widest([head, *texts], size)) for head, texts in columns.items()]
    gap = gap_in(frame["rating"], frame["rating_low"], frame["rating_high"]) if rated else None
    figure, (panel,) = sheet(
        about.title("who is best"),
        _subtitle(frame, about, rated=rated) + (GAP_NOTE if gap else "") + omitted,
        (WIDE, row_height(len(names)) * len(names)),
        space=Space(left=widest(names, size) + 0.12, right=sum(wide) + 0.1, above=0.22, below=0.3),
    )
    if rated and "tier" in frame:
        grounds = frame["tier"].astype(object)
        grounds = grounds.where(frame["plays"].isna(), frame["plays"]) if "plays" in frame else grounds
        overlaps: list[bool] = []  # of each row with the row above it: where their ranks do, the ground fades
        if "rank_low" in frame:
            overlaps = (frame["rank_low"] <= frame["rank_high"].shift()).fillna(value=False).astype(bool).tolist()
        bands(panel, [None if pd.isna(ground) else ground for ground in grounds], overlaps)
    _markers(panel, frame, rated=rated)
    if gap:
        gap.mark(panel, "x")
    rows(panel, names)
    bare(panel)
    column_start = WIDE + 0.1
    for (head, texts), across in zip(columns.items(), wide, strict=True):
        _column(panel, (column_start + across) / WIDE, head, texts, size)
        column_start += across
    return figure


def _subtitle(frame: pd.DataFrame, about: About, *, rated: bool) -> str:
    if not rated:
        return "Points: mean score over boards and roles, 0 to 100"
    several_tiers = "tier" in frame and frame["tier"].nunique() > 1
    tiers = "; on one ground nobody is surely below its first" if several_tiers else ""
    tiers += "; no rank for who plays a part only" if "plays" in frame else ""
    unit = f" in {about.unit}" if about.unit else ""
    return f"Rating{unit} with its 95 % interval{tiers}"


def _columns(frame: pd.DataFrame, unit: str, *, rated: bool) -> dict[str, list[str]]:
    """Return the texts of the columns to the right of the panel, by their heads."""
    declared = LEADERBOARD.rated_in(unit)
    points = [_text(value, declared["points"]) for value in frame["points"]]
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
    return "never played" if pd.isna(value) else column.text(value).replace("-", "\u2212")


def _markers(panel: Axes, frame: pd.DataFrame, *, rated: bool) -> None:
    if rated:
        intervals(panel, frame["rating"], frame["rating_low"], frame["rating_high"])
        panel.margins(x=0.04)
    else:
        points = frame["points"].astype(float).fillna(0)
        panel.barh(range(len(points)), points, height=0.6, color=POINTS)
        panel.set(xlim=(0, 100), xticks=range(0, 101, 25))


def _column(panel: Axes, right: float, head: str, texts: list[str], size: float) -> None:
    """Write a column of texts, with its head, to the right of the panel."""
    across = panel.get_yaxis_transform()
    panel.annotate(
        head, (right, 1), (0, 5), "axes fraction", "offset points", ha="right", fontsize=max(8, size - 1), color=GREY
    )
    for row, text in enumerate(texts):
        missing = text == "never played"
        panel.text(
            right,
            row,
            "" if missing and head != "points" else text,
            ha="right",
            va="center_baseline",
            transform=across,
            fontsize=SMALL if missing else size,
            fontweight="bold" if head == "rating" else "normal",
            color=GREY if missing or head != "rating" else INK,
        )
