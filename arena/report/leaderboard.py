"""The leaderboard as the template's table: its columns with their meaning, and each cell as text and as sort key."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from arena.event.placings import shown_columns
from arena.protocol import clean
from arena.results.columns import CHANGE, LEADERBOARD, RANKINGS, Column, Columns, interval_text
from arena.results.leaderboard import Results, rank_changes
from arena.results.tables import rows_of
from arena.values import Ending

ORDER = (
    *("rank", "bot", "rating", "range", "ranks", "tier", "points", "matches", "won", "drawn", "lost", "forfeits"),
    *("accuracy", "blunders", "regret_estimate"),
)
"""The first columns of the page; tie-breaks, boards, endings and roles follow."""
INTERVALS = {"range": ("rating_low", "rating_high"), "ranks": ("rank_low", "rank_high")}
"""Columns of the page that show two of the frame's."""
RANKING = {"rank": "rank", "rating": "strength", "range": "low", "ranks": "rank_low", "score": "score"}
"""The cells of a ranking, and the column of its frame that each shows; `low` and `rank_low` stand for intervals."""
MINUS = "\u2212"
RANKED = 30  # bots that the ranking of a role shows; rankings.csv has all


@dataclass(frozen=True)
class Heading:
    """The head of one column of the table."""

    name: str
    label: str
    meaning: str
    column: Column
    """The frame's column; of an interval, that of its lower end."""
    extra: bool
    """True for a column that the page shows only with `All columns`: an ending, or a board, which has its own table."""


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and the key that the table is sorted by."""

    text: str
    key: float | str | None
    span: tuple[float, float] | None = None
    """The ends of a bar, 0 to 100."""
    mark: float | None = None
    """The place of the figure itself on that bar."""


Rows = tuple[tuple[str, dict[str, Cell]], ...]


@dataclass(frozen=True)
class LeaderboardTable:
    """Rows as the event placed them."""

    columns: tuple[Heading, ...]
    rows: Rows
    """The bot, cleaned, and its cells by column."""
    unit: str = ""
    """The unit of ratings; empty without ratings."""
    warnings: tuple[str, ...] = ()
    """Warnings about the ratings, for the reader."""
    ending: tuple[str, ...] = ()
    """Why the event ended, and which ranks are open; cleaned."""
    parts: tuple[tuple[str, Rows], ...] = ()
    """Rows of bots without an overall rank, by the part of the event that they play, told in words."""
    rankings: tuple[tuple[str, Rows, int], ...] = ()
    """For each board, and each role of it: its heading, its best rows, and how many more there are."""
    ranking_labels: tuple[str, ...] = tuple(RANKINGS[name].heading for name in RANKING.values())
    """Of all columns of the rankings but the bot's."""


@dataclass(frozen=True)
class PlacingsTable:
    """The table of a Swiss or a knockout."""

    schedule: str
    labels: tuple[str, ...]
    meanings: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    """Cells of column and text, cleaned."""


def placings(schedule: str, rows: Sequence[Mapping[str, Any]]) -> PlacingsTable | None:
    """Return the table of places, where the event's schedule has one."""
    if not rows:
        return None
    columns = shown_columns(schedule)
    return PlacingsTable(
        schedule.replace("_", " "),
        tuple(LEADERBOARD["bot"].heading if column.name == "display" else column.heading for column in columns),
        tuple(column.meaning for column in columns),
        tuple(
            tuple(
                (column.name, clean(row["display"]) if column.name == "display" else column.text(row[column.name]))
                for column in columns
            )
            for row in rows
        ),
    )


def table(results: Results) -> LeaderboardTable:
    """Return the leaderboard, with ratings, intervals and tiers where its frame has them."""
    columns = LEADERBOARD.rated_in(results.ratings.unit)
    frame = results.leaderboard(by_game=False)
    rows = rows_of(frame, columns)
    names = [str(name) for name in frame.columns if name not in {"display", "game"}]
    headings = list(
        _headings(columns, names, rows, set(results.board_columns.values()), set(results.board_role_columns.values()))
    )
    changes = results.rank_changes
    if any(change != 0 for change in changes.values()):
        after_bot = 1 + [heading.name for heading in headings].index("bot")
        headings.insert(after_bot, Heading(CHANGE.name, CHANGE.heading, CHANGE.meaning, CHANGE, extra=False))
    widest = _reach(rows)
    parts: dict[str | None, list[tuple[str, dict[str, Cell]]]] = {None: []}
    for row in rows:
        label = results.display_name(row["bot"])
        shown = row | {"bot": label, CHANGE.name: changes.get(row["bot"], 0)}
        cells = {each.name: _cell(each.name, shown, each.column, widest) for each in headings}
        parts.setdefault(results.specialists.get(row["bot"]), []).append((clean(label), cells))
    return LeaderboardTable(
        tuple(headings),
        tuple(parts.pop(None)),
        results.ratings.unit if "rating" in names else "",
        results.warnings,
        results.end_sentences,
        tuple((str(part), tuple(own)) for part, own in parts.items()),
        tuple(_rankings(results)),
    )


def _rankings(results: Results) -> Iterator[tuple[str, Rows, int]]:
    """Yield a table of the best bots for each board over all its roles, and for each role."""
    columns = RANKINGS.rated_in(results.ratings.unit)
    rankings = rows_of(results.rankings(), columns)
    for (label, role), group in groupby(rankings, key=lambda row: (row["board"], row["role"])):
        own = [row | {"rating": row["strength"], "rating_low": row["low"], "rating_high": row["high"]} for row in group]
        reach = _reach(own)
        rows = tuple(
            (
                clean(row["display"]),
                {cell: _cell(cell, row, columns[name], reach) for cell, name in RANKING.items()},
            )
            for row in own[:RANKED]
        )
        yield clean(f"{results.board_columns.get(label, label)}, {role or 'all roles'}"), rows, len(own) - len(rows)


def _headings(
    columns: Columns, names: list[str], rows: list[dict[str, Any]], boards: set[str], roles: set[str]
) -> Iterator[Heading]:
    """Yield the columns of ORDER first, then the others of the frame: endings that happened, boards, roles."""
    endings = {str(ending) for ending in Ending}
    hidden = {name for name in endings.intersection(names) if not any(row[name] for row in rows)}
    for shown, ends in INTERVALS.items():
        names = [shown if name == ends[0] else name for name in names if name != ends[1]]
    others = sorted(
        (name for name in names if name not in ORDER and name not in hidden),
        key=lambda name: (name in endings) + 2 * (name in roles),
    )
    for name in (*(name for name in ORDER if name in names), *others):
        column = columns[INTERVALS.get(name, (name,))[0]]
        meaning = columns["BOARD_ROLE"].meaning if name in roles else column.meaning
        meaning = meaning.replace("`", "") + ("; opens the bot's page" if name == "bot" else "")
        yield Heading(name, clean(column.heading), meaning, column, extra=name in endings | boards | roles)


def _reach(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the lowest and the highest figure of any interval, with some space on a side where an interval is open."""
    rated = [row for row in rows if row.get("rating") is not None]
    known = [row[name] for row in rated for name in ("rating_low", "rating", "rating_high") if row[name] is not None]
    if not known:
        return 0.0, 1.0
    slack = 0.08 * (max(known) - min(known) or 1)
    open_below, open_above = (any(row[name] is None for row in rated) for name in ("rating_low", "rating_high"))
    return min(known) - slack * open_below, max(known) + slack * open_above


def _cell(name: str, row: dict[str, Any], column: Column, reach: tuple[float, float]) -> Cell:
    match name:
        case "range":
            low, high = row["rating_low"], row["rating_high"]
            if row["rating"] is None:
                return Cell("", None)
            scale = 100 / ((reach[1] - reach[0]) or 1)
            ends = (reach[0] if low is None else low, row["rating"], reach[1] if high is None else high)
            begin, mark, end = ((figure - reach[0]) * scale for figure in ends)
            text = interval_text(*(column.text(figure).replace("-", MINUS) for figure in (low, high)))
            return Cell(text, reach[0] - 1 if low is None else low, (begin, end), mark)
        case "ranks":
            low, high = row["rank_low"], row["rank_high"]
            return Cell("" if low is None else f"{low:g}" if low == high else f"{low:g}\u2013{high:g}", low)
        case CHANGE.name:
            return Cell(rank_changes.text(row[name]), row[name])
        case "bot":
            return Cell(clean(row[name]), clean(row[name]))
    figure = row[name]
    text = column.text(figure)
    span = (0.0, figure) if name == "points" and figure is not None else None
    return Cell(text.replace("-", MINUS) if name == "rating" else text, figure, span)
