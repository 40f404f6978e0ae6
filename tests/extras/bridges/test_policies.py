"""A policy that was trained with arena.pettingzoo plays as it is, and its faults are its own."""

import pytest

import arena
from arena.encoding import Encoding
from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces

FIRST = """\
def policy(observation, action_mask):
    assert observation.dtype.name == "float32" and set(action_mask) <= {0, 1}
    return action_mask.argmax()
"""
MODEL = """\
class Model:
    def predict(self, observation, state=None, deterministic=False, action_masks=None):
        assert deterministic is True and action_masks.dtype == bool
        return action_masks.argmax(), None
model = Model()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return workspaces.make(
        tmp_path_factory.mktemp("policies") / "ws", {"last": cup.LAST}, "connect_four"
    )


@pytest.fixture(scope="module")
def encoding():
    return Encoding.of(arena.load_game("connect_four"), states=300).to_json()


def policy(folder, encoding, name, text, **options):
    files = {"policy.py": text, "encoding.json": encoding}
    return bot(folder, name, "pettingzoo", files, command="python policy.py", options=options)


@pytest.mark.parametrize("text", [FIRST, MODEL], ids=["function", "model"])
def test_a_policy_plays_the_moves_of_its_actions(folder, encoding, text):
    path = policy(folder, encoding, f"plays-{len(text)}", text)
    assert moves(played(folder, "connect_four", path, "last"))[:3] == ["drop 1", "drop 7", "drop 1"]


def test_a_policy_sees_what_the_environment_showed_it(folder, encoding):
    environments = pytest.importorskip("arena.pettingzoo")
    env = environments.env("connect_four", folder, encoding=Encoding.from_json(encoding))
    env.reset(seed=1)
    seen = []
    for action in (3, 3, 3):
        seen.append([env.last()[0][name].tolist() for name in ("observation", "action_mask")])
        env.step(action)
    text = f"""\
SEEN = {seen}
turns = [0, 2]
def policy(observation, action_mask):
    assert [observation.tolist(), action_mask.tolist()] == SEEN[turns.pop(0)]
    return 3
"""
    path = policy(folder, encoding, "sees", text)
    fourth = cup.FIRST.replace("legal[0]", "legal[3]")
    (folder / "bots" / "fourth.py").write_text(fourth)
    row = played(folder, "connect_four", path, "fourth")
    assert moves(row)[:4] == ["drop 4"] * 4


def test_a_policy_of_the_parallel_environment_has_one_action_more(folder, encoding):
    text = "def policy(o, mask):\n    assert len(mask) == 8 and not mask[7]\n    return 7\n"
    path = policy(folder, encoding, "waits", text, waits=True)
    assert "policy.py answered 7" in fault(played(folder, "connect_four", path, "last"))[1]


@pytest.mark.parametrize(
    ("text", "options", "ending", "words"),
    [
        ("def policy(o, m):\n    return 7\n", {}, "illegal_move", "policy.py answered 7"),
        ("def policy(o, m):\n    return None\n", {}, "illegal_move", "policy.py answered None"),
        ("def policy(o, m):\n    return 1 / 0\n", {}, "crashed", "ZeroDivisionError"),
        ("x = 1\n", {}, "crashed", "policy.py: has no `policy(observation, action_mask)`"),
        (FIRST, {"depth": 3}, "crashed", "options: the bridge pettingzoo knows no 'depth'"),
    ],
)
def test_a_fault_of_a_policy_is_told_in_words(folder, encoding, text, options, ending, words):
    path = policy(folder, encoding, f"fault-{abs(hash(text + str(options)))}", text, **options)
    found = fault(played(folder, "connect_four", path, "last"))
    assert found[0] == ending
    assert words in found[1]


def test_a_policy_that_hangs_loses_on_time(tmp_path, encoding):
    folder = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, time={"start": 10.0, "move": 0.2})
    path = policy(
        folder, encoding, "hangs", "def policy(o, m):\n    while True: print('x' * 999)\n"
    )
    row = played(folder, "connect_four", path, "last")
    assert fault(row)[0] in {"timeout", "limit_exceeded"}


def test_a_policy_without_an_encoding_gets_that_of_the_board(folder):
    path = bot(folder, "bare", "pettingzoo", {"policy.py": FIRST}, command="python policy.py")
    assert moves(played(folder, "connect_four", path, "last"))[0] == "drop 1"


def test_an_encoding_of_another_board_is_refused_before_the_first_turn(folder, encoding):
    path = policy(folder, encoding, "elsewhere", FIRST)
    row = played(folder, "surround/nine", path, "last", "last", "last")
    assert "encoding.json: is of another board than surround/nine" in fault(row)[1]
