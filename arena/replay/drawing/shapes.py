"""The shapes that a game's declaration may name (arena/drawing.py), as elements of SVG.

A cell is 10 wide; a shape stands around (0, 0) and is 6 to 7 wide. Every painter draws these
elements: the browser, and arena/pictures for files. A variable stands for a colour that differs by
light and dark. Paths have absolute commands M, L, C, Q and Z only, with spaces, so that a painter
of pixels reads them in a few lines.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

Attributes: TypeAlias = dict[str, str | float]
Element = tuple[str, Mapping[str, str | float]]
"""The tag of an element of SVG, and its attributes.

A text without words shows those of its thing.
"""

Shape: TypeAlias = Callable[[str, str], tuple[Element, ...]]
"""A function from a colour and a sign to elements."""
COLOURS = {
    "red": "#d55e00",
    "orange": "#e69f00",
    "yellow": "#e8a800",
    "green": "#009e73",
    "blue": "#3fa4dd",
    "purple": "#cc79a7",
    "black": "#1b2430",
    "white": "#fbf8f0",
}
"""Okabe and Ito's colours, as in the charts: colour-blind readers tell them apart. Black and white
things have an outline, because one of the two is like the floor."""
SIDES = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#e69f00"),
    ("#009e73", "#4fbf9f"),
    ("#cc79a7", "#e0aac8"),
    ("#7830d8", "#aa80ff"),
    ("#904830", "#a8a860"),
)
"""A hue for each side, one cool, the next warm, in a shade for each role of it. A seventh side has
the second shade of the first. The first four hues are Okabe and Ito's; the last two are at least
as far from all others, also as colour-blind readers see them (Machado's model)."""
TRAILS = {"muncher": "#e8a800", "explorer": "#3f9bd8", "mummy": "#b0a17c"}
"""The colours that mark where shapes went that have colours of their own."""
TURNED = frozenset({"muncher"})
"""Who has a mouth turns it to where it goes; a ghost or a hat upside down would only look odd."""

INK = "#1b2430"
PELLET = "var(--pellet)"
EXIT = "var(--exit)"


def elements(shape: str, fill: str, sign: str) -> tuple[Element, ...]:
    """Return a shape in a colour; empty = that of the theme. A disc has a sign on it."""
    return SHAPES.get(shape, _disc)(fill, sign)


def _letters(fill: str) -> Element:
    return "text", {
        "y": 1.65,
        "font-size": 4.2,
        "font-weight": "bold",
        "text-anchor": "middle",
        "fill": fill,
    }


def _filled(outline: str, fill: str) -> Element:
    return "path", {"fill": fill, "d": outline}


def _eye(
    x: float,
    y: float,
    radius: float,
    fill: str,
) -> Element:
    return "circle", {
        "cx": x,
        "cy": y,
        "r": radius,
        "fill": fill,
    }


def _disc(fill: str, sign: str) -> tuple[Element, ...]:
    look: Attributes = {"r": 3.2, "fill": fill or "#616874"}
    look |= _outline(fill)
    circle: Element = ("circle", look)
    if not sign:
        return (circle,)

    tag, attributes = _letters("#ffffff")
    letter = (tag, {**attributes, "words": sign})
    return (circle, letter)


def _dot(fill: str, _: str) -> tuple[Element, ...]:
    return (("circle", {"r": 1.05, "fill": fill or PELLET}),)


def _text(fill: str, _: str) -> tuple[Element, ...]:
    return (_letters(fill or "var(--ink)"),)


def _outline(fill: str) -> Attributes:
    """Return the attributes of a line around a thing that is black or white; otherwise none."""
    strokes = {
        COLOURS["black"]: "#98a2b0",
        COLOURS["white"]: COLOURS["black"],
    }
    if fill not in strokes:
        return {}
    return {"stroke": strokes[fill], "stroke-width": 0.35}


def _chessman(outline: str, *heads: tuple[float, float, float]) -> Shape:
    """Return the shape of a chessman: its outline on a foot, and round parts (x, y, radius)."""

    def shape(fill: str, _: str) -> tuple[Element, ...]:
        colour = fill or COLOURS["black"]
        look: Attributes = {"fill": colour}
        look |= _outline(colour)
        body: Element = ("path", {**look, "d": f"{outline} Z"})
        parts = [body]

        for x, y, radius in heads:
            circle: Attributes = {"cx": x, "cy": y, "r": radius}
            parts.append(("circle", look | circle))
        foot: Element = ("path", {**look, "d": FOOT})
        parts.append(foot)
        return tuple(parts)

    return shape


def _square(fill: str, _: str) -> tuple[Element, ...]:
    look: Attributes = {
        "x": -4.6,
        "y": -4.6,
        "width": 9.2,
        "height": 9.2,
        "rx": 1,
        "opacity": 0.5,
        "fill": fill or PELLET,
    }
    return (("rect", look),)


def _door(*_: str) -> tuple[Element, ...]:
    frame: Attributes = {
        "x": -4,
        "y": -4,
        "width": 8,
        "height": 8,
        "rx": 1.4,
        "fill": EXIT,
        "fill-opacity": 0.22,
        "stroke": EXIT,
        "stroke-width": 0.5,
    }
    arch = (
        "M -1.9 2.6 L -1.9 -0.5 C -1.9 -1.55 -1.05 -2.4 0 -2.4 "
        "C 1.05 -2.4 1.9 -1.55 1.9 -0.5 L 1.9 2.6 Z"
    )
    return (("rect", frame), _filled(arch, EXIT))


def _ghost(fill: str, _: str) -> tuple[Element, ...]:
    dome = "C -3.1 -2.11 -1.71 -3.5 0 -3.5 C 1.71 -3.5 3.1 -2.11 3.1 -0.4"
    hem = "L 3.1 3.3 L 2.07 2.35 L 1.04 3.3 L 0 2.35 L -1.03 3.3 L -2.07 2.35 Z"
    body = f"M -3.1 3.3 L -3.1 -0.4 {dome} {hem}"
    parts = [_filled(body, fill)]
    for x in (-1.15, 1.15):
        white: Attributes = {
            "cx": x,
            "cy": -0.8,
            "rx": 0.85,
            "ry": 1.05,
            "fill": "#ffffff",
        }
        pupil_x = round(x + 0.25, 2)
        parts.append(("ellipse", white))
        parts.append(_eye(pupil_x, -0.65, 0.48, INK))
    return tuple(parts)


def _muncher(*_: str) -> tuple[Element, ...]:
    round_the_back = (
        "C 2.07 -3.03 0.53 -3.63 -0.91 -3.22 C -2.35 -2.81 -3.35 -1.5 -3.35 0"
        " C -3.35 1.5 -2.35 2.81 -0.91 3.22 C 0.53 3.63 2.07 3.03 2.85 1.75"
    )
    body = f"M 0 0 L 2.85 -1.75 {round_the_back} Z"
    return (
        _filled(body, "#e8a800"),
        _eye(0.35, -1.75, 0.5, INK),
    )


def _explorer(*_: str) -> tuple[Element, ...]:
    face: Element = ("circle", {"r": 2.7, "cy": 0.6, "fill": "#f2c79b"})
    crown = (
        "C -3.9 -1.1 -2.9 -1.25 -2.4 -1.35 C -2.2 -3.3 -1 -3.5 0 -3.5 C 1 -3.5 2.2 -3.3 2.4 -1.35"
    )
    hat = f"M -3.9 -0.35 {crown} C 2.9 -1.25 3.9 -1.1 3.9 -0.35 Z"
    ribbon = "M -2.5 -1.2 L 2.5 -1.2 L 2.58 -0.35 L -2.58 -0.35 Z"
    return (
        face,
        _filled(hat, "#1583c7"),
        _filled(ribbon, "#0d5a8c"),
        _eye(-0.95, 0.95, 0.42, INK),
        _eye(0.95, 0.95, 0.42, INK),
    )


def _mummy(*_: str) -> tuple[Element, ...]:
    head: Attributes = {
        "r": 3.25,
        "fill": "#e9dfc8",
        "stroke": "#b0a17c",
        "stroke-width": 0.35,
    }
    bandages: Attributes = {
        "stroke": "#b0a17c",
        "stroke-width": 0.4,
        "fill": "none",
        "d": (
            "M -2.6 -2 Q 0 -0.9 2.5 -2.1 M -3.1 1.1 Q 0 2.2 3.1 0.9"
            " M -2.2 2.4 Q 0 3.1 2.3 2.3 M -1.9 -2.7 Q 0 -1.9 1.4 -2.95"
        ),
    }
    slit = "M -3.1 -0.9 Q 0 0.1 3.1 -0.9 L 3.2 0.6 Q 0 1.5 -3.2 0.6 Z"
    return (
        ("circle", head),
        ("path", bandages),
        _filled(slit, "#2c2a26"),
        _eye(-1.15, 0.15, 0.55, "#ff8a3d"),
        _eye(1.15, 0.15, 0.55, "#ff8a3d"),
    )


FOOT = "M -2.7 3.5 L 2.7 3.5 L 2.7 2.6 L -2.7 2.6 Z"
CHESSMEN: Mapping[str, Shape] = {
    "king": _chessman(
        "M -2.1 2.6 L 2.1 2.6 L 2 1.2 C 3.6 0.2 3.4 -2 1.6 -2 C 1 -2 0.5 -1.7 0.4 -1.3 L 0.4 -2.3"
        " L 1.1 -2.3 L 1.1 -3 L 0.4 -3 L 0.4 -3.7 L -0.4 -3.7 L -0.4 -3 L -1.1 -3 L -1.1 -2.3"
        " L -0.4 -2.3 L -0.4 -1.3 C -0.5 -1.7 -1 -2 -1.6 -2 C -3.4 -2 -3.6 0.2 -2 1.2"
    ),
    "queen": _chessman(
        "M -2.1 2.6 L 2.1 2.6 L 2 1.2 L 3.1 -1.9 L 1.5 -0.3 L 1.2 -2.6 L 0 -0.5 L -1.2 -2.6"
        " L -1.5 -0.3 L -3.1 -1.9 L -2 1.2",
        (-3.1, -2.1, 0.55),
        (-1.2, -2.9, 0.55),
        (1.2, -2.9, 0.55),
        (3.1, -2.1, 0.55),
    ),
    "rook": _chessman(
        "M -2.2 2.6 L 2.2 2.6 L 1.6 1.7 L 1.6 -1.2 L 2.2 -1.7 L 2.2 -3.3 L 1.2 -3.3 L 1.2 -2.5"
        " L 0.5 -2.5 L 0.5 -3.3 L -0.5 -3.3 L -0.5 -2.5 L -1.2 -2.5 L -1.2 -3.3 L -2.2 -3.3"
        " L -2.2 -1.7 L -1.6 -1.2 L -1.6 1.7"
    ),
    "bishop": _chessman(
        "M -1.8 2.6 L 1.8 2.6 L 1.1 1.5 C 2.6 0.2 1.8 -1.5 0 -2.9 C -1.8 -1.5 -2.6 0.2 -1.1 1.5",
        (0, -3.2, 0.55),
    ),
    "knight": _chessman(
        "M -1.9 2.6 L 2.2 2.6 C 2.6 0.4 2.4 -2.7 -0.3 -2.9 L -1 -3.7 L -1.2 -2.6"
        " C -1.9 -2 -2.3 -1.1 -2.9 -0.3 C -3.2 0.3 -2.6 1 -2 0.8 L -1.2 0.4"
        " C -0.6 0.3 -0.2 0.1 0.1 -0.3 C 0 0.9 -1.7 1.1 -1.9 2.6"
    ),
    "pawn": _chessman(
        "M -1.9 2.6 L 1.9 2.6 C 1.6 1.4 0.9 0.9 0.8 0 L -0.8 0 C -0.9 0.9 -1.6 1.4 -1.9 2.6",
        (0, -1.1, 1.4),
    ),
}
SHAPES: Mapping[str, Shape] = {
    "disc": _disc,
    "dot": _dot,
    "square": _square,
    "door": _door,
    "ghost": _ghost,
    "muncher": _muncher,
    "explorer": _explorer,
    "mummy": _mummy,
    **CHESSMEN,
    "text": _text,
}
