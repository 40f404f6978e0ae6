"""Who sends a request: the person of its session, what that person may see, and the proof that a form is ours.

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
    """Return who has signed in; None for a reader."""
    cookie = cookie_of(request)
    return accounts_of(request).account_of(cookie) if cookie else None


def cookie_of(request: HTTPConnection) -> str:
    """Return the session that a browser sends; empty for none."""
    return request.cookies.get(_cookie_name(request), "")


def _cookie_name(request: HTTPConnection) -> str:
    """Return the name of the cookie; with TLS it is one that no other site of the same domain can set."""
    return f"__Host-{COOKIE}" if request.app.state.settings.secure else COOKIE


def sees(request: HTTPConnection, event: str) -> bool:
    """Return whether whoever asks may see an event."""
    may_see = accounts_of(request).may_see
    # Who asks is a look into the accounts, which each watcher of a live match would cost several
    # times a second.
    return may_see(event, None) or may_see(event, person(request))


def signed_in(request: HTTPConnection, *, organiser: bool = False) -> Account:
    """Return who has signed in; a reader gets 403, and so does an author where only an organiser may go on."""
    account = person(request)
    if account is None:
        raise HTTPException(403, "sign in first")
    if organiser and not account.is_organiser:
        raise HTTPException(403, "only an organiser may do that")
    return account


class Threads:
    """The server's threads for what one account asks about the bots, all of whose files are read for that.

    An account has one of them at a time, so that others get theirs, too.
    """

    def __init__(self) -> None:
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: Counter[str] = Counter()

    async def run(
        self, account: Account, function: Callable[..., Result], *values: object
    ) -> Result:
        """Return what a function makes of these values; BusyError if too much of the account waits already."""
        if self._waiting[account.id] >= MOST_OF_NETWORK:
            raise BusyError
        self._waiting[account.id] += 1
        try:
            async with self._turns[account.id]:
                return await asyncio.to_thread(function, *values)
        finally:
            self._waiting[account.id] -= 1


async def in_thread(
    request: HTTPConnection, account: Account, function: Callable[..., Result], *values: object
) -> Result:
    """Return what a function makes of these values for an account, in a thread."""
    threads: Threads = request.app.state.threads
    result = await threads.run(account, function, *values)
    _refuse_ended(request, account)
    return result


async def in_worker(
    request: HTTPConnection, account: Account, function: Callable[..., Result], *values: object
) -> Result:
    """Return what a function makes of these values for an account, in the process for what one person asks."""
    worker: Worker = request.app.state.worker
    result = await worker.run(function, *values, asker=account.id)
    _refuse_ended(request, account)
    return result


def _refuse_ended(request: HTTPConnection, account: Account) -> None:
    """Raise a refusal if the token was rotated or revoked while the server worked for the account."""
    if person(request) != account:
        raise HTTPException(403, "this session has ended: sign in again")


def set_session(response: Response, request: HTTPConnection, cookie: str, seconds: int) -> None:
    """Give a browser its session; 0 `seconds` take it away."""
    secure = request.app.state.settings.secure
    name = _cookie_name(request)
    response.set_cookie(
        name, cookie, max_age=seconds, path="/", secure=secure, httponly=True, samesite="lax"
    )


def csrf(request: HTTPConnection) -> str:
    """Return what every form of a page has as `csrf`."""
    return csrf_of(cookie_of(request))


def csrf_of(cookie: str) -> str:
    """Return the secret of the forms of a session: a hash of its cookie, which no other site can read."""
    return sha256(b"csrf " + cookie.encode()).hexdigest()


async def checked_form(request: Request, *, files: int = 0) -> FormData:
    """Return the fields of a form that one of our own pages sent; 403 for any other."""
    account = person(request)
    _, options = parse_options_header(request.headers.get("content-type", ""))
    # Python knows encodings that give half of a surrogate pair, or take seconds.
    if options.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise HTTPException(415, "expected a form in UTF-8")
    form = await request.form(max_files=files, max_fields=MOST_FIELDS)
    if person(request) != account:  # the token was rotated or revoked, while the form came in
        raise HTTPException(403, "this session has ended: sign in again")
    secret = form.get(CSRF_FIELD)
    if not isinstance(secret, str) or not hmac.compare_digest(
        secret.encode(), csrf(request).encode()
    ):
        raise HTTPException(
            403, "this form is too old, or came from another site: load the page again"
        )
    return form
