"""Answers: a page from its template, an answer that a browser may keep until it changes, an error in words."""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.extras.serve import guard, people, templates
from arena.extras.serve.worker import BusyError, JobError
from arena.protocol import clean
from arena.report import page, viewer

FOREIGN_SCRIPTS = {"route", "start", "chunks", "crosstable"}
"""The report's scripts that do not run here: where links lead and where data come from is said by our own."""


def render(
    request: Request, template: str, status: int = 200, *, mistake: str = "", **values: object
) -> Response:
    """Return a page for whoever asks, with the mistake of their form if there was one."""
    who = {"person": people.person(request), "csrf": people.csrf(request)}
    who["site_name"] = clean(people.accounts_of(request).setting("name", ""))
    text = templates.render(template, **who, asset=asset_path, mistake=mistake, **values)
    response = fresh(
        request, text.encode(), status=400 if mistake and status == HTTPStatus.OK else status
    )
    if who["person"] is not None:  # else the back button shows it after the session has ended
        response.headers["cache-control"] = "no-store"
    return response


def fresh(
    request: Request, content: bytes, media_type: str = "text/html", *, status: int = 200
) -> Response:
    """Return an answer that a browser keeps, and asks about again each time: 304 while it is the same."""
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"etag": etag, "cache-control": "private, no-cache"}
    if status == HTTPStatus.OK and etag in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, status, headers, media_type)


def download(content: bytes | str, name: str, media_type: str) -> Response:
    """Return an answer that a browser stores as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media_type)


def with_view(page: Response) -> Response:
    """Return a page that may show a game's own view, whose frame has a script of ours and starts a worker."""
    page.headers["content-security-policy"] = f"{guard.POLICY}; {viewer.WORKERS}".replace(
        "script-src 'self'", f"script-src 'self' {viewer.ALLOWED}"
    )
    return page


def quoted(*parts: str) -> str:
    """Return the address of a page."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def query(values: Mapping[str, object]) -> str:
    """Return the part of an address behind the question mark."""
    return urlencode({name: value for name, value in values.items() if value})


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each script and style, by its name."""
    styles = [*sorted(page.PARTS.glob("*.css")), *sorted(templates.HTML.glob("*.css"))]
    shared = [
        path for path in sorted(page.PARTS.glob("[!_]*.js")) if path.stem not in FOREIGN_SCRIPTS
    ]
    scripts = [templates.HTML / f"{name}.js" for name in ("route", "live", "wall", "site", "play")]
    scripts[1:1] = shared
    css, js = ("\n".join(path.read_text("utf-8") for path in paths) for paths in (styles, scripts))
    return {"arena.css": (css.encode(), "text/css"), "arena.js": (js.encode(), "text/javascript")}


def asset_path(name: str) -> str:
    """Return the address of a script or of the styles, which is another one when it changes."""
    return f"/static/{sha256(_assets()[name][0]).hexdigest()[:12]}/{name}"


async def asset(request: Request) -> Response:
    """Return a script or the styles, which a browser may keep for good."""
    if (name := request.path_params["name"]) not in _assets():
        raise HTTPException(404)
    content, media_type = _assets()[name]
    return Response(
        content, 200, {"cache-control": "public, max-age=31536000, immutable"}, media_type
    )


def error_page(request: Request, error: Exception) -> Response:
    """Return a page that says in words why there is no other; it names no file and no line of ours."""
    status, words = (
        500,
        "Something failed here. The organiser can read what in the terminal of the server.",
    )
    headers: Any = None
    if isinstance(error, HTTPException):
        status, headers = error.status_code, error.headers
        words = "There is no such page." if status == HTTPStatus.NOT_FOUND else clean(error.detail)
    elif isinstance(error, BusyError):
        status, words, headers = (
            429,
            "Too many pages are asked for at once: wait a moment.",
            {"retry-after": "5"},
        )
    elif isinstance(error, JobError):
        status, words = (
            404,
            "This cannot be read now. The organiser can read why in the server's terminal.",
        )
    elif isinstance(error, ArenaError):  # of tournament.toml
        logging.warning("a page could not be made: %s", error)
        status, words = 503, "The organiser is changing the event: try again in a minute."
    response = render(
        request, "error.html.j2", status, title=f"{status} {HTTPStatus(status).phrase}", words=words
    )
    response.headers.update(
        guard.HEADERS | (headers or {})
    )  # what nobody expected does not come by the guard again
    return response


def gone(_request: Request, _error: Exception) -> Response:
    """Answer nobody: the client has gone before its form was complete."""
    return Response(status_code=400)


ERRORS: dict[Any, Callable[[Request, Exception], Response]] = {
    **dict.fromkeys((HTTPException, BusyError, JobError, ArenaError, 500), error_page),
    ClientDisconnect: gone,
}
