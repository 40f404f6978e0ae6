"""`arena` on a terminal and in pipes: the display of a run, Ctrl-C, a closed terminal, readers that
leave.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena import charts
from tests.support import sprint, workspaces
from tests.support.cup import (
    Command,
    arena,
    environment,
    leaderboard,
    processes_in,
    stored,
)
from tests.support.processes import until

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7])[0-9;]*m")
STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def busy(tmp_path):
    folder = workspaces.make_slow(tmp_path / "a folder")
    (folder / "tmp").mkdir()
    return folder


def shown(folder: Path, *words: str, **changes: str) -> Command:
    """Start a command on a terminal."""
    return Command(
        folder,
        *words,
        on_terminal=True,
        TERM="xterm-256color",
        TMPDIR=str(folder / "tmp"),
        **changes,
    )


@pytest.mark.slow
def test_a_terminal_sees_a_bar_over_the_standings_until_ctrl_c_ends_the_run(tmp_path, busy):
    run = shown(busy, "run", str(busy), "--no-charts", "--workers", "2")
    said = ""
    while len(re.findall(r"\brank\b.*\bpoints\b", STYLE.sub("", said))) < 3 or stored(busy) < 2:
        said += os.read(run.terminal, 65536).decode()
    os.write(run.terminal, b"\x03")
    said += run.read_all()
    assert run.wait() == 130
    assert COLOUR.search(said)
    frames = said.split("\x1b[2K")
    assert any("/s" in frame and " left" in frame for frame in frames)
    assert re.search(r"\b[1-9] of 120\b", said)
    assert "\x1b[?25l" in said  # the cursor is hidden while it draws,
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")  # and given back
    assert "Traceback" not in said
    assert until(lambda: not list(processes_in(busy)))
    assert not list((busy / "tmp").glob("arena-*"))
    count, command = re.search(
        r"(\d+) of 120 matches are stored; to go on:\r\n  (.*)\r\n", said
    ).groups()
    assert 2 <= int(count) == stored(busy) < 120
    words = shlex.split(command)
    assert words[:3] == ["python", "-m", "arena"]
    assert re.search(rf" 120 +{count} ", arena(tmp_path, *words[3:], "--plan").stdout)


@pytest.mark.slow
def test_no_color_is_obeyed_and_a_closed_terminal_is_a_hang_up(busy):
    run = shown(busy, "run", "--no-charts", "--workers", "2", NO_COLOR="1")
    assert until(lambda: stored(busy) >= 2)
    said = os.read(run.terminal, 65536).decode()
    os.close(run.terminal)
    assert run.wait() == 129
    assert " of 120 matches" in said
    assert not COLOUR.search(said)
    assert 2 <= stored(busy) < 120
    assert until(lambda: not list(processes_in(busy)))
    assert not list((busy / "tmp").glob("arena-*"))
    for command in (["leaderboard"], ["games", "hunt"]):
        plain = shown(busy, *command, NO_COLOR="1")
        assert not COLOUR.search(plain.read_all()), command
        assert plain.wait() == 0


def nobody_reads() -> None:
    """Put pipes without a reader in the place of stdout and stderr, and the quickest charts in the
    place of all.

    The report forks workers after the leaderboard was printed, and a fork flushes both streams.
    """
    charts.names = lambda: ("leaderboard", "roles")
    for stream in (1, 2):
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, stream)


def test_a_run_goes_on_when_nobody_reads_what_it_says(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": sprint.FIRST, "last": sprint.LAST})
    assert (
        Command(folder, "run", "--workers", "1", "--set", "seed=3", before=nobody_reads).wait() == 0
    )
    assert stored(folder) == 2
    assert len(leaderboard(folder)) == 2
    assert (folder / "results/cup/report.html").is_file()


def test_results_that_a_full_disk_swallows_are_no_success(tmp_path):
    words = [sys.executable, "-m", "arena"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*words, "--help"],
            cwd=tmp_path,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
        unheard = subprocess.run([*words, "nonsense"], cwd=tmp_path, stderr=full)
    assert done.returncode == 2
    assert done.stderr == (
        "stdout: cannot be written: No space left on device; what was to be printed there is lost\n"
    )
    assert unheard.returncode == 2
