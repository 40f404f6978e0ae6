"""The commands of the page of bridges make bots that play, each in a folder of its own."""

import shlex
import shutil

import pytest

from tests.support import cup, tutorial, workspaces

PAGE = (tutorial.DOCS / "extras" / "bridges.md").read_text()
BLOCKS = tutorial.blocks(PAGE, "sh")

MOVE_S = {"stockfish": 0.1, "fairymax": 0.1, "gnugo": 20.0}
"""Seconds for a move: those of chess take all of them, gnugo as many as it needs."""
SMALLER = ("go(board_size=9)", "go(board_size=5)")
"""The board of the page, and one on which a check of several games is done in a tenth of the time."""


def program_of(block: str) -> str:
    """The engine in the first line of a block."""
    words = shlex.split(block.splitlines()[0])
    return words[words.index("--engine") + 1].split()[0]


@pytest.mark.slow  # engines think for the whole time of a turn
@pytest.mark.parametrize("block", BLOCKS, ids=map(program_of, BLOCKS))
def test_the_commands_of_the_page_make_a_bot_that_plays(tmp_path, block):
    pytest.importorskip("pyspiel")
    program = program_of(block)
    if shutil.which(program, path="/usr/games:/usr/bin") is None:
        pytest.skip(f"{program} is not installed: apt-get install {program}")
    folder = workspaces.make(
        tmp_path / "ws", {}, "openspiel/chess", time={"start": 10.0, "move": MOVE_S[program]}
    )
    for line in block.splitlines():
        done = cup.arena(folder, *shlex.split(line.replace(*SMALLER))[1:])
        assert done.returncode == 0, done.stdout + done.stderr
        for settings in folder.glob("bots/*/bot.toml"):
            settings.write_text(settings.read_text().replace(*SMALLER))
