"""A bridge of an installed package, and bridges at each level of confinement."""

import json

import pytest

from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces

EXTENSION = """\
from arena.extensions import AddedBridge, Extension

EXTENSION = Extension(
    bridges={"numbers": AddedBridge(path="arena_numbers:programs/bridge.py", line="A number.")}
)
"""
BRIDGE = """\
import json, sys
from pathlib import Path
from arena.kit import run

options = json.loads(sys.argv[1])["options"]
number = Path(sys.argv[-1]).read_text() if sys.argv[2:] else "0"
beside = Path(__file__).with_name("beside.txt").read_text()
run(lambda turn: turn.legal[int(number) + options["more"] + int(beside)])
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder with an installed package that brings the bridge `numbers`."""
    site = tmp_path / "site"
    (site / "programs").mkdir(parents=True)
    (site / "arena_numbers.py").write_text(EXTENSION)
    (site / "programs" / "bridge.py").write_text(BRIDGE)
    (site / "programs" / "beside.txt").write_text("1")
    info = site / "arena_numbers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-numbers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[arena.extensions]\nnumbers = arena_numbers:EXTENSION\n"
    )
    monkeypatch.syspath_prepend(site)
    return site


def test_a_bridge_of_an_installed_package_plays_and_reads_the_files_beside_it(tmp_path, package):
    folder = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, "connect_four")
    path = bot(folder, "two", "numbers", {"two.txt": "2"}, command="./two.txt", options={"more": 3})
    assert moves(played(folder, "connect_four", path, "last"))[0] == "drop 7"
    (package / "programs" / "beside.txt").write_text("x")
    row = played(folder, "connect_four", path, "last")
    assert "invalid literal for int() with base 10: 'x'" in fault(row)[1]


ROWS = """\
def agent(observation):
    return observation.board.index(0)
"""
LINES = """\
while True:
    input()
    print([input() for _ in range(int(input()))][-1], flush=True)
"""
TEMPLATE = {
    "move": "{sign}({row},{column})",
    "answer": "{row} {column}",
    "turn": ["{last.row} {last.column}", "count legal", "for legal: {row} {column}"],
}


@pytest.mark.parametrize("level", ["landlock", "bubblewrap"])
def test_bridges_with_and_without_a_second_process_play_at_each_level(tmp_path, level):
    pytest.importorskip("pyspiel")
    board = "openspiel/tic_tac_toe"
    folder = workspaces.make(tmp_path / "ws", {}, board, sandbox=level)
    agent = bot(folder, "agent", "kaggle", {"agent.py": ROWS})
    program = bot(
        folder,
        "program",
        "codingame",
        {"bot.py": LINES},
        command="python bot.py",
        options=TEMPLATE,
    )
    done = cup.arena(folder, "match", agent, program, "--board", board, "--json")
    if "cannot be had here" in done.stderr:
        pytest.skip(done.stderr)
    (row,) = json.loads(done.stdout)
    assert row["faults"] == []
    assert moves(row)[:4] == ["x(0,0)", "o(2,2)", "x(0,1)", "o(2,1)"]
