"""A person plays against a bot on the site: by forms, and against what others may see or send."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import httpx
import pytest

from arena.extras.serve import human_matches, people, play
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.guard import Settings
from arena.extras.serve.processes import SiteProcess
from arena.replay import notation
from tests.extras.serve.served import served, served_apart
from tests.support import cup, workspaces
from tests.support.processes import gone_soon, until

KUHN, DUEL = "kuhn_poker/three_cards", "mummy_maze/duel"
SEATS = 'name="move" value="([^"]*)"'


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the accounts of a site, its application and a maker of clients with a session."""
    workspace = workspaces.make(tmp_path_factory.mktemp("site"), boards=f"{KUHN} {DUEL}")
    accounts = Accounts(workspace)
    app = make_app(workspace, Settings(writes_per_s=1e6, reads_per_s=1e6))
    sessions = {name: accounts.sign_in(accounts.invite(name, "test")) for name in ("Ada", "Ben")}
    with served(workspace, app=app) as client:

        def signed_in(name: str) -> httpx.Client:
            return httpx.Client(
                base_url=client.base_url, cookies={people.COOKIE: sessions[name]}, timeout=150
            )

        yield accounts, app.state.human_matches, signed_in


def post(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """Send a form with its secret, and follow where it leads."""
    secret = people.csrf_of(client.cookies[people.COOKIE])
    return client.post(path, data={"csrf": secret} | fields, follow_redirects=True)


def settled(client: httpx.Client, page: httpx.Response) -> httpx.Response:
    """Return the page of a match when the person is asked, or when it is over."""
    until = time.monotonic() + 60
    while "The others move" in page.text and time.monotonic() < until:
        time.sleep(0.05)
        page = client.get(page.url)
    return page


def begun(client: httpx.Client, seat: str) -> httpx.Response:
    page = settled(client, post(client, "/play", bot="first", seat=seat))
    assert "Your move" in page.text, page.text
    return page


def match_at(page: httpx.Response, matches: human_matches.HumanMatches) -> human_matches.HumanMatch:
    """Return the match that a page shows; a match of an earlier test may not be over yet."""
    return matches._matches[page.url.path.rpartition("/")[2]]


def answered(
    client: httpx.Client, page: httpx.Response, choose: Callable[[list[str]], str], **changes: str
):
    number = re.search(r'name="number" value="(\d+)"', page.text)[1]
    values = {"number": number, "move": choose(re.findall(SEATS, page.text))} | changes
    return settled(client, post(client, f"{page.url.path}/move", **values))


@pytest.mark.soak
def test_two_people_play_at_once_by_forms_and_nobody_sees_or_moves_for_another(site):
    accounts, _, signed_in = site
    events = set((accounts.workspace / "results").glob("*"))
    with signed_in("Ada") as ada, signed_in("Ben") as ben:
        hers, his = begun(ada, f"{KUHN} second"), begun(ben, f"{DUEL} mummy")
        assert re.search(r"card first +│░░░│", hers.text)
        assert "deal" not in hers.text
        for path in ("", "/events", "/replay.json", "/match.txt"):
            assert ben.get(f"{hers.url.path}{path}").status_code == 404
        for action in ("move", "leave"):
            assert post(ben, f"{hers.url.path}/{action}", number="1", move="bet").status_code == 404
        assert ada.get(f"{hers.url.path}/replay.json").status_code == 404  # it is not over
        again = post(ada, "/play", bot="first", seat=f"{KUHN} first")
        assert (again.status_code, "you have a match under way" in again.text) == (400, True)
        for wrong in (
            {"move": "raise"},
            {"move": "x" * 50_000},
            {"number": "7"},
            {"number": "-1"},
            {"move": "\u202e"},
        ):
            assert answered(ada, hers, lambda moves: moves[0], **wrong).status_code == 400
        assert (
            ada.post(f"{hers.url.path}/move", data={"number": "1", "move": "bet"}).status_code
            == 403
        )
        while "The match is over" not in hers.text:
            hers = answered(ada, hers, lambda moves: moves[-1])
        assert answered_late(ada, hers).status_code == 400
        assert ada.get(f"{hers.url.path}/replay.json").json()["matches"]["id"] == ["match.txt"]
        text = accounts.workspace / "match.txt"
        text.write_bytes(ada.get(f"{hers.url.path}/match.txt").content)
        assert {seat.bot.name for seat in notation.read(text).match.seats} == {"first", "you"}
        replayed = cup.arena(accounts.workspace, "replay", "match.txt")
        assert (replayed.returncode, "deal" in replayed.stdout) == (0, True), replayed.stderr
        his = answered(ben, his, lambda moves: moves[0])
        assert "Your move" in his.text
        assert "you left it" in post(ben, f"{his.url.path}/leave").text
    assert set((accounts.workspace / "results").glob("*")) == events
    logged = {entry.subject for entry in accounts.log() if entry.action == "play"}
    assert logged >= {f"{KUHN} as second against first", f"{DUEL} as mummy against first"}


def answered_late(client: httpx.Client, page: httpx.Response) -> httpx.Response:
    return post(client, f"{page.url.path}/move", number="1", move="bet")


def test_a_match_needs_a_bot_and_a_role_of_the_event_and_a_limit_that_is_free(site):
    accounts, _, signed_in = site
    with signed_in("Ben") as ben:
        for bot, seat in (
            ("../x", f"{KUHN} first"),
            ("first", f"{KUHN} chance"),
            ("first", ""),
            ("bots", "sprint a"),
        ):
            assert post(ben, "/play", bot=bot, seat=seat).status_code == 400
        for setting, value, words in (
            ("limit.matches", 0, "in this hour"),
            ("paused", True, "paused"),
        ):
            accounts.set(setting, value)
            answer = post(ben, "/play", bot="first", seat=f"{KUHN} first")
            accounts.set(setting, 20 if value == 0 else False)
            assert (answer.status_code, words in answer.text) == (400, True)


@pytest.mark.slow
def test_a_match_ends_with_all_its_processes_when_its_page_is_closed(site, monkeypatch):
    _, matches, signed_in = site
    monkeypatch.setattr(human_matches, "CLOSED_S", 0.3)
    with signed_in("Ben") as ben:
        page = begun(ben, f"{DUEL} explorer")
        match = match_at(page, matches)
        with ben.stream("GET", f"{page.url.path}/events") as events:  # so it has scripts
            lines = events.iter_lines()  # which ends the connection when it is gone itself
            assert any('name=\\"number\\" value=\\"1\\"' in line for line in lines)
            time.sleep(1)
            assert not match.ended
        assert until(lambda: match.ended == "its page was closed")
        assert gone_soon([match.process.pid])


def test_a_match_ends_when_the_account_of_its_person_is_revoked(site):
    accounts, matches, signed_in = site
    with signed_in("Ben") as dora:
        dora.cookies.set(people.COOKIE, accounts.sign_in(accounts.invite("Dora", "test")))
        begun(dora, f"{DUEL} explorer")
        match = matches.under_way(accounts.named("Dora"))
        accounts.revoke(accounts.named("Dora"), "test")
        assert until(lambda: match.ended == "your account was revoked")
        assert gone_soon([match.process.pid])


def test_a_match_has_so_many_pages_and_none_when_its_session_has_ended(site, monkeypatch):
    accounts, _, signed_in = site
    monkeypatch.setattr(play, "MOST_PAGES", 1)
    session = accounts.sign_in(accounts.invite("Cleo", "test"))
    cookies = {people.COOKIE: session}
    with (
        signed_in("Ada") as ada,
        httpx.Client(base_url=ada.base_url, cookies=cookies, timeout=150) as cleo,
    ):
        page = begun(cleo, f"{DUEL} explorer")
        with cleo.stream("GET", f"{page.url.path}/events", timeout=30) as events:
            lines = events.iter_lines()
            assert next(lines) == "retry: 3000"
            assert cleo.get(f"{page.url.path}/events").status_code == 429
            accounts.revoke(accounts.named("Cleo"), "test")
            assert next((line for line in lines if line == ": still here"), "it ends") == "it ends"


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.soak)]
)
def test_a_match_whose_process_is_killed_is_over_and_the_terminal_says_why(site, caplog, number):
    _, matches, signed_in = site
    words = f"({DUEL} as explorer against first): its process was ended by the signal {number.name}"
    with signed_in("Ben") as ben:
        page = begun(ben, f"{DUEL} explorer")
        match = match_at(page, matches)
        os.kill(match.process.pid, number)
        assert until(lambda: "arena failed to play it" in ben.get(page.url).text)
        assert until(lambda: words in caplog.text)


def test_the_process_of_a_match_ends_quietly_if_its_server_ends_before_the_start(tmp_path):
    command = SiteProcess.HUMAN_MATCH.command()
    done = subprocess.run(
        command,
        cwd=workspaces.make(tmp_path, boards="duel"),
        input="",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.soak
def test_nothing_is_left_of_a_match_when_its_server_is_killed_and_another_has_run(tmp_path):
    workspace = workspaces.make(tmp_path / "site", boards=DUEL)
    accounts = Accounts(workspace)
    session = accounts.sign_in(accounts.invite("Ada", "test"))
    with tempfile.TemporaryDirectory() as temporary:  # a short path, as sockets need it
        for number in (signal.SIGKILL, signal.SIGTERM):
            server = served_apart(workspace, TMPDIR=temporary)
            assert until(lambda of=server: "serving http" in of.said()), server.stuck()
            if number == signal.SIGKILL:
                cookies = {people.COOKIE: session}
                with httpx.Client(
                    base_url=server.said().split()[1], cookies=cookies, timeout=150
                ) as ada:
                    begun(ada, f"{DUEL} mummy")
                assert len(list(cup.processes_in(workspace))) > 1
            server.signal(number)
            assert server.wait() == (-number if number == signal.SIGKILL else 128 + number)
            assert until(lambda: not list(cup.processes_in(workspace)))
        assert not os.listdir(temporary)


def test_the_process_of_a_match_starts_without_numpy_which_only_estimates_need():
    code = "import sys, arena.extras.serve.human_process; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
