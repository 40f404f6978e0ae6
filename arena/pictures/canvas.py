"""What a picture is made of: shapes of SVG at places, and frames that follow one another.

It draws nothing itself.

A colour is `#rrggbb`, or one of the page's by its variable, such as INK; only a painter asks
whether it is dark. Names, remarks and facts may come from anybody: a text becomes harmless, short,
and letters that a font has, in `text`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.charts.style import letters
from arena.replay.drawing.shapes import Element

TOKENS = (Path(__file__).parents[1] / "report" / "html" / "1_tokens.css").read_text("utf-8")
"""The one table of the colours and fonts of pages and pictures."""
FONTS = dict(re.findall(r"--(sans|mono): ([^;]+);", TOKENS))
INK, SOFT, LINE, ACCENT, BAD, RAISED = (
    f"var(--{name})" for name in ("ink", "soft", "line", "accent", "bad", "raised")
)
LONGEST = 200  # characters of a text


class Shape(NamedTuple):
    """An element of SVG; `words` are what a text says."""

    tag: str
    attributes: tuple[tuple[str, str | float], ...]


class Item(NamedTuple):
    """Shapes at a place of the picture."""

    x: float
    y: float
    scale: float
    shapes: tuple[Shape, ...]
    facing: str = ""
    """`west`, `north`, `south`: turned so; shapes look to the east by themselves."""


@dataclass(frozen=True)
class Film:
    """Frames that follow one another; items of all frames are `still`, and lie under the others."""

    width: int
    height: int
    title: str
    dark: bool
    still: tuple[Item, ...]
    frames: tuple[tuple[Item, ...], ...] = ((),)
    seconds: tuple[float, ...] = (1.0,)
    """How long each frame is shown."""


def colour(value: str, dark: bool) -> str:
    """Return a colour as `#rrggbb`."""
    return colours(dark)[value[6:-1]] if value.startswith("var(--") else value


@cache
def colours(dark: bool) -> Mapping[str, str]:
    """Return the colours of pages by name, light or dark."""
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS)
    return {name: (light, night)[dark] for name, light, night in found}


def shapes(elements: Iterable[Element], words: str = "") -> tuple[Shape, ...]:
    """Return elements as shapes; a text that has no words says `words`."""
    made = []
    for tag, attributes in elements:
        if tag == "text":
            attributes = {
                **attributes,
                "words": letters.drawable(str(attributes.get("words", words)))[:LONGEST],
            }
        made.append(Shape(tag, tuple(attributes.items())))
    return tuple(made)


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    room: float | None = None,
    /,
    **more: str,
) -> Item:
    """Return a text whose line stands at (x, y); it is cut off where it is wider than `room`."""
    words = letters.drawable(words)[:LONGEST]
    if room is not None:
        words = fitted(words, size, room, bold="font_weight" in more)
    attributes = {"words": words, "font-size": size, "fill": fill, **_named(more)}
    return Item(x, y, 1, (Shape("text", tuple(attributes.items())),))


@lru_cache(10_000)
def fitted(words: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return as much of a text as has room."""
    if width(words, size, bold=bold) <= room:
        return words
    count = bisect_right(
        range(1, len(words)), room, key=lambda count: width(f"{words[:count]}…", size, bold=bold)
    )
    return f"{words[:count].rstrip()}…"


def wrapped(words: str, size: float, room: float, lines: int, *, bold: bool = False) -> list[str]:
    """Return a text in lines that have room; the last is cut."""
    broken: list[str] = []
    for word in re.split(" (?!%)", letters.drawable(words)):
        if broken and width(f"{broken[-1]} {word}", size, bold=bold) <= room:
            broken[-1] += f" {word}"
        else:
            broken.append(word)
    broken[lines - 1 :] = [" ".join(broken[lines - 1 :])]
    return [fitted(line, size, room, bold=bold) for line in broken if line]


@lru_cache(10_000)
def width(words: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in pixels."""
    return (
        letters.width(words, 50, bold=bold) * 72 * size / 50
    )  # letters of that size are not moved to whole points


def rect(x: float, y: float, width: float, height: float, fill: str, **more: str | float) -> Item:
    """Return a rectangle."""
    attributes = {
        "x": 0,
        "y": 0,
        "width": round(width, 2),
        "height": round(height, 2),
        "fill": fill,
        **_named(more),
    }
    return Item(round(x, 2), round(y, 2), 1, (Shape("rect", tuple(attributes.items())),))


def _named(attributes: Mapping[str, str | float]) -> dict[str, str | float]:
    """Return attributes of SVG by their names there, such as `text-anchor` for `text_anchor`."""
    return {name.replace("_", "-"): value for name, value in attributes.items()}
