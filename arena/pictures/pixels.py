"""A film as pixels: the same shapes by matplotlib's renderer, as PNG, GIF or, by ffmpeg, MP4."""

import io
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.patches import BoxStyle
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, Transform
from PIL import Image

from arena.charts.style import letters
from arena.errors import ArenaError
from arena.pictures import canvas
from arena.pictures.canvas import Film, Item, Shape

PALETTE = 128  # colours of a GIF
IN_ROW = 4  # stills of a picture
MONO = "DejaVu Sans Mono"
FFMPEG_S = 120
FRAME_RATE = 10  # frames a second of an MP4
FACING = {"": (1, 0, 0, 1), "west": (-1, 0, 0, 1), "north": (0, -1, 1, 0), "south": (0, 1, -1, 0)}
POINTS = {"M": 1, "L": 1, "Q": 2, "C": 3}  # of each command of a path
CODES = {"M": Outline.MOVETO, "L": Outline.LINETO, "Q": Outline.CURVE3, "C": Outline.CURVE4}


def png(films: Iterable[Film], scale: float = 2) -> bytes:
    """Return the last frames of films, four in a row."""
    stills = list(films)
    pictures = []
    for film in stills:
        last_frame = film.frames[-1]
        picture = _picture(film, last_frame, scale)
        pictures.append(picture)
    width = max(picture.width for picture in pictures)
    height = max(picture.height for picture in pictures)
    columns = min(IN_ROW, len(pictures))
    rows = -(-len(pictures) // IN_ROW)
    size = (width * columns, height * rows)
    paper = canvas.colours(stills[0].dark)["paper"]
    sheet = Image.new("RGB", size, paper)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, IN_ROW)
        x = width * column
        y = height * row
        sheet.paste(picture, (x, y))
    return _saved(sheet, "PNG")


def gif(film: Film) -> bytes:
    """Return a film that begins again at its end."""
    palette = _palette(film)
    # One after another: 400 frames in all their colours would take a gigabyte.
    stills = []
    for frame in film.frames:
        picture = _picture(film, frame, 1)
        still = picture.quantize(palette=palette, dither=Image.Dither.NONE)
        stills.append(still)
    milliseconds = [round(1000 * seconds) for seconds in film.seconds]
    return _saved(
        stills[0],
        "GIF",
        save_all=True,
        append_images=stills[1:],
        duration=milliseconds,
        loop=0,
        optimize=True,
    )


def _palette(film: Film) -> Image.Image:
    """Return one palette for all frames of a film.

    So what stays is equal in them, and is not in the file again.
    """
    count = len(film.frames)
    indices = sorted({0, count // 2, count - 1})
    height = film.height * len(indices)
    sample = Image.new("RGB", (film.width, height))
    top = 0
    for index in indices:
        frame = film.frames[index]
        picture = _picture(film, frame, 1)
        sample.paste(picture, (0, top))
        top += film.height
    return sample.quantize(PALETTE)


def mp4(film: Film) -> bytes:
    """Return a film that other programs can cut; ArenaError where ffmpeg is not."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise ArenaError(
            "an .mp4 needs ffmpeg, which is not installed: install it, or take .gif or .svg"
        )
    command = [program, "-loglevel", "error"]
    command += ["-f", "image2pipe", "-framerate", str(FRAME_RATE), "-i", "-"]
    command += ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p"]
    command += ["-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "-"]
    stills = []
    timed_frames = zip(film.frames, film.seconds, strict=True)
    for frame, seconds in timed_frames:
        picture = _picture(film, frame, 1)
        still = _saved(picture, "PNG")
        repeats = max(1, round(seconds * FRAME_RATE))
        stills.append(still * repeats)
    try:
        done = subprocess.run(
            command,
            input=b"".join(stills),
            capture_output=True,
            timeout=FFMPEG_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ArenaError(
            f"ffmpeg took more than {FFMPEG_S} s for an .mp4: take fewer turns, .gif or .svg"
        ) from None
    if done.returncode:
        stderr = done.stderr.decode(errors="replace")
        errors = stderr.strip().splitlines()
        reason = f"code {done.returncode}"
        if errors:
            reason = errors[-1]
        raise ArenaError(f"ffmpeg could not write an .mp4 ({reason}): take .gif or .svg")
    return done.stdout


def _saved(picture: Image.Image, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def _picture(film: Film, frame: Iterable[Item], scale: float) -> Image.Image:
    """Return one frame."""
    width = round(film.width * scale)
    height = round(film.height * scale)
    size = (width, height)
    renderer: Any = RendererAgg(width, height, 72)  # type: ignore[no-untyped-call]
    page = Affine2D.from_values(scale, 0, 0, -scale, 0, height)  # Agg's y grows upwards
    for item in chain(film.still, frame):
        a, b, c, d = (item.scale * part for part in FACING[item.facing])
        item_placing = Affine2D.from_values(
            a,
            b,
            c,
            d,
            item.x,
            item.y,
        )
        transform = item_placing + page
        for shape in item.shapes:
            _draw(renderer, shape, transform, item.scale * scale, film.dark)

    drawing = bytes(renderer.buffer_rgba())
    pixels = Image.frombuffer(
        "RGBA",
        size,
        drawing,
        "raw",
        "RGBA",
        0,
        1,
    )
    opacity = pixels.getchannel("A")
    paper = canvas.colours(film.dark)["paper"]
    picture = Image.new("RGB", size, paper)
    picture.paste(pixels, mask=opacity)
    return picture


def _draw(
    renderer: Any,
    shape: Shape,
    transform: Transform,
    scale: float,
    dark: bool,
) -> None:
    """Draw a shape; `scale` is how much larger than its own numbers its lines are."""
    attributes = dict(shape.attributes)
    fill_name = str(attributes.get("fill", "none"))
    fill = canvas.colour(fill_name, dark)
    stroke_name = str(attributes.get("stroke", "none"))
    stroke = canvas.colour(stroke_name, dark)
    opacity = float(attributes.get("opacity", 1))

    graphics = renderer.new_gc()
    graphics.set_antialiased(True)
    graphics.set_snap(False)
    graphics.set_linewidth(0)
    if stroke != "none":
        stroke_width = float(attributes.get("stroke-width", 1))
        graphics.set_linewidth(stroke_width * scale)
        graphics.set_foreground((*to_rgb(stroke), opacity), isRGBA=True)
    graphics.set_capstyle("round")
    graphics.set_joinstyle("round")

    face = None
    if fill != "none":
        fill_opacity = float(attributes.get("fill-opacity", 1))
        face = (*to_rgb(fill), opacity * fill_opacity)
    renderer.draw_path(graphics, _outline(shape), transform, face)
    graphics.restore()


@lru_cache(5000)
def _outline(shape: Shape) -> Outline:
    """Return the outline of a shape."""
    attributes = dict(shape.attributes)
    if shape.tag == "path":
        return _path(str(attributes["d"]))
    if shape.tag == "text":
        return _written(attributes)

    number = {}
    for name, value in attributes.items():
        if isinstance(value, int | float):
            number[name] = float(value)
    if shape.tag == "rect":
        return _rectangle(number)

    # A circle or an ellipse.
    radius = number.get("r", 0)
    radius_x = number.get("rx", radius)
    radius_y = number.get("ry", radius)
    centre_x = number.get("cx", 0)
    centre_y = number.get("cy", 0)
    ring = Affine2D().scale(radius_x, radius_y)
    ring = ring.translate(centre_x, centre_y)
    return ring.transform_path(Outline.unit_circle())


def _rectangle(number: Mapping[str, float]) -> Outline:
    """Return the outline of a rectangle by its attributes that are numbers."""
    width = number["width"]
    height = number["height"]
    radius = number.get("rx", 0)
    rounding = min(radius, width / 2, height / 2)
    corners: BoxStyle.Round | BoxStyle.Square = BoxStyle.Square(pad=0)
    if rounding:
        corners = BoxStyle.Round(pad=0, rounding_size=rounding)
    return corners(
        number.get("x", 0),
        number.get("y", 0),
        width,
        height,
        1,
    )


def _written(attributes: Mapping[str, str | float]) -> Outline:
    """Return the outline of a text."""
    text = str(attributes["words"])
    if not text.strip():
        return Outline([(0, 0)])
    family = list(letters.families(text))
    if "font-family" in attributes:
        family = [MONO]
    weight = str(attributes.get("font-weight", "normal"))
    font = FontProperties(family=family, weight=weight)
    # matplotlib places glyphs by whole points: at a hundred times the size nobody sees that.
    outline = TextPath((0, 0), text, size=100, prop=font)

    size = float(attributes["font-size"])
    x = float(attributes.get("x", 0))
    y = float(attributes.get("y", 0))
    anchor = attributes.get("text-anchor")
    if anchor:
        box = outline.get_extents()
        shift = (box.x1 + box.x0) * size / 100
        if anchor == "middle":
            shift = shift / 2
        x -= shift
    placing = Affine2D().scale(size / 100, -size / 100)
    placing = placing.translate(x, y)
    return placing.transform_path(outline)


def _path(commands: str) -> Outline:
    """Return a path of SVG that has absolute commands M, L, C, Q and Z only, with spaces."""
    words = iter(commands.split())
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for word in words:
        if word == "Z":
            points.append((0, 0))
            codes.append(int(Outline.CLOSEPOLY))
            continue
        for _ in range(POINTS[word]):
            x = float(next(words))
            y = float(next(words))
            points.append((x, y))
            codes.append(int(CODES[word]))
    return Outline(points or [(0, 0)], codes or None)
