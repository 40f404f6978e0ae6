"""`arena run` interrupted: finished matches are stored, no process stays, and the next run goes
on.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import sprint, workspaces
from tests.support.cup import (
    Command,
    arena,
    processes_in,
    run_event,
    start,
    stored,
)
from tests.support.executed import as_from_a_shell
from tests.support.processes import until
from tests.support.programs import python


def test_an_event_in_play_can_be_read_not_run_a_second_time_and_be_ended(tmp_path):
    folder = workspaces.make_slow(tmp_path / "ws")
    run = start(folder, "--workers", "2")
    assert until(lambda: stored(folder) >= 2)
    read = arena(folder, "leaderboard")
    second = run_event(folder)
    assert run.returncode is None
    run.signal(signal.SIGTERM)
    done = run.end(10)
    assert (read.returncode, second.returncode) == (0, 2)
    assert "first" in read.stdout
    assert len(second.stderr.splitlines()) == 1
    assert str(run.pid) in second.stderr
    assert (done.returncode, done.stdout) == (143, "")
    assert "Traceback" not in done.stderr
    assert f"\n{stored(folder)} of 120 matches are stored; to go on:\n" in done.stderr
    assert until(lambda: not list(processes_in(folder)))
    assert not list((folder / "tmp").glob("arena-*"))


def command_line(pid: int) -> str:
    with contextlib.suppress(OSError):  # it ended meanwhile
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
    return ""


@pytest.mark.slow
def test_a_signal_during_a_hanging_match_does_not_wait_for_its_limit(tmp_path):
    hanging = python("time.sleep(60)")
    folder = workspaces.make(
        tmp_path / "ws",
        {"hanging": hanging, "first": sprint.FIRST},
        time={"start": 10.0, "move": 60.0},
    )
    run = start(folder, "--workers", "1")
    assert until(
        lambda: any("hanging.py" in line for line in map(command_line, processes_in(folder)))
    )
    time.sleep(0.3)
    os.killpg(run.pid, signal.SIGINT)  # Ctrl-C reaches every process of a terminal
    assert run.end(10).returncode == 130
    assert until(lambda: not list(processes_in(folder)))


@pytest.mark.slow
def test_a_signal_while_the_charts_are_drawn_ends_the_command_at_once(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST, "last": sprint.LAST})
    run = Command(folder, "run", "--workers", "1")
    assert until(lambda: (folder / "results/cup/timing.csv").exists())
    run.signal(signal.SIGINT)
    done = run.end(10)
    assert done.returncode == 130
    assert (
        "2 of 2 matches are stored; to go on:\n  python -m arena run --workers 1\n" in done.stderr
    )
    assert "Traceback" not in done.stderr


def test_a_second_signal_ends_a_command_at_once_whatever_it_does():
    program = (
        "import time; from arena.signals import listening\n"
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
        assert hanging.wait(60) == 130


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.soak)],
)
def test_each_command_that_a_signal_ends_removes_what_it_was_making(tmp_path, number):
    program = (
        "import sys, time, typer; from pathlib import Path; from arena import exits, whole_files\n"
        "from arena.sandbox import folder\n"
        "def make():\n"
        "    with whole_files.staging(Path.cwd()), folder.temporary():\n"
        "        print('on', flush=True)\n"
        "        time.sleep(60)\n"
        "app = typer.Typer()\n"
        "app.command()(make)\n"
        "exits.run(app)"
    )
    words = [sys.executable, "-c", program]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment, preexec_fn=as_from_a_shell, **pipes
    ) as making:
        making.stdout.readline()
        assert len(list(tmp_path.iterdir())) == 2
        making.send_signal(number)
        _, stderr = making.communicate(timeout=60)
    assert making.returncode == 128 + number
    assert b"Traceback" not in stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.soak)]
)
def test_a_signal_that_is_sent_twice_for_the_same_reason_does_not_end_the_cleaning(
    tmp_path, number
):
    program = (
        "import os, time, typer; from arena import exits\n"
        "def make():\n"
        "    try:\n"
        "        os.write(1, b'on\\n')\n"
        "        time.sleep(60)\n"
        "    finally:\n"
        "        os.write(1, b'cleans\\n')\n"
        "        time.sleep(0.1)\n"
        "        os.write(1, b'clean\\n')\n"
        "app = typer.Typer()\n"
        "app.command()(make)\n"
        "exits.run(app)"
    )
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=as_from_a_shell) as making:
        making.stdout.readline()
        making.send_signal(number)
        assert making.stdout.readline() == b"cleans\n"
        making.send_signal(number)
        assert making.communicate(timeout=60)[0] == b"clean\n"
    assert making.returncode == 128 + number


def test_sigterm_ends_a_command_whose_tasks_are_busy():
    program = (
        "import asyncio, time; from arena import exits\n"
        "async def work():\n"
        "    print('on', flush=True)\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"
        "        await asyncio.sleep(0)\n"
        "async def main():\n"
        "    busy = asyncio.create_task(work())\n"
        "    await asyncio.sleep(60)\n"
        "exits.run(lambda: asyncio.run(main()))"
    )
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=as_from_a_shell) as working:
        working.stdout.readline()
        working.send_signal(signal.SIGTERM)
        assert working.wait(60) == 143


@pytest.mark.slow
def test_a_killed_run_leaves_no_process_and_the_next_one_goes_on(tmp_path):
    folder = workspaces.make_slow(tmp_path / "ws", repeats=1)
    run = start(folder, "--workers", "1")
    assert until(lambda: stored(folder) >= 1)
    run.signal(signal.SIGKILL)
    run.wait(60)
    assert until(lambda: not list(processes_in(folder)))
    count = stored(folder)
    done = run_event(folder)
    assert done.returncode == 0
    assert f"{count} of them played before" in done.stderr
