"""`arena new --bridge` makes the folder of a bot that exists already, and it plays."""

import pytest

from arena.event import discovery
from tests.extras.bridges.bridged import moves, played
from tests.support import cup, workspaces

AGENT = "def agent(observation, configuration):\n    return observation.step % 7\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = workspaces.make(
        tmp_path_factory.mktemp("new") / "ws", {"taken": cup.LAST}, "connect_four"
    )
    (folder / "agent.py").write_text(AGENT)
    (folder / "engine").write_text("#!/bin/sh\n")
    (folder / "engine").chmod(0o755)
    return folder


def new(folder, *words):
    return cup.arena(folder, "new", *words)


def test_an_agent_is_copied_into_its_folder_and_plays(folder):
    done = new(
        folder, "ada", "--bridge", "kaggle", "--engine", "./agent.py", "--game", "connect_four"
    )
    assert done.returncode == 0, done.stderr
    assert "arena check bots/ada --board connect_four" in done.stdout
    assert moves(played(folder, "connect_four", "ada", "ada"))[:2] == ["drop 1", "drop 2"]


def test_an_engine_is_copied_with_its_mode_and_one_of_the_system_stays_where_it_is(folder):
    assert new(folder, "bea", "--bridge", "uci", "--engine", "./engine --quick").returncode == 0
    assert new(folder, "cat", "--bridge", "uci", "--engine", "cat agent.py").returncode == 0
    bea, cat = (discovery.from_path(folder / "bots" / name) for name in ("bea", "cat"))
    assert bea.command[-2:] == ("./engine", "--quick")
    assert bea.games == ("openspiel/chess",)
    assert (folder / "bots/bea/engine").stat().st_mode & 0o111
    assert cat.command[-2].startswith("/")
    assert (folder / "bots/cat/agent.py").read_text() == AGENT


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x", "--bridge", "uc"], "--bridge uc: no such bridge; did you mean 'uci'?"),
        (["x", "--bridge", "uci"], "--bridge: name the bot and its program"),
        (["x", "--bridge", "uci", "--engine", "./absent"], "there is no file './absent'"),
        (["x", "--bridge", "uci", "--engine", "'"], "no closing quotation"),
        (
            ["taken", "--bridge", "kaggle", "--engine", "agent.py"],
            "bots/taken.py: is there already",
        ),
    ],
)
def test_a_mistake_is_one_line_and_makes_nothing(folder, words, message):
    done = new(folder, *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message.lower() in done.stderr.lower()
    assert not (folder / "bots" / "x").exists()
