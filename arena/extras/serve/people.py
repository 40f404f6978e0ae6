"""The person of a request: the session, what it may see, and the proof that a form is ours.

A form is ours if it came from one of our own pages. The rule of who may see an event is
`Accounts.may_see`.
"""

import asyncio
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from arena.extras.serve.accounts import Account, Accounts
from arena.extras.serve.worker import MOST_OF_NETWORK, BusyError, Worker

Result = TypeVar("Result")

COOKIE = "arena_session"
CSRF_FIELD = "csrf"
MOST_FIELDS = 40


def accounts_of(request: HTTPConnection) -> Accounts:
    """Return the accounts of the workspace."""
    accounts: Accounts = request.app.state.accounts
    return accounts


def person(request: HTTPConnection) -> Account | None:
    """Return the account that has signed in; None for a reader."""
    cookie = cookie_of(request)
    if not cookie:
        return None
    return accounts_of(request).account_of(cookie)


def cookie_of(request: HTTPConnection) -> str:
    """Return the session that a browser sends; empty for none."""
    return request.cookies.get(_cookie_name(request), "")


def _cookie_name(request: HTTPConnection) -> str:
    """Return the name of the cookie; with TLS no other site of the same domain can set it."""
    settings = request.app.state.settings
    if settings.secure:
        return f"__Host-{COOKIE}"
    return COOKIE


def sees(request: HTTPConnection, event: str) -> bool:
    """Return whether the sender of a request may see an event."""
    may_see = accounts_of(request).may_see
    # To find the person takes a query, which each watcher of a live match would cost several times
    # a second, so an event that everybody may see is answered without it.
    return may_see(event, None) or may_see(event, person(request))


def signed_in(request: HTTPConnection, *, organiser: bool = False) -> Account:
    """Return the account that has signed in; raise 403 for a reader.

    Raise 403 for an author, too, if only an `organiser` may go on.
    """
    account = person(request)
    if account is None:
        raise HTTPException(403, "sign in first")
    if organiser and not account.is_organiser:
        raise HTTPException(403, "only an organiser may do that")
    return account


class Threads:
    """The server's threads for questions of an account about the bots, which read all their files.

    An account has one thread at a time, so that others get theirs, too.
    """

    def __init__(self) -> None:
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: Counter[str] = Counter()

    async def run(
        self,
        account: Account,
        function: Callable[..., Result],
        *values: object,
    ) -> Result:
        """Return the result of a function; raise BusyError if too many calls wait."""
        if self._waiting[account.id] >= MOST_OF_NETWORK:
            raise BusyError
        self._waiting[account.id] += 1
        try:
            async with self._turns[account.id]:
                return await asyncio.to_thread(function, *values)
        finally:
            self._waiting[account.id] -= 1


async def in_thread(
    request: HTTPConnection,
    account: Account,
    function: Callable[..., Result],
    *values: object,
) -> Result:
    """Return the result of a function for an account, called in a thread."""
    threads: Threads = request.app.state.threads
    result = await threads.run(account, function, *values)
    _refuse_ended(request, account)
    return result


async def in_worker(
    request: HTTPConnection,
    account: Account,
    function: Callable[..., Result],
    *values: object,
) -> Result:
    """Return the result of a function for an account, called in the process for single people."""
    worker: Worker = request.app.state.worker
    result = await worker.run(function, *values, asker=account.id)
    _refuse_ended(request, account)
    return result


def _refuse_ended(request: HTTPConnection, account: Account | None) -> None:
    """Raise 403 if the token of the account was rotated or revoked since the request began."""
    if person(request) != account:
        raise HTTPException(403, "this session has ended: sign in again")


def set_session(
    response: Response,
    request: HTTPConnection,
    cookie: str,
    seconds: int,
) -> None:
    """Give a browser its session for some seconds; 0 deletes it."""
    response.set_cookie(
        _cookie_name(request),
        cookie,
        max_age=seconds,
        path="/",
        secure=request.app.state.settings.secure,
        httponly=True,
        samesite="lax",
    )


def csrf(request: HTTPConnection) -> str:
    """Return the value of the field `csrf` that every form of a page has."""
    return csrf_of(cookie_of(request))


def csrf_of(cookie: str) -> str:
    """Return the secret in the forms of a session: a hash of its cookie, unknown to other sites."""
    return sha256(b"csrf " + cookie.encode()).hexdigest()


async def checked_form(request: Request, *, files: int = 0) -> FormData:
    """Return the fields of a form that one of our own pages sent; raise 403 for any other form."""
    account = person(request)
    content_type = request.headers.get("content-type", "")
    _, options = parse_options_header(content_type)
    # Python knows encodings that give half of a surrogate pair, or take seconds.
    charset = options.get(b"charset", b"utf-8")
    if charset.lower() not in (b"utf-8", b"utf8"):
        raise HTTPException(415, "expected a form in UTF-8")
    form = await request.form(max_files=files, max_fields=MOST_FIELDS)
    _refuse_ended(request, account)
    secret = form.get(CSRF_FIELD)
    expected = csrf(request).encode()
    if isinstance(secret, str) and hmac.compare_digest(secret.encode(), expected):
        return form
    raise HTTPException(403, "this form is too old, or came from another site: load the page again")
