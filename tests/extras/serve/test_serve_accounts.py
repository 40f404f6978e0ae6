"""`arena serve` for authors and organisers: accounts, uploads, what nobody else sees, and each
action as a command.
"""

import contextlib
import io
import json
import os
import re
import secrets
import socket
import sqlite3
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from arena.errors import ArenaError
from arena.extras.serve import accounts as serve_accounts
from arena.extras.serve import actions, people, scheduler, statements, timetable, uploads
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.entrants import Entrants
from arena.extras.serve.frames import Frames
from arena.extras.serve.guard import Settings
from arena.extras.serve.processes import SiteProcess
from arena.extras.serve.remote import Hub
from arena.extras.serve.worker import Worker
from arena.games import rulebook
from arena.results.archive import Archive
from arena.results.archive.database import Holder
from arena.results.lessons import most_regretted
from tests.extras.serve.class_site import decide
from tests.extras.serve.served import served, without
from tests.support import cup, events, reported, workspaces
from tests.support.processes import until

BROKEN = 'print "ready"\n'


def sign_in(client: httpx.Client, token: str) -> httpx.Client:
    """Return another client of the same site, with a session."""
    own = httpx.Client(base_url=client.base_url, timeout=150)
    answer = own.post("/sign-in", data={"token": token, "csrf": csrf_of(own, "/sign-in")})
    assert answer.status_code == 303, answer.text
    return own


FLAWLESS = "no move of this bot threw points away"


def csrf_of(client: httpx.Client, path: str = "/me") -> str:
    return re.search(r'name="csrf" value="(\w+)"', client.get(path).text)[1]


def hand_in(client: httpx.Client, files: object, **fields: str) -> httpx.Response:
    return client.post("/upload", data={"csrf": csrf_of(client), **fields}, files=files)


def act(client: httpx.Client, action: str, words: str = "") -> httpx.Response:
    return client.post(
        "/organiser", data={"csrf": csrf_of(client), "action": action, "words": words}
    )


def packed(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, cup.FIRST)
    return content.getvalue()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A site whose event was played; two authors and an organiser are signed in."""
    workspace = workspaces.make(tmp_path_factory.mktemp("site"), boards="duel")
    accounts = Accounts(workspace)
    tokens = [
        accounts.invite(name, "test", organiser=name == "Olga") for name in ("Ada", "Ben", "Olga")
    ]
    for name, program in (("Ada", cup.FIRST), ("Ada", cup.LAST), ("Ben", cup.CRASHES)):
        uploads.receive(accounts, accounts.named(name), {"bot.py": io.BytesIO(program.encode())})
        decide(accounts)
    accounts.set("paused", value=True, who="test", action="pause")
    events.run(workspace, "results/cup")
    with (
        without(accounts, "check"),
        served(workspace, Settings(writes_per_s=1e4, reads_per_s=1e4)) as client,
    ):
        ada, ben, olga = (sign_in(client, token) for token in tokens)
        yield client, accounts, ada, ben, olga


@pytest.fixture
def accounts(tmp_path):
    return Accounts(workspaces.make(tmp_path, boards="duel"))


def test_an_author_reads_faults_and_stderr_of_the_own_bot_only(played):
    *_, ada, ben, _ = played
    assert "[bold]no[/bold]" in ben.get("/me/bots/Ben").text
    assert "crashed" in ben.get("/me/bots/Ben").text
    with zipfile.ZipFile(io.BytesIO(ada.get("/me/matches.zip").content)) as records:
        texts = [records.read(name).decode() for name in records.namelist()]
    assert texts
    assert not [text for text in texts if "bold" in text]


def page_after(played, name, of, match) -> str:
    """Return the page of the bot Ada where the event of the site is another, of one match."""
    _, accounts, ada, *_ = played
    folder = accounts.workspace / "results" / name
    folder.mkdir()
    reported.store(folder, of, [reported.played(match)])
    settings = accounts.workspace / "tournament.toml"
    text = settings.read_text()
    settings.write_text(text.replace('"cup"', f'"{name}"', 1))
    try:
        return ada.get("/me/bots/Ada").text
    finally:
        settings.write_text(text)


def test_an_author_without_a_lesson_is_sent_to_the_match_that_a_search_regrets(played):
    _, accounts, *_ = played
    of = reported.event(("Ada", "birch"), on=reported.boards("classic"))
    page = page_after(played, "few", of, reported.plan(of)[0])
    with Archive.open(accounts.workspace / "results" / "few") as archive:
        regret = most_regretted([archive], "Ada", rulebook.game_of)
    link = f'<a href="/events/few/matches/{regret.match}">'
    assert f"add up to {regret.points} in {link}" in page
    assert FLAWLESS not in page


def test_moves_are_called_good_only_where_arena_looked_at_them(played):
    *_, ada, ben, olga = played
    of = reported.event(("Ada", "birch"), on=reported.boards("duel"), repeats=2)
    assert FLAWLESS in page_after(played, "solved", of, reported.plan(of)[2])
    pages = [ben.get("/me/bots/Ben").text]  # it crashed before its first move
    act(olga, "hide")
    pages.append(ada.get("/me/bots/Ada").text)
    act(olga, "publish")
    for page in pages:
        assert FLAWLESS not in page
        assert "There are no lessons yet" in page


def test_an_event_is_hidden_from_all_but_the_organiser(played):
    client, _, ada, _, olga = played
    assert act(olga, "hide").status_code == 200
    assert "cup" not in client.get("/").text
    assert ada.get("/me/matches.zip").status_code == 404
    assert "crashed" not in ada.get("/me/bots/Ada").text
    assert "/events/cup" in olga.get("/").text
    act(olga, "publish")
    assert "/events/cup" in client.get("/").text


def test_a_page_that_is_computed_while_its_event_is_hidden_is_not_sent(played, monkeypatch):
    client, accounts, *_ = played
    match = Frames.match

    async def hidden(*values: object, **also: object) -> object:
        found = await match(*values, **also)
        accounts.set("hidden", value=True)
        return found

    try:
        for page in ("", "/matches", "/crosstable"):
            assert client.get(f"/events/cup{page}").status_code == 200
            with monkeypatch.context() as patch:
                patch.setattr(Frames, "match", hidden)
                assert client.get(f"/events/cup{page}").status_code == 404, page
            accounts.set("hidden", value=False)
    finally:
        accounts.set("hidden", value=False)


def test_ones_own_page_says_how_often_versions_played_and_when_bots_are_frozen(played):
    *_, ada, _, olga = played
    assert re.findall(r"<td>(\w*)</td><td>(\d+)</td>", ada.get("/me").text) == [
        ("plays", "6"),
        ("", "0"),
    ]
    act(olga, "freeze")
    assert "Submissions are frozen" in ada.get("/me").text
    assert "Submissions are frozen: no author can hand in a bot." in olga.get("/organiser").text
    act(olga, "unfreeze")
    assert "Submissions are frozen" not in ada.get("/me").text
    assert "Authors can hand in bots." in olga.get("/organiser").text


def test_a_name_of_any_length_gets_an_answer(played):
    *_, olga = played
    for words in ("x" * 5000, "organiser " + "y" * 5000, "/" * 400 + "z"):
        assert act(olga, "invite", words).status_code == 200


def test_a_form_without_its_secret_changes_nothing(played):
    _, accounts, ada, _, olga = played
    for client, path in (
        (ada, "/upload"),
        (ada, "/me/requests"),
        (ada, "/sign-out"),
        (olga, "/organiser"),
    ):
        assert client.post(path, data={"csrf": "0" * 64, "action": "freeze"}).status_code == 403
    assert not accounts.is_on("frozen")


def test_a_request_names_own_versions_and_bots_of_the_event_only(played):
    _, _, ada, ben, _ = played
    for first, second in (
        ("Ben@1", "first"),
        ("Ada@1", "../first"),
        ("Ada@1", "Ben@1"),
        ("Ada@1", "Ada@1"),
    ):
        form = {
            "csrf": csrf_of(ada),
            "first": first,
            "second": second,
            "board": "",
            "pairings": "1",
        }
        assert ada.post("/me/requests", data=form).status_code == 400
    assert re.findall("<option>([^<]+)", ada.get("/me").text)[:3] == [
        "Ada@2",
        "Ada@1",
        "Ben",
    ]  # two that differ
    form = {
        "csrf": csrf_of(ben),
        "first": "Ben@1",
        "second": "Ada",
        "board": "duel",
        "pairings": "9999",
    }
    assert ben.post("/me/requests", data=form).status_code == 400


def test_the_organiser_reads_the_log_of_all_that_was_done(played):
    *_, olga = played
    act(olga, "invite", "Cleo")
    page = act(olga, "log").text
    assert re.search(r'<dd class="token">[\w-]{43}</dd>', act(olga, "rotate", "Cleo").text)
    assert all(
        words in page for words in ("invite", "Cleo", "sign in", "Olga", "upload is accepted")
    )
    assert "reads only people.csv" in act(olga, "invite", "../people.csv").text


@pytest.mark.parametrize(
    "name",
    ["../bot.py", "/etc/bot.py", "a\\b.py", "x" * 300, "a/" * 20 + "b.py", "b\x1b[1m.py", ".."],
)
def test_a_path_that_is_none_in_a_bots_folder_is_refused_at_once(accounts, name):
    accounts.invite("Ada", "test")
    with pytest.raises(ArenaError):
        uploads.receive(accounts, accounts.named("Ada"), {name: io.BytesIO(b"x")})
    assert not list(uploads.folder(accounts).iterdir())
    assert not accounts.uploads()


@pytest.mark.parametrize(
    "inside", [("../../evil.py",), ("/evil.py",), ("bot.py", "bot.py/x"), ("a\\..\\b.py",)]
)
def test_a_hostile_archive_is_refused_in_words_and_writes_nothing(accounts, inside):
    accounts.invite("Ada", "test")
    uploads.receive(accounts, accounts.named("Ada"), {"bot.zip": io.BytesIO(packed(*inside))})
    decide(accounts)
    (upload,) = accounts.uploads()
    assert upload.status == "refused"
    assert str(accounts.workspace) not in upload.reasons
    assert not list(accounts.workspace.parent.rglob("evil.py"))


def test_an_archive_of_a_class_is_no_way_to_hand_in_for_others(accounts):
    for name in ("Ada", "Ben"):
        accounts.invite(name, "test")
    uploads.receive(
        accounts, accounts.named("Ada"), {"class.zip": io.BytesIO(packed("Ben.py", "Ada.py"))}
    )
    decide(accounts)
    assert accounts.uploads()[0].status == "refused"
    assert not Entrants(accounts.workspace).own(accounts.named("Ben"))


def test_a_bot_is_its_authors_also_if_another_account_is_called_alike(accounts):
    accounts.invite("Ada", "test", id="lee")
    accounts.invite("Ben", "test", id="LEE", email="lee@school.example")
    for name in ("Ada", "Ben"):
        uploads.receive(accounts, accounts.named(name), {"bot.py": io.BytesIO(cup.FIRST.encode())})
        decide(accounts)
        assert list(Entrants(accounts.workspace).own(accounts.named(name))) == [name]


def test_files_of_a_folder_are_one_bot(accounts):
    accounts.invite("Ada", "test")
    files = {"mine/bot.py": io.BytesIO(cup.FIRST.encode()), "mine/data/book.txt": io.BytesIO(b"e4")}
    uploads.receive(accounts, accounts.named("Ada"), files)
    decide(accounts)
    assert accounts.uploads()[0].status == "accepted"
    assert (accounts.workspace / "bots/Ada/data/book.txt").read_text() == "e4"


def test_an_upload_over_a_limit_or_after_the_freeze_is_refused_in_words(accounts):
    accounts.invite("Ada", "test")
    ada = accounts.named("Ada")
    actions.act(accounts, "limit", ("megabytes", "1"), "test")
    with pytest.raises(ArenaError, match="larger than 1 MB"):
        uploads.receive(accounts, ada, {"bot.py": io.BytesIO(bytes(1_000_001))})
    actions.act(accounts, "limit", ("uploads", "1"), "test")
    uploads.receive(accounts, ada, {"bot.py": io.BytesIO(b"x")})
    with pytest.raises(ArenaError, match="1 uploads in this hour"):
        uploads.receive(accounts, ada, {"bot.py": io.BytesIO(b"x")})
    actions.act(accounts, "freeze", (), "test")
    with pytest.raises(ArenaError, match="frozen"):
        uploads.receive(accounts, ada, {"bot.py": io.BytesIO(b"x")})
    assert len(list(uploads.folder(accounts).iterdir())) == 1


def test_after_the_freeze_a_remote_bot_plays_on_and_no_other_version_of_it_begins(accounts):
    accounts.invite("Ada", "test")
    ada = accounts.named("Ada")

    def joins(version: str) -> str:
        return uploads.remote_bot(accounts, Entrants(accounts.workspace), ada, version, [], [])

    assert [joins(version) for version in ("1", "2", "2")] == ["Ada_remote"] * 3
    actions.act(accounts, "freeze", (), "test")
    assert joins("2") == "Ada_remote"
    for version in ("1", "3"):
        with pytest.raises(ArenaError, match="frozen"):
            joins(version)
    (plays,) = (bot for bot in Entrants(accounts.workspace).bots if bot.name == "Ada_remote")
    assert Entrants(accounts.workspace).store.version_of(plays).number == 2
    with pytest.raises(ArenaError, match=r"^bot.toml: remote: "):
        joins("x" * 1000)


def test_a_remote_bot_that_was_withdrawn_comes_back_as_a_new_version_only(accounts):
    accounts.invite("Ada", "test")

    def joins(version: str) -> str:
        return uploads.remote_bot(
            accounts, Entrants(accounts.workspace), accounts.named("Ada"), version, [], []
        )

    assert [joins(version) for version in ("1", "2")] == ["Ada_remote"] * 2
    actions.act(accounts, "withdraw", ["Ada_remote"], "test")
    for version in ("1", "2"):
        with pytest.raises(ArenaError, match="withdrawn Ada_remote; a new version of it may join"):
            joins(version)
    assert [joins(version) for version in ("3", "2")] == ["Ada_remote"] * 2


def test_tokens_are_stored_as_hashes_and_end_when_rotated_or_revoked(accounts):
    first = accounts.invite("Ada", "test")
    session = accounts.sign_in(first)
    assert accounts.account_of(session) == accounts.named("Ada")
    stored = b"".join(path.read_bytes() for path in accounts.folder.iterdir() if path.is_file())
    assert first.encode() not in stored
    assert session.encode() not in stored
    assert {
        path.stat().st_mode & 0o077 for path in (accounts.folder, *accounts.folder.iterdir())
    } == {0}
    second = accounts.rotate(accounts.named("Ada"), "test")
    assert accounts.account_of(session) is accounts.sign_in(first) is None
    session = accounts.sign_in(second)
    accounts.revoke(accounts.named("Ada"), "test")
    assert accounts.account_of(session) is accounts.sign_in(second) is None
    for wrong in ("", "\udcff", "' or 1=1 --", second[:-1], "x" * 100_000):
        assert accounts.sign_in(wrong) is None


def test_a_repository_takes_in_nothing_of_the_site(accounts):
    subprocess.run(["git", "init", "-q", accounts.workspace], check=True)
    git = ["git", "-C", accounts.workspace, "status", "--porcelain", "--untracked-files=all"]
    assert "tournament.toml" in (untracked := subprocess.check_output(git, text=True))
    assert ".serve" not in untracked


def test_a_setting_is_read_as_it_is_however_soon_after_its_change(accounts):
    other = Accounts(accounts.workspace)
    for number in range(100):
        other.set("hidden", bool(number % 2))
        assert accounts.is_on("hidden") == bool(number % 2)
        time.sleep((number % 5) * 0.001)


def test_no_two_accounts_have_names_that_look_alike(accounts):
    accounts.invite("Ada", "test")
    for name in ("Ada", "ada", "\u0410da", "\u200b", " "):
        with pytest.raises(ArenaError):
            accounts.invite(name, "test")


def test_an_action_without_a_name_takes_nobodys_token(accounts):
    token = accounts.invite("Ada", "test")  # who has no e-mail address
    for action in ("rotate", "revoke"):
        with pytest.raises(ArenaError, match="has no account"):
            actions.act(accounts, action, (), "test")
    assert accounts.with_token(token) is not None


def slow_upload(client: httpx.Client, meanwhile: Callable[[], object]) -> httpx.Response:
    """Hand in a bot whose form comes in two parts, with something between them."""
    part = '--x\r\ncontent-disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
    first = part.format("csrf", "", csrf_of(client)).encode()
    last = part.format("file", '; filename="slow.py"', cup.FIRST).encode() + b"--x--\r\n"

    def parts() -> Iterator[bytes]:
        yield first
        time.sleep(0.3)
        meanwhile()
        yield last

    headers = {
        "content-type": "multipart/form-data; boundary=x",
        "content-length": str(len(first + last)),
    }
    return client.post("/upload", content=parts(), headers=headers)


def test_an_upload_that_comes_in_while_its_token_is_rotated_or_revoked_is_refused(played):
    client, accounts, *_ = played
    for end in (accounts.rotate, accounts.revoke):
        name = f"Slow {end.__name__}"
        token = accounts.invite(name, "test")
        with contextlib.closing(sign_in(client, token)) as author:
            assert slow_upload(author, lambda: None).status_code == 303
            answer = slow_upload(
                author, lambda end=end, name=name: end(accounts.named(name), "test")
            )
        assert (answer.status_code, "sign in again" in answer.text) == (403, True)
        assert len(accounts.uploads(accounts.named(name))) == 1


def test_whoever_was_let_in_before_the_token_was_revoked_stores_nothing_after(
    accounts, monkeypatch
):
    """A request may be on its way through the server for seconds."""
    token = accounts.invite("Ada", "test")
    ada, with_token = accounts.named("Ada"), accounts.with_token

    def overtaken(given: str):
        found = with_token(given)
        monkeypatch.setattr(accounts, "with_token", with_token)
        accounts.revoke(ada, "test")
        return found

    monkeypatch.setattr(accounts, "with_token", overtaken)
    assert accounts.sign_in(token) is None
    for store in (
        lambda: accounts.add_upload("1", ada, "bot.py"),
        lambda: accounts.ask(ada, "Ada@1", "Ada@2", "", 1),
        lambda: accounts.begin_match(ada, "x", "x"),
    ):
        with pytest.raises(ArenaError, match="this account was revoked"):
            store()
    assert not accounts._rows("select * from sessions")
    assert [entry.action for entry in accounts.log()] == ["revoke", "invite"]


def test_a_page_that_was_under_way_when_its_session_ended_is_not_sent(played, monkeypatch):
    client, accounts, *_ = played

    async def slow(_worker: Worker, _job: object, *_values: object, **_: str) -> bytes:
        accounts.revoke(accounts.named("Late"), "test")
        return b"private"

    with contextlib.closing(sign_in(client, accounts.invite("Late", "test"))) as late:
        assert late.get("/me/matches.zip").status_code == 200
        monkeypatch.setattr(Worker, "run", slow)
        answer = late.get("/me/matches.zip")
    assert (answer.status_code, "sign in again" in answer.text) == (403, True)


def test_an_author_uploads_one_bot_at_a_time(played):
    client, accounts, *_ = played
    with contextlib.closing(sign_in(client, accounts.invite("Twice", "test"))) as author:
        second = []
        first = slow_upload(
            author, lambda: second.append(hand_in(author, {"file": ("bot.py", cup.FIRST)}))
        )
        third = hand_in(author, {"file": ("bot.py", cup.FIRST)})
    assert [each.status_code for each in (first, *second, third)] == [303, 400, 303]
    assert "another upload of yours" in second[0].text


def test_nothing_is_left_of_an_upload_that_is_not_noted(accounts, monkeypatch):
    accounts.invite("Ada", "test")

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(accounts, "add_upload", full)
    with pytest.raises(sqlite3.OperationalError):
        uploads.receive(accounts, accounts.named("Ada"), {"bot.py": io.BytesIO(b"x")})
    assert not list(uploads.folder(accounts).iterdir())


def test_an_author_who_hands_in_many_bots_does_not_hold_up_those_of_others(accounts):
    for name in ("Ada", "Ben"):
        accounts.invite(name, "test")
    for name, upload in (("Ada", "1"), ("Ada", "2"), ("Ada", "3"), ("Ben", "4")):
        accounts.add_upload(upload, accounts.named(name), "bot.py")
    checked = []
    while (upload := accounts.next_upload()) is not None:
        checked.append(upload.id)
        accounts.decide_upload(upload, "refused", "slow")
    assert checked == ["1", "4", "2", "3"]


def test_an_author_begins_so_many_sessions_and_no_more(accounts, monkeypatch):
    monkeypatch.setattr(serve_accounts, "SIGN_INS", 2)
    token = accounts.invite("Ada", "test")
    assert accounts.sign_in(token)
    assert accounts.sign_in(token)
    with pytest.raises(ArenaError, match="2 sign-ins in this hour"):
        accounts.sign_in(token)


def test_an_author_whose_label_changes_has_no_other_limits(accounts, monkeypatch):
    monkeypatch.setattr(serve_accounts, "SIGN_INS", 1)
    for limit in ("uploads", "requests", "matches"):
        actions.act(accounts, "limit", (limit, "1"), "test")
    token = accounts.invite("Ada", "test", id="s1")
    ada = accounts.named("s1")
    steps = (
        lambda: accounts.sign_in(token),
        lambda: accounts.add_upload(secrets.token_hex(4), ada, "bot.py"),
        lambda: accounts.ask(ada, "first", "last", "", 1),
        lambda: accounts.begin_match(ada, "first", "any words"),
    )
    for step in steps:
        step()
    before = accounts.label(ada)
    accounts.invite("Ada", "test", id="s2")
    assert accounts.label(ada) != before
    for step in steps:
        with pytest.raises(ArenaError, match="in this hour"):
            step()
    accounts.add_upload("other", accounts.named("s2"), "bot.py")


def test_a_clock_that_is_set_back_locks_nobody_out_and_holds_no_round_back(accounts, monkeypatch):
    accounts.invite("Ada", "test")
    actions.act(accounts, "limit", ("uploads", "1"), "test")
    today = serve_accounts.now
    with monkeypatch.context() as tomorrow:
        tomorrow.setattr(serve_accounts, "now", lambda: f"9{today()[1:]}")
        accounts.add_upload("1" * 32, accounts.named("Ada"), "bot.py")
        accounts.begin_round()
        accounts.end_round()
        accounts.set("rounds", ("each hour", serve_accounts.now()))
    accounts.may_upload(accounts.named("Ada"))
    (work := scheduler.Scheduler(accounts, Hub())).step()
    work.end()
    assert accounts.last_round == 2
    accounts.end_round()
    assert not work._is_due(accounts.rounds(1)[0])
    actions.act(accounts, "rounds", ("now",), "test")
    assert work._is_due(accounts.rounds(1)[0])


def test_a_client_that_goes_before_its_form_is_complete_fails_nothing_here(played, caplog):
    _, _, ada, *_ = played
    with socket.create_connection(("127.0.0.1", ada.base_url.port)) as connection:
        head = (
            "POST /upload HTTP/1.1\r\nHost: localhost\r\n"
            f"Cookie: {people.COOKIE}={ada.cookies[people.COOKIE]}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000\r\n\r\n--x\r\n"
        )
        connection.sendall(head.encode())
        time.sleep(0.2)
    time.sleep(0.2)
    assert ada.get("/me").status_code == 200
    assert not [each for each in caplog.records if each.exc_info]


def test_each_action_is_a_command_and_stands_in_the_log(tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    (workspace / "people.csv").write_text("name,e-mail,id\nAda,ada@x.example,s1\nBen,,s2\n")
    invited = cup.arena(workspace, "serve", "invite", "people.csv").stdout.splitlines()
    assert [re.fullmatch(r"(\w+)\t[\w-]{43}", line)[1] for line in invited] == ["Ada", "Ben"]
    assert cup.refused(
        cup.arena(workspace, "serve", "invite", "people.csv"),
        "everybody in it has an account already",
    )
    assert cup.arena(workspace, "serve", "invite", "organiser", "Olga").stdout.startswith("Olga\t")
    for words in (
        "rotate Ada",
        "revoke Ben",
        "rounds each hour",
        "rounds now",
        "limit uploads 5",
        "withdraw last",
    ):
        assert cup.arena(workspace, "serve", *words.split()).returncode == 0, words
    for action in actions.SWITCHES:
        assert cup.arena(workspace, "serve", action).returncode == 0
    rows = json.loads(cup.arena(workspace, "serve", "log", "--json").stdout)
    done = {row["action"] for row in rows}
    assert done == {"invite", "rotate", "revoke", "rounds", "limit", "withdraw", *actions.SWITCHES}
    for words in ("thaw", "rounds sometimes", "revoke Nobody", "limit uploads x", "freeze now"):
        assert cup.refused(cup.arena(workspace, "serve", *words.split()), ""), words


def test_each_command_of_the_page_about_the_site_runs(tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    (workspace / "people.csv").write_text("name\nAda\n")
    page = (Path(__file__).parents[3] / "docs/extras/serve.md").read_text("utf-8")
    commands = re.findall(
        r"^\$ arena serve ([a-z].*)$|`arena serve ([a-z][^`]*)`", page, re.MULTILINE
    )
    words = ["".join(each).replace("BOT", "last").split() for each in commands]
    assert {each[0] for each in words} == {*actions.ACTIONS, *actions.SWITCHES, "export"}
    for each in words:
        done = cup.arena(workspace, "serve", *each)
        assert done.returncode == 0, (each, done.stderr)


@pytest.mark.parametrize(
    ("rule", "since", "now", "due"),
    [
        ("each hour", "10:00", "10:59", False),
        ("each hour", "10:00", "11:00", True),
        ("each 20 minutes", "10:00", "10:20", True),
        ("at 18:00", "10:00", "17:59", False),
        ("at 18:00", "10:00", "18:00", True),
        ("at 18:00", "18:00", "18:01", False),
        ("at 12:00 and 18:00", "12:01", "13:00", False),
        ("at 12:00, 18:00", "12:01", "18:01", True),
    ],
)
def test_a_round_is_due_by_its_rule(rule, since, now, due):
    moments = [timetable.datetime.fromisoformat(f"2026-05-01T{time}") for time in (since, now)]
    assert timetable.is_due(timetable.checked(rule), *moments) is due


def test_a_round_that_was_missed_in_the_night_is_due_in_the_morning():
    since, now = (
        timetable.datetime.fromisoformat(text) for text in ("2026-05-01T17:00", "2026-05-02T08:00")
    )
    assert timetable.is_due("at 18:00", since, now)
    assert not timetable.is_due("at 18:00", since.replace(hour=19), now)


@pytest.mark.slow
def test_a_request_is_played_apart_and_says_why_ones_own_bot_failed_and_no_other(accounts):
    fails = "raise KeyError('private of Ben, ' + __file__)\n"
    for name, *programs in (("Ada", cup.FIRST, cup.LAST), ("Ben", fails)):
        accounts.invite(name, "test")
        for program in programs:
            uploads.receive(
                accounts, accounts.named(name), {"bot.py": io.BytesIO(program.encode())}
            )
            decide(accounts)
    ada, ben = accounts.named("Ada"), accounts.named("Ben")
    accounts.ask(ada, "Ada@1", "Ada@2", "mummy_maze/duel", 1)
    (work := scheduler.Scheduler(accounts, Hub())).step()
    assert accounts.requests(ada)[0].status == "playing"
    assert scheduler.Job(
        accounts, "request"
    ).is_running()  # another server sees what is left of this one
    work.end()  # as a server does that ends: the next one goes on
    accounts.ask(ben, "Ben@1", "Ada@1", "mummy_maze/duel", 1)
    work = scheduler.Scheduler(accounts, Hub())
    assert until(lambda: work.step() or all(each.ended for each in accounts.requests()), 60)
    (asked,), (failed,) = accounts.requests(ada), accounts.requests(ben)
    assert (asked.status, "Ada@1" in asked.words) == ("done", True), asked.words
    with Archive.open(accounts.workspace / "results" / asked.event) as archive:
        assert archive.count() == 2
    assert [accounts.may_see(asked.event, who) for who in (ada, ben, None)] == [True, False, False]
    assert not (accounts.workspace / "results/cup").exists()
    assert "private of Ben, Ben.py" in failed.words
    of_ada = replace(failed, account="Ada", first="Ada@1", second="Ben@1")
    words = scheduler.for_author(
        accounts, of_ada, statements.read(accounts.request_file, failed.id)
    )
    assert words == "Ben@1 is absent: the reason is for the author of that bot only"
    assert str(accounts.workspace) not in words + failed.words


@pytest.mark.soak
def test_uploads_wait_while_the_event_cannot_be_read_and_are_decided_then(accounts):
    for name, program in (("Ada Lovelace", cup.FIRST), ("Ben", BROKEN)):
        accounts.invite(name, "test")
        uploads.receive(accounts, accounts.named(name), {"bot.py": io.BytesIO(program.encode())})
    right = (accounts.workspace / "tournament.toml").read_text()
    (accounts.workspace / "tournament.toml").write_text("name = 5")
    work = scheduler.Scheduler(accounts, Hub())
    assert until(lambda: work.step() or accounts.log()[0].action == "uploads cannot be checked", 60)
    (accounts.workspace / "tournament.toml").write_text(right)
    work = scheduler.Scheduler(accounts, Hub())
    assert until(lambda: work.step() or all(each.decided for each in accounts.uploads()), 60)
    refused, accepted = accounts.uploads()
    assert (refused.account, refused.status, "SyntaxError" in refused.reasons) == (
        "Ben",
        "refused",
        True,
    )
    assert (accepted.account, accepted.status) == ("Ada Lovelace", "accepted")
    assert (accounts.workspace / "bots/Ada_Lovelace.py").read_text() == cup.FIRST


@pytest.mark.parametrize(
    ("kills", "status"), [(uploads.ATTEMPTS - 1, "accepted"), (uploads.ATTEMPTS, "refused")]
)
def test_an_upload_is_refused_only_if_its_check_is_killed_again_and_again(accounts, kills, status):
    accounts.invite("Ada", "test")
    uploads.receive(accounts, accounts.named("Ada"), {"bot.py": io.BytesIO(cup.FIRST.encode())})
    for _ in range(kills):
        accounts.next_upload()
    decide(accounts)
    (upload,) = accounts.uploads()
    assert (upload.status, f"failed {kills} times" in upload.reasons) == (
        status,
        status == "refused",
    )


@pytest.mark.soak
def test_a_pause_halts_a_request_and_it_goes_on_afterwards(accounts):
    for program in (cup.FIRST, cup.LAST):
        accounts.named("Ada") if accounts.accounts() else accounts.invite("Ada", "test")
        uploads.receive(accounts, accounts.named("Ada"), {"bot.py": io.BytesIO(program.encode())})
        decide(accounts)
    ada = accounts.named("Ada")
    accounts.ask(ada, "Ada@1", "Ada@2", "mummy_maze/duel", 200)
    (work := scheduler.Scheduler(accounts, Hub())).step()
    (asked,) = accounts.requests(ada)
    results = accounts.workspace / "results" / asked.event
    assert until(lambda: (results / "event.sqlite").exists(), 60)
    accounts.set("paused", value=True)
    assert until(lambda: work.step() or accounts.requests(ada)[0].status == "waiting", 60)
    work.step()
    assert not scheduler.Job(accounts, "request").is_running()
    accounts.set("paused", value=False)
    work.step()
    assert accounts.requests(ada)[0].status == "playing"
    work.end()


@pytest.mark.slow
def test_no_remote_bot_holds_a_round_back_by_the_time_that_it_takes(accounts, monkeypatch):
    monkeypatch.setattr(scheduler.Archive, "holder", lambda _: Holder("1", "of the run"))
    (remote := accounts.workspace / "results/cup-remote").mkdir(parents=True)
    work = scheduler.Scheduler(accounts, Hub())
    with without(accounts, "remote"), without(accounts, "round"):
        work.step()
        actions.act(accounts, "rounds", ["now"], "test")
        work.step()  # a run of the event is under way, by which remote ones are none
        assert not [*remote.iterdir()]
    with without(accounts, "remote"):
        work.step()
    assert (remote / ".halt").read_text() == "of the run\n"
    assert not (accounts.workspace / "results/cup/.halt").exists()
    assert not accounts.rounds()


@pytest.mark.soak
def test_a_round_that_cannot_begin_ends_with_the_reason(accounts):
    (accounts.workspace / "tournament.toml").write_text(
        'name = "cup"\nboards = ["nowhere"]\nbots = "bots"\n'
    )
    actions.act(accounts, "rounds", ["now"], "test")
    work = scheduler.Scheduler(accounts, Hub())
    assert until(lambda: work.step() or [each for each in accounts.rounds() if each.ended], 60)
    assert "nowhere" in accounts.rounds()[0].words


def test_an_event_that_cannot_be_read_is_told_without_its_reason(accounts):
    token = accounts.invite("Ada", "test")
    (accounts.workspace / "tournament.toml").write_text("name = 5")
    with served(accounts.workspace) as client:
        answer = sign_in(client, token).get("/me")
    assert answer.status_code == 503
    assert "try again in a minute" in answer.text
    assert "tournament.toml" not in answer.text


def test_charts_are_drawn_by_a_site_that_is_itself_nice_to_others_and_are_nicer(accounts):
    def draw() -> None:
        os.setpriority(
            os.PRIO_PROCESS, threading.get_native_id(), own
        )  # of this thread alone, and what it starts
        job.start(SiteProcess.CHARTS.command("one"), nice=5)

    own = max(12, os.getpriority(os.PRIO_PROCESS, 0))
    job = scheduler.Job(accounts, "charts")
    site = threading.Thread(target=draw)
    site.start()
    site.join()
    try:
        assert os.getpriority(os.PRIO_PROCESS, job._process.pid) == min(own + 5, 19)
    finally:
        job.end()


def test_charts_that_are_due_while_others_are_drawn_are_drawn_afterwards(accounts):
    work = scheduler.Scheduler(accounts, Hub())
    work._undrawn |= {"one", "two"}
    with without(accounts, "charts"):
        work.step()
        assert len(work._undrawn) == 2
    try:
        work.step()
        (left,) = work._undrawn
        (drawn,) = {"one", "two"} - {left}
        assert work._charts._process.args[-1] == drawn  # it ends soon: there is no such event
    finally:
        work.end()
