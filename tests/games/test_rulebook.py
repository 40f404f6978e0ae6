"""Finding games: the folders that are searched, the meaning of a query, and every mistake in a
line.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from arena import load_game, rulefile
from arena.errors import ArenaError
from arena.games import rulebook, trial
from tests.support import reported

COIN = '''
from dataclasses import dataclass

from arena.game import Game, Outcome


@dataclass(frozen=True)
class Coin(Game):
    """Somebody calls."""

    size: int = 1
    roles = ("caller",)
    board = start = to_move = legal_moves = play = outcome = view = lambda self, *_: ()

    def __post_init__(self):
        if self.size > 9:
            raise ValueError(f"size: {self.size} is too large")


game = Coin
'''


def workspace(folder, **files):
    """A workspace with these files in rules/: `coin_py="..."` is rules/coin.py."""
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        path = folder / "rules" / f"{stem}.{ending}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def labels(words, folder=Path()):
    return [board.label for board in rulebook.find(words, folder)]


def mistake(words, folder):
    with pytest.raises(ArenaError) as caught:
        rulebook.find(words, folder)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_game_means_all_of_its_boards_in_the_order_of_its_file():
    assert labels("pacman") == ["pacman/classic", "pacman/published"]


@pytest.mark.parametrize("words", ["duel", "mummy_maze/duel"])
def test_a_board_goes_by_its_full_name_or_where_unique_by_its_own(words):
    (board,) = rulebook.find(words)
    assert (board.game, board.name, board.roles) == ("mummy_maze", "duel", ("explorer", "mummy"))


def test_sides_are_the_games(tmp_path):
    (board,) = rulebook.find("classic", tmp_path)
    assert board.sides == (("pacman",), ("blinky", "inky"))


def test_the_game_of_a_board_is_built_with_its_parameters():
    assert load_game("mummy_maze/hunt").size == (0, 8)
    (board,) = rulebook.find("duel_published")
    assert rulebook.game_of(board).eaten == "end"


def test_a_path_is_relative_to_the_workspace_whatever_its_folder_is_called(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/coin.py").write_text(COIN)
    (tmp_path / "mine/coin.toml").write_text("[small]\n[large]\nsize = 5\n")
    assert labels("mine/coin.py", tmp_path) == ["coin/small", "coin/large"]
    assert labels("mine/coin.py/large", tmp_path) == ["coin/large"]
    assert load_game("mine/coin.py/large", tmp_path).size == 5


def test_a_game_without_boards_beside_it_has_one_called_default(tmp_path):
    assert labels("coin", workspace(tmp_path, coin_py=COIN)) == ["coin/default"]


def test_rules_of_the_workspace_stand_before_those_shipped(tmp_path):
    workspace(tmp_path, pacman_py=COIN)
    assert labels("pacman", tmp_path) == ["pacman/default"]
    assert "mummy_maze/hunt" in [board.label for board in rulebook.all_boards(tmp_path)]


def test_a_workspace_that_is_entered_and_one_that_is_named_are_the_same(tmp_path, monkeypatch):
    here = rulebook.find("coin", workspace(tmp_path, coin_py=COIN))
    monkeypatch.chdir(tmp_path)
    assert rulebook.find("coin") == here
    assert Path(here[0].rules).is_absolute()


def test_another_workspace_entered_later_has_its_own_rules(tmp_path, monkeypatch):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        workspace(tmp_path / name, coin_py=COIN, coin_toml=f"[{name}]\n")
        monkeypatch.chdir(tmp_path / name)
        assert labels("coin") == [f"coin/{name}"]


def test_files_without_a_game_and_hidden_ones_are_no_games(tmp_path):
    workspace(tmp_path, coin_py=COIN, helper_py="x = 1\n", _draft_py=COIN)
    (tmp_path / "rules/.old.py").write_text(COIN)
    mine = [
        board for board in rulebook.all_boards(tmp_path) if board.rules.startswith(str(tmp_path))
    ]
    assert [board.label for board in mine] == ["coin/default"]


def test_a_file_is_a_game_as_soon_as_it_defines_a_game(tmp_path):
    workspace(tmp_path, coin_py="x = 1\n")
    assert "coin" in mistake("coin", tmp_path)
    workspace(tmp_path, coin_py=COIN)
    assert labels("coin", tmp_path) == ["coin/default"]


def test_an_installed_package_adds_its_game(tmp_path, monkeypatch):
    (tmp_path / "party").mkdir()
    (tmp_path / "party/__init__.py").touch()
    (tmp_path / "party/charades.py").write_text(COIN)
    (tmp_path / "party-1.dist-info").mkdir()
    (tmp_path / "party-1.dist-info/METADATA").write_text("Name: party\nVersion: 1\n")
    (tmp_path / "party-1.dist-info/entry_points.txt").write_text(
        "[arena.rules]\ncharades = party.charades\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert labels("charades") == ["charades/default"]
    (tmp_path / "party/charades.py").unlink()
    assert "plug-in charades" in mistake("charades", tmp_path)
    sys.modules.pop("party", None)


def digest(folder):
    """The digest of `coin/default`, computed elsewhere: what was loaded once is not looked at
    again.
    """
    copy = Path(tempfile.mkdtemp(dir=folder.parent)) / "copy"
    shutil.copytree(folder, copy)
    return rulebook.find("coin/default", copy)[0].digest


def test_a_boards_digest_is_that_of_its_parameters_and_of_every_file_it_is_made_of(tmp_path):
    folder = tmp_path / "w"
    folder.mkdir()
    text = COIN.replace("from arena.game", "from .luck import x\nfrom arena.game")
    workspace(folder, coin_py=text, luck_py="x = 1\n", coin_toml="[default]\nsize = 1\n[other]\n")
    first = digest(folder)
    workspace(folder, coin_toml="[default]\nsize = 1\n[other]\nsize = 3\n", unused_py="y = 1\n")
    assert digest(folder) == first
    workspace(folder, coin_toml="[default]\nsize = 2\n")
    assert digest(folder) != first
    workspace(folder, coin_toml="[default]\nsize = 1\n", luck_py="x = 2\n")
    assert digest(folder) != first


@pytest.mark.parametrize(
    ("words", "meant"),
    [("duell", "'duel'"), ("mummy_maze/dual", "'mummy_maze/duel'"), ("packman", "'pacman'")],
)
def test_an_unknown_board_is_told_with_the_nearest_and_all_there_are(words, meant):
    told = mistake(words, Path())
    assert repr(words) in told
    assert f"did you mean {meant}?" in told
    assert "Known: " in told
    assert "mummy_maze/hunt, mummy_maze/duel, " in told


def test_a_board_of_several_games_must_be_named_in_full(tmp_path):
    workspace(tmp_path, coin_py=COIN, coin_toml="[duel]\n")
    assert "coin/duel or mummy_maze/duel" in mistake("duel", tmp_path)
    assert labels("coin/duel", tmp_path) == ["coin/duel"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rules/none.py", "there is no rules file"),
        ("rules/coin.py/smal", "did you mean 'rules/coin.py/small'?"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(tmp_path, words, told):
    assert told in mistake(words, workspace(tmp_path, coin_py=COIN, coin_toml="[small]\n"))


BROKEN = {
    "a syntax error": ({"coin_py": "\ndef (:\n" + COIN}, ["coin.py:2: "]),
    "no game": (
        {"coin_py": "x = 1\n", "coin_toml": "[default]\n"},
        ["coin.py: ", "game = TheClass"],
    ),
    "a game that is no dataclass": (
        {"coin_py": "class game:\n  pass\n"},
        ["coin.py: ", "dataclass"],
    ),
    "a module that is missing": (
        {"coin_py": "import nowhere_at_all\n" + COIN},
        ["coin.py:1: ", "nowhere_at_all"],
    ),
    "an error in a file beside it": (
        {"coin_py": "from .luck import x\n" + COIN, "luck_py": "\n1/0"},
        ["luck.py:2: "],
    ),
    "bad TOML": (
        {"coin_py": COIN, "coin_toml": "[default]\nsize = = 3\n"},
        ["coin.toml: ", "line 2"],
    ),
    "a parameter outside a board": (
        {"coin_py": COIN, "coin_toml": "size = 3\n"},
        ["coin.toml: ", "[default]"],
    ),
    "an unknown parameter": (
        {"coin_py": COIN, "coin_toml": "[default]\nsizes = 3\n"},
        ["coin.toml: [default] sizes: ", "did you mean 'size'?"],
    ),
    "a missing parameter": (
        {"coin_py": COIN.replace("int = 1", "int"), "coin_toml": "[default]\n"},
        ["coin.toml: [default] size: ", "missing"],
    ),
    "a value that the game refuses": (
        {"coin_py": COIN, "coin_toml": "[default]\nsize = 10\n"},
        ["coin.toml: [default] size: 10 is too large"],
    ),
    "a value of the wrong type": (
        {"coin_py": COIN, "coin_toml": "[default]\nsize = 'x'\n"},
        ["coin.toml: [default] TypeError: "],
    ),
    "a board's name that is no word": (
        {"coin_py": COIN, "coin_toml": '["a b"]\n'},
        ["coin.toml: ", "'a b'"],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_in_a_rules_file_is_one_line_that_names_file_and_place(tmp_path, name):
    files, told = BROKEN[name]
    text = mistake("coin", workspace(tmp_path, **files))
    for words in told:
        assert words in text


def test_a_mistake_in_one_game_does_no_harm_to_another(tmp_path):
    workspace(tmp_path, broken_py="game = = 1\n")
    assert labels("mummy_maze/duel", tmp_path) == ["mummy_maze/duel"]
    assert labels("duel", tmp_path) == ["mummy_maze/duel"]


def test_a_match_finds_its_game_by_the_rules_it_was_planned_with(tmp_path):
    (board,) = rulebook.find("coin", workspace(tmp_path, coin_py=COIN))
    assert rulebook.game_of(board) is rulebook.game_of(board)
    assert rulefile.module(Path(board.rules)).game is type(rulebook.game_of(board))


def test_a_rules_file_that_cannot_be_read_hides_no_other_game(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/broken.py").write_text("game = (")
    (tmp_path / "rules/broken.toml").write_text("[default]\n")
    (tmp_path / "rules/torn.py").write_text("game = 1")
    (tmp_path / "rules/torn.toml").write_text("[default\n")
    mistakes = []
    labels = {board.label for board in rulebook.all_boards(tmp_path, mistakes.append)}
    assert {"mummy_maze/duel", "pacman/classic"} <= labels
    assert not any(label.startswith(("broken", "torn")) for label in labels)
    assert len(mistakes) == 2
    assert rulebook.find("duel", tmp_path)[0].label == "mummy_maze/duel"
    with pytest.raises(ArenaError, match=r"torn\.toml"):
        rulebook.find("torn/default", tmp_path)


def test_a_link_that_leads_in_a_circle_hides_no_game(tmp_path):
    folder = workspace(tmp_path, coin_py=COIN)
    (folder / "rules/circle.py").symlink_to("circle.py")
    assert labels("coin", folder) == ["coin/default"]


def test_a_record_of_rules_named_by_path_finds_the_board_made_of_a_name(tmp_path):
    rules = tmp_path / "wide.py"
    named_board = "\n\ndef named_board(name):\n    return {'columns': int(name)}\n"
    rules.write_text((rulefile.shipped() / "connect_four.py").read_text() + named_board)
    (board,) = rulebook.find(f"{rules}/9")
    match, *_ = reported.plan(reported.event(("first", "last"), [board]))
    assert rulebook.of_record(match, {str(rules): rules}) == board
    with pytest.raises(ArenaError, match="there is no game or board 'wide/9'"):
        rulebook.of_record(match)


def test_the_files_of_a_game_include_a_module_that_its_package_hides(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/engine.py").write_text("def engine():\n    return 1\n")
    (tmp_path / "parts/__init__.py").write_text("from .engine import engine\n")
    (tmp_path / "coin.py").write_text("from .parts import engine\n" + COIN)
    names = [path.name for path in rulefile.sources(tmp_path / "coin.py")]
    assert names == ["__init__.py", "coin.py", "engine.py"]


DEADLY = '''
import os, time
from dataclasses import dataclass

from arena.game import Game, Outcome


@dataclass(frozen=True)
class Deadly(Game):
    """A game that does what its board's name says, when it is loaded or when it is played."""

    when: str
    deed: str
    megabytes: int = 4000
    roles = ("caller",)

    def __post_init__(self):
        self.do("loads")

    def do(self, when):
        if when == self.when.partition("(")[0]:
            {
                "kills": lambda: os.kill(os.getpid(), 9),
                "sleeps": lambda: time.sleep(60),
                "eats": lambda: bytearray(self.megabytes * 1_000_000),
                "raises": lambda: {}["at"],
                "nothing": lambda: None,
            }[self.deed]()

    def board(self):
        return ()

    def start(self):
        return 0

    def to_move(self, state):
        return ("caller",) if state == 0 else ()

    def legal_moves(self, state, role):
        return ("call",)

    def play(self, state, moves):
        self.do("plays")
        return 1

    def outcome(self, state):
        return Outcome({"caller": 100}, "called") if state else None

    def view(self, state, role):
        return (f"called {state}",)


def named_board(name):
    when, _, deed = name.removesuffix(")").partition("(deed=")
    return {"when": when, "deed": deed}


game = Deadly
'''


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "loads(deed=kills)",
            "cannot be played: it ends the process, by SIGKILL; take other parameters",
        ),
        (
            "plays(deed=kills)",
            "cannot be played: it ends the process, by SIGKILL; take other parameters",
        ),
        ("plays(deed=sleeps)", "cannot be played: it takes more than 0.5 s; take other parameters"),
        (
            "loads(deed=eats)",
            "cannot be played: it takes more than 1000 MB of memory; take other parameters",
        ),
        ("plays(deed=raises)", "cannot be played with these parameters: KeyError: 'at'"),
    ],
)
def test_a_boards_name_that_would_end_or_exhaust_this_process_is_refused(
    tmp_path, monkeypatch, name, words
):
    monkeypatch.setattr(trial, "WALL_SECONDS", 0.5 if "sleeps" in name else 60.0)
    here = workspace(tmp_path, deadly_py=DEADLY)
    with pytest.raises(ArenaError) as refused:
        rulebook.find(f"deadly/{name}", here)
    assert str(refused.value) == f"deadly/{name}: {words}"
    assert rulebook.find("deadly/plays(deed=nothing)", here)
