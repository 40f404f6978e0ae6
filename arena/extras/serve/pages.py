"""Make answers: a page from its template, an answer that a browser may keep, an error in words."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
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
"""The scripts of the report that do not run here: other scripts know links and data of the site."""
OWN_SCRIPTS = ("route", "live", "wall", "site", "play")
"""The scripts of the site, in the order in which they run; the report's follow the first."""


def render(
    request: Request,
    template: str,
    status: int = 200,
    *,
    mistake: str = "",
    **values: object,
) -> Response:
    """Return a page for the person of a request, with the mistake in their form, if any."""
    person = people.person(request)
    accounts = people.accounts_of(request)
    site_name = accounts.setting("name", "")
    text = templates.render(
        template,
        person=person,
        csrf=people.csrf(request),
        site_name=clean(site_name),
        asset=asset_path,
        mistake=mistake,
        **values,
    )
    if mistake and status == HTTPStatus.OK:
        status = HTTPStatus.BAD_REQUEST
    response = fresh(request, text.encode(), status=status)
    if person is not None:
        # Otherwise the back button would show the page after the session has ended.
        response.headers["cache-control"] = "no-store"
    return response


def fresh(
    request: Request,
    content: bytes,
    media_type: str = "text/html",
    *,
    status: int = 200,
) -> Response:
    """Return an answer that a browser keeps, and asks about each time: 304 while it is the same."""
    digest = sha256(content).hexdigest()
    etag = f'"{digest[:32]}"'
    headers = {"etag": etag, "cache-control": "private, no-cache"}
    known = request.headers.get("if-none-match", "")
    if status == HTTPStatus.OK and etag in known:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, status, headers, media_type)


def download(content: bytes | str, name: str, media_type: str) -> Response:
    """Return an answer that a browser stores as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media_type)


def with_view(page: Response) -> Response:
    """Let a page show a game's own view; the frame of a view has our script and starts a worker."""
    allowed = f"script-src 'self' {viewer.ALLOWED}"
    policy = guard.POLICY.replace("script-src 'self'", allowed)
    page.headers["content-security-policy"] = f"{policy}; {viewer.WORKERS}"
    return page


def quoted(*parts: str) -> str:
    """Return the address of a page."""
    address = ""
    for part in parts:
        address += f"/{quote(part, safe='')}"
    return address


def query(values: Mapping[str, object]) -> str:
    """Return the part of an address behind the question mark."""
    stated = {name: value for name, value in values.items() if value}
    return urlencode(stated)


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each script and style, by its name."""
    styles = sorted(page.PARTS.glob("*.css"))
    styles += sorted(templates.HTML.glob("*.css"))
    own_scripts = [templates.HTML / f"{name}.js" for name in OWN_SCRIPTS]
    scripts = own_scripts[:1]
    for path in sorted(page.PARTS.glob("[!_]*.js")):
        if path.stem not in FOREIGN_SCRIPTS:
            scripts.append(path)
    scripts += own_scripts[1:]
    return {
        "arena.css": (_joined(styles), "text/css"),
        "arena.js": (_joined(scripts), "text/javascript"),
    }


def _joined(files: Sequence[Path]) -> bytes:
    """Return the text of several files as one file."""
    texts = [file.read_text("utf-8") for file in files]
    return "\n".join(texts).encode()


def asset_path(name: str) -> str:
    """Return the address of a script or of the styles, which is another one when it changes."""
    content, _ = _assets()[name]
    digest = sha256(content).hexdigest()
    return f"/static/{digest[:12]}/{name}"


async def asset(request: Request) -> Response:
    """Return a script or the styles, which a browser may keep for good."""
    name = request.path_params["name"]
    if name not in _assets():
        raise HTTPException(404)
    content, media_type = _assets()[name]
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(content, 200, headers, media_type)


def error_page(request: Request, error: Exception) -> Response:
    """Return a page that says why there is no other; it names no file and no line of arena."""
    status = 500
    message = "Something failed here. The organiser can read what in the terminal of the server."
    headers: Any = None
    if isinstance(error, HTTPException):
        status = error.status_code
        headers = error.headers
        if status == HTTPStatus.NOT_FOUND:
            message = "There is no such page."
        else:
            message = clean(error.detail)
    elif isinstance(error, BusyError):
        status = 429
        message = "Too many pages are asked for at once: wait a moment."
        headers = {"retry-after": "5"}
    elif isinstance(error, JobError):
        status = 404
        message = "This cannot be read now. The organiser can read why in the server's terminal."
    elif isinstance(error, ArenaError):
        # The mistake is in tournament.toml.
        logging.warning("a page could not be made: %s", error)
        status = 503
        message = "The organiser is changing the event: try again in a minute."
    title = f"{status} {HTTPStatus(status).phrase}"
    response = render(request, "error.html.j2", status, title=title, words=message)
    # The answer to an unexpected error does not pass through the guard, which adds these headers.
    response.headers.update(guard.HEADERS)
    response.headers.update(headers or {})
    return response


def disconnected(_request: Request, _error: Exception) -> Response:
    """Return 400: the client disconnected before its form was complete."""
    return Response(status_code=400)


ERRORS: dict[Any, Callable[[Request, Exception], Response]] = {
    ClientDisconnect: disconnected,
    HTTPException: error_page,
    BusyError: error_page,
    JobError: error_page,
    ArenaError: error_page,
    500: error_page,
}
