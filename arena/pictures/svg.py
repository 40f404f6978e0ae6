"""A film as SVG: one file without script, whose frames are shown by SMIL, in any page as in `<img>`."""

import re
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

from arena.pictures.canvas import Film, Item, Shape

FONT = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that make a whole file unreadable."""
FACING = {"": "", "west": " scale(-1 1)", "north": " rotate(-90)", "south": " rotate(90)"}


def svg(film: Film) -> bytes:
    """Return the film, in which each thing is once, with the times when it is seen; a single frame is a still."""
    names: dict[tuple[Shape, ...], str] = {}
    last = len(film.frames) - 1
    shown: dict[Item, list[int]] = {}
    for number, frame in enumerate(film.frames):
        for item in dict.fromkeys(frame):
            shown.setdefault(item, []).append(number)
    ordered = _in_order(film.frames)
    begins = [sum(film.seconds[:number]) for number in range(last + 2)]
    body = [_use(item, names) for item in film.still]
    for item in ordered:
        seen = shown[item]
        if len(seen) > last:
            body.append(_use(item, names))
        else:
            hidden = "" if last in seen else ' visibility="hidden"'  # who plays no animation sees the last frame
            body.append(f"<g{hidden}>{_use(item, names)}{_times(seen, begins)}</g>")
    defined = "".join(f'<g id="{name}">{"".join(map(_shape, shapes))}</g>' for shapes, name in names.items())
    size = f'viewBox="0 0 {film.width} {film.height}" width="{film.width}" height="{film.height}"'
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" stroke-linecap="round"'
        f' stroke-linejoin="round" role="img"><title>{escape(film.title)}</title>'
        f'<rect width="100%" height="100%" fill="{film.background}"/><defs>{defined}</defs>{"".join(body)}</svg>\n'
    )
    return NO_XML.sub("\ufffd", text).encode()


def _in_order(frames: Iterable[Iterable[Item]]) -> list[Item]:
    """Return every item once, what lies under another in a frame before it as far as all frames agree."""
    layers: dict[Item, int] = {}
    for frame in frames:
        for depth, item in enumerate(frame):
            layers[item] = max(depth, layers.get(item, 0))
    return sorted(layers, key=lambda item: layers[item])


def _times(seen: list[int], begins: list[float]) -> str:
    """Return the animation of what is seen in these frames only."""
    end, times, values = begins[-1], ["0"], ["visible" if 0 in seen else "hidden"]
    present = set(seen)
    for number in range(1, len(begins) - 1):
        if (number in present) != (number - 1 in present):
            times.append(f"{begins[number] / end:.5f}".rstrip("0"))
            values.append("visible" if number in present else "hidden")
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{end:.2f}s" repeatCount="indefinite"'
        f' keyTimes="{";".join(times)}" values="{";".join(values)}"/>'
    )


def _use(item: Item, names: dict[tuple[Shape, ...], str]) -> str:
    """Return an item; what is large is defined once and used by its name."""
    moved = f"translate({item.x:g} {item.y:g})" if item.x or item.y else ""
    scaled = f" scale({item.scale:g})" if item.scale != 1 else ""
    transform = f"{moved}{scaled}{FACING[item.facing]}".strip()
    attribute = f' transform="{transform}"' if transform else ""
    if len(item.shapes) == 1 and item.scale == 1:
        return f"<g{attribute}>{_shape(item.shapes[0])}</g>"
    name = names.setdefault(item.shapes, f"s{len(names)}")
    return f'<use href="#{name}"{attribute}/>'


def _shape(shape: Shape) -> str:
    attributes: Mapping[str, str | float] = dict(shape.attributes)
    if shape.tag != "text":
        return f"<{shape.tag}{''.join(f' {name}={quoteattr(_number(each))}' for name, each in attributes.items())}/>"
    own = {
        "x": attributes.get("x", 0),
        "y": attributes.get("y", 0),
        "font-size": attributes["size"],
        "fill": attributes["fill"],
        "text-anchor": attributes.get("anchor", ""),
        "font-weight": "bold" if attributes.get("bold") else "",
        "font-family": MONO if attributes.get("mono") else "",
    }
    written = "".join(f" {name}={quoteattr(_number(each))}" for name, each in own.items() if each != "")
    return f'<text{written} xml:space="preserve">{escape(str(attributes["words"]))}</text>'


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
