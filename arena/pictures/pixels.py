"""A film as pixels: the same shapes by matplotlib's renderer, as PNG, GIF or, by ffmpeg, MP4."""

import io
import shutil
import subprocess
from collections.abc import Iterable
from functools import lru_cache
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
FACING = {"": (1, 0, 0, 1), "west": (-1, 0, 0, 1), "north": (0, -1, 1, 0), "south": (0, 1, -1, 0)}
POINTS = {"M": 1, "L": 1, "Q": 2, "C": 3}  # of each command of a path
CODES = {"M": Outline.MOVETO, "L": Outline.LINETO, "Q": Outline.CURVE3, "C": Outline.CURVE4}


def png(films: Iterable[Film], scale: float = 2) -> bytes:
    """Return the last frames of films, four in a row."""
    stills = list(films)
    pictures = [_picture(film, film.frames[-1], scale) for film in stills]
    width, height = (max(each.size[axis] for each in pictures) for axis in (0, 1))
    size = (width * min(IN_ROW, len(pictures)), height * -(-len(pictures) // IN_ROW))
    sheet = Image.new("RGB", size, canvas.colours(stills[0].dark)["paper"])
    for number, each in enumerate(pictures):
        sheet.paste(each, (width * (number % IN_ROW), height * (number // IN_ROW)))
    return _saved(sheet, "PNG")


def gif(film: Film) -> bytes:
    """Return a film that begins again at its end."""
    # One palette for all frames, so that what stays is equal in them, and is not in the file again.
    count = len(film.frames)
    sampled = sorted({0, count // 2, count - 1})
    sample = Image.new("RGB", (film.width, film.height * len(sampled)))
    for number, index in enumerate(sampled):
        sample.paste(_picture(film, film.frames[index], 1), (0, film.height * number))
    palette = sample.quantize(PALETTE)
    # One after another: 400 frames in all their colours would take a gigabyte.
    pictures = (_picture(film, frame, 1) for frame in film.frames)
    first, *others = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures)
    milliseconds = [round(1000 * each) for each in film.seconds]
    return _saved(
        first,
        "GIF",
        save_all=True,
        append_images=others,
        duration=milliseconds,
        loop=0,
        optimize=True,
    )


def mp4(film: Film) -> bytes:
    """Return a film that other programs can cut; ArenaError where ffmpeg is not."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise ArenaError(
            "an .mp4 needs ffmpeg, which is not installed: install it, or take .gif or .svg"
        )
    per_second = 10
    command = [
        program,
        "-loglevel",
        "error",
        "-f",
        "image2pipe",
        "-framerate",
        str(per_second),
        "-i",
        "-",
    ]
    command += [
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
        "-movflags",
        "frag_keyframe+empty_moov",
    ]
    frames = b"".join(
        _saved(_picture(film, frame, 1), "PNG") * max(1, round(seconds * per_second))
        for frame, seconds in zip(film.frames, film.seconds, strict=True)
    )
    command += ["-f", "mp4", "-"]
    try:
        done = subprocess.run(
            command, input=frames, capture_output=True, timeout=FFMPEG_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ArenaError(
            f"ffmpeg took more than {FFMPEG_S} s for an .mp4: take fewer turns, .gif or .svg"
        ) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [
            f"code {done.returncode}"
        ]
        raise ArenaError(f"ffmpeg could not write an .mp4 ({reason[0]}): take .gif or .svg")
    return done.stdout


def _saved(picture: Image.Image, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def _picture(film: Film, frame: Iterable[Item], scale: float) -> Image.Image:
    """Return one frame."""
    size = (round(film.width * scale), round(film.height * scale))
    renderer: Any = RendererAgg(*size, 72)  # type: ignore[no-untyped-call]
    page = Affine2D.from_values(scale, 0, 0, -scale, 0, size[1])  # Agg's y grows upwards
    for item in (*film.still, *frame):
        a, b, c, d = (item.scale * each for each in FACING[item.facing])
        transform = Affine2D.from_values(a, b, c, d, item.x, item.y) + page
        for shape in item.shapes:
            _draw(renderer, shape, transform, item.scale * scale, film.dark)
    picture = Image.new("RGB", size, canvas.colours(film.dark)["paper"])
    drawn = Image.frombuffer("RGBA", size, bytes(renderer.buffer_rgba()), "raw", "RGBA", 0, 1)
    picture.paste(drawn, mask=drawn.getchannel("A"))
    return picture


def _draw(renderer: Any, shape: Shape, transform: Transform, scale: float, dark: bool) -> None:
    attributes = dict(shape.attributes)
    fill, stroke = (
        canvas.colour(str(attributes.get(name, "none")), dark) for name in ("fill", "stroke")
    )
    opacity = float(attributes.get("opacity", 1))
    graphics = renderer.new_gc()
    graphics.set_antialiased(True)
    graphics.set_snap(False)
    graphics.set_linewidth(0)
    if stroke != "none":
        graphics.set_linewidth(float(attributes.get("stroke-width", 1)) * scale)
        graphics.set_foreground((*to_rgb(stroke), opacity), isRGBA=True)
    graphics.set_capstyle("round")
    graphics.set_joinstyle("round")
    face = (
        None
        if fill == "none"
        else (*to_rgb(fill), opacity * float(attributes.get("fill-opacity", 1)))
    )
    renderer.draw_path(graphics, _outline(shape), transform, face)
    graphics.restore()


@lru_cache(5000)
def _outline(shape: Shape) -> Outline:
    """Return the outline of a shape."""
    attributes = dict(shape.attributes)
    number = {
        name: float(value) for name, value in attributes.items() if isinstance(value, int | float)
    }
    x, y = number.get("x", 0), number.get("y", 0)
    if shape.tag in {"circle", "ellipse"}:
        across, down = number.get("rx", number.get("r", 0)), number.get("ry", number.get("r", 0))
        ring = Affine2D().scale(across, down).translate(number.get("cx", 0), number.get("cy", 0))
        return ring.transform_path(Outline.unit_circle())
    if shape.tag == "rect":
        round_by = min(number.get("rx", 0), number["width"] / 2, number["height"] / 2)
        corners = (
            BoxStyle.Round(pad=0, rounding_size=round_by) if round_by else BoxStyle.Square(pad=0)
        )
        return corners(x, y, number["width"], number["height"], 1)
    if shape.tag == "path":
        return _path(str(attributes["d"]))
    words, size = str(attributes["words"]), number["font-size"]
    if not words.strip():
        return Outline([(0, 0)])
    family = [MONO] if "font-family" in attributes else list(letters.families(words))
    font = FontProperties(family=family, weight=str(attributes.get("font-weight", "normal")))
    # matplotlib places glyphs by whole points: at a hundred times the size nobody sees that.
    written = TextPath((0, 0), words, size=100, prop=font)
    if anchor := attributes.get("text-anchor"):
        box = written.get_extents()
        x -= (box.x1 + box.x0) * size / 100 / (2 if anchor == "middle" else 1)
    return Affine2D().scale(size / 100, -size / 100).translate(x, y).transform_path(written)


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
        points += [(float(next(words)), float(next(words))) for _ in range(POINTS[word])]
        codes += [int(CODES[word])] * POINTS[word]
    return Outline(points or [(0, 0)], codes or None)
