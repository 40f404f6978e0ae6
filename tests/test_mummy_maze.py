"""Mummy Maze, point by point, and the figures of perfect play that only right rules reproduce."""

from functools import cache
from itertools import product

import pytest
from solver import Solution, cells_in_play

from arena import rulebook

BOARDS = ("hunt", "duel", "duel_published", "court")
WAYS = ("north", "south", "east", "west", "nowhere")


def maze(board):
    return rulebook.load("mummy_maze", board)


@cache
def solved(board):
    return Solution(maze(board))


def at(game, explorer, mummy, step=0):
    return game.start()._replace(explorer=explorer, mummy=mummy, step=step)


def explorer_goes(board, way, explorer, mummy=(1, 1)):
    game = maze(board)
    return game.play(at(game, explorer, mummy), {"explorer": f"move1 {way}"})


def mummy_goes(board, ways, explorer, mummy, step=1):
    game = maze(board)
    return game.play(at(game, explorer, mummy, step), {"mummy": f"move2 {ways}"})


# Perfect play


@pytest.mark.parametrize("board", ["duel", "duel_published"])
def test_a_perfect_duel_is_won_by_the_mummy_in_18_turns(board):
    assert solved(board).value((8, 1), (1, 1)) == (0, 18)


@pytest.mark.parametrize("board", ["duel", "duel_published"])
def test_a_duel_from_any_placement_has_a_winner_and_mostly_it_is_the_mummy(board):
    assert solved(board).count() == {0: 3269, 50: 0, 100: 700}


@pytest.mark.parametrize("board", ["duel", "duel_published"])
def test_no_place_of_the_mummy_saves_an_explorer_that_starts_a_duel_in_its_corner(board):
    solution = solved(board)
    scores = {solution.value((8, 1), mummy)[0] for mummy in solution.cells if mummy != (8, 1)}
    assert scores == {0}


def test_a_perfect_hunt_is_won_by_the_mummy_in_8_turns():
    assert solved("hunt").value((3, 3), (5, 1)) == (0, 8)


def test_a_hunt_from_any_placement_is_won_drawn_and_lost_as_often_as_published():
    assert solved("hunt").count() == {0: 897, 50: 1567, 100: 1505}


@pytest.mark.parametrize("board", BOARDS)
def test_sixty_four_cells_are_in_play_and_3969_placements_can_be_met(board):
    game = maze(board)
    cells = cells_in_play(game)
    assert cells == tuple(product(range(1, 9), range(1, 9)))
    assert sum(explorer not in (mummy, game.exit) for explorer, mummy in product(cells, cells)) == 3969
