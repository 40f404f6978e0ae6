"""The webhook at the end of a run: what it gets, where it may be, and what happens if it does not
answer.
"""

import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import chain, repeat

import pytest

from arena.errors import ArenaError
from arena.event import notify
from tests.support import cup, workspaces
from tests.support.sprint import FIRST, LAST


@contextmanager
def webhook(
    status: int = 204, tls: ssl.SSLContext | None = None, **headers: str
) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield the address of a server on this machine, and the messages that it got."""
    messages: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            messages.append(dict(self.headers) | body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/secret?wait=true", messages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.soak
def test_a_webhook_hears_the_end_of_a_run_without_a_name_and_costs_none(tmp_path):
    bots = {"first": FIRST, "broken": "#!/bin/sh\nexit 1\n"}
    with webhook() as (url, messages):
        folder = workspaces.make(tmp_path / "ws", bots, notify={"url": url, "private": True})
        assert cup.run_event(folder).returncode == 0
        (folder / "bots/first").rename(folder / "bots/newer")
        assert cup.run_event(folder).returncode == 0
    silent = cup.run_event(folder, "--set", "notify.url=http://127.0.0.1:1/T0KEN")
    assert silent.returncode == 0
    assert "notify.url: 127.0.0.1 was not told: Connection refused" in silent.stderr
    assert "T0KEN" not in silent.stderr
    first, second = (message["text"] for message in messages)
    assert first == "cup: 2 of 2 matches are played. 1 bot did not start, and forfeits its matches."
    assert second.endswith("sprint has another first.")
    assert all(message["content"] == message["text"] for message in messages)
    assert "broken" not in first + second


def test_an_address_inside_a_network_gets_nothing_unless_the_event_allows_it():
    with webhook() as (url, messages):
        with pytest.raises(ArenaError, match="is inside a network; `private = true` allows that"):
            notify.post(url, "hello")
        assert messages == []
        notify.post(url, "hello", private=True)
        assert [message["text"] for message in messages] == ["hello"]


def test_no_redirect_is_followed():
    with webhook() as (other, stolen), webhook(302, Location=other) as (url, _):
        with pytest.raises(ArenaError, match="answered 302"):
            notify.post(url, "hello", private=True)
        assert stolen == []


@contextmanager
def server(answer: Iterable[bytes]) -> Iterator[str]:
    """Yield the address of a server that sends these bytes until nobody reads them."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def send() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                for part in answer:
                    connection.sendall(part)
                    time.sleep(0.01)

        threading.Thread(target=send, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_a_server_that_never_comes_to_an_end_is_left_after_a_while(monkeypatch, first):
    monkeypatch.setattr(notify, "DEADLINE_S", 0.5)
    with (
        server(chain([first], repeat(first or b"H"))) as url,
        pytest.raises(ArenaError, match="was not told: no answer"),
    ):
        notify.post(url, "hello", private=True)


def test_nobody_inside_a_network_hears_of_a_message_that_is_not_for_them():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        with pytest.raises(ArenaError, match="is inside a network"):
            notify.post(f"http://127.0.0.1:{listening.getsockname()[1]}/", "hello")
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()


@pytest.mark.parametrize(
    ("answers", "tried"),
    [
        (
            [["8.8.8.8"], ["127.0.0.1"]],
            ["8.8.8.8"],
        ),  # the name leads elsewhere when it is asked again
        ([["8.8.8.8", "2001:4860:4860::8888"]], ["8.8.8.8", "2001:4860:4860::8888"]),
        ([["8.8.8.8", "10.0.0.1"]], []),
        ([["fe80::1%lo"]], []),
    ],
)
def test_only_addresses_that_were_judged_are_tried(monkeypatch, answers, tried):
    def look_up(*words, **keys):
        return [(0, 0, 0, "", (address, 443)) for address in answers.pop(0)]

    def connect(address, timeout):
        met.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")

    met: list[str] = []
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(ArenaError, match="Connection refused" if tried else "is inside a network"):
        notify.post("https://hooks.example/x", "hello")
    assert met == tried


def test_a_server_must_prove_its_name(tmp_path, monkeypatch):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = (
        "req -x509 -newkey ed25519 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    command = ["openssl", *words.split(), "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with webhook(tls=context) as (url, messages):
        url = url.replace("http:", "https:")
        with pytest.raises(ArenaError, match="was not told: "):
            notify.post(url, "hello", private=True)
        notify.post(url.replace("127.0.0.1", "localhost"), "hello", private=True)
    assert [message["text"] for message in messages] == ["hello"]


def test_each_service_finds_the_text_where_it_looks_for_it():
    with webhook() as (url, messages):
        notify.post(url, "x" * 3000, private=True)
    (message,) = messages
    assert message["text"] == message["content"] == message["message"] == "x" * 2000
    assert (message["X-Template"], message["X-Message"]) == ("yes", "{{.message}}")  # of ntfy


@pytest.mark.parametrize(
    "host", ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "2130706433", "0"]
)
def test_other_ways_to_write_an_address_of_this_machine_are_known(host):
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(ArenaError, match="is inside a network"):
            notify.post(f"http://{host}:{port}/", "hello")


def test_an_address_in_ipv6_needs_no_port():
    with pytest.raises(ArenaError, match="::1 was not told: Connection refused"):
        notify.post("http://[::1]/", "hello", private=True)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('url = "http://x.invalid/"', "https, or `private = true`"),
        ('url = "https://me:secret@x.invalid/"', "without a name or a password"),
        ('url = "https://[::1/"', "an address such as https://host/path"),
        ('url = "https://x.invalid:99999/"', "an address such as https://host/path"),
        ('url = "https://:443/"', "an address such as https://host/path"),
        ('url = "file:///etc/passwd"', "an address such as https://host/path"),
    ],
)
def test_an_address_that_is_not_allowed_is_a_mistake_in_the_file(tmp_path, lines, words):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    with (folder / "tournament.toml").open("a") as file:
        file.write(f"\n[notify]\n{lines}\n")
    done = cup.arena(folder, "run", "--plan")
    assert done.returncode == 2
    assert words in done.stderr
    assert "tournament.toml: notify" in done.stderr


@pytest.mark.slow
def test_a_quiet_run_prints_nothing_but_mistakes(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": FIRST, "last": LAST})
    with cup.first_chart_only():
        done = cup.arena(folder, "run", "--quiet", "--workers", "1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "results/cup/report.html").is_file()
    (folder / "results/cup/event.sqlite").write_text("no archive")
    done = cup.arena(folder, "run", "--quiet")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_by_http_a_webhook_outside_a_network_hears_nothing_of_the_address():
    with pytest.raises(
        ArenaError,
        match=r"8\.8\.8\.8 is outside this network, where others could read the address: use https",
    ):
        notify.post("http://8.8.8.8/secret", "text", private=True)
