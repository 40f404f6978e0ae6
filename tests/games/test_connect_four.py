"""Connect Four: the published numbers of games and positions by ply, and how a match ends."""

from collections import Counter

import pytest

from arena import load_game

GAME = load_game("connect_four/standard")
RULES = type(GAME)


def after(columns, game=GAME):
    state = game.start()
    for column in columns:
        (role,) = game.to_move(state)
        assert f"drop {column}" in game.legal_moves(state, role)
        state = game.play(state, {role: f"drop {column}"})
    return state


def test_games_and_positions_by_ply_are_as_published():
    states, games, positions = Counter([GAME.start()]), [], []
    for ply in range(7):
        (role,) = {GAME.to_move(state)[0] for state in states}
        moves = {state: GAME.legal_moves(state, role) for state in states}
        games.append(sum(ways * len(moves[state]) for state, ways in states.items()))
        if ply == 6:  # nobody has won before
            break
        following = Counter()
        for state, ways in states.items():
            for move in moves[state]:
                following[GAME.play(state, {role: move})] += ways
        states = following
        positions.append(len(states))
    assert games == [7, 49, 343, 2401, 16807, 117649, 823536]  # perft
    assert positions == [7, 49, 238, 1120, 4263, 16422]  # OEIS A212693


@pytest.mark.parametrize(
    "columns",
    [
        [1, 2, 1, 2, 1, 2, 1],
        [4, 4, 5, 5, 6, 6, 7],
        [1, 2, 2, 3, 3, 4, 3, 4, 4, 7, 4],
        [7, 6, 6, 5, 5, 4, 5, 4, 4, 1, 4],
    ],
    ids=["column", "row", "rising", "falling"],
)
def test_four_in_a_line_win(columns):
    before, end = after(columns[:-1]), after(columns)
    assert GAME.outcome(before) is None
    assert GAME.outcome(end).scores == {"red": 100, "yellow": 0}
    assert GAME.outcome(end).reason == "line"
    assert GAME.to_move(end) == ()


def test_three_at_the_top_of_a_column_and_one_at_the_foot_of_the_next_are_no_line():
    state = after([1, 1, 1, 2, 3, 1, 3, 1, 3, 1, 2, 2])
    yellow = {fact for fact in GAME.view(state, None) if fact.startswith("disc yellow")}
    assert {"disc yellow 1 4", "disc yellow 1 5", "disc yellow 1 6", "disc yellow 2 1"} <= yellow
    assert GAME.outcome(state) is None


def test_a_full_board_without_a_line_is_a_draw():
    game = RULES(columns=3, rows=2, line=3)
    end = after([1, 2, 3, 1, 2, 3], game)
    assert game.outcome(end).scores == {"red": 50, "yellow": 50}
    assert game.outcome(end).reason == "full board"


@pytest.mark.parametrize(
    ("parameter", "value"), [("columns", 0), ("rows", 0), ("line", 0), ("line", 8)]
)
def test_a_board_that_cannot_be_played_is_refused(parameter, value):
    with pytest.raises(ValueError, match=f"^{parameter}: "):
        RULES(**{parameter: value})
