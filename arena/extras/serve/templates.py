"""The templates of the site and of the report, as one environment."""

from pathlib import Path

from arena.protocol import clean, clean_lines
from arena.report import page

HTML = Path(__file__).parent / "html"
TEMPLATES = page.templates(HTML)
TEMPLATES.globals["clean_lines"] = clean_lines
TEMPLATES.filters["clean"] = clean


def seconds(moment: str) -> str:
    """Return a stored moment to the second."""
    return moment[:19].replace("T", " ")


TEMPLATES.filters["seconds"] = seconds


def render(template: str, **values: object) -> str:
    """Return the text of a template."""
    return TEMPLATES.get_template(template).render(**values)
