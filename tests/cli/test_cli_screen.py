"""Matches on a terminal, by keys: replay, match and play; the terminal is always given back as it
was.
"""

import io
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
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from arena.cli import output
from arena.cli.docs import README_PAGES
from tests.games.test_check_rules import MARKS, SOUND
from tests.support import events, workspaces
from tests.support.cup import FIRST, Command, arena, processes_in
from tests.support.processes import until
from tests.support.programs import python

SGR = re.compile(r"\x1b\[[0-9;]*m")
GIVEN_BACK = "\x1b[?25h\x1b[?1049l"


class Session:
    """A command on a terminal: the test sends keys and reads the frames."""

    def __init__(self, folder, *words, **changes):
        (folder / "tmp").mkdir(exist_ok=True)
        changes |= {"TERM": "xterm-256color", "TMPDIR": str(folder / "tmp")}
        self.command = Command(folder, *words, on_terminal=True, **changes)
        self.ours = self.command.terminal
        self.modes = termios.tcgetattr(self.ours)
        self.said = ""

    def until(self, words, seconds=20):
        """Read until these words were drawn after the last call."""
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
        """Read the rest; return the exit code."""
        self.said += self.command.read_all()
        return self.command.wait()

    @property
    def rest(self):
        """The lines that stay on the terminal once the screen was given back."""
        return SGR.sub("", self.said.rpartition(GIVEN_BACK)[2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return workspaces.make(tmp_path_factory.mktemp("screen") / "ws", boards="duel")


@pytest.fixture(scope="module")
def match(folder):
    assert events.run(folder, "results/cup")[0].complete
    with closing(sqlite3.connect(folder / "results/cup/event.sqlite")) as store:
        return store.execute("select id from matches order by id limit 1").fetchone()[0]


def test_a_replay_goes_where_the_keys_lead_and_leaves_its_verdict_behind(folder, match):
    session = Session(folder, "replay", match)
    session.until("turn 0 of")
    session.keys("\x1b[C\x1b[C")
    session.until("turn 2 of")
    session.keys("\x1b[D")
    session.until("turn 1 of")
    session.keys("5\r")
    session.until("turn 5 of")
    session.keys(" ")
    session.until("playing")
    session.until("turn 6 of")
    session.keys("\x1b[F")
    session.until("paused")
    session.keys("q")
    assert session.end() == 0
    assert session.said.count("\x1b[?1049h") == session.said.count("\x1b[?1049l") == 1
    assert session.rest.strip().startswith(f"match {match}")
    assert " after " in session.rest


def test_a_replay_on_a_terminal_waits_for_enter_after_each_turn(folder, match):
    session = Session(folder, "replay", match, "--step", "--no-draw")
    session.keys("\n\nq\n")
    assert session.end() == 0
    assert "turn 2" in session.said
    assert "turn 3" not in session.said


def test_a_match_that_is_watched_plays_a_turn_a_key_and_may_be_left(folder):
    session = Session(folder, "match", "first", "last", "--board", "duel", "--watch")
    session.until("turn 0, live")
    session.keys("\r")
    session.until("1 explorer")
    session.keys("\x1b[C")
    session.until("2 mummy")
    session.keys("\x1b[D")
    session.until("turn 1, live")
    session.keys("q")
    assert session.end() == 1
    assert "nothing is stored" in session.rest


def test_a_match_runs_by_itself_on_a_terminal_and_stays_until_it_is_left(folder):
    session = Session(folder, "match", "first", "last", "--board", "goofspiel/five")
    session.until("turn 0, live")
    session.keys("+" * 9)
    session.until(" after ")
    session.keys("\x1b[H")
    session.until("turn 0 of")
    session.keys("q")
    assert session.end() == 0
    assert re.search(r"after 10 turns: left \(first\) \d+, right \(last\)", session.rest)


def test_a_person_plays_by_arrows_and_words_and_ctrl_c_gives_the_terminal_back(folder):
    session = Session(folder, "play", "duel", "mummy", "--against", "first", "--seed", "3")
    session.until("your move, mummy:")
    assert "25 legal moves" in SGR.sub("", session.said)
    session.keys("?")
    session.until("1 north north")
    session.keys("\x1b")
    session.until("1 explorer")
    session.keys("\x1b[A")
    session.until("5 legal moves")
    session.keys("\x1b[C")
    session.until("2 mummy    move2 north east")
    session.until("your move, mummy:")
    session.keys("sou w\r")
    session.until("4 mummy    move2 south west")
    session.until("your move, mummy:")
    session.keys("up\r")
    session.until("is no legal move")
    session.keys("\x03")
    assert session.end() == 130
    assert session.said.endswith(GIVEN_BACK) or session.said.rindex(
        GIVEN_BACK
    ) > session.said.rindex("\x1b[?1049h")
    assert "Traceback" not in session.said
    assert until(lambda: not list(processes_in(folder)))


def test_q_leaves_a_match_that_a_person_plays_unless_a_move_begins_with_it(folder, tmp_path):
    session = Session(folder, "play", "duel", "mummy", "--against", "first", "--seed", "3")
    session.until("your move, mummy:")
    session.keys("q")
    assert session.end() == 1
    assert GIVEN_BACK in session.said
    done = typed(folder, "play", "duel", "explorer", "--against", "last", lines=["q", "w"])
    assert done.returncode == 1
    assert "turn 1" not in done.stdout
    cards = workspaces.make(tmp_path / "ws", {"first": FIRST}, "cards/open")
    (cards / "rules/cards.py").write_text(CARDS.replace("say king", "queen"))
    (cards / "rules/cards.toml").write_text("[open]\nhidden = false\n")
    session = Session(cards, "play", "cards/open", "guesser", "-a", "first")
    session.until("your move, guesser:")
    session.keys("q")
    session.until("queen")
    session.keys("\x04")
    assert session.end() == 1


def test_the_modes_of_the_terminal_are_as_before_also_after_a_signal(folder, match):
    session = Session(folder, "replay", match)
    session.until("turn 0 of")
    within = termios.tcgetattr(session.ours)
    session.command.signal(signal.SIGTERM)
    session.until("\x1b[?1049l")
    assert until(lambda: termios.tcgetattr(session.ours) == session.modes)
    assert within != session.modes
    assert session.end() == 143


def test_rules_that_break_in_the_middle_leave_a_line_on_a_sound_terminal(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": FIRST}, "duel")
    text = MARKS
    for word, code in (
        SOUND | {"LEGAL": "sorted(CELLS - state[1]) * (9 // (2 - len(state[1])) > 0)"}
    ).items():
        text = text.replace(word, code)
    (folder / "rules/marks.py").write_text(text)
    session = Session(folder, "play", "marks", "cross", "--against", "first")
    session.until("your move, cross:")
    session.keys("alpha\r")
    assert session.end() == 2
    assert "marks.py:21: legal_moves raises ZeroDivisionError" in session.rest
    assert "Traceback" not in session.rest


def typed(folder, *words, lines):
    return arena(folder, *words, typed="".join(f"{line}\n" for line in lines))


def test_a_person_plays_by_lines_where_there_is_no_terminal(folder):
    done = typed(
        folder,
        "play",
        "duel",
        "explorer",
        "--against",
        "last",
        "--seed",
        "1",
        lines=["?", "x", "w", "2"],
    )
    assert done.returncode == 1  # the input ended before the match
    assert "5 move1 nowhere" in done.stdout
    assert "'x' is no legal move" in done.stdout
    assert "turn 1  explorer (you)  move1 west" in done.stdout
    assert "turn 3  explorer (you)  move1 south" in done.stdout
    assert "nothing is stored" in done.stderr


def test_a_card_that_was_hidden_is_shown_when_the_match_is_over(folder):
    done = typed(
        folder,
        "play",
        "three_cards",
        "first",
        "--against",
        "first",
        "--seed",
        "4",
        lines=["bet"] * 3,
    )
    told, _, end = done.stdout.rpartition("\nmatch ")
    assert "░░░" in told
    assert "░░░" not in end
    assert end.count("┌───┐") == 2


def test_a_whole_match_of_ones_own_ends_with_its_verdict_and_is_not_stored(folder, match):
    before = sorted((folder / "results").rglob("*"))
    done = typed(
        folder, "play", "duel", "explorer", "mummy", lines=["nowhere", "nowhere nowhere"] * 25
    )
    assert done.returncode == 0, done.stderr
    assert "step limit after 50 turns: explorer (you) 50, mummy (you) 50" in done.stdout
    assert sorted((folder / "results").rglob("*")) == before


CARDS = """
from dataclasses import dataclass
from arena.game import CHANCE, Game, Outcome

@dataclass(frozen=True)
class Cards(Game[tuple]):
    hidden: bool
    roles = ("guesser", "waver")
    sides = (("guesser",), ("waver",))

    def board(self):
        return ()

    def start(self):
        return ()

    def to_move(self, state):
        return () if len(state) >= 7 else ((CHANCE, "waver", "guesser")[len(state) % 3],)

    def legal_moves(self, state, role):
        return {CHANCE: ("deal ace", "deal king"), "waver": ("wave left",), "guesser": ("say ace", "say king")}[role]

    def play(self, state, moves):
        return (*state, *moves.values())

    def outcome(self, state):
        return Outcome({"guesser": 50, "waver": 50}, "done") if len(state) >= 7 else None

    def view(self, state, role):
        return (f"cards {(len(state) + 2) // 3}", *(f"move {move}" for move in state if role is None))

game = Cards
"""


@pytest.mark.parametrize("board", ["secret", "told"])
def test_a_person_sees_what_a_bot_in_that_seat_is_told(tmp_path, board):
    remarks = python("say('# I hold an ace'); say(legal[0])")
    folder = workspaces.make(tmp_path / "ws", {"first": remarks}, "duel")
    (folder / "rules/cards.py").write_text(CARDS)
    (folder / "rules/cards.toml").write_text("[secret]\nhidden = true\n[told]\nhidden = false\n")
    done = typed(
        folder, "play", f"cards/{board}", "guesser", "-a", "first", lines=["say ace", "say king"]
    )
    assert done.returncode == 0, done.stderr
    told, _, end = done.stdout.rpartition("\nmatch ")
    assert "deal" not in told
    assert "I hold" not in told
    assert ("wave left" in told) == (board == "told")
    assert "deal" in end  # what was hidden is shown when all is over
    shown = re.findall(r"^(?:start|turn \d|your move)|cards \d", told, re.MULTILINE)
    turn = [f"{word} {number}" for number in range(1, 8) for word in ("turn", "cards")]
    turn = [word if "turn" in word else f"cards {(int(word[-1]) + 2) // 3}" for word in turn]
    if board == "secret":  # only one's own turns are counted
        own = [
            ["cards 1", "your move", "turn 1", "cards 1"],
            ["cards 2", "your move", "turn 2", "cards 2"],
        ]
        assert shown == ["start", "cards 0", *own[0], *own[1]]
    else:
        assert shown == [
            "start",
            "cards 0",
            *turn[:4],
            "your move",
            *turn[4:10],
            "your move",
            *turn[10:],
        ]


def test_a_match_is_stepped_by_enter_where_there_is_no_control(folder):
    done = typed(
        folder, "match", "first", "last", "--board", "duel", "--watch", "--no-draw", lines=["", "q"]
    )
    assert done.returncode == 1
    assert re.findall(r"^turn \d+", done.stdout, re.MULTILINE) == ["turn 1", "turn 2"]


def test_without_limits_a_bot_may_take_its_time_and_its_process_is_named(tmp_path):
    thinks = python("time.sleep(pause); pause = 0; say(legal[0])", first="pause = 0.3")
    folder = workspaces.make(
        tmp_path / "ws", {"thinks": thinks}, "duel", time={"start": 10.0, "move": 0.05}
    )
    words = ("match", "thinks", "thinks", "--board", "hunt", "--json")
    hasty, patient = (arena(folder, *words, *more) for more in ((), ("--no-limits",)))
    assert [json.loads(done.stdout)[0]["explorer_ending"] for done in (hasty, patient)] == [
        "timeout",
        None,
    ]
    assert len(re.findall(r"^thinks: process \d+$", patient.stderr, re.MULTILINE)) == 2


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
    session = Session(folder, "play", "hunt", "explorer", "--against", "first")
    session.until("your move, explorer:")
    os.close(session.ours)
    assert session.command.wait() == 129
    assert until(lambda: not list(processes_in(folder)))


def test_typed_bytes_may_be_no_text_and_stdin_may_be_closed(folder):
    words = ["play", "duel", "explorer", "--against", "last"]
    done = typed(folder, *words, lines=["\udcff\udcfe", "w"])
    assert done.returncode == 1
    assert "is no legal move" in done.stdout
    assert "turn 1  explorer (you)  move1 west" in done.stdout
    done = Command(folder, *words, before=close_stdin).end()
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


def close_stdin() -> None:
    """Leave stdin as Python finds it after `<&-` in a shell."""
    sys.stdin.close()
    sys.stdin = None


def test_a_live_table_on_a_narrow_terminal_has_fewer_columns_and_no_broken_words():
    headers = (
        "rank",
        "bot",
        "points",
        "matches",
        "won",
        "drawn",
        "lost",
        "mummy_maze/duel",
        "pacman/classic",
    )
    row = (1, "assignsubmission_bot", 55.0, 12, 3, 4, 5, 50.0, 60.0)
    for width, seen in ((60, "drawn"), (120, "pacman/classic")):
        console = Console(width=width, file=io.StringIO(), force_terminal=True, color_system=None)
        console.print(output.fitting_table(headers, [row] * 3, console))
        lines = [line.rstrip() for line in console.file.getvalue().splitlines() if line.strip()]
        assert len(lines) == 5  # a head, a rule, three rows: nothing was wrapped
        assert seen in lines[0]


def test_results_and_notices_stand_in_order_in_a_pipe_that_takes_both():
    program = "from arena.cli import output; print('table'); output.notice('note'); print('more')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={},
        check=True,
    )
    assert done.stdout == b"table\nnote\nmore\n"


def test_the_manual_can_be_read_where_only_the_package_is_installed(folder):
    pages = json.loads(arena(folder, "docs", "--json").stdout)
    home = Path(__file__).parents[2]
    named = {path.stem for path in (home / "docs").glob("*.md")}
    assert named < {page["page"] for page in pages}
    packed = tomllib.loads((home / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]
    assert {f"docs/{name}.md" for name in named} <= set(packed["force-include"])
    assert set(README_PAGES.values()) <= {
        f"{path}/README.md" if "." not in path else path for path in packed["force-include"]
    }
    assert arena(folder, "docs", "protocol").stdout == (home / "docs/protocol.md").read_text()
    assert "did you mean 'protocol'" in arena(folder, "docs", "protocl").stderr
