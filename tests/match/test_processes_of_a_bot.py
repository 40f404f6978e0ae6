"""A bot that the organiser allows processes of its own: it plays, is checked alike, and no other
bot gains by it.
"""

import json
from dataclasses import replace

import pytest

from arena.sandbox import choice
from arena.values import Conditions
from tests.support import cup, live, sprint, workspaces
from tests.support.programs import python

WRAPPER = python(ready='if not os.fork(): os._exit(0)\nos.wait()\nsay("ready")')
GRANT = '[[bot]]\nname = "wrapper"\nprocesses = 2\n'
ASK = "ask the organiser for processes = 2 in its [[bot]] table in tournament.toml"


def test_a_bot_of_two_processes_is_frozen_and_doubted_as_such(tmp_path, launcher):
    bot = live.bot_of(tmp_path / "wrapper.py", WRAPPER)
    with live.ready(
        replace(bot, processes=2), Conditions(sandbox=choice.choose("auto", unsafe=False)), launcher
    ) as two:
        assert not two.of_one_process
        assert not two.child.cannot_kill_itself


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a workspace of two bots of one process, and the wrapper beside it."""
    made = workspaces.make(
        tmp_path_factory.mktemp("own") / "ws", {"first": sprint.FIRST, "last": sprint.LAST}
    )
    (made.parent / "wrapper.py").write_text(WRAPPER)
    return made


@pytest.mark.soak
def test_whoever_takes_a_bot_in_reads_what_it_asks_for(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST})
    (tmp_path / "asks").mkdir()
    (tmp_path / "asks" / "bot.toml").write_text("command = 'sh bot.sh'\nlimits = {processes = 2}\n")
    (tmp_path / "asks" / "bot.sh").write_text(sprint.LAST)
    done = cup.arena(folder, "submit", str(tmp_path / "asks"))
    words = (
        "asks asks for 2 processes and gets 1: `processes = 2` in its [[bot]] table in "
        "tournament.toml"
    )
    assert (done.returncode, words in done.stderr) == (0, True)
    assert words in cup.arena(folder, "check", "asks").stdout


def test_a_mistake_in_the_grant_of_a_bot_is_no_fault_of_the_bot(tmp_path):
    tables = {"time": {"clock": "cpu"}, "bot": [{"name": "wrapper", "processes": 2}]}
    folder = workspaces.make(tmp_path / "ws", {"wrapper": sprint.FIRST}, **tables)
    words = "bot 'wrapper': processes: time.clock = \"cpu\" counts the CPU time of one process"
    for command in ("submit", "check"):
        done = cup.arena(folder, command, str(folder / "bots" / "wrapper"))
        assert done.returncode == 2, done.stderr
        assert words in done.stderr, done.stderr
    assert not (folder / "bots" / "_refused").exists()


@pytest.mark.slow
def test_a_bot_is_refused_taken_in_and_played_as_the_organiser_allows(folder):
    file, wrapper = folder / "tournament.toml", str(folder.parent / "wrapper.py")
    plain = file.read_text()
    refused = cup.arena(folder, "submit", wrapper)
    assert refused.returncode == 1
    assert ASK in refused.stdout
    file.write_text(plain + GRANT)
    waiting = cup.run_event(folder)
    assert "[[bot]] wrapper: no bot of this name is in the folder bots" in waiting.stderr
    assert cup.arena(folder, "submit", wrapper).returncode == 0
    checked = cup.arena(folder, "check", "wrapper@1")
    assert checked.returncode == 0, checked.stdout
    assert "up to 2 processes" in checked.stdout
    assert cup.arena(folder, "bots").returncode == 0
    played = cup.run_event(folder)
    assert (played.returncode, cup.stored(folder)) == (0, 6)
    assert "[[bot]]" not in played.stderr
    assert {row["bot"]: row["forfeits"] for row in cup.leaderboard(folder)}["wrapper"] == "0"
    assert cup.arena(folder, "verify").returncode == 0
    (match,) = json.loads(
        cup.arena(folder, "match", "wrapper", "first", "--board", "sprint", "--json").stdout
    )
    assert match["reason"] == "rest"
    file.write_text(plain + GRANT.replace("2", "3"))
    assert cup.run_event(folder).returncode == 0
    assert cup.stored(folder) == 10  # its four matches are others now
