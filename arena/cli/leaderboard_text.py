"""The leaderboard for a terminal: figures and a small bar, in as many columns as fit.

It decides which of the leaderboard's figures are shown, and how. docs/columns.md explains them.
"""

import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena import extensions
from arena.cli import output
from arena.results.columns import (
    CHANGE,
    GRADES,
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
AVERAGE = {"Elo": ", where the average bot is at 1500"}
NAME_COLUMNS = 24  # a longer name is folded before another column is left out
BAR_COLUMNS = 12
FAILINGS_SHOWN = 10
LONGEST_SENTENCE = 1000
NOT_LAST = {"rank", "bot", "change", "rating", "95 %", "won", "drawn"}
"""Columns that are shown only together with the next one."""
BAR_SIGNS = ("\u2500", "\u25cf", "\u25c0", "\u25b6")
"""An interval's line, the rating on it, and the arrows at an open end."""
ASCII_BAR_SIGNS = ("-", "o", "<", ">")
CHANGE_SIGNS = ("\u25b2", "\u25bc")
ASCII_CHANGE_SIGNS = ("+", "-")
TIER_STYLES = ("green", "cyan", "yellow", "magenta", "blue")
"""They follow each other and repeat. The number of the tier is in files and in `--wide` only: ranks
and tiers side by side look like a contradiction, as a bot that is proven to be worse than no single
bot may still be proven not to be the first."""


def show(results: Results, *, brief: bool = False) -> None:
    """Print a table for each game on stdout, and notes on stderr.

    `brief` leaves out the notes that explain the figures.
    """
    if not results.count:
        print("no matches yet")
        return
    width = None
    if sys.stdout.isatty():
        width = output.console().width

    for number, league in enumerate(results.leagues):
        if len(results.leagues) > 1:
            output.print_section(number, league.game)
        _show_league(league, width)

    overall = results.overall_leaderboard()
    if len(overall):
        print("\nall games")
        output.print_table(table(results, overall, width))
    elif results.who_plays_what:
        print()
        _print_sentence(f"who plays what: {results.who_plays_what}", width)

    for added in extensions.sections().values():
        if added.terminal:
            print_section = extensions.load(added.terminal)
            print_section(results)

    if not brief:
        if width is not None:
            _explain(results)
        for warning in results.warnings:
            output.notice(f"note: {warning}")
    for sentence in results.end_sentences:
        output.notice(sentence)
    _print_failings(results)


def _explain(results: Results) -> None:
    """Print notes that explain the figures of the tables."""
    average = AVERAGE.get(results.unit, "")
    output.notice(
        f"rating in {results.unit}{average}; it is in the interval beside it with 95 % confidence"
    )
    output.notice(
        "ranks: those that the matches leave open to a bot, with 95 % confidence; bars of one "
        "colour: no bot is proven to be worse than the first of them"
    )
    if any(change != 0 for change in results.rank_changes.values()):
        output.notice("change: ranks gained or lost since the last run with other bots or versions")
    if len(results.board_role_columns) > 1:
        output.notice("who is best on which board and in which role: arena leaderboard --rankings")


def _print_failings(results: Results) -> None:
    """Print a notice for each kind of failure, with the command that shows it."""
    failings, kinds = results.failings(FAILINGS_SHOWN)
    event = output.safe_line(results.folder.name)
    for failing in failings:
        times = ""
        if failing.times > 1:
            times = f", {failing.times} times, such as"
        shown_name = output.safe_line(results.display_name(failing.bot))
        bot = output.safe_line(failing.bot)
        message = output.safe_line(failing.words)
        command = f"arena rerun {event}/{failing.match} --bot {bot} --print"
        if failing.turn == 0:  # it was asked nothing that could be asked again
            command = f"arena check {bot}"
        output.notice(f"{shown_name}: {failing.ending}{times}: {message}\n  {command}")
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
    rows = rows_of(frame, LEADERBOARD.rated_in(league.unit))
    ranked = [row for row in rows if row["rank"] is not None]
    if ranked:
        ranked_frame = frame[frame["rank"].notna()]
        shown = table(league, ranked_frame, width)
        output.print_table(shown)
        if league.best_on_boards:
            _print_sentence(league.best_on_boards, width)
        _explain_grades(shown, width)
    else:  # the ranking of each board, and of each role of a board that nobody plays whole
        print("no bot has a rank, because fewer than two play every board and role; instead:\n")
        parts = rows_of(league.rankings(), RANKINGS)
        whole_boards = {row["board"] for row in parts if row["role"] is None}
        ranked = []
        for row in parts:
            if row["role"] is None or row["board"] not in whole_boards:
                ranked.append(row)
        print_rankings(league, ranked)

    ranked_bots = {row["bot"] for row in ranked}
    for row in rows:
        if row["bot"] not in ranked_bots:
            _print_unranked(league, row)


def _explain_grades(shown: Table, width: int | None) -> None:
    """Print what the columns of grades of a table mean, if it has any."""
    headings = {str(column.header) for column in shown.columns}
    meanings: list[str] = []
    for name, meaning in GRADES.items():
        if name in headings:
            meanings.append(f"{name}: {meaning}")
    if meanings:
        _print_sentence("; ".join(meanings), width)


def _print_sentence(sentence: str, width: int | None) -> None:
    """Print a sentence without control characters, with no word broken by a terminal's edge."""
    line = output.safe_line(sentence, LONGEST_SENTENCE)
    if width is None:
        print(line)
    else:
        print(textwrap.fill(line, width))


def _print_unranked(league: Results, row: Row) -> None:
    """Print a line for a bot without a rank: the part of the game that it plays, and its rating."""
    name = output.safe_line(row["display"])
    part = league.specialists.get(row["bot"])
    if not part:
        print(f"without a rank: {name}, has not played yet")
        return
    line = f"without a rank: {name}, plays {part}"
    if row["rating"] is not None:
        column = LEADERBOARD.rated_in(league.unit)["rating"]
        (interval,) = _intervals([row], column)
        line += f", rating {column.text(row['rating'])} ({interval})"
    print(line)


def table(results: Results, ranked: pd.DataFrame, width: int | None) -> Table:
    """Return the table of the ranked bots, with as many columns as fit into the width."""
    declared = LEADERBOARD.rated_in(results.unit)
    rows = rows_of(ranked, declared)
    columns: dict[str, list[object]] = {}  # the most important first
    columns["rank"] = _cells(rows, "rank")
    columns["bot"] = _cells(rows, "display")
    changes = _rank_changes(results, rows)
    if changes:
        columns[CHANGE.name] = changes
    rating = declared["rating"]
    columns["rating"] = figures_of(rows, rating)
    columns["95 %"] = _intervals(rows, rating)
    columns["ranks"] = _open_ranks(rows)
    columns[""] = list(_bars(rows))
    columns["points"] = figures_of(rows, declared["points"])
    for name in ("won", "drawn", "lost", "forfeits", "matches"):
        columns[name] = _cells(rows, name)
    if "model" in results.added_cells:
        columns["model"] = [row["model"] for row in rows]
    for name in _occasional_figures(results):
        columns[name] = figures_of(rows, declared[name])
    for ending in Ending:
        counts = _cells(rows, str(ending))
        if any(counts):
            columns[str(ending)] = counts

    count = _fitting_count(columns, width)
    fitting = dict(islice(columns.items(), count))
    return output.table_of(fitting)


def _cells(rows: Collection[Row], name: str) -> list[object]:
    """Return the values of a column as they are."""
    return [row[name] for row in rows]


def _open_ranks(rows: Collection[Row]) -> list[object]:
    """Return the ranks that the matches leave open to each bot, as texts."""
    return [ranks_text(row["rank_low"], row["rank_high"], "-") for row in rows]


def _rank_changes(results: Results, rows: Collection[Row]) -> list[object]:
    """Return the change of each bot's rank as a text; none if no rank has changed."""
    changes = results.rank_changes
    if all(change == 0 for change in changes.values()):  # None: the bot is new
        return []
    signs = ASCII_CHANGE_SIGNS
    if output.can_encode("".join(CHANGE_SIGNS)):
        signs = CHANGE_SIGNS
    texts: list[object] = []
    for row in rows:
        change = changes.get(row["bot"], 0)
        texts.append(rank_changes.text(change, signs))
    return texts


def _occasional_figures(results: Results) -> list[str]:
    """Return the names of the columns that not every event has."""
    names: list[str] = []
    if results.accuracy_sums:
        names += ["accuracy", "blunders"]
    if results.regret_sums:
        names.append("regret_estimate")
    if "cost_a_match" in results.added_cells:
        names.append("cost_a_match")
    names += results.board_columns.values()
    names += results.event.tie_breaks
    return names


def _fitting_count(columns: Mapping[str, list[object]], width: int | None) -> int:
    """Return the number of columns that fit.

    Those up to the ranks always count; won, drawn and lost count together or not at all.
    """
    if width is None:
        return len(columns)
    used = -1
    count = 0
    for number, (name, cells) in enumerate(columns.items(), 1):
        lengths = [len(output.safe_line(cell)) for cell in cells]
        longest = max(lengths, default=0)
        used += 1 + max(len(name), min(NAME_COLUMNS, longest))
        if used > width and count:
            break
        if name not in NOT_LAST:
            count = number
    return count


def print_rankings(results: Results, ranked: Sequence[Row]) -> None:
    """Print a table for each board and role of these rows."""
    columns = RANKINGS.rated_in(results.unit)
    if not ranked:
        print("no matches yet")
    board_and_role = itemgetter("board", "role")
    groups = groupby(columns.in_file(ranked), key=board_and_role)
    for number, (key, group) in enumerate(groups):
        board, role = key
        roles = "all roles"
        if role is not None:
            roles = role
        output.print_section(number, f"{board}, {roles}")

        rows: list[Row] = []
        for row in group:  # `_intervals` and `_bars` know the columns of the leaderboard
            as_rating = {
                "rating": row["strength"],
                "rating_low": row["low"],
                "rating_high": row["high"],
                "tier": 1,
            }
            rows.append(row | as_rating)

        ranking: dict[str, list[object]] = {}
        ranking["rank"] = _cells(rows, "rank")
        ranking["bot"] = _cells(rows, "display")
        ranking["strength"] = figures_of(rows, columns["strength"])
        ranking["95 %"] = _intervals(rows, columns["strength"])
        ranking["ranks"] = _open_ranks(rows)
        ranking[""] = list(_bars(rows))
        ranking["score"] = figures_of(rows, columns["score"])
        output.print_table(output.table_of(ranking))


def figures_of(rows: Collection[Row], column: Column) -> list[object]:
    """Return a column's figures as texts of one width, with their decimal points aligned."""
    texts = [column.text(row[column.name]) for row in rows]
    width = max(len(column.name), *map(len, texts))
    return [text.rjust(width) for text in texts]


def _intervals(rows: Collection[Row], column: Column) -> list[object]:
    """Return the intervals of a strength as texts.

    The figures of all lower ends have one width, and those of all upper ends. `column` is that of
    the strength.
    """
    low_texts = [column.text(row["rating_low"]) for row in rows]
    high_texts = [column.text(row["rating_high"]) for row in rows]
    lows = _aligned(low_texts)
    highs = _aligned(high_texts)
    intervals: list[object] = []
    for row, low, high in zip(rows, lows, highs, strict=True):
        if row["rating"] is None:
            intervals.append("")
        else:
            intervals.append(interval_text(low, high))
    return intervals


def _aligned(texts: list[str]) -> list[str]:
    """Return texts of one width, with those to the right that are not empty."""
    width = max((len(text) for text in texts), default=0)
    return [text and text.rjust(width) for text in texts]


def _bars(rows: Collection[Row]) -> list[Text]:
    """Draw each interval as a line with the rating on it, all on one scale, coloured by tier.

    An open end is an arrow.
    """
    signs = ASCII_BAR_SIGNS
    if output.can_encode("".join(BAR_SIGNS)):
        signs = BAR_SIGNS
    line, dot, left_arrow, right_arrow = signs
    bars: list[Text] = []
    for row, shares in zip(rows, interval_bars(rows), strict=True):
        if shares is None:
            bars.append(Text(""))
            continue

        positions = [round((BAR_COLUMNS - 1) * share) for share in shares]
        start, middle, end = positions
        before = line * (middle - start)
        after = line * (end - middle)
        if before and row["rating_low"] is None:
            before = left_arrow + before[1:]
        if after and row["rating_high"] is None:
            after = after[:-1] + right_arrow

        bar = " " * start + before + dot + after
        tier = row["tier"] - 1
        style = TIER_STYLES[tier % len(TIER_STYLES)]
        bars.append(Text(bar, style=style))
    return bars
