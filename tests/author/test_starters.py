"""Starter kits: each is a bot that plays legal moves at once; `arena new` makes one under a
name.
"""

import json
import re
import shlex
import shutil
import tomllib

import pytest

from arena.author import starters
from arena.cli import COMMANDS
from arena.errors import ArenaError
from arena.event import builds, discovery
from arena.match.play import play
from arena.sandbox import choice
from tests.support import cup, live, packages, workspaces

KITS = [kit.name for kit in starters.starters()]
WORDS = {"name": "mine", "path": "bots/mine", "match": "bots/mine bots/mine --board duel"}


def bot_of(kit, folder):
    """The kit as a bot in a folder, built; the test is skipped where its language is not on this
    machine.
    """
    starters.copy(kit, folder, author="A", games=[], replacements=WORDS)
    said = tomllib.loads((folder / "bot.toml").read_text())
    for words in (kit.build, said["command"]):
        program = shlex.split(words)[0] if words else ""
        if program and program != "python" and "/" not in program and shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    (bot,) = builds.built(
        [discovery.from_path(folder)], folder.parent / "kept", choice.choose("auto", unsafe=False)
    )
    return bot


def record_of(bot, label, launcher):
    return play(live.match_of(label, bot, seed=3), launcher=launcher)


def test_the_kits_are_those_that_are_promised():
    assert {"python", "python_kit", "javascript", "c", "cpp", "rust", "go", "java", "bash"} <= set(
        KITS
    )


def test_a_kit_is_found_by_the_ending_of_its_program_too():
    assert [starters.find(ending).name for ending in ("js", ".rs", "py", "sh")] == [
        *("javascript", "rust", "python", "bash")
    ]


NUMPY = {"python_policy"}
"""The kits that import it."""
SOAK = {"cpp"}
"""The kits that take a second to build, and are written as another one is."""
PLAYED = [
    pytest.param(
        name,
        marks=[packages.OWN] * (name in NUMPY) + [pytest.mark.soak] * (name in SOAK),
    )
    for name in KITS
]


@pytest.mark.usefixtures("time_to_leave")
@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYED)
def test_a_kit_plays_every_turn_legally_and_the_same_in_a_rerun(name, launcher, tmp_path):
    bot = bot_of(starters.find(name), tmp_path / "mine")
    labels = ("mummy_maze/hunt", "mummy_maze/hunt", "pacman/classic")
    hunt, again, classic = (record_of(bot, label, launcher) for label in labels)
    assert [turn.move for turn in again.turns] == [turn.move for turn in hunt.turns]
    for first in (hunt, classic):
        assert first.verdict.faults == ()
        assert {turn.by for turn in first.turns} == {"bot"}
        assert all(seat.warnings == () and seat.stderr == "" for seat in first.seats)
        assert all(seat.exit == "exit 0" and not seat.killed for seat in first.seats)


@pytest.mark.parametrize("name", KITS)
def test_a_kit_is_one_readable_program_and_two_pages(name):
    kit = starters.find(name)
    no_program = {"README.md", "bot.toml", "__pycache__"}
    program, *others = [path for path in kit.folder.iterdir() if path.name not in no_program]
    assert others == []
    assert 8 <= len([line for line in program.read_text().splitlines() if line.strip()]) <= 40
    assert "Your idea goes here" in program.read_text()


@pytest.mark.parametrize("name", KITS)
def test_nothing_of_a_kit_is_left_to_fill_in(name, tmp_path):
    starters.copy(
        starters.find(name),
        tmp_path / "mine",
        author='"A" \\ B',
        games=["mummy_maze"],
        replacements=WORDS,
    )
    said = tomllib.loads((tmp_path / "mine" / "bot.toml").read_text())
    assert (said["author"], said["games"]) == ('"A" \\ B', ["mummy_maze"])
    for page in ("README.md", "AGENTS.md"):
        text = (tmp_path / "mine" / page).read_text()
        assert "arena check bots/mine" in text
        assert not any(
            f"@{word}@" in text for word in ("name", "path", "match", "board", "author", "game")
        )


def test_the_guide_for_coding_agents_names_commands_that_exist():
    known = {name for lines in COMMANDS.values() for name in lines}
    guide = (starters.HERE / "AGENTS.md").read_text()
    assert {"check", "rerun"} <= set(re.findall(r"`arena (\S+?)[` ]", guide)) <= known
    assert re.findall(r"`arena (\S+?)[` ]", starters.LESSONS) == [
        "lessons"
    ]  # said where there is this command


def test_a_language_is_found_by_the_name_that_people_use():
    assert starters.find("C++").name == "cpp"
    assert starters.find("python").name == "python"


def test_an_unknown_language_is_told_the_known_ones():
    with pytest.raises(ArenaError, match="did you mean 'rust'"):
        starters.find("ruts")


@pytest.fixture
def workspace(tmp_path):
    return workspaces.make(tmp_path / "ws", boards="duel")


def test_new_makes_a_bot_in_the_folder_of_the_workspace_and_it_plays(workspace):
    made = cup.arena(
        workspace,
        "new",
        "mine",
        "--language",
        "python_kit",
        "--game",
        "mummy_maze",
        "--author",
        "Ann",
    )
    assert made.returncode == 0, made.stderr
    bot = discovery.from_path(workspace / "bots" / "mine")
    assert (bot.name, bot.games) == ("mine", ("mummy_maze",))
    played = cup.arena(workspace, "match", "mine", "first", "--board", "duel", "--no-draw")
    assert played.returncode == 0
    assert "forfeit" not in played.stdout


def test_new_says_how_to_go_on_and_those_commands_work(workspace):
    made = cup.arena(workspace, "new", "mine")
    commands = [
        line.strip() for line in made.stdout.splitlines() if line.startswith("  arena match")
    ]
    assert commands == [
        "arena match bots/mine bots/mine --board mummy_maze/duel"
    ]  # the event's first
    assert cup.arena(workspace, *shlex.split(commands[0])[1:], "--no-draw").returncode == 0


def test_new_as_json_says_where_it_is_and_how_it_is_built(workspace):
    made = cup.arena(workspace, "new", "mine", "--language", "c", "--json")
    assert json.loads(made.stdout) == [
        {"bot": "mine", "path": "bots/mine", "language": "c", "build": "cc -O2 -Wall -o bot bot.c"}
    ]


def test_new_without_a_name_lists_the_kits(workspace):
    assert [row["name"] for row in json.loads(cup.arena(workspace, "new", "--json").stdout)] == KITS


@pytest.mark.parametrize("board", ["mummy_maze/duel", "duel"])
def test_a_bot_can_be_made_for_one_board(workspace, board):
    assert cup.arena(workspace, "new", "mine", "--game", board).returncode == 0
    assert discovery.from_path(workspace / "bots" / "mine").games == ("mummy_maze/duel",)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("First",), "first.py: is there already"),
        (("../up",), "cannot be a bot's name"),
        (("mine", "--language", "cobol"), "no starter kit in it"),
        (("mine", "--game", "chess"), "there is no game or board 'chess'"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_made(workspace, words, said):
    before = sorted(workspace.rglob("*"))
    made = cup.arena(workspace, "new", *words)
    assert (made.returncode, made.stdout) == (2, "")
    assert said in made.stderr
    assert sorted(workspace.rglob("*")) == before


def test_a_bot_for_drawn_boards_plays_these_boards_and_no_others_of_the_game(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    assert cup.arena(folder, "new", "ada", "--game", "mummy_maze/random:5").returncode == 0
    assert 'games = ["mummy_maze/random"]' in (folder / "bots" / "ada" / "bot.toml").read_text()
