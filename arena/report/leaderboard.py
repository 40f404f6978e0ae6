"""The tables of the leaderboard's page: columns with their meaning, and each cell as text and as sort key.

Of a Swiss and a knockout also the places, and the rounds or the bracket: who met whom in which round, and who won.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

from arena.event.placings import shown_columns
from arena.event.plan import Plan
from arena.event.schedules import knockout
from arena.event.schedules._pairings import leagues, totals
from arena.protocol import clean
from arena.results import comparison
from arena.results.anytext import pd
from arena.results.archive import Archive
from arena.results.columns import (
    CHANGE,
    LEADERBOARD,
    LOGITS,
    RANKINGS,
    SINCE,
    Column,
    Columns,
    interval_bars,
    interval_text,
    ranks_text,
    rounded_text,
)
from arena.results.leaderboard import Results, rank_changes
from arena.results.tables import rows_of
from arena.values import Batch, Ending, Event, Played

ORDER = (
    *("rank", "bot", CHANGE.name, "rating", "range", "ranks", "tier", "points"),
    *("matches", "won", "drawn", "lost", "forfeits", "accuracy", "blunders", "regret_estimate"),
)
"""The first columns of the page; tie-breaks, boards, endings and roles follow."""
INTERVALS = {"range": ("rating_low", "rating_high"), "ranks": ("rank_low", "rank_high")}
"""Columns of the page that show two of the frame's."""
RANKED = 30  # bots that the ranking of a role shows; rankings.csv has all


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and the key that the table is sorted by."""

    text: str
    key: float | str | None
    span: tuple[float, float] | None = None
    """The ends of a bar, 0 to 100."""
    marker: float | None = None
    """Where the figure itself stands on that bar."""


Row = dict[str, Cell]


@dataclass(frozen=True)
class PageTable:
    """A table of the page."""

    title: str
    """Cleaned; empty for the only leaderboard."""
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    parts: tuple[tuple[str, tuple[Row, ...]], ...] = ()
    """Rows of bots without a rank, by the part that they play, told in words."""
    left_out: int = 0
    """Rows that are in the CSV file only."""
    unit: str = ""
    """The unit of ratings; empty without ratings."""
    warnings: tuple[str, ...] = ()
    """Warnings about the ratings, for the reader."""
    extra: Collection[str] = ()
    """Names of columns that the page shows only with `All columns`: endings, and boards, which have tables too."""


def placings(schedule: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, PageTable]:
    """Return the table of places of each game, by its name, where the event's schedule has such tables."""
    games = groupby(rows, key=lambda row: row["game"])
    return {game: _table(clean(game), shown_columns(schedule), list(own)) for game, own in games}


Entry = tuple[tuple[str, str, bool], ...]
"""A pairing, the better bot first: its name, cleaned, its side's mean score, whether it won. A bye is a bot alone."""


Rounds = tuple[tuple[str, tuple[Entry, ...]], ...]
"""The title and the pairings of each round that is over; deciders are included."""


def rounds(results: Results, archive: Archive) -> dict[str, Rounds]:
    """Return the rounds of each game of a Swiss or a knockout, by its name."""
    event = results.event
    if event.schedule not in {"swiss", "knockout"}:
        return {}
    plan = Plan(event, archive)
    plan.walk_on()
    history = plan.complete_batches()
    return {
        league.games[0]: _rounds(results, league, own) for league, own in leagues(event, history)
    }


def _rounds(results: Results, league: Event, history: Sequence[Batch]) -> Rounds:
    played: list[list[Played]] = []
    for batch in history:
        if played and {*totals(batch)} <= {*totals(played[-1])}:  # deciders
            played[-1] += batch
        else:
            played.append([*batch])
    bots, is_knockout = {bot.name for bot in league.bots}, league.schedule == "knockout"
    lost_in = (
        {row.bot: row.out for row in knockout.placings(league, history)} if is_knockout else {}
    )
    entries: list[list[list[tuple[float, str]]]] = []
    for number, matches in enumerate(played, 1):
        still_in = {bot for bot in bots if (lost_in.get(bot) or number) >= number}
        legs = Counter(frozenset(match.seats.values()) for match in matches)
        pairs = [
            sorted(((total / legs[pair], bot) for bot, total in sums.items()), reverse=True)
            for pair, sums in totals(matches).items()
        ]
        byes = still_in - {bot for pair in pairs for _, bot in pair}
        entries.append([*pairs, *([(-1.0, bot)] for bot in sorted(byes))])
    if is_knockout:  # as a bracket, each pairing stands before the one that its winner goes to
        for earlier, later in reversed(list(pairwise(entries))):
            order = {
                bot: number
                for number, (_, bot) in enumerate(bot for entry in later for bot in entry)
            }
            earlier.sort(key=lambda entry: min(order.get(bot, len(order)) for _, bot in entry))
    return tuple(
        (
            "Final" if is_knockout and number == knockout.rounds(league) else f"Round {number}",
            tuple(
                tuple(
                    (
                        clean(results.display_name(bot)),
                        rounded_text(mean, 1) if len(entry) > 1 else "bye",
                        # Of a level pairing the better seed advances.
                        any(lost_in[other] == number for _, other in entry if other != bot)
                        if is_knockout
                        else mean > entry[-1][0],
                    )
                    for mean, bot in entry
                )
                for entry in met
            ),
        )
        for number, met in enumerate(entries, 1)
    )


def since(results: Results, then: Results) -> list[tuple[PageTable, str]]:
    """Return for each game what changed since another event: its bots now and then, and the names of bots that left."""
    columns, tables = SINCE.rated_in(results.unit).columns, []
    for game, rows in comparison.since(results, then).items():
        title = clean(game) if len(results.leagues) > 1 else ""
        gone = ", ".join(clean(row["display"]) for row in rows if row["points"] is None)
        tables.append(
            (_table(title, columns, [row for row in rows if row["points"] is not None]), gone)
        )
    return tables


def leaderboards(results: Results) -> tuple[PageTable, ...]:
    """Return a leaderboard for each game, and one of all games where most bots play them all."""
    leagues = results.leagues
    tables = [
        leaderboard(league, clean(league.game or "") if len(leagues) > 1 else "")
        for league in leagues
    ]
    overall = results.overall_leaderboard() if len(leagues) > 1 else ()
    return (*tables, *([leaderboard(results, "all games", overall)] if len(overall) else []))


def leaderboard(results: Results, title: str = "", frame: Any = None) -> PageTable:
    """Return the leaderboard of a league, with ratings, intervals and tiers where its frame has them."""
    columns = LEADERBOARD.rated_in(results.unit)
    frame = results.leaderboard() if frame is None else frame
    rows = rows_of(frame, columns)
    names = [str(name) for name in frame.columns if name not in {"display", "game", *LOGITS}]
    changes = results.rank_changes
    names += [CHANGE.name] if any(change != 0 for change in changes.values()) else []
    shown_columns, extra = _columns(results, columns, names, rows)
    parts: dict[str | None, list[Row]] = {None: []}
    for row, bar in zip(rows, interval_bars(rows), strict=True):
        shown = row | {
            "bot": results.display_name(row["bot"]),
            CHANGE.name: changes.get(row["bot"], 0),
        }
        cells = {column.name: _cell(column, shown, bar) for column in shown_columns}
        parts.setdefault(
            results.specialists.get(row["bot"]) if row["rank"] is None else None, []
        ).append(cells)
    return PageTable(
        title,
        shown_columns,
        tuple(parts.pop(None)),
        tuple((str(part), tuple(own)) for part, own in parts.items()),
        unit=results.unit if "rating" in names else "",
        warnings=results.warnings,
        extra=extra,
    )


def of_bots(results: Results, frame: pd.DataFrame, columns: Columns) -> PageTable:
    """Return a frame that has a row for each `bot` as a table."""
    rows = [row | {"display": results.display_name(row["bot"])} for row in rows_of(frame, columns)]
    return _table("", columns.columns, rows)


def _table(
    title: str,
    columns: Iterable[Column],
    rows: Sequence[Mapping[str, Any]],
    most: int | None = None,
) -> PageTable:
    """Return a table of the first rows, whose bots have the names to show.

    Columns with one heading, such as the ends of an interval, are one; the figure itself stands before them.
    """
    shown = [column for column in columns if column.name != "display"]
    groups = [tuple(group) for _, group in groupby(shown, key=lambda column: column.heading)]

    def text(row: Mapping[str, Any], before: tuple[Column, ...], group: tuple[Column, ...]) -> str:
        first, figures = group[0], [row[column.name] for column in group]
        if first.name == "bot":
            return clean(row["display"])
        if len(group) == 1:
            return first.printed(figures[0])
        if first.name == "rank_low":
            return ranks_text(*figures)
        return "" if row[before[0].name] is None else interval_text(*map(first.printed, figures))

    cells = tuple(
        {
            group[0].name: Cell(text(row, before, group), None)
            for before, group in pairwise([(), *groups])
        }
        for row in rows[:most]
    )
    return PageTable(
        title, tuple(first for first, *_ in groups), cells, left_out=len(rows) - len(cells)
    )


def rankings(results: Results) -> Iterator[PageTable]:
    """Yield a table of the best bots for each board over all its roles, and for each role."""
    board, role, *columns = RANKINGS.rated_in(results.unit).without_logits().columns
    rows = rows_of(results.rankings(), RANKINGS)
    for (label, part), group in groupby(rows, key=lambda row: (row[board.name], row[role.name])):
        title = clean(f"{label}, {part or 'all roles'}")
        yield _table(title, columns, list(group), RANKED)


def _columns(
    results: Results, declared: Columns, names: list[str], rows: list[dict[str, Any]]
) -> tuple[tuple[Column, ...], Collection[str]]:
    """Return the columns of ORDER, then others of the frame: endings that happened, boards, roles; and the extra."""
    boards, roles = set(results.board_columns.values()), set(results.board_role_columns.values())
    endings = {str(ending) for ending in Ending}
    hidden = {name for name in endings.intersection(names) if not any(row[name] for row in rows)}
    for shown, ends in INTERVALS.items():
        names = [shown if name == ends[0] else name for name in names if name != ends[1]]
    others = sorted(
        (name for name in names if name not in ORDER and name not in hidden),
        key=lambda name: (name in endings) + 2 * (name in roles),
    )
    columns = []
    for name in (*(name for name in ORDER if name in names), *others):
        column = CHANGE if name == CHANGE.name else declared[INTERVALS.get(name, (name,))[0]]
        meaning = declared["BOARD_ROLE"].meaning if name in roles else column.meaning
        meaning = meaning.replace("`", "") + ("; opens the bot's page" if name == "bot" else "")
        columns.append(replace(column, name=name, label=clean(column.heading), meaning=meaning))
    return tuple(columns), endings | boards | roles


def _cell(column: Column, row: dict[str, Any], bar: tuple[float, float, float] | None) -> Cell:
    match column.name:
        case "range":
            if bar is None:
                return Cell("", None)
            low, high = row["rating_low"], row["rating_high"]
            begin, marker, end = (100 * share for share in bar)
            text = interval_text(column.printed(low), column.printed(high))
            return Cell(text, "-Infinity" if low is None else low, (begin, end), marker)
        case "ranks":
            return Cell(ranks_text(row["rank_low"], row["rank_high"]), row["rank_low"])
        case CHANGE.name:
            return Cell(rank_changes.text(row[CHANGE.name]), row[CHANGE.name])
        case "bot":
            return Cell(clean(row["bot"]), clean(row["bot"]))
    figure = row[column.name]
    span = (0.0, figure) if column.name == "points" and figure is not None else None
    return Cell(column.printed(figure), figure, span)
