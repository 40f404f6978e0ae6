"""The one file: template, styles, scripts, pictures and data, under a policy that allows nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from arena import __version__, charts, shared_folders
from arena.protocol import clean
from arena.report.chunks import safe_json
from arena.report.leaderboard import LeaderboardTable, PlacingsTable
from arena.results.machines import Machines

PARTS = Path(__file__).parent / "html"
LONGEST_LINE = 1000  # characters of a line of the notice, or of a letter
LARGEST_SVG_BYTES = 400_000
"""Of a larger drawing the page shows the PNG."""


@dataclass(frozen=True)
class Picture:
    """A chart inside the file."""

    name: str
    caption: str
    """One sentence that says what the chart shows."""
    source: str
    """A `data:` address."""


@dataclass(frozen=True)
class Page:
    """The part of the page that does not depend on the number of replays."""

    title: str
    leaderboard: LeaderboardTable
    charts: tuple[Path, ...]
    places: PlacingsTable | None = None
    machines: Machines | None = None
    """The machines of a cluster; None where no cluster played, or where the reader shall not see them."""
    notice: str = ""
    """What the reader should know before all else, in paragraphs."""

    def text(self, data: object, chunks: Sequence[str]) -> str:
        """Return the whole file."""
        return self._template.render(
            title=clean(self.title),
            version=__version__,
            policy=self._policy,
            styles=[Markup(style) for style in self._styles],  # noqa: S704  our own files
            scripts=[Markup(script) for script in self._scripts],  # noqa: S704  our own files
            table=self.leaderboard,
            places=self.places,
            machines=self.machines,
            notice=[
                [clean(line, LONGEST_LINE) for line in part.split("\n")] for part in self.notice.split("\n\n") if part
            ],
            clean=clean,
            pictures=self._pictures,
            data=Markup(safe_json(data)),  # noqa: S704  no tag is left in it
            chunks=chunks,
        )

    @cached_property
    def _policy(self) -> str:
        """Allow the scripts and styles of this file by their hashes, and pictures inside it; nothing else."""
        scripts, styles = (" ".join(map(_hash, texts)) for texts in (self._scripts, self._styles))
        return (
            f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:;"
            " base-uri 'none'; form-action 'none'"
        )

    @cached_property
    def _scripts(self) -> tuple[str, ...]:
        """The scripts in order of name; the one that starts the page is last."""
        return _texts(sorted(PARTS.glob("*.js"), key=lambda path: (path.stem == "start", path.name)))

    @cached_property
    def _styles(self) -> tuple[str, ...]:
        return _texts(sorted(PARTS.glob("*.css")))

    @cached_property
    def _pictures(self) -> tuple[Picture, ...]:
        drawings = (path for path in self.charts if path.suffix == ".svg")
        return tuple(map(_picture, sorted(drawings, key=lambda path: (path.stem != "leaderboard", path.stem))))

    @cached_property
    def _template(self) -> Template:
        environment = Environment(
            loader=FileSystemLoader(PARTS),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        return environment.get_template("page.html.j2")


def _texts(paths: Sequence[Path]) -> tuple[str, ...]:
    return tuple(path.read_text("utf-8") for path in paths)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def _picture(path: Path) -> Picture:
    pixels = path.with_suffix(".png")
    # Not through a link: a stranger could put one there, and read in the report what only the organiser may read.
    kind, content = "image/svg+xml", shared_folders.read(path)
    if len(content) > LARGEST_SVG_BYTES and pixels.is_file():
        kind, content = "image/png", shared_folders.read(pixels)
    caption = charts.caption(path.stem) if path.stem in charts.names() else path.stem
    return Picture(path.stem, caption, f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}")
