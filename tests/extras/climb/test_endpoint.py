"""The endpoint of an agent keeps its bounds, whatever arrives."""

import contextlib
import http.client
import os
import socket

import pytest

from arena.extras.climb import endpoint
from arena.extras.climb.endpoint import Endpoint, HttpResponse
from arena.failure import Failure
from tests.support.processes import until


@pytest.fixture
def served():
    """An endpoint that answers without a model, its port, and its look."""
    with socket.create_server(("127.0.0.1", 0), backlog=endpoint.MOST_CONNECTIONS) as listening:
        free = HttpResponse(200, b"{}", is_free=True)
        attending = Endpoint(lambda _: free).attend(listening.fileno())
        with attending as look:
            yield listening.getsockname()[1], look


def asked(port: int, times: int = 1) -> int:
    """Return how many of some requests on one connection were answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    answers = 0
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        for _ in range(times):
            connection.request("GET", "/v1/models")
            connection.getresponse().read()
            answers += 1
    return answers


def test_a_request_that_arrives_too_slowly_is_dropped(served, monkeypatch):
    monkeypatch.setattr(endpoint, "PATIENCE_S", 0.2)
    port, _ = served
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:

        def is_dropped() -> bool:
            try:
                connection.sendall(b"G")  # a letter now and then buys no time
                connection.settimeout(0.02)
                return connection.recv(1) == b""
            except TimeoutError:
                return False
            except OSError:
                return True

        assert until(is_dropped)
    assert asked(port) == 1


def test_a_connection_beyond_the_limit_is_closed_and_room_is_made_again(served):
    port, look = served
    with contextlib.ExitStack() as stack:
        for _ in range(endpoint.MOST_CONNECTIONS):
            connection = socket.create_connection(("127.0.0.1", port), timeout=20)
            stack.enter_context(connection)
        assert asked(port) == 0
    assert until(lambda: asked(port) == 1)
    assert not isinstance(look(), Failure)


@pytest.mark.parametrize("kind", ["requests", "connections"])
def test_an_endless_flood_ends_the_agent(kind, served, monkeypatch):
    monkeypatch.setattr(endpoint, "MOST_IN_VAIN", 30)
    port, look = served
    assert asked(port, 30) == 30
    assert not isinstance(look(), Failure)
    if kind == "requests":
        assert asked(port, 5) <= 1
    else:
        socket.create_connection(("127.0.0.1", port)).close()
    assert until(lambda: isinstance(look(), Failure))
    assert "reach no model" in look().words
    assert asked(port) == 0


@pytest.mark.parametrize(
    ("head", "is_closed"),
    [
        (b"GET /v1/models HTTP/1.0\r\n\r\n", True),
        (b"GET /v1/models HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", False),
        (b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n", True),
        (b"GET http://elsewhere/v1/models HTTP/1.1\r\nHost: elsewhere\r\n\r\n", False),
    ],
)
def test_a_connection_is_closed_where_the_agent_says_so(served, head, is_closed):
    port, _ = served
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head)
        with connection.makefile("rb") as answer:
            assert answer.readline() == b"HTTP/1.1 200 OK\r\n"
            if is_closed:
                assert answer.read().endswith(b"{}")
            else:
                connection.sendall(head)
                while answer.readline() != b"{}HTTP/1.1 200 OK\r\n":
                    pass


def test_a_body_that_keeps_coming_is_dropped_when_its_time_is_over(served, monkeypatch):
    monkeypatch.setattr(endpoint, "PATIENCE_S", 0.3)
    port, _ = served
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")

        def is_dropped() -> bool:
            try:
                connection.sendall(b"1\r\nx\r\n" * 100)
            except OSError:
                return True
            return False

        assert until(is_dropped)


@pytest.mark.parametrize(
    "more",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_follows_a_body_of_two_lengths_is_one_request(served, more):
    port, _ = served
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        second = b"GET /v1/models HTTP/1.0\r\n\r\n"
        connection.sendall(b"POST /v1/x HTTP/1.1\r\n" + more + second)
        with connection.makefile("rb") as answer:
            assert answer.read().count(b"HTTP/1.1 200 OK") == 2


def test_what_is_no_request_gets_no_answer_and_no_thread_stays(served):
    port, _ = served
    before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
    chunks = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n-2\r\n0\r\n\r\n"
    length = b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"
    for data in (b"\r\n\r\n", b"GET /\r\n\r\n", length, chunks):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(data)
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(10) == b""
    if before:
        assert until(lambda: len(os.listdir("/proc/self/task")) <= before)
