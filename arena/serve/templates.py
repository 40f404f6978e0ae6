"""The templates of this room and of the report, as one environment."""

from functools import cache
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined

from arena.protocol import clean, clean_lines
from arena.report import page
from arena.version import __version__

HTML = Path(__file__).parent / "html"


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
    made.filters["seconds"] = lambda moment: moment[:19].replace("T", " ")  # a stored one, to the second
    return made


def render(template: str, **values: object) -> str:
    """Return the text of a template."""
    return environment().get_template(template).render(**values)
