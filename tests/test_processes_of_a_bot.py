"""A bot that the organiser allows processes of its own: it plays, is checked alike, and no other bot gains by it."""

import json
from dataclasses import replace

import cup
import events
import live
import pytest
import sprint
from programs import python

from arena.match.play import play
from arena.sandbox import choice
from arena.values import Conditions

WRAPPER = python(ready='if not os.fork(): os._exit(0)\nos.wait()\nsay("ready")')
GRANT = '[[bot]]\nname = "wrapper"\nprocesses = 2\n'
ASK = "the organiser can write processes = 2 in its [[bot]] table in tournament.toml"


@pytest.mark.parametrize("level", ["landlock", "bubblewrap"])
def test_one_bot_may_be_two_processes_and_its_opponent_may_not(tmp_path, launcher, level):
    if (why := choice.failure(level)) is not None:
        pytest.skip(why)
    one = live.bot_of(tmp_path / "wrapper.py", WRAPPER)
    two = replace(one, name="allowed", processes=2)
    match = live.match_of("goofspiel/five", two, one, conditions=Conditions(sandbox=level))
    (fault,) = play(match, launcher=launcher).verdict.faults
    assert fault.role == "right"
    assert ASK in fault.words


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
    made = events.workspace(tmp_path_factory.mktemp("own") / "ws", {"first": sprint.FIRST, "last": sprint.LAST})
    (made.parent / "wrapper.py").write_text(WRAPPER)
    return made


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
    (match,) = json.loads(cup.arena(folder, "match", "wrapper", "first", "--board", "sprint", "--json").stdout)
    assert match["reason"] == "rest"
    file.write_text(plain + GRANT.replace("2", "3"))
    assert cup.run_event(folder).returncode == 0
    assert cup.stored(folder) == 10  # its four matches are others now
