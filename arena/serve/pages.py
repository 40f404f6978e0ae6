"""Answers: a page from its template, an answer that a browser may keep until it changes, an error in words."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from arena.protocol import clean
from arena.report import page
from arena.serve import guard, people
from arena.version import __version__

TEMPLATES = Path(__file__).parent / "html"
LINE = 1000  # characters of a line that somebody wrote
NO_CHANGE = HTTPStatus.NOT_MODIFIED


@cache
def environment() -> Environment:
    """Return the templates of this room and of the report."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(TEMPLATES), FileSystemLoader(page.PARTS)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"version": __version__, "clean": clean, "clean_lines": clean_lines, "asset": asset_path}
    return made


def clean_lines(text: str) -> str:
    """Return a text of several lines, which may be hostile, as clean lines."""
    return "\n".join(clean(line, LINE) for line in text.split("\n"))


def render(request: Request, template: str, status: int = 200, **values: object) -> Response:
    """Return a page for whoever asks."""
    own = {"person": people.person(request), "csrf": people.csrf(request), "path": request.url.path}
    text = environment().get_template(template).render(**own, **values)
    return fresh(request, text.encode(), status=status)


def fresh(request: Request, content: bytes, media_type: str = "text/html", *, status: int = 200) -> Response:
    """Return an answer that a browser keeps, and asks about again each time: 304 while it is the same."""
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"etag": etag, "cache-control": "private, no-cache"}
    if status == HTTPStatus.OK and etag in request.headers.get("if-none-match", ""):
        return Response(status_code=NO_CHANGE, headers=headers)
    return Response(content, status, headers, media_type)


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each script and style, by its name."""
    styles = [*sorted(page.PARTS.glob("*.css")), *sorted(TEMPLATES.glob("*.css"))]
    css = "\n".join(path.read_text("utf-8") for path in styles)
    return {"arena.css": (css.encode(), "text/css")}


def asset_path(name: str) -> str:
    """Return the address of a script or of the styles, which is another one when it changes."""
    return f"/static/{sha256(_assets()[name][0]).hexdigest()[:12]}/{name}"


async def asset(request: Request) -> Response:
    """Return a script or the styles, which a browser may keep for good."""
    found = _assets().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    content, media_type = found
    return Response(content, 200, {"cache-control": "public, max-age=31536000, immutable"}, media_type)


def error_page(request: Request, error: Exception) -> Response:
    """Return a page that says in words why there is no other; it names no file and no line of ours."""
    status, words = 500, "Something failed here. The organiser can read what in the terminal of the server."
    headers: Any = None
    if isinstance(error, HTTPException):
        status, headers = error.status_code, error.headers
        words = "There is no such page." if status == HTTPStatus.NOT_FOUND else clean(error.detail)
    response = render(request, "error.html.j2", status, title=f"{status} {HTTPStatus(status).phrase}", words=words)
    response.headers.update(guard.HEADERS | (headers or {}))  # what nobody expected does not come by the guard again
    return response


def gone(_request: Request, _error: Exception) -> Response:
    """Answer nobody: the client has gone before its form was complete."""
    return Response(status_code=400)


Handlers = dict[Any, Callable[[Request, Exception], Response]]
ERRORS: Handlers = {HTTPException: error_page, ClientDisconnect: gone, 500: error_page}
