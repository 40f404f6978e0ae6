"""The checks that every request must pass before it is read, and the headers of every answer.

It knows addresses, headers and sizes. A request names a host that is ours, its address sends few
requests at a time, and its body is small, soon complete, and of our own origin. An answer has a
policy by which a page loads our own files only. It knows no page and no account: who may see an
event is decided in accounts.py.
"""

import asyncio
import ipaddress
import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.extras.serve.worker import NETWORK

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With `no-referrer` a browser would write the origin of our own forms as null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
ADDRESS_BYTES = 2000
"""The most bytes of a path, and of a query."""
ADDRESSES = 10_000
"""The addresses whose requests are counted; the one that was silent longest is forgotten."""
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the server may be reached, and how much of it one address may use."""

    names: tuple[str, ...] = ()
    """Names of this host in addresses, besides localhost and numbers."""
    secure: bool = False
    """True when readers come by TLS: cookies are sent by it only."""
    reads_per_s: float = 200.0
    """A whole class may share one address, and each open page asks every few seconds."""
    writes_per_s: float = 20.0
    """Each move of a person who plays is one."""
    body_bytes: int = 64_000
    body_s: float = 30.0
    """A body has arrived by then."""
    watchers: int = 300
    """Open connections to live matches."""
    watchers_of_network: int = 100
    """Those of them from one address, which a class may share."""


class Rate:
    """The requests that each address has left: a bucket that `per_s` fills, for three seconds."""

    def __init__(self, per_s: float) -> None:
        self._per_s = per_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Count a request; return whether it is within the rate."""
        now = time.monotonic()
        full = 3 * self._per_s
        requests_left, then = self._left.pop(address, (full, now))
        given_back = (now - then) * self._per_s
        requests_left = min(full, requests_left + given_back)
        is_within = requests_left >= 1
        if is_within:
            requests_left -= 1
        self._left[address] = (requests_left, now)
        if len(self._left) > ADDRESSES:
            self._left.popitem(last=False)
        return is_within


class Guard:
    """Refuses requests that no page should see, and adds the headers of every answer."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        larger_bodies: Mapping[str, int],
    ) -> None:
        """Make a guard; `larger_bodies` are the most bytes of a body, by the start of its path."""
        self._app = app
        self._settings = settings
        self._larger_bodies = larger_bodies
        self._names = {"localhost"}
        self._names.update(map(str.lower, settings.names))
        self._reads = Rate(settings.reads_per_s)
        self._writes = Rate(settings.writes_per_s)

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        NETWORK.set(network_of(scope))
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is not None:
                await receive()  # the request to connect
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return

        has_begun = False

        async def with_headers(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
                if self._settings.secure:
                    headers.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        if refusal is not None:
            status, message_text = refusal
            extra = {"connection": "close"}
            if status == 429:
                extra = {"retry-after": "2"}
            answer = PlainTextResponse(f"{message_text}\n", status, extra)
            await answer(scope, receive, with_headers)
            return
        bounded = self._bounded(scope, receive)
        try:
            await self._app(scope, bounded, with_headers)
        except asyncio.CancelledError:  # the server ends, and has waited for this page long enough
            if not has_begun:
                answer = PlainTextResponse("the server ends: ask again soon\n", 503)
                await answer(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the words for a request that is refused; None if it may pass."""
        path = scope.get("raw_path") or b""
        query = scope["query_string"]
        if len(path) > ADDRESS_BYTES or len(query) > ADDRESS_BYTES:
            return 414, "this address is too long"

        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            message_text = "this server has another name; its organiser can name it"
            return 400, f"{message_text}: arena serve --name NAME"
        host = hosts[0]

        is_websocket = scope["type"] == "websocket"
        writes = is_websocket or scope["method"] not in {"GET", "HEAD"}
        rate = self._reads
        if writes:
            rate = self._writes
        if not rate.take(network_of(scope)):
            return 429, "too many requests from your network: wait a moment"
        if not is_websocket and scope["method"] not in {"GET", "HEAD", "POST"}:
            return 405, "expected GET, HEAD or POST"
        if writes and not self._is_from_our_page(headers, host):
            return 403, "another site sent this"

        length = headers.get("content-length", "0")
        is_number = length.isascii() and length.isdigit() and len(length) < 16
        if not is_number:
            return 400, "content-length is no number"
        if int(length) > self._most(scope):
            return 413, "this is too large"
        return None

    def _is_from_our_page(self, headers: Headers, host: str) -> bool:
        """Return whether a request comes from our page, or from a program and no page."""
        scheme = "http"
        if self._settings.secure:
            scheme = "https"
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"{scheme}://{host.lower()}":
            return False
        site = headers.get("sec-fetch-site", "none")
        return site in {"same-origin", "none"}

    def _is_ours(self, host: str) -> bool:
        """Return whether a name is ours: another site can lead its own name here, but no number."""
        host_match = HOST.fullmatch(host)
        if host_match is None:
            return False
        name = host_match[1].lower().removesuffix(".")
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _most(self, scope: Scope) -> int:
        """Return the most bytes of a body that a request may have."""
        for start, size in self._larger_bodies.items():
            if scope["path"].startswith(start):
                return size
        return self._settings.body_bytes

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that limits the size of a body, and the time until it has arrived."""
        most = self._most(scope)
        until = time.monotonic() + self._settings.body_s
        is_complete = False

        async def bounded() -> Message:
            nonlocal most, is_complete
            if is_complete:  # the next message says that the client has gone, and has no deadline
                return await receive()
            seconds_left = max(0.0, until - time.monotonic())
            try:
                message = await asyncio.wait_for(receive(), seconds_left)
            except TimeoutError as error:
                raise HTTPException(408, "this took too long to arrive") from error
            if message["type"] == "http.request":
                body = message.get("body", b"")
                most -= len(body)
                is_complete = not message.get("more_body", False)
                if most < 0:
                    raise HTTPException(413, "this is too large")
            return message

        return bounded


def network(client: str) -> str:
    """Return the address of a client; of an IPv6 address only the 64 bits of a household."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv4Address):
        return client
    if address.ipv4_mapped is not None:
        # A proxy may write IPv4 as IPv6, which all has the same 64 bits.
        return str(address.ipv4_mapped)
    household = ipaddress.ip_network((address, 64), strict=False)
    return str(household)


def network_of(scope: Scope) -> str:
    """Return the network of the client that sends a request."""
    client = scope.get("client")
    if not client:
        return network("")
    return network(client[0])
