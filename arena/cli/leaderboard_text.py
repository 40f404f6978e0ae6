"""The leaderboard for a terminal: rating, interval, ranks and tier, with a small bar, in as many columns as fit.

It decides what is shown of the leaderboard's rows, and how. results/README.md explains the figures.
"""

import sys
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena import extensions
from arena.cli import output
from arena.results.columns import (
    CHANGE,
    LEADERBOARD,
    RANKINGS,
    Column,
    interval_bars,
    interval_text,
    ranks_text,
)
from arena.results.leaderboard import Results, rank_changes
from arena.results.tables import rows_of
from arena.values import Ending

Row = Mapping[str, Any]
AVERAGE = {"Elo": "; the average bot is at 1500"}
NAME_COLUMNS = 24  # a longer name is folded before another column is left out
BAR_COLUMNS = 12
FAILINGS_SHOWN = 10
BOARDS_IN_A_LINE = 4
NAMES_IN_A_LINE = 3
NOT_LAST = {"rank", "bot", "change", "rating", "95 %", "ranks", "won", "drawn"}
"""Columns that are shown only together with the next one."""
BAR_SIGNS, ASCII_BAR_SIGNS = ("\u2500", "\u25cf", "\u25c0", "\u25b6"), ("-", "o", "<", ">")
"""An interval's line, the rating on it, and the arrows at an open end."""
CHANGE_SIGNS, ASCII_CHANGE_SIGNS = ("\u25b2", "\u25bc"), ("+", "-")
TIER_STYLES = (
    "green",
    "cyan",
    "yellow",
    "magenta",
    "blue",
)  # in turn; a column has the number of the tier too


def show(results: Results, *, brief: bool = False) -> None:
    """Print a table for each game on stdout, and notes on stderr; `brief` leaves out what explains the figures."""
    if not results.count:
        print("no matches yet")
        return
    width = output.console().width if sys.stdout.isatty() else None
    for number, league in enumerate(results.leagues):
        if len(results.leagues) > 1:
            print("\n" * (number > 0) + output.safe_line(league.game))
        _show_league(league, width)
    if len(overall := results.overall_leaderboard()):
        print("\nall games")
        output.print_table(table(results, overall, width))
    elif results.who_plays_what:
        print(f"\nwho plays what: {output.safe_line(results.who_plays_what)}")
    for added in extensions.sections().values():
        if added.terminal:
            extensions.load(added.terminal)(results)
    if width is not None and not brief:
        unit = results.unit
        output.notice(
            f"rating in {unit}, with its 95 % interval{AVERAGE.get(unit, '')}; ranks: those that "
            "the matches leave open"
        )
        if any(change != 0 for change in results.rank_changes.values()):
            output.notice(
                "change: ranks gained or lost since the last run with other bots or versions"
            )
        if len(results.board_role_columns) > 1:
            output.notice(
                "who is best on which board and in which role: arena leaderboard --rankings"
            )
    for warning in () if brief else results.warnings:
        output.notice(f"note: {warning}")
    for sentence in results.end_sentences:
        output.notice(sentence)
    failings, kinds = results.failings(FAILINGS_SHOWN)
    for failing in failings:
        times = f", {failing.times} times, such as" if failing.times > 1 else ""
        bot, event = output.safe_line(failing.bot), output.safe_line(results.folder.name)
        output.notice(
            f"{output.safe_line(results.display_name(failing.bot))}: {failing.ending}{times}: "
            f"{output.safe_line(failing.words)}\n  arena rerun {event}/{failing.match} --bot "
            f"{bot} --print"
        )
    if kinds > len(failings):
        output.notice(
            f"and {kinds - len(failings)} more kinds of failure; `arena report` has them all"
        )


def _show_league(league: Results, width: int | None) -> None:
    """Print the table of one game, and a line for each bot that has no rank in it."""
    if not league.count:
        print("no matches yet")
        return
    frame = league.leaderboard()
    columns = LEADERBOARD.rated_in(league.unit)
    rows = rows_of(frame, columns)
    listed = [row for row in rows if row["rank"] is not None]
    if listed:
        output.print_table(table(league, frame[frame["rank"].notna()], width))
        _print_possible_bests(league)
    else:  # the ranking of each board, and of each role of a board that nobody plays whole
        print("no bot has a rank, because fewer than two play every board and role; instead:\n")
        parts = rows_of(league.rankings(), RANKINGS)
        whole = {row["board"] for row in parts if row["role"] is None}
        listed = [row for row in parts if row["role"] is None or row["board"] not in whole]
        print_rankings(league, listed)
    for row in rows:
        if row["bot"] not in {each["bot"] for each in listed}:
            (interval,) = _intervals([row], columns["rating"])
            rating = (
                ""
                if row["rating"] is None
                else f", rating {columns['rating'].text(row['rating'])} ({interval})"
            )
            part = league.specialists.get(row["bot"])
            print(
                f"without a rank: {output.safe_line(row['display'])}, "
                + (f"plays {part}{rating}" if part else "has not played yet")
            )


def _print_possible_bests(league: Results) -> None:
    """Print a line with the bots that may be the best on each board; nothing where a game has one board, or many."""
    if not 1 < len(league.boards) <= BOARDS_IN_A_LINE:
        return
    rows = rows_of(league.rankings(), RANKINGS)
    parts = []
    for label, column in league.board_columns.items():
        names = [
            row["display"]
            for row in rows
            if row["board"] == label and row["role"] is None and row["rank_low"] == 1
        ]
        if not names:
            return
        more = len(names) - NAMES_IN_A_LINE
        if more > 0:
            names[NAMES_IN_A_LINE:] = [f"{more} more"]
        first = ", ".join(names[:-1])
        choice = f"{first} or {names[-1]}" if first else names[-1]
        parts.append(f"{column}: {choice}")
    print(output.safe_line(f"may be the best on {'; '.join(parts)}"))


def table(results: Results, ranked: pd.DataFrame, width: int | None) -> Table:
    """Return the table of the ranked bots: rating and ranks always, then as many columns as fit into the width."""
    declared = LEADERBOARD.rated_in(results.unit)
    rows = rows_of(ranked, declared)
    endings = [str(ending) for ending in Ending if any(row[str(ending)] for row in rows)]
    changes: dict[str, list[object]] = {}
    if any(change != 0 for change in results.rank_changes.values()):  # None: the bot is new
        signs = CHANGE_SIGNS if output.can_encode("".join(CHANGE_SIGNS)) else ASCII_CHANGE_SIGNS
        changes[CHANGE.name] = [
            rank_changes.text(results.rank_changes.get(row["bot"], 0), signs) for row in rows
        ]
    figures = (  # that not every event has
        *(("accuracy", "blunders") if results.accuracy_sums else ()),
        *(("regret_estimate",) if results.regret_sums else ()),
        *results.board_columns.values(),
        *results.event.tie_breaks,
    )
    columns: dict[str, list[object]] = {  # the most important first
        "rank": [row["rank"] for row in rows],
        "bot": [row["display"] for row in rows],
        **changes,
        "rating": figures_of(rows, declared["rating"]),
        "95 %": _intervals(rows, declared["rating"]),
        "ranks": [ranks_text(row["rank_low"], row["rank_high"], "-") for row in rows],
        "tier": [row["tier"] for row in rows],
        "": list(_bars(rows)),
        "points": figures_of(rows, declared["points"]),
        **{
            name: [row[name] for row in rows]
            for name in ("won", "drawn", "lost", "forfeits", "matches")
        },
        **{name: figures_of(rows, declared[name]) for name in figures},
        **{name: [row[name] for row in rows] for name in endings},
    }
    return table_of(dict(list(columns.items())[: _fitting_count(columns, width)]))


def _fitting_count(columns: Mapping[str, list[object]], width: int | None) -> int:
    """Return how many columns fit: at least those up to the tier; won, drawn and lost stand together or not at all."""
    if width is None:
        return len(columns)
    used, count = -1, 0
    for number, (name, cells) in enumerate(columns.items(), 1):
        used += 1 + max(
            len(name), *(min(NAME_COLUMNS, len(output.safe_line(cell))) for cell in cells)
        )
        if used > width and count:
            break
        count = count if name in NOT_LAST else number
    return count


def print_rankings(results: Results, ranked: Sequence[Row]) -> None:
    """Print a table for each board and role of these rows."""
    columns = RANKINGS.rated_in(results.unit)
    if not ranked:
        print("no matches yet")
    groups = groupby(columns.in_file(ranked), key=lambda row: (row["board"], row["role"]))
    for number, ((label, role), group) in enumerate(groups):
        rows = [
            row | {"rating": row["strength"], "rating_low": row["low"], "rating_high": row["high"]}
            for row in group
        ]
        print(
            "\n" * (number > 0)
            + output.safe_line(f"{label}, {'all roles' if role is None else role}")
        )
        ranking = {
            "rank": [row["rank"] for row in rows],
            "bot": [row["display"] for row in rows],
            "strength": figures_of(rows, columns["strength"]),
            "95 %": _intervals(rows, columns["strength"]),
            "ranks": [ranks_text(row["rank_low"], row["rank_high"], "-") for row in rows],
            "": list(_bars([row | {"tier": 1} for row in rows])),
            "score": figures_of(rows, columns["score"]),
        }
        output.print_table(table_of(ranking))


def table_of(columns: Mapping[str, list[object]]) -> Table:
    """Return a table of these columns, by their headings."""
    return output.make_table(list(columns), list(zip(*columns.values(), strict=True)))


def figures_of(rows: Collection[Row], column: Column) -> list[object]:
    """Return a column's figures as texts of one width, so that their decimal points stand below each other."""
    texts = [column.text(row[column.name]) for row in rows]
    width = max(len(column.name), *map(len, texts))
    return [text.rjust(width) for text in texts]


def _intervals(rows: Collection[Row], column: Column) -> list[object]:
    """Return the intervals of a strength as texts; the figures of all lower ends have one width, and of all upper ends.

    `column` is that of the strength.
    """
    ends = [[column.text(row[name]) for row in rows] for name in ("rating_low", "rating_high")]
    widths = [max(map(len, texts), default=0) for texts in ends]
    intervals: list[object] = []
    for row, low, high in zip(rows, *ends, strict=True):
        padded = (
            text and text.rjust(width) for text, width in zip((low, high), widths, strict=True)
        )
        intervals.append("" if row["rating"] is None else interval_text(*padded))
    return intervals


def _bars(rows: Collection[Row]) -> list[Text]:
    """Draw each interval as a line with the rating on it, all on one scale, coloured by tier; open ends are arrows."""
    line, dot, left_arrow, right_arrow = (
        BAR_SIGNS if output.can_encode("".join(BAR_SIGNS)) else ASCII_BAR_SIGNS
    )
    bars = []
    for row, shares in zip(rows, interval_bars(rows), strict=True):
        if shares is None:
            bars.append(Text(""))
            continue
        start, at, end = (round((BAR_COLUMNS - 1) * share) for share in shares)
        before, after = line * (at - start), line * (end - at)
        before = left_arrow + before[1:] if before and row["rating_low"] is None else before
        after = after[:-1] + right_arrow if after and row["rating_high"] is None else after
        bars.append(
            Text(
                " " * start + before + dot + after,
                style=TIER_STYLES[(row["tier"] - 1) % len(TIER_STYLES)],
            )
        )
    return bars
