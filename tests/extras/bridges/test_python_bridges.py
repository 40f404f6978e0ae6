"""Bots in Python that were written for Kaggle or for OpenSpiel play as they are, and their faults
are theirs.
"""

import pytest

from arena.event import discovery
from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces

FIRST_FREE = """\
import sys
print("hello", end="")  # no line of the protocol
def agent(observation, configuration):
    print(observation.step, observation["mark"], file=sys.stderr)
    assert (configuration.columns, configuration.rows, configuration.inarow) == (7, 6, 4)
    return next(c for c in range(configuration.columns) if observation.board[c] == 0)
"""
LINE = ["drop 1", "drop 1", "drop 1", "drop 1", "drop 1", "drop 1", "drop 2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return workspaces.make(tmp_path_factory.mktemp("bridges") / "ws", {}, "connect_four")


def kaggle(folder, name, text):
    return bot(folder, name, "kaggle", {"agent.py": text})


def test_an_agent_of_kaggle_plays_connect_four_of_arena_and_of_openspiel(folder):
    path = kaggle(folder, "free", FIRST_FREE)
    assert moves(played(folder, "connect_four", path, path))[:7] == LINE
    pytest.importorskip("pyspiel")
    assert moves(played(folder, "openspiel/connect_four", path, path))[:7] == [
        "x0", "o0", "x0", "o0", "x0", "o0", "x1"
    ]  # fmt: skip


def test_the_board_of_kaggle_begins_with_its_top_row(folder):
    text = """\
def agent(observation):
    board = observation.board
    if not any(board):
        assert observation.mark == 1
        return 6
    assert board.index(1) == 41 and board.count(0) == 41, board
    return 6 if observation.mark == 2 and observation.step == 1 else "wrong"
"""
    path = kaggle(folder, "corner", text)
    row = played(folder, "connect_four", path, path)
    assert moves(row) == ["drop 7", "drop 7"]
    assert row["red_ending"] == "crashed"  # by its own assertion, in turn 3


@pytest.mark.soak
@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ("tic_tac_toe", ["x(0,0)", "o(0,1)", "x(0,2)", "o(1,0)", "x(1,1)", "o(1,2)", "x(2,0)"]),
        ("matrix_rps", ["Paper", "Paper"]),
        (
            "repeated_game(stage_game=matrix_rps(),num_repetitions=2)",
            ["Paper", "Paper", "Scissors", "Scissors"],
        ),
    ],
)
def test_an_agent_of_kaggle_plays_the_other_games_of_the_table(folder, board, expected):
    pytest.importorskip("pyspiel")
    text = """\
def agent(observation, configuration):
    if "board" in observation:
        return observation.board.index(0)
    if observation.step == 0:
        assert "lastOpponentAction" not in observation and configuration.signs == 3
        return 1
    assert observation.reward == 0
    return (observation.lastOpponentAction + 1) % 3
"""
    path = f"bots/all-{len(expected)}"
    if not (folder / path).exists():
        kaggle(folder, path.partition("/")[2], text)
    assert moves(played(folder, f"openspiel/{board}", path, path)) == expected


def test_the_last_function_is_the_agent_and_imports_find_the_modules_beside_it(folder):
    files = {
        "main.py": (
            "import extra\ndef one(x):\n    return x\ndef two(observation):\n"
            "    return extra.COLUMN\n"
        )
    }
    path = bot(folder, "last", "kaggle", {**files, "extra.py": "COLUMN = 3\n"})
    assert moves(played(folder, "connect_four", path, path))[0] == "drop 4"


@pytest.mark.parametrize(
    ("text", "ending", "words"),
    [
        ("def agent(o, c):\n    return 9\n", "illegal_move", "agent.py answered 9"),
        ("def agent(o, c):\n    return None\n", "illegal_move", "agent.py answered None"),
        ("def agent(o, c):\n    return 1 / 0\n", "crashed", "ZeroDivisionError: division by zero"),
        ("x = 1\n", "crashed", "agent.py: has no `def agent(observation, configuration)`"),
    ],
)
def test_a_fault_of_an_agent_is_told_in_words_that_name_the_agent(folder, text, ending, words):
    name = f"fault-{abs(hash(text))}"
    found = fault(played(folder, "connect_four", kaggle(folder, name, text), f"bots/{name}"))
    assert found[0] == ending
    assert words in found[1]


def test_a_game_that_kaggle_has_not_is_refused_before_the_first_turn(folder):
    path = kaggle(folder, "elsewhere", FIRST_FREE)
    row = played(folder, "goofspiel/five", path, path)
    assert {turn["by"] for turn in row["turns"]} == set()
    assert "the bridge kaggle has no game goofspiel/five" in row["faults"][0]["words"]


STEPS = """\
class Bot:
    def __init__(self, game, me):
        self.me, self.seen = me, []
    def restart(self):
        self.seen = []
    def inform_action(self, state, player, action):
        assert player == 1 - self.me and action in state.legal_actions()
        self.seen.append(action)
    def step(self, state):
        assert self.seen == state.history()[1 - self.me :: 2], (self.seen, state.history())
        return {answer}
def make_bot(game, player_id):
    return Bot(game, player_id)
"""


@pytest.mark.parametrize("answer", ["state.legal_actions()[-1]", "({}, state.legal_actions()[-1])"])
def test_a_bot_of_openspiel_hears_of_each_action_of_the_others(folder, answer):
    pytest.importorskip("pyspiel")
    path = bot(
        folder, f"steps-{len(answer)}", "openspiel", {"bot.py": STEPS.replace("{answer}", answer)}
    )
    assert moves(played(folder, "openspiel/tic_tac_toe", path, path))[:3] == [
        "x(2,2)",
        "o(2,1)",
        "x(2,0)",
    ]


def test_a_bot_of_openspiel_is_refused_where_the_state_would_show_what_is_hidden(folder):
    pytest.importorskip("pyspiel")
    path = bot(folder, "peeks", "openspiel", {"bot.py": "def step(state):\n    return 0\n"})
    row = played(folder, "openspiel/kuhn_poker", path, path)
    assert "openspiel/kuhn_poker hides a part of its state" in row["faults"][0]["words"]
    assert (
        fault(played(folder, "openspiel/tic_tac_toe", path, path))[0] == "illegal_move"
    )  # in the second turn


def test_options_of_a_bot_of_openspiel_are_refused_before_the_first_turn(folder):
    pytest.importorskip("pyspiel")
    path = bot(
        folder,
        "optional",
        "openspiel",
        {"bot.py": "def step(state):\n    return state.legal_actions()[0]\n"},
        command="python bot.py",
        options={"depth": 3},
    )
    ending, words = fault(played(folder, "openspiel/breakthrough", path, path))
    assert ending == "crashed"
    assert "options: the bridge openspiel has none, and knows no 'depth'; leave it out" in words


def test_a_bridge_of_a_stranger_is_a_file_beside_the_bot(folder):
    mine = """\
import json, sys
from arena.kit import run
assert json.loads(sys.argv[1]) == {"options": {"column": 5}}
assert sys.argv[2] == "column.txt", sys.argv
run(lambda turn: f"drop {json.loads(sys.argv[1])['options']['column']}")
"""
    files = {"mine.py": mine, "column.txt": ""}
    path = bot(folder, "stranger", "mine.py", files, command="column.txt", options={"column": 5})
    assert moves(played(folder, "connect_four", path, path))[:2] == ["drop 5", "drop 5"]


def test_the_bridge_and_its_options_are_a_part_of_the_digest(folder, tmp_path):
    texts = {"plain": {}, "more": {"options": {"depth": 1}}, "other": {"options": {"depth": 2}}}
    digests = set()
    for name, keys in texts.items():
        bot(tmp_path, name, "kaggle", {"agent.py": FIRST_FREE}, **keys)
        found = discovery.from_path(tmp_path / "bots" / name)
        digests.add(found.digest)
        assert str(tmp_path) not in str(found.command)  # the same on each machine
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"bridge": "kagle"}, "bridge: there is no bridge 'kagle'; did you mean 'kaggle'?"),
        ({"bridge": "mine.py"}, "bridge: there is no file 'mine.py' in the bot's folder"),
        ({"bridge": "../mine.py"}, "bridge: there is no bridge '../mine.py'"),
        (
            {"options": {"a": {"b": 1}}},
            "options: 'a': expected a text, a number, true, false, or a list",
        ),
        (
            {"options": {"a": "x\nquit"}},
            "options: 'a': a text has at most 1000 characters, in one line",
        ),
    ],
)
def test_a_mistake_in_the_keys_of_a_bridge_is_one_line(folder, tmp_path, keys, words):
    bot(tmp_path, "ada", **({"bridge": "kaggle", "files": {"agent.py": FIRST_FREE}} | keys))
    done = cup.arena(
        folder, "match", *[str(tmp_path / "bots" / "ada")] * 2, "--board", "connect_four"
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"bot.toml: {words}" in done.stderr
