"""The leaderboard for a terminal: rating, interval, ranks and tier, drawn as a small bar, in as many columns as fit.

It owns what is shown of the leaderboard's frame and how. What a figure means is told in results/README.md.
"""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena.cli import screen

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from arena.leaderboard import Results

DECIMALS = {"logits": 2, "Elo": 0, "points": 1}
AVERAGE = {"logits": "; the average bot is at 0", "Elo": "; the average bot is at 1500", "points": ""}
LONGEST = 24  # letters of a name that other columns make room for; a longer one is folded
BAR = 12
FAILINGS = 10
PARTS = {"rank", "bot", "rating", "95 %", "ranks", "won", "drawn"}
"""Columns that tell little without those that follow."""
DRAWN, PLAIN = ("\u2500", "\u25cf"), ("-", "o")
STYLES = ("green", "cyan", "yellow", "magenta", "blue")  # of tiers, in turn; the number says it too


def show(results: "Results") -> None:
    """The leaderboard on stdout; what to know of it on stderr."""
    if not results.ratings.ratings:
        print("no matches yet")
        return
    width = screen.console().width if sys.stdout.isatty() else None
    screen.show(table(results, width))
    unit = results.ratings.unit
    if width is not None:
        screen.notice(
            f"rating in {unit}, with its 95 % interval{AVERAGE[unit]}; ranks: those that the matches leave open"
        )
    for warning in results.warnings:
        screen.notice(f"note: {warning}")
    _show_failings(results)


def _show_failings(results: "Results") -> None:
    """Why bots lost without being beaten, and the command that shows it."""
    for one in results.failings[:FAILINGS]:
        times = f", {one.times} times, such as" if one.times > 1 else ""
        screen.notice(
            f"{screen.shown(one.bot)}: {one.ending}{times}: {screen.shown(one.words)}\n"
            f"  arena rerun {one.match} {screen.shown(results.folder.name)} --bot {screen.shown(one.bot)} --print"
        )
    if (more := len(results.failings) - FAILINGS) > 0:
        screen.notice(f"and {more} more kinds of failure; `arena report` has them all")


def table(results: "Results", width: int | None) -> "Table":
    """The table: rating and ranks in any case, then as many columns as go into this width."""
    from arena.tables import rows_of

    columns = _columns(results, rows_of(results.leaderboard()))
    kept = dict(list(columns.items())[: _fitting(columns, width)])
    return screen.table(list(kept), list(zip(*kept.values(), strict=True)))


def _columns(results: "Results", rows: list[dict[str, Any]]) -> dict[str, list[object]]:
    """Every column that a terminal may show, the dearest first."""
    decimals = DECIMALS[results.ratings.unit]
    columns: dict[str, list[object]] = {
        "rank": [row["rank"] for row in rows],
        "bot": [row["bot"] for row in rows],
        "rating": _figures(rows, "rating", decimals),
        "95 %": _intervals(rows, decimals),
        "ranks": [_ranks(row) for row in rows],
        "tier": [row["tier"] for row in rows],
        "": list(_bars(rows)),
        "points": _figures(rows, "points", 1),
        **{name: [row[name] for row in rows] for name in ("won", "drawn", "lost", "forfeits", "matches")},
        **{name: _figures(rows, name, 1) for name in results.columns.values()},
    }
    from arena.match import Ending

    seen = [str(ending) for ending in Ending if any(row[str(ending)] for row in rows)]
    return columns | {name: [row[name] for row in rows] for name in (*results.event.tie_breaks, *seen)}


def _fitting(columns: Mapping[str, list[object]], width: int | None) -> int:
    """How many of the columns fit; those up to the tier are always shown, won, drawn and lost all or none."""
    if width is None:
        return len(columns)
    taken, kept = -1, 0
    for number, (name, cells) in enumerate(columns.items(), 1):
        taken += 1 + max(len(name), *(min(LONGEST, len(screen.shown(cell))) for cell in cells))
        if taken > width and kept:
            break
        kept = kept if name in PARTS else number
    return kept


def _figures(rows: list[dict[str, Any]], name: str, decimals: int) -> list[object]:
    """Figures as texts of one width, so that their points stand below each other."""
    texts = ["" if row[name] is None else f"{row[name]:.{decimals}f}" for row in rows]
    widest = max(len(name), *map(len, texts))
    return [f"{text:>{widest}}" for text in texts]


def _intervals(rows: list[dict[str, Any]], decimals: int) -> list[object]:
    ends = [
        [cell.strip() for cell in map(str, _figures(rows, name, decimals))] for name in ("rating_low", "rating_high")
    ]
    low, high = (max(map(len, cells)) for cells in ends)
    return [f"{one:>{low}} to {other:>{high}}" if one else "" for one, other in zip(*ends, strict=True)]


def _ranks(row: Mapping[str, Any]) -> str:
    """The ranks that the matches leave open: `2` or `2-4`."""
    best, worst = row["rank_low"], row["rank_high"]
    return "" if best is None else f"{best}" if best == worst else f"{best}-{worst}"


def _bars(rows: list[dict[str, Any]]) -> "list[Text]":
    """Each interval as a line with the rating on it, all on one scale, coloured by tier."""
    from rich.text import Text

    rated = [row for row in rows if row["rating"] is not None]
    low, high = min(row["rating_low"] for row in rated), max(row["rating_high"] for row in rated)
    line, dot = DRAWN if screen.can_say("".join(DRAWN)) else PLAIN
    bars = []
    for row in rows:
        if row["rating"] is None:
            bars.append(Text(""))
            continue
        start, at, end = (
            round((BAR - 1) * (row[name] - low) / ((high - low) or 1))
            for name in ("rating_low", "rating", "rating_high")
        )
        drawn = " " * start + line * (at - start) + dot + line * (end - at)
        bars.append(Text(drawn, style=STYLES[(row["tier"] - 1) % len(STYLES)]))
    return bars
