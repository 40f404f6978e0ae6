"""Replays: each state again, and what became of each step."""

import pytest

from arena import load_game
from arena.errors import ArenaError
from arena.match.referee import facts_digest
from arena.replay.drawing.scene import cells_of_roles, only_grid
from arena.replay.replayer import Replayer, scenes, steps_of
from arena.values import Turn

BOARD = ("size 1 3", "wall 2 2 north", "wall 2 2 east")
"""Three by three; (2, 2) is closed to the north and to the east."""


def fates(move: str, start: str, end: str, board: tuple[str, ...] = BOARD) -> str:
    before = cells_of_roles([f"at mummy {start}"])
    after = cells_of_roles([f"at mummy {end}"])
    steps = steps_of(only_grid(board), before, after, "mummy", move)
    return " ".join(map(str, steps))


@pytest.mark.parametrize(
    ("move", "start", "end", "told"),
    [
        ("move1 west", "2 2", "1 2", "move1 west"),
        ("move1 north", "2 2", "2 2", "move1 north (blocked)"),
        ("move1 nowhere", "2 2", "2 2", "move1 nowhere"),
        ("move1 west", "3 2", "3 2", "move1 west (blocked)"),
        ("move1 south", "2 3", "2 3", "move1 south (blocked)"),
        ("move1 east", "3 1", "3 1", "move1 east (blocked)"),
        ("move2 north north", "2 1", "2 2", "move2 north north (blocked)"),
        ("move2 north north", "2 2", "2 2", "move2 north (blocked) north (blocked)"),
        ("move2 north west", "2 2", "1 2", "move2 north (blocked) west"),
        ("move2 west north", "2 2", "1 3", "move2 west north"),
        ("move2 west east", "2 2", "2 2", "move2 west east"),
        ("move2 nowhere north", "2 2", "2 2", "move2 nowhere north (blocked)"),
        ("move2 west north", "2 2", "1 2", "move2 west north (not made)"),
        ("move2 west east", "2 2", "1 2", "move2 west east (not made)"),
    ],
)
def test_each_step_of_a_move_is_made_or_blocked_or_not_made(move, start, end, told):
    assert fates(move, start, end) == told


def test_a_move_that_no_way_along_the_walls_explains_is_not_judged():
    assert fates("jump north", "1 1", "3 3") == "jump north"


def test_a_game_without_places_has_no_blocked_steps():
    before = cells_of_roles(["score 3"])
    after = cells_of_roles(["score 4"])
    steps = steps_of(only_grid(()), before, after, "fox", "play north")
    assert list(map(str, steps)) == ["play", "north"]


def playthrough(board: str, *moves: str) -> list[Turn]:
    game = load_game(f"mummy_maze/{board}")
    state, turns = game.start(), []
    for number, move in enumerate(moves, 1):
        (role,) = game.to_move(state)
        state = game.play(state, {role: move})
        turns.append(
            Turn(number=number, role=role, move=move, digest=facts_digest(game.view(state, None)))
        )
    return turns


def test_the_scenes_of_a_match_are_its_start_and_each_turn_with_the_state_after_it():
    game = load_game("mummy_maze/duel")
    told = list(scenes(game, playthrough("duel", "move1 nowhere", "move2 nowhere nowhere")))
    assert [scene.number for scene in told] == [0, 1, 2]
    assert [scene.facts[0] for scene in told] == ["step 0", "step 1", "step 2"]
    assert [scene.move(0) for scene in told[1:]] == ["move1 nowhere", "move2 nowhere nowhere"]


def test_both_moves_of_a_simultaneous_turn_are_one_scene():
    game = load_game("pacman/classic")
    state = game.start()
    moves = [("pacman", game.legal_moves(state, "pacman")[0])]
    state = game.play(state, dict(moves))
    ghosts = [(role, game.legal_moves(state, role)[0]) for role in game.to_move(state)]
    turns = [Turn(number=1, role=role, move=move) for role, move in moves]
    turns += [Turn(number=2, role=role, move=move) for role, move in ghosts]
    *_, last = scenes(game, turns)
    assert [turn.role for turn in last.turns] == ["blinky", "inky"]


def test_a_match_is_told_as_fast_as_its_moves_become_known_and_nothing_twice():
    retelling = Replayer(load_game("mummy_maze/duel"))
    turns = playthrough("duel", "move1 nowhere", "move2 nowhere nowhere", "move1 nowhere")
    assert [scene.number for scene in retelling.go_on(turns[:1])] == [1]
    assert [scene.number for scene in retelling.go_on(turns[:1])] == []
    assert [scene.number for scene in retelling.go_on(turns)] == [2, 3]


def test_a_match_that_the_rules_no_longer_explain_is_refused():
    game = load_game("mummy_maze/duel")
    turns = playthrough("duel", "move1 nowhere")
    with pytest.raises(ArenaError, match=r"^turn 1 comes out otherwise"):
        list(scenes(game, [turns[0]._replace(digest="0" * 16)]))
    with pytest.raises(ArenaError, match=r"^turn 1 comes out otherwise"):
        list(scenes(game, [turns[0]._replace(move="move1 up")]))
