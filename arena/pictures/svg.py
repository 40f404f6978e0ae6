"""A film as SVG: one file without script, whose frames SMIL shows, in any page as in `<img>`."""

import re
from collections import defaultdict
from xml.sax.saxutils import escape, quoteattr

from arena.pictures import canvas
from arena.pictures.canvas import Film, Item, Shape

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that make a whole file unreadable."""
FACING = {"": "", "west": " scale(-1 1)", "north": " rotate(-90)", "south": " rotate(90)"}


def svg(film: Film) -> bytes:
    """Return the film, in which each thing is once, with the times when it is seen.

    A single frame is a still.
    """
    names: dict[tuple[Shape, ...], str] = {}
    last = len(film.frames) - 1
    numbers: dict[Item, list[int]] = defaultdict(list)  # of the frames that have it
    layers: dict[Item, int] = {}
    for number, frame in enumerate(film.frames):
        for layer, item in enumerate(dict.fromkeys(frame)):
            numbers[item].append(number)
            layers[item] = max(layer, layers.get(item, 0))
    begins = [sum(film.seconds[:number]) for number in range(last + 2)]
    body = [_use(item, names, film.dark) for item in film.still]
    for item in sorted(
        layers, key=lambda item: layers[item]
    ):  # what lies under another, as far as all frames agree
        use = _use(item, names, film.dark)
        if len(numbers[item]) <= last:
            hidden = (
                "" if last in numbers[item] else ' visibility="hidden"'
            )  # who plays no animation sees the last frame
            use = f"<g{hidden}>{use}{_times(numbers[item], begins)}</g>"
        body.append(use)
    defined = "".join(
        f'<g id="{name}">{"".join(_shape(shape, film.dark) for shape in shapes)}</g>'
        for shapes, name in names.items()
    )
    size = f'viewBox="0 0 {film.width} {film.height}" width="{film.width}" height="{film.height}"'
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
        f" font-family={quoteattr(canvas.FONTS['sans'])}"
        f' stroke-linecap="round" stroke-linejoin="round" role="img">'
        f"<title>{escape(film.title)}</title>"
        f'<rect width="100%" height="100%" fill="{canvas.colours(film.dark)["paper"]}"/>'
        f"<defs>{defined}</defs>{''.join(body)}</svg>\n"
    )
    return NO_XML.sub("\ufffd", text).encode()


def _times(seen: list[int], begins: list[float]) -> str:
    """Return the animation of what is seen in these frames only."""
    end, times, values = begins[-1], ["0"], ["visible" if 0 in seen else "hidden"]
    present = set(seen)
    for number in range(1, len(begins) - 1):
        if (number in present) != (number - 1 in present):
            times.append(f"{begins[number] / end:.5f}".rstrip("0"))
            values.append("visible" if number in present else "hidden")
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{end:.2f}s"'
        ' repeatCount="indefinite"'
        f' keyTimes="{";".join(times)}" values="{";".join(values)}"/>'
    )


def _use(item: Item, names: dict[tuple[Shape, ...], str], dark: bool) -> str:
    """Return an item; what is large is defined once and used by its name."""
    moved = f"translate({item.x:g} {item.y:g})" if item.x or item.y else ""
    scaled = f" scale({item.scale:g})" if item.scale != 1 else ""
    transform = f"{moved}{scaled}{FACING[item.facing]}".strip()
    attribute = f' transform="{transform}"' if transform else ""
    if len(item.shapes) == 1 and item.scale == 1:
        return f"<g{attribute}>{_shape(item.shapes[0], dark)}</g>"
    name = names.setdefault(item.shapes, f"s{len(names)}")
    return f'<use href="#{name}"{attribute}/>'


def _shape(shape: Shape, dark: bool) -> str:
    attributes = dict(shape.attributes)
    words = attributes.pop("words", None)
    written = "".join(
        f" {name}="
        f"{quoteattr(canvas.colour(value, dark) if isinstance(value, str) else f'{value:g}')}"
        for name, value in attributes.items()
    )
    if words is None:
        return f"<{shape.tag}{written}/>"
    return f'<text{written} xml:space="preserve">{escape(str(words))}</text>'
