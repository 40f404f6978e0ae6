"""The tables of the leaderboard's page: columns with their meaning, cells as text and sort key.

For a Swiss and a knockout there are the places, too, and the rounds or the bracket: who met whom in
which round, and who won.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
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
    ADDED,
    CHANGE,
    GRADES,
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
    "rank",
    "bot",
    CHANGE.name,
    "rating",
    "range",
    "ranks",
    "tier",
    "points",
    "matches",
    "won",
    "drawn",
    "lost",
    "forfeits",
    "accuracy",
    "blunders",
    "regret_estimate",
    *ADDED,
)
"""The first columns of the page; tie-breaks, boards, endings and roles follow."""
INTERVALS = {"range": ("rating_low", "rating_high"), "ranks": ("rank_low", "rank_high")}
"""Columns of the page that show two of the frame's."""
LONGEST_SENTENCE = 1000
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
    """Rows of bots without a rank, by the part of the game that they play, in words."""
    left_out: int = 0
    """Rows that are in the CSV file only."""
    unit: str = ""
    """The unit of ratings; empty without ratings."""
    best: str = ""
    """Which bots may be the best on each board, cleaned."""
    warnings: tuple[str, ...] = ()
    """Warnings about the ratings, for the reader."""
    extra: Collection[str] = ()
    """Names of columns that the page shows only with `All columns`.

    They are those of endings, of boards, which have tables of their own, and the tier, which looks
    like a contradiction to the ranks: a bot that is proven to be worse than no single bot may still
    be proven not to be the first.
    """

    @property
    def grades(self) -> str:
        """What the columns of grades mean, in one sentence; empty without such a column."""
        meanings = []
        for column in self.columns:
            if column.name in GRADES:
                meanings.append(f"{column.heading.lower()}: {GRADES[column.name]}")
        return "; ".join(meanings)


def placings(
    schedule: str,
    rows: Sequence[Mapping[str, Any]],
) -> dict[str, PageTable]:
    """Return the table of places of each game, by its name.

    There are none where the event's schedule has no such tables.
    """
    columns = shown_columns(schedule)
    tables = {}
    for game, group in groupby(rows, key=itemgetter("game")):
        title = clean(game)
        tables[game] = _table(title, columns, list(group))
    return tables


Entry = tuple[tuple[str, str, bool], ...]
"""A pairing, the better bot first: its name, cleaned, its side's mean score, whether it won.

A bye is a bot alone.
"""


Rounds = tuple[tuple[str, tuple[Entry, ...]], ...]
"""The title and the pairings of each round that is over; deciders are included."""


def rounds(results: Results, archive: Archive) -> dict[str, Rounds]:
    """Return the rounds of each game of a Swiss or a knockout, by its name."""
    event = results.event
    if event.schedule not in {"swiss", "knockout"}:
        return {}
    plan = Plan.resumed(event, archive)
    plan.look()
    rounds = {}
    for league, history in leagues(event, plan.complete_batches()):
        game = league.games[0]
        if league.schedule == "knockout":
            rounds[game] = _bracket(results, league, history)
        else:
            rounds[game] = _swiss_rounds(results, league, history)
    return rounds


Means = list[tuple[float, str]]
"""The mean score and the name of each bot of a pairing, the higher first; a bye has one bot."""


def _swiss_rounds(
    results: Results,
    league: Event,
    history: Sequence[Batch],
) -> Rounds:
    """Return the rounds of a Swiss; the higher mean score wins a pairing."""
    bots = {bot.name for bot in league.bots}
    rounds = []
    for number, matches in enumerate(_with_deciders(history), 1):
        title = f"Round {number}"
        entries = []
        for pairing in _pairings(matches, bots):
            lowest, _ = pairing[-1]
            winners = [bot for mean, bot in pairing if mean > lowest]
            entry = _entry(results, pairing, winners)
            entries.append(entry)
        rounds.append((title, tuple(entries)))
    return tuple(rounds)


def _bracket(
    results: Results,
    league: Event,
    history: Sequence[Batch],
) -> Rounds:
    """Return the rounds of a knockout; of a level pairing the better seed advances.

    As in a bracket, each pairing stands before the one that its winner goes to.
    """
    rows = knockout.placings(league, history)
    lost_in = {row.bot: row.out for row in rows}
    pairings = []
    for number, matches in enumerate(_with_deciders(history), 1):
        still_in = set()
        for bot in league.bots:
            lost = lost_in.get(bot.name)
            if not lost or lost >= number:
                still_in.add(bot.name)
        pairings.append(_pairings(matches, still_in))

    neighbours = list(pairwise(pairings))
    for earlier, later in reversed(neighbours):
        order: dict[str, int] = {}
        for pairing in later:
            for _, name in pairing:
                order[name] = len(order)
        _sort_by_successor(earlier, order)

    rounds = []
    last = knockout.rounds(league)
    for number, round_pairings in enumerate(pairings, 1):
        title = f"Round {number}"
        if number == last:
            title = "Final"
        entries = []
        for pairing in round_pairings:
            names = {name for _, name in pairing}
            losers = {name for name in names if lost_in.get(name) == number}
            winners = [name for name in names if losers - {name}]
            entries.append(_entry(results, pairing, winners))
        rounds.append((title, tuple(entries)))
    return tuple(rounds)


def _with_deciders(history: Sequence[Batch]) -> list[list[Played]]:
    """Return the matches of each round; a batch of deciders belongs to the round before it."""
    rounds: list[list[Played]] = []
    for batch in history:
        has_deciders = False
        if rounds:
            earlier_pairs = totals(rounds[-1]).keys()
            has_deciders = totals(batch).keys() <= earlier_pairs
        if has_deciders:
            rounds[-1] += batch
        else:
            rounds.append(list(batch))
    return rounds


def _pairings(matches: Sequence[Played], bots: Collection[str]) -> list[Means]:
    """Return the pairings of a round, then the byes of the bots that have no opponent in it."""
    legs: Counter[frozenset[str]] = Counter()
    for match in matches:
        pair = frozenset(match.seats.values())
        legs[pair] += 1
    pairings: list[Means] = []
    paired: set[str] = set()
    for pair, sums in totals(matches).items():
        paired |= pair
        means = []
        for bot, total in sums.items():
            mean = total / legs[pair]
            means.append((mean, bot))
        means.sort(reverse=True)
        pairings.append(means)
    byes = set(bots) - paired
    for bot in sorted(byes):
        pairings.append([(-1.0, bot)])
    return pairings


def _sort_by_successor(pairings: list[Means], order: Mapping[str, int]) -> None:
    """Sort the pairings of a round by the places of their bots in the next round."""
    last = len(order)

    def successor(pairing: Means) -> int:
        return min(order.get(bot, last) for _, bot in pairing)

    pairings.sort(key=successor)


def _entry(
    results: Results,
    pairing: Means,
    winners: Collection[str],
) -> Entry:
    """Return a pairing as the page shows it."""
    entry = []
    for mean, bot in pairing:
        score = "bye"
        if len(pairing) > 1:
            score = rounded_text(mean, 1)
        name = clean(results.display_name(bot))
        has_won = bot in winners
        entry.append((name, score, has_won))
    return tuple(entry)


def since(results: Results, then: Results) -> list[tuple[PageTable, str]]:
    """Return for each game what changed since another event.

    It is a table of the game's bots now and then, and the names of bots that left.
    """
    columns = SINCE.rated_in(results.unit).columns
    tables = []
    for game, rows in comparison.since(results, then).items():
        title = ""
        if len(results.leagues) > 1:
            title = clean(game)
        current = []
        gone = []
        for row in rows:
            if row["points"] is None:
                gone.append(clean(row["display"]))
            else:
                current.append(row)
        table = _table(title, columns, current)
        tables.append((table, ", ".join(gone)))
    return tables


def leaderboards(results: Results) -> tuple[PageTable, ...]:
    """Return a leaderboard for each game, and one of all games where most bots play them all."""
    if len(results.leagues) == 1:
        return (leaderboard(results),)
    tables = []
    for league in results.leagues:
        game = clean(league.game or "")
        tables.append(leaderboard(league, game))
    overall = results.overall_leaderboard()
    if len(overall):
        tables.append(leaderboard(results, "all games", overall))
    return tuple(tables)


def leaderboard(
    results: Results,
    title: str = "",
    frame: pd.DataFrame | None = None,
) -> PageTable:
    """Return the leaderboard of a league.

    It has ratings, intervals and tiers where its frame has them.
    """
    columns = LEADERBOARD.rated_in(results.unit)
    if frame is None:
        frame = results.leaderboard()
    rows = rows_of(frame, columns)
    names = []
    for name in frame.columns:
        if name not in LOGITS and name not in {"display", "game"}:
            names.append(str(name))
    changes = results.rank_changes
    if any(change != 0 for change in changes.values()):
        names.append(CHANGE.name)
    page_columns, extra = _columns(results, columns, names, rows)

    ranked = []
    parts: dict[str, list[Row]] = {}
    bars = interval_bars(rows)
    for row, bar in zip(rows, bars, strict=True):
        bot = row["bot"]
        values = dict(row)
        values["bot"] = results.display_name(bot)
        values[CHANGE.name] = changes.get(bot, 0)
        cells = {}
        for column in page_columns:
            cells[column.name] = _cell(column, values, bar)
        if row["rank"] is None and bot in results.specialists:
            part = results.specialists[bot]
            parts.setdefault(part, []).append(cells)
        else:
            ranked.append(cells)

    tables_of_parts = []
    for part, rows_of_part in parts.items():
        tables_of_parts.append((part, tuple(rows_of_part)))
    unit = ""
    if "rating" in names:
        unit = results.unit
    best = ""
    if results.game:
        best = clean(results.best_on_boards, LONGEST_SENTENCE)
    return PageTable(
        title=title,
        columns=page_columns,
        rows=tuple(ranked),
        parts=tuple(tables_of_parts),
        unit=unit,
        best=best,
        warnings=results.warnings,
        extra=extra,
    )


def of_bots(
    results: Results,
    frame: pd.DataFrame,
    columns: Columns,
) -> PageTable:
    """Return a frame that has a row for each `bot` as a table."""
    rows = rows_of(frame, columns)
    for row in rows:
        row["display"] = results.display_name(row["bot"])
    return _table("", columns.columns, rows)


def _table(
    title: str,
    columns: Iterable[Column],
    rows: Sequence[Mapping[str, Any]],
    most: int | None = None,
) -> PageTable:
    """Return a table of the first rows, whose bots have the names to show.

    Columns with one heading, such as the ends of an interval, are one; the figure itself stands
    before them.
    """
    visible = [column for column in columns if column.name != "display"]
    groups = []
    for _, group in groupby(visible, key=lambda column: column.heading):
        groups.append(tuple(group))

    table_rows = []
    for row in rows[:most]:
        cells = {}
        before: tuple[Column, ...] = ()
        for columns_of_heading in groups:
            name = columns_of_heading[0].name
            text = _group_text(row, before, columns_of_heading)
            cells[name] = Cell(text, None)
            before = columns_of_heading
        table_rows.append(cells)
    return PageTable(
        title=title,
        columns=tuple(group[0] for group in groups),
        rows=tuple(table_rows),
        left_out=len(rows) - len(table_rows),
    )


def _group_text(
    row: Mapping[str, Any],
    before: tuple[Column, ...],
    group: tuple[Column, ...],
) -> str:
    """Return the text of the columns with one heading; `before` are those of the heading before."""
    first = group[0]
    figure = row[first.name]
    if first.name == "bot":
        return clean(row["display"])
    if isinstance(figure, str):
        return clean(figure)
    if len(group) == 1:
        return first.printed(figure)

    high = row[group[1].name]
    if first.name == "rank_low":
        return ranks_text(figure, high)
    if row[before[0].name] is None:
        return ""
    return interval_text(first.printed(figure), first.printed(high))


def rankings(results: Results) -> Iterator[PageTable]:
    """Yield a table of the best bots for each board over all its roles, and for each role."""
    declared = RANKINGS.rated_in(results.unit).without_logits()
    columns = []
    for column in declared.columns:
        if column.name not in {"board", "role"}:
            columns.append(column)
    rows = rows_of(results.rankings(), RANKINGS)
    board_and_role = itemgetter("board", "role")
    for (board, role), group in groupby(rows, key=board_and_role):
        roles = role or "all roles"
        title = clean(f"{board}, {roles}")
        yield _table(title, columns, list(group), RANKED)


def _columns(
    results: Results,
    declared: Columns,
    names: list[str],
    rows: list[dict[str, Any]],
) -> tuple[tuple[Column, ...], Collection[str]]:
    """Return the columns of the page, and the names of the extra ones.

    First stand those of ORDER, then others of the frame: endings that happened, boards, roles.
    """
    boards = set(results.board_columns.values())
    roles = set(results.board_role_columns.values())
    endings = {str(ending) for ending in Ending}
    names = list(names)
    for interval, (low, high) in INTERVALS.items():
        if low in names:
            names[names.index(low)] = interval
            names.remove(high)

    order = [name for name in ORDER if name in names]
    happened = []
    of_roles = []
    for name in names:
        if name in order:
            continue
        if name in roles:
            of_roles.append(name)
        elif name in endings:
            if any(row[name] for row in rows):
                happened.append(name)
        else:
            order.append(name)
    order.extend(happened)
    order.extend(of_roles)
    columns = []
    for name in order:
        column = _page_column(declared, name, is_role=name in roles)
        columns.append(column)
    return tuple(columns), endings | boards | roles | {"tier"}


def _page_column(declared: Columns, name: str, *, is_role: bool) -> Column:
    """Return the column of that name with its label and its meaning as the page shows them."""
    if name == CHANGE.name:
        column = CHANGE
    elif name in INTERVALS:
        low, _ = INTERVALS[name]
        column = declared[low]
    else:
        column = declared[name]
    meaning = column.meaning
    if is_role:
        meaning = declared["BOARD_ROLE"].meaning
    meaning = meaning.replace("`", "")
    if name == "bot":
        meaning += "; opens the bot's page"
    label = clean(column.heading)
    return replace(column, name=name, label=label, meaning=meaning)


def _cell(
    column: Column,
    row: dict[str, Any],
    bar: tuple[float, float, float] | None,
) -> Cell:
    """Return the cell of a column; `bar` is the interval of the rating, on a scale from 0 to 1."""
    if column.name == "range":
        return _interval_cell(column, row, bar)
    if column.name == "ranks":
        low = row["rank_low"]
        high = row["rank_high"]
        return Cell(ranks_text(low, high), low)

    figure = row[column.name]
    if column.name == CHANGE.name:
        return Cell(rank_changes.text(figure), figure)
    if isinstance(figure, str):
        text = clean(figure)
        return Cell(text, text)
    span = None
    if column.name == "points" and figure is not None:
        span = (0.0, figure)
    return Cell(column.printed(figure), figure, span)


def _interval_cell(
    column: Column,
    row: dict[str, Any],
    bar: tuple[float, float, float] | None,
) -> Cell:
    """Return the interval of a rating as a text and as a bar."""
    if bar is None:
        return Cell("", None)
    low = row["rating_low"]
    high = row["rating_high"]
    text = interval_text(column.printed(low), column.printed(high))
    key = low
    if low is None:
        key = "-Infinity"
    begin, marker, end = bar
    return Cell(
        text=text,
        key=key,
        span=(100 * begin, 100 * end),
        marker=100 * marker,
    )
