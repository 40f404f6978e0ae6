"""`arena new --bridge` makes the folder of a bot that exists already, and it plays."""

import re
import shlex
import tomllib

import pytest

from arena.event import discovery
from tests.extras.bridges.bridged import moves, played
from tests.support import cup, workspaces

AGENT = "def agent(observation, configuration):\n    return observation.step % 7\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = workspaces.make(
        tmp_path_factory.mktemp("new") / "ws", {"taken": cup.LAST}, "connect_four"
    )
    (folder / "agent.py").write_text(AGENT)
    (folder / "engine").write_text("#!/bin/sh\n")
    (folder / "engine").chmod(0o755)
    return folder


def new(folder, *words):
    return cup.arena(folder, "new", *words)


def test_an_agent_is_copied_into_its_folder_and_plays(folder):
    done = new(
        folder, "ada", "--bridge", "kaggle", "--engine", "./agent.py", "--game", "connect_four"
    )
    assert done.returncode == 0, done.stderr
    assert "arena check bots/ada --board connect_four" in done.stdout
    assert moves(played(folder, "connect_four", "ada", "ada"))[:2] == ["drop 1", "drop 2"]


def test_an_engine_is_copied_with_its_mode_and_one_of_the_system_stays_where_it_is(folder):
    assert new(folder, "bea", "--bridge", "uci", "--engine", "./engine --quick").returncode == 0
    assert new(folder, "cat", "--bridge", "uci", "--engine", "cat agent.py").returncode == 0
    bea, cat = (discovery.from_path(folder / "bots" / name) for name in ("bea", "cat"))
    assert bea.command[-2:] == ("./engine", "--quick")
    assert bea.games == ("openspiel/chess",)
    assert (folder / "bots/bea/engine").stat().st_mode & 0o111
    assert cat.command[-2].startswith("/")
    assert (folder / "bots/cat/agent.py").read_text() == AGENT


def test_the_file_that_is_named_is_copied_and_not_another_of_its_name(folder):
    (folder / "other").mkdir()
    (folder / "other/agent.py").write_text("other = True\n")
    assert new(folder, "dan", "--bridge", "uci", "--engine", "other/agent.py").returncode == 0
    assert (folder / "bots/dan/agent.py").read_text() == "other = True\n"
    done = new(folder, "x", "--bridge", "uci", "--engine", "./engine agent.py other/agent.py")
    assert done.returncode == 2
    assert "other/agent.py would lie beside another file of its name" in done.stderr


@pytest.mark.parametrize(
    "bridge",
    [
        "codingame",
        "kaggle",
        pytest.param("openspiel", marks=pytest.mark.soak),
        pytest.param("pettingzoo", marks=pytest.mark.soak),
        pytest.param("gtp", marks=pytest.mark.soak),
        pytest.param("uci", marks=pytest.mark.soak),
        pytest.param("xboard", marks=pytest.mark.soak),
    ],
)
def test_without_a_program_a_small_bot_is_made_that_passes_its_check(tmp_path, bridge):
    if bridge not in {"codingame", "kaggle", "pettingzoo"}:
        pytest.importorskip("pyspiel")
    made = new(tmp_path, "ada", "--bridge", bridge, "--author", "Ada")
    assert made.returncode == 0, made.stderr
    assert tomllib.loads((tmp_path / "ada/bot.toml").read_text())["author"] == "Ada"
    (check,) = re.findall("arena (check .*)", made.stdout)
    done = cup.arena(tmp_path, *shlex.split(check))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("bridge", ["kaggle", "openspiel"])
def test_where_the_board_is_not_known_the_author_is_told_to_name_it(folder, bridge):
    done = new(folder, f"dot-{bridge}", "--bridge", bridge, "--engine", "agent.py")
    assert f"arena check bots/dot-{bridge} --board BOARD\n" in done.stdout
    assert "BOARD is a board that your bot plays" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x", "--bridge", "uc"], "--bridge uc: no such bridge; did you mean 'uci'?"),
        (["--bridge", "uci"], "--bridge: name the bot: arena new NAME --bridge uci"),
        (
            ["x", "--bridge", "uci", "--game", "connect_four"],
            "--game connect_four: without --engine, the bot with the bridge uci plays openspiel/chess",
        ),
        (["x", "--bridge", "uci", "--engine", "./absent"], "there is no file './absent'"),
        (["x", "--bridge", "uci", "--engine", "'"], "no closing quotation"),
        (
            ["taken", "--bridge", "kaggle", "--engine", "agent.py"],
            "bots/taken.py: is there already",
        ),
    ],
)
def test_a_mistake_is_one_line_and_makes_nothing(folder, words, message):
    done = new(folder, *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message.lower() in done.stderr.lower()
    assert not (folder / "bots" / "x").exists()
