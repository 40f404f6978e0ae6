"""A server of `arena serve` on a free port, in a thread of this process, for tests that talk to it as a reader does."""

import contextlib
import socket as sockets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from starlette.applications import Starlette

from arena.serve import server
from arena.serve.app import make_app
from arena.serve.guard import Settings


@contextlib.contextmanager
def served(
    workspace: Path, settings: Settings | None = None, app: Starlette | None = None, proxy: str | None = None
) -> Iterator[httpx.Client]:
    """Serve a workspace; the client's `base_url` is where."""
    with contextlib.closing(server.listening("127.0.0.1", 0)) as socket:
        running = server.server(app or make_app(workspace, settings), proxy=proxy)
        thread = threading.Thread(target=running.run, args=([socket],))
        thread.start()
        until = time.monotonic() + 20
        while not running.started and time.monotonic() < until:
            time.sleep(0.005)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{socket.getsockname()[1]}", timeout=150) as client:
                yield client
        finally:
            running.should_exit = True
            thread.join(20)
            assert not thread.is_alive(), "the server does not end"


def raw(client: httpx.Client, request: bytes) -> bytes:
    """Return what the server says to bytes that may be no request, until it closes the connection or is silent."""
    with sockets.create_connection(("127.0.0.1", client.base_url.port)) as connection:
        connection.settimeout(5)
        parts = []
        with contextlib.suppress(OSError):
            connection.sendall(request)
            connection.shutdown(sockets.SHUT_WR)
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)
