"""`arena duel --bisect` with real bots: submitted versions, folders, a kill, mistakes."""

import json
import shutil
import signal
from pathlib import Path

import pytest

from tests.support import cup, workspaces
from tests.support.processes import until
from tests.support.programs import python

PROGRAM = python(
    "say('run' if draw.random() > {slow} else 'rest')",
    first="import random\ndraw = random.Random()",
    each="if word == 'seed': draw.seed(rest)",
)
"""A bot that rests now and then; the seed of the match fixes when."""
GOOD, BAD = PROGRAM.replace("{slow}", "0.05"), PROGRAM.replace("{slow}", "1")
WIDE = ("--points", "0", "80", "--workers", "1")
ABSENT = "raise SystemExit(1)\n"


def bisect(folder: Path, versions: str, *words: str):
    return cup.arena(folder, "duel", "--bisect", versions, *WIDE, *words)


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> Path:
    """Return a workspace with a folder of versions.

    The third never starts, the fourth cannot be built, and the tenth is bad.
    """
    made = workspaces.make(tmp_path_factory.mktemp("bisect") / "ws", {"bob": cup.FIRST})
    (made / "history").mkdir()
    for number, text in ((1, GOOD), (2, GOOD), (3, ABSENT), (10, BAD)):
        (made / f"history/v{number}.py").write_text(f"{text}# {number}\n")
    broken = made / "history/v4"
    broken.mkdir()
    (broken / "bot.toml").write_text('command = "python bot.py"\nbuild = "false"\n')
    (broken / "bot.py").write_text(GOOD)
    return made


@pytest.mark.soak
def test_the_version_that_lost_is_found_among_submissions_also_after_a_kill(tmp_path):
    made = workspaces.make(tmp_path / "whole", {"bob": cup.FIRST})
    source = tmp_path / "ada.py"
    for number in range(1, 5):
        source.write_text(f"{GOOD if number < 3 else BAD}# {number}\n")
        done = cup.arena(made, "submit", str(source))
        assert done.returncode == 0, done.stdout
    killed = shutil.copytree(made, tmp_path / "killed", symlinks=True)
    whole = bisect(made, "ada@1..ada@4")
    assert whole.returncode == 0, whole.stderr
    assert "found: ada@3 is worse than ada@2" in whole.stdout
    assert "diff -r bots/_versions/ada/2/ada.py bots/_versions/ada/3/ada.py" in whole.stdout

    command = cup.Command(killed, "duel", "--bisect", "ada@1..ada@4", *WIDE)
    stored = killed / "results/bisect-ada@1-ada@4/duels"
    assert until(lambda: len(list(stored.glob("*/event.sqlite"))) >= 2, 60)
    command.signal(signal.SIGKILL)
    command.wait()
    resumed = bisect(killed, "ada@1..ada@4")
    assert (resumed.returncode, resumed.stdout) == (0, whole.stdout)


@pytest.mark.soak
def test_a_folder_is_a_history_and_versions_that_cannot_play_are_left_out(history):
    done = bisect(history, "history/v1.py..history/v10.py", "--json")
    (row,) = json.loads(done.stdout)
    assert (done.returncode, row["verdict"]) == (0, "found"), done.stderr
    assert (row["before"], row["culprit"]) == ("v2", "v10")
    pairs = [(step["first"], step["second"], step["worse"]) for step in row["steps"]]
    assert pairs == [("v1", "v10", True), ("v1", "v2", False), ("v2", "v10", True)]
    assert "v3 is left out: v3 " in done.stderr
    assert "v4 is left out: v4: " in done.stderr


def test_a_range_whose_end_never_starts_is_one_line_with_the_reason(history):
    end = bisect(history, "history/v1.py..history/v3.py")
    assert (end.returncode, end.stdout, "Traceback" in end.stderr) == (2, "", False)
    assert end.stderr.splitlines()[-1].startswith("v3 ")


def test_the_exit_code_says_whether_the_last_is_not_worse_or_undecided(history):
    same = bisect(history, "history/v1.py..history/v2.py")
    assert (same.returncode, "no: v2 is not worse than v1" in same.stdout) == (1, True)
    short = bisect(history, "history/v2.py..history/v10.py", "--max-pairings", "1")
    assert (short.returncode, "undecided" in short.stdout) == (3, True), short.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bisect", "ada@1"), "name the oldest and the newest version: ada@1..ada@9"),
        (("--bisect", "history/v1.py.."), "name the oldest and the newest version"),
        (("--bisect", "ada@1..ada@3"), "no version of 'ada' was submitted"),
        (("--bisect", f"{'a' * 300}..{'b' * 300}"), "there is no bot"),
        (("--bisect", "bob..bob"), "name two versions of one bot"),
        (("--bisect", "history/v10.py..history/v1.py"), "name the older version first"),
        (("--bisect", "history/v1.py..bots/bob.py"), "both must be in one folder"),
        (("--bisect", "history/v1.py..history/v10.py", "bob"), "leave out the two bots"),
        (("--bisect", "history/v1.py..history/v10.py", "--no-faults"), "--no-faults is for a duel"),
        (("--bisect", "history/v1.py..history/v1.py"), "name the older version first"),
        ((), "arena duel: the argument BOT is missing"),
    ],
)
def test_a_range_that_is_none_is_one_line_that_says_what_to_name(history, words, said):
    assert cup.refused(cup.arena(history, "duel", *words), said)
