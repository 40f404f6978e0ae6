"""A system that is not Linux, as tests/not_linux/ makes one of this: every process that touches
what only Linux has is killed, so an exit code of 0 says that nothing did. What is read here of a
Mac was not run on one."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from arena import shared_folders, system
from arena.sandbox import seccomp
from tests.support import cup, extras, processes, workspaces
from tests.support.processes import until
from tests.support.programs import python

ROOT = Path(__file__).parents[2]
WARNING = (
    "warning: bots are not confined (sandbox 'none'): bots can do whatever you can do, "
    "without any limit"
)
SLEEPS = python("time.sleep(60)", ready='say("ready")\nopen("asked", "w")')
COMMANDS = """
import csv, json, sys
from pathlib import Path
from tests.support import cup
from arena import charts
charts.names = lambda: (charts.FIRST,)
for name, (folder, words) in json.load(sys.stdin).items():
    if "MATCH" in words:
        words[-1] = next(csv.DictReader(open(f"{folder}/results/cup/matches.csv")))["match"]
    done = cup.arena(Path(folder), *words, typed="1\\n")
    print(json.dumps([name, [done.returncode, done.stdout, done.stderr]]), flush=True)
"""
TOUCHES = """
import os, sys
for touch in sys.argv[1:]:
    if (pid := os.fork()) == 0:
        os.closerange(1, 3)
        exec(touch)
        os._exit(0)
    print(os.waitpid(pid, 0)[1] != 0)
"""

pytestmark = pytest.mark.skipif(
    seccomp.arch() is None, reason="there is no filter of system calls for this machine"
)


def elsewhere(*command: str) -> list[str]:
    """Return the command as it is run on another system."""
    return [sys.executable, str(ROOT / "tests/not_linux/run.py"), *command]


def environment(**more: str) -> dict[str, str]:
    return cup.environment(PYTHONPATH=str(ROOT), **more)


FLOODS = python('sys.stdout.write("x" * 9_000_000)')
BUILT = {
    "bot.toml": 'command = "./bot"\nbuild = "sh build.sh"\n',
    "build.sh": "printf '#!/bin/sh\\nexit 3\\n' > bot; chmod +x bot\n",
}
BOARD = ("--board", "mummy_maze/duel")
RESULTS = (
    "leaderboard", "status", "replay MATCH", "verify", "report", "charts", "compare first last",
    "export", "docs laptops", "init new", "new ada --language python --game mummy_maze",
    *(["lessons first"] if extras.missing_for("lessons") is None else []),
)  # fmt: skip


def in_turn(commands: Mapping[str, tuple[Path, Sequence[str]]]) -> dict[str, tuple[int, str, str]]:
    """Return (exit code, stdout, stderr) of commands, all of which one process ran there."""
    order = json.dumps({name: (str(where), words) for name, (where, words) in commands.items()})
    command = elsewhere(sys.executable, "-c", COMMANDS)
    ended = subprocess.run(
        command, input=order, env=environment(), capture_output=True, text=True, check=False
    )
    results = {name: tuple(result) for name, result in map(json.loads, ended.stdout.splitlines())}
    assert (ended.returncode, [*results]) == (0, [*commands]), (
        ended.stderr
    )  # not killed: it touched nothing of Linux
    return results


RUN = ("run", "--unsafe", "--no-charts")


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> dict[str, tuple[int, str, str]]:
    """Return what commands said that start bots, or are refused."""
    folder = tmp_path_factory.mktemp("elsewhere")
    played, own = (
        workspaces.make(folder / "played", boards="duel"),
        workspaces.make(folder / "own", boards="duel"),
    )
    (own / "bots/built").mkdir()
    for name, text in BUILT.items():
        (own / "bots/built" / name).write_text(text)
    bots = {"sleeps": SLEEPS, "floods": FLOODS, "last": cup.LAST}
    hasty = workspaces.make(folder / "hasty", bots, "mummy_maze/duel", time={"move": 0.2})
    by_cpu = workspaces.make(folder / "by_cpu", bots, "mummy_maze/duel", time={"clock": "cpu"})
    commands = {
        "run": (played, RUN),
        "run without --unsafe": (own, ("run",)),
        "serve": (folder, ("serve",)),
        "worker": (folder, ("worker", "tcp://127.0.0.1:9")),
        "check": (own, ("check", "bots/first.py", *BOARD)),
        "match": (own, ("match", "first", "last", *BOARD)),
        "play": (own, ("play", "mummy_maze/duel", "explorer", "--against", "last")),
        "built": (own, ("match", "built", "last", *BOARD)),
        "late": (hasty, ("match", "sleeps", "last", *BOARD, "--json")),
        "loud": (hasty, ("match", "floods", "last", *BOARD, "--json")),
        "clock": (by_cpu, ("match", "floods", "last", *BOARD)),
    }
    results = in_turn(commands)
    results["log"] = (0, (played / "results/cup/logs/arena.log").read_text(), "")
    return results


def test_what_only_linux_has_is_refused():
    touches = (
        "open('/proc/self/stat')",
        "import os; os.stat('/proc/self')",
        "import os; os.open('.', 0o10000000)",
        "import ctypes; ctypes.CDLL(None).syscall(444, 0, 0, 1)",
        "import ctypes; ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)",
        "import os; os.sched_getaffinity(0)",
        "import socket; socket.socketpair(socket.AF_UNIX, 5)",
        "import socket; socket.socket(socket.AF_UNIX).bind('\\0name')",
        (
            "import os, threading, time; threading.Thread(target=time.sleep, args=(9,), "
            "daemon=True).start(); os.fork()"
        ),
        "import sys; sys.exit(sys.platform == 'darwin')",
        "pass",
    )
    command = elsewhere(sys.executable, "-c", TOUCHES, *touches)
    printed = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=True
    ).stdout
    assert printed.splitlines() == ["True"] * (len(touches) - 1) + ["False"]


def test_an_event_is_played_after_one_warning_and_logged(done):
    code, _, said = done["run"]
    assert (code, said.count(WARNING)) == (0, 1), said
    assert "2 of 2 matches (100 %)" in said
    assert done["log"][1].count(" INFO match ") == 2
    assert "referee-1" in done["log"][1]


def test_a_run_that_does_not_say_unsafe_is_refused_in_one_line(done):
    code, _, said = done["run without --unsafe"]
    assert code == 2
    assert said == (
        "tournament.toml: sandbox: bots are confined on Linux only, and this is darwin; "
        "add --unsafe (or unsafe = true) if you trust every bot; see `arena docs laptops`\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("serve", marks=extras.needs("serve")),
        pytest.param("worker", marks=extras.needs("cluster")),
    ],
)
def test_what_cannot_work_there_is_refused_in_one_line(done, command):
    code, _, said = done[command]
    assert (code, "Linux" in said, said.count("\n")) == (2, True, 1)


@pytest.mark.soak
def test_what_needs_no_confinement_works(tmp_path):
    played = workspaces.make(tmp_path / "played", boards="duel")
    words = {"run": RUN, **{command: command.split() for command in RESULTS}}
    said = in_turn({command: (played, split) for command, split in words.items()})
    assert {command: result for command, result in said.items() if result[0] != 0} == {}
    assert (played / "results/cup/report.html").is_file()
    assert (played / "results/cup/charts/leaderboard.png").is_file()


def test_a_bot_of_ones_own_is_checked_and_plays_without_unsafe(done):
    (checked, found, said), match, human = done["check"], done["match"], done["play"]
    assert (checked, said.count(WARNING)) == (0, 1), said
    assert "first is fit to play" in found
    assert (match[0], match[2].count(WARNING)) == (0, 1), match
    assert human[2].count(WARNING) == 1


def test_a_bot_that_answers_late_or_floods_is_judged_by_the_wall(done):
    assert re.search(r"no answer in 200 ms; \d+ ms passed[;\"]", done["late"][1]), done["late"]
    assert "a line of more than 65536 bytes" in done["loud"][1]
    code, _, said = done["clock"]
    assert (code, "time.clock" in said) == (2, True)


@pytest.mark.slow
def test_a_bot_that_is_built_and_fails_is_judged(done):
    code, printed, said = done["built"]
    assert (code, "exit 3" in printed) == (0, True), said


def test_nothing_is_left_of_a_run_that_is_killed(tmp_path):
    folder, temporary = (
        workspaces.make(tmp_path / "ws", {"first": SLEEPS, "last": cup.LAST}, "duel"),
        tmp_path / "tmp",
    )
    temporary.mkdir()
    run = subprocess.Popen(
        elsewhere(sys.executable, "-m", "arena", "run", "--unsafe"),
        cwd=folder,
        env=environment(TMPDIR=str(temporary)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert until(lambda: [*temporary.glob("arena-run-*/*/asked")])
    below = processes.descendants(run.pid)
    assert len(below) > 2  # lanes, guards, bots

    run.kill()
    run.wait()

    assert processes.gone_soon(below)
    assert until(lambda: not [*temporary.iterdir()])


@pytest.fixture
def no_paths(monkeypatch):
    """Walk to folders as where no descriptor can be of a link."""
    monkeypatch.setattr(system, "LINUX", False)
    monkeypatch.setattr(shared_folders, "STEP", shared_folders.FOLDER)


def test_a_link_of_ones_own_is_followed_where_no_descriptor_can_be_of_a_link(tmp_path, no_paths):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")

    with shared_folders.opened(tmp_path / "link") as folder:
        assert os.path.samestat(os.fstat(folder), (tmp_path / "there").stat())


@pytest.mark.parametrize("swapped", [False, True])
def test_a_link_of_a_stranger_is_refused_there_also_if_it_comes_meanwhile(
    tmp_path, no_paths, monkeypatch, swapped
):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    readlink = os.readlink

    def exchanged(*arguments, **named):
        target = readlink(*arguments, **named)
        (tmp_path / "theirs").symlink_to("there")
        (tmp_path / "theirs").rename(tmp_path / "link")
        return target

    if swapped:
        monkeypatch.setattr(os, "readlink", exchanged)
    else:
        monkeypatch.setattr(shared_folders, "is_trusted", lambda _: False)

    words = "exchanged meanwhile" if swapped else "a link of another user"
    with pytest.raises(OSError, match=words), shared_folders.opened(tmp_path / "link"):
        pass
