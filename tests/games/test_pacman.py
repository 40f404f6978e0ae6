"""Pacman, point by point, and the figures that only the right maze and the right turns
reproduce.
"""

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from arena import load_game
from tests.support.search import GHOSTS, fewest_moves_for_all_pellets, forces, positions, walk

BOARDS = ("classic", "published")
SMALL = {"size": (5, 6), "pacman": (5, 5), "blinky": (5, 6), "inky": (6, 6), "pellets": ()}
SCALE = [*range(0, 21, 2), *range(23, 90, 3), 95, 100]


def maze(board="classic"):
    return load_game(f"pacman/{board}")


def at(game, **places):
    return game.start()._replace(**places)


@cache
def met():
    return positions(maze())


def both_ghosts_away(state):
    """How far the ghosts are from Pacman, both together."""
    column, row = state.pacman
    return sum(abs(ghost[0] - column) + abs(ghost[1] - row) for ghost in (state.blinky, state.inky))


def collected(game, state):
    return len(game.pellets) - state.pellets.bit_count()


# The maze


def test_36_of_the_64_cells_are_in_play_each_with_two_or_four_ways_out():
    game = maze()
    ways = [len(game.legal_moves(at(game, pacman=cell), "pacman")) for cell in game.cells_in_play]
    assert len(ways) == 36
    assert set(ways) == {2, 4}


def test_both_boards_have_the_same_walls_and_starts():
    classic, published = maze("classic"), maze("published")
    assert set(classic.walls) == set(published.walls)
    assert classic.start()[:3] == published.start()[:3] == ((5, 3), (4, 6), (5, 6))


def test_classic_has_a_pellet_everywhere_but_under_pacman():
    game = maze("classic")
    assert set(game.pellets) == game.cells_in_play - {(5, 3)}
    assert len(game.pellets) == 35


def test_published_has_none_under_the_ghosts_either():
    game = maze("published")
    assert set(game.pellets) == game.cells_in_play - {(5, 3), (4, 6), (5, 6)}
    assert len(game.pellets) == 33


@pytest.mark.parametrize(("board", "moves"), [("published", 36), ("classic", 38)])
def test_without_ghosts_all_pellets_take_as_many_moves_as_the_exact_search_finds(board, moves):
    assert fewest_moves_for_all_pellets(maze(board)) == moves


# Parity: everybody must move, and every step changes the colour of a cell


def test_inky_never_catches_pacman_on_the_ghosts_turn():
    caught = [place for place in met() if place.pacman == place.inky]
    assert caught
    assert not [place for place in caught if place.pacman_moves]


def test_blinky_only_catches_pacman_on_the_ghosts_turn():
    caught = [place for place in met() if place.pacman == place.blinky]
    assert caught
    assert all(place.pacman_moves for place in caught)


def test_both_ghosts_are_never_on_pacman_at_once():
    assert not [place for place in met() if place.pacman == place.blinky == place.inky]


# Perfect ghosts


@pytest.mark.parametrize("board", BOARDS)
def test_pacman_takes_7_pellets_whatever_the_ghosts_do(board):
    game = maze(board)
    assert forces(game, ("pacman",), lambda state: collected(game, state) >= 7, 13)


@pytest.mark.soak
def test_perfect_ghosts_catch_a_pacman_with_7_pellets_at_most():
    """On `classic`, so that they do on `published`, too, which has the same walls and starts and
    fewer pellets.
    """
    game = maze("classic")
    assert forces(
        game,
        GHOSTS,
        lambda state: caught(state) and collected(game, state) <= 7,
        20,
        both_ghosts_away,
    )


def test_perfect_ghosts_in_a_hurry_catch_pacman_within_16_turns_and_not_within_15():
    game = maze("published")
    assert forces(game, GHOSTS, caught, 16, both_ghosts_away)
    assert not forces(game, GHOSTS, caught, 15, both_ghosts_away)


def caught(state):
    return state.pacman in (state.blinky, state.inky)


# Turns


def test_pacman_moves_first_then_both_ghosts_at_once_and_so_on():
    game = maze()
    state, order = game.start(), []
    for _ in range(4):
        roles = game.to_move(state)
        order.append(roles)
        state = game.play(state, {role: game.legal_moves(state, role)[0] for role in roles})
    assert order == [("pacman",), GHOSTS, ("pacman",), GHOSTS]


def test_the_ghosts_are_one_side():
    assert maze().sides == (("pacman",), GHOSTS)


def test_a_step_into_a_wall_and_staying_are_illegal():
    game = maze()
    assert game.legal_moves(game.start(), "pacman") == ("move east", "move west")


def test_a_step_off_the_board_is_illegal():
    game = maze()
    assert game.legal_moves(at(game, pacman=(3, 1)), "pacman") == ("move north", "move east")


def test_nobody_is_ever_asked_for_a_move_that_does_nothing():
    game = maze()
    for place in met():
        for role in game.to_move(place):
            for move in game.legal_moves(place, role):
                there = game.play(
                    place,
                    {**{ghost: game.legal_moves(place, ghost)[0] for ghost in GHOSTS}, role: move},
                )
                assert getattr(there, role) != getattr(place, role)


def test_the_ghosts_may_share_a_cell():
    game = maze()
    together = walk(
        game,
        at(game, blinky=(4, 6), inky=(6, 6), pacman_moves=False, pacman=(1, 3)),
        ("east", "west"),
    )
    assert together.blinky == together.inky == (5, 6)
    assert game.outcome(together) is None


def test_the_ghosts_may_swap():
    game = maze()
    after = walk(game, at(game, pacman=(1, 3), pacman_moves=False), ("east", "west"))
    assert (after.blinky, after.inky) == ((5, 6), (4, 6))


# Pellets


def test_pacman_takes_the_pellet_of_the_cell_it_enters_and_none_twice():
    game = maze()
    state = walk(game, game.start(), "east")
    assert collected(game, state) == 1
    again = walk(game, state._replace(pacman_moves=True), "west", ("west", "east"), "east")
    assert collected(game, again) == 1


def test_the_start_of_pacman_has_no_pellet():
    game = maze()
    assert collected(game, game.start()) == 0
    assert "pellet 5 3" not in game.view(game.start(), None)


def test_ghosts_leave_pellets_alone():
    game = maze()
    state = walk(game, game.start(), "east", ("west", "east"))
    assert collected(game, state) == 1
    assert (state.blinky, state.inky) == ((3, 6), (6, 6))


def test_pacman_takes_the_pellet_of_the_cell_that_it_is_caught_on():
    game = maze()
    state = walk(game, at(game, blinky=(6, 3)), "east")
    assert game.outcome(state).scores["pacman"] == 2


# The end


def test_pacman_is_caught_when_it_steps_onto_a_ghost():
    assert ended(maze(), walk(maze(), at(maze(), inky=(6, 3)), "east")) == ("caught", 2, 100, 100)


def test_pacman_is_caught_when_a_ghost_steps_onto_it():
    game = maze()
    state = walk(game, at(game, blinky=(6, 3), pacman_moves=False), ("west", "east"))
    assert ended(game, state) == ("caught", 0, 100, 100)


def test_by_the_published_sheet_only_the_ghost_on_pacmans_cell_scores():
    game = maze("published")
    assert ended(game, walk(game, at(game, inky=(6, 3)), "east")) == ("caught", 2, 0, 100)
    assert ended(game, walk(game, at(game, blinky=(6, 3)), "east")) == ("caught", 2, 100, 0)


def test_the_last_of_35_pellets_ends_the_match_at_100():
    game = maze()
    one_left = 1 << game.pellets.index((6, 3))
    assert game.outcome(at(game, pellets=one_left)) is None
    assert ended(game, walk(game, at(game, pellets=one_left), "east")) == ("all pellets", 100, 0, 0)


def test_caught_on_the_last_pellet_is_caught_with_the_full_score():
    game = maze()
    state = walk(game, at(game, pellets=1 << game.pellets.index((6, 3)), blinky=(6, 3)), "east")
    assert ended(game, state) == ("caught", 100, 100, 100)


def test_on_published_35_can_never_be_collected_so_that_89_is_the_top():
    game = maze("published")
    cleared = at(game, pellets=0)
    assert game.outcome(cleared) is None
    assert ended(game, cleared._replace(step=100)) == ("step limit", 89, 0, 0)


@pytest.mark.parametrize(("board", "turns"), [("classic", 100), ("published", 99)])
def test_the_match_ends_after_as_many_turns_as_the_counter_has(board, turns):
    game = maze(board)
    state, played = at(game, pellets=0b11), 0
    while game.outcome(state) is None:
        state = min(
            (
                game.play(state, dict(zip(game.to_move(state), moves, strict=True)))
                for moves in choices(game, state)
            ),
            key=lambda then: (caught(then), -apart(then), then.pellets.bit_count() == 0),
        )
        played += 1
    assert (game.outcome(state).reason, played) == ("step limit", turns)


def choices(game, state):
    return product(*(game.legal_moves(state, role) for role in game.to_move(state)))


def apart(state):
    """How far the nearer ghost is: everybody here keeps away from everybody."""
    return min(
        sum(abs(a - b) for a, b in zip(state.pacman, ghost, strict=True))
        for ghost in (state.blinky, state.inky)
    )


@pytest.mark.parametrize("board", BOARDS)
def test_pacmans_score_is_the_published_scale_of_what_it_took(board):
    game = maze(board)
    scores = []
    for taken in range(len(game.pellets) + 1):
        state = at(game, pellets=(1 << len(game.pellets) - taken) - 1, step=100)
        scores.append(game.outcome(state).scores["pacman"])
    assert scores == SCALE[: len(scores)]


def ended(game, state):
    outcome = game.outcome(state)
    return (outcome.reason, *(outcome.scores[role] for role in game.roles))


# Boards that cannot be played


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"inky": (0, 1)}, r"inky: \(0, 1\) is not on the board"),
        ({"inky": (5,)}, r"inky: \(5,\) is not on the board"),
        ({"ghosts": "both"}, "ghosts: expected 'team' or 'each', not 'both'"),
        ({"score": (0, 100)}, "score: expected one of 0 to 100 for each of 0 to 35 pellets"),
        ({"score": (101,) * 36}, "score: expected one of 0 to 100"),
        ({"pellets": ((2, 2),)}, r"pellets: nobody can reach \(2, 2\)"),
        ({"pellets": ((1, 3), (1, 3))}, "pellets: a cell has two"),
        ({"walls": ((1, 1),)}, r"wall \(1, 1\): expected x, y on the board and 'north' or 'east'"),
        ({"walls": ((9, 1, "east"),)}, r"wall \(9, 1, 'east'\): expected x, y on the board"),
        (
            {**SMALL, "walls": ((5, 5, "north"), (5, 5, "east"))},
            r"walls: nobody can leave \(5, 5\)",
        ),
        ({"blinky": (5, 3)}, "the match is over before its first turn: caught"),
    ],
)
def test_a_board_that_cannot_be_played_is_refused_by_name(wrong, words):
    with pytest.raises(ValueError, match=words):
        replace(maze(), **wrong)
