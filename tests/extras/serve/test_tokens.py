"""Tokens: each one that is stored was shown, whatever happens between, and what is refused leaves
nothing behind.
"""

import fcntl
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.extras.serve import actions
from arena.extras.serve.accounts import Accounts
from tests.extras.serve.served import served
from tests.extras.serve.test_serve_accounts import csrf_of, sign_in
from tests.support import cup, workspaces
from tests.support.processes import until

TOKEN = re.compile(r'<dd class="token">([\w-]{43})</dd>')


def table(accounts: Accounts, *names: str) -> None:
    rows = "".join(f"{name},{number}\n" for number, name in enumerate(names))
    (accounts.workspace / "people.csv").write_text(f"name,id\n{rows}")


@pytest.fixture
def accounts(tmp_path, monkeypatch):
    workspace = workspaces.make(tmp_path, boards="duel")
    monkeypatch.chdir(workspace)
    return Accounts(workspace)


def ids(accounts: Accounts) -> set[str]:
    return {account.id for account in accounts.accounts()}


def test_a_roster_with_a_row_that_is_refused_invites_nobody(accounts):
    for last in ("\u0410da", "..."):
        table(accounts, "Ada", "Ben", "Cleo", last)
        done = cup.arena(accounts.workspace, "serve", "invite", "people.csv")
        assert cup.refused(done, "nobody was invited")
        assert (done.stdout, ids(accounts), accounts.log()) == ("", set(), ())
    table(accounts, "Ada", "Ben", "Cleo")
    done = cup.arena(accounts.workspace, "serve", "invite", "people.csv")
    tokens = [line.split("\t")[1] for line in done.stdout.splitlines()]
    assert {accounts.with_token(token).id for token in tokens} == ids(accounts) == {"0", "1", "2"}


def command(accounts: Accounts, *words: str, **streams) -> subprocess.Popen[str]:
    """Start the command in a process of its own, with these streams."""
    streams = {"stderr": subprocess.PIPE, "text": True, **streams}
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "serve", *words], cwd=accounts.workspace, **streams
    )


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("a full disk", ["invite", "people.csv"]),
        pytest.param("a closed pipe", ["rotate", "Ada"], marks=pytest.mark.soak),
        pytest.param("a closed stream", ["invite", "Dana", "--json"], marks=pytest.mark.soak),
    ],
)
def test_tokens_that_cannot_be_printed_are_stored_nowhere(accounts, way, words):
    token = accounts.invite("Ada", "test")
    table(accounts, "Ben", "Cleo")
    if way == "a full disk":
        with Path("/dev/full").open("w") as full:
            process = command(accounts, *words, stdout=full)
    elif way == "a closed pipe":
        reading, writing = os.pipe()
        os.close(reading)
        process = command(accounts, *words, stdout=writing)
        os.close(writing)
    else:
        process = command(accounts, *words, preexec_fn=lambda: os.close(1))
    said = process.communicate()[1]
    assert (process.returncode, "nothing was changed" in said) == (2, True), said
    assert said.count("\n") == 1, said
    assert ids(accounts) == {"Ada"}
    assert accounts.with_token(token) is not None


def test_a_name_without_an_account_is_answered_with_names_of_one_account_each(accounts):
    (accounts.workspace / "people.csv").write_text("name,id\nKim Lee,1\nKim Lee,2\n")
    actions.act(accounts, "invite", ["people.csv"], "test")
    with pytest.raises(ArenaError) as caught:
        accounts.named("Dana")
    labels = accounts.labels().values()
    assert len(set(labels)) == 2
    assert str(caught.value).endswith(f"known: {', '.join(labels)}")


def test_a_command_that_is_ended_before_its_tokens_are_out_stores_none(accounts):
    table(accounts, *(f"Author {number}" for number in range(300)))
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    process = command(accounts, "invite", "people.csv", stdout=writing)
    os.close(writing)
    with open(reading) as pipe:
        assert until(lambda: pipe.readline().startswith("Author 0\t"))
        accounts.set(
            "frozen", value=True, who="test", action="freeze"
        )  # nobody waits for whoever reads the tokens
        process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode not in {0, None}
    assert ids(accounts) == set()


def test_whatever_is_refused_when_tokens_are_stored_says_that_they_are_void(accounts):
    table(accounts, "Ada", "Ben")
    shown: list[actions.Rows] = []

    def show(rows: actions.Rows) -> None:
        shown.append(rows)
        accounts.invite("Ben", "another")  # somebody else is quicker

    with pytest.raises(ArenaError, match="no token that was shown is valid"):
        actions.act(accounts, "invite", ("people.csv",), "test", show)
    assert ids(accounts) == {"Ben"}
    assert [accounts.with_token(row["token"]) for row in shown[0]] == [None, None]


def test_a_form_of_the_organiser_that_is_sent_again_shows_the_same_tokens(accounts):
    table(accounts, "Ada", "Ben")
    token = accounts.invite("Olga", "test", organiser=True)
    with served(accounts.workspace) as client:
        olga = sign_in(client, token)

        def form(action: str, words: str) -> dict[str, str]:
            page = olga.get("/organiser").text
            once = re.search(r'name="once" value="(\w+)"', page)[1]
            return {"csrf": csrf_of(olga), "once": once, "action": action, "words": words}

        def shown(sent: dict[str, str]) -> list[str]:
            return TOKEN.findall(olga.post("/organiser", data=sent).text)

        for action, words, count in (
            ("invite", "people.csv", 2),
            ("rotate", "Ada", 1),
            ("invite", "Cleo", 1),
        ):
            sent = form(action, words)
            first, again = shown(sent), shown(sent)
            assert first == again
            assert len(first) == count
            assert all(accounts.with_token(each) for each in first)
        assert shown(form("rotate", "Ada")) != shown(form("rotate", "Ada"))
        table(accounts, "Ada", "Ben", "Cy", "\u0410da")
        assert (
            "nobody was invited" in olga.post("/organiser", data=form("invite", "people.csv")).text
        )
        assert {account.name for account in accounts.accounts()} == {"Ada", "Ben", "Cleo", "Olga"}
        (own,) = shown(form("rotate", "Olga"))  # which ends the session that asks for it
        assert accounts.with_token(own).name == "Olga"
        assert olga.get("/organiser").status_code == 403
