"""Who sends a request: the person of its session, and the proof that a form came from one of our own pages."""

import hmac
from collections.abc import Callable
from hashlib import sha256

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from arena.serve.accounts import Account as Person

COOKIE = "arena_session"
CSRF_FIELD = "csrf"
MOST_FIELDS = 40


PersonOf = Callable[[str], Person | None]
"""Returns the person of a session by the value of its cookie; None for an unknown, ended or revoked session."""


MaySee = Callable[[str, Person | None], bool]
"""Whether the results of an event are shown to a person, or to a reader who has not signed in."""


def sees(request: HTTPConnection, event: str) -> bool:
    """Return whether whoever asks may see an event."""
    may_see: MaySee = request.app.state.may_see
    # Who asks is a look into the accounts, which each watcher of a live match would cost several times a second.
    return may_see(event, None) or may_see(event, person(request))


def person(request: HTTPConnection) -> Person | None:
    """Return who has signed in; None for a reader."""
    if not hasattr(request.state, "person"):
        cookie = request.cookies.get(COOKIE, "")
        person_of: PersonOf = request.app.state.person_of
        request.state.person = person_of(cookie) if cookie else None
    found: Person | None = request.state.person
    return found


def forget(request: HTTPConnection) -> None:
    """Look again who has signed in, since a session may end while its answer is still sent."""
    if hasattr(request.state, "person"):
        del request.state.person


def signed_in(request: HTTPConnection, *, organiser: bool = False) -> Person:
    """Return who has signed in; a reader gets 403, and so does an author where only an organiser may go on."""
    found = person(request)
    if found is None:
        raise HTTPException(403, "sign in first")
    if organiser and not found.is_organiser:
        raise HTTPException(403, "only an organiser may do that")
    return found


def set_session(response: Response, request: HTTPConnection, cookie: str, seconds: int) -> None:
    """Give a browser its session; an empty `cookie` takes it away."""
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=seconds if cookie else 0,
        path="/",
        secure=request.app.state.settings.secure,
        httponly=True,
        samesite="lax",
    )


def csrf(request: HTTPConnection) -> str:
    """Return what every form of a page has as `csrf`."""
    return csrf_of(request.cookies.get(COOKIE, ""))


def csrf_of(cookie: str) -> str:
    """Return the secret of the forms of a session: a hash of its cookie, which no other site can read."""
    return sha256(b"csrf " + cookie.encode()).hexdigest()


async def checked_form(request: Request, *, files: int = 0) -> FormData:
    """Return the fields of a form that one of our own pages sent; 403 for any other."""
    form = await request.form(max_files=files, max_fields=MOST_FIELDS)
    given = form.get(CSRF_FIELD)
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), csrf(request).encode()):
        raise HTTPException(403, "this form is too old, or came from another site: load the page again")
    return form
