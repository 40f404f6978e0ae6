"""A server of `arena serve` on a free port, in a thread of this process, and who reads its pages in
a browser.
"""

import contextlib
import socket as sockets
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
from starlette.applications import Starlette

from arena import whole_files
from arena.extras.serve import server, worker
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.guard import Settings
from tests.support import cup

WIDTHS = (390, 800, 1280)


@contextlib.contextmanager
def served(
    workspace: Path,
    settings: Settings | None = None,
    app: Starlette | None = None,
    proxy: str | None = None,
) -> Iterator[httpx.Client]:
    """Serve a workspace; the client's `base_url` is where."""
    with contextlib.closing(server.listening("127.0.0.1", 0, proxy)) as socket:
        running = server.server(app or make_app(workspace, settings), socket)
        thread = threading.Thread(target=running.run, args=([socket],))
        thread.start()
        until = time.monotonic() + 60
        while not running.started and time.monotonic() < until:
            time.sleep(0.005)
        try:
            with httpx.Client(
                base_url=f"http://127.0.0.1:{socket.getsockname()[1]}", timeout=150
            ) as client:
                yield client
        finally:
            running.should_exit = True
            thread.join(60)
            assert not thread.is_alive(), "the server does not end"


def served_apart(workspace: Path, *words: str, **changes: str) -> cup.Command:
    """Serve a workspace in a process of its own, which imports what makes tables, 0.7 s of CPU,
    only if one is made.
    """
    maker = worker._MAKER
    before = None
    if threading.active_count() == 1:  # else it is no fork
        before = partial(maker.set_forkserver_preload, [])
    return cup.Command(
        workspace,
        "serve",
        "--port",
        "0",
        *words,
        before=before,
        **changes,
    )


def pids_of(workspace: Path, *words: str) -> list[int]:
    """Return the processes in a workspace whose command ends with these words."""
    found = []
    for pid in cup.processes_in(workspace):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if Path(f"/proc/{pid}/cmdline").read_text().split("\0")[-1 - len(words) : -1] == [
                *words
            ]:
                found.append(pid)
    return found


def without(accounts: Accounts, kind: str) -> contextlib.AbstractContextManager[object]:
    """Let the site start no process of this kind, as if one of an earlier server ran; charts take
    the longest.
    """
    return whole_files.locked(accounts.folder / f".{kind}")


def raw(client: httpx.Client, request: bytes) -> bytes:
    """Return what the server says to bytes that may be no request, until it closes the connection
    or is silent.
    """
    with sockets.create_connection(("127.0.0.1", client.base_url.port)) as connection:
        connection.settimeout(5)
        parts = []
        with contextlib.suppress(OSError):
            connection.sendall(request)
            connection.shutdown(sockets.SHUT_WR)
            while part := connection.recv(65536):
                parts.append(part)
        return b"".join(parts)


def drown(connection: sockets.socket, few: bytes) -> None:
    """Send a few bytes again and again, two million times; ConnectionError if the other end has had
    enough of it.
    """
    for _ in range(200):
        connection.sendall(few * 10_000)


def visitor(browser, url: str, problems: list[str]):
    """Return a page of somebody with cookies of their own; what the browser complains of goes into
    `problems`.
    """
    page = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800}).new_page()
    page.on(
        "console",
        lambda message: (
            problems.append(f"{page.url}: {message.text} {message.location}")
            if message.type in {"error", "warning"}
            else None
        ),
    )
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_default_timeout(60_000)
    return page


def fits(page) -> None:
    """Look whether a page is wider than a window of any width."""
    assert list(fitting(page)) == [*WIDTHS]


def fitting(page) -> Iterator[int]:
    """Yield each width of a window, which the page is not wider than."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{page.url} is {wide} px wide at {width}"
        yield width
