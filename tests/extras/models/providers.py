"""Providers of a language model for the tests: one in this process, a server on this machine, and a
command.
"""

import json
import multiprocessing
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from arena.extras.models.calls import ModelRequest
from arena.values import ModelAnswer

COMMAND = """\
import json, os, random, sys
request = json.load(sys.stdin)
with open("paid.log", "a") as log:
    log.write("x")
legal = json.loads(request["messages"][1]["content"].partition("legal_moves: ")[2].partition("\\n")[0])
text = json.dumps({"move": random.SystemRandom().choice(legal)})
print(json.dumps({"text": text, "in": 100, "out": 20}))
"""
"""A command that names any legal move, and writes a letter into a file for each call."""


class Scripted:
    """A model in this process, which answers by a function of the messages, and remembers the
    requests.
    """

    def __init__(self, answer: Callable[[list[dict[str, str]]], str | ModelAnswer]) -> None:
        self.requests: list[ModelRequest] = []
        self._answer = answer

    def answer(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        said = self._answer(request.request["messages"])
        return said if isinstance(said, ModelAnswer) else ModelAnswer(said, "stop", 10, 5)


def chat(text: str, **more: Any) -> bytes:
    """Return a response of the OpenAI chat format."""
    values = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    return json.dumps(
        values | {"usage": {"prompt_tokens": 100, "completion_tokens": 20}} | more
    ).encode()


def any_move(request: dict[str, Any]) -> str:
    """Return what a model says that names any legal move of the house bot's question."""
    text = "".join(message["content"] for message in request["messages"])
    legal = json.loads(text.partition("legal_moves: ")[2].partition("\n")[0] or '[""]')
    return f"Let me think.\n{json.dumps({'move': secrets.choice(legal)})}"


Behaviour = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
"""Writes the response to a request by the handler."""


def listening(behave: Behaviour, count: Callable[[], None]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            count()
            with suppress(BrokenPipeError, ConnectionResetError):
                behave(self, request)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def address(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}/v1"


class Server:
    """A server in a process of its own."""

    def __init__(self, behave: Behaviour) -> None:
        context = multiprocessing.get_context("fork")
        self.calls = context.Value("i", 0)
        listener = listening(behave, self._count)
        self.url = address(listener)
        self._process = context.Process(target=listener.serve_forever, daemon=True)
        self._process.start()
        listener.socket.close()

    def _count(self) -> None:
        with self.calls.get_lock():
            self.calls.value += 1

    def close(self) -> None:
        self._process.kill()
        self._process.join()


@contextmanager
def serving(behave: Behaviour) -> Iterator[Server]:
    server = Server(behave)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def answering(behave: Behaviour) -> Iterator[str]:
    """Yield the address of a server in a thread, for a test that begins no process meanwhile: its
    start takes a tenth of the other's.
    """
    with listening(behave, lambda: None) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield address(server)
        finally:
            server.shutdown()
            thread.join()


def respond(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def plays(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    """Name any legal move."""
    respond(handler, chat(any_move(request)))


def says(
    body: bytes, status: int, handler: BaseHTTPRequestHandler, request: dict[str, Any]
) -> None:
    """Send this body with this status, whatever is asked."""
    respond(handler, body, status)


def hangs(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    time.sleep(60)


def drips(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    """Send a byte now and then, for ever."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(600):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def floods(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    respond(handler, chat("x" * 10_000_000))


def says_no_time(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    """Say to come again after a time that is no number, though `isdigit` says so."""
    handler.send_response(429)
    handler.send_header("Retry-After", "\u00b2")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def cuts(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    """End the connection in the middle of the answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(chat("half")[:50])


def echoes_key(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    """Say the key, and name a legal move."""
    respond(handler, chat(f"Your key is {handler.headers['Authorization']}.\n{any_move(request)}"))


def command_in(folder: Path) -> str:
    """Write the command into a folder; return its words for a tournament.toml."""
    (folder / "model.py").write_text(COMMAND)
    return f'["{sys.executable}", "-S", "model.py"]'
