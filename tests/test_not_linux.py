"""A system that is not Linux, as tests/not_linux/ makes one of this: every process that touches what only Linux has is
killed, so an exit code of 0 says that nothing did. What is read here of a Mac was not run on one."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cup
import events
import processes
import pytest
from programs import python

from arena import shared_folders, system
from arena.sandbox import seccomp

ROOT = Path(__file__).parent.parent
WARNING = "warning: bots are not confined (sandbox 'none'): bots can do whatever you can do, without any limit"
SLEEPS = python("time.sleep(60)", ready='say("ready")\nopen("asked", "w")')
SEVERAL = """
import json, sys
from arena import charts
from arena.cli import main
charts.names = lambda: ("leaderboard", "roles")  # quick ones
for words in json.loads(sys.argv.pop()):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        if end.code:
            sys.exit(f"{words}: {end.code}")
"""

pytestmark = pytest.mark.skipif(seccomp.arch() is None, reason="there is no filter of system calls for this machine")


def elsewhere(*command: str) -> list[str]:
    """Return the command as it is run on another system."""
    return [sys.executable, str(ROOT / "tests/not_linux/run.py"), *command]


def arena(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return done(folder, sys.executable, "-m", "arena", *words, typed=typed)


def done(folder: Path, *command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    environment = cup.environment(PYTHONPATH=str(ROOT))
    return subprocess.run(
        elsewhere(*command), cwd=folder, input=typed, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """Return a workspace in which an event was played there."""
    folder = cup.make(tmp_path_factory.mktemp("elsewhere") / "ws")
    run = arena(folder, "run", "--unsafe", "--no-charts")
    assert (run.returncode, run.stderr.count(WARNING)) == (0, 1), run.stderr
    assert "2 of 2 matches (100 %)" in run.stderr
    return folder


@pytest.mark.parametrize(
    "touch",
    [
        "open('/proc/self/stat')",
        "import os; os.stat('/proc/self')",
        "import os; os.open('.', 0o10000000)",
        "import ctypes; ctypes.CDLL(None).syscall(444, 0, 0, 1)",
        "import ctypes; ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)",
        "import os; os.sched_getaffinity(0)",
        "import socket; socket.socketpair(socket.AF_UNIX, 5)",
        "import socket; socket.socket(socket.AF_UNIX).bind('\\0name')",
        "import os, threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); os.fork()",
    ],
)
def test_what_only_linux_has_is_refused(tmp_path, touch):
    assert done(tmp_path, sys.executable, "-c", touch).returncode != 0


def test_other_work_is_not_refused(tmp_path):
    import_all = "import arena.cli, arena.event.tournament, matplotlib.pyplot, multiprocessing, numpy, pandas, sys"
    tried = done(tmp_path, sys.executable, "-c", f"{import_all}; print(sys.platform)")
    assert (tried.returncode, tried.stdout) == (0, "darwin\n"), tried.stderr


def test_an_event_is_played_after_one_warning_and_logged(played):
    log = (played / "results/cup/logs/arena.log").read_text()

    assert log.count(" INFO match ") == 2
    assert "referee-1" in log


def test_a_run_that_does_not_say_unsafe_is_refused_in_one_line(tmp_path):
    refused = arena(cup.make(tmp_path / "ws"), "run")

    assert refused.returncode == 2
    assert refused.stderr == (
        "tournament.toml: sandbox: bots are confined on Linux only, and this is darwin; "
        "add --unsafe (or unsafe = true) if you trust every bot; see `arena docs laptops`\n"
    )


@pytest.mark.parametrize("words", [["serve"], ["worker", "tcp://127.0.0.1:9"]])
def test_what_cannot_work_there_is_refused_in_one_line(tmp_path, words):
    refused = arena(tmp_path, *words)

    assert refused.returncode == 2
    assert "Linux" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_what_needs_no_confinement_works(played, tmp_path):
    match = next(csv.DictReader((played / "results/cup/matches.csv").read_text().splitlines()))["match"]
    commands = [
        ["leaderboard"],
        ["status"],
        ["replay", match],
        ["verify"],
        ["report"],
        ["charts"],
        ["lessons", "first"],
        ["compare", "first", "last"],
        ["export"],
        ["docs", "laptops"],
        ["init", str(tmp_path / "new")],
        ["new", "ada", "--language", "python", "--game", "mummy_maze"],
    ]

    several = done(played, sys.executable, "-c", SEVERAL, json.dumps(commands))

    assert several.returncode == 0, several.stderr
    assert (played / "results/cup/report.html").is_file()
    assert (played / "results/cup/charts/leaderboard.png").is_file()


def test_a_bot_of_ones_own_is_checked_and_plays_without_unsafe(tmp_path):
    folder = cup.make(tmp_path / "ws")

    checked = arena(folder, "check", "bots/first.py", "--board", "mummy_maze/duel")
    match = arena(folder, "match", "first", "last", "--board", "mummy_maze/duel")
    human = arena(folder, "play", "mummy_maze/duel", "explorer", typed="1\n")

    assert (checked.returncode, checked.stderr.count(WARNING)) == (0, 1), checked.stderr
    assert "first is fit to play" in checked.stdout
    assert (match.returncode, match.stderr.count(WARNING)) == (0, 1), match.stderr
    assert human.stderr.count(WARNING) == 1


def test_a_bot_that_answers_late_or_floods_is_judged_by_the_wall(tmp_path):
    floods = python('sys.stdout.write("x" * 9_000_000)')
    bots = {"first": SLEEPS, "last": floods, "more": cup.LAST}
    folder = events.workspace(tmp_path / "ws", bots, ["mummy_maze/duel"], time="{move = 0.2}")
    words = ["--board", "mummy_maze/duel", "--json"]

    late = arena(folder, "match", "first", "more", *words)
    loud = arena(folder, "match", "last", "more", *words)
    file = folder / "tournament.toml"
    file.write_text(file.read_text().replace("move = 0.2", 'clock = "cpu"'))
    refused = arena(folder, "match", "last", "more", *words)

    assert re.search(r"no answer in 200 ms; \d+ ms passed[;\"]", late.stdout), late.stdout
    assert "a line of more than 65536 bytes" in loud.stdout
    assert (refused.returncode, "time.clock" in refused.stderr) == (2, True)


BUILT = {
    "bot.toml": 'command = "./bot"\nbuild = "sh build.sh"\n',
    "build.sh": "printf '#!/bin/sh\\nexit 3\\n' > bot; chmod +x bot\n",
}


def test_a_bot_that_is_built_and_fails_is_judged(tmp_path):
    folder = cup.make(tmp_path / "ws")
    (folder / "bots/built").mkdir()
    for name, text in BUILT.items():
        (folder / "bots/built" / name).write_text(text)

    match = arena(folder, "match", "built", "last", "--board", "mummy_maze/duel")

    assert match.returncode == 0, match.stderr
    assert "exit 3" in match.stdout


def test_nothing_is_left_of_a_run_that_is_killed(tmp_path):
    folder, temporary = cup.make(tmp_path / "ws", first=SLEEPS, last=cup.LAST), tmp_path / "tmp"
    temporary.mkdir()
    run = subprocess.Popen(
        elsewhere(sys.executable, "-m", "arena", "run", "--unsafe"),
        cwd=folder,
        env=cup.environment(PYTHONPATH=str(ROOT), TMPDIR=str(temporary)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert cup.soon(lambda: [*temporary.glob("arena-run-*/*/asked")])
    below = processes.descendants(run.pid)
    assert len(below) > 2  # lanes, guards, bots

    run.kill()
    run.wait()

    assert processes.gone_soon(below)
    assert cup.soon(lambda: not [*temporary.iterdir()])


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
def test_a_link_of_a_stranger_is_refused_there_also_if_it_comes_meanwhile(tmp_path, no_paths, monkeypatch, swapped):
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
