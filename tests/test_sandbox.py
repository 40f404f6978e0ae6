"""The door and the spawner behind it: whoever is killed, no bot, no process and no folder is left."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import gone_soon

from arena import roster, rulebook, rulefile
from arena.event import Event
from arena.match import Bot, Limits, Match
from arena.play import play
from arena.sandbox import rlimits
from arena.sandbox.door import Door, SpawnerLostError
from arena.sandbox.folder import discard

RULES = rulefile.shipped() / "pacman.py"
SLEEPER = "import os, sys, time\nsys.stdin.readline()\nos.fork()\nprint('ready', flush=True)\ntime.sleep(600)\n"


@pytest.fixture
def sleeper(tmp_path) -> Bot:
    path = tmp_path / "sleeper.py"
    path.write_text(SLEEPER)
    return roster.from_path(path)


def match_of(bot: Bot) -> Match:
    (board,) = rulebook.find("duel")
    return Event(name="t", seed=1, boards=(board,), bots=(bot, bot)).match(board, (bot, bot), 0)


def test_a_killed_spawner_is_our_failure_and_takes_its_bots_with_it(sleeper):
    before = set(os.listdir("/proc/self/fd"))
    door = Door()
    child = door.start(sleeper, Limits(), RULES)
    os.kill(door._spawner.pid, signal.SIGKILL)
    with pytest.raises(SpawnerLostError):
        play(match_of(sleeper), door=door)
    assert gone_soon([child.pid])
    for descriptor in (child.stdin, child.stdout, child.stderr):
        os.close(descriptor)
    door.close()
    assert set(os.listdir("/proc/self/fd")) == before
    assert not door.folder.path.exists()


@pytest.mark.slow
def test_a_killed_referee_leaves_no_bot_no_spawner_and_no_folder(sleeper, tmp_path):
    script = (
        "import sys; from pathlib import Path; from arena import roster; from arena.match import Limits\n"
        "from arena.sandbox.door import Door\n"
        "door = Door(); child = door.start(roster.from_path(Path(sys.argv[1])), Limits(), Path(sys.argv[2]))\n"
        "print(door._spawner.pid, child.pid, door.folder.path, flush=True)\n"
        "import time; time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, sleeper.files or "", str(RULES)]
    referee = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert referee.stdout is not None
    with referee.stdout:
        spawner, bot, folder = referee.stdout.readline().split()
    referee.kill()
    referee.wait()
    assert gone_soon([int(bot)])
    assert gone_soon([int(spawner)])
    assert not Path(folder).exists()


def test_a_program_that_does_not_exist_is_told_in_words(tmp_path):
    with Door() as door:
        child = door.start(Bot(name="x", command=("no-such-program",), digest="x"), Limits(), RULES)
        assert child.pid == 0
        assert child.error == "no-such-program: No such file or directory"
        assert str(door.end(child)) == "exit 127"
        for descriptor in (child.stdin, child.stdout, child.stderr):
            os.close(descriptor)


@pytest.mark.parametrize(
    ("script", "words"),
    [("raise SystemExit(3)", "exit 3"), ("import os; os.abort()", "signal SIGABRT"), ("", "exit 0")],
)
def test_an_exit_is_told_in_words(tmp_path, script, words):
    path = tmp_path / "bot.py"
    path.write_text(script)
    with Door() as door:
        child = door.start(roster.from_path(path), Limits(), RULES)
        assert str(door.end(child, grace=5.0)) == words
        for descriptor in (child.stdin, child.stdout, child.stderr):
            os.close(descriptor)


def test_limits_become_rlimits_and_no_limit_none():
    rows = {row[0]: row[1:] for row in rlimits.table(Limits(memory=1000, cpu=2.5))}
    assert rows[resource.RLIMIT_DATA] == (1000, 1000)
    assert rows[resource.RLIMIT_CPU] == (3, 4)
    assert rows[resource.RLIMIT_CORE] == (0, 0)
    free = {row[0] for row in rlimits.table(Limits(memory=None, cpu=None))}
    assert not free & {resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_AS}


def test_a_tighter_limit_of_the_bots_own_wins():
    mine, its = Limits(memory=100, cpu=5.0), Limits(memory=None, cpu=9.0, processes=None)
    assert mine.tightened(its) == Limits(memory=100, cpu=5.0)
    assert mine.tightened(Limits(memory=50, cpu=None, processes=None)).memory == 50
    assert mine.tightened(None) is mine


def test_a_folder_thousands_deep_is_removed(tmp_path):
    home = Path.cwd()
    top = tmp_path / "top"
    top.mkdir()
    os.chdir(top)
    try:
        for _ in range(3000):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(home)
    discard(top)
    assert not top.exists()
