"""The one file: template, styles, scripts, pictures, data, and a policy that allows only these."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from arena import shared_folders
from arena.protocol import clean
from arena.report import viewer
from arena.report.replays import safe_json
from arena.version import __version__

PARTS = Path(__file__).parent / "html"
LONGEST_LINE = 1000  # characters of a line of the notice, or of a letter
BOT_PATH = "#bot="
"""What a link to a bot begins with."""
LARGEST_SVG_BYTES = 400_000
"""In place of a larger drawing the page shows the PNG."""
NOTEBOOK_SCRIPTS = (
    "board",
    "chances",
    "chunks",
    "commands",
    "data",
    "dom",
    "looks",
    "match",
    "playback",
    "replay",
    "route",
    "scene",
    "viewer",
    "words",
    "_notebook",
)
"""The scripts of a page of one match; the one that starts it is last."""


def templates(*folders: Path) -> Environment:
    """Return the templates of the report and of other folders.

    They escape each text, because anybody may have written it.
    """
    environment = Environment(
        loader=FileSystemLoader([*folders, PARTS]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"version": __version__, "clean": clean}
    return environment


TEMPLATES = templates()


def pieces(
    data: Iterable[str],
    chunks: Iterable[str],
    *,
    has_viewer: bool,
    title: str,
    notice: str,
    preview: str,
    pictures: Sequence[Mapping[str, object]],
    **tables: object,
) -> Iterator[str]:
    """Yield the whole file, a piece at a time, since a page of many matches is large.

    `data` are the pieces of the JSON that the scripts read, as `safe_json` writes it; `has_viewer`
    says that a game in it has a view of its own. `notice` is what the reader should know before all
    else, in paragraphs; `preview` is what a link to the page says of it, beside card.png;
    `pictures` are those of the charts, and `tables` the other names of the template.
    """

    def start_last(script: Path) -> tuple[bool, str]:
        is_last = script.stem == "start"  # the script that starts the page
        return is_last, script.name

    scripts = list(PARTS.glob("[!_]*.js"))
    scripts.sort(key=start_last)
    styles = sorted(PARTS.glob("*.css"))
    paragraphs = []
    for paragraph in notice.split("\n\n"):
        if paragraph:
            lines = paragraph.split("\n")
            paragraphs.append([clean(line, LONGEST_LINE) for line in lines])
    return _rendered(
        TEMPLATES.get_template("page.html.j2"),
        title,
        scripts,
        styles,
        has_viewer,
        **tables,
        data=map(Markup, data),
        notice=paragraphs,
        preview=preview,
        bot_path=BOT_PATH,
        pictures=pictures,
        chunks=chunks,
    )


def pictures_of(drawn: Iterable[Path]) -> list[dict[str, object]]:
    """Return the pictures of the page, by the files of the charts: the leaderboard comes first."""

    def leaderboard_first(path: Path) -> tuple[bool, str]:
        return path.stem != "leaderboard", path.stem

    drawings = [path for path in drawn if path.suffix == ".svg"]
    drawings.sort(key=leaderboard_first)
    return [_picture(path) for path in drawings]


def plain_text(template: Template, title: str, **values: object) -> str:
    """Return a page without scripts, by a template of `templates`.

    It has the styles of the report's tables.
    """
    names = ("1_tokens", "2_page", "3_tables")
    styles = [PARTS / f"{name}.css" for name in names]
    rendered = _rendered(
        template,
        title,
        (),
        styles,
        False,
        **values,
    )
    return "".join(rendered)


def match_text(values: Mapping[str, Any], title: str) -> str:
    """Return a page of one match, for a frame in a notebook."""
    data = Markup(safe_json(values))  # noqa: S704  no tag is left in it
    scripts = [PARTS / f"{name}.js" for name in NOTEBOOK_SCRIPTS]
    styles = sorted(PARTS.glob("*.css"))
    rendered = _rendered(
        TEMPLATES.get_template("_notebook.html.j2"),
        title,
        scripts,
        styles,
        shows_viewer(values),
        data=[data],
    )
    return "".join(rendered)


def shows_viewer(data: Mapping[str, Any]) -> bool:
    """Say whether a game in the data of a page has a view of its own."""
    return any("viewer" in board for board in data["boards"])


def _rendered(
    template: Template,
    title: str,
    scripts: Sequence[Path],
    styles: Sequence[Path],
    has_viewer: bool,
    /,
    **values: object,
) -> Iterator[str]:
    """Yield the pieces of a page.

    Its policy allows the scripts and styles by their hashes, pictures inside the page, and the
    frames of games' own views where it has some.
    """
    script_texts = [path.read_text("utf-8") for path in scripts]
    style_texts = [path.read_text("utf-8") for path in styles]
    script_sources = _hashes(script_texts)
    workers = ""
    if has_viewer:
        script_sources += f" {viewer.ALLOWED}"
        workers = f"; {viewer.WORKERS}"
    policy = (
        f"default-src 'none'; script-src {script_sources}; style-src {_hashes(style_texts)}; "
        f"img-src data:; base-uri 'none'; form-action 'none'{workers}"
    )
    return template.generate(
        title=clean(title),
        policy=policy,
        scripts=list(map(Markup, script_texts)),  # our own files, as the styles are
        styles=list(map(Markup, style_texts)),
        **values,
    )


def _hashes(texts: Sequence[str]) -> str:
    """Return the sources of a policy that allow exactly these texts."""
    sources = []
    for text in texts:
        digest = hashlib.sha256(text.encode()).digest()
        encoded = base64.b64encode(digest).decode("ascii")
        sources.append(f"'sha256-{encoded}'")
    if not sources:
        return "'none'"
    return " ".join(sources)


def _picture(path: Path) -> dict[str, object]:
    """Return a chart inside the file: its caption, a `data:` address, and its width in pixels."""
    from arena import charts  # it is slow to import, and the site has pages without charts

    # Not through a link: a stranger could put one there, and read in the report what only the
    # organiser may read.
    kind = "image/svg+xml"
    content = shared_folders.read(path)
    # All charts have letters of one size, so the page keeps their widths.
    width = 700
    points = re.search(rb'<svg[^>]* width="([0-9.]+)pt"', content[:LARGEST_SVG_BYTES])
    if points is not None:
        width = round(float(points[1]) * 96 / 72)
    pixels = path.with_suffix(".png")
    if len(content) > LARGEST_SVG_BYTES and pixels.is_file():
        kind = "image/png"
        content = shared_folders.read(pixels)

    caption = path.stem
    if path.stem in charts.names():
        caption = charts.caption(path.stem)
    encoded = base64.b64encode(content).decode("ascii")
    return {
        "caption": caption,
        "source": f"data:{kind};base64,{encoded}",
        "width": width,
    }
