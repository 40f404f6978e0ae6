"""A film as SVG: one file without script, whose frames SMIL shows, in any page as in `<img>`."""

import re
from collections import defaultdict
from itertools import accumulate
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
    frame_numbers: dict[Item, list[int]] = defaultdict(list)  # of the frames that have it
    layers: dict[Item, int] = {}
    for number, frame in enumerate(film.frames):
        for layer, item in enumerate(dict.fromkeys(frame)):
            frame_numbers[item].append(number)
            layers[item] = max(layer, layers.get(item, 0))

    last = len(film.frames) - 1
    begins = list(accumulate(film.seconds, initial=0.0))
    names: dict[tuple[Shape, ...], str] = {}
    body = [_use(item, names, film.dark) for item in film.still]
    # What lies under another comes first, as far as all frames agree.
    for item in sorted(layers, key=lambda item: layers[item]):
        use = _use(item, names, film.dark)
        numbers = frame_numbers[item]
        if len(numbers) <= last:
            # A reader whose program plays no animation sees the last frame.
            hidden = ""
            if last not in numbers:
                hidden = ' visibility="hidden"'
            use = f"<g{hidden}>{use}{_times(numbers, begins)}</g>"
        body.append(use)

    defined = ""
    for shapes, name in names.items():
        elements = [_shape(shape, film.dark) for shape in shapes]
        defined += f'<g id="{name}">{"".join(elements)}</g>'

    size = f'viewBox="0 0 {film.width} {film.height}" width="{film.width}" height="{film.height}"'
    font = quoteattr(canvas.FONTS["sans"])
    paper = canvas.colours(film.dark)["paper"]
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family={font}'
        ' stroke-linecap="round" stroke-linejoin="round" role="img">'
        f"<title>{escape(film.title)}</title>"
        f'<rect width="100%" height="100%" fill="{paper}"/>'
        f"<defs>{defined}</defs>{''.join(body)}</svg>\n"
    )
    harmless = NO_XML.sub("\ufffd", text)
    return harmless.encode()


def _times(frames: list[int], begins: list[float]) -> str:
    """Return the animation of an item that is in these frames only.

    `begins` are the seconds when each frame begins, and when the last ends.
    """
    end = begins[-1]
    present = set(frames)
    times = []
    values: list[str] = []
    for number, begin in enumerate(begins[:-1]):
        value = "hidden"
        if number in present:
            value = "visible"
        if not values:
            times.append("0")
            values.append(value)
        elif value != values[-1]:
            times.append(f"{begin / end:.5f}".rstrip("0"))
            values.append(value)
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{end:.2f}s"'
        f' repeatCount="indefinite" keyTimes="{";".join(times)}" values="{";".join(values)}"/>'
    )


def _use(item: Item, names: dict[tuple[Shape, ...], str], dark: bool) -> str:
    """Return an item; what is large is defined once and used by its name."""
    transform = ""
    if item.x or item.y:
        transform += f"translate({item.x:g} {item.y:g})"
    if item.scale != 1:
        transform += f" scale({item.scale:g})"
    transform += FACING[item.facing]
    attribute = ""
    if transform:
        attribute = f' transform="{transform.strip()}"'
    if len(item.shapes) == 1 and item.scale == 1:
        return f"<g{attribute}>{_shape(item.shapes[0], dark)}</g>"
    name = names.setdefault(item.shapes, f"s{len(names)}")
    return f'<use href="#{name}"{attribute}/>'


def _shape(shape: Shape, dark: bool) -> str:
    """Return a shape as an element of SVG."""
    attributes = dict(shape.attributes)
    text = attributes.pop("words", None)
    named = ""
    for name, value in attributes.items():
        if isinstance(value, str):
            value_text = canvas.colour(value, dark)
        else:
            value_text = f"{value:g}"
        named += f" {name}={quoteattr(value_text)}"
    if text is None:
        return f"<{shape.tag}{named}/>"
    return f'<text{named} xml:space="preserve">{escape(str(text))}</text>'
