"""Surround: who crashes when, who scores what, and that no seat is better than another."""

from random import Random

import pytest

from arena import load_game
from arena.games.conformance import playout

GAME = load_game("surround/nine")
RULES = type(GAME)


def after(*turns, game=GAME):
    """Each turn has the first letters of the directions of all who ride, in order of play."""
    ways = {"n": "north", "s": "south", "e": "east", "w": "west"}
    state = game.start()
    for turn in turns:
        riding = game.to_move(state)
        moves = {role: f"move {ways[letter]}" for role, letter in zip(riding, turn, strict=True)}
        assert all(move in game.legal_moves(state, role) for role, move in moves.items())
        state = game.play(state, moves)
    return state


def test_nobody_may_enter_a_trail_or_leave_the_board():
    assert GAME.legal_moves(GAME.start(), "red") == ("move north", "move east")
    state = after("enws", "nnwe")
    assert GAME.legal_moves(state, "red") == ("move north", "move east", "move west")
    assert GAME.view(state, None)[1] == "at red 2 2"
    assert {"trail red 1 1", "trail red 2 1"} <= set(GAME.view(state, None))


def test_riders_who_meet_in_a_cell_crash_there():
    game = RULES(size=3)
    state = after("ewwe", game=game)  # red and green meet in (2, 1), blue and yellow in (2, 3)
    assert state.crashes == (1, 1, 1, 1)
    assert {"at red 2 1", "at green 2 1"} <= set(game.view(state, None))
    assert game.outcome(state).scores == dict.fromkeys(game.roles, 50)
    assert game.outcome(state).reason == "all crashed"


def test_a_rider_without_a_way_out_crashes_where_it_stands():
    trails = (((2, 2), (2, 1), (1, 1)), ((9, 1),), ((9, 9),), ((2, 3), (1, 3)))
    state = GAME.start()._replace(trails=trails, turn=4)
    assert GAME.legal_moves(state, "red") == ("move north",)
    moves = {role: GAME.legal_moves(state, role)[0] for role in GAME.roles}
    state = GAME.play(state, moves)
    assert {"at red 1 2", "out red 5"} <= set(GAME.view(state, None))
    assert GAME.to_move(state) == ("green", "blue", "yellow")


@pytest.mark.parametrize(
    ("crashes", "scores"),
    [
        ((1, 2, 3, 0), (0, 33, 66, 100)),
        ((2, 2, 0, 1), (50, 50, 100, 0)),
        ((3, 3, 3, 0), (33, 33, 33, 100)),
    ],
)
def test_a_role_scores_its_share_of_the_others_that_it_outlasted(crashes, scores):
    state = GAME.start()._replace(crashes=crashes, turn=3)
    assert tuple(GAME.outcome(state).scores.values()) == scores


def test_the_board_turned_by_a_quarter_is_the_same_match_with_the_roles_moved_on():
    """So no seat has the better start."""
    turned = {
        "move east": "move north",
        "move north": "move west",
        "move west": "move south",
        "move south": "move east",
    }
    steps = playout(GAME, Random(1))
    state, nexts = GAME.start(), dict(zip(GAME.roles, GAME.roles[1:] + GAME.roles[:1], strict=True))
    for _, moves in steps[:-1]:
        state = GAME.play(state, {nexts[role]: turned[move] for role, move in moves.items()})
    before, after = GAME.outcome(steps[-1].state).scores, GAME.outcome(state).scores
    assert {nexts[role]: score for role, score in before.items()} == after
    assert len(set(before.values())) > 1


def test_a_board_that_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match=r"^size: "):
        RULES(size=2)
