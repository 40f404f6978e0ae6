"""`arena check-rules`: a sound game passes; of a broken one it names the flaw, even one that no
reader sees.
"""

import json
import re
from dataclasses import dataclass

import pytest

from arena import load_game
from arena.errors import ArenaError
from arena.game import Game, Outcome, Value
from arena.games import rulebook
from arena.games.conformance import doubts, examination, flaws, transcript
from tests.support import workspaces
from tests.support.cup import arena
from tests.support.sprint import FIRST
from tests.support.toy import Duet

MARKS = """\
from dataclasses import dataclass
from arena.game import Game, Outcome

CELLS = frozenset({"alpha", "beta", "gamma", "delta", "epsilon", "zeta"})


@dataclass(frozen=True)
class Mask(Game[tuple[str, frozenset[str]]]):
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


game = Mask
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


def test_rules_that_raise_are_shown_with_line_state_and_moves(marks):
    done = arena(
        marks(LEGAL="sorted(CELLS - state[1]) * (9 // (3 - len(state[1])) > 0)"),
        "check-rules",
        "marks.py",
    )
    assert done.returncode == 1
    assert "legal_moves raises ZeroDivisionError" in done.stdout
    assert "(marks.py, line 21)" in done.stdout
    assert "in the state after 3 turns:" in done.stdout
    assert "next nought" in done.stdout
    assert re.search(
        r"reached by: cross mark \w+; nought mark \w+; cross mark \w+$", done.stdout, re.MULTILINE
    )


def test_what_hangs_on_the_order_of_a_set_is_found_by_asking_another_process(marks):
    done = arena(marks(LEGAL="CELLS - state[1]"), "check-rules", "marks.py", "--json")
    (row,) = json.loads(done.stdout)
    assert (done.returncode, row["sound"]) == (1, False)
    assert "sort what comes out of a set" in row["flaws"][0]["words"]


def test_what_hangs_on_a_hash_is_found_with_what_both_processes_say(marks):
    folder = marks()
    path = folder / "marks.py"
    path.write_text(path.read_text().replace('"full")', 'str(hash("full")))'))
    done = arena(folder, "check-rules", "marks.py")
    assert done.returncode == 1
    assert "are others in another process: leave out what hangs on hash()" in done.stdout
    assert re.search(r"reason (-?\d+)   \(there: reason (?!\1\))-?\d+\)", done.stdout)


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
    assert any(
        "order of the moves that are made at once" in flaw.words
        for flaw in flaws(Hasty(), playouts=3)
    )


def broken(folder, method, body):
    text = MARKS.replace("BOARD", SOUND["BOARD"]).replace("LEGAL", SOUND["LEGAL"])
    head, definition, rest = text.partition(f"    def {method}(")
    parameters, _, rest = rest.partition("\n")
    (folder / "marks.py").write_text(f"{head}{definition}{parameters}\n        {body}\n{rest}")


def mistakes(folder):
    """What is found in rules that leave this process alive, in this process."""
    try:
        return " ".join(flaw.words for flaw in flaws(load_game("marks.py", folder)))
    except ArenaError as error:
        return str(error)


def check_deadly(folder, words, monkeypatch):
    """Check what the command says of rules that would end this process, or never answer."""
    if "more than 0.6 s" in words:
        monkeypatch.setattr(examination, "WALL_SECONDS", 0.6)
    done = arena(folder, "check-rules", "marks.py")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert done.stdout.startswith("FAULT  marks")
    assert words in done.stdout


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("game = 5", "a rules file ends with `game = TheClass`"),
        ("game = Mask()", "a rules file ends with `game = TheClass`"),
        ("game = type('Mask', (), {'__dataclass_fields__': {}})", "the game has no `roles`"),
        (
            "Mask.roles = 5\ngame = Mask",
            "roles: expected a tuple of words, such as ('red', 'blue'), not 5",
        ),
        (
            "Mask.sides = ('cross', 'nought')\ngame = Mask",
            "sides: expected a tuple of tuples of roles",
        ),
        ("Mask.view = Game.view\ngame = Mask", "the game has no `view`"),
    ],
)
def test_whatever_keeps_rules_from_being_a_game_is_a_sentence(tmp_path, end, words):
    (tmp_path / "marks.py").write_text(MARKS.replace("game = Mask", end))
    assert words in mistakes(tmp_path)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("import sys\nsys.exit(0)", "it raises SystemExit (marks.py, line 35, in <module>)"),
        ("import os\nos._exit(3)", "it ends the process, with exit code 3"),
        ("raise KeyboardInterrupt", "it raises KeyboardInterrupt (marks.py, line 34, in <module>)"),
        (
            "import time\ntime.sleep(60)",
            "it takes more than 0.6 s (marks.py, line 35, in <module>)",
        ),
        ("input('your name? ')", "marks.py:34: EOFError"),
    ],
)
def test_whatever_ends_the_process_that_loads_rules_is_a_sentence(
    tmp_path, monkeypatch, end, words
):
    (tmp_path / "marks.py").write_text(MARKS.replace("game = Mask", end))
    check_deadly(
        tmp_path, words if "EOFError" in words else f"when marks.py is loaded, {words}", monkeypatch
    )


@pytest.mark.parametrize(
    ("method", "body", "words"),
    [
        ("start", "raise ValueError('no')", "start raises ValueError: no (marks.py, line 15)"),
        ("to_move", "return None", "to_move: None is no tuple of texts"),
        (
            "to_move",
            "return state[0]",
            "to_move: 'cross' is one text and not a tuple of them: write ('cross',)",
        ),
        ("legal_moves", "return (cell for cell in CELLS)", "is no tuple of texts"),
        (
            "outcome",
            "return {'cross': 50, 'nought': 50}",
            "return None, or Outcome({role: score, ...}, reason)",
        ),
        ("view", "return None", "view of everything: None is no tuple of texts"),
    ],
)
def test_whatever_rules_return_of_the_wrong_kind_is_a_sentence(tmp_path, method, body, words):
    broken(tmp_path, method, body)
    assert words in mistakes(tmp_path)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "import time; time.sleep(60)",
            "when it is played, it takes more than 0.6 s (marks.py, line 24, in play)",
        ),
        (
            "raise SystemExit",
            "when it is played, it raises SystemExit (marks.py, line 24, in play)",
        ),
        ("import os; os._exit(1)", "when it is played, it ends the process, with exit code 1"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "when it is played, it ends the process, by SIGKILL",
        ),
        ("return bytearray(8 << 30)", "play raises MemoryError (marks.py, line 24)"),
    ],
)
def test_whatever_ends_the_process_that_plays_rules_is_a_sentence(
    tmp_path, monkeypatch, body, words
):
    broken(tmp_path, "play", body)
    check_deadly(tmp_path, words, monkeypatch)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("", "marks.toml: has no board; write a line such as [default]"),
        ("size = 3\n", "marks.toml: every parameter belongs to a board"),
        ("[[default]]\n", "marks.toml: every parameter belongs to a board"),
        ("[default]\nsize = 3\n", "marks.toml: [default] size: unknown parameter"),
        (
            "[default]\nday = [2020-01-01]\n",
            "marks.toml: [default] has a date or a time: write it as a text",
        ),
    ],
)
def test_a_toml_of_the_wrong_kind_is_a_sentence(marks, toml, words):
    folder = marks()
    path = folder / "marks.py"
    path.write_text(path.read_text().replace("    roles =", "    day: tuple = ()\n    roles ="))
    (folder / "marks.toml").write_text(toml)
    with pytest.raises(ArenaError) as raised:
        rulebook.find("marks.py", folder)
    assert words in str(raised.value)


def test_views_moves_outcomes_roles_and_the_board_are_compared_with_another_process():
    *states, about_the_board = transcript(Duet(turns=1))
    assert about_the_board == [
        "turns 1",
        *(f"role {role}" for role in Duet.roles),
        *map(str, Duet.sides),
    ]
    assert {"played 0", "hen sees played 0", "fox: walk on"} <= {*states[0]}
    assert [line for line in states[1] if "scores" in line or line.startswith("reason")] == [
        *(
            f"{role} scores {100 * ('did fox:win' in states[1] and role == 'fox')}"
            for role in Duet.roles
        ),
        "reason time up",
    ]


@dataclass(frozen=True)
class Needle(Game):
    """A role finds the needle three times in a row among 50 moves, or scores nothing; random play
    never does.
    """

    last: int = 100
    roles = ("seeker", "hider")

    def board(self):
        return ()

    def start(self):
        return ()

    def to_move(self, state):
        return ("seeker",) if len(state) < 3 else ()

    def legal_moves(self, state, role):
        return tuple(f"straw {number}" for number in range(50))

    def play(self, state, moves):
        return (*state, moves["seeker"])

    def outcome(self, state):
        score = 100 * (set(state) == {"straw 7"})
        return (
            Outcome({"seeker": score, "hider": 100 - score}, "searched")
            if len(state) == 3
            else None
        )

    def view(self, state, role):
        return tuple(f"found {straw}" for straw in state) or ("found nothing",)

    def solve(self):
        def value(state):
            found = set(state) <= {"straw 7"}
            return Value(self.last if found and len(state) == 3 else 100 * found, 3 - len(state))

        return value


def test_the_best_moves_of_a_solver_are_played_out():
    assert flaws(Needle(), playouts=2) == []
    (flaw,) = flaws(Needle(last=0), playouts=2)
    assert flaw.words == "solve's value of a state is not that of the best move there"
    assert flaw.moves == ("seeker straw 7", "seeker straw 7")


def test_what_a_solver_says_is_compared_with_another_process():
    *_, last, _ = transcript(Needle())
    assert last[-1] == "Value(score=100, turns=0)"
    assert ["Value(score=100, turns=3)", "best: straw 7"] in [
        lines[-2:] for lines in transcript(Needle())
    ]


def test_a_move_that_a_role_does_not_see_but_is_told_is_a_warning(tmp_path):
    """Each role sees its own marks only: it cannot know those of the other, if the referee does not
    tell them.
    """
    path = tmp_path / "marks.py"
    text = MARKS.replace("BOARD", SOUND["BOARD"]).replace(
        "sorted(state[1])", "sorted(OWN[role] & state[1])"
    )
    text = text.replace("LEGAL", "sorted(OWN[role] - state[1])")
    own = 'OWN = {None: CELLS, "cross": {"alpha", "beta"}, "nought": {"gamma", "delta"}}\n'
    path.write_text(text.replace("\n\n\n@dataclass", f"\n{own}\n\n@dataclass"))
    done = arena(tmp_path, "check-rules", "marks.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "WARN   marks/default: the view of nought does not show which move cross made"
        in done.stdout
    )
    (row,) = json.loads(arena(tmp_path, "check-rules", "marks.py", "--json").stdout)
    assert (row["sound"], len(row["warnings"])) == (True, 2)
    path.write_text(path.read_text().replace("    roles =", "    hidden = True\n    roles ="))
    assert doubts(load_game("marks.py", tmp_path)) == []


@pytest.mark.parametrize(
    "body", ["raise ValueError('no')", "raise SystemExit(0)", "return self.play(state, moves)"]
)
def test_a_match_by_rules_that_raise_names_their_file_and_line(tmp_path, body):
    broken(workspaces.make(tmp_path, {"first": FIRST}), "play", body)
    done = arena(tmp_path, "match", "first", "first", "--board", "marks.py", "--no-draw")
    assert done.returncode == 2
    assert done.stderr.startswith(f"{tmp_path}/marks.py:24: play raises ")
    assert done.stderr.endswith(
        f"; `arena check-rules {tmp_path}/marks.py` finds more mistakes of rules\n"
    )
    assert done.stderr.count("\n") == 1


def test_a_state_that_only_another_seed_reaches_is_no_traceback(marks):
    folder = marks(LEGAL='(sorted(CELLS - state[1]) if "zeta" not in state[1] else 1 / 0)')
    for seed in (
        0,
        3,
    ):  # a playout of the laws meets it, and one that is compared with another process
        done = arena(folder, "check-rules", "marks.py", "--playouts", "1", "--seed", str(seed))
        assert (done.returncode, "ZeroDivisionError" in done.stdout) == (1, True), done.stderr
