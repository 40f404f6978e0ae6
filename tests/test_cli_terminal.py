"""What a terminal sees, what it may do, and what happens when it goes away."""

import contextlib
import os
import re
import sqlite3
import subprocess
import sys

import pytest
from cup import (
    SLOW_BOTS,
    environment,
    exit_code,
    leaderboard,
    make,
    on_a_terminal,
    processes_naming,
    read_all,
    run_event,
    soon,
    stored,
)


@pytest.fixture
def busy(tmp_path):
    folder = make(tmp_path / "ws", repeats=2, **SLOW_BOTS)
    (folder / "tmp").mkdir()
    return folder


@pytest.mark.slow
def test_a_terminal_sees_a_bar_with_rate_and_time_left_over_the_standings_so_far(busy):
    pid, ours = on_a_terminal(busy, "run", "--no-charts", str(busy), "--workers", "2")
    said = read_all(ours)
    assert exit_code(pid) == 0
    frames = said.split("\x1b[2K")
    assert any("/s" in frame and " left" in frame for frame in frames)
    assert re.search(r"\b[1-9]/12\b", said)
    assert len(re.findall(r"\brank\b.*\bpoints\b", re.sub(r"\x1b\[[0-9;]*m", "", said))) >= 3
    assert "\x1b[?25l" in said  # the cursor is hidden while it draws,
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")  # and given back


@pytest.mark.slow
def test_no_color_is_obeyed_on_a_terminal(busy):
    colours = re.compile(r"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7])[0-9;]*m")
    said = {}
    for name, changes in {"plain": {"NO_COLOR": "1"}, "colour": {}}.items():
        pid, ours = on_a_terminal(
            busy, "run", "--no-charts", "--bots", "first,last", "--repeats", "1", "--name", name, **changes
        )
        said[name] = read_all(ours)
        assert exit_code(pid) == 0
    assert colours.search(said["colour"])
    assert not colours.search(said["plain"])
    pid, ours = on_a_terminal(busy, "games", "hunt", NO_COLOR="1")
    assert not colours.search(read_all(ours))
    assert exit_code(pid) == 0


@pytest.mark.slow
def test_a_closed_terminal_is_a_hang_up_that_stores_what_finished(busy):
    pid, ours = on_a_terminal(busy, "run", "--no-charts", str(busy), "--workers", "2")
    assert soon(lambda: stored(busy) >= 2)
    os.close(ours)
    assert exit_code(pid) == 129
    assert stored(busy) >= 2
    assert soon(lambda: not list(processes_naming(str(busy))), 5)


@pytest.mark.slow
def test_ctrl_c_on_a_terminal_gives_the_cursor_back_and_the_command_to_go_on(busy):
    pid, ours = on_a_terminal(busy, "run", "--no-charts", str(busy), "--workers", "2")
    assert soon(lambda: stored(busy) >= 1)
    os.write(ours, b"\x03")
    said = read_all(ours)
    assert exit_code(pid) == 130
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")
    assert "to go on:" in said
    assert "Traceback" not in said


def test_a_run_goes_on_when_nobody_reads_its_progress(tmp_path):
    folder = make(tmp_path / "ws", repeats=2)
    run = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", "--no-charts"],
        cwd=folder,
        env=environment(),
        stderr=subprocess.PIPE,
        stdout=-3,
    )
    assert run.stderr is not None
    run.stderr.close()
    run.wait(timeout=60)
    assert stored(folder) == 4
    assert len(leaderboard(folder)) == 2


def test_a_replay_on_a_terminal_waits_for_enter_after_each_turn(tmp_path):
    folder = make(tmp_path / "ws")
    assert run_event(folder).returncode == 0
    with contextlib.closing(sqlite3.connect(folder / "results/cup/event.sqlite")) as store:
        (match,) = store.execute("select id from matches limit 1").fetchone()
    pid, ours = on_a_terminal(folder, "replay", match, "--step", "--no-draw")
    os.write(ours, b"\n\nq\n")
    said = read_all(ours)
    assert exit_code(pid) == 0
    assert "turn 2" in said
    assert "turn 3" not in said
