"""`arena check-rules`: a sound game passes; of a broken one it names the flaw, even one that no reader sees."""

import json
import re

import pytest
from cup import arena
from toy import Duet

from arena.games.conformance import flaws

MARKS = """\
from dataclasses import dataclass
from arena.game import Game, Outcome

CELLS = frozenset({"alpha", "beta", "gamma", "delta", "epsilon", "zeta"})


@dataclass(frozen=True)
class Marks(Game[tuple[str, frozenset[str]]]):
    roles = ("cross", "nought")

    def board(self):
        return BOARD

    def start(self):
        return ("cross", frozenset())

    def to_move(self, state):
        return (state[0],) if len(state[1]) < 4 else ()

    def legal_moves(self, state, role):
        return tuple(f"mark {cell}" for cell in LEGAL)

    def play(self, state, moves):
        other = "nought" if state[0] == "cross" else "cross"
        return (other, state[1] | {moves[state[0]].split()[1]})

    def outcome(self, state):
        return None if len(state[1]) < 4 else Outcome({"cross": 50, "nought": 50}, "full")

    def view(self, state, role):
        return (f"next {state[0]}", *(f"marked {cell}" for cell in sorted(state[1])))


game = Marks
"""
SOUND = {"BOARD": '("cells 6",)', "LEGAL": "sorted(CELLS - state[1])"}


@pytest.fixture
def marks(tmp_path):
    def write(**changes):
        text = MARKS
        for word, code in (SOUND | changes).items():
            text = text.replace(word, code)
        (tmp_path / "marks.py").write_text(text)
        return tmp_path

    return write


def test_sound_rules_are_exit_code_0(marks):
    done = arena(marks(), "check-rules", "marks.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ok     marks/default" in done.stdout


def test_rules_that_raise_are_told_with_the_line_the_state_and_the_moves_that_lead_there(marks):
    done = arena(marks(LEGAL="sorted(CELLS - state[1]) * (9 // (3 - len(state[1])) > 0)"), "check-rules", "marks.py")
    assert done.returncode == 1
    assert "legal_moves raises ZeroDivisionError" in done.stdout
    assert "(marks.py, line 21)" in done.stdout
    assert "in the state after 3 turns:" in done.stdout
    assert "next nought" in done.stdout
    assert re.search(r"reached by: cross mark \w+; nought mark \w+; cross mark \w+$", done.stdout, re.MULTILINE)


def test_what_hangs_on_the_order_of_a_set_is_found_by_asking_another_process(marks):
    done = arena(marks(LEGAL="CELLS - state[1]"), "check-rules", "marks.py", "--json")
    (row,) = json.loads(done.stdout)
    assert (done.returncode, row["sound"]) == (1, False)
    assert "sort what comes out of a set" in row["flaws"][0]["words"]


def test_rules_that_work_in_this_process_only_are_a_no(marks):
    done = arena(
        marks(LEGAL='sorted(CELLS - {__import__("os").environ["ONLY_HERE"]} - state[1])'),
        "check-rules",
        "marks.py",
        ONLY_HERE="beta",
    )
    assert done.returncode == 1
    assert "cannot be played in another process: KeyError: 'ONLY_HERE'" in done.stdout


def test_a_tuple_without_its_comma_is_told_as_that(marks):
    done = arena(marks(BOARD='("cells 6")'), "check-rules", "marks.py")
    assert "write ('cells 6',)" in done.stdout


class Keyhole(Duet):
    open = True

    def view(self, state, role):
        return (*super().view(state, role), *([f"eyes {role}"] if role == "hen" else []))


def test_rules_that_say_that_they_are_open_hide_nothing_from_any_role():
    (flaw,) = flaws(Keyhole())
    assert "the game is open, but view(state, 'hen') is not view(state, None)" in flaw.words
    assert not flaws(Duet())


def test_a_file_that_cannot_be_loaded_is_a_no_and_one_that_is_not_there_a_mistake(tmp_path):
    (tmp_path / "broken.py").write_text("def (\n")
    done = arena(tmp_path, "check-rules", "broken.py")
    assert done.returncode == 1
    assert "broken.py:1: invalid syntax" in done.stdout
    assert arena(tmp_path, "check-rules", "nowhere.py").returncode == 2


class Hasty(Duet):
    def play(self, state, moves):
        return (*state, next(iter(moves)))


def test_moves_of_one_turn_must_not_be_made_one_after_another():
    assert any("order of the moves that are made at once" in flaw.words for flaw in flaws(Hasty(), playouts=3))
