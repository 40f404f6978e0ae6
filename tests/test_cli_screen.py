"""Matches on a terminal, by keys: replay, match and play, and that the terminal is always given back as it was."""

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from contextlib import closing

import pytest
from cup import FIRST, arena, environment, exit_code, make, on_a_terminal, processes_naming, run_event, soon
from test_check_rules import MARKS, SOUND

SGR = re.compile(r"\x1b\[[0-9;]*m")
GIVEN_BACK = "\x1b[?25h\x1b[?1049l"


class Session:
    """A command on a terminal: keys in, what is drawn out."""

    def __init__(self, folder, *words, **changes):
        (folder / "tmp").mkdir(exist_ok=True)
        self.pid, self.ours = on_a_terminal(folder, *words, **changes)
        self.modes = termios.tcgetattr(self.ours)
        self.said = ""

    def until(self, words, seconds=20):
        """Read until these words were drawn since the last key."""
        until = time.monotonic() + seconds
        seen = ""
        while words not in SGR.sub("", seen):
            assert time.monotonic() < until, SGR.sub("", seen)[-2000:]
            if select.select([self.ours], [], [], 0.1)[0]:
                seen += os.read(self.ours, 65536).decode(errors="replace")
        self.said += seen

    def keys(self, text):
        os.write(self.ours, text.encode())

    def end(self):
        """Read the rest; the exit code."""
        try:
            while part := os.read(self.ours, 65536):
                self.said += part.decode(errors="replace")
        except OSError:
            pass
        os.close(self.ours)
        return exit_code(self.pid)

    @property
    def rest(self):
        """What stays on the terminal, once the screen was given back."""
        return SGR.sub("", self.said.rpartition(GIVEN_BACK)[2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make(tmp_path_factory.mktemp("screen") / "ws")


@pytest.fixture(scope="module")
def match(folder):
    assert run_event(folder).returncode == 0
    with closing(sqlite3.connect(folder / "results/cup/event.sqlite")) as store:
        return store.execute("select id from matches order by id limit 1").fetchone()[0]


def test_a_replay_goes_where_the_keys_lead_and_leaves_its_verdict_behind(folder, match):
    one = Session(folder, "replay", match)
    one.until("turn 0 of")
    one.keys("\x1b[C\x1b[C")
    one.until("turn 2 of")
    one.keys("\x1b[D")
    one.until("turn 1 of")
    one.keys("5\r")
    one.until("turn 5 of")
    one.keys(" ")
    one.until("playing")
    one.until("turn 6 of")
    one.keys("\x1b[F")
    one.until("paused")
    one.keys("q")
    assert one.end() == 0
    assert one.said.count("\x1b[?1049h") == one.said.count("\x1b[?1049l") == 1
    assert one.rest.strip().startswith(f"match {match}")
    assert " after " in one.rest


def test_a_match_that_is_watched_plays_a_turn_a_key_and_may_be_left(folder):
    one = Session(folder, "match", "first", "last", "--board", "duel", "--watch")
    one.until("turn 0, live")
    one.keys("\r")
    one.until("1 explorer")
    one.keys("\x1b[C")
    one.until("2 mummy")
    one.keys("\x1b[D")
    one.until("turn 1, live")
    one.keys("q")
    assert one.end() == 1
    assert "nothing is stored" in one.rest


def test_a_match_runs_by_itself_on_a_terminal_and_leaves_its_end_there(folder):
    one = Session(folder, "match", "first", "last", "--board", "duel")
    one.until("turn 0, live")
    one.keys("+" * 9)
    assert one.end() == 0
    assert re.search(r"after \d+ turns: explorer \(first\)", one.rest)


def test_a_person_plays_by_arrows_and_words_and_ctrl_c_gives_the_terminal_back(folder):
    one = Session(folder, "play", "duel", "mummy", "--against", "first", "--seed", "3")
    one.until("your move, mummy:")
    assert "25 legal moves" in SGR.sub("", one.said)
    one.keys("?")
    one.until("1 north north")
    one.keys("\x1b")
    one.until("1 explorer")
    one.keys("\x1b[A")
    one.until("5 legal moves")
    one.keys("\x1b[C")
    one.until("2 mummy    move2 north east")
    one.until("your move, mummy:")
    one.keys("sou w\r")
    one.until("4 mummy    move2 south west")
    one.until("your move, mummy:")
    one.keys("up\r")
    one.until("is no legal move")
    one.keys("\x03")
    assert one.end() == 130
    assert one.said.endswith(GIVEN_BACK) or one.said.rindex(GIVEN_BACK) > one.said.rindex("\x1b[?1049h")
    assert "Traceback" not in one.said
    assert soon(lambda: not list(processes_naming(str(folder))), 5)


def test_the_modes_of_the_terminal_are_as_before_also_after_a_signal(folder, match):
    one = Session(folder, "replay", match)
    one.until("turn 0 of")
    within = termios.tcgetattr(one.ours)
    os.kill(one.pid, signal.SIGTERM)
    one.until("\x1b[?1049l")
    assert soon(lambda: termios.tcgetattr(one.ours) == one.modes, 5)
    assert within != one.modes
    assert one.end() == 143


def test_rules_that_break_in_the_middle_leave_a_traceback_on_a_sound_terminal(tmp_path):
    folder = make(tmp_path / "ws", first=FIRST)
    text = MARKS
    for word, code in (SOUND | {"LEGAL": "sorted(CELLS - state[1]) * (9 // (2 - len(state[1])) > 0)"}).items():
        text = text.replace(word, code)
    (folder / "rules").mkdir()
    (folder / "rules/marks.py").write_text(text)
    one = Session(folder, "play", "marks", "cross", "--against", "first")
    one.until("your move, cross:")
    one.keys("alpha\r")
    assert one.end() == 1
    assert "ZeroDivisionError" in one.rest


def typed(folder, *words, lines, **changes):
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        cwd=folder,
        env=environment(**changes),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_person_plays_by_lines_where_there_is_no_terminal(folder):
    done = typed(folder, "play", "duel", "explorer", "--against", "last", "--seed", "1", lines=["?", "x", "w", "2"])
    assert done.returncode == 1  # the input ended before the match
    assert "5 move1 nowhere" in done.stdout
    assert "'x' is no legal move" in done.stdout
    assert "turn 1  explorer (you)  move1 west" in done.stdout
    assert "turn 3  explorer (you)  move1 south" in done.stdout
    assert "nothing is stored" in done.stderr


def test_a_whole_match_of_ones_own_ends_with_its_verdict_and_is_not_stored(folder, match):
    before = sorted((folder / "results").rglob("*"))
    done = typed(folder, "play", "duel", "explorer", "mummy", lines=["nowhere", "nowhere nowhere"] * 25)
    assert done.returncode == 0, done.stderr
    assert "step limit after 50 turns: explorer (you) 50, mummy (you) 50" in done.stdout
    assert sorted((folder / "results").rglob("*")) == before


def test_a_match_is_stepped_by_enter_where_there_is_no_control(folder):
    done = typed(folder, "match", "first", "last", "--board", "duel", "--watch", "--no-draw", lines=["", "q"])
    assert done.returncode == 1
    assert re.findall(r"^turn \d+", done.stdout, re.MULTILINE) == ["turn 1", "turn 2"]


def test_without_limits_a_bot_may_take_its_time_and_its_process_is_named(tmp_path):
    thinks = FIRST.replace("legal = []\n", "legal = []\npause = 0.3\n", 1).replace(
        "sleep(0)", "sleep(pause); pause = 0"
    )
    folder = make(tmp_path / "ws", thinks=thinks)
    toml = folder / "tournament.toml"
    toml.write_text(toml.read_text().replace("move = 10.0", "move = 0.05"))
    words = ("match", "thinks", "thinks", "--board", "hunt", "--json")
    (hasty,), (patient,) = (json.loads(arena(folder, *words, *more).stdout) for more in ((), ("--no-limits",)))
    assert (hasty["explorer_ending"], patient["explorer_ending"]) == ("timeout", None)
    said = arena(folder, *words, "--no-limits").stderr
    assert len(re.findall(r"^thinks: process \d+$", said, re.MULTILINE)) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "duel"], "name what you play: explorer or mummy"),
        (["play", "duel", "pacman"], "no role 'pacman': it is played by explorer mummy"),
        (["play", "duel", "explorer", "--against", "nosuch"], "there is no bot 'nosuch'"),
        (["play", "duel", "explorer", "mummy", "-a", "first"], "you play every role"),
        (["play", "mummy_maze", "explorer"], "one of mummy_maze/"),
        (["play", "classic", "pacman", "-a", "first", "-a", "last", "-a", "first"], "3 bots named"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(folder, words, said):
    done = arena(folder, *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


def test_a_terminal_that_is_closed_ends_it_and_its_bots(folder):
    one = Session(folder, "play", "hunt", "explorer", "--against", "first")
    one.until("your move, explorer:")
    os.close(one.ours)
    assert exit_code(one.pid) == 129
    assert soon(lambda: not list(processes_naming(str(folder))), 5)


def test_what_is_typed_may_be_no_text_and_nothing_may_be_there_to_type_on(folder):
    words = [sys.executable, "-m", "arena", "play", "duel", "explorer", "--against", "last"]
    done = subprocess.run(
        words, cwd=folder, env=environment(), input=b"\xff\xfe\nw\n", capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"is no legal move" in done.stdout
    assert b"turn 1  explorer (you)  move1 west" in done.stdout
    closed = " ".join(["exec", *words, "<&-"])
    done = subprocess.run(["sh", "-c", closed], cwd=folder, env=environment(), capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
