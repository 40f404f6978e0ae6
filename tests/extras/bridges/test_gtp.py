"""Engines play Go, Hex and Othello of OpenSpiel behind the bridge gtp: a scripted one for what goes
wrong, and Debian's.
"""

import shutil
from pathlib import Path

import pytest

from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces
from tests.support.programs import python

pytest.importorskip("pyspiel")
GO = "openspiel/go(board_size=9)"
SCRIPTED = Path(__file__).with_name("scripted_gtp.py").read_text()
DICE = python("say(random.choice(legal))", first="import random; random.seed(1)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gtp") / "ws"
    return workspaces.make(
        folder, {"last": cup.LAST, "dice": DICE}, GO, time={"start": 10.0, "move": 2.0}
    )


def scripted(folder, name, script, **options):
    command = ["python", "engine.py", *script.split()]
    return bot(folder, name, "gtp", {"engine.py": SCRIPTED}, command=command, options=options)


def test_an_engine_plays_on_its_board_and_passes(folder):
    black = scripted(folder, "black", "E5 j9 pass", level=3)
    white = scripted(folder, "white", "A1 pass")
    row = played(folder, GO, black, white)
    assert moves(row) == ["B e5", "W a1", "B j9", "W PASS", "B PASS"]
    assert row["faults"] == []


@pytest.mark.parametrize(
    ("script", "ending", "words"),
    [
        ("E5 E5", "illegal_move", "engine.py answered 'E5'"),
        ("I5", "illegal_move", "engine.py answered 'I5'"),
        ("resign", "illegal_move", "engine.py answered 'resign'"),
        ("refuse", "crashed", "the engine engine.py refused 'genmove B': no idea"),
        ("crash", "crashed", "the engine engine.py ended with exit status 9 after 'genmove B'"),
    ],
)
def test_a_fault_of_an_engine_is_told_in_words_that_name_the_engine(folder, script, ending, words):
    row = played(folder, GO, scripted(folder, script.replace(" ", ""), script), "last")
    assert fault(row)[0] == ending
    assert words in fault(row)[1]


def test_an_engine_that_hangs_loses_on_time_and_the_verdict_names_it(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws", {"last": cup.LAST}, GO, time={"start": 10.0, "move": 0.3}
    )
    ending, words = fault(played(folder, GO, scripted(folder, "hang", "hang"), "last"))
    assert ending == "timeout"
    assert "the engine engine.py has given no answer to 'genmove B'" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"levl": 3}, "the engine engine.py has no command 'levl'; did you mean 'level'?"),
        ({"level": 4}, "the engine engine.py refused 'level 4': level is 3"),
    ],
)
def test_an_option_that_an_engine_does_not_take_is_told_before_the_match(folder, options, words):
    (pair,) = options.items()
    row = played(folder, GO, scripted(folder, f"{pair[0]}{pair[1]}", "E5", **options), "last")
    assert fault(row)[0] == "crashed"
    assert words in fault(row)[1]


def test_an_engine_goes_on_from_the_move_that_was_played_in_place_of_its_own(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, GO, faults={"strikes": 1})
    row = played(folder, GO, scripted(folder, "strikes", "Z9 pass"), "last")
    assert row["turns"][0]["by"] == "strike"
    assert (moves(row)[2], row["faults"]) == ("B PASS", [])


def test_an_engine_plays_hex(folder):
    black = scripted(folder, "north", "a1 A2 a3")
    white = scripted(folder, "west", "b1 b2")
    row = played(folder, "openspiel/hex(board_size=3)", black, white)
    assert moves(row) == ["a1", "b1", "a2", "b2", "a3"]
    assert (row["player0_score"], row["faults"]) == (100, [])


def test_an_engine_plays_othello_and_hears_which_game_it_is(folder):
    black = scripted(folder, "dark", "F5 c5 a1")
    white = scripted(folder, "light", "d6 F4")
    row = played(folder, "openspiel/othello", black, white)
    assert moves(row) == ["f5", "d6", "c5", "f4"]
    assert "engine.py answered 'a1'" in fault(row)[1]
    refuses = scripted(folder, "refuses", "refuse")
    words = fault(played(folder, "openspiel/othello", refuses, white))[1]
    assert "the engine engine.py refused 'genmove B': no idea" in words


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (
            "openspiel/y(board_size=5)",
            "plays openspiel/go, openspiel/hex, openspiel/othello, and the match is openspiel/y",
        ),
        ("openspiel/hex(board_size=5,swap=True)", "the bridge gtp plays without swap"),
        ("openspiel/go(board_size=19,handicap=2)", "the bridge gtp plays without handicap"),
    ],
)
def test_other_boards_are_refused(folder, board, words):
    name = "other" + board[10]
    row = played(folder, board, scripted(folder, name, "A1"), "last")
    assert words in fault(row)[1]


@pytest.mark.soak
def test_gnugo_plays_a_whole_match_and_wins_against_dice(folder):
    path = shutil.which("gnugo", path="/usr/games:/usr/bin")
    if path is None:
        pytest.skip("gnugo is not installed: apt-get install gnugo")
    command = [
        path,
        *["--mode", "gtp", "--chinese-rules", "--capture-all-dead", "--play-out-aftermath"],
    ]
    bot(folder, "gnugo", "gtp", {}, command=command, options={"level": 1})
    row = played(folder, "openspiel/go(board_size=5)", "bots/gnugo", "dice")
    assert (row["reason"], row["faults"]) == ("finished", [])
    assert row["player0_score"] == 100


def test_an_othello_engine_of_debian_plays_a_whole_match_against_dice(folder):
    path = shutil.which("gtp-rhino", path="/usr/games:/usr/bin")
    if path is None:
        pytest.skip("gtp-rhino is not installed: apt-get install grhino")
    bot(folder, "rhino", "gtp", {}, command=path)
    row = played(folder, "openspiel/othello", "bots/rhino", "dice")
    assert (row["reason"], row["faults"]) == ("finished", [])
    assert row["player0_score"] == 100
