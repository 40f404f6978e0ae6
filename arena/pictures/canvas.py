"""What a picture is made of: shapes in colours at places, and frames that follow one another. It draws nothing itself.

Names, remarks and facts may come from anybody: a text becomes harmless, short, and letters that a font has, in `text`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.charts.style import letters
from arena.replay.drawing.shapes import Element

TOKENS = Path(__file__).parents[1] / "report" / "html" / "1_tokens.css"
"""The one table of the colours of pages and pictures."""
TOKEN = re.compile(r"--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)")
LONGEST = 200  # characters of a text


class Shape(NamedTuple):
    """A shape with its colours: an element of SVG whose classes were looked up."""

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
    """Frames that follow one another; what is in all of them is `still`, and lies under the others."""

    width: int
    height: int
    title: str
    background: str
    still: tuple[Item, ...]
    frames: tuple[tuple[Item, ...], ...]
    seconds: tuple[float, ...]
    """How long each frame is shown."""


@cache
def colours(dark: bool) -> Mapping[str, str]:
    """Return the colours of pages by name, light or dark."""
    return {name: f"#{(light, night)[dark]}" for name, light, night in TOKEN.findall(TOKENS.read_text("utf-8"))}


@lru_cache(1000)
def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour between two."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return f"#{bytes(round(a * share + b * (1 - share)) for a, b in pairs).hex()}"


def shapes(elements: Iterable[Element], dark: bool, words: str = "") -> tuple[Shape, ...]:
    """Return elements with the colours of their classes; a text that has no words says `words`."""
    tokens = colours(dark)
    classes: dict[str, dict[str, str | float]] = {
        "pellet": {"fill": tokens["pellet"]},
        "exit": {
            "fill": mixed(tokens["exit"], tokens["floor"], 0.22),
            "stroke": tokens["exit"],
            "stroke-width": 0.5,
        },
        "door": {"fill": tokens["exit"]},
        "letter": {"fill": "#ffffff", "size": 4.2, "bold": 1, "anchor": "middle", "y": 1.65},
        "words": {"fill": tokens["ink"], "size": 4.2, "bold": 1, "anchor": "middle", "y": 1.65},
    }
    made = []
    for tag, attributes in elements:
        own = {name: value for name, value in attributes.items() if name not in {"class", "y"} or tag != "text"}
        every = classes.get(str(attributes.get("class", "")), {}) | own
        every.pop("class", None)
        if tag == "text":
            every["words"] = letters.drawable(str(attributes.get("words", words)))[:LONGEST]
        made.append(Shape(tag, tuple(every.items())))
    return tuple(made)


def text(words: str, x: float, y: float, size: float, fill: str, **more: str | float) -> Item:
    """Return a text whose line stands at (x, y); `room` is the width that it may have, more is cut off."""
    room, bold = more.pop("room", None), bool(more.get("bold"))
    shown = letters.drawable(words)[:LONGEST]
    if room is not None:
        shown = fitted(shown, size, float(room), bold=bold)
    attributes = {"words": shown, "size": size, "fill": fill, **more}
    return Item(x, y, 1, (Shape("text", tuple(attributes.items())),))


@lru_cache(10_000)
def fitted(words: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return as much of a text as has room."""
    if width(words, size, bold=bold) <= room:
        return words
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width(words[:middle] + "…", size, bold=bold) <= room else (low, middle - 1)
    return words[:low].rstrip() + "…"


def wrapped(words: str, size: float, room: float, lines: int, *, bold: bool = False) -> list[str]:
    """Return a text in lines that have room; the last is cut."""
    found: list[str] = []
    for word in letters.drawable(words).split(" "):
        if found and width(f"{found[-1]} {word}", size, bold=bold) <= room:
            found[-1] += f" {word}"
        else:
            found.append(word)
    shown = [*found[: lines - 1], " ".join(found[lines - 1 :])] if found else []
    return [fitted(line, size, room, bold=bold) for line in shown if line]


@lru_cache(10_000)
def width(words: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in pixels."""
    return letters.width(words, 50, bold=bold) * 72 * size / 50  # letters of that size are not moved to whole points


def rect(x: float, y: float, width: float, height: float, fill: str, **more: str | float) -> Item:
    """Return a rectangle."""
    attributes = {"x": 0, "y": 0, "width": round(width, 2), "height": round(height, 2), "fill": fill, **more}
    return Item(round(x, 2), round(y, 2), 1, (Shape("rect", tuple(attributes.items())),))


def box(x: float, y: float, width: float, height: float, fill: str, border: str, round_by: float) -> Item:
    """Return a rectangle with a border and round corners."""
    return rect(x, y, width, height, fill, rx=round_by, stroke=border, **{"stroke-width": 1})
