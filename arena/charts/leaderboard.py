"""Who is best, and how sure that is: ratings with their intervals, ranks and tiers.

Without ratings it shows points alone.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.charts.style import COLOURS, GREY, INK, SMALL, About, Nothing, styled
from arena.charts.style.letters import shown, widest
from arena.charts.style.marks import bands, intervals
from arena.charts.style.sheet import Room, bare, row_height, row_size, rows, sheet
from arena.leaderboard import Results

WIDE, COLUMN = 4.0, 0.62


def frame(results: Results) -> pd.DataFrame:
    """A row a bot, best first: `bot`, `rank`, `points`; `rating` and `tier` with `rating_low` ... `rank_high`."""
    return results.leaderboard()


@styled
def draw(frame: pd.DataFrame, about: About = About()) -> Figure | Nothing:  # noqa: B008  frozen
    """A row a bot: its rating with the 95 % interval; a ground of one shade is a tier."""
    if not len(frame) or not frame["points"].notna().any():
        return Nothing("no matches")
    rated = "rating" in frame and bool(frame["rating"].notna().any())
    names = shown(frame["bot"])
    size = row_size(len(names))
    columns = _columns(frame, rated=rated)
    wide = [max(COLUMN, 0.2 + widest([head, *texts], size)) for head, texts in columns.items()]
    made, (panel,) = sheet(
        about.title("who is best"),
        _subtitle(frame, about, rated=rated),
        (WIDE, row_height(len(names)) * len(names)),
        room=Room(left=widest(names, size) + 0.12, right=sum(wide) + 0.1, above=0.22, below=0.3),
    )
    if rated and "tier" in frame:
        bands(panel, [None if pd.isna(tier) else tier for tier in frame["tier"]])
    _marks(panel, frame, rated=rated)
    rows(panel, names)
    bare(panel)
    left = WIDE + 0.1
    for (head, texts), across in zip(columns.items(), wide, strict=True):
        _column(panel, (left + across) / WIDE, head, texts, size)
        left += across
    return made


def _subtitle(frame: pd.DataFrame, about: About, *, rated: bool) -> str:
    if not rated:
        return "Points: mean score over boards and roles, 0 to 100"
    tiers = "; bots on the same ground are not surely apart" if "tier" in frame and frame["tier"].nunique() > 1 else ""
    unit = f" in {about.unit}" if about.unit else ""
    return f"Rating{unit} with its 95 % interval{tiers}"


def _columns(frame: pd.DataFrame, *, rated: bool) -> dict[str, list[str]]:
    """What stands to the right, head by head."""
    points = [_text(value, 1) for value in frame["points"]]
    if not rated:
        return {"points": points}
    decimals = 0 if frame["rating"].abs().max() >= 100 and frame["points"].max() != frame["rating"].max() else 2
    decimals = 1 if frame["rating"].equals(frame["points"]) else decimals
    told = {"rating": [_text(value, decimals) for value in frame["rating"]]}
    if "rank_low" in frame:
        told["rank"] = list(map(_range, frame["rank_low"], frame["rank_high"]))
    return told if frame["rating"].equals(frame["points"]) else told | {"points": points}


def _text(value: object, decimals: int) -> str:
    return "never played" if pd.isna(value) else f"{value:.{decimals}f}".replace("-", "\u2212")  # type: ignore[call-overload]


def _range(low: float, high: float) -> str:
    """`2` or `2-4`."""
    return "" if pd.isna(low) else f"{low:.0f}" if low == high else f"{low:.0f}\u2013{high:.0f}"


def _marks(panel: Axes, frame: pd.DataFrame, *, rated: bool) -> None:
    if rated:
        intervals(panel, frame["rating"], frame["rating_low"], frame["rating_high"])
        panel.margins(x=0.04)
    else:
        points = frame["points"].astype(float).fillna(0)
        panel.barh(range(len(points)), points, height=0.6, color=COLOURS[0])
        panel.set(xlim=(0, 100), xticks=range(0, 101, 25))


def _column(panel: Axes, right: float, head: str, texts: list[str], size: float) -> None:
    """Figures beside the panel; the first head is what rows are placed by."""
    across = panel.get_yaxis_transform()
    panel.annotate(
        head, (right, 1), (0, 5), "axes fraction", "offset points", ha="right", fontsize=max(8, size - 1), color=GREY
    )
    for place, text in enumerate(texts):
        missing = text == "never played"
        panel.text(
            right,
            place,
            "" if missing and head != "points" else text,
            ha="right",
            va="center_baseline",
            transform=across,
            fontsize=SMALL if missing else size,
            fontweight="bold" if head == "rating" else "normal",
            color=GREY if missing or head != "rating" else INK,
        )
