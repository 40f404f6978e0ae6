"""`arena run` in processes of its own: its end, its interruptions, its display, and what it leaves behind."""

import contextlib
import csv
import json
import os
import pty
import re
import shlex
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
import tomllib
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path

import pytest
from cup import CRASHES, FIRST, LAST, SLOW, arena, environment, make, processes_naming

SLOW_BOTS = {"first": SLOW, "last": SLOW.replace("legal[0]", "legal[-1]"), "more": SLOW.replace("[0]", "[1]")}
TABLES = ("leaderboard.csv", "crosstable.csv", "matches.csv")


def run_event(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A whole run, without the pictures, which take longest."""
    return arena(folder, "run", "--no-charts", *words)


def leaderboard(folder: Path, name: str = "cup") -> list[dict[str, str]]:
    return list(csv.DictReader((folder / f"results/{name}/leaderboard.csv").read_text().splitlines()))


def tables(folder: Path) -> list[bytes]:
    return [(folder / "results/cup" / name).read_bytes() for name in TABLES]


def stored(folder: Path) -> int:
    """How many matches are on disk."""
    store = folder / "results/cup/event.sqlite"
    if not store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("select count(*) from matches").fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


def soon(condition: Callable[[], object], seconds: float = 20) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return False


def start(folder: Path, *words: str, **changes: str) -> subprocess.Popen[str]:
    """A run in the background; all of its processes name the folder on their command line."""
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", str(folder), "--no-charts", *words],
        cwd=folder.parent,
        env=environment(TMPDIR=str(folder / "tmp"), **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_run_prints_the_leaderboard_and_leaves_tables_and_charts(tmp_path):
    folder = make(tmp_path / "ws", repeats=2)
    done = arena(folder, "run")
    assert done.returncode == 0
    assert done.stdout == arena(folder, "leaderboard").stdout
    assert "4 of 4 matches (100 %)" in done.stderr
    assert "results/cup/leaderboard.csv" in done.stderr
    assert "results/cup/charts" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert {path.suffix for path in (folder / "results/cup/charts").iterdir()} == {".svg", ".png"}
    assert (folder / "results/cup/tournament.toml").read_text() == (folder / "tournament.toml").read_text()


def test_running_again_plays_nothing_and_changes_nothing(tmp_path):
    folder = make(tmp_path / "ws")
    first = run_event(folder)
    before = tables(folder), stored(folder)
    again = run_event(folder)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "2 of them played before" in again.stderr
    assert (tables(folder), stored(folder)) == before


def test_options_change_the_event_for_one_run(tmp_path):
    folder = make(tmp_path / "ws", "duel hunt", first=FIRST, last=LAST, other=LAST)
    words = ["--name", "small", "--seed", "3", "--repeats", "2", "--boards", "hunt", "--bots", "first,other"]
    done = run_event(folder, *words, "--workers", "1", "--set", "time.move=2.5", "--json")
    assert done.returncode == 0, done.stderr
    assert [row["bot"] for row in json.loads(done.stdout)] == [row["bot"] for row in leaderboard(folder, "small")]
    assert sorted(row["bot"] for row in leaderboard(folder, "small")) == ["first", "other"]
    assert [row["matches"] for row in leaderboard(folder, "small")] == ["4", "4"]
    text = (folder / "results/small/tournament.toml").read_text()
    played = tomllib.loads(text)
    assert "--bots first,other" in text.splitlines()[0]
    assert (played["seed"], played["boards"], played["time"]["move"]) == (3, ["mummy_maze/hunt"], 2.5)


def test_the_number_of_workers_does_not_change_the_tables(tmp_path):
    one, two = (make(tmp_path / name, "duel classic") for name in ("one", "two"))
    for folder, workers in ((one, "1"), (two, "3")):
        assert run_event(folder, "--workers", workers).returncode == 0
    assert tables(one) == tables(two)


def test_a_plan_plays_nothing(tmp_path):
    folder = make(tmp_path / "ws", "duel classic", repeats=2)
    done = run_event(folder, "--plan", "--workers", "2")
    assert done.returncode == 0
    assert re.search(r"^ *mummy_maze/duel +4 +0 +\S+ s$", done.stdout, re.MULTILINE)
    assert re.search(r"^ *all +8 +0 +\S+ s$", done.stdout, re.MULTILINE)
    assert "guessed" in done.stdout
    assert not (folder / "results").exists()


def test_a_plan_knows_what_was_played_and_how_long_it_took(tmp_path):
    folder = make(tmp_path / "ws")
    run_event(folder)
    done = run_event(folder, "--plan", "--repeats", "3", "--json")
    (row,) = json.loads(done.stdout)
    assert (row["board"], row["matches"], row["played"]) == ("mummy_maze/duel", 6, 2)
    assert row["seconds"] > 0
    assert "mean time" in run_event(folder, "--plan").stdout


def test_a_bot_that_never_starts_is_named_first_and_forfeits_unplayed(tmp_path):
    folder = make(tmp_path / "ws", first=FIRST, last=LAST, broken=CRASHES)
    done = run_event(folder)
    assert done.returncode == 0
    assert done.stdout.startswith("broken is absent, its matches are forfeited: crashed: ")
    assert "[bold]no[/bold]" in done.stdout.splitlines()[0]
    assert leaderboard(folder)[-1]["bot"] == "broken"
    assert leaderboard(folder)[-1]["crashed"] == "4"
    assert done.stderr.count("broken is absent") == 1


def test_strict_says_no_with_exit_code_1_when_a_seat_was_at_fault(tmp_path):
    folder = make(tmp_path / "ws", first=FIRST, last=LAST, broken=CRASHES)
    assert run_event(folder, "--strict").returncode == 1
    assert run_event(folder, "--strict").returncode == 1  # also when all was played before
    assert run_event(folder, "--strict", "--bots", "first,last").returncode == 0


SINS = {
    "illegal_move": FIRST.replace("legal[0]", '"up"'),
    "garbled": FIRST.replace("legal[0]", '"\\x00"'),
    "timeout": FIRST.replace("time.sleep(0)", "time.sleep(60)"),
    "crashed": FIRST.replace("time.sleep(0)", "raise KeyError('x')"),
    "limit_exceeded": FIRST.replace("time.sleep(0)", "print(('#' + 'y' * 60_000 + '\\n') * 100)"),
}


@pytest.mark.slow
def test_bots_that_always_fail_are_at_the_bottom_with_their_endings_counted(tmp_path):
    folder = make(tmp_path / "ws", first=FIRST, last=LAST, **SINS)
    done = run_event(folder, "--set", "time.move=0.4")
    assert done.returncode == 0, done.stderr
    rows = leaderboard(folder)
    assert {row["bot"] for row in rows[:2]} == {"first", "last"}
    for row in rows[2:]:
        assert int(row[row["bot"]]) == int(row["forfeits"]) > 0, row


def test_a_second_run_of_the_same_event_is_refused_in_a_line(tmp_path):
    folder = make(tmp_path / "ws", repeats=20, **SLOW_BOTS)
    run = start(folder)
    assert soon(lambda: stored(folder) > 0)
    done = run_event(folder)
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=30)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert str(run.pid) in done.stderr


def test_results_can_be_read_while_they_are_made(tmp_path):
    folder = make(tmp_path / "ws", repeats=20, **SLOW_BOTS)
    run = start(folder)
    assert soon(lambda: stored(folder) > 0)
    done = arena(folder, "leaderboard")
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=30)
    assert done.returncode == 0
    assert "first" in done.stdout


def interrupt(run: subprocess.Popen[str], number: signal.Signals) -> tuple[str, str]:
    """Ctrl-C and a hang-up reach every process of the terminal, `kill` the main one only."""
    if number is signal.SIGTERM:
        run.send_signal(number)
    else:
        os.killpg(run.pid, number)
    return run.communicate(timeout=10)  # a guard against hangs


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The tables of an event that nothing interrupted."""
    folder = make(tmp_path_factory.mktemp("undisturbed") / "ws", repeats=2, **SLOW_BOTS)
    assert run_event(folder, "--seed", "5").returncode == 0
    return tables(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
def test_a_signal_stores_what_finished_leaves_no_process_and_tells_how_to_go_on(number, code, tmp_path, undisturbed):
    folder = make(tmp_path / "a folder", repeats=2, **SLOW_BOTS)
    run = start(folder, "--workers", "2", "--seed", "5")
    assert soon(lambda: stored(folder) >= 2)
    out, err = interrupt(run, number)
    assert (run.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert soon(lambda: not list(processes_naming(str(folder))), 5)
    assert not list((folder / "tmp").glob("arena-*"))
    count, planned, command = re.search(r"(\d+) of (\d+) matches are stored; to go on:\n  (.*)\n", err).groups()
    assert 2 <= int(count) == stored(folder) < int(planned)

    words = shlex.split(command)
    assert words[:3] == ["python", "-m", "arena"]
    finished = subprocess.run([sys.executable, *words[1:]], env=environment(), capture_output=True, check=True)
    assert f"{count} of them played before".encode() in finished.stderr
    assert tables(folder) == undisturbed


@pytest.mark.slow
def test_a_signal_during_a_hanging_match_does_not_wait_for_its_limit(tmp_path):
    hanging = FIRST.replace("time.sleep(0)", "time.sleep(60)")
    folder = make(tmp_path / "ws", hanging=hanging, first=FIRST)
    run = start(folder, "--set", "time.move=60")
    assert soon(lambda: any("hanging.py" in line for line in command_lines(folder)))
    time.sleep(0.3)
    interrupt(run, signal.SIGINT)
    assert run.returncode == 130
    assert soon(lambda: not list(processes_naming(str(folder))), 5)


@pytest.mark.slow
def test_a_signal_while_the_charts_are_drawn_ends_the_command_at_once(tmp_path):
    folder = make(tmp_path / "ws")
    run = subprocess.Popen(
        [sys.executable, "-m", "arena", "run"], cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True
    )
    assert soon(lambda: (folder / "results/cup/timing.csv").exists())
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=10)
    assert run.returncode == 130
    assert "2 of 2 matches are stored; to go on:\n  python -m arena run\n" in err
    assert "Traceback" not in err


BROKEN_RULES = """\
from dataclasses import dataclass
from arena.game import Game, Outcome

@dataclass(frozen=True)
class Broken(Game[int]):
    roles = ("fox", "hen")
    def board(self): return ()
    def start(self): return 0
    def to_move(self, state): return ("fox",)
    def legal_moves(self, state, role): return ("go",)
    def play(self, state, moves): raise ZeroDivisionError("the rules are broken")
    def outcome(self, state): return None
    def view(self, state, role): return ()

game = Broken
"""


def test_matches_that_arena_fails_leave_the_event_unfinished_with_exit_code_1(tmp_path):
    folder = make(tmp_path / "ws", "duel broken/default")
    (folder / "rules").mkdir()
    (folder / "rules/broken.py").write_text(BROKEN_RULES)
    done = run_event(folder)
    assert done.returncode == 1
    assert "was given up after 3 attempts: ZeroDivisionError: the rules are broken" in done.stderr
    assert "matches are still due; to go on:\n  python -m arena run --no-charts" in done.stderr
    assert "rank" in done.stdout


def command_lines(folder: Path) -> list[str]:
    """Of every process below a run of this folder: bots run in its private folders."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder) in str((entry / "cwd").readlink()):
                found.append((entry / "cmdline").read_bytes().decode("utf-8", "replace"))
    return found


@pytest.mark.slow
def test_a_killed_run_leaves_no_process_and_the_next_one_goes_on(tmp_path):
    folder = make(tmp_path / "ws", repeats=2, **SLOW_BOTS)
    run = start(folder)
    assert soon(lambda: stored(folder) >= 2)
    run.kill()
    run.communicate(timeout=10)
    assert soon(lambda: not list(processes_naming(str(folder))), 5)
    count = stored(folder)
    done = run_event(folder)
    assert done.returncode == 0
    assert f"{count} of them played before" in done.stderr


def on_a_terminal(folder: Path, *words: str, **changes: str) -> tuple[int, int]:
    """Start the command on a pseudo-terminal of its own; its pid and our end of it."""
    pid, ours = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(
            sys.executable,
            [sys.executable, "-m", "arena", *words],
            environment(TERM="xterm-256color", TMPDIR=str(folder / "tmp"), **changes),
        )
    ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    return pid, ours


def read_all(ours: int) -> str:
    """Everything until the other side closes."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode()


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


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
        pid, ours = on_a_terminal(busy, "run", "--no-charts", "--bots", "first,last", "--name", name, **changes)
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
