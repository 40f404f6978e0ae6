"""Boards as environments of PettingZoo, and the encoding of facts and moves as numbers."""

import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import arena
from arena.encoding import Encoding, starts
from arena.errors import ArenaError
from arena.games import rulebook

pettingzoo = pytest.importorskip("pettingzoo", reason="pip install 'botarena[pettingzoo]'")
from pettingzoo.test import api_test, parallel_api_test, seed_test  # noqa: E402

from arena.pettingzoo import env, parallel_env  # noqa: E402

BOARDS = [board.label for board in rulebook.all_boards()]
STATES = 400
"""Fewer than the default, which takes a second on the larger boards."""


@cache
def encoding_of(label):
    return Encoding.of(arena.load_game(label), STATES)


def walled(**facts):
    """An encoding of a board whose states have these facts by turns, seen by the role `a`."""
    views = [tuple(view) for view in facts.values()]

    class Listed:
        roles = ("a",)
        open = True

        def start(self):
            return 0

        def to_move(self, state):
            return ("a",) if state + 1 < len(views) else ()

        def legal_moves(self, state, role):
            return (f"go {state}",)

        def play(self, state, moves):
            return state + 1

        def view(self, state, role):
            return views[state]

    return Encoding.of(Listed(), 2000)


def on(encoding, *facts):
    """The names of the features that are 1, and the values of the others that are not 0."""
    values = dict(zip(encoding.names, encoding.observe(facts, "a"), strict=True))
    return {
        name if value == 1 else (name, value)
        for name, value in values.items()
        if value and name != "role a"
    }


@pytest.mark.parametrize("label", BOARDS)
@pytest.mark.filterwarnings("ignore")
def test_every_board_passes_the_tests_of_pettingzoo(label):
    encoding = encoding_of(label)
    api_test(env(label, encoding=encoding), num_cycles=60)
    parallel_api_test(parallel_env(label, encoding=encoding), num_cycles=60)


@pytest.mark.filterwarnings("ignore")
def test_the_same_seed_draws_the_same_chance():
    pytest.importorskip("pyspiel")
    encoding = encoding_of("openspiel/kuhn_poker")
    seed_test(lambda: env("openspiel/kuhn_poker", encoding=encoding))
    turns = env("openspiel/kuhn_poker", encoding=encoding)
    cards = set()
    for seed in range(20):
        turns.reset(seed=seed)
        cards.add(tuple(turns.last()[0]["observation"]))
    assert len(cards) == 3


def test_ghosts_move_at_once_and_neither_sees_what_the_other_chose():
    turns = env("pacman/classic", encoding=encoding_of("pacman/classic"))
    turns.reset(seed=1)
    turns.step(int(np.argmax(turns.last()[0]["action_mask"])))
    assert turns.agent_selection == "blinky"
    before = turns.observe("inky")["observation"]
    turns.step(int(np.argmax(turns.last()[0]["action_mask"])))
    assert turns.agent_selection == "inky"
    assert (turns.observe("inky")["observation"] == before).all()
    turns.step(int(np.argmax(turns.last()[0]["action_mask"])))
    assert turns.agent_selection == "pacman"
    assert not (turns.observe("inky")["observation"] == before).all()


def test_rewards_are_the_scores_of_the_rules():
    game = arena.load_game("mummy_maze/court")
    turns = env("mummy_maze/court", encoding=encoding_of("mummy_maze/court"))
    state = game.start()._replace(explorer=(1, 4), mummy=(8, 8))
    turns.reset(options={"state": state})
    south = turns.unwrapped.encoding.moves["explorer"].index("move1 south")
    turns.step(south)
    assert (
        game.outcome(game.play(state, {"explorer": "move1 south"})) is None
        or turns.terminations["explorer"]
    )
    while not turns.terminations[turns.agent_selection]:
        turns.step(int(np.flatnonzero(turns.last()[0]["action_mask"])[0]))
    outcome = game.outcome(turns.unwrapped.match.state)
    assert turns.last()[1] == turns.rewards[turns.agent_selection]
    assert turns.rewards == {role: (score - 50) / 50 for role, score in outcome.scores.items()}


def test_an_illegal_action_is_an_error_that_says_what_to_do():
    turns = env("pacman/classic", encoding=encoding_of("pacman/classic"))
    turns.reset()
    illegal = int(np.argmin(turns.last()[0]["action_mask"]))
    with pytest.raises(
        ValueError, match=r"pacman: action \d is not legal here: choose one that action_mask allows"
    ):
        turns.step(illegal)
    every = parallel_env("pacman/classic", encoding=turns.unwrapped.encoding)
    every.reset()
    with pytest.raises(ValueError, match="blinky: action 0 is not legal here"):
        every.step({"pacman": 1 - illegal, "blinky": 0, "inky": 0})


def test_an_illegal_action_of_one_of_several_that_move_at_once_is_its_own_mistake():
    turns = env("pacman/classic", encoding=encoding_of("pacman/classic"))
    turns.reset(seed=1)
    turns.step(int(np.argmax(turns.last()[0]["action_mask"])))
    for role in ("blinky", "inky"):
        mask = turns.last()[0]["action_mask"]
        with pytest.raises(ValueError, match=f"{role}: action {len(mask)} is not legal here"):
            turns.step(len(mask))
        assert turns.agent_selection == role
        turns.step(int(np.argmax(mask)))
    assert turns.agent_selection == "pacman"
    every = parallel_env("pacman/classic", encoding=turns.unwrapped.encoding)
    every.reset()
    with pytest.raises(ValueError, match="blinky: an action is needed"):
        every.step({"pacman": 0})


def test_a_match_that_is_over_cannot_be_begun():
    game = arena.load_game("mummy_maze/court")
    state = game.start()
    while game.outcome(state) is None:
        state = game.play(
            state, {role: game.legal_moves(state, role)[0] for role in game.to_move(state)}
        )
    for make in (env, parallel_env):
        with pytest.raises(ValueError, match="the match is over in this state, so nobody can act"):
            make("mummy_maze/court", encoding=encoding_of("mummy_maze/court")).reset(
                options={"state": state}
            )


@pytest.mark.parametrize("make", [env, parallel_env])
def test_a_state_is_returned_or_printed_or_neither_as_render_mode_says(make, capsys):
    def made(**mode):
        return make("mummy_maze/court", encoding=encoding_of("mummy_maze/court"), **mode)

    silent, text, human = made(render_mode=None), made(), made(render_mode="human")
    for environment in (silent, text, human):
        environment.reset(seed=1)
    shown = capsys.readouterr().out
    assert text.render() in shown
    assert (silent.render_mode, text.render_mode, human.render_mode) == (None, "ansi", "human")
    with pytest.warns(UserWarning, match="render_mode='ansi'"):
        assert silent.render() is None
    assert human.render() is None
    assert capsys.readouterr().out == shown
    with pytest.raises(ArenaError, match="render_mode 'rgb_array': expected ansi, human or None"):
        made(render_mode="rgb_array")
    with pytest.raises((ValueError, AssertionError), match=r"reset\(\)"):
        made().render()


def test_moves_that_the_encoding_does_not_know_take_numbers_that_are_free():
    known = replace(
        encoding_of("mummy_maze/duel"),
        moves={"explorer": ("a", "b", "c"), "mummy": ("move2 up up",)},
    )
    assert known.actions(["b"], "explorer") == {1: "b"}
    assert known.actions(["b", "x", "y", "z"], "explorer") == {1: "b", 2: "x", 0: "y"}
    turns = env("mummy_maze/duel", encoding=known)
    turns.reset()
    assert turns.last()[0]["action_mask"].tolist() == [1, 1, 1]
    turns.step(2)
    assert turns.agent_selection == "mummy"
    assert turns.unwrapped.match.state.explorer == (
        8,
        2,
    )  # the first move of the explorer goes north


def test_an_encoding_without_the_moves_of_a_role_is_refused():
    with pytest.raises(
        ArenaError, match="knows no move of mummy: make it of this board and with more states"
    ):
        env("mummy_maze/duel", encoding=Encoding.of(arena.load_game("mummy_maze/duel"), 1))


def test_places_are_one_hot_counters_are_scaled_and_sets_are_flags():
    views = {
        f"v{n}": (
            f"step {n}",
            f"at cat {n % 3} 7",
            "at dog 5 7",
            *(["crumb 1 2", "crumb 2 2", "crumb 1 1"] * (n < 60)),
        )
        for n in range(101)
    }
    encoding = walled(**views)
    assert on(encoding, "step 50", "at cat 2 7", "crumb 2 2") == {
        ("step value 1", 0.5),
        "at cat value 1 = 2",
        "at cat value 2 = 7",
        "crumb 2 2",
    }
    assert on(encoding, "at cat 5 7") == {
        "at cat value 1 = 5",
        "at cat value 2 = 7",
    }  # only the dog was seen there
    assert on(encoding, "step 1000", "wind north") == {"step value 1"}


def test_lines_of_a_drawing_are_told_apart_by_their_place():
    rows = [f"{n:07b}".replace("0", ".").replace("1", "x") for n in range(64)]
    encoding = walled(
        **{row: (f"row {row}", "row .......") for row in rows}, same=("row .......", "row .......")
    )
    assert on(encoding, "row .......", "row x......") == {
        *(f"row line 0 value 1 letter {n} = ." for n in range(1, 8)),
        *(f"row line 1 value 1 letter {n} = ." for n in range(2, 8)),
    }


def test_an_encoding_is_the_same_in_another_process():
    words = "import arena; from arena.encoding import Encoding as E"
    code = f"{words}; print(E.of(arena.load_game('mummy_maze/hunt'), {STATES}).to_json())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Encoding.from_json(done.stdout) == encoding_of("mummy_maze/hunt")


def test_an_encoding_is_the_same_each_time_and_survives_as_text():
    first, second = encoding_of("mummy_maze/hunt"), encoding_of("mummy_maze/hunt")
    assert first == second == Encoding.from_json(first.to_json())
    assert first.observe(["at mummy 3 3"], "mummy") == Encoding.from_json(first.to_json()).observe(
        ["at mummy 3 3"], "mummy"
    )


def test_the_whole_maze_is_in_the_encoding_though_random_players_never_see_it():
    encoding = Encoding.of(arena.load_game("mummy_maze/court"))
    columns = {
        f"at {role} value {axis} = {n}"
        for role in ("explorer", "mummy")
        for axis in (1, 2)
        for n in range(1, 9)
    }
    assert columns <= set(encoding.names)
    assert {state.explorer[0] for state in starts(arena.load_game("mummy_maze/court"))} >= {2, 4, 8}
