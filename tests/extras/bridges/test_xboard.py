"""Chess engines that speak as XBoard does play openspiel/chess: scripted ones for what goes wrong,
and Debian's.
"""

import shutil
from pathlib import Path

import pytest

from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces

pytest.importorskip("pyspiel")
CHESS = "openspiel/chess"
SCRIPTED = Path(__file__).with_name("scripted_xboard.py").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("xboard") / "ws"
    return workspaces.make(
        folder, {"last": cup.LAST}, CHESS, time={"start": 10.0, "move": 2.0}, faults={"strikes": 0}
    )


def scripted(folder, name, script, **options):
    path = folder / "bots" / name
    if not path.exists():
        command = ["python", "engine.py", *script.split()]
        bot(folder, name, "xboard", {"engine.py": SCRIPTED}, command=command, options=options)
    return f"bots/{name}"


def test_an_engine_plays_and_hears_the_moves_of_the_other_side(folder):
    white = scripted(folder, "white", "e2e4 g1f3 e1g1 crash", sd=1)
    black = scripted(folder, "black", "e7e5 b8c6 b8c6")
    row = played(folder, CHESS, black, white)  # OpenSpiel's player0 has the black pieces
    assert moves(row) == ["e4", "e5", "Nf3", "Nc6"]
    assert row["turns"][0]["remarks"] == ("depth=7 nodes=99 eval=-0.34",)
    assert "answered 'e1g1'" in fault(row)[1]


@pytest.mark.parametrize(
    ("script", "ending", "words"),
    [
        ("e2e5", "illegal_move", "engine.py answered 'e2e5'"),
        ("resign", "illegal_move", "engine.py answered 'resign {so it says}'"),
        pytest.param(
            "1/2-1/2",
            "illegal_move",
            "engine.py answered '1/2-1/2 {so it says}'",
            marks=pytest.mark.soak,
        ),
        ("crash", "crashed", "the engine engine.py ended with exit status 7 after 'go'"),
        pytest.param(
            "flood",
            "crashed",
            "the engine engine.py printed more than 4 MB after 'go'",
            marks=pytest.mark.soak,
        ),
        ("refuse", "crashed", "the engine engine.py said 'Illegal move: a2a3'"),
    ],
)
def test_a_fault_of_an_engine_is_told_in_words_that_name_the_engine(folder, script, ending, words):
    engine = scripted(folder, script.replace("/", ""), script)
    bots = ("last", engine) if script != "refuse" else (engine, "first")
    if script == "refuse":
        (folder / "bots" / "first.py").write_text(cup.FIRST)
    row = played(folder, CHESS, *bots)
    assert fault(row)[0] == ending
    assert words in fault(row)[1]


def test_an_engine_that_hangs_loses_on_time_and_the_verdict_names_it(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws", {"last": cup.LAST}, CHESS, time={"start": 10.0, "move": 0.3}
    )
    ending, words = fault(played(folder, CHESS, "last", scripted(folder, "hang", "hang")))
    assert ending == "timeout"
    assert "the engine engine.py has given no answer to '" in words


def test_an_engine_goes_on_from_the_move_that_was_played_in_place_of_its_own(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, CHESS, faults={"strikes": 1})
    row = played(folder, CHESS, "last", scripted(folder, "strikes", "e2e5 a1a8 h1h8"))
    assert row["turns"][0]["by"] == "strike"
    assert "answered 'a1a8'" in fault(row)[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"Styl": "Solid"}, "has no option 'Styl'; did you mean 'Style'?"),
        pytest.param(
            {"cores": 2},
            "has no option 'cores'; it has: sd, memory, Style, Use Book, Contempt",
            marks=pytest.mark.soak,
        ),
        pytest.param(
            {"Style": "Risky"},
            "takes as 'Style' one of Solid, Very Risky, and not 'Risky'",
            marks=pytest.mark.soak,
        ),
        ({"Contempt": 11}, "takes as 'Contempt' -10 to 10, and not '11'"),
        ({"sd": 2}, "engine.py said 'Error (unknown command): sd 2'"),
        pytest.param(
            {"memory": "much"},
            "takes as 'memory' a whole number, and not 'much'",
            marks=pytest.mark.soak,
        ),
    ],
)
def test_an_option_that_an_engine_does_not_take_is_told_before_the_match(folder, options, words):
    (pair,) = options.items()
    name = f"{pair[0]}{pair[1]}".replace(" ", "")
    ending, found = fault(played(folder, CHESS, "last", scripted(folder, name, "e2e4", **options)))
    assert ending == "crashed"
    assert words in found


def test_options_that_an_engine_takes_may_be_of_any_kind_and_case(folder):
    options = {"style": "Very Risky", "Use Book": False, "Contempt": -3, "memory": 8}
    path = scripted(folder, "well", "e2e4 crash", **options)
    assert moves(played(folder, CHESS, "last", path))[0] == "e4"


def test_an_engine_of_the_first_version_of_the_protocol_plays_too(folder):
    path = scripted(folder, "veteran", "old e2e4 crash")
    assert moves(played(folder, CHESS, "last", path))[0] == "e4"


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["fairymax", "phalanx"])
def test_an_engine_of_debian_plays_a_whole_match_and_wins(tmp_path, engine):
    path = shutil.which(engine, path="/usr/games:/usr/bin")
    if path is None:
        pytest.skip(f"{engine} is not installed: apt-get install {engine}")
    folder = workspaces.make(
        tmp_path / "ws", {"last": cup.LAST}, CHESS, time={"start": 10.0, "move": 0.1}
    )
    options = {"sd": 1} if engine == "fairymax" else {}  # phalanx has no such command
    bot(folder, engine, "xboard", {}, command=[path], options=options)
    row = played(folder, CHESS, "last", f"bots/{engine}")
    assert (row["reason"], row["faults"]) == ("finished", [])
    assert row["player1_score"] == 100
