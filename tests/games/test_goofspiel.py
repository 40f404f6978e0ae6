"""Goofspiel: bids, ties, and what Ross proved of an opponent who bids at random."""

from fractions import Fraction
from functools import cache

import pytest

from arena import load_game

GAME = load_game("goofspiel/five")
RULES = type(GAME)


def bids(state, prize, left, right):
    state = GAME.play(state, {"chance": f"prize {prize}"})
    return GAME.play(state, {"left": f"bid {left}", "right": f"bid {right}"})


def test_the_higher_bid_takes_the_prize_and_equal_bids_take_nothing():
    state = bids(GAME.start(), 5, 3, 2)
    assert (state.left_points, state.right_points) == (5, 0)
    state = bids(state, 4, 1, 4)
    assert (state.left_points, state.right_points) == (5, 4)
    state = bids(state, 3, 5, 5)
    assert (state.left_points, state.right_points) == (5, 4)
    assert (state.prizes, state.left, state.right) == ((1, 2), (2, 4), (1, 3))


@pytest.mark.parametrize(("bid", "left"), [((5, 4, 3, 2, 1), 100), ((3, 2, 1, 5, 4), 0)])
def test_the_points_decide_the_match(bid, left):
    state = GAME.start()
    for prize, own, other in zip((5, 4, 3, 2, 1), bid, (4, 3, 2, 1, 5), strict=True):
        assert GAME.outcome(state) is None
        state = bids(state, prize, own, other)
    assert GAME.outcome(state).scores == {"left": left, "right": 100 - left}


def test_equal_points_are_a_draw():
    state = GAME.start()
    for card in (1, 2, 3, 4, 5):
        state = bids(state, card, card, card)
    assert GAME.outcome(state).scores == {"left": 50, "right": 50}
    assert GAME.outcome(state).reason == "all cards played"


def test_bidding_the_value_of_the_prize_is_best_against_random_bids():
    """Ross, "Goofspiel: the game of pure strategy" (1971); the points' difference, computed exactly
    for four cards.
    """

    def mean(values):
        values = list(values)
        return sum(values, Fraction(0)) / len(values)

    @cache
    def difference(state, matching):
        """Return the expected difference of points from here: of the best bids, or of bids that
        match the prize.
        """
        movers = game.to_move(state)
        if not movers:
            return Fraction(state.left_points - state.right_points)
        if movers == ("chance",):
            moves = game.legal_moves(state, "chance")
            return mean(difference(game.play(state, {"chance": move}), matching) for move in moves)
        own = [f"bid {state.prize}"] if matching else game.legal_moves(state, "left")
        others = game.legal_moves(state, "right")
        return max(
            mean(
                difference(game.play(state, {"left": bid, "right": other}), matching)
                for other in others
            )
            for bid in own
        )

    game = RULES(cards=4)
    assert difference(game.start(), True) == difference(game.start(), False) == Fraction(5, 2)


def test_a_board_that_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match=r"^cards: "):
        RULES(cards=0)
