"""`arena run` interrupted: finished matches are stored, no process stays, and the next run goes on."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cup import (
    FIRST,
    Command,
    arena,
    as_from_a_shell,
    make,
    make_slow,
    processes_in,
    run_event,
    soon,
    start,
    stored,
    tables,
)
from programs import python


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The tables of an event that nothing interrupted."""
    folder = make_slow(tmp_path_factory.mktemp("undisturbed") / "ws")
    assert run_event(folder, "--workers", "4").returncode == 0
    return tables(folder)


def interrupt(run: Command, number: signal.Signals) -> subprocess.CompletedProcess[str]:
    """Ctrl-C reaches every process of the terminal, `kill` the main one only."""
    if number is signal.SIGINT:
        os.killpg(run.pid, number)
    else:
        run.signal(number)
    return run.end(10)


def check_end(run: Command, number: signal.Signals, folder: Path) -> tuple[int, list[str]]:
    """Interrupt a run: it stores what finished, leaves no process, and tells how to go on.

    Return the number of stored matches and the words of the command that goes on.
    """
    done = interrupt(run, number)
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert "Traceback" not in done.stderr
    assert soon(lambda: not list(processes_in(folder)), 5)
    assert not list((folder / "tmp").glob("arena-*"))
    count, planned, command = re.search(r"(\d+) of (\d+) matches are stored; to go on:\n  (.*)\n", done.stderr).groups()
    assert 2 <= int(count) == stored(folder) < int(planned)
    words = shlex.split(command)
    assert words[:3] == ["python", "-m", "arena"]
    return int(count), words[3:]


@pytest.mark.slow
def test_ctrl_c_stores_what_finished_leaves_no_process_and_tells_how_to_go_on(tmp_path, undisturbed):
    folder = make_slow(tmp_path / "a folder")
    run = start(folder, "--workers", "2")
    assert soon(lambda: stored(folder) >= 2)
    count, words = check_end(run, signal.SIGINT, folder)
    finished = arena(tmp_path, *words)
    assert finished.returncode == 0
    assert f"{count} of them played before" in finished.stderr
    assert tables(folder) == undisturbed


def test_an_event_in_play_can_be_read_and_not_be_run_a_second_time(tmp_path):
    folder = make_slow(tmp_path / "ws", repeats=20)
    run = start(folder, "--workers", "2")
    assert soon(lambda: stored(folder) >= 2)
    read = arena(folder, "leaderboard")
    second = run_event(folder)
    assert run.returncode is None
    check_end(run, signal.SIGTERM, folder)
    assert (read.returncode, second.returncode) == (0, 2)
    assert "first" in read.stdout
    assert len(second.stderr.splitlines()) == 1
    assert str(run.pid) in second.stderr


@pytest.mark.slow
def test_a_hang_up_stores_what_finished_leaves_no_process_and_tells_how_to_go_on(tmp_path):
    folder = make_slow(tmp_path / "ws", repeats=20)
    run = start(folder, "--workers", "1")
    assert soon(lambda: stored(folder) >= 2)
    check_end(run, signal.SIGHUP, folder)


def command_line(pid: int) -> str:
    with contextlib.suppress(OSError):  # it ended meanwhile
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
    return ""


@pytest.mark.slow
def test_a_signal_during_a_hanging_match_does_not_wait_for_its_limit(tmp_path):
    hanging = python("time.sleep(60)")
    folder = make(tmp_path / "ws", hanging=hanging, first=FIRST)
    run = start(folder, "--set", "time.move=60")
    assert soon(lambda: any("hanging.py" in line for line in map(command_line, processes_in(folder))))
    time.sleep(0.3)
    assert interrupt(run, signal.SIGINT).returncode == 130
    assert soon(lambda: not list(processes_in(folder)), 5)


@pytest.mark.slow
def test_a_signal_while_the_charts_are_drawn_ends_the_command_at_once(tmp_path):
    folder = make(tmp_path / "ws")
    run = Command(folder, "run")
    assert soon(lambda: (folder / "results/cup/timing.csv").exists())
    run.signal(signal.SIGINT)
    done = run.end(10)
    assert done.returncode == 130
    assert "2 of 2 matches are stored; to go on:\n  python -m arena run\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_second_signal_ends_a_command_at_once_whatever_it_does():
    program = (
        "import time; from arena.cli.signals import listening\n"
        "with listening():\n"
        "    print('on', flush=True)\n"
        "    while True: time.sleep(1)"
    )
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=as_from_a_shell) as hanging:
        hanging.stdout.readline()
        hanging.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert hanging.poll() is None
        hanging.send_signal(signal.SIGINT)
        assert hanging.wait(5) == 130


@pytest.mark.slow
def test_a_killed_run_leaves_no_process_and_the_next_one_goes_on(tmp_path):
    folder = make_slow(tmp_path / "ws")
    run = start(folder)
    assert soon(lambda: stored(folder) >= 2)
    run.signal(signal.SIGKILL)
    run.wait(10)
    assert soon(lambda: not list(processes_in(folder)), 5)
    count = stored(folder)
    done = run_event(folder)
    assert done.returncode == 0
    assert f"{count} of them played before" in done.stderr
