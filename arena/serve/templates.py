"""The templates of this room and of the report, as one environment."""

from functools import cache
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined

from arena.protocol import clean
from arena.report import page
from arena.version import __version__

HTML = Path(__file__).parent / "html"
LINE = 1000  # characters of a line that somebody wrote


def clean_lines(text: str) -> str:
    """Return a text of several lines, which may be hostile, as clean lines."""
    return "\n".join(clean(line, LINE) for line in text.split("\n"))


@cache
def environment() -> Environment:
    """Return the templates; a text that somebody else wrote is escaped by each of them."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(HTML), FileSystemLoader(page.PARTS)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"version": __version__, "clean": clean, "clean_lines": clean_lines}
    made.filters["clean"] = clean
    return made


def render(template: str, **values: object) -> str:
    """Return the text of a template."""
    return environment().get_template(template).render(**values)
