"""The door and the spawner behind it: whoever is killed, no bot, no process and no folder is left."""

import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from processes import alive, descriptors, gone_soon, run_in

from arena import roster, rulebook, rulefile
from arena.event import Event
from arena.match import Bot, Conditions, Limits, Match
from arena.play import play
from arena.referee import Referee
from arena.sandbox import door as doors
from arena.sandbox import rlimits
from arena.sandbox.door import Child, Door, SpawnerLostError
from arena.sandbox.folder import discard

OPEN = Conditions(sandbox="rlimits", limits=Limits(processes=None))
RULES = rulefile.shipped() / "pacman.py"
SLEEPER = "import os, sys, time\nsys.stdin.readline()\nos.fork()\nprint('ready', flush=True)\ntime.sleep(600)\n"


@pytest.fixture
def sleeper(tmp_path) -> Bot:
    path = tmp_path / "sleeper.py"
    path.write_text(SLEEPER)
    return roster.from_path(path)


@pytest.fixture
def steady(tmp_path) -> Bot:
    path = tmp_path / "steady.py"
    path.write_text(
        "import os, sys, time\n"
        "pid = os.fork()\nif pid == 0:\n    os.setsid(); time.sleep(600)\n"
        "while os.getsid(pid) != pid: time.sleep(0.001)\n"
        "for line in sys.stdin:\n"
        "    if line == 'ready?\\n': print('ready', flush=True)\n"
        "    elif line.startswith('legal'): move = line.split(' ', 1)[1]\n"
        "    elif line.startswith('go'): print(move, end='', flush=True)\n"
    )
    return roster.from_path(path)


def close(child: Child) -> None:
    for descriptor in (child.stdin, child.stdout, child.stderr):
        os.close(descriptor)


def match_of(bot: Bot) -> Match:
    (board,) = rulebook.find("duel")
    return Event(name="t", seed=1, boards=(board,), bots=(bot, bot), conditions=OPEN).match(board, (bot, bot), 0)


def test_a_killed_spawner_is_our_failure_and_takes_its_bots_with_it(sleeper):
    before = descriptors()
    door = Door()
    child = door.start(sleeper, OPEN, RULES)
    os.kill(door._spawner.pid, signal.SIGKILL)
    with pytest.raises(SpawnerLostError):
        play(match_of(sleeper), door=door)
    assert gone_soon([child.pid])
    close(child)
    door.close()
    assert descriptors() == before
    assert not door.folder.path.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_spawner_lost_in_the_middle_of_a_match_leaves_nothing_and_the_next_door_works(steady, monkeypatch, number):
    monkeypatch.setattr(doors, "PATIENCE", 0.5)
    before = descriptors()
    door = Door()

    def lose(referee: Referee) -> None:
        if len(referee.turns) == 4:
            os.kill(door._spawner.pid, number)

    with pytest.raises(SpawnerLostError):
        play(match_of(steady), door=door, watch=lose)
    left = run_in(door.folder.path)
    assert left  # the daemons: nobody else can end them
    door.close()
    assert gone_soon(left)
    assert run_in(door.folder.path) == []
    assert descriptors() == before
    assert not door.folder.path.exists()
    assert play(match_of(steady)).verdict.faults == ()


def test_closing_a_door_twice_is_closing_it_once(sleeper):
    door = Door()
    close(door.start(sleeper, OPEN, RULES))
    door.close()
    door.close()
    assert not door.folder.path.exists()


@pytest.mark.slow
def test_a_killed_referee_leaves_no_bot_no_spawner_and_no_folder(sleeper, tmp_path):
    script = (
        "import sys; from pathlib import Path; from arena import roster; from arena.match import Conditions\n"
        "from arena.sandbox.door import Door\n"
        "door = Door()\n"
        "open = Conditions(sandbox='rlimits')\n"
        "child = door.start(roster.from_path(Path(sys.argv[1])), open, Path(sys.argv[2]))\n"
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
        child = door.start(Bot(name="x", command=("no-such-program",), digest="x"), OPEN, RULES)
        assert child.pid == 0
        assert child.error == "no-such-program: No such file or directory"
        assert str(door.end(child)) == "exit 127"
        close(child)


@pytest.mark.parametrize(
    ("script", "words"),
    [("raise SystemExit(3)", "exit 3"), ("import os; os.abort()", "signal SIGABRT"), ("", "exit 0")],
)
def test_an_exit_is_told_in_words(tmp_path, script, words):
    path = tmp_path / "bot.py"
    path.write_text(script)
    with Door() as door:
        child = door.start(roster.from_path(path), OPEN, RULES)
        assert str(door.end(child, grace=5.0)) == words
        close(child)


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


@pytest.mark.alone
@pytest.mark.slow
def test_a_large_referee_starts_its_bots_as_fast_as_a_small_one(steady):
    def start(door: Door) -> float:
        child = door.start(steady, OPEN, RULES)
        began = time.monotonic()
        for _ in range(20):
            close(child)
            door.end(child)
            child = door.start(steady, OPEN, RULES)
        close(child)
        door.end(child)
        return time.monotonic() - began

    with Door() as door:
        start(door)
        small = start(door)
        ballast = bytearray(os.urandom(1 << 20)) * 600
        large = start(door)
    assert len(ballast) == 600 << 20
    assert large < 2 * small + 0.1


def test_a_bot_takes_its_limits_with_it_and_none_of_our_signals_or_descriptors(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(
        "import os, resource, signal\n"
        "print(*resource.getrlimit(resource.RLIMIT_DATA), *resource.getrlimit(resource.RLIMIT_CORE),\n"
        "      signal.getsignal(signal.SIGTERM) == 0, oct(os.umask(0)), len(os.listdir('/proc/self/fd')))\n"
    )
    with Door() as door:
        child = door.start(roster.from_path(path), replace(OPEN, warm=False, limits=Limits(memory=300_000_000)), RULES)
        assert str(door.end(child, grace=10.0)) == "exit 0"
        said = os.read(child.stdout, 1000).decode().split()
        close(child)
    assert said == ["300000000", "300000000", "0", "0", "True", "0o77", "4"]


def test_what_a_bot_leaves_behind_is_swept_in_whatever_session_it_hides(steady):
    with Door() as door:
        child = door.start(steady, OPEN, RULES)
        os.write(child.stdin, b"ready?\n")
        os.set_blocking(child.stdout, True)
        assert os.read(child.stdout, 100).startswith(b"ready")  # its newline is a write of its own
        close(child)
        door.end(child, grace=10.0)
        (hidden,) = run_in(door.folder.path)
        assert alive(hidden)
        assert door.sweep() == 1
        assert not alive(hidden)
        assert door.sweep() == 0


def test_a_program_with_a_name_that_is_no_text_harms_nobody_else(tmp_path):
    path = tmp_path / os.fsdecode(b"evil\xff.sh")
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    bot = Bot(name="evil", command=(f"./{path.name}",), digest="x", files=str(path))
    with Door() as door:
        child = door.start(bot, OPEN, RULES)
        assert child.pid == 0
        assert child.error
        for descriptor in (child.stdin, child.stdout, child.stderr):
            os.close(descriptor)
        door.end(child)
        assert door.folder.path.exists()
        assert door.sweep() == 0


def test_a_room_that_was_never_touched_serves_another_bot_and_one_that_was_is_gone(tmp_path):
    confined = Conditions(sandbox="landlock")
    rooms = {}
    with Door() as door:
        for name, text in (
            ("tidy", "print(1)"),
            ("second", "print(2)"),
            ("looks", "import os\nos.listdir('/')\n"),
            ("writes", "import os\nopen(os.environ['TMPDIR'] + '/x', 'w')\n"),
            ("erases", "import os\np = os.environ['TMPDIR'] + '/x'\nopen(p, 'w')\nos.unlink(p)\n"),
            ("reads", "import os\nos.listdir(os.environ['TMPDIR'])\n"),
        ):
            (tmp_path / f"{name}.py").write_text(text)
            child = door.start(roster.from_path(tmp_path / f"{name}.py"), confined, None)
            door.end(child, grace=10.0)
            close(child)
            rooms[name] = child.room
        assert rooms["tidy"].path == rooms["second"].path == rooms["looks"].path == rooms["writes"].path
        assert rooms["writes"].path != rooms["erases"].path != rooms["reads"].path
        assert not rooms["writes"].path.exists()
        assert not rooms["erases"].path.exists()


def test_a_sweep_leaves_the_kept_and_what_died_of_them_can_still_be_ended(tmp_path):
    (tmp_path / "bot.py").write_text("input()\n")
    with Door() as door:
        kept, dead, left = (door.start(roster.from_path(tmp_path / "bot.py"), OPEN, None) for _ in range(3))
        os.write(dead.stdin, b"\n")
        assert gone_soon([dead.pid])
        assert door.sweep((kept.pid, dead.pid)) == 1
        assert alive(kept.pid)
        assert not alive(left.pid)
        assert str(door.end(dead)) == "exit 0"
        assert str(door.end(kept)) == "signal SIGKILL"
        for child in (kept, dead, left):
            close(child)
