"""Kuhn poker: its chips, its secrets, and its exact value."""

from fractions import Fraction
from itertools import product

import pytest

from arena import load_game

GAME = load_game("kuhn_poker/three_cards")


def after(deal, *moves):
    state = GAME.play(GAME.start(), {"chance": f"deal {deal}"})
    for move in moves:
        (role,) = GAME.to_move(state)
        assert move in GAME.legal_moves(state, role)
        state = GAME.play(state, {role: move})
    return state


@pytest.mark.parametrize(
    ("moves", "high", "low", "reason"),
    [
        (("check", "check"), 75, 25, "showdown"),
        (("bet", "fold"), 75, 75, "fold"),
        (("bet", "call"), 100, 0, "showdown"),
        (("check", "bet", "fold"), 25, 25, "fold"),
        (("check", "bet", "call"), 100, 0, "showdown"),
    ],
)
def test_the_five_ways_to_end_pay_one_chip_or_two(moves, high, low, reason):
    """`high` and `low` are the first role's scores with the higher and with the lower card."""
    for deal, score in (("K Q", high), ("J Q", low)):
        outcome = GAME.outcome(after(deal, *moves))
        assert outcome.scores == {"first": score, "second": 100 - score}
        assert outcome.reason == reason


def test_a_role_sees_its_own_card_only():
    state = after("Q K", "check")
    assert GAME.view(state, "first")[:2] == ("card first Q", "card second ?")
    assert GAME.view(state, "second")[:2] == ("card first ?", "card second K")
    assert GAME.view(state, None)[:2] == ("card first Q", "card second K")
    assert GAME.view(state, "first") == GAME.view(after("Q J", "check"), "first")


HISTORIES = {"first": ((), ("check", "bet")), "second": (("check",), ("bet",))}
"""The histories after which each role decides."""


def payoff(deal, bold):
    """The first role's chips when each role is bold (bets or calls) with the given probability, by
    card and history.
    """

    def expected(state):
        outcome = GAME.outcome(state)
        if outcome is not None:
            return Fraction(outcome.scores["first"] - 50, 25)
        (role,) = GAME.to_move(state)
        chance = bold[role][getattr(state, role), state.moves]
        timid, brave = sorted(
            GAME.legal_moves(state, role), key=lambda move: move in {"bet", "call"}
        )
        options = ((timid, 1 - chance), (brave, chance))
        return sum(
            weight * expected(GAME.play(state, {role: move})) for move, weight in options if weight
        )

    return expected(after(deal))


def value(bold):
    deals = [move.removeprefix("deal ") for move in GAME.legal_moves(GAME.start(), "chance")]
    return sum(payoff(deal, bold) for deal in deals) / len(deals)


def test_the_value_of_the_game_is_minus_one_eighteenth():
    """Kuhn (1950). No pure strategy does better against either of these mixed ones, which proves
    the value.
    """
    third = Fraction(1, 3)
    first = {("J", ()): 0, ("Q", ()): 0, ("K", ()): 0}
    first |= {
        ("J", ("check", "bet")): 0,
        ("Q", ("check", "bet")): third,
        ("K", ("check", "bet")): 1,
    }
    second = {("J", ("check",)): third, ("Q", ("check",)): 0, ("K", ("check",)): 1}
    second |= {("J", ("bet",)): 0, ("Q", ("bet",)): third, ("K", ("bet",)): 1}

    def pure(role):
        """Every pure strategy of a role."""
        spots = list(product("JQK", HISTORIES[role]))
        return [
            dict(zip(spots, choice, strict=True)) for choice in product((0, 1), repeat=len(spots))
        ]

    assert max(value({"first": each, "second": second}) for each in pure("first")) == Fraction(
        -1, 18
    )
    assert min(value({"first": first, "second": each}) for each in pure("second")) == Fraction(
        -1, 18
    )
