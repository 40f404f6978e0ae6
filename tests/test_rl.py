"""The notebook on reinforcement learning, run cell by cell: a trained network plays as a bot and
has a rank.
"""

import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from arena import load_game, play_match
from arena.encoding import Encoding
from arena.results.archive import Archive
from tests import notebook
from tests.support.cup import arena
from tests.support.tutorial import blocks

pytest.importorskip("pettingzoo", reason="pip install 'botarena[pettingzoo]'")

PATH = notebook.DOCS / "rl.md"
PAGE = PATH.read_text("utf-8")
LOOP, _ = blocks(PAGE, "python")
MATCHES = "8"
"""So few teach nothing, but make the file."""
QUICK = {
    "run": ["--no-charts", "--set", "max_matches=2", "--workers", "1"],
    "check": ["--help"],
    "submit": ["--help"],
}
"""What is left out of a command because it takes seconds; the load test checks and submits the
bot."""


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The workspace of whoever ran the notebook, with fewer matches, and what each command of arena
    printed.
    """

    def quickly(folder, _, *words):
        train(folder, *words[:-1], MATCHES)

    folder, _, printed = notebook.follow(
        PATH.with_suffix(".ipynb"), tmp_path_factory.mktemp("page"), QUICK, quickly
    )
    return folder, {done.args[0]: done for done in printed}


def test_the_notebook_has_the_text_of_the_page_and_its_blocks_in_their_order():
    written = json.loads(PATH.with_suffix(".ipynb").read_text("utf-8"))
    assert written == notebook.notebook(PAGE), "python tests/notebook.py writes it again"
    code = ["".join(cell["source"]) for cell in written["cells"] if cell["cell_type"] == "code"]
    assert code[1] == LOOP.rstrip()
    assert [text.split()[0] for text in code] == [
        *("%pip", "import", "!arena", "%%writefile", "%run", "!arena")
    ]
    prose = [cell for cell in written["cells"] if cell["cell_type"] == "markdown"]
    assert "".join(prose[0]["source"]).startswith("# Reinforcement learning")
    assert not any("```" in "".join(cell["source"]) for cell in prose)


def train(folder, *words):
    subprocess.run([sys.executable, "train.py", *words], cwd=folder, check=True)


def test_the_loop_of_the_page_runs(capsys):
    exec(LOOP, names := {})
    assert set(names["env"].possible_agents) == {"explorer", "mummy"}


@pytest.mark.soak
def test_every_command_of_the_page_does_what_it_says(followed):
    _, printed = followed
    assert list(printed) == ["init", "new", "check", "submit", "run", "leaderboard"]
    assert {name: done.stderr for name, done in printed.items() if done.returncode} == {}
    assert re.search(r"^ +\d  learner ", printed["leaderboard"].stdout, re.MULTILINE)


@pytest.mark.soak
def test_the_bot_plays_the_move_that_its_network_scores_highest(followed):
    folder, _ = followed
    saved = dict(np.load(folder / "bots/learner/policy.npz"))
    encoding = Encoding.from_json(str(saved["encoding"]))
    game = load_game("mummy_maze/court")
    (results,) = (folder / "results").glob("*/")
    with Archive.open(results) as archive:
        records, seen = list(archive.records()), set()
    for record in records:
        assert record.verdict.faults == ()
        own = {seat.role for seat in record.match.seats if seat.bot.name == "learner"}
        seen |= own
        state = game.start()
        for turn in record.turns:
            if turn.role in own:
                features = np.array(encoding.observe(game.view(state, turn.role), turn.role))
                hidden = np.maximum(
                    features @ saved[f"{turn.role} weights 0"] + saved[f"{turn.role} bias 0"], 0
                )
                scores = hidden @ saved[f"{turn.role} weights 1"] + saved[f"{turn.role} bias 1"]
                assert turn.move == encoding.moves[turn.role][int(np.argmax(scores))]
                assert turn.remarks == (f"value={scores.max():.2f}",)
            state = game.play(state, {turn.role: turn.move})
    assert seen == {*game.roles}


@pytest.mark.soak
def test_training_as_long_as_the_page_says_makes_a_mummy_that_beats_dice(followed):
    folder, _ = followed
    (command,) = re.findall(r"^\$ python train\.py (.*)$", PAGE, re.MULTILINE)
    train(folder, *shlex.split(command))
    assert "accepted  learner" in arena(folder, "submit", "bots/learner").stdout
    dice = folder / "bots/dice.py"
    bots = {"explorer": dice, "mummy": folder / "bots/learner"}
    scores = [
        play_match("mummy_maze/court", bots, seed=seed).verdict.scores["mummy"]
        for seed in range(20)
    ]
    assert sum(scores) / len(scores) > 80
