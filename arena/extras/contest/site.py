"""The static site of a contest.

It has a front page with tables and history, the report, and a page for each bot.

Every page is one file without scripts and network. Bots and their authors may have written any text
in it: the template escapes it, and a policy lets nothing load.
"""

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from arena import whole_files
from arena.protocol import clean
from arena.report import page
from arena.results.leaderboard import Results

HISTORY = ("date", "commit", "game", "bot", "version", "rank", "rating", "matches")
"""The columns of history.csv, with a row for each bot of a game at each date.

The version is a hash of the bot's files.
"""
RANKS = ("game", "bot", "version", "rank", "rating", "matches")
"""The columns that tell two rankings apart."""
ROW = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),([0-9a-f]*),(\w[\w.-]*)?,"
    r"(\w[\w.-]*),([0-9a-f]*),(\d+),(-?\w+),(\d+)",
    re.ASCII,
)
"""A row that arena could have written, in which a spreadsheet computes no cell.

Everybody who may push the branch can write other rows.
"""
SHOWN_DATES = 50
"""The dates on the front page, the newest; history.csv has all dates."""
TEMPLATE = page.templates(Path(__file__).parent).get_template("site.html.j2")
History = Sequence[Mapping[str, str]]


def ranks_now(
    results: Results,
    date: str,
    commit: str,
) -> list[dict[str, str]]:
    """Return a row of the history for each bot with a rank, with its rating in whole numbers."""
    digests = {bot.name: bot.digest for bot in results.event.bots}
    rows: list[dict[str, str]] = []
    for league in results.leagues:
        for ranked in league.leaderboard().to_dict("records"):
            rank = ranked["rank"]
            if rank is None or math.isnan(rank):  # None if nobody in the table has a rank
                continue
            bot = ranked["bot"]
            row = {
                "date": date,
                "commit": commit,
                "game": ranked["game"] or "",
                "bot": bot,
                "version": digests.get(bot, ""),
                "rank": str(int(rank)),
                "rating": f"{ranked['rating']:.0f}",
                "matches": str(ranked["matches"]),
            }
            rows.append(row)
    return rows


def continued(rows: History, now: History) -> History:
    """Return a history with the ranks of now, unless its last date has the same ranks.

    A date has one ranking.
    """
    newest = _newest(rows)
    if _ranks(newest) == _ranks(now):
        return rows
    dates = {row["date"] for row in now}  # others may have published in the same second
    older = [row for row in rows if row["date"] not in dates]
    return [*older, *now]


def _ranks(rows: History) -> list[tuple[str, ...]]:
    """Return the cells of rows that do not say when the ranking was made."""
    of_row = itemgetter(*RANKS)
    return [of_row(row) for row in rows]


def read_history(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a history.csv that arena could have written, as texts."""
    rows: list[dict[str, str]] = []
    text = content.decode("utf-8", "replace")
    for line in text.splitlines():
        match = ROW.fullmatch(line)
        if match is not None:
            cells = match.groups("")
            row = dict(zip(HISTORY, cells, strict=True))
            rows.append(row)
    return rows


def history_text(rows: History) -> bytes:
    """Return a history.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, HISTORY, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write(
    results: Results,
    rows: History,
    report: Path,
    folder: Path,
) -> tuple[Path, ...]:
    """Write the site into a folder: index.html, report.html, history.csv, and bots/NAME.html."""
    whole_files.make_folder(folder)
    folder_of_bots = whole_files.make_folder(folder, "bots")
    event = results.event.name

    dates = _by("date", rows)
    dates.reverse()
    orders = []
    for date, rows_of_date in dates[:SHOWN_DATES]:
        orders.append((date, _orders(rows_of_date)))
    leagues = _by("game", _newest(rows))
    front = _page(
        "Contest",
        event,
        "",
        leagues=leagues,
        dates=orders,
        bot="",
    )
    written = [
        whole_files.write(folder / "report.html", report.read_bytes()),
        whole_files.write(folder / "history.csv", history_text(rows)),
        whole_files.write(folder / "index.html", front.encode()),
    ]

    ranked = {row["bot"] for row in rows}
    names = [bot.name for bot in results.event.bots if bot.name in ranked]
    for name in sorted(names):
        newest_first = [row for row in reversed(rows) if row["bot"] == name]
        text = _page(
            name,
            event,
            "../",
            leagues=[(name, newest_first)],
            dates=(),
            bot=name,
        )
        path = whole_files.write(folder_of_bots / f"{name}.html", text.encode())
        written.append(path)
    return tuple(written)


def _page(
    title: str,
    event: str,
    root: str,
    **tables: object,
) -> str:
    """Return a page; `root` leads from its folder to that of index.html."""
    return page.plain_text(
        TEMPLATE,
        title,
        event=clean(event),
        root=root,
        **tables,
    )


def _newest(rows: History) -> History:
    """Return the rows of the last date."""
    if not rows:
        return []
    last = rows[-1]["date"]
    return [row for row in rows if row["date"] == last]


def _by(column: str, rows: History) -> list[tuple[str, list[Mapping[str, str]]]]:
    """Return the rows in groups, each with the value of a column that its rows share."""
    groups = groupby(rows, itemgetter(column))
    return [(value, list(group)) for value, group in groups]


def _orders(rows: History) -> list[tuple[str, list[str]]]:
    """Return the bots of each game in the order of their ranks."""

    def rank(row: Mapping[str, str]) -> int:
        return int(row["rank"] or 0)

    orders: list[tuple[str, list[str]]] = []
    by_game = sorted(rows, key=itemgetter("game"))
    for game, rows_of_game in _by("game", by_game):
        by_rank = sorted(rows_of_game, key=rank)
        bots = [row["bot"] for row in by_rank]
        orders.append((game, bots))
    return orders
