"""Mummy Maze, point by point, and the figures of perfect play that only right rules reproduce."""

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from arena import load_game
from tests.support.solver import Solution, cells_in_play, placements

BOARDS = ("hunt", "duel", "duel_published", "court")
WAYS = ("north", "south", "east", "west", "nowhere")


def maze(board):
    return load_game(f"mummy_maze/{board}")


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
    assert (
        sum(explorer not in (mummy, game.exit) for explorer, mummy in product(cells, cells)) == 3969
    )


# Turns


def test_the_explorer_moves_first_and_then_they_alternate():
    game = maze("duel")
    state, order = game.start(), []
    for _ in range(4):
        (role,) = game.to_move(state)
        order.append(role)
        state = game.play(state, {role: game.legal_moves(state, role)[-1]})
    assert order == ["explorer", "mummy", "explorer", "mummy"]
    assert state.step == 4


@pytest.mark.parametrize("board", BOARDS)
def test_the_explorer_always_has_its_five_moves_in_one_order(board):
    game = maze(board)
    moves = tuple(f"move1 {way}" for way in WAYS)
    assert {
        game.legal_moves(at(game, *placement), "explorer") for placement in placements(game)
    } == {moves}


@pytest.mark.parametrize("board", ["duel", "duel_published", "court"])
def test_a_free_mummy_always_has_all_25_pairs(board):
    game = maze(board)
    pairs = tuple(f"move2 {first} {second}" for first, second in product(WAYS, WAYS))
    found = {
        game.legal_moves(at(game, *placement, step=1), "mummy") for placement in placements(game)
    }
    assert found == {pairs}


# Steps


@pytest.mark.parametrize("way", ["south", "east"])
def test_a_step_off_the_board_is_legal_and_does_nothing(way):
    game = maze("duel")
    assert f"move1 {way}" in game.legal_moves(game.start(), "explorer")
    assert explorer_goes("duel", way, (8, 1)).explorer == (8, 1)


@pytest.mark.parametrize(
    ("way", "cell", "there"),
    [
        ("east", (3, 3), (4, 3)),
        ("west", (4, 3), (3, 3)),
        ("north", (1, 2), (1, 3)),
        ("south", (1, 3), (1, 2)),
    ],
)
@pytest.mark.parametrize("board", ["hunt", "duel"])
def test_a_step_into_a_wall_is_legal_and_does_nothing_from_either_side(board, way, cell, there):
    assert explorer_goes(board, way, cell).explorer == cell
    assert there in cells_in_play(maze(board))


def test_a_blocked_step_and_nowhere_use_the_turn_up():
    assert explorer_goes("duel", "south", (8, 1)) == explorer_goes("duel", "nowhere", (8, 1))
    assert explorer_goes("duel", "nowhere", (8, 1)).step == 1


def test_the_ring_around_a_hunt_cannot_be_entered():
    assert explorer_goes("hunt", "west", (1, 4), (5, 1)).explorer == (1, 4)
    assert explorer_goes("hunt", "south", (4, 1), (5, 5)).explorer == (4, 1)


def test_the_mummys_second_half_starts_where_the_first_ended():
    assert mummy_goes("duel", "north east", (8, 1), (1, 1)).mummy == (2, 2)


def test_one_blocked_half_leaves_the_mummy_the_other():
    assert mummy_goes("duel", "north east", (8, 1), (1, 2)).mummy == (2, 2)
    assert mummy_goes("duel", "north north", (8, 1), (1, 1)).mummy == (1, 2)


def test_hunt_and_duel_have_the_same_inner_walls_and_only_the_hunt_has_a_ring():
    hunt, duel, published = maze("hunt"), maze("duel"), maze("duel_published")
    assert set(hunt.walls) == set(duel.walls) == set(published.walls)
    assert (len(hunt.walls), len(hunt.enclosing), len(duel.enclosing)) == (28, 32, 0)


# The mummy of a hunt


def test_a_hunting_mummy_goes_across_or_up_as_long_as_both_bring_it_nearer():
    game = maze("hunt")
    moves = game.legal_moves(at(game, (3, 3), (6, 8), step=1), "mummy")
    assert moves == ("move2 south south", "move2 south west", "move2 west south", "move2 west west")


def test_a_wall_does_not_forbid_a_hunting_mummy_to_run_into_it():
    game = maze("hunt")
    blocked = at(game, (3, 3), (4, 3), step=1)
    assert game.legal_moves(blocked, "mummy") == ("move2 west west",)
    assert game.play(blocked, {"mummy": "move2 west west"}).mummy == (4, 3)


def test_a_hunting_mummy_that_reaches_the_explorer_half_way_can_only_stay():
    game = maze("hunt")
    assert game.legal_moves(at(game, (3, 2), (4, 2), step=1), "mummy") == ("move2 west nowhere",)


def test_a_half_step_of_a_hunting_mummy_looks_at_where_the_first_half_ended():
    game = maze("hunt")
    moves = game.legal_moves(at(game, (5, 2), (6, 1), step=1), "mummy")
    assert moves == ("move2 north north", "move2 north west", "move2 west north")
    assert game.play(at(game, (5, 2), (6, 1), step=1), {"mummy": "move2 north north"}).mummy == (
        6,
        1,
    )


def test_a_hunting_mummy_has_one_to_four_moves_everywhere():
    game = maze("hunt")
    counts = {len(game.legal_moves(at(game, *one, step=1), "mummy")) for one in placements(game)}
    assert counts == {1, 2, 3, 4}


def test_the_walking_mummy_of_the_published_sheet_always_makes_a_legal_move():
    game = maze("hunt")
    for explorer, mummy in placements(game):
        assert walked(game, explorer, mummy) in game.legal_moves(
            at(game, explorer, mummy, step=1), "mummy"
        )


def walked(game, explorer, mummy):
    """The move of the mummy that walks by itself: across first; up or down if across is blocked or
    already level.
    """
    first = walks(game, explorer, mummy)
    return f"move2 {first} {walks(game, explorer, half_step(game, mummy, first))}"


def walks(game, explorer, mummy):
    (ex, ey), (mx, my) = explorer, mummy
    across = "east" if ex > mx else "west"
    upright = "north" if ey > my else "south"
    if ex != mx and (half_step(game, mummy, across) != mummy or ey == my):
        return across
    return upright if ey != my else "nowhere"


def half_step(game, mummy, way):
    far_away = (0, 0)
    return game.play(at(game, far_away, mummy, step=1), {"mummy": f"move2 {way} nowhere"}).mummy


# The end


@pytest.mark.parametrize("board", BOARDS)
def test_an_explorer_that_steps_onto_the_mummy_is_eaten(board):
    after = (
        explorer_goes(board, "east", (3, 1), (4, 1))
        if board != "court"
        else explorer_goes(board, "east", *COURT)
    )
    assert outcome(board, after) == ("eaten", 0, 100)


COURT = ((6, 3), (7, 3))


@pytest.mark.parametrize("board", ["hunt", "duel"])
def test_a_mummy_that_meets_the_explorer_half_way_eats_it_and_stops(board):
    after = mummy_goes(board, "east east", (3, 1), (2, 1))
    assert after.mummy == after.explorer == (3, 1)
    assert outcome(board, after) == ("eaten", 0, 100)


def test_a_mummy_that_runs_over_the_explorer_and_off_again_has_not_eaten():
    after = mummy_goes("duel_published", "east east", (3, 1), (2, 1))
    assert (after.explorer, after.mummy) == ((3, 1), (4, 1))
    assert maze("duel_published").outcome(after) is None


def test_a_mummy_that_ends_on_the_explorer_eats_it_by_the_published_duel_too():
    assert outcome(
        "duel_published", mummy_goes("duel_published", "east nowhere", (3, 1), (2, 1))
    ) == ("eaten", 0, 100)


def test_an_explorer_that_reaches_the_exit_has_escaped():
    assert outcome("duel", explorer_goes("duel", "east", (7, 8), (1, 1))) == ("escaped", 100, 0)


@pytest.mark.parametrize("board", ["duel", "duel_published"])
def test_an_explorer_eaten_on_the_exit_is_eaten(board):
    assert outcome(board, explorer_goes(board, "east", (7, 8), (8, 8))) == ("eaten", 0, 100)


def test_the_mummy_may_stand_on_the_exit():
    after = mummy_goes("duel", "east nowhere", (1, 1), (7, 8))
    assert after.mummy == maze("duel").exit
    assert maze("duel").outcome(after) is None


def test_a_match_with_neither_ends_when_the_counter_reaches_50():
    game = maze("duel")
    state = at(game, (8, 1), (1, 1), step=49)
    assert game.outcome(state) is None
    assert outcome("duel", game.play(state, {"mummy": "move2 nowhere nowhere"})) == (
        "step limit",
        50,
        50,
    )


def test_the_last_turn_can_still_be_a_catch():
    assert outcome("duel", mummy_goes("duel", "east nowhere", (3, 1), (2, 1), step=49)) == (
        "eaten",
        0,
        100,
    )


def test_nobody_is_to_move_once_it_is_over():
    game = maze("duel")
    assert game.to_move(at(game, (3, 1), (3, 1), step=7)) == ()


def outcome(board, state):
    ended = maze(board).outcome(state)
    return (ended.reason, ended.scores["explorer"], ended.scores["mummy"])


# Boards that cannot be played


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"exit": (9, 9)}, "exit: \\(9, 9\\) is not on the board"),
        ({"moves": "fast"}, "moves: expected 'free' or 'toward', not 'fast'"),
        ({"eaten": "never"}, "eaten: expected 'anytime' or 'end', not 'never'"),
        ({"explorer": (1, 1)}, "the match is over before its first turn: eaten"),
        (
            {"walls": ((1, 1, "up"),)},
            "wall \\(1, 1, 'up'\\): expected x, y on the board and 'north' or 'east'",
        ),
    ],
)
def test_a_board_that_cannot_be_played_is_refused_by_name(wrong, words):
    with pytest.raises(ValueError, match=words):
        replace(maze("duel"), **wrong)
