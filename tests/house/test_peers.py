"""The players that `benchmarks/peers.py` gives to our peers, and the picture that the benchmarks
draw.
"""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import peers
import picture
import side_by_side

del sys.path[0]  # where `rules` is a file, and the rules of the games would no longer be found

STAND_IN = """\
#!{python}
import subprocess, sys
words = " ".join(sys.argv[1:])
options = dict(word.split("=", 1) for word in sys.argv if "=" in word)
after = lambda name: int(sys.argv[sys.argv.index(name) + 1])
assert "-engine cmd=" in words and "-each tc=60+10" in words
command = [options["cmd"], *options["args"].split()]
engines = [subprocess.Popen(command, stdin=-1, stdout=-1, text=True, bufsize=1) for _ in "ab"]

def ask(engine, text, until):
    engine.stdin.write(text)
    while not (line := engine.stdout.readline()).startswith(until):
        assert line
    return line.split()

for engine in engines:
    ask(engine, "uci\\n", "uciok"), ask(engine, "isready\\n", "readyok")
for number in range(after("-rounds") * after("-games")):
    moves = []
    while len(moves) < {plies}:
        said = "position startpos" + " moves " * bool(moves) + " ".join(moves)
        asked = engines[(len(moves) + number) % 2]
        moves.append(ask(asked, said + "\\ngo wtime 60000 btime 60000\\n", "bestmove")[1])
    print("Finished game", number + 1)
    if "file" in options:
        with open(options["file"], "a") as record:
            record.write('[Round "%d"]\\n[PlyCount "%d"]\\n' % (number // after("-games") + 1, len(moves)))
            record.write(" ".join(moves) + "\\n")
for engine in engines:
    engine.communicate("quit\\n")
    assert engine.returncode == 0
"""
"""It plays as fastchess does, as far as an engine can tell, and knows no rules. It plays rounds of
games between two engines that change sides, appends to its record, and where stdout is a pipe it
prints its lines at its end."""
LANGUAGES = [
    "Python",
    pytest.param("C", marks=pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")),
]


def player(language: str, name: str, text: str, folder: Path) -> tuple[str, ...]:
    if language == "C":
        return (str(side_by_side.compiled(f"{name}.c")),)
    (folder / f"{name}.py").write_text(text)
    return (sys.executable, str(folder / f"{name}.py"))


def test_the_game_of_the_engines_has_its_length_and_no_position_three_times():
    board = {
        f"{file}{rank}": f"{file}{rank}" for file in "abcdefgh" for rank in "1278"
    }  # each piece by its first square
    moves, seen = list(peers.chess_game()), Counter()
    for ply, move in enumerate(moves):
        assert move[2:] not in board  # nothing is taken
        board[move[2:]] = board.pop(move[:2])
        seen[ply % 2, frozenset(board.items())] += 1
    assert len(moves) == peers.PLIES
    assert max(seen.values()) <= 2


def stand_in(folder: Path, plies: int) -> Path:
    program = folder / f"fastchess{plies}"
    program.write_text(STAND_IN.format(python=sys.executable, plies=plies))
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_engine_plays_whole_games_as_fastchess_asks_and_others_are_refused(language, tmp_path):
    (tmp_path / "game").write_text("\n".join(peers.chess_game()))
    engine = (*player(language, "uci_engine", peers.UCI_ENGINE, tmp_path), str(tmp_path / "game"))
    for _ in range(2):  # as for one lane and for two
        peers.check_fastchess(stand_in(tmp_path, peers.PLIES), engine, tmp_path)
    assert (tmp_path / "games.pgn").read_text().count(" ".join(peers.chess_game())) == 4
    with pytest.raises(
        SystemExit, match="rounds of 2, 2 games, and games of 40, 40, 40, 40 plies, instead of two"
    ):
        peers.check_fastchess(stand_in(tmp_path, 40), engine, tmp_path)


def test_fastchess_is_measured_by_the_difference_of_runs_that_is_long_enough(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "LEAST_S", 0.1)
    (tmp_path / "game").write_text("\n".join(peers.chess_game()))
    engine = (*player("Python", "uci_engine", peers.UCI_ENGINE, tmp_path), str(tmp_path / "game"))
    command = peers.fastchess(stand_in(tmp_path, peers.PLIES), engine, 1)
    figures = peers.fastchess_figures(command, 1, tmp_path)()
    assert 0 < figures.cpu_ms < 10_000
    assert 0 < figures.plies_a_second < 40 * 4**5 * peers.PLIES / peers.LEAST_S


def test_runs_of_fastchess_that_take_equally_long_are_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "MOST", 100)
    measure = peers.fastchess_figures(lambda _: ["/bin/true"], 1, tmp_path)
    with pytest.raises(
        SystemExit, match=r"^/bin/true: 176 games took .* and 4 games .* too little of a difference"
    ):
        measure()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_referee_of_brutaltester_asks_both_players_in_turn_and_ends(language, tmp_path):
    referee = (*player(language, "cg_referee", peers.CG_REFEREE, tmp_path), "100")
    asks = player(language, "cg_player", peers.CG_PLAYER, tmp_path)
    answers = subprocess.run(
        asks, input="turn 0\n" * 100, capture_output=True, text=True, check=True
    ).stdout
    assert answers == "north\n" * 100
    said = subprocess.run(
        referee, input="###Start 2\n" + answers, capture_output=True, text=True, check=True
    ).stdout
    turns = [f"###Input {turn % 2}\nturn {turn}\n###Output {turn % 2} 1\n" for turn in range(100)]
    assert said == "".join(turns) + "###End 0 1\n"


def test_cpu_time_is_that_of_a_process_and_of_all_its_children():
    busy = "import time\nwhile time.process_time() < 0.1: pass\n"
    waits = busy + "print('ready', flush=True); input()"
    script = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-I', '-S', '-c', {busy!r}])\n"
        f"subprocess.run([sys.executable, '-I', '-S', '-c', {waits!r}])\n"
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert 0.18 <= peers.cpu_seconds(process.pid) <= 2  # ticks of 0.01 s
        process.communicate("\n")


def test_a_brutaltester_that_ends_before_its_last_game_has_no_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "JAVA_FEW", 2)
    monkeypatch.setattr(peers, "JAVA_MANY", 5)
    line = "12:00:00,000 INFO  [OldGameThread] End of game 1: 0 1"
    lines = lambda games: ["/bin/sh", "-c", (f"for game in $(seq {games}); do echo '{line}'; done")]  # noqa: E731
    assert peers.brutaltester_figures(lines, tmp_path)().plies_a_second > 0
    with pytest.raises(SystemExit, match="played 4 games, exit status 0"):
        peers.brutaltester_figures(lambda games: lines(games - 1), tmp_path)()


def test_a_peer_that_is_not_given_is_skipped_in_a_word_and_a_wrong_path_is_refused(
    capsys, monkeypatch
):
    monkeypatch.setattr(sys, "argv", ["peers.py"])
    assert (peers.arguments().fastchess, peers.arguments().brutaltester) == (None, None)
    assert "skipped: fastchess; give its path: --fastchess PATH" in capsys.readouterr().err
    for option in ("--fastchess", "--brutaltester"):
        monkeypatch.setattr(sys, "argv", ["peers.py", option, "/nonexistent"])
        with pytest.raises(SystemExit):
            peers.arguments()
        assert f"{option} /nonexistent: no such" in capsys.readouterr().err


def test_the_picture_of_what_was_measured_has_a_panel_for_each_table(tmp_path):
    rows = {"a loop in C": [48.5, 42.8, 58.8], "whole turns": [125.0, 105.0, 160.0]}
    picture.draw(
        tmp_path / "turns.png",
        "What a turn costs",
        "two cores",
        [picture.Panel("A turn", "us", rows)] * 2,
    )
    assert (tmp_path / "turns.png").read_bytes().startswith(b"\x89PNG")
