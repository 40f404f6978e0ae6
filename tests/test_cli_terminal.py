"""`arena` on a terminal and in pipes: the display of a run, Ctrl-C, a closed terminal, readers that leave."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cup import Command, environment, first_chart_only, leaderboard, make, make_slow, processes_in, soon, stored

from arena import charts

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7])[0-9;]*m")


@pytest.fixture
def busy(tmp_path):
    folder = make_slow(tmp_path / "ws")
    (folder / "tmp").mkdir()
    return folder


def shown(folder: Path, *words: str, **changes: str) -> Command:
    """Start a command on a terminal."""
    return Command(folder, *words, on_terminal=True, TERM="xterm-256color", TMPDIR=str(folder / "tmp"), **changes)


@pytest.mark.slow
def test_a_terminal_sees_a_bar_over_the_standings_and_no_color_is_obeyed(busy):
    run = shown(busy, "run", "--no-charts", "--workers", "2")
    said = run.read_all()
    assert run.wait() == 0
    assert COLOUR.search(said)
    frames = said.split("\x1b[2K")
    assert any("/s" in frame and " left" in frame for frame in frames)
    assert re.search(r"\b[1-9] of 24\b", said)
    assert len(re.findall(r"\brank\b.*\bpoints\b", re.sub(r"\x1b\[[0-9;]*m", "", said))) >= 3
    assert "\x1b[?25l" in said  # the cursor is hidden while it draws,
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")  # and given back
    for command in (["leaderboard"], ["games", "hunt"]):
        plain = shown(busy, *command, NO_COLOR="1")
        assert not COLOUR.search(plain.read_all()), command
        assert plain.wait() == 0


@pytest.mark.slow
def test_a_closed_terminal_is_a_hang_up_that_stores_what_finished(busy):
    run = shown(busy, "run", "--no-charts", "--workers", "2")
    assert soon(lambda: stored(busy) >= 2)
    os.close(run.terminal)
    assert run.wait() == 129
    assert 2 <= stored(busy) < 24
    assert soon(lambda: not list(processes_in(busy)), 5)
    assert not list((busy / "tmp").glob("arena-*"))


@pytest.mark.slow
def test_ctrl_c_on_a_terminal_gives_back_the_cursor_and_says_how_to_go_on(busy):
    run = shown(busy, "run", "--no-charts", "--workers", "2", NO_COLOR="1")
    assert soon(lambda: stored(busy) >= 1)
    os.write(run.terminal, b"\x03")
    said = run.read_all()
    assert run.wait() == 130
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")
    assert "to go on:" in said
    assert "Traceback" not in said
    assert not COLOUR.search(said)


def nobody_reads(*streams: int) -> None:
    """Put a pipe without a reader in the place of these descriptors, and the quickest charts in the place of all."""
    charts.names = lambda: ("leaderboard", "roles")
    for stream in streams:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, stream)


@pytest.mark.parametrize(
    ("closed", "more"),
    # The report forks workers after the leaderboard was printed, and a fork flushes both streams.
    [((1, 2), ()), ((2,), ("--no-charts",)), ((1,), ("--no-charts",))],
)
def test_a_run_goes_on_when_nobody_reads_what_it_says(tmp_path, closed, more):
    folder = make(tmp_path / "ws")
    words = ("run", "--workers", "1", "--set", "seed=3", *more)
    with first_chart_only():
        assert Command(folder, *words, before=lambda: nobody_reads(*closed)).wait() == 0
    assert stored(folder) == 2
    assert len(leaderboard(folder)) == 2
    assert (folder / "results/cup/report.html").is_file() == (not more)


def test_results_that_a_full_disk_swallows_are_no_success(tmp_path):
    folder = make(tmp_path / "ws")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arena", "games"],
            cwd=folder,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        unheard = subprocess.run([sys.executable, "-m", "arena", "nonsense"], cwd=folder, stderr=full, check=False)
    assert done.returncode == 2
    assert done.stderr == ("stdout: cannot be written: No space left on device; what was to be printed there is lost\n")
    assert unheard.returncode == 2


def test_a_reader_of_the_beginning_only_is_no_error(tmp_path):
    folder = make(tmp_path / "ws")
    piped = f"{shlex.quote(sys.executable)} -m arena games; echo $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"({piped}) | head -c 5"], cwd=folder, env=environment(), capture_output=True, check=False
    )
    assert len(done.stdout) == 5
    assert done.stderr == b"0\n"
