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
    if not value.startswith("var(--"):
        return value
    name = value[len("var(--") : -1]
    return colours(dark)[name]


@cache
def colours(dark: bool) -> Mapping[str, str]:
    """Return the colours of pages by name, light or dark."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS)
    by_name: dict[str, str] = {}
    for name, light, night in pairs:
        if dark:
            by_name[name] = night
        else:
            by_name[name] = light
    return by_name


def shapes(elements: Iterable[Element], text: str = "") -> tuple[Shape, ...]:
    """Return elements as shapes; a text that has no words says `text`."""
    drawable_shapes = []
    for tag, attributes in elements:
        named = dict(attributes)
        if tag == "text":
            words = str(named.get("words", text))
            named["words"] = _cut(words)
        shape = Shape(tag, tuple(named.items()))
        drawable_shapes.append(shape)
    return tuple(drawable_shapes)


def text(
    content: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    space: float | None = None,
    /,
    **more: str,
) -> Item:
    """Return a text whose line stands at (x, y); it is cut off where it is wider than `space`."""
    content = _cut(content)
    if space is not None:
        bold = "font_weight" in more
        content = fitted(content, size, space, bold=bold)
    attributes = {
        "words": content,
        "font-size": size,
        "fill": fill,
        **_named(more),
    }
    shape = Shape("text", tuple(attributes.items()))
    return Item(x, y, 1, (shape,))


def _cut(text: str) -> str:
    """Return a text, harmless and short, in letters that a font has."""
    return letters.drawable(text)[:LONGEST]


@lru_cache(10_000)
def fitted(
    text: str,
    size: float,
    space: float,
    *,
    bold: bool = False,
) -> str:
    """Return as much of a text as has room."""
    if width(text, size, bold=bold) <= space:
        return text

    def cut_width(count: int) -> float:
        cut_text = f"{text[:count]}…"
        return width(cut_text, size, bold=bold)

    counts = range(1, len(text))
    count = bisect_right(counts, space, key=cut_width)
    beginning = text[:count].rstrip()
    return f"{beginning}…"


def wrapped(
    text: str,
    size: float,
    space: float,
    lines: int,
    *,
    bold: bool = False,
) -> list[str]:
    """Return a text in lines that have room; the last is cut."""
    broken: list[str] = []
    words = re.split(" (?!%)", letters.drawable(text))
    for word in words:
        longer = ""
        if broken:
            longer = f"{broken[-1]} {word}"
        if longer and width(longer, size, bold=bold) <= space:
            broken[-1] = longer
        else:
            broken.append(word)

    last = " ".join(broken[lines - 1 :])
    broken[lines - 1 :] = [last]
    wrapped_lines = []
    for line in broken:
        if line:
            wrapped_lines.append(fitted(line, size, space, bold=bold))
    return wrapped_lines


@lru_cache(10_000)
def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in pixels."""
    inches = letters.width(text, 50, bold=bold)  # letters of that size stand where they should
    return inches * 72 * size / 50


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    **more: str | float,
) -> Item:
    """Return a rectangle."""
    attributes = {
        "x": 0,
        "y": 0,
        "width": round(width, 2),
        "height": round(height, 2),
        "fill": fill,
        **_named(more),
    }
    shape = Shape("rect", tuple(attributes.items()))
    return Item(
        x=round(x, 2),
        y=round(y, 2),
        scale=1,
        shapes=(shape,),
    )


def _named(attributes: Mapping[str, str | float]) -> dict[str, str | float]:
    """Return attributes of SVG by their names there, such as `text-anchor` for `text_anchor`."""
    named = {}
    for name, value in attributes.items():
        svg_name = name.replace("_", "-")
        named[svg_name] = value
    return named
