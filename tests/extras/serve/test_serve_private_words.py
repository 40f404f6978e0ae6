"""What the site says of matches that somebody asked for: words about a bot reach its author, and no
other one.
"""

import io
import pickle
import sys
import zipfile

import httpx
import pytest

from arena.errors import PRIVATE, ArenaError, BotError, MachineError, PublicError
from arena.extras.serve import people, scheduler, statements, uploads
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.app import make_app
from arena.extras.serve.remote import Hub
from arena.extras.serve.statements import Statement
from tests.extras.serve.class_site import decide
from tests.extras.serve.served import served
from tests.extras.serve.test_serve_play import post, settled
from tests.support import cup, workspaces
from tests.support.processes import until

SECRET = "secret-of-Ben"
NEVER_READY = f"raise KeyError('{SECRET}')\n"
SAYS_OTHER_WORDS = f"print('{SECRET}', flush=True)\ninput()\n"
BUILD_FAILS = {
    "bot.toml": "command = 'python3 bot.py'\nbuild = 'sh build.sh'\n",
    "build.sh": f"echo {SECRET}; exit 3\n",
    "bot.py": cup.FIRST,
}
NEEDS_A_COMPILER = {
    "bot.toml": f"command = 'python3 bot.py'\nbuild = '{SECRET}-compiler bot.py'\n",
    "bot.py": cup.FIRST,
}
BOTS = {
    "never ready": {"bot.py": NEVER_READY},
    "other words": {"bot.py": SAYS_OTHER_WORDS},
    "build fails": BUILD_FAILS,
    "needs a compiler": NEEDS_A_COMPILER,
}


def packed(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def site_with(folder, files: dict[str, str]) -> Accounts:
    """Make a site with a bot of Ada that plays, and a bot of Ben of these files."""
    accounts = Accounts(workspaces.make(folder, boards="duel"))
    for name, own in (("Ada", {"bot.py": cup.FIRST}), ("Ben", files)):
        accounts.invite(name, "test")
        uploads.receive(accounts, accounts.named(name), {"bot.zip": io.BytesIO(packed(own))})
        decide(accounts)
    return accounts


@pytest.mark.soak  # test_serve_accounts.py has a bot of Ben that is never ready
@pytest.mark.parametrize(
    "cause",
    [
        "never ready",
        "other words",
        "build fails",
        "needs a compiler",
    ],
)
def test_why_a_bot_could_not_play_a_request_is_for_its_author_only(tmp_path, cause):
    accounts = site_with(tmp_path, BOTS[cause])
    ada, ben = accounts.named("Ada"), accounts.named("Ben")
    accounts.ask(ada, "Ada@1", "Ben@1", "mummy_maze/duel", 1)
    accounts.ask(ben, "Ben@1", "Ada@1", "mummy_maze/duel", 1)
    work = scheduler.Scheduler(accounts, Hub())
    assert until(lambda: work.step() or all(each.ended for each in accounts.requests()), 60)
    (by_ada,), (by_ben,) = accounts.requests(ada), accounts.requests(ben)
    assert (by_ada.status, by_ben.status) == ("failed", "failed")
    assert SECRET not in by_ada.words
    assert "Ben@1" in by_ada.words
    assert PRIVATE in by_ada.words
    assert SECRET in by_ben.words
    assert str(accounts.workspace) not in by_ada.words + by_ben.words


@pytest.mark.slow
def test_why_arena_could_not_play_a_request_is_for_the_organiser_only(tmp_path):
    accounts = site_with(tmp_path, {"bot.py": cup.FIRST})
    ada = accounts.named("Ada")
    accounts.ask(ada, "Ada@1", "Ben@7", "mummy_maze/duel", 1)
    work = scheduler.Scheduler(accounts, Hub())
    assert until(lambda: work.step() or accounts.requests(ada)[0].ended, 60)
    (asked,) = accounts.requests(ada)
    assert (asked.status, asked.words) == (
        "failed",
        "it could not be played; the organiser can read why",
    )
    assert "Ben@7" in accounts.log()[0].subject


def test_a_process_that_says_nothing_has_failed_and_its_output_is_the_organisers(tmp_path):
    accounts = site_with(tmp_path, {"bot.py": cup.FIRST})
    accounts.ask(accounts.named("Ada"), "Ada@1", "Ben@1", "mummy_maze/duel", 1)
    accounts.set_request(accounts.requests()[0], "playing")
    statements.write(
        accounts.request_file, "of another", [Statement(public="words of another request")]
    )
    work = scheduler.Scheduler(accounts, Hub())
    work._request.start(
        [sys.executable, "-m", "arena", "docs", SECRET]
    )  # stands for a bug: it ends without a statement
    assert until(lambda: work.step() or accounts.requests()[0].ended, 60)
    assert accounts.requests()[0].words == "it could not be played; the organiser can read why"
    assert SECRET in accounts.log()[0].subject


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (
            ArenaError(f"any mistake: {SECRET}"),
            "it could not be played; the organiser can read why",
        ),
        (MachineError(SECRET), "it could not be played; the organiser can read why"),
        (BotError(SECRET), "it could not be played; the organiser can read why"),
        (BotError(SECRET, public="Ben is late"), "Ben is late; the organiser can read why"),
        (BotError(SECRET, bot="Ben@1", public="Ben@1 is late"), f"Ben@1 is late: {PRIVATE}"),
        (BotError(SECRET, bot="Ada", public="Ada is late"), f"Ada is late: {PRIVATE}"),
        (BotError(SECRET, bot="Ada1@1", public="Ada1@1 is late"), SECRET),
        (BotError("any words", bot="Ada1"), "any words"),
        (PublicError("Ben does not play ghost"), "Ben does not play ghost"),
    ],
)
def test_a_mistake_is_shown_in_its_own_words_only_if_its_type_says_to_whom(error, shown):
    assert statements.of_error(error).shown_to({"Ada1"}) == shown
    again = pickle.loads(pickle.dumps(error))
    assert statements.of_error(again) == statements.of_error(error)


@pytest.mark.soak
def test_why_a_bot_cannot_play_against_a_person_is_for_its_author_only(tmp_path):
    accounts = site_with(tmp_path, BUILD_FAILS)
    sessions = {}
    for account in accounts.accounts():
        (made := accounts.new_token(account, "test")).store()
        sessions[account.name] = accounts.sign_in(*made.tokens)
    texts = {}
    with served(accounts.workspace, app=make_app(accounts.workspace)) as client:
        for name, session in sessions.items():
            with httpx.Client(
                base_url=client.base_url, cookies={people.COOKIE: session}, timeout=150
            ) as own:
                bot = "Ben" if name == "Ada" else "Ben@1"
                page = settled(own, post(own, "/play", bot=bot, seat="mummy_maze/duel explorer"))
                texts[name] = page.text
    assert "cannot be played" in texts["Ada"]
    assert SECRET not in texts["Ada"]
    assert SECRET in texts["Ben"]
