"""Remote seats: a bot on its author's machine, whose connection to the site is lost and comes
back.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import websockets.sync.server
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from arena.author.submissions.bot_store import BotStore
from arena.errors import ArenaError
from arena.extras.serve import join, remote, server
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.remote_seat import RemoteSeat
from arena.protocol import Ask
from arena.replay import notation
from arena.results.archive import Archive
from arena.values import Bot, Ending, Seat
from tests.extras.serve.served import drown, served, without
from tests.support import cup, workspaces
from tests.support.processes import until

THINKS = cup.BOT.format(place=0, pause=0.02)


class Wire:
    """A way to a server that can be cut."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.broken, self.connections = False, 0
        self._silent: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self.broken:
                    near.close()
                    continue
                far = socket.create_connection(self._target)
                self.connections += 1
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if source not in self._silent:
                    target.sendall(data)
        self._end(source, target)

    def _end(self, *sockets: socket.socket) -> None:
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def cut(self) -> None:
        """Cut all connections that are open."""
        connections, self._open = self._open, []
        self._end(*connections)

    def silence(self) -> None:
        """Lose all that the open connections carry from now on, and close none, as a network that
        fails.
        """
        self._silent.update(self._open)

    def close(self) -> None:
        self._end(self._listening)
        self.cut()


@contextlib.contextmanager
def seat(folder: Path, url: str, token: str, bot: str = THINKS):
    """Let a bot join from a folder of its own."""
    (folder / "mine.py").write_text(bot)
    command = cup.Command(folder, "join", url, "--bot", "mine.py", ARENA_TOKEN=token)
    try:
        assert until(lambda: "joined as" in command.said(), 30), command.said()
        yield command
    finally:
        with contextlib.suppress(ProcessLookupError):
            command.signal(cup.signal.SIGINT)
        command.wait()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A workspace with a remote author, and the folder of that author."""
    monkeypatch.setattr(join, "RETRY_S", 0.1)
    monkeypatch.setattr(join, "PING_S", 1.0)
    (tmp_path / "mine").mkdir()
    keys = {
        "time": {"start": 60.0, "move": 60.0},
        "remote": {"grace": 60},
    }  # reached on no busy machine
    workspace = workspaces.make(tmp_path / "site", boards="duel", **keys)
    accounts = Accounts(workspace)
    with without(accounts, "charts"):
        yield workspace, tmp_path / "mine", accounts, accounts.invite("Ada", "test")


def played(accounts: Accounts) -> bool:
    return bool(accounts.setting("remote played", {}))


def count(results: Path) -> int:
    """Return how many matches are stored; -1 before there is an archive."""
    try:
        with Archive.open(results) as archive:
            return archive.count()
    except ArenaError:
        return -1


@pytest.mark.soak
def test_an_event_whose_seat_is_cut_and_silenced_ends_with_the_right_tables(site):
    workspace, mine, accounts, token = site
    results = workspace / "results/cup-remote"
    with served(workspace) as client:
        wire = Wire(client.base_url.port)
        with contextlib.closing(wire), seat(mine, wire.url, token):
            for number, lose in enumerate((wire.cut, wire.cut, wire.silence, wire.cut)):
                assert until(
                    lambda losses=number: (
                        wire.connections > losses and count(results) >= losses // 2
                    ),
                    60,
                )
                time.sleep(0.1)  # in the midst of the next match
                lose()
            assert until(lambda: wire.connections > 4 and played(accounts), 120)
            with Archive.open(results) as archive:
                records = list(archive.records())
            assert [fault for record in records for fault in record.verdict.faults] == []
            assert records[0].match.conditions.remote.grace == 60
            cut = [(results / name).read_text() for name in ("leaderboard.csv", "matches.csv")]
            shutil.rmtree(results)
            accounts.set("remote played", {})
            accounts.begin_round()
            accounts.end_round()  # so that they play once more, with no cut
            assert until(lambda: played(accounts), 120)
            assert cut == [
                (results / name).read_text() for name in ("leaderboard.csv", "matches.csv")
            ]
    assert {seat.bot.name for record in records for seat in record.match.seats} == {
        "Ada_remote",
        "first",
        "last",
    }
    text = notation.text_of(records[0])
    assert notation.record_of(text) == notation.portable(records[0])
    assert str(workspace) not in text
    assert cup.arena(workspace, "verify", "cup-remote").returncode == 0
    assert {
        report.confined
        for record in records
        for report in record.seats
        if report.bot == "Ada_remote"
    } == {"remote"}


def test_a_remote_bot_is_no_program_that_a_command_could_start(tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    (workspace / "bots/far").mkdir()
    (workspace / "bots/far/bot.toml").write_text('remote = "1"\n')
    for words in (["check", "far"], ["submit", "bots/far", "--as", "near"]):
        done = cup.arena(workspace, *words)
        assert "stays on its author's machine" in done.stdout + done.stderr
        assert done.returncode in {1, 2}
    assert (
        "far" not in cup.arena(workspace, "run", "--plan").stdout
    )  # it plays in an event of its own


def joined(socket) -> str:
    """Say hello, and return the answer."""
    socket.send('{"version": "1", "games": [], "roles": []}')
    return str(socket.recv())


@contextlib.contextmanager
def joining(site, **settings):
    """Serve a site in which nothing is played; yield its hub and a way to connect as its author."""
    workspace, _, accounts, token = site
    accounts.set("paused", value=True)
    app = make_app(workspace)
    with served(workspace, app=app) as client:
        url = f"ws://127.0.0.1:{client.base_url.port}/join"
        headers = {"Authorization": f"Bearer {token}"}
        yield app.state.hub, lambda: connect(url, additional_headers=headers, **settings)


def test_an_open_question_is_asked_again_when_a_bot_joins_twice(site):
    workspace, *_ = site
    with (
        joining(site) as (_, join_again),
        join_again() as older,
        socket.socket(socket.AF_UNIX) as match,
    ):
        assert "Ada_remote" in joined(older)
        match.settimeout(10)
        match.connect(str(workspace / "bots/_remote.sock"))
        match.sendall(b'{"bot": "Ada_remote", "session": "s"}\n')
        said = match.makefile()
        assert json.loads(said.readline()) == {"here": True}
        with join_again() as newer:
            assert "Ada_remote" in joined(newer)
            assert [json.loads(said.readline()) for _ in range(2)] == [
                {"here": False},
                {"here": True},
            ]
            with pytest.raises(ConnectionClosed) as closed:
                older.recv()
    assert closed.value.rcvd.code == join.REPLACED


def test_a_bot_that_answers_without_end_fills_no_memory(site, monkeypatch):
    monkeypatch.setattr(remote, "BYTES_PER_S", 1e9)
    workspace, *_ = site
    with (
        joining(site) as (hub, connection),
        connection() as bot,
        socket.socket(socket.AF_UNIX) as match,
    ):
        joined(bot)
        match.settimeout(10)
        match.connect(str(workspace / "bots/_remote.sock"))
        match.sendall(b'{"bot": "Ada_remote", "session": "s"}\n')
        match.recv(100)  # and nothing more, as while its opponent thinks
        for _ in range(20):
            bot.send(json.dumps({"session": "s", "number": 1, "line": "x" * 500_000}))
        bot.ping().wait(60)
        assert (
            max(writer.transport.get_write_buffer_size() for _, writer in hub._matches.values())
            < 1_000_000
        )


@contextlib.contextmanager
def asked(workspace: Path, bot: str) -> Iterator[tuple[socket.socket, object]]:
    """Be a match that asks a bot; yield its socket, and the lines that it hears."""
    with socket.socket(socket.AF_UNIX) as match, match.makefile() as said:
        match.settimeout(10)
        match.connect(str(workspace / "bots/_remote.sock"))
        match.sendall(json.dumps({"bot": bot, "session": "s"}).encode() + b"\n")
        assert json.loads(said.readline()) == {"here": True}
        yield match, said


def test_a_bot_says_nothing_to_its_match_but_an_answer(site):
    workspace, *_ = site
    with joining(site) as (_, connection), connection() as bot:
        joined(bot)
        with asked(workspace, "Ada_remote") as (_, said):
            bot.send(
                json.dumps(
                    {
                        "session": "s",
                        "here": False,
                        "number": [[1]],
                        "failed": {},
                        "remarks": ["#", 1],
                    }
                )
            )
            bot.send(
                json.dumps(
                    {
                        "session": "s",
                        "number": 1,
                        "line": "\ud800\nx" + "y" * 90_000,
                        "bot": "Bob_remote",
                    }
                )
            )
            assert json.loads(said.readline()) == {"session": "s", "remarks": ["#"]}
            answer = json.loads(said.readline())
    assert answer.keys() == {"session", "number", "line"}
    assert len(answer["line"]) == 65536


@pytest.mark.soak
def test_a_bot_that_sends_much_is_read_slowly_and_another_at_once(site, monkeypatch):
    monkeypatch.setattr(remote, "BYTES_PER_S", 100.0)
    workspace, _, accounts, _ = site
    other = {"Authorization": f"Bearer {accounts.invite('Bob', 'test')}"}
    with joining(site) as (hub, connection), connection() as bot:
        joined(bot)
        url = f"ws://127.0.0.1:{bot.socket.getpeername()[1]}/join"
        with connect(url, additional_headers=other) as rival:
            joined(rival)
            for number in range(3):
                bot.send(json.dumps({"session": "s", "number": number, "line": "x" * 5000}))
            assert until(lambda: "Ada_remote" in hub._read_until)
            with asked(workspace, "Bob_remote") as (_, said):
                rival.send('{"session": "s", "number": 1, "line": "mine"}')
                assert json.loads(said.readline())["line"] == "mine"
            assert (
                hub._read_until["Ada_remote"] < time.monotonic() + 2 * 5000 / remote.BYTES_PER_S
            )  # one is read


def test_a_bot_neither_keeps_its_site_busy_with_pings_nor_fills_its_memory(site, monkeypatch):
    monkeypatch.setattr(join, "PING_S", None)
    monkeypatch.setattr(server, "READING_S", 0.1)
    monkeypatch.setattr(
        server, "READING_SHARE", 0.0
    )  # a busy machine leaves the site less than it would give back
    with joining(site, ping_interval=None) as (_, connection), connection() as bot:
        joined(bot)
        assert bot.protocol.extensions == []  # a compressed kilobyte would be a megabyte there
        # By a descriptor of the test's own: a thread of the library closes the bot's as soon as the
        # site hangs up.
        with bot.socket.dup() as pinging, pytest.raises(ConnectionError):
            drown(pinging, b"\x89\x80\0\0\0\0")


def test_a_bot_waits_while_the_event_cannot_be_read_and_learns_no_path(site):
    workspace, *_ = site
    with joining(site) as (_, connection), connection() as bot:
        (workspace / "tournament.toml").write_text("name = 5")
        with pytest.raises(ConnectionClosed) as closed:
            joined(bot)
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1013, "")


@pytest.mark.soak
def test_bots_that_join_while_uploads_are_checked_hold_up_no_page(site):
    workspace, _, accounts, token = site
    tokens = [
        token,
        *(accounts.invite(f"Bob {number}", "test") for number in range(35)),
    ]  # the pages have 32 threads
    with (
        served(workspace) as client,
        contextlib.ExitStack() as joining,
        BotStore(workspace / "bots").changing(),
    ):
        client.cookies.set("arena_session", accounts.sign_in(token))
        url = f"ws://127.0.0.1:{client.base_url.port}/join"
        for each in (*tokens, token):
            bot = joining.enter_context(
                connect(url, additional_headers={"Authorization": f"Bearer {each}"})
            )
            bot.send('{"version": "1"}')
        with pytest.raises(ConnectionClosed) as closed:  # one of Ada's waits already
            bot.recv(60)
        assert closed.value.rcvd.code == 1013
        assert client.get("/me", timeout=10).status_code == 200


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://arena.example.org/", "wss://arena.example.org/join"),
        ("http://localhost:8000", "ws://localhost:8000/join"),
        ("http://127.0.0.2", "ws://127.0.0.2/join"),
        ("http://[::1]:80/", "ws://[::1]:80/join"),
    ],
)
def test_a_token_travels_by_tls_or_on_this_machine(url, address):
    assert join.socket_address(url, unencrypted=False) == address


@pytest.mark.parametrize(
    "url",
    [
        "http://arena.example.org",
        "http://192.0.2.1:8000",
        "http://localhost.example.org",
        "http://[2001:db8::1]",
    ],
)
def test_a_token_goes_unencrypted_to_another_machine_only_if_its_author_says_so(tmp_path, url):
    with pytest.raises(
        join.RefusedError, match=r"can be read on its way; use https, or .* --unencrypted"
    ):
        join.socket_address(url, unencrypted=False)
    assert join.socket_address(url, unencrypted=True).startswith("ws://")


@pytest.mark.parametrize(
    "url",
    [
        "arena.example.org",
        "ftp://x",
        "http://",
        "https://me:secret@x",
        "http://[::1",
        "https://x:99999",
        "https://\x1b[2J",
    ],
)
def test_what_is_no_address_of_a_site_is_refused_in_a_line_that_is_harmless(url):
    with pytest.raises(join.RefusedError, match="expected the address of a site") as refused:
        join.socket_address(url, unencrypted=True)
    assert str(refused.value).isprintable()


def test_join_refuses_http_to_another_machine_before_it_asks_for_a_token(tmp_path):
    done = cup.arena(tmp_path, "join", "http://192.0.2.1", "--command", "cat")
    assert cup.refused(done, "by http the token can be read on its way")


def test_a_token_is_read_from_a_file_that_nobody_else_may_read(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "in-variable")
    assert join.read_token(None) == "in-variable"
    assert "ARENA_TOKEN" not in join.os.environ  # of which the bot would get a copy
    file = tmp_path / "my token"
    file.write_text("in-file\n")
    file.chmod(0o640)
    with pytest.raises(
        join.RefusedError, match=r"others may read this token: chmod 600 '.*my token'"
    ):
        join.read_token(file)
    file.chmod(0o600)
    assert join.read_token(file) == "in-file"
    for text in ("", "two words", "t\u00f6ken", "x" * 2000, "a\nb: c"):
        file.write_text(text)
        with pytest.raises(join.RefusedError, match="this is no token"):
            join.read_token(file)
    with pytest.raises(join.RefusedError, match="cannot be read"):
        join.read_token(tmp_path)


def test_without_a_terminal_join_names_the_file_for_the_token(tmp_path):
    done = cup.arena(tmp_path, "join", "https://arena.example.org", "--command", "cat")
    assert cup.refused(done, "there is no terminal to ask for it; name a file: --token-file FILE")


@contextlib.contextmanager
def answering(*answers: str) -> Iterator[str]:
    """Be a site that says these things after the hello; a `Location: ` is that of a redirect. Yield
    its address.
    """

    def redirect(connection, _):
        if not answers[0].startswith("Location: "):
            return None
        response = connection.respond(302, "")
        response.headers["Location"] = answers[0].partition(" ")[2]
        return response

    def say(connection) -> None:
        connection.recv()
        for answer in answers:
            connection.send(answer)

    with websockets.sync.server.serve(say, "127.0.0.1", 0, process_request=redirect) as site:
        threading.Thread(target=site.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{site.socket.getsockname()[1]}"
        finally:
            site.shutdown()


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (
            ["Location: ws://127.0.0.2:1/join"],
            "this site leads to ws://127.0.0.2:1/join, where the token does not follow",
        ),
        (["[" * 100_000], "what answers there is no site of arena"),
        (["7"], "what answers there is no site of arena"),
        (['{"refused": "\\ud800\\u001b[2J"}'], "??[2J"),
        (
            ['{"bot": "\\ud800"}', '{"session": [], "number": 1}'],
            "what answers there is no site of arena",
        ),
        (
            ['{"bot": "x"}', '{"session": "s", "number": "1", "text": "go"}'],
            "what answers there is no site of arena",
        ),
    ],
)
def test_whatever_answers_in_place_of_a_site_is_refused_in_one_line(monkeypatch, answers, words):
    monkeypatch.setenv("ARENA_TOKEN", "t")
    monkeypatch.setenv(
        "http_proxy", "http://127.0.0.1:1"
    )  # it would read the token, and is not asked
    monkeypatch.setenv("no_proxy", "")
    with answering(*answers) as url, pytest.raises(join.RefusedError, match=re.escape(words)):
        join.take_seat(url, None, "cat")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_joined_bot_that_is_ended_while_it_starts_processes_says_nothing_more(tmp_path, number):
    asks = [
        json.dumps({"session": f"{session}", "number": 1, "text": "ready?"})
        for session in range(12)
    ]
    program = f"sh -c 'mkdir first 2>&- && kill -{number} $PPID; cat'"
    with answering('{"bot": "x"}', *asks) as url:
        command = cup.Command(tmp_path, "join", url, "--command", program, ARENA_TOKEN="t")
        code = command.wait()
    assert command.said() == "joined as x; Ctrl-C leaves\n"
    assert code == (0 if number == signal.SIGINT else 128 + number)
    assert not list(cup.processes_in(tmp_path))


def test_a_second_signal_does_not_wait_for_a_site_that_is_frozen():
    async def take():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.Event().wait()  # the site never says goodbye

    async def ends() -> signal.Signals:
        async def insist():
            while True:
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.sleep(0.05)

        insisting = asyncio.ensure_future(insist())
        ended = await join.until_signal(take())
        insisting.cancel()
        return ended

    assert asyncio.run(ends()) == signal.SIGTERM


@pytest.mark.parametrize("end", ["for line in open(0): pass", ""])
def test_ctrl_c_in_the_terminal_of_a_joined_bot_ends_all_it_started_in_silence(tmp_path, end):
    (tmp_path / "mine.py").write_text(
        "import os, subprocess\nsubprocess.Popen(['sleep', '1000'], stdout=subprocess.DEVNULL)\n"
        f"os.symlink(f'/proc/{{os.getpid()}}', 'bot')\n{end}\n"
    )
    ask = json.dumps({"session": "s", "number": 1, "text": "ready?"})
    with answering('{"bot": "x"}', ask) as url:
        command = cup.Command(tmp_path, "join", url, "--bot", "mine.py", ARENA_TOKEN="t")
        bot = tmp_path / "bot"
        assert until(lambda: bot.is_symlink() and bot.exists() == bool(end))
        os.killpg(command.pid, signal.SIGINT)
        assert command.wait() == 0
    assert command.said() == "joined as x; Ctrl-C leaves\n"
    assert not list(cup.processes_in(tmp_path))


def test_a_bot_tries_again_when_its_site_ends_before_an_answer(site):
    workspace, mine, _, token = site
    (mine / "mine.py").write_text(THINKS)
    with served(workspace) as client, contextlib.closing(Wire(client.base_url.port)) as wire:
        wire.broken = True
        command = cup.Command(mine, "join", wire.url, "--bot", "mine.py", ARENA_TOKEN=token)
        assert until(lambda: "trying again" in command.said())
        wire.broken = False
        assert until(lambda: "joined as" in command.said())
        command.signal(cup.signal.SIGINT)
        command.wait()


@contextlib.contextmanager
def connected(grace: float = 60.0) -> Iterator[tuple[RemoteSeat, socket.socket]]:
    """Yield the seat of a remote bot, and the hub's end of its connection."""
    ours, theirs = socket.socketpair()
    seat = RemoteSeat(Seat(role="first", bot=Bot(name="Ada_remote", command=(), digest="0")), grace)
    seat._socket = ours
    with ours, theirs:
        yield seat, theirs


def test_a_connection_that_is_lost_for_longer_than_the_grace_is_a_time_loss():
    with connected(grace=0.5) as (seat, hub):
        hub.sendall(b'{"here": true}\n')
        threading.Timer(0.2, hub.sendall, [b'{"here": false}\n']).start()
        begun = time.monotonic()
        reply = seat.ask(Ask(text=b"go\n", announced=None, deadline=None))
        assert (reply.ending, "the grace of 0.5 s" in reply.words) == (Ending.TIMEOUT, True)
        assert (
            seat.ask(Ask(text=b"go\n", announced=None, deadline=None)).ending is Ending.TIMEOUT
        )  # it has had all of it
        assert reply.spent.wall < 0.5
        assert time.monotonic() - begun < 2.5


def test_a_message_that_is_nested_without_end_is_none():
    with connected() as (seat, theirs):
        theirs.sendall(b"[" * 60_000 + b"\n")
        assert seat._messages() == []


def test_a_bot_that_leaves_after_an_answer_hears_the_next_question_when_it_is_back():
    is_back = threading.Event()

    def carry() -> None:
        """Be the hub: answer the first question and tell at once that the bot has gone; lose what
        comes meanwhile.
        """
        for line in theirs.makefile():
            answer = json.dumps(json.loads(line) | {"line": "left"}).encode() + b"\n"
            if json.loads(line)["number"] == 1:
                theirs.sendall(answer + b'{"here": false}\n')
            elif is_back.is_set():
                theirs.sendall(answer)

    def come_back() -> None:
        is_back.set()
        theirs.sendall(b'{"here": true}\n')

    question = Ask(text=b"go\n", announced=None, deadline=10.0)
    hub = threading.Thread(target=carry)
    with connected() as (seat, theirs):
        hub.start()
        theirs.sendall(b'{"here": true}\n')
        assert seat.ask(question).line == b"left"
        threading.Timer(0.3, come_back).start()
        assert seat.ask(question).line == b"left"
        theirs.shutdown(socket.SHUT_RDWR)
        hub.join()


def test_a_seat_ends_at_once_when_its_token_is_void(site):
    accounts = site[2]
    with joining(site) as (hub, connection), connection() as bot:
        joined(bot)
        assert until(lambda: hub.bots == {"Ada_remote"})
        accounts.note("somebody", "does", "something else")
        time.sleep(3 * remote.TOKEN_LOOK_S)
        assert hub.bots == {"Ada_remote"}
        accounts.revoke(accounts.named("Ada"), "test")
        assert until(lambda: not hub.bots, 3), "a revoked bot still plays"
        with pytest.raises(ConnectionClosed) as closed:
            bot.recv(60)
        assert closed.value.rcvd.code == 1008


@pytest.mark.parametrize(
    "hello",
    [
        {"version": "\ud800"},
        {"version": "1", "games": ["\udfff"]},
        {"version": "1", "roles": ["\ud800x"]},
        {"version": 1e999},
    ],
)
def test_a_hello_that_no_file_can_hold_is_refused_without_a_traceback(site, caplog, hello):
    with joining(site) as (_, connection), connection() as bot:
        bot.send(json.dumps(hello))
        assert "refused" in str(bot.recv(60))
    assert not caplog.records


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("error", [WebSocketDisconnect(1006), RuntimeError("closed"), OSError()])
def test_a_client_that_is_gone_before_it_is_refused_is_no_error(site, known, error):
    _, _, accounts, token = site

    async def fails(*_: object) -> None:
        raise error

    async def nothing(*_: object) -> str:
        return "{}"

    client = SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(accounts=accounts)),
        headers={"authorization": f"Bearer {token if known else ''}"},
        accept=nothing,
        receive_text=nothing,
        send_json=fails,
        close=fails,
    )
    asyncio.run(remote.join(client))


@pytest.mark.slow
def test_a_stranger_joins_nothing_and_disturbs_nobody(site, monkeypatch):
    monkeypatch.setattr(remote, "TOKEN_LOOK_S", 0.2)
    workspace, _, accounts, token = site
    with served(workspace) as client:
        url = f"ws://127.0.0.1:{client.base_url.port}/join"
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {token}"}):
            with pytest.raises(InvalidStatus) as refused, connect(url, additional_headers=headers):
                pass
            assert refused.value.response.status_code == 403
        hostile = [
            "",
            "[]",
            "{}",
            "{",
            '{"version": 1}',
            '{"version": "x", "games": "y"}',
            '{"version": "' + "x" * 5000 + '"}',
        ]
        for hello in hostile:
            with (
                contextlib.suppress(InvalidStatus),
                connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket,
            ):
                socket.send(hello)
                assert "refused" in socket.recv()
            time.sleep(0.25)  # so that the guard refuses none of them for being many
        assert not list((workspace / "bots").glob("Ada*"))
        with connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
            socket.send('{"version": "1", "games": [], "roles": []}')
            assert "Ada_remote" in socket.recv()
            socket.send('{"session": "of somebody else", "number": 1, "line": "x"}')
            socket.send("no message")
            with pytest.raises(ConnectionClosed):
                socket.recv()
        assert accounts.uploads()[0].status == "accepted"
        with connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
            socket.send('{"version": "1", "games": [], "roles": []}')
            assert "Ada_remote" in socket.recv()
            accounts.revoke(accounts.named("Ada"), "test")
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=20)
        assert "import argparse" in client.get("/join.py").text
    assert not (workspace / "bots/_remote.sock").exists()


def test_a_remote_bot_that_ended_is_known_by_its_exit_and_no_closed_pipe(tmp_path):
    (tmp_path / "mine.py").write_text("print('ready', flush=True)\nraise SystemExit(3)\n")

    async def nothing(message: dict[str, object]) -> None:
        pass

    async def converse() -> list[dict[str, object]]:
        session = join.SeatSession()
        answers = []
        for number in (1, 2):
            question = {"session": "s", "number": number, "text": "go\n", "ready": number == 1}
            command = [sys.executable, "mine.py"]
            answers.append(await session.ask(question, command, str(tmp_path), nothing))
            await session._process.wait()
            await asyncio.sleep(0.05)  # so that the pipe is known to be closed
        return answers

    ready, ended = asyncio.run(converse())
    assert ready["line"] == "ready"
    assert ended["failed"] == "the bot ended before its answer: exit 3"


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (
            "time.sleep(60)",
            r"""no `ready` from its author's machine in 0.5 s; it printed "\ufeffREADY", "a" instead""",
        ),
        (
            "sys.exit(3)",
            r"""ended before its answer: exit 3; it printed "\ufeffREADY", "a" instead""",
        ),
    ],
)
def test_what_a_remote_bot_prints_in_place_of_ready_is_in_the_verdict(
    tmp_path, capsys, rest, words
):
    text = f"import sys, time\nprint('\\ufeffREADY\\n\\na', flush=True)\n{rest}\n"
    (tmp_path / "mine.py").write_text(text, "utf-8")

    def answer(hub: socket.socket) -> None:
        async def send(message: dict[str, object]) -> None:
            hub.sendall(json.dumps(remote._answer(message)).encode() + b"\n")

        async def converse() -> None:
            question = json.loads(hub.recv(65536))
            session = join.SeatSession()
            try:
                command = [sys.executable, "-X", "utf8", "mine.py"]
                await send(
                    await asyncio.wait_for(session.ask(question, command, str(tmp_path), send), 1.0)
                )
            except TimeoutError:
                session._process.kill()
            await session._process.wait()
            session._process._transport.close()
            await asyncio.sleep(0)  # in which its pipes are closed

        asyncio.run(converse())

    with connected() as (seat, hub):
        hub.sendall(b'{"here": true}\n')
        thread = threading.Thread(target=answer, args=(hub,))
        thread.start()
        reply = seat.ask(Ask(text=b"ready?\n", announced=0.5, deadline=0.5, ready=True))
        thread.join()
    assert words in reply.words
    assert "it printed 'a' in place of `ready`" in capsys.readouterr().err
