"""Chess engines play openspiel/chess behind the bridge uci: scripted ones for what goes wrong, and
Debian's.
"""

import json
import shutil
from pathlib import Path

import pytest

from arena.event import config, discovery
from arena.results.leaderboard import Results
from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces

pytest.importorskip("pyspiel")
CHESS = "openspiel/chess"
SCRIPTED = Path(__file__).with_name("scripted_uci.py").read_text()
CLOCKS = {"start": 10.0, "move": 2.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uci") / "ws"
    return workspaces.make(folder, {"last": cup.LAST}, CHESS, time=CLOCKS)


def scripted(folder, name, script, **options):
    path = folder / "bots" / name
    if not path.exists():
        command = ["python", "engine.py", *script.split()]
        bot(folder, name, "uci", {"engine.py": SCRIPTED}, command=command, options=options)
    return f"bots/{name}"


def test_an_engine_plays_each_kind_of_move(folder):
    # White castles and promotes; both sides name their moves as UCI has them.
    white = scripted(
        folder, "white", "g1f3 g2g3 f1g2 e1g1 h2h4 h4h5 h5g6 g6h7 h7g8q crash", go="depth 1"
    )
    black = scripted(folder, "black", "a7a6 a6a5 a5a4 a4a3 g7g6 b7b6 b6b5 b5b4 b4b3", go="depth 1")
    row = played(folder, CHESS, black, white)  # OpenSpiel's player0 has the black pieces
    assert moves(row)[::2] == ["Nf3", "g3", "Bg2", "O-O", "h4", "h5", "hxg6", "gxh7", "hxg8=Q"]
    assert row["turns"][0]["remarks"] == ("depth=7 nodes=99 eval=-0.34",)
    assert fault(row)[0] == "crashed"


def test_an_engine_is_told_the_moves_so_far_and_the_time_that_it_has(folder):
    white = scripted(folder, "asked", "e2e4 crash")
    row = played(folder, CHESS, scripted(folder, "answers", "e7e5"), white)
    assert moves(row) == ["e4", "e5"]
    (record,) = json.loads(
        cup.arena(folder, "match", "bots/answers", white, "--board", CHESS, "--json").stdout
    )
    assert "ended with exit status 7 after 'go movetime 19" in fault(record)[1]


@pytest.mark.parametrize(
    ("script", "ending", "words"),
    [
        ("crash", "crashed", "the engine engine.py ended with exit status 7 after 'go movetime"),
        ("close", "crashed", "the engine engine.py closed its output after 'go movetime"),
        ("e2e5", "illegal_move", "engine.py answered 'bestmove e2e5'"),
        ("(none)", "illegal_move", "engine.py answered 'bestmove (none)'"),
        ("flood", "crashed", "the engine engine.py printed more than 4 MB after 'go movetime"),
        ("line", "crashed", "the engine engine.py printed a line of more than 65536 bytes after"),
    ],
)
def test_a_fault_of_an_engine_is_told_in_words_that_name_the_engine(folder, script, ending, words):
    row = played(folder, CHESS, "last", scripted(folder, script.strip("()"), script))
    assert fault(row)[0] == ending
    assert words in fault(row)[1]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uci") / "quick"
    return workspaces.make(folder, {"last": cup.LAST}, CHESS, time={"start": 1.5, "move": 0.3})


def test_an_engine_that_hangs_loses_on_time_and_the_verdict_names_it(quick):
    ending, words = fault(played(quick, CHESS, "last", scripted(quick, "hang", "hang")))
    assert ending == "timeout"
    assert "the engine engine.py has given no answer to 'go movetime 270'" in words


def test_an_engine_that_hangs_at_its_start_is_named_too(quick):
    ending, words = fault(played(quick, CHESS, "last", scripted(quick, "sleeps", "hang-start")))
    assert ending == "timeout"
    assert "the engine engine.py has given no answer to 'uci'" in words


def test_an_engine_that_would_think_on_is_told_to_stop(quick):
    row = played(quick, CHESS, "last", scripted(quick, "slow", "slow crash"))
    assert moves(row)[0] == "e4"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"Hsh": 1}, "has no option 'Hsh'; did you mean 'Hash'?"),
        ({"Threads": 1}, "has no option 'Threads'; it has: Hash, Use Book, Style"),
        ({"Hash": 9}, "takes as 'Hash' 1 to 8, and not '9'"),
        ({"Hash": "much"}, "takes as 'Hash' a whole number, and not 'much'"),
        ({"Use Book": "no"}, "takes as 'Use Book' true or false, and not 'no'"),
        ({"Style": "Risky"}, "takes as 'Style' one of Solid, Very Risky, and not 'Risky'"),
    ],
)
def test_an_option_that_an_engine_does_not_take_is_told_before_the_match(folder, options, words):
    name = "-".join(str(word) for pair in options.items() for word in pair).replace(" ", "")
    ending, found = fault(played(folder, CHESS, "last", scripted(folder, name, "e2e4", **options)))
    assert ending == "crashed"
    assert "the engine engine.py" in found
    assert words in found


def test_options_that_an_engine_takes_may_be_of_any_kind_and_case(folder):
    options = {"hash": 8, "Use Book": False, "Style": "Very Risky"}
    path = scripted(folder, "well", "e2e4 crash", **options)
    assert moves(played(folder, CHESS, "last", path))[0] == "e4"


def test_an_engine_that_cannot_be_started_is_named(folder):
    path = bot(folder, "absent", "uci", {"notes.txt": ""}, command="./no-such-engine")
    assert (
        "the engine no-such-engine cannot be started: No such file"
        in fault(played(folder, CHESS, "last", path))[1]
    )


def test_a_board_that_is_not_chess_is_refused(folder):
    row = played(folder, "openspiel/breakthrough", "last", scripted(folder, "lost", "e2e4"))
    assert (
        "the bridge uci plays openspiel/chess, and the match is openspiel/breakthrough"
        in fault(row)[1]
    )


def test_an_engine_behind_a_bridge_is_allowed_its_process_and_no_other_bot_is(folder):
    forks = "import os\nos.fork()\nfrom arena.kit import run\nrun(lambda turn: turn.legal[0])\n"
    (folder / "bots" / "forks.py").write_text(forks)
    assert "processes = 2" in fault(played(folder, CHESS, "last", "forks"))[1]


def test_an_organiser_may_allow_no_engine_behind_a_bridge(folder):
    scripted(folder, "allowed", "e2e4")
    bot = discovery.from_path(folder / "bots" / "allowed")
    default = config.load(folder / "tournament.toml")
    assert default.as_entered(bot).processes == 2
    for table in (
        {"limits": default.limits.model_copy(update={"bridges": False})},
        {"time": default.time.model_copy(update={"clock": "cpu"})},
    ):
        tournament = default.model_copy(update=table)
        assert tournament.as_entered(bot).processes is None
        (request,) = tournament.unmet_requests(bot)
        assert request.startswith("allowed starts an engine behind a bridge")


def test_a_bridge_in_tournament_toml_starts_a_program_that_is_in_no_folder(tmp_path):
    engine = {
        "name": "engine",
        "command": "python scripted.py e2e4 crash",
        "bridge": "uci",
        "options": {"Hash": 2},
    }
    folder = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, CHESS, bot=[engine])
    (folder / "scripted.py").write_text(SCRIPTED)
    assert moves(played(folder, CHESS, "last", "engine"))[0] == "e4"
    engine = {"name": "engine", "path": "bots/last.py", "bridge": "uci"}
    folder = workspaces.make(tmp_path / "other", {"last": cup.LAST}, CHESS, bot=[engine])
    refused = cup.arena(folder, "bots")
    assert refused.returncode == 2
    assert "bot 'engine': bridge: only for a bot with a `command`" in refused.stderr


@pytest.mark.soak
def test_engines_play_an_event_with_processes_that_stay_and_it_can_be_verified(tmp_path):
    folder = workspaces.make(
        tmp_path / "ws",
        {"last": cup.LAST},
        CHESS,
        keep=True,
        max_matches=4,
        repeats=2,
        workers={"count": 1},
    )
    scripted(folder, "stays", "e2e4 e2e5")
    done = cup.arena(folder, "run", "--no-charts")
    assert done.returncode == 0, done.stderr
    turns = Results.open(folder / "results" / "cup").turns()
    assert {*turns[turns["bot"] == "stays"]["move"]} >= {"e4"}
    assert cup.arena(folder, "verify").returncode == 0


@pytest.mark.parametrize(
    "engine", ["stockfish", pytest.param("gnuchess --uci", marks=pytest.mark.soak)]
)
def test_an_engine_of_debian_plays_whole_matches_against_itself(folder, engine):
    program, *words = engine.split()
    path = shutil.which(program, path="/usr/games:/usr/bin")
    if path is None:
        pytest.skip(f"{program} is not installed: apt-get install {program}")
    bot(folder, program, "uci", {}, command=[path, *words], options={"go": "depth 1"})
    row = played(folder, CHESS, f"bots/{program}", f"bots/{program}")
    assert (row["reason"], row["faults"]) == ("finished", [])
    assert len(row["turns"]) > 20
