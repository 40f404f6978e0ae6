"""The lines of the page of bridges make bots that play, each in a folder of its own."""

import json
import re
import shlex
import shutil

import pytest

from arena import extensions
from tests.support import cup, tutorial, workspaces

PAGE = (tutorial.DOCS / "extras" / "bridges.md").read_text()
ROW = re.compile(r"^\|.*?\| (`arena new .*?`) \|", re.MULTILINE)
LINES = [[line.strip("`") for line in row.split("<br>")] for row in ROW.findall(PAGE)]
ENGINES = ("uci", "xboard", "gtp")
OTHERS = ("kaggle", "codingame", "pettingzoo", "openspiel")
UNCHECKED = ("dot", "bea", "fairy")
"""Bots whose check takes seconds; other tests check such a bot, or one engine of chess."""
DICE = "from arena.kit import run\nrun(lambda turn: turn.random.choice(turn.legal))\n"
AGENT = """\
def agent(observation, configuration):
    free = [c for c in range(configuration.columns) if observation.board[c] == 0]
    return {}
"""
MOVE_S = {"stockfish": 0.02, "fairymax": 0.02, "gnugo": 20.0}
"""Seconds for a move: those of chess take all of them, gnugo as many as it needs."""
SMALLER = ("go(board_size=9)", "go(board_size=5)")
"""The board of the page, and one on which a check of several games is done in a tenth of the time."""


def bridge_of(lines):
    """The bridge that the first line of a row names."""
    return re.search(r"--bridge (\w+)", lines[0])[1]


def of(bridges):
    """The rows of the table with these bridges, for a test."""
    rows = [lines for lines in LINES if bridge_of(lines) in bridges]
    return pytest.mark.parametrize("lines", rows, ids=map(bridge_of, rows))


def test_the_table_has_three_lines_for_each_bridge():
    assert {bridge_of(lines) for lines in LINES} == {*ENGINES, *OTHERS}
    assert {len(lines) for lines in LINES} == {3}


@pytest.mark.soak
def test_three_agents_of_kaggle_play_an_event_by_the_lines_of_the_page(tmp_path):
    for name, best in (("ada", "min(free)"), ("bea", "max(free)"), ("cat", "free[len(free) // 2]")):
        (tmp_path / f"{name}.py").write_text(AGENT.format(best))
    folder = tmp_path
    _, _, part = PAGE.partition("Three agents play a tournament")
    for line in tutorial.blocks(part, "console")[0].splitlines():
        words = shlex.split(line.removeprefix("$ "))
        if words[0] == "cd":
            folder /= words[1]
            continue
        if words[1] == "run":
            words += ["--json", "--no-charts"]
        done = cup.arena(folder, *words[1:])
        assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {row["bot"] for row in rows} == {"ada", "bea", "cat"}
    assert [(row["matches"], row["forfeits"]) for row in rows] == [(4, 0)] * 3


@of(OTHERS)
def test_the_page_shows_the_small_bot_of_a_bridge_to_the_letter(lines):
    name, file = shlex.split(lines[0])[2], shlex.split(lines[0])[-1]
    _, _, part = PAGE.partition(f"`bots/{name}/bot.toml`")
    skeleton = extensions.file_beside(extensions.bridges()[bridge_of(lines)].skeleton)
    assert tutorial.blocks(part, "toml")[0] == (skeleton / "bot.toml").read_text()
    assert tutorial.blocks(part, "python")[0] == (skeleton / file).read_text()


@of(OTHERS)
def test_the_lines_of_the_page_play_a_file_in_an_empty_folder(tmp_path, lines):
    pytest.importorskip("pyspiel")
    name, file = shlex.split(lines[0])[2], shlex.split(lines[0])[-1]
    _, _, part = PAGE.partition(f"`bots/{name}/bot.toml`")
    (tmp_path / file).write_text(tutorial.blocks(part, "python")[0])
    _, _, options = tutorial.blocks(part, "toml")[0].partition("[options]")
    for line in lines:
        words = shlex.split(line)
        if words[1] == "check" and name in UNCHECKED:
            continue
        if words[0] == "cat":
            settings = tmp_path / words[-1]
            settings.write_text(f"{settings.read_text()}[options]{options}")
            continue
        done = cup.arena(tmp_path, *words[1:])
        assert done.returncode == 0, done.stdout + done.stderr
    assert f"({name})" in done.stdout.splitlines()[-1]
    assert "fault" not in done.stdout


@pytest.mark.soak
@of(ENGINES)
def test_the_commands_of_the_page_make_a_bot_that_plays(tmp_path, lines):
    pytest.importorskip("pyspiel")
    program = shlex.split(lines[0])[-1].split()[0]
    if shutil.which(program, path="/usr/games:/usr/bin") is None:
        pytest.skip(f"{program} is not installed: apt-get install {program}")
    folder = workspaces.make(
        tmp_path / "ws",
        {"dice": DICE},
        "openspiel/chess",
        time={"start": 10.0, "move": MOVE_S[program]},
    )
    for line in lines:
        words = shlex.split(line.replace(*SMALLER))
        if words[1] == "check" and words[2] in UNCHECKED:
            continue
        done = cup.arena(folder, *words[1:])
        assert done.returncode == 0, done.stdout + done.stderr
        for settings in folder.glob("bots/*/bot.toml"):
            settings.write_text(settings.read_text().replace(*SMALLER))
