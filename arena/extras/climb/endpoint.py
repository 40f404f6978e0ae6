"""The endpoint of an agent: HTTP on the loopback of its own network, answered from outside.

It owns the connections. The agent is a stranger, so every length, number and time here is bounded.
What a request means is for the `respond` of its caller.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from arena.failure import Cause, Failure
from arena.sandbox.building import Look

MOST_HEADER = 32_000
MOST_BODY = 3_000_000
MOST_CONNECTIONS = 64
PATIENCE_S = 30.0
"""The time that a request may take to arrive; a connection may wait as long for its next one."""
MOST_IN_VAIN = 1000
"""The requests and connections that may reach no model: then the agent is ended."""
REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found"}


class HttpRequest(NamedTuple):
    """A request of an agent."""

    method: str
    path: str
    body: bytes
    is_last: bool = False
    """Whether the agent wants its connection closed after the answer."""


class HttpResponse(NamedTuple):
    """What answers it."""

    status: int
    body: bytes
    kind: str = "application/json"
    is_free: bool = False
    """True if no model was asked, so the limits of calls do not bound such requests."""


class Endpoint:
    """A server for one agent, in a thread of its own.

    `respond` is called for one request at a time. An exception of it ends the agent: the next
    `seconds_waited` raises it. Too many requests that reach no model end the agent, too.
    """

    def __init__(self, respond: Callable[[HttpRequest], HttpResponse]) -> None:
        self._respond = respond
        self._failure: Exception | None = None
        self._answering = threading.Lock()
        self._clock = threading.Lock()
        self._waited = 0.0
        """Seconds of calls since the last look."""
        self._begun: float | None = None
        """When the call under way began, or was looked at (monotonic)."""
        self._in_vain = 0
        """Requests and connections that reached no model."""
        self._connections: set[socket.socket] = set()

    @contextlib.contextmanager
    def attend(self, listener: int) -> Iterator[Look]:
        """Serve at this listening socket during the `with`."""
        with socket.socket(fileno=os.dup(listener)) as server:
            accepting = threading.Thread(
                target=self._accept,
                args=(server,),
                name="endpoint",
            )
            accepting.start()
            try:
                yield self.seconds_waited
            finally:
                server.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
                accepting.join()
                for connection in tuple(self._connections):
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)

    def seconds_waited(self) -> float | Failure:
        """Return how long calls took since the last look, or a failure; raise what ended a call."""
        if self._failure is not None:
            raise self._failure
        if self._is_flooded:
            words = f"model: more than {MOST_IN_VAIN} requests that reach no model"
            return Failure(cause=Cause.MODEL, words=words)
        with self._clock:
            now = time.monotonic()
            waited = self._waited
            self._waited = 0.0
            if self._begun is not None:
                waited += now - self._begun
                self._begun = now
        return waited

    @property
    def _is_flooded(self) -> bool:
        return self._in_vain > MOST_IN_VAIN

    def _count_in_vain(self) -> None:
        with self._clock:
            self._in_vain += 1

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:  # it was shut down
                return
            if len(self._connections) >= MOST_CONNECTIONS or self._is_flooded:
                self._count_in_vain()
                connection.close()
                continue
            self._connections.add(connection)
            threading.Thread(
                target=self._serve,
                args=(connection,),
                daemon=True,
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        """Answer the requests of one connection, until it ends or is not worth reading."""
        answers = 0
        try:
            with connection, contextlib.suppress(OSError, ValueError):
                received = b""
                while not self._is_flooded:
                    question, received = _read(connection, received)
                    response = self._answer(question)
                    answers += 1
                    if response.is_free:
                        self._count_in_vain()
                    connection.settimeout(PATIENCE_S)
                    connection.sendall(_written(response))
                    if question.is_last:
                        break
        finally:
            if not answers:
                self._count_in_vain()
            self._connections.discard(connection)

    def _answer(self, question: HttpRequest) -> HttpResponse:
        with self._answering:
            if self._failure is not None:
                raise ConnectionAbortedError
            with self._clock:
                self._begun = time.monotonic()
            try:
                return self._respond(question)
            except Exception as error:
                self._failure = error
                raise ConnectionAbortedError from error
            finally:
                with self._clock:
                    self._waited += time.monotonic() - self._begun
                    self._begun = None


def _read(connection: socket.socket, received: bytes) -> tuple[HttpRequest, bytes]:
    """Return the next request, and what came behind it; ValueError or OSError if there is none."""
    until = time.monotonic() + PATIENCE_S
    while b"\r\n\r\n" not in received:
        if len(received) > MOST_HEADER:
            raise ValueError("its header is too long")
        received += _more(connection, until)

    head, _, received = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, version = first.split(" ")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    wish = headers.get("connection", "").lower()
    is_last = wish == "close"
    if version == "HTTP/1.0" and wish != "keep-alive":
        is_last = True
    if headers.get("expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

    if "transfer-encoding" in headers:
        body, received = _body_in_chunks(connection, received, until)
    else:
        count = int(headers.get("content-length", "0"))
        body, received = _exactly(connection, received, count, count, until)
    return HttpRequest(method, path, body, is_last), received


def _body_in_chunks(
    connection: socket.socket,
    received: bytes,
    until: float,
) -> tuple[bytes, bytes]:
    """Return a body that comes in chunks, and what came behind it."""
    parts: list[bytes] = []
    size = 0
    while True:
        while b"\r\n" not in received:
            if len(received) > MOST_HEADER:
                raise ValueError("a chunk without a length")
            received += _more(connection, until)
        chunk_head, _, received = received.partition(b"\r\n")
        length, _, _ = chunk_head.partition(b";")
        count = int(length, 16)
        if count < 0:  # with these the size of the whole body would get smaller again
            raise ValueError("a chunk with a negative length")
        size += count
        chunk, received = _exactly(connection, received, count + 2, size, until)
        if not count:
            return b"".join(parts), received
        parts.append(chunk[:-2])


def _exactly(
    connection: socket.socket,
    received: bytes,
    count: int,
    size: int,
    until: float,
) -> tuple[bytes, bytes]:
    """Return this number of bytes, and what came behind them; `size` is that of the whole body."""
    if not 0 <= size <= MOST_BODY or count < 0:
        raise ValueError("its body is too long")
    parts = [received]
    missing = count - len(received)
    while missing > 0:
        part = _more(connection, until)
        parts.append(part)
        missing -= len(part)
    data = b"".join(parts)
    return data[:count], data[count:]


def _more(connection: socket.socket, until: float) -> bytes:
    seconds_left = until - time.monotonic()
    if seconds_left <= 0:
        raise TimeoutError
    connection.settimeout(seconds_left)
    data = connection.recv(65536)
    if not data:
        raise ConnectionResetError
    return data


def _written(response: HttpResponse) -> bytes:
    reason = REASONS.get(response.status, "Status")
    head = (
        f"HTTP/1.1 {response.status} {reason}\r\n"
        f"Content-Type: {response.kind}\r\nContent-Length: {len(response.body)}\r\n\r\n"
    )
    return head.encode("ascii") + response.body
