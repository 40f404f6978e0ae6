"""The leaderboard as the template's table: its columns with their meaning, and each cell as text and as sort key."""

from dataclasses import dataclass
from math import isnan
from typing import Any

from arena import tiebreaks
from arena.leaderboard import Results
from arena.match import Ending
from arena.protocol import clean
from arena.tables import rows_of

MEANINGS = {
    "rank": ("#", "Rank: by rating, then points, then tie-breaks"),
    "bot": ("Bot", "Opens the bot's page"),
    "rating": ("Rating", "Strength by the fit of all matches"),
    "range": ("95 %", "The rating's 95 % interval"),
    "ranks": ("Ranks", "The rank's 95 % interval"),
    "tier": ("Tier", "Bots of one tier are not separated by these matches"),
    "points": ("Points", "Mean over boards and roles of the mean score there, 0 to 100"),
    "matches": ("Matches", "Matches that it sat in"),
    "won": ("Won", "Its side scored strictly most"),
    "drawn": ("Drawn", "Its side tied for most"),
    "lost": ("Lost", "Another side scored more"),
    "forfeits": ("Forfeits", "Seats of its that were at fault"),
}
INTERVALS = {"rating_low", "rating_high", "rank_low", "rank_high"}


@dataclass(frozen=True)
class Column:
    """One column of the table."""

    name: str
    label: str
    meaning: str
    extra: bool
    """Whether it is only shown when all columns are wanted."""


@dataclass(frozen=True)
class Cell:
    """One cell: what is read, and what is sorted by."""

    text: str
    key: float | str | None
    span: tuple[float, float] | None = None
    """From where to where a bar goes, 0 to 100."""
    mark: float | None = None
    """Where on it the figure itself is."""


@dataclass(frozen=True)
class Table:
    """Rows as the event placed them."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, dict[str, Cell]], ...]
    """The bot, cleaned, and its cells by column."""
    unit: str = ""
    """Of ratings; none where there are none."""
    warnings: tuple[str, ...] = ()
    """What a reader of the ratings should know."""


def table(results: Results) -> Table:
    """The leaderboard, with ratings, intervals and tiers where its frame has them."""
    frame = results.leaderboard()
    names = [str(name) for name in frame.columns]
    rows = rows_of(frame)
    columns = _columns(names, rows, set(results.places.values()))
    widest = _reach(rows)
    return Table(
        columns,
        tuple((clean(row["bot"]), {each.name: _cell(each.name, row, widest) for each in columns}) for row in rows),
        results.ratings.unit if "rating" in names else "",
        results.warnings,
    )


def _columns(names: list[str], rows: list[dict[str, Any]], roles: set[str]) -> tuple[Column, ...]:
    """The well-known columns first, then what else the frame has: endings that happened, boards, roles."""
    known = [name for name in MEANINGS if name in names or (name == "range" and "rating_low" in names)]
    known += ["ranks"] if "rank_low" in names else []
    endings = {str(ending) for ending in Ending}
    rest = [
        name
        for name in names
        if name not in MEANINGS and name not in INTERVALS and (name not in endings or any(row[name] for row in rows))
    ]
    order = sorted(known, key=list(MEANINGS).index) + sorted(
        rest, key=lambda name: (name in endings) + 2 * (name in roles)
    )
    return tuple(_column(name, extra=name in endings or name in roles) for name in order)


def _column(name: str, *, extra: bool) -> Column:
    label, meaning = MEANINGS.get(name, (clean(name).replace("_", " "), "Mean score, 0 to 100"))
    if name in tiebreaks.names():
        meaning = "Tie-break, where ratings and points are equal"
    if name in {str(ending) for ending in Ending}:
        meaning = "Seats of its that ended so"
    return Column(name, label, meaning, extra)


def _reach(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """The lowest and the highest end of any interval."""
    lows = [row["rating_low"] for row in rows if row.get("rating_low") is not None]
    highs = [row["rating_high"] for row in rows if row.get("rating_high") is not None]
    return (min(lows), max(highs)) if lows and highs else (0.0, 1.0)


def _cell(name: str, row: dict[str, Any], reach: tuple[float, float]) -> Cell:
    match name:
        case "range":
            low, high = row["rating_low"], row["rating_high"]
            if low is None or high is None:
                return Cell("", None)
            scale = 100 / ((reach[1] - reach[0]) or 1)
            begin, mark, end = ((figure - reach[0]) * scale for figure in (low, row["rating"], high))
            return Cell(f"{_rating(low)} to {_rating(high)}", low, (begin, end), mark)
        case "ranks":
            low, high = row["rank_low"], row["rank_high"]
            return Cell("" if low is None else f"{low:g}" if low == high else f"{low:g}\u2013{high:g}", low)
        case "rating":
            return Cell(_rating(row[name]), row[name])
        case "points":
            points = row[name]
            return Cell(_text(points, 1), points, None if points is None else (0.0, points))
    return Cell(_text(row[name]), clean(row[name]) if isinstance(row[name], str) else row[name])


def _rating(value: float | None) -> str:
    """Whole on Elo's scale; with decimals where 1 is much, as in logits."""
    return _text(value, 0 if value is None or abs(value) >= 100 else 2).replace("-", "\u2212")


def _text(value: object, decimals: int = 1) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return clean(str(value))
