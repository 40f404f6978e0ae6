"""A leaderboard as a picture for sharing, of the size that link previews have, and a bot's badge."""

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

from arena.charts.style import letters
from arena.errors import ArenaError
from arena.pictures import canvas
from arena.pictures.canvas import Film, Item
from arena.protocol import clean
from arena.results.leaderboard import Results

WIDTH, HEIGHT, EDGE = 600, 315, 22
"""Twice as many pixels are what previews ask for: 1200 x 630."""
TABLES, ROWS = 2, 7
ROW, TOP = 27, 84
BADGE_HEIGHT, BADGE_LETTER = 20, 11


def card(results: Results, dark: bool = False) -> Film:
    """Return the best bots of an event: of each of its first games, or over all; with ratings and their intervals."""
    colours, tables = canvas.colours(dark), _tables(results)
    bots, matches = len({bot for _, rows in tables for bot in (row["bot"] for row in rows)}), len(results.played)
    counts = f"{bots} bot{'s' * (bots != 1)} · {matches} match{'es' * (matches != 1)}"
    items = [
        canvas.text(clean(results.event.name), EDGE, 42, 24, colours["ink"], bold=1, room=340),
        canvas.text(counts, WIDTH - EDGE, 42, 13, colours["soft"], anchor="end"),
    ]
    shown = tables[:TABLES]
    room = (WIDTH - 2 * EDGE - 24 * (len(shown) - 1)) / max(1, len(shown))
    for number, (game, rows) in enumerate(shown):
        items += _table(game, rows, EDGE + number * (room + 24), room, dark)
    if not any(rows for _, rows in shown):
        items.append(canvas.text("Nothing was played yet.", EDGE, TOP + 10, 14, colours["soft"]))
    title = f"{results.event.name}: leaderboard"
    return Film(WIDTH, HEIGHT, clean(title), colours["paper"], tuple(items), ((),), (1.0,))


def description(results: Results) -> str:
    """Return who leads, in words."""
    leads = []
    for game, rows in _tables(results)[:TABLES]:
        best = ", ".join(f"{row['rank']:.0f}. {row['bot']}" for row in rows[:3] if _is_number(row["rank"]))
        leads += [f"{game}: {best}" if game else best] if best else []
    return clean("; ".join(leads) or "Nothing was played yet.")


def badge(results: Results, bot: str) -> Film:
    """Return a badge of a bot: its rank of how many, and its rating, in each game; ArenaError where it has no rank."""
    shown = results.display_name(bot)
    ranks = [
        f"{f'{game} ' if game else ''}#{row['rank']:.0f} of {len(ranked)}{f' · {_figure(row)}' if _figure(row) else ''}"
        for game, rows in _tables(results)
        for ranked in ([row for row in rows if _is_number(row["rank"])],)
        for row in ranked
        if row["bot"] == shown
    ]
    if not ranks:
        raise ArenaError(f"--badge {bot}: it has no rank in {results.event.name}; `arena leaderboard` lists who has")
    parts = [clean(results.event.name, 40), clean(shown, 40), *map(clean, ranks[:3])]
    fills = ["#3b4350", "#555f6d", *["#0072b2"] * len(ranks[:3])]
    items: list[Item] = []
    x = 0.0
    for part, fill in zip(parts, fills, strict=True):
        drawn = letters.drawable(part)
        wide = round(canvas.width(drawn, BADGE_LETTER) + 14)
        items.append(canvas.rect(x, 0, wide, BADGE_HEIGHT, fill))
        items.append(canvas.text(drawn, x + wide / 2, 14, BADGE_LETTER, "#ffffff", anchor="middle"))
        x += wide
    title = f"{parts[1]}: {', '.join(parts[2:])}"
    return Film(round(x), BADGE_HEIGHT, title, "#3b4350", tuple(items), ((),), (1.0,))


def _tables(results: Results) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rows of each game by its name, best first; empty over all."""
    tables = []
    for league in results.shown.leagues:
        frame = results.with_display_names(league.leaderboard())
        rows = [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
        tables.append((str(rows[0]["game"] or "") if rows else "", rows))
    return tables


def _table(game: str, rows: Sequence[dict[str, Any]], x: float, room: float, dark: bool) -> list[Item]:
    """Return the first rows: rank, name, an interval on the axis of all rows, and the rating or the points."""
    colours = canvas.colours(dark)
    items = [canvas.text(clean(game), x, TOP - 12, 13, colours["soft"], room=room)] if game else []
    bars = [(row.get("rating_low"), row.get("rating_high"), row.get("rating")) for row in rows[:ROWS]]
    figures = [float(each) for bar in bars for each in bar if _is_number(each)]
    low, high = (min(figures), max(figures)) if figures else (0.0, 1.0)
    name_room = room * 0.42
    begin, end = x + 26 + name_room + 8, x + room - 50
    for number, row in enumerate(rows[:ROWS]):
        y = TOP + ROW * number
        rank = f"{row['rank']:.0f}" if _is_number(row["rank"]) else "-"
        ink = colours["ink"]
        items.append(canvas.text(rank, x + 16, y + 17, 13, colours["soft"], anchor="end"))
        items.append(canvas.text(clean(str(row["bot"])), x + 26, y + 17, 14, ink, bold=1, room=name_room))
        items.append(canvas.text(_figure(row), x + room, y + 17, 14, ink, anchor="end"))
        items.append(canvas.rect(x, y + ROW - 3, room, 0.7, colours["line"]))
        left, right, middle = bars[number]
        if _is_number(middle) and high > low:
            ends = (left if _is_number(left) else low, right if _is_number(right) else high, middle)
            at = [begin + (float(each) - low) / (high - low) * (end - begin) for each in ends]
            items.append(
                canvas.rect(at[0], y + 10.5, max(1.0, at[1] - at[0]), 3, colours["accent"], rx=1.5, opacity=0.45)
            )
            items.append(canvas.rect(at[2] - 3.5, y + 8.5, 7, 7, colours["accent"], rx=3.5))
    if len(rows) > ROWS:
        items.append(canvas.text(f"and {len(rows) - ROWS} more", x + 26, TOP + ROW * ROWS + 14, 12, colours["soft"]))
    return items


def _figure(row: dict[str, Any]) -> str:
    """Return the rating of a row, else its points."""
    if _is_number(row.get("rating")):
        return f"{row['rating']:.0f}"
    return f"{row['points']:.1f}" if _is_number(row.get("points")) else ""


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and math.isfinite(value)
