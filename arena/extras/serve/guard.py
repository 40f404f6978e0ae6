"""What every request must pass before anything of it is read, and what every answer carries.

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
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with `no-referrer` a browser would call the origin of our own forms null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
ADDRESS_BYTES = 2000  # of a path, and of a query
ADDRESSES = 10_000  # whose requests are counted; the longest silent is forgotten
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
    """How many requests each address has left: a bucket that fills `per_s`, and holds three seconds of it."""

    def __init__(self, per_s: float) -> None:
        self._per_s = per_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Count a request; return whether it is within the rate."""
        now, full = time.monotonic(), 3 * self._per_s
        left, then = self._left.pop(address, (full, now))
        left = min(full, left + (now - then) * self._per_s)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class Guard:
    """Refuses what no page should see, and adds the headers of every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, larger_bodies: Mapping[str, int]) -> None:
        """`larger_bodies` are most bytes of a body by how its path begins, such as `/upload`."""
        self._app, self._settings, self._larger_bodies = app, settings, larger_bodies
        self._names = {"localhost", *(name.lower() for name in settings.names)}
        self._reads, self._writes = Rate(settings.reads_per_s), Rate(settings.writes_per_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own.setdefault(name, value)
                own.setdefault("cache-control", "no-store")
                if self._settings.secure:
                    own.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        if refusal is not None:
            status, words = refusal
            extra = {"retry-after": "2"} if status == 429 else {"connection": "close"}
            await PlainTextResponse(f"{words}\n", status, extra)(scope, receive, with_headers)
            return
        try:
            await self._app(scope, self._bounded(scope, receive), with_headers)
        except asyncio.CancelledError:  # the server ends, and has waited for this page long enough
            if not has_begun:
                await PlainTextResponse("the server ends: ask again soon\n", 503)(
                    scope, receive, with_headers
                )

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the words for a request that goes no further."""
        if (
            len(scope.get("raw_path") or b"") > ADDRESS_BYTES
            or len(scope["query_string"]) > ADDRESS_BYTES
        ):
            return 414, "this address is too long"
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return (
                400,
                "this server has another name; its organiser can name it: arena serve --name NAME",
            )
        writes = scope["type"] == "websocket" or scope["method"] not in {"GET", "HEAD"}
        if not (self._writes if writes else self._reads).take(network_of(scope)):
            return 429, "too many requests from your network: wait a moment"
        if scope["type"] == "http" and scope["method"] not in {"GET", "HEAD", "POST"}:
            return 405, "expected GET, HEAD or POST"
        origin, scheme = headers.get("origin"), "https" if self._settings.secure else "http"
        is_ours = origin is None or origin.lower() == f"{scheme}://{hosts[0].lower()}"
        if writes and not (
            is_ours and headers.get("sec-fetch-site", "none") in {"same-origin", "none"}
        ):
            return 403, "another site sent this"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            return 400, "content-length is no number"
        if int(length) > self._most(scope):
            return 413, "this is too large"
        return None

    def _is_ours(self, host: str) -> bool:
        """Return whether a name is ours: another site can lead its own name here, but no number."""
        if not (found := HOST.fullmatch(host)):
            return False
        name = found[1].lower().removesuffix(".")
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _most(self, scope: Scope) -> int:
        larger = (
            size for start, size in self._larger_bodies.items() if scope["path"].startswith(start)
        )
        return next(larger, self._settings.body_bytes)

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that gives no more of a body than allowed, and waits for all of it until a deadline."""
        most, until, is_complete = (
            self._most(scope),
            time.monotonic() + self._settings.body_s,
            False,
        )

        async def bounded() -> Message:
            nonlocal most, is_complete
            if (
                is_complete
            ):  # what comes now is that the client has gone, which takes as long as it likes
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
            except TimeoutError as error:
                raise HTTPException(408, "this took too long to arrive") from error
            if message["type"] == "http.request":
                most -= len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
                if most < 0:
                    raise HTTPException(413, "this is too large")
            return message

        return bounded


def network(client: str) -> str:
    """Return the address that a request comes from; of IPv6 the 64 bits that one household has."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv4Address):
        return client
    # A proxy may write IPv4 as IPv6, which all has the same 64 bits.
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


def network_of(scope: Scope) -> str:
    """Return the network of whoever sends a request."""
    return network((scope.get("client") or ("",))[0])
