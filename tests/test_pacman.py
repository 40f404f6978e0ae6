"""Pacman, point by point, and the figures that only the right maze and the right turns reproduce."""

from dataclasses import replace
from functools import cache

import pytest
from pacman_solver import can_force, joint_moves, moves_for_all_pellets, positions

from arena import rulebook

BOARDS = ("classic", "published")
SMALL = {"size": (5, 6), "pacman": (5, 5), "blinky": (5, 6), "inky": (6, 6), "pellets": ()}
SCALE = (*range(0, 21, 2), *range(23, 90, 3), 95, 100)


def maze(board="classic"):
    return rulebook.load("pacman", board)


def at(game, pacman=(5, 3), blinky=(4, 6), inky=(5, 6), **rest):
    return game.start()._replace(pacman=pacman, blinky=blinky, inky=inky, **rest)


def pacman_goes(way, board="classic", **places):
    game = maze(board)
    return game.play(at(game, **places), {"pacman": f"move {way}"})


def ghosts_go(blinkys_way, inkys_way, board="classic", **places):
    game = maze(board)
    state = at(game, pacman_moves=False, **places)
    return game.play(state, {"blinky": f"move {blinkys_way}", "inky": f"move {inkys_way}"})


def outcome(state, board="classic"):
    ended = maze(board).outcome(state)
    return ended and (ended.reason, *(ended.scores[role] for role in ("pacman", "blinky", "inky")))


def pellets(number):
    """The bits of so many pellets."""
    return (1 << number) - 1


@cache
def met(board):
    return positions(maze(board))


# The maze, and what can be forced in it


@pytest.mark.parametrize("board", BOARDS)
def test_36_cells_are_in_play_and_each_has_2_or_4_ways_out(board):
    game = maze(board)
    ways_out = [len(game.legal_moves(at(game, pacman=cell), "pacman")) for cell in game.cells_in_play]
    assert len(ways_out) == 36
    assert set(ways_out) == {2, 4}


def test_classic_has_a_pellet_in_every_cell_in_play_but_pacmans_start():
    game = maze("classic")
    assert len(game.pellets) == 35
    assert set(game.pellets) == game.cells_in_play - {game.pacman}


def test_published_has_none_under_the_ghosts_either():
    game = maze("published")
    assert set(game.pellets) == set(maze("classic").pellets) - {game.blinky, game.inky}


def test_both_boards_are_the_same_maze():
    classic, published = maze("classic"), maze("published")
    assert replace(published, pellets=classic.pellets, first_step=0, ghosts="team") == classic


@pytest.mark.parametrize(("board", "moves"), [("published", 36), ("classic", 38)])
def test_all_pellets_take_a_pacman_that_nobody_hunts_so_many_moves(board, moves):
    assert moves_for_all_pellets(maze(board)) == moves


@pytest.mark.parametrize("board", BOARDS)
def test_inky_never_comes_upon_pacman_it_waits_for_pacman_to_step_onto_it(board):
    caught_by_inky = [state for state in met(board) if state.pacman == state.inky]
    assert {state.pacman_moves for state in caught_by_inky} == {False}


@pytest.mark.parametrize("board", BOARDS)
def test_blinky_catches_pacman_only_by_its_own_step(board):
    caught_by_blinky = [state for state in met(board) if state.pacman == state.blinky]
    assert {state.pacman_moves for state in caught_by_blinky} == {True}


@pytest.mark.parametrize("board", BOARDS)
def test_both_ghosts_never_stand_on_pacman_at_once(board):
    assert not [state for state in met(board) if state.pacman == state.blinky == state.inky]


def test_ghosts_that_cooperate_perfectly_capture_pacman_within_16_turns_but_not_within_15():
    game = maze("published")
    assert can_force(game, "ghosts", captured, 16)
    assert not can_force(game, "ghosts", captured, 15)


def test_ghosts_that_cooperate_perfectly_hold_pacman_to_exactly_7_pellets():
    game = maze("published")
    assert can_force(game, "ghosts", lambda state: False if eaten(game, state) > 7 else captured(state), 20)
    assert can_force(game, "pacman", lambda state: True if eaten(game, state) >= 7 else refuted(state), 20)


def captured(state):
    return True if state.pacman in (state.blinky, state.inky) else None


def refuted(state):
    return False if captured(state) else None


def eaten(game, state):
    return len(game.pellets) - state.pellets.bit_count()


# Turns


def test_pacman_moves_first_and_then_both_ghosts_at_once():
    game = maze()
    state, order = game.start(), []
    for _ in range(4):
        order.append(game.to_move(state))
        state = game.play(state, next(joint_moves(game, state)))
    assert order == [("pacman",), ("blinky", "inky")] * 2
    assert state.step == 4


@pytest.mark.parametrize(("board", "turns"), [("classic", 100), ("published", 99)])
def test_the_counter_of_a_match_that_nobody_ends_allows_so_many_turns(board, turns):
    game = maze(board)
    last = at(game, step=game.first_step + turns - 1)
    assert game.outcome(last) is None
    assert outcome(game.play(last, {"pacman": "move east"}), board) == ("step limit", 2, 0, 0)


def test_everybody_must_move_and_neither_walls_nor_the_edge_can_be_stepped_into():
    game = maze()
    assert game.legal_moves(at(game), "pacman") == ("move east", "move west")
    assert game.legal_moves(at(game, pacman=(1, 3)), "pacman") == ("move north", "move east")
    assert game.legal_moves(at(game, blinky=(3, 3)), "blinky") == tuple(
        f"move {way}" for way in ("north", "south", "east", "west")
    )


def test_ghosts_may_share_a_cell_and_may_swap():
    assert ghosts_go("east", "west")[1:3] == ((5, 6), (4, 6))
    shared = ghosts_go("east", "west", blinky=(3, 3), inky=(5, 3), pacman=(8, 8))
    assert shared.blinky == shared.inky == (4, 3)
    assert outcome(shared) is None


# Pellets


def test_pacman_takes_the_pellet_of_the_cell_that_it_enters():
    game, after = maze(), pacman_goes("east")
    assert game.view(after, "inky")[-1] == "collected 1"
    assert "pellet 6 3" in game.view(game.start(), "inky")
    assert "pellet 6 3" not in game.view(after, "inky")


def test_a_pellet_is_taken_once():
    game = maze()
    there = pacman_goes("east")
    back = game.play(there._replace(pacman_moves=True), {"pacman": "move west"})
    again = game.play(back._replace(pacman_moves=True), {"pacman": "move east"})
    assert [eaten(game, state) for state in (there, back, again)] == [1, 1, 1]


def test_pacman_takes_the_pellet_of_the_cell_where_it_steps_onto_a_ghost():
    assert outcome(pacman_goes("east", inky=(6, 3))) == ("caught", 2, 100, 100)


def test_ghosts_leave_pellets_alone():
    assert ghosts_go("west", "east").pellets == maze().start().pellets


# The end


@pytest.mark.parametrize(
    ("board", "scores"), [("classic", ("caught", 0, 100, 100)), ("published", ("caught", 0, 100, 0))]
)
def test_a_capture_scores_for_both_ghosts_as_a_team_and_for_the_one_on_pacman_else(board, scores):
    assert outcome(ghosts_go("east", "east", board, blinky=(4, 3)), board) == scores


def test_a_caught_pacman_keeps_what_it_collected():
    assert outcome(at(maze(), blinky=(5, 3), pellets=pellets(25))) == ("caught", 20, 100, 100)


def test_the_last_pellet_ends_a_match():
    last = 1 << maze().pellets.index((6, 3))
    assert outcome(pacman_goes("east", pellets=last)) == ("all pellets", 100, 0, 0)


def test_a_pacman_caught_on_the_last_pellet_has_both_its_score_and_its_end():
    last = 1 << maze().pellets.index((6, 3))
    assert outcome(pacman_goes("east", pellets=last, blinky=(6, 3))) == ("caught", 100, 100, 100)


def test_published_goes_on_after_its_33_pellets_because_35_end_it():
    assert outcome(at(maze("published"), pellets=0), "published") is None
    assert outcome(at(maze("published"), pellets=0, step=100), "published") == ("step limit", 89, 0, 0)


@pytest.mark.parametrize("board", BOARDS)
def test_the_scale_grows_by_2_to_10_pellets_then_by_3_and_by_more_for_the_last_two(board):
    game = maze(board)
    full = len(game.pellets)
    shown = [outcome(at(game, pellets=pellets(full - number), step=100), board)[1] for number in range(full + 1)]
    assert tuple(shown) == SCALE[: full + 1]


def test_nobody_is_to_move_once_it_is_over():
    game = maze()
    assert game.to_move(at(game, blinky=(5, 3))) == ()


# Boards that cannot be played


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"pacman": (0, 3)}, "pacman: \\(0, 3\\) is not on the board"),
        ({"inky": (5,)}, "inky: \\(5,\\) is not on the board"),
        ({"ghosts": "pair"}, "ghosts: expected 'team' or 'each', not 'pair'"),
        ({"score": (0, 100)}, "score: expected one of 0 to 100 for each of 0 to 35 pellets"),
        ({"score": (101,) * 36}, "score: expected one of 0 to 100"),
        ({"pellets": ((2, 2),)}, "pellets: nobody can reach \\(2, 2\\)"),
        ({"pellets": ((1, 3), (1, 3))}, "pellets: a cell has two"),
        ({"walls": ((1, 1),)}, "wall \\(1, 1\\): expected x, y on the board and 'north' or 'east'"),
        ({"walls": ((9, 1, "east"),)}, "wall \\(9, 1, 'east'\\): expected x, y on the board"),
        ({**SMALL, "walls": ((5, 5, "north"), (5, 5, "east"))}, "walls: nobody can leave \\(5, 5\\)"),
        ({"blinky": (5, 3)}, "the match is over before its first turn: caught"),
    ],
)
def test_a_board_that_cannot_be_played_is_refused_by_name(wrong, words):
    with pytest.raises(ValueError, match=words):
        replace(maze(), **wrong)
