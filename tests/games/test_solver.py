"""The solver of mazes agrees with a slow search by the rules themselves, and qualities follow from
its values.
"""

import time
from dataclasses import fields, replace

import pytest

from arena import load_game
from arena.game import Value
from arena.games.conformance import flaws, laws
from arena.games.quality import PerfectPlay
from tests.support.solver import Solution, placements


def maze(board):
    return load_game(f"mummy_maze/{board}")


def at(game, explorer, mummy, step=0):
    return game.start()._replace(explorer=explorer, mummy=mummy, step=step)


@pytest.mark.parametrize(
    ("board", "score", "turns"),
    [("duel", 0, 18), ("duel_published", 0, 18), ("hunt", 0, 8), ("court", 0, 20)],
)
def test_the_starts_of_the_shipped_mazes_have_their_known_values(board, score, turns):
    game = maze(board)
    assert game.solve()(game.start()) == Value(score, turns)


@pytest.mark.parametrize("board", ["hunt", "duel_published"])
def test_the_solver_agrees_with_a_slow_search_on_every_placement(board):
    # A few turns are enough to tell all rules apart, and the slow search takes its time for each.
    game = replace(maze(board), steps=13)
    slow, value = Solution(game), game.solve()
    for explorer, mummy in placements(game):
        assert tuple(value(at(game, explorer, mummy))) == slow.value(explorer, mummy), (
            explorer,
            mummy,
        )


def test_a_maze_of_8_by_8_cells_is_solved_in_less_than_a_second_of_cpu():
    before = time.process_time()
    maze("duel").solve()
    assert time.process_time() - before < 1


def test_a_grade_says_what_a_move_threw_away_and_which_turns_it_lost():
    game = replace(maze("duel"), walls=(), explorer=(8, 7), mummy=(1, 1), exit=(8, 8))
    assessor = PerfectPlay.of(game)
    start = game.start()
    assert assessor.worth(start) == Value(100, 1)
    escape, wait = (
        assessor.quality(start, "explorer", f"move1 {way}") for way in ("north", "nowhere")
    )
    assert (escape.points, escape.turns, str(escape)) == (0, 0, "")
    assert (wait.points, wait.turns, str(wait)) == (0, 2, "lost 2 turns")
    assert assessor.best(start, "explorer") == ("move1 north",)
    last = at(game, (4, 4), (4, 5), step=49)  # the last turn: who does not eat now has a draw
    assert assessor.quality(last, "mummy", "move2 north north") == (50, 0, True, False)
    assert assessor.quality(last, "mummy", "move2 south nowhere") == (0, 0, True, False)
    assert str(assessor.quality(last, "mummy", "move2 north north")) == "threw away 50 points"


def test_a_board_that_nobody_solved_has_no_grades():
    assert PerfectPlay.of(load_game("pacman/classic")) is None


def test_check_rules_finds_a_solver_that_contradicts_the_rules():
    game = maze("duel")

    class Wrong(type(game)):
        def solve(self):
            right = super().solve()
            return lambda state: right(state)._replace(score=100)

    wrong = Wrong(**{name: getattr(game, name) for name in game.__dataclass_fields__})
    assert [flaw.words for flaw in flaws(game, playouts=3)] == []
    assert any(flaw.words.startswith("solve") for flaw in flaws(wrong, playouts=3))


@pytest.mark.parametrize("steps", [10**4, 10**9])
def test_a_maze_of_too_many_steps_is_not_solved(steps):
    assert replace(maze("duel"), steps=steps).solve() is None
    small = replace(
        maze("duel"), size=(1, 2), explorer=(1, 1), mummy=(2, 2), exit=(1, 2), walls=(), steps=steps
    )
    assert small.solve() is None


def test_a_solver_that_fails_gives_no_grades_but_is_reported_to_the_author():
    class Failing(type(maze("duel"))):
        def solve(self):
            raise MemoryError

    game = Failing(
        **{field.name: getattr(maze("duel"), field.name) for field in fields(maze("duel"))}
    )
    assert PerfectPlay.of(game) is None
    with pytest.raises(MemoryError):
        list(laws.solved(game, ()))
