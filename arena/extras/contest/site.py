"""The static site of a contest: a front page with tables and history, the report, and a page for each bot.

Every page is one file without scripts and network. Bots and their authors may have written any text
in it: the template escapes it, and a policy lets nothing load.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from arena import whole_files
from arena.protocol import clean
from arena.report import page
from arena.results.leaderboard import Results

HISTORY = ("date", "commit", "game", "bot", "version", "rank", "rating", "matches")
"""The columns of history.csv, a row for each bot of a game at each date. The version is a hash of the bot's files."""
ROW = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),([0-9a-f]*),(\w[\w.-]*)?,(\w[\w.-]*),([0-9a-f]*),(\d+),(-?\w+),(\d+)",
    re.ASCII,
)
"""A row, which has no cell that a spreadsheet would compute. Whoever may push the branch can write any other there."""
SHOWN_DATES = 50
"""The front page has the newest; history.csv has all."""
TEMPLATE = page.templates(Path(__file__).parent).get_template("site.html.j2")
History = Sequence[Mapping[str, str]]


def ranks_now(results: Results, date: str, commit: str) -> list[dict[str, str]]:
    """Return a row of the history for each bot that has a rank, by game; ratings as a person is shown them."""
    digests = {bot.name: bot.digest for bot in results.event.bots}
    return [
        {
            "date": date,
            "commit": commit,
            "game": row["game"] or "",
            "bot": row["bot"],
            "version": digests.get(row["bot"], ""),
            "rank": str(int(row["rank"])),
            "rating": f"{row['rating']:.0f}",
            "matches": str(row["matches"]),
        }
        for league in results.leagues
        for row in league.leaderboard().to_dict("records")
        if row["rank"] is not None
        and row["rank"] == row["rank"]  # without a rank it is NaN; None, if nobody has one
    ]


def continued(rows: History, now: History) -> History:
    """Return a history with the ranks of now, unless they are those of its last date. A date has one ranking."""

    def ranks(rows: History) -> list[tuple[str, ...]]:
        return [
            tuple(row[name] for name in HISTORY if name not in {"date", "commit"}) for row in rows
        ]

    if ranks(_newest(rows)) == ranks(now):
        return rows
    dates = {row["date"] for row in now}  # others may have published in the same second
    return [*(row for row in rows if row["date"] not in dates), *now]


def read_history(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a history.csv that arena could have written, as texts."""
    found = map(ROW.fullmatch, content.decode("utf-8", "replace").splitlines())
    return [dict(zip(HISTORY, row.groups(""), strict=True)) for row in found if row]


def history_text(rows: History) -> bytes:
    """Return a history.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, HISTORY, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write(results: Results, rows: History, report: Path, folder: Path) -> tuple[Path, ...]:
    """Write the site into a folder: index.html, report.html, history.csv, and bots/NAME.html for each bot."""
    whole_files.make_folder(folder)
    bots = whole_files.make_folder(folder, "bots")
    names = sorted({row["bot"] for row in rows} & {bot.name for bot in results.event.bots})
    leagues = [(game, list(group)) for game, group in groupby(_newest(rows), itemgetter("game"))]
    dates = [(date, list(group)) for date, group in groupby(rows, itemgetter("date"))][::-1]
    front = _page(
        "Contest",
        results.event.name,
        "",
        leagues=leagues,
        dates=_orders(dates[:SHOWN_DATES]),
        bot="",
    )
    written = [
        whole_files.write(folder / "report.html", report.read_bytes()),
        whole_files.write(folder / "history.csv", history_text(rows)),
        whole_files.write(folder / "index.html", front.encode()),
    ]
    for name in names:
        own = [(name, [row for row in reversed(rows) if row["bot"] == name])]
        text = _page(name, results.event.name, "../", leagues=own, dates=(), bot=name)
        written.append(whole_files.write(bots / f"{name}.html", text.encode()))
    return tuple(written)


def _page(title: str, event: str, root: str, **tables: object) -> str:
    """Return a page; `root` leads from its folder to that of index.html."""
    return page.plain_text(TEMPLATE, title, event=clean(event), root=root, **tables)


def _newest(rows: History) -> History:
    """Return the rows of the last date."""
    return [row for row in rows if row["date"] == rows[-1]["date"]] if rows else []


def _orders(dates: Iterable[tuple[str, History]]) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return for each date and game the bots in the order of their ranks."""
    return [
        (
            date,
            [
                (game, [row["bot"] for row in sorted(group, key=lambda row: int(row["rank"] or 0))])
                for game, group in groupby(sorted(rows, key=itemgetter("game")), itemgetter("game"))
            ],
        )
        for date, rows in dates
    ]
