"""Programs that read the lines of their own game play by a template, in Python and in C."""

import shutil
import subprocess

import pytest

from tests.extras.bridges.bridged import bot, fault, moves, played
from tests.support import cup, workspaces

TIC_TAC_TOE = {
    "move": "{sign}({row},{column})",
    "answer": "{row} {column}",
    "turn": ["{last.row} {last.column}", "count legal", "for legal: {row} {column}"],
}
IN_PYTHON = """\
import sys
while True:
    row, column = map(int, input().split())
    cells = [input() for _ in range(int(input()))]
    print(row, column, len(cells), file=sys.stderr, flush=True)
    {action}
"""
IN_C = """\
#include <stdio.h>
int main(void) {
    int row, column, count;
    while (scanf("%d %d %d", &row, &column, &count) == 3) {
        for (int i = 0; i < count; i++) scanf("%d %d", &row, &column);
        printf("%d %d\\n", row, column);
        fflush(stdout);
    }
    return 0;
}
"""
FOUR = {
    "move": "drop {x}",
    "answer": "{x - 1}",
    "facts": ["grid {columns} {rows}"],
    "start": ["{me} {1 - me} {columns} {rows}"],
    "turn": ["{turn}", "for disc {who} {x} {y}: {who} {x - 1} {rows - y}", "{last.x - 1}"],
}
READS = """\
import sys
me, other, columns, rows = map(int, input().split())
assert (other, columns, rows) == (1 - me, 7, 6)
while True:
    turn = int(input())
    discs = [tuple(map(int, input().split())) for _ in range(turn - 1)]
    assert all(disc == (number % 2, 3, 5 - number) for number, disc in enumerate(sorted(
        discs, key=lambda disc: -disc[2]))), discs
    last = int(input())
    assert last == (-1 if turn == 1 else 3), last
    print("3;over there")
    sys.stdout.flush()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return workspaces.make(
        tmp_path_factory.mktemp("codingame") / "ws",
        {"last": cup.LAST},
        "connect_four",
        time={"start": 10.0, "move": 2.0},
    )


def tic_tac_toe(folder, name, action, **options):
    files = {"bot.py": IN_PYTHON.replace("{action}", action)}
    return bot(
        folder,
        name,
        "codingame",
        files,
        command="python bot.py",
        options=TIC_TAC_TOE | options,
    )


def test_a_program_in_python_and_one_in_c_play_by_a_template(folder):
    pytest.importorskip("pyspiel")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    first = tic_tac_toe(folder, "python", "print(cells[0], flush=True)")
    last = bot(folder, "c", "codingame", {"bot.c": IN_C}, command="./bot", options=TIC_TAC_TOE)
    subprocess.run([compiler, "-o", "bot", "bot.c"], check=True, cwd=folder / last)
    row = played(folder, "openspiel/tic_tac_toe", first, last)
    assert moves(row)[:4] == ["x(0,0)", "o(2,2)", "x(0,1)", "o(2,1)"]
    assert row["faults"] == []


def test_a_template_has_facts_sums_roles_as_numbers_and_the_last_move(folder):
    path = bot(
        folder, "reads", "codingame", {"bot.py": READS}, command="python bot.py", options=FOUR
    )
    row = played(folder, "connect_four", path, path)
    assert moves(row) == ["drop 4"] * 6
    assert fault(row)[0] == "illegal_move"
    assert "bot.py answered '3;over there'" in fault(row)[1]


def test_words_are_translated_in_lines_and_in_answers(folder):
    options = {
        "move": "move {way}",
        "answer": "{way}",
        "words": ["north UP", "south DOWN", "east RIGHT", "west LEFT"],
        "facts": ["size {low} {high}"],
        "turn": ["{players} {me}", "for at {who} {x} {y}: {x - low} {high - y}"],
    }
    text = """\
while True:
    count, me = map(int, input().split())
    heads = [tuple(map(int, input().split())) for _ in range(count)]
    assert count == 4, heads
    print("UP" if me in (0, 1) else "DOWN", flush=True)
"""
    path = bot(
        folder, "rides", "codingame", {"bot.py": text}, command="python bot.py", options=options
    )
    row = played(folder, "surround/nine", path, path, path, path)
    assert moves(row)[:4] == ["move north", "move north", "move south", "move south"]


@pytest.mark.parametrize(
    ("action", "ending", "words"),
    [
        ("print('3 3', flush=True)", "illegal_move", "bot.py answered '3 3'"),
        (
            "sys.exit(1)",
            "crashed",
            "the program bot.py ended with exit status 1 after '-1 -1 9 0 0",
        ),
        ("while True: print(' ' * 9999)", "crashed", "printed more than 4 MB after"),
        ("print('#' * 99999, flush=True)", "crashed", "printed a line of more than 65536 bytes"),
    ],
)
def test_a_fault_of_a_program_is_told_in_words_that_name_the_program(folder, action, ending, words):
    pytest.importorskip("pyspiel")
    path = tic_tac_toe(folder, f"fault-{ending}-{len(action)}", action)
    row = played(folder, "openspiel/tic_tac_toe", path, "last")
    assert fault(row)[0] == ending
    assert words in fault(row)[1]


def test_a_program_that_hangs_loses_on_time_and_the_verdict_names_it(tmp_path):
    pytest.importorskip("pyspiel")
    folder = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, time={"start": 10.0, "move": 0.3})
    path = tic_tac_toe(folder, "hang", "while True: pass")
    ending, words = fault(played(folder, "openspiel/tic_tac_toe", path, "last"))
    assert ending == "timeout"
    assert "the program bot.py has given no answer to '-1 -1 9 0 0" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"turns": ["{turn}"]}, "options: the bridge codingame knows no 'turns'"),
        ({"answer": ""}, "options: the bridge codingame needs `move`, a legal move with {names}"),
        ({"turn": ["{rows}"]}, "options: '{rows}': {rows} is no value; there are last.x, me,"),
        ({"turn": ["{x}"]}, "options: '{x}': {x} is no value"),
        ({"turn": ["{me * 2}"]}, "options: '{me * 2}': {me * 2} is no value"),
        ({"move": "drop {x} {x}"}, "options: move: 'drop {x} {x}': redefinition of group name"),
        ({"words": ["north"]}, "options: words: 'north': expected a word of the game and"),
        ({"facts": ["line {n}"], "turn": ["{turn - w}"]}, "{w} is no value"),
    ],
)
def test_a_mistake_in_a_template_is_told_before_the_first_turn(folder, options, words):
    name = f"mistake-{abs(hash(str(options)))}"
    options = {"move": "drop {x}", "answer": "{x}", **options}
    path = bot(
        folder, name, "codingame", {"bot.py": READS}, command="python bot.py", options=options
    )
    row = played(folder, "connect_four", path, "last")
    assert row["turns"] == []
    assert words in fault(row)[1]


@pytest.mark.soak
def test_a_kept_process_starts_the_program_again_for_each_match(tmp_path):
    pytest.importorskip("pyspiel")
    folder = workspaces.make(
        tmp_path / "ws",
        {"last": cup.LAST},
        "openspiel/tic_tac_toe",
        keep=True,
        repeats=2,
        workers={"count": 1},
    )
    tic_tac_toe(folder, "stays", "print(cells[0], flush=True)")
    assert cup.run_event(folder).returncode == 0
    (row,) = [row for row in cup.leaderboard(folder) if row["bot"] == "stays"]
    assert (row["matches"], row["forfeits"]) == ("4", "0")
