"""A leaderboard as a picture of the size that link previews have, and a bot's badge."""

from collections.abc import Sequence
from typing import Any

from arena.charts.style import letters
from arena.errors import ArenaError
from arena.pictures import canvas
from arena.pictures.canvas import ACCENT, INK, LINE, SOFT, Film, Item
from arena.protocol import clean
from arena.results.columns import LEADERBOARD, interval_bars
from arena.results.leaderboard import Results
from arena.results.tables import rows_of

WIDTH = 600
HEIGHT = 315
"""Twice as many pixels are what previews ask for: 1200 x 630."""
EDGE = 22
TABLES = 2
ROWS = 7  # of a table
FIGURES = ("rating", "points")
ROW = 27  # the height of a row
TOP = 84  # of the first row
NAME_SHARE = 0.42
"""Of the width of a table: the space of the names."""
BADGE_HEIGHT = 20
BADGE_LETTER = 11
BADGE_FILLS = ("#3b4350", "#555f6d", *["#0072b2"] * 3)
NOTHING = "Nothing was played yet."


def card(results: Results, dark: bool = False) -> Film:
    """Draw the leaderboard of an event: the best bots of its first games, with their ratings."""
    tables = _tables(results)
    bots: set[str] = set()
    for _, rows in tables:
        bots.update(row["bot"] for row in rows)
    bot_count = _counted(len(bots), "bot")
    match_count = _counted(len(results.played), "match", "es")
    counts = f"{bot_count} · {match_count}"
    name = clean(results.event.name)
    name_text = canvas.text(
        name,
        EDGE,
        42,
        24,
        INK,
        340,
        font_weight="bold",
    )
    counts_text = canvas.text(
        counts,
        WIDTH - EDGE,
        42,
        13,
        SOFT,
        text_anchor="end",
    )
    items = [name_text, counts_text]

    tables = tables[:TABLES]
    columns = max(1, len(tables))
    gaps = 24 * (len(tables) - 1)
    width = (WIDTH - 2 * EDGE - gaps) / columns
    is_empty = True
    for number, (game, rows) in enumerate(tables):
        x = EDGE + number * (width + 24)
        items += _table(game, rows, x, width)
        if rows:
            is_empty = False
    if is_empty:
        nothing = canvas.text(NOTHING, EDGE, TOP + 10, 14, SOFT)
        items.append(nothing)

    title = clean(f"{results.event.name}: leaderboard")
    return Film(
        width=WIDTH,
        height=HEIGHT,
        title=title,
        dark=dark,
        still=tuple(items),
    )


def description(results: Results) -> str:
    """Return who leads, in words."""
    leads = []
    tables = _tables(results)
    for game, rows in tables[:TABLES]:
        leaders = []
        for row in rows[:3]:
            if row["rank"] is not None:
                leaders.append(f"{row['rank']}. {row['display']}")
        if not leaders:
            continue
        lead = ", ".join(leaders)
        if game:
            lead = f"{game}: {lead}"
        leads.append(lead)
    return clean("; ".join(leads) or NOTHING)


def badge(results: Results, bot: str) -> Film:
    """Return a badge of a bot: its rank of how many, and its rating, in each game.

    ArenaError where it has no rank.
    """
    ranks = []
    for game, rows in _tables(results):
        ranked = [row for row in rows if row["rank"] is not None]
        for row in ranked:
            if row["bot"] == bot:
                rank = f"{game} #{row['rank']} of {len(ranked)} · {row['figure']}"
                ranks.append(clean(rank.strip()))
    if not ranks:
        raise ArenaError(
            f"--badge {bot}: it has no rank in {results.event.name}; "
            "`arena leaderboard` lists who has"
        )

    event_name = clean(results.event.name, 40)
    name = clean(results.display_name(bot), 40)
    ranks = ranks[:3]
    parts = [event_name, name, *ranks]
    items: list[Item] = []
    x = 0
    for part, fill in zip(parts, BADGE_FILLS, strict=False):
        text_width = canvas.width(letters.drawable(part), BADGE_LETTER)
        width = round(text_width + 14)
        middle = x + width / 2
        box = canvas.rect(x, 0, width, BADGE_HEIGHT, fill)
        text = canvas.text(
            part,
            middle,
            14,
            BADGE_LETTER,
            "#ffffff",
            text_anchor="middle",
        )
        items += [box, text]
        x += width
    return Film(
        width=x,
        height=BADGE_HEIGHT,
        title=f"{name}: {', '.join(ranks)}",
        dark=False,
        still=tuple(items),
    )


def _counted(count: int, noun: str, plural: str = "s") -> str:
    """Return how many there are, such as `2 bots`."""
    if count != 1:
        noun += plural
    return f"{count} {noun}"


def _tables(results: Results) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return each game, or none over all, and its rows, best first.

    Their `figure` is the rating, or the points where there is none.
    """
    tables = []
    for league in results.leagues:
        columns = LEADERBOARD.rated_in(league.unit)
        rows = rows_of(league.leaderboard(), columns)
        for row in rows:
            row["figure"] = ""
            for name in FIGURES:
                if row.get(name) is not None:
                    row["figure"] = columns[name].printed(row[name])
                    break
        tables.append((clean(league.game or ""), rows))
    return tables


def _table(
    game: str,
    rows: Sequence[dict[str, Any]],
    x: float,
    space: float,
) -> list[Item]:
    """Return the first rows: rank, name, an interval, and the rating or the points.

    The intervals have the axis of these rows.
    """
    items = []
    if game:
        heading = canvas.text(game, x, TOP - 12, 13, SOFT, space)
        items.append(heading)
    first_rows = rows[:ROWS]
    bars = interval_bars(first_rows)
    y = TOP
    for row, bar in zip(first_rows, bars, strict=True):
        items += _row(row, x, y, space)
        if bar is not None:
            items += _interval(bar, x, y, space)
        y += ROW
    if len(rows) > ROWS:
        note = f"and {len(rows) - ROWS} more"
        line = TOP + ROW * ROWS + 14
        note_text = canvas.text(note, x + 26, line, 12, SOFT)
        items.append(note_text)
    return items


def _row(
    row: dict[str, Any],
    x: float,
    y: float,
    space: float,
) -> list[Item]:
    """Return the texts of a row, and the line below it."""
    rank = "-"
    if row["rank"] is not None:
        rank = str(row["rank"])
    line = y + 17
    rank_text = canvas.text(
        rank,
        x + 16,
        line,
        13,
        SOFT,
        text_anchor="end",
    )
    name = canvas.text(
        clean(row["display"]),
        x + 26,
        line,
        14,
        INK,
        space * NAME_SHARE,
        font_weight="bold",
    )
    figure = canvas.text(
        row["figure"],
        x + space,
        line,
        14,
        INK,
        text_anchor="end",
    )
    rule = canvas.rect(x, y + ROW - 3, space, 0.7, LINE)
    return [rank_text, name, figure, rule]


def _interval(
    bar: tuple[float, float, float],
    x: float,
    y: float,
    space: float,
) -> list[Item]:
    """Return the interval of a rating, and on it the rating itself."""
    axis_start = x + 34 + space * NAME_SHARE
    axis_length = space * 0.58 - 84
    low, middle, high = (axis_start + share * axis_length for share in bar)
    width = max(1.0, high - low)
    interval = canvas.rect(
        low,
        y + 10.5,
        width,
        3,
        ACCENT,
        rx=1.5,
        opacity=0.45,
    )
    rating = canvas.rect(
        middle - 3.5,
        y + 8.5,
        7,
        7,
        ACCENT,
        rx=3.5,
    )
    return [interval, rating]
