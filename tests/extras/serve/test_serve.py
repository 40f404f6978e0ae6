"""`arena serve`: what readers get, who is refused, and what no answer may say."""

import asyncio
import contextlib
import contextvars
import logging
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

import httpx
import pytest
from starlette.responses import PlainTextResponse

from arena.extras.serve import frames, log, server, worker
from arena.extras.serve.accounts import Account, Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.frames import Frames
from arena.extras.serve.guard import Guard, Settings
from arena.extras.serve.people import Threads
from arena.extras.serve.worker import MOST_OF_NETWORK, NETWORK, BusyError, JobError, Worker
from tests.extras.serve.served import drown, raw, served, served_apart
from tests.support import cup, events, workspaces
from tests.support.processes import until

OPENSSL = shutil.which("openssl")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = workspaces.make(tmp_path_factory.mktemp("served"), boards="duel")
    events.run(folder, "results/cup")
    return folder


@pytest.fixture(scope="module")
def client(workspace):
    with served(workspace) as running:
        yield running


def test_the_front_page_names_the_events(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert "cup" in answer.text


def test_every_answer_forbids_a_page_to_load_anything_else(client):
    for path in ("/", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_page_that_fails_forbids_it_too_and_says_nothing_of_why(tmp_path):
    app = make_app(workspaces.make(tmp_path, boards="duel"))
    networks = []
    app.state.accounts.seen = lambda *_: networks.append(NETWORK.get()) or 1 / 0
    with served(tmp_path, app=app) as client:
        (tmp_path / "results/cup").mkdir(parents=True)
        (tmp_path / "results/cup/event.sqlite").touch()
        answer = client.get("/")
    assert answer.status_code == 500
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "ZeroDivisionError" not in answer.text
    assert networks == ["127.0.0.1"]  # for the queues of what is computed


def test_a_page_that_did_not_change_is_not_sent_again(client):
    etag = client.get("/").headers["etag"]
    answer = client.get("/", headers={"if-none-match": etag})
    assert (answer.status_code, answer.content) == (304, b"")


def test_a_name_that_leads_here_from_elsewhere_is_refused(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "localhost:80"}).status_code == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client):
    answer = raw(client, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(("secure", "ours"), [(False, "http"), (True, "https")])
def test_a_form_comes_by_the_scheme_of_the_site(secure, ours):
    async def passed_on(scope, receive, send):
        await PlainTextResponse("passed on")(scope, receive, send)

    async def allowed() -> set[str]:
        transport = httpx.ASGITransport(Guard(passed_on, Settings(secure=secure), {}))
        passed = set()
        async with httpx.AsyncClient(transport=transport, base_url=f"{ours}://localhost") as client:
            for scheme in ("http", "https", ""):
                answer = await client.post("/", headers={"origin": f"{scheme}://localhost"})
                if answer.status_code == 200:
                    passed.add(scheme)
        return passed

    assert asyncio.run(allowed()) == {ours}


FORM = b'--x\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n\\ud800\r\n--x--\r\n'


@pytest.mark.parametrize(
    ("charset", "body", "status"),
    [
        ("", b"xx", 400),
        ("", b"--x\r\nbad header\r\n\r\n", 400),
        ("", b"--x\r\n:\xff\r\n\r\n", 400),
        ("; charset=unicode_escape", FORM, 415),  # which would be half of a surrogate pair
        ("; charset=punycode", FORM, 415),
        ("; charset=UTF-8", FORM, 403),
    ],
)
def test_a_form_that_is_none_is_refused_without_a_line_in_the_log(
    client, caplog, charset, body, status
):
    headers = {"content-type": f"multipart/form-data; boundary=x{charset}"}
    assert client.post("/sign-in", content=body, headers=headers).status_code == status
    assert not caplog.records


def test_a_line_that_strangers_can_cause_is_written_so_often_and_then_counted(monkeypatch):
    monkeypatch.setattr(log, "MOST_LINES", 3)
    sparing = log.RepeatLimit()
    record = logging.LogRecord("x", logging.ERROR, "here.py", 1, "page %s fails", ("7",), None)
    other = logging.LogRecord("x", logging.ERROR, "there.py", 1, "another", (), None)
    assert [sparing.filter(record) for _ in range(10)] == [True] * 3 + [False] * 7
    assert sparing.filter(other)
    monkeypatch.setattr(log, "PERIOD_S", 0.0)
    assert sparing.filter(record)
    assert record.getMessage() == "page 7 fails (and 7 lines like this before)"


def test_a_form_of_another_site_is_refused(client):
    assert client.post("/", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_a_client_that_sends_no_request_is_dropped(workspace, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.1)
    with (
        served(workspace) as running,
        socket.create_connection(("127.0.0.1", running.base_url.port)) as silent,
    ):
        silent.settimeout(10)
        silent.sendall(b"GET / HTTP/1.1\r\nHost: local")
        with contextlib.suppress(ConnectionResetError):  # which is as good as a closed connection
            assert silent.recv(1) == b""


def test_a_client_that_is_slow_with_a_second_request_is_dropped(workspace, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.3)
    with (
        served(workspace) as running,
        socket.create_connection(("127.0.0.1", running.base_url.port)) as slow,
    ):
        slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert slow.recv(65536).startswith(b"HTTP/1.1 200")

        def is_dropped() -> bool:
            try:
                slow.sendall(b"G")
            except OSError:
                return True
            return False

        assert until(is_dropped)


def test_one_address_that_takes_all_the_connections_it_can_leaves_others_theirs(
    workspace, monkeypatch
):
    monkeypatch.setattr(server, "CONNECTIONS_OF_NETWORK", 4)
    with served(workspace) as client, contextlib.ExitStack() as taken:
        address = ("127.0.0.1", client.base_url.port)
        asked = b"GET /static/x/arena.css HTTP/1.1\r\nHost: localhost\r\n\r\n"

        def answer(source: str) -> bytes:
            connection = taken.enter_context(socket.create_connection(address, 10, (source, 0)))
            with contextlib.suppress(ConnectionError):
                connection.sendall(asked)
                return connection.recv(20)
            return b""

        assert [answer("127.0.0.2")[:4] for _ in range(6)] == 4 * [b"HTTP"] + 2 * [b""]
        assert answer("127.0.0.3").startswith(b"HTTP")
        taken.close()
        assert until(lambda: answer("127.0.0.2").startswith(b"HTTP"))


def test_one_address_that_makes_few_bytes_take_long_leaves_others_the_time(workspace, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 600.0)
    share = server.READING_SHARE
    monkeypatch.setattr(server, "READING_SHARE", 0.0)
    monkeypatch.setattr(server, "READING_S", 0.1)
    with served(workspace) as client:
        address = ("127.0.0.1", client.base_url.port)
        head = b"GET / HTTP/1.1\r\nHost: localhost\r\n"

        def answer(source: str) -> bytes:
            with (
                socket.create_connection(address, 60, (source, 0)) as asking,
                contextlib.suppress(ConnectionError),
            ):
                asking.sendall(head + b"Connection: close\r\n\r\n")
                return asking.recv(20)
            return b""

        with socket.create_connection(address, 60, ("127.0.0.2", 0)) as busy:
            busy.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            with pytest.raises(ConnectionError):
                drown(busy, b"1\r\nx\r\n")
            assert answer("127.0.0.2") == b""
        assert answer("127.0.0.3").startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(server, "READING_SHARE", share)
        assert until(lambda: answer("127.0.0.2").startswith(b"HTTP/1.1 200"), 60)


def test_silent_connections_never_take_the_files_that_the_server_needs(workspace, monkeypatch):
    monkeypatch.setattr(server, "CONNECTIONS", 6)
    monkeypatch.setattr(server, "OTHER_FILES", 6)
    with served(workspace) as client, contextlib.ExitStack() as taken:
        address = ("127.0.0.1", client.base_url.port)
        silent = [
            taken.enter_context(socket.create_connection(address, 10, (f"127.0.0.{n}", 0)))
            for n in range(2, 20)
        ]
        ended = [each for each in silent[6:] if not received(each)]
        assert len(ended) == 12


def received(connection: socket.socket) -> bytes:
    with contextlib.suppress(ConnectionError):
        return connection.recv(1)
    return b""


def test_nobody_gets_the_page_of_a_reader_who_has_gone():
    async def answers() -> tuple[object, object]:
        worker = Worker()
        try:
            await worker.run(abs, 0)  # so that the process is there
            gone = asyncio.create_task(worker.run(time.sleep, 0.2))
            await asyncio.sleep(0.05)
            gone.cancel()
            return await worker.run(abs, -1), await worker.run(abs, -2)
        finally:
            worker.close()

    assert asyncio.run(answers()) == (1, 2)


def test_a_job_may_wait_for_a_busy_machine_but_not_compute_for_ever(monkeypatch):
    async def answers() -> object:
        asked = Worker()
        try:
            await asked.run(abs, 0)  # so that the process is there
            with monkeypatch.context() as short:
                short.setattr(worker, "JOB_S", 0.1)
                await asked.run(time.sleep, 3 * worker.LOOK_S)
                with pytest.raises(JobError):
                    await asked.run(sum, range(10**12))
            return await asked.run(abs, -1)
        finally:
            asked.close()

    assert asyncio.run(answers()) == 1


def test_a_worker_keeps_nothing_of_a_job_that_is_done():
    tie = "class Knot: pass\nknot = Knot()\nknot.itself = knot"
    count = "sum(type(each).__name__ == 'Knot' for each in __import__('gc').get_objects())"

    async def left() -> object:
        asked = Worker()
        try:
            await asked.run(exec, tie, {})
            return await asked.run(eval, count)
        finally:
            asked.close()

    assert asyncio.run(left()) == 0


@pytest.mark.parametrize(("asker", "most"), [("Ada", 3), ("", 20)])
def test_neither_an_author_nor_an_address_fills_the_queue_of_all(asker, most):
    async def answers() -> object:
        worker = Worker()

        def ask(network: str, asker: str, *job: object) -> asyncio.Task:
            context = contextvars.copy_context()
            context.run(NETWORK.set, network)
            return asyncio.create_task(worker.run(*job, asker=asker), context=context)

        try:
            asked = [ask("1.2.3.4", asker, time.sleep, 0.01) for _ in range(100)]
            await asyncio.sleep(0)
            answer = await ask("5.6.7.8", asker and "Ben", abs, -1)
            results = await asyncio.gather(*asked, return_exceptions=True)
            again = await ask("1.2.3.4", asker, abs, -2)
            return (
                answer,
                results.count(None),
                {type(each) for each in results if each is not None},
                again,
            )
        finally:
            worker.close()

    assert asyncio.run(answers()) == (1, most, {BusyError}, 2)


def test_the_front_page_asks_the_accounts_no_more_often_for_many_requests(tmp_path, monkeypatch):
    accounts, asked, rows = Accounts(workspaces.make(tmp_path, boards="duel")), [], Accounts._rows
    monkeypatch.setattr(Accounts, "_rows", lambda *values: asked.append(values) or rows(*values))
    session, counts = accounts.sign_in(accounts.invite("Ada", "test")), []
    with served(tmp_path) as client:
        client.cookies.set("arena_session", session)
        for number in range(6):
            (folder := tmp_path / f"results/request-{number}").mkdir(parents=True)
            (folder / "event.sqlite").touch()
            asked.clear()
            assert client.get("/").status_code == 200
            counts.append(
                sum("sessions" in query or "id from requests" in query for _, query, *_ in asked)
            )
    assert counts[-1] == counts[0]


def test_an_account_takes_one_thread_of_the_server_at_a_time():
    async def answers() -> object:
        threads, under_way, most = Threads(), [], 0

        def work(_: object) -> None:
            nonlocal most
            under_way.append(1)
            most = max(most, len(under_way))
            time.sleep(0.01)
            under_way.pop()

        asked = [
            asyncio.create_task(threads.run(Account(id="ann", name="Ann"), work, n))
            for n in range(100)
        ]
        await asyncio.sleep(0)
        answer = await threads.run(Account(id="ben", name="Ben"), abs, -1)
        results = await asyncio.gather(*asked, return_exceptions=True)
        return (
            answer,
            most,
            results.count(None),
            {type(each) for each in results if each is not None},
        )

    assert asyncio.run(answers()) == (1, 1, 20, {BusyError})


def test_a_page_that_reads_the_bots_for_an_account_does_so_in_its_thread(workspace, monkeypatch):
    asked = []

    async def run(_self: object, account: Account, *_: object) -> None:
        asked.append(account.name)
        raise BusyError

    monkeypatch.setattr(Threads, "run", run)
    accounts = Accounts(workspace)
    session = accounts.sign_in(accounts.invite("Ada", "test"))
    pages = ("/me", "/me/bots/first", "/me/matches.zip", "/play", "/events/cup/bot.json?name=first")
    with served(workspace) as client:
        client.cookies.set("arena_session", session)
        assert [client.get(page).status_code for page in pages] == [429] * len(pages)
    assert asked == ["Ada"] * len(pages)


def test_what_is_remembered_of_events_is_bounded_by_its_size_too(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "MOST_FRAME_BYTES", 10_000_000)

    async def remembered() -> int:
        made = frames.Frames(tmp_path)
        try:
            for number in range(10):
                assert len(await made.match("cup", megabytes, 3 + number % 2, number)) > 3_000_000
            return sum(len(frame.value) for frame in made._frames.values())
        finally:
            made.close()

    assert 3_000_000 < asyncio.run(remembered()) < 10_000_000


def megabytes(_folder: Path, size: int, _number: int) -> bytes:
    return bytes(size * 1_000_001)


def test_whoever_has_asked_for_too_much_keeps_no_table_old_for_others(tmp_path, monkeypatch):
    asked = []

    async def run(*_: object) -> int:
        asked.append(NETWORK.get())
        if asked[-1] == "greedy":
            raise BusyError
        return len(asked)

    async def ask() -> list[str]:
        made = Frames(tmp_path)
        made._tables.run = run
        for network in ("first", "greedy", "other"):
            NETWORK.set(network)
            await asyncio.sleep(0.1)
            await made.table("cup", abs)
            await asyncio.sleep(0)
        return asked

    monkeypatch.setattr(frames, "last_changes", lambda _: len(asked))
    monkeypatch.setattr(frames, "FRESH_S", 0.05)
    assert asyncio.run(ask()) == ["first", "greedy", "other"]


def test_whoever_asks_for_all_pictures_keeps_no_table_from_being_computed(tmp_path):
    async def ask(frames: Frames) -> Path:
        asked = [
            frames.picture("cup", Path.joinpath, f"{number}.png")
            for number in range(MOST_OF_NETWORK + 1)
        ]
        pictures = asyncio.gather(*asked, return_exceptions=True)
        await asyncio.sleep(0)  # all are waiting now
        found = await frames.table("cup", Path.joinpath, "table")
        assert [type(each) for each in await pictures].count(BusyError) == 1
        return found

    frames = Frames(tmp_path)
    try:
        assert asyncio.run(ask(frames)) == tmp_path / "cup" / "table"
    finally:
        frames.close()


def test_a_port_that_is_taken_is_one_clear_line(workspace):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert cup.refused(
            cup.arena(workspace, "serve", "--port", str(taken.getsockname()[1])),
            "try another --port",
        )


def test_a_temporary_folder_whose_name_is_too_long_is_one_clear_line(workspace, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", f"/tmp/{'x' * 60}")
    assert cup.refused(
        cup.arena(workspace, "serve", "--port", "0"), "too long for a socket in it; set TMPDIR"
    )


def test_a_certificate_that_is_none_is_one_clear_line(workspace):
    words = ("--port", "0", "--tls-cert", "tournament.toml", "--tls-key", "tournament.toml")
    assert cup.refused(cup.arena(workspace, "serve", *words), "no certificate with its key")
    assert cup.refused(cup.arena(workspace, "serve", "--proxy", "caddy"), "expected an address")


def test_other_machines_are_served_without_tls_only_if_the_organiser_says_so(workspace):
    words = ("--host", "0.0.0.0", "--port", "0")
    assert cup.refused(
        cup.arena(workspace, "serve", *words),
        "without TLS others on the way can read tokens and use them",
    )


@pytest.mark.soak
def test_other_machines_are_served_without_tls_after_a_warning(workspace):
    words = ("--host", "0.0.0.0", "--port", "0")
    command = served_apart(workspace, *words, "--unencrypted")
    assert until(lambda: "without TLS: others on the way can read tokens" in command.said())
    command.signal(signal.SIGINT)
    command.wait()


def test_a_closed_terminal_ends_a_site_that_is_read_at_this_moment(workspace):
    command = served_apart(workspace, "--port", "0")
    assert until(lambda: "until Ctrl-C" in command.said()), command.stuck()
    begun = command.said()
    port = int(re.search(r":(\d+)/", begun)[1])
    with socket.create_connection(("127.0.0.1", port)) as reader:
        reader.sendall(b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\n\r\n" * 300)
        assert reader.recv(1) == b"H"
        command.signal(signal.SIGHUP)
        assert command.wait() == 128 + signal.SIGHUP
    assert command.said() == begun


@pytest.mark.soak
def test_ctrl_c_in_the_terminal_of_a_site_that_has_just_begun_is_no_traceback(workspace):
    command = cup.Command(workspace, "serve", "--port", "0")
    assert until(lambda: "until Ctrl-C" in command.said()), command.stuck()
    begun = command.said()
    time.sleep(0.3)  # what makes tables is imported by a process of its own
    os.killpg(command.pid, signal.SIGINT)
    assert command.wait() == 128 + signal.SIGINT
    assert until(lambda: not list(cup.processes_in(workspace)))
    assert command.said() == begun


def test_behind_a_proxy_nobody_else_is_heard(monkeypatch):
    with contextlib.closing(server.listening("127.0.0.1", 0, "192.0.2.1")) as listener:
        address = listener.getsockname()
        with socket.create_connection(address):  # of this machine
            listener.accept()[0].close()
        monkeypatch.setattr(server, "is_here", lambda _: False)
        with socket.create_connection(address), pytest.raises(ConnectionAbortedError):
            listener.accept()
    assert not server.is_here("192.0.2.1")


def test_a_reader_says_no_address_but_the_proxy_that_was_named_does(workspace):
    for proxy, statuses in ((None, {405, 429}), ("127.0.0.1", {405})):
        with served(workspace, Settings(writes_per_s=1), proxy=proxy) as client:
            found = {
                client.post("/", headers={"x-forwarded-for": f"9.9.9.{n}"}).status_code
                for n in range(20)
            }
        assert found == statuses


@pytest.mark.slow
@pytest.mark.skipif(OPENSSL is None, reason="needs openssl, which makes the certificate")
def test_the_site_is_served_by_tls_with_a_certificate_of_ones_own(workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 3.0)
    made = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=localhost"
    )
    files = ("-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem")
    subprocess.run([OPENSSL, *made.split(), *files], cwd=tmp_path, check=True, capture_output=True)
    token = Accounts(workspace).invite("Tess", "test")
    words = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    command = served_apart(workspace, *words)
    assert until(lambda: "serving https://127.0.0.1:" in command.said()), command.stuck()
    port = int(re.search(r":(\d+)/", command.said())[1])
    trusted = ssl.create_default_context(cafile=tmp_path / "cert.pem")
    silent = socket.create_connection(("localhost", port), 20)  # without a handshake
    with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=150) as client:
        page = client.get("/sign-in")
        secret = re.search(r'name="csrf" value="(\w+)"', page.text)[1]
        answer = client.post("/sign-in", data={"token": token, "csrf": secret})
        assert answer.headers["set-cookie"].startswith(
            "__Host-"
        )  # so no neighbour of the domain can set it
        assert "Secure" in answer.headers["set-cookie"]
        assert "strict-transport-security" in answer.headers
        assert client.get("/me").status_code == 200
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"http://localhost:{port}/")
    with silent:
        assert received(silent) == b""
    command.signal(signal.SIGINT)
    assert command.wait() == 128 + signal.SIGINT
