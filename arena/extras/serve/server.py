"""The server on its port: uvicorn, made to drop slow clients and clients with many connections."""

import asyncio
import contextlib
import ipaddress
import resource
import signal
import socket
import threading
import time
from asyncio import constants
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from arena.extras.serve import guard, join, log
from arena.extras.serve.remote_seat import MOST_BYTES

HEAD_S = 10.0
"""The time for the head of a request, or for the rest of a request that is answered already."""
WRITE_S = 30.0
"""The time in which a client takes some of what was sent to it."""
SILENCE_S = 60.0
"""The time in which a client's machine confirms that it got what was sent to it."""
KEEP_ALIVE_S = 15
"""The time between two requests on a connection."""
CONNECTIONS = 2000
CONNECTIONS_OF_NETWORK = 600
"""The most connections from one address, which a class may share: a browser opens six."""
OTHER_FILES = 500
"""The files that the server may have open beside its connections."""
BACKLOG = 500
END_S = 3
"""The time for the answers under way when the server ends."""
PIECE_BYTES = 4096
"""The server reads a piece of this size before it looks whether the client has time left."""
READING_S = 0.6
"""The CPU time for reading what one address sends; after that its connections end."""
READING_SHARE = 0.3
"""The CPU time for reading that an address gets back each second."""
FREE_S_A_BYTE = 20e-9
"""The CPU time for a byte that is not charged.

A large upload takes less, and a body of chunks of one byte takes a thousand times as much.
"""
MOST_UNREAD = 1_000_000
"""The most bytes that wait for a client that goes on sending and takes none of them."""


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
        address = ""
        if client:
            address = client[0]
        payer: object
        if address == self._proxy:
            payer = client
        else:
            payer = guard.network(address)
        now = time.monotonic()
        used, then = self._used.pop(payer, (0.0, now))
        given_back = (now - then) * READING_SHARE
        used = max(0.0, used - given_back)
        used += max(0.0, seconds)
        self._used[payer] = (used, now)
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
            current = self.transport.get_protocol()
            if current is not protocol:
                # The last piece made the connection a WebSocket, which reads the rest.
                current.data_received(data[start:])  # type: ignore[attr-defined]
                return
            piece = data[start : start + PIECE_BYTES]
            begun = time.thread_time()
            super().data_received(piece)
            cpu_seconds = time.thread_time() - begun
            free_seconds = len(piece) * FREE_S_A_BYTE
            has_time = reading_time.charge(self.client, cpu_seconds - free_seconds)


class RationedWebSocket(Rationed, AutoWebSocketsProtocol):  # type: ignore[misc, valid-type]
    """A WebSocket whose client can neither keep the server busy nor fill its memory."""


class TimelyProtocol(Rationed, H11Protocol):
    """HTTP for clients that are not too slow: uvicorn itself would wait for them forever."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect the first request soon."""
        super().connection_made(transport)
        self._limits: dict[str, asyncio.TimerHandle] = {}
        """What the client must do in time; otherwise the connection ends."""
        self._expect("a request", HEAD_S)

    def data_received(self, data: bytes) -> None:
        """Expect the rest of a request soon, of the second as of the first."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._done("a request")
        elif self.transport.get_protocol() is self:
            # Otherwise it is a WebSocket now, which has limits of its own.
            self._expect("a request", HEAD_S)

    def send_400_response(self, msg: str) -> None:
        """Refuse invalid HTTP.

        In an invalid body of a request that is being answered, the page hears that the client has
        disconnected.
        """
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
    """A socket that listens, and limits the connections of all clients and of each address.

    It takes no more connections than there are files for, and none of an address that has no time
    left for reading. Connections are counted here, because a protocol hears of a connection only
    after the handshake of TLS. A `proxy` may have all of them. If there is a proxy, other machines
    are refused, because a client that passes by the proxy would send tokens unencrypted.
    """

    def __init__(self, listening: socket.socket, proxy: str | None) -> None:
        super().__init__(listening.family, listening.type, listening.proto, listening.detach())
        files = _raise_limit_of_files()
        self._most = files - min(OTHER_FILES, files // 2)
        self._of_network = min(CONNECTIONS_OF_NETWORK, self._most // 2)
        self.proxy = proxy
        self.reading_time = ReadingTime(proxy)
        self._open: Counter[str] = Counter()
        """The open connections of each network."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Take a connection, or refuse it by a ConnectionAbortedError, which asyncio ignores."""
        accepted, address = super().accept()
        if not self._is_welcome(address):
            accepted.close()
            raise ConnectionAbortedError
        network = guard.network(address[0])
        self._open[network] += 1
        counted = _Counted(accepted, lambda: self._end(network))
        return counted, address

    def _is_welcome(self, address: Any) -> bool:
        """Return whether a connection from this address is taken."""
        host = address[0]
        if host != self.proxy:
            if self.proxy is not None and not is_here(host):
                return False
            if self._open[guard.network(host)] >= self._of_network:
                return False
        if self._open.total() >= self._most:
            return False
        return self.reading_time.charge(address, 0.0)

    def _end(self, network: str) -> None:
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]


def is_here(address: str) -> bool:
    """Return whether an address of a connection is this machine's own."""
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback


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
    """Let this process open the files that it may need; return how many the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CONNECTIONS + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return needed
    allowed = needed
    if hard != resource.RLIM_INFINITY:
        allowed = min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed


def listening(host: str, port: int, proxy: str | None = None) -> Listener:
    """Return a socket that listens; OSError if the address or the port cannot be had.

    A `proxy` at this address says by X-Forwarded-For whose request it passes on. The server
    believes that header of nobody else.
    """
    addresses = socket.getaddrinfo(
        host,
        port,
        type=socket.SOCK_STREAM,
        flags=socket.AI_PASSIVE,
    )
    family, _, _, _, address = addresses[0]
    host_and_port = address[:2]  # an address of IPv6 has two more parts
    new_socket = socket.create_server(host_and_port, family=family, backlog=BACKLOG)
    # Otherwise a page waits 40 ms between its head and its body.
    new_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A client that lost the network closes nothing: a page that is sent events would count as open
    # for a quarter of an hour.
    silence_ms = int(1000 * SILENCE_S)
    new_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, silence_ms)
    return Listener(new_socket, proxy)


class Server(uvicorn.Server):
    """A server that a closed terminal ends in order, too."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take note of SIGHUP as of the signals that uvicorn knows, unless it is ignored (nohup).

        Its own handler raises an exception, which would end one answer, and the server would go on.
        """
        number = signal.SIGHUP
        before = signal.getsignal(number)
        is_main = threading.current_thread() is threading.main_thread()
        with super().capture_signals():
            if not is_main or before is signal.SIG_IGN:
                yield
                return
            signal.signal(number, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(number, before)


def server(
    app: Starlette,
    listener: Listener,
    *,
    certificate: Path | None = None,
    key: Path | None = None,
) -> uvicorn.Server:
    """Return the server of an application; `run([listener])` serves until Ctrl-C."""
    log.ignore_mistakes_of_strangers()
    constants.SSL_HANDSHAKE_TIMEOUT = HEAD_S  # uvicorn has no setting for it, and a minute is long
    proxies = None
    if listener.proxy:
        proxies = [listener.proxy]
    config = uvicorn.Config(
        app,
        http=TimelyProtocol,
        ws=RationedWebSocket,
        loop="asyncio",  # another loop would not take connections from the Listener
        log_config=None,  # log.py writes all lines
        log_level="error",  # what strangers send is no news
        access_log=False,
        server_header=False,
        proxy_headers=listener.proxy is not None,
        forwarded_allow_ips=proxies,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=END_S,
        ws_max_size=MOST_BYTES,
        ws_per_message_deflate=False,  # one read of a client could become gigabytes
        ws_ping_interval=join.PING_S,
        ws_ping_timeout=join.PING_S,
        ssl_certfile=certificate,
        ssl_keyfile=str(key) if key else None,
    )
    server = Server(config)
    app.state.is_ending = lambda: server.should_exit
    app.state.reading_time = listener.reading_time
    return server
