"""The server on its port: uvicorn, with clients dropped that send or read too slowly, or hold too many connections."""

import asyncio
import ipaddress
import resource
import socket
import time
from asyncio import constants
from collections import Counter, OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from arena.extras.serve import guard, join, log
from arena.match.remote import MOST_BYTES

HEAD_S = 10.0  # until the first line and the headers of a request have arrived, or the rest of one that is answered
WRITE_S = 30.0  # until a client takes some of what was sent to it
SILENCE_S = 60.0  # until a client's machine confirms that it got what was sent to it
KEEP_ALIVE_S = 15  # between two requests on a connection
CONNECTIONS = 2000
CONNECTIONS_OF_NETWORK = 600  # from one address, which a class may share: a browser opens six
OTHER_FILES = 500  # that the server may have open beside its connections
BACKLOG = 500
END_S = 3  # for the answers under way when the server ends
PIECE_BYTES = (
    4096  # of what a client sent, which are read without a look at what the client has left
)
READING_S = 0.6  # of CPU for reading what one address sends, after which its connections end
READING_SHARE = 0.3  # of that, so much is given back each second
FREE_S_A_BYTE = 20e-9  # a large upload takes less than that, and a body of chunks of one byte a thousand times as much
MOST_UNREAD = 1_000_000  # bytes for a client that sends on, and takes none of them


class ReadingTime:
    """How much CPU time each address has left for reading what it sends.

    All connections are read in one thread, and a few bytes can be made to take long: a body of
    chunks of one byte, or pings by the thousand. A `proxy` has time for each of its connections.
    """

    def __init__(self, proxy: str | None) -> None:
        self._proxy = proxy
        self._used: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def charge(self, client: tuple[Any, ...] | None, seconds: float) -> bool:
        """Charge a client; return whether it has time left."""
        address = client[0] if client else ""
        who = client if address == self._proxy else guard.network(address)
        now = time.monotonic()
        used, then = self._used.pop(who, (0.0, now))
        used = max(0.0, used - (now - then) * READING_SHARE) + max(0.0, seconds)
        self._used[who] = (used, now)
        if len(self._used) > guard.ADDRESSES:
            self._used.popitem(last=False)
        return used < READING_S


class Rationed(asyncio.Protocol):
    """A protocol that reads no more than its client has time for."""

    transport: asyncio.Transport
    client: tuple[str, int] | None
    config: uvicorn.Config

    def data_received(self, data: bytes) -> None:
        """Read piece by piece, as long as the client has time left."""
        app: Any = self.config.app
        reading_time: ReadingTime = app.state.reading_time
        protocol = self.transport.get_protocol()
        has_time = reading_time.charge(self.client, 0.0)
        for start in range(0, len(data), PIECE_BYTES):
            if self.transport.is_closing():
                return
            if not has_time or self.transport.get_write_buffer_size() > MOST_UNREAD:
                self.transport.abort()
                return
            if (
                other := self.transport.get_protocol()
            ) is not protocol:  # it is a WebSocket from here on
                other.data_received(data[start:])  # type: ignore[attr-defined]
                return
            piece, begun = data[start : start + PIECE_BYTES], time.thread_time()
            super().data_received(piece)
            has_time = reading_time.charge(
                self.client, time.thread_time() - begun - len(piece) * FREE_S_A_BYTE
            )


class RationedWebSocket(Rationed, AutoWebSocketsProtocol):  # type: ignore[misc, valid-type]
    """A WebSocket whose client can neither keep the server busy nor fill its memory."""


class TimelyProtocol(Rationed, H11Protocol):
    """HTTP for clients that are not too slow: uvicorn itself would wait for a request or a reader forever."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect the first request soon."""
        super().connection_made(transport)
        self._limits: dict[str, asyncio.TimerHandle] = {}
        """What the client is to do in time; else the connection ends."""
        self._expect("a request", HEAD_S)

    def data_received(self, data: bytes) -> None:
        """Expect the rest of a request soon, of the second as of the first."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._done("a request")
        elif (
            self.transport.get_protocol() is self
        ):  # else it is a WebSocket now, which has limits of its own
            self._expect("a request", HEAD_S)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; whoever answers a request whose body is none hears that the client has gone."""
        if self.cycle is None or self.cycle.response_complete:
            super().send_400_response(msg)
            return
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self.transport.close()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Leave the connection to the WebSocket."""
        self._done("a request")
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Expect the client to read soon."""
        super().pause_writing()
        self._expect("reading", WRITE_S)

    def resume_writing(self) -> None:
        """Take note that the client reads."""
        super().resume_writing()
        self._done("reading")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limits."""
        self._done("a request")
        self._done("reading")
        super().connection_lost(exc)

    def _expect(self, deed: str, seconds: float) -> None:
        if deed not in self._limits:
            self._limits[deed] = self.loop.call_later(seconds, self.transport.abort)

    def _done(self, deed: str) -> None:
        if deed in self._limits:
            self._limits.pop(deed).cancel()


class Listener(socket.socket):
    """A socket that listens, and takes no more connections than there are files for, or than one address may have.

    Nor does it take one of an address that has no time left. They are counted here, because a
    protocol hears of a connection only after the handshake of TLS. A `proxy` may have all of them;
    beside it only this machine is heard, as whoever passes by the proxy would send tokens
    unencrypted.
    """

    def __init__(self, made: socket.socket, proxy: str | None) -> None:
        super().__init__(made.family, made.type, made.proto, made.detach())
        files = _raise_limit_of_files()
        self._most = files - min(OTHER_FILES, files // 2)
        self._of_network = min(CONNECTIONS_OF_NETWORK, self._most // 2)
        self.proxy, self.reading_time = proxy, ReadingTime(proxy)
        self._open: Counter[str] = Counter()

    def accept(self) -> tuple[socket.socket, Any]:
        """Take a connection; ConnectionAbortedError, which asyncio ignores, for one too many."""
        accepted, address = super().accept()
        network = guard.network(address[0])
        passes_by = self.proxy is not None and address[0] != self.proxy and not is_here(address[0])
        is_full = self._open[network] >= self._of_network and address[0] != self.proxy
        if (
            passes_by
            or is_full
            or self._open.total() >= self._most
            or not self.reading_time.charge(address, 0.0)
        ):
            accepted.close()
            raise ConnectionAbortedError
        self._open[network] += 1
        return _Counted(accepted, lambda: self._end(network)), address

    def _end(self, network: str) -> None:
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]


def is_here(address: str) -> bool:
    """Return whether an address of a connection is this machine's own."""
    parsed = ipaddress.ip_address(address)
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


class _Counted(socket.socket):
    """A connection that tells when it is closed."""

    def __init__(self, accepted: socket.socket, tell: Callable[[], None]) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._tell = tell

    def close(self) -> None:
        if self.fileno() != -1:
            self._tell()
        super().close()


def _raise_limit_of_files() -> int:
    """Let this process open as many files as it may need, if the system allows that; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)


def listening(host: str, port: int, proxy: str | None = None) -> Listener:
    """Return a socket that listens; OSError if the address or the port cannot be had.

    A `proxy` at this address says by X-Forwarded-For whose request it passes on; nobody else is
    believed that.
    """
    family, *_, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    made = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    made.setsockopt(
        socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
    )  # else a page waits 40 ms between its head and its body
    # Who lost the network closes nothing: a page that is sent events would count as open for a
    # quarter of an hour.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * SILENCE_S))
    return Listener(made, proxy)


def server(
    app: Starlette, listener: Listener, *, certificate: Path | None = None, key: Path | None = None
) -> uvicorn.Server:
    """Return the server of an application; `run([listener])` serves until Ctrl-C."""
    log.ignore_mistakes_of_strangers()
    constants.SSL_HANDSHAKE_TIMEOUT = HEAD_S  # uvicorn has no setting for it, and a minute is long
    made = uvicorn.Server(
        uvicorn.Config(
            app,
            http=TimelyProtocol,
            ws=RationedWebSocket,
            loop="asyncio",  # another one would not ask our socket for connections
            log_config=None,  # all lines go by log.py
            log_level="error",  # what strangers send is no news
            access_log=False,
            server_header=False,
            proxy_headers=listener.proxy is not None,
            forwarded_allow_ips=[listener.proxy] if listener.proxy else None,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=END_S,
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,  # a kilobyte would become a megabyte, hundreds of times in one read
            ws_ping_interval=join.PING_S,
            ws_ping_timeout=join.PING_S,
            ssl_certfile=certificate,
            ssl_keyfile=str(key) if key else None,
        )
    )
    app.state.is_ending = lambda: made.should_exit
    app.state.reading_time = listener.reading_time
    return made
