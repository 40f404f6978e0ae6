"""Every board that arena finds keeps the contract of arena.game, and a game that breaks it is
caught.
"""

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

import pytest

from arena import load_game
from arena.drawing import Cards, Mark, Piece
from arena.game import Game, Outcome
from arena.games import rulebook
from arena.games.conformance import flaws, playout
from arena.games.conformance.laws import LONGEST
from arena.replay.drawing import render_state
from arena.rulefile import parameters
from tests.playthroughs.make import HERE, path_of, told
from tests.support.toy import Duet

BOARDS = [board.label for board in rulebook.all_boards()]


def test_the_boards_of_all_games_are_found():
    assert set(BOARDS) >= {
        *(f"mummy_maze/{board}" for board in ("hunt", "duel", "duel_published", "court")),
        *(f"pacman/{board}" for board in ("classic", "published")),
        *(
            "connect_four/standard",
            "goofspiel/five",
            "goofspiel/thirteen",
            "kuhn_poker/three_cards",
            "surround/nine",
        ),
    }


@pytest.mark.parametrize("label", BOARDS)
def test_a_board_keeps_the_contract(label):
    assert flaws(load_game(label), playouts=30) == []


@pytest.mark.parametrize("label", BOARDS)
def test_a_golden_playthrough_still_goes_the_same_way(label):
    assert told(label) == path_of(label).read_text("utf-8"), "see tests/playthroughs/make.py"


def test_every_playthrough_is_of_a_board_that_there_is():
    assert set(HERE.glob("*.txt")) == set(map(path_of, BOARDS))


# The folder's page


README = (HERE.parent.parent / "rules" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("label", BOARDS)
def test_the_page_names_every_board_and_everything_that_a_board_may_set(label):
    assert f"| `{label}` |" in README
    missing = [
        name
        for name in parameters(Path(rulebook.find(label)[0].rules))
        if f"`{name}`" not in README
    ]
    assert missing == []


@pytest.mark.parametrize(
    "label", ["mummy_maze/hunt", "mummy_maze/duel", "mummy_maze/court", "pacman/classic"]
)
def test_the_page_draws_the_boards_as_arena_does(label):
    game = load_game(label)
    drawn = render_state(game, game.view(game.start(), None)).splitlines()
    grid = [line for line in drawn if not line.startswith("   ") or not line.strip()[0].isalpha()]
    assert len(grid) > 16
    assert [line.strip() for line in grid if line.strip() not in README] == []


@pytest.mark.parametrize("label", [label for label in BOARDS if label.startswith("pacman/")])
def test_the_page_shows_pacmans_scale(label):
    shown = [
        row.strip("|").split("|")[1:] for row in README.splitlines() if row.startswith("| score |")
    ]
    assert tuple(int(score) for row in shown for score in row) == load_game(label).score


# The suite itself


@pytest.mark.parametrize(
    "game", [Duet(), Duet(turns=0), Duet(dice=True), Duet(hidden=True)], ids=repr
)
def test_games_with_simultaneous_turns_chance_and_secrets_keep_the_contract(game):
    assert flaws(game) == []


# Games that are broken on purpose: one law each


class NoMoves(Duet):
    def legal_moves(self, state, role):
        return () if len(state) == 2 else super().legal_moves(state, role)


class Repeating(Duet):
    def legal_moves(self, state, role):
        return ("wait", "win", "wait")


class Shuffled(Duet):
    calls = count()

    def legal_moves(self, state, role):
        return ("wait", "win") if next(self.calls) % 2 else ("win", "wait")


class TwoLines(Duet):
    def legal_moves(self, state, role):
        return ("wait\nwin",)


class Remarking(Duet):
    def legal_moves(self, state, role):
        return ("# wait",)


class Wide(Duet):
    def view(self, state, role):
        return ("at  fox 1",) if role == "hen" else ()


class Vague(Duet):
    def view(self, state, role):
        return ("somewhere",)


class Unsided(Duet):
    sides = (("fox",), ("hen",))


class Shouting(Duet):
    roles = ("fox", "hen", "THE chick")
    sides = (("fox",), ("hen", "THE chick"))


class Endless(Duet):
    def to_move(self, state):
        return ("fox",)

    def outcome(self, state):
        return None

    def play(self, state, moves):
        return state


class Painted(Duet):
    drawing = (
        Piece("fox X"),
        Mark("hen X Y", shape="star"),
        Piece("at X Y", colour="pink"),
        Cards("hand CARDS now"),
        "at",
    )


class Stuck(Duet):
    def to_move(self, state):
        return ("fox",) if not state else ()


class TooGood(Duet):
    def outcome(self, state):
        return super().outcome(state) and Outcome({"fox": 101, "hen": 0, "chick": 0}, "time up")


class Fractions(Duet):
    def outcome(self, state):
        return super().outcome(state) and Outcome({"fox": 33.3, "hen": 0, "chick": 0}, "time up")


class Forgetful(Duet):
    def outcome(self, state):
        return super().outcome(state) and Outcome({"fox": 0}, "time up")


class Forfeiting(Duet):
    def outcome(self, state):
        return super().outcome(state) and Outcome(dict.fromkeys(self.roles, 0), "forfeit")


class Dicey(Duet):
    calls = count()

    def play(self, state, moves):
        return (*state, f"throw {next(self.calls)}")


@dataclass(frozen=True)
class Fresh(Duet):
    calls: count = field(default_factory=count)

    def start(self):
        return (f"start {next(self.calls)}",)


@dataclass
class Changeable(Game[list[str]]):
    """A game whose states are lists, and that can be changed itself."""

    roles = ("fox",)
    sides = (("fox",),)

    def board(self):
        return ()

    def start(self):
        return []

    def to_move(self, state):
        return () if self.outcome(state) else ("fox",)

    def legal_moves(self, state, role):
        return ("wait",)

    def play(self, state, moves):
        return [*state, "wait"]

    def outcome(self, state):
        return Outcome({"fox": 0}, "time up") if len(state) > 2 else None

    def view(self, state, role):
        return ()


class Scribbling(Changeable):
    """A game that writes into the state it is given, which hashes by what is in it."""

    def start(self):
        return Ink()

    def play(self, state, moves):
        state.append("wait")
        return Ink(state)

    __hash__ = object.__hash__


class Ink(list):
    def __hash__(self):
        return len(self)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (NoMoves(), "fox is to move and has no legal move"),
        (Repeating(), "legal moves of fox repeat"),
        (Shuffled(), "in another order the second time"),
        (TwoLines(), "is not one line of words"),
        (Remarking(), "begins with #"),
        (Wide(), "view of hen: 'at  fox 1' is not one line of words"),
        (Vague(), "it must tell everything"),
        (Unsided(), "do not have every role once"),
        (Shouting(), "role 'THE chick' is not a word"),
        (Endless(), f"no end within {LONGEST} turns"),
        (Painted(), "'fox X' does not say where X and Y are"),
        (Painted(), "the shape 'star'; shapes are disc, dot"),
        (Painted(), "the colour 'pink'; colours are red, orange"),
        (Painted(), "'hand CARDS now' does not end with CARD or CARDS"),
        (Painted(), "'at' is no Grid, Piece, Mark, Cards or LetterRows"),
        (Stuck(), "to_move is () where the outcome is None"),
        (TooGood(), "fox scores 101"),
        (Fractions(), "fox scores 33.3"),
        (Forgetful(), "the outcome scores ('fox',)"),
        (Forfeiting(), "'forfeit' is the referee's word"),
        (Dicey(), "the same moves lead to another state"),
        (Fresh(), "start() differs from call to call"),
        (Changeable(), "the game is not hashable"),
        (Changeable(), "states are not hashable"),
        (Scribbling(), "play changes the state that it is given"),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value).__name__,
)
def test_a_broken_game_is_caught(broken, words):
    assert any(words in flaw.words for flaw in flaws(broken, playouts=3)), flaws(broken, playouts=3)


def test_a_playout_is_the_same_with_the_same_dice():
    game = load_game("pacman/classic")
    assert playout(game, Random(7)) == playout(game, Random(7))
