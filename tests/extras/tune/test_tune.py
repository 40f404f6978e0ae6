"""`arena tune` with real bots: the way, a kill, the test at the end, mistakes."""

import json
import signal
from pathlib import Path

import pytest

from arena import charts
from arena.errors import ArenaError
from arena.event import discovery, histories
from arena.extras.tune import history
from arena.results.leaderboard import Results
from tests.support import cup, workspaces
from tests.support.processes import until
from tests.support.programs import python

AIM = """\
command = "python bot.py {aim}"
[parameters]
aim = {low = 0, high = 10, start = 1}
"""
PROGRAM = python(
    "say('run' if draw.random() > abs(aim - 7) / 10 else 'rest')",
    first="import random\naim = int(sys.argv[1])\ndraw = random.Random()",
    each="if word == 'seed': draw.seed(rest)",
)
"""A bot that is the better the nearer its parameter is to 7."""
WORDS = ("tune", "ada", "--steps", "6", "--pairings", "3", "--seed", "5")
ONE_LANE, TWO_LANES = ("--workers", "1"), ("--workers", "2")


def workspace(folder: Path, settings: str = AIM) -> Path:
    made = workspaces.make(folder, {"first": cup.FIRST})
    (made / "bots/ada").mkdir()
    (made / "bots/ada/bot.toml").write_text(settings)
    (made / "bots/ada/bot.py").write_text(PROGRAM)
    return made


def steps_of(folder: Path) -> list[dict[str, object]]:
    file = folder / "results/tune-ada/tune.json"
    return json.loads(file.read_text())["steps"] if file.is_file() else []


@pytest.mark.soak
def test_a_tuning_that_was_killed_takes_the_same_way_and_proves_what_it_found(tmp_path):
    whole = workspace(tmp_path / "whole")
    with cup.first_chart_only():
        done = cup.arena(whole, *WORDS, *ONE_LANE, "--json")
    (row,) = json.loads(done.stdout)
    assert (done.returncode, row["verdict"]) == (0, "better"), done.stderr
    assert abs(row["best"]["aim"] - 7) < abs(row["start"]["aim"] - 7)
    killed = workspace(tmp_path / "killed")
    command = cup.Command(killed, *WORDS, *TWO_LANES)
    assert until(lambda: len(steps_of(killed)) >= 2, 60)
    command.signal(signal.SIGKILL)
    command.wait()
    with cup.first_chart_only():
        assert cup.arena(killed, *WORDS, *ONE_LANE).returncode == 0
    assert steps_of(killed) == steps_of(whole)
    assert len(steps_of(whole)) == 6
    with_chart = Results.open(whole / "results/tune-ada")
    assert len(charts.render("tune", with_chart).axes) == 1
    with_chart.close()
    refused = cup.arena(whole, *WORDS, "--steps", "7")
    assert cup.refused(refused, "this tuning was begun with another bot, seed, boards or numbers")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ('command = "python bot.py"\n', "parameters: none are declared"),
        (AIM.replace("{aim}", "3"), "the command has no {aim}"),
        (AIM.replace("high = 10", "high = 0"), "expected low <= start <= high"),
        (AIM.replace("start = 1", "start = nan"), "expected finite numbers"),
        (AIM.replace("start = 1", "start = 1, step = 0"), "parameters.aim.step"),
        (AIM.replace("start = 1", "begin = 1"), "parameters.aim.begin"),
        (AIM.replace("start = 1", "start = 1, step = 11"), "a step that is not longer"),
    ],
)
def test_what_cannot_be_tuned_is_one_line_that_names_the_key(tmp_path, settings, words):
    done = cup.arena(workspace(tmp_path, settings), "tune", "ada")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tuning_whose_folder_another_process_holds_is_one_line(tmp_path):
    made = workspace(tmp_path)
    with histories.locked(made / "results/tune-ada", ".tune.lock", "this tuning"):
        done = cup.arena(made, "tune", "ada")
    line = "results/tune-ada: this tuning is under way in another process"
    assert cup.refused(done, line)


@pytest.mark.parametrize("change", [{"guess": {}}, {"up": {"aim": "seven"}}, {"difference": None}])
def test_a_damaged_history_is_one_line_that_names_the_file(tmp_path, change):
    step = {"up": {"aim": 1.0}, "down": {"aim": 2.0}, "difference": 0.0, "guess": {"aim": 1.0}}
    table = {"settings": "", "bot": "ada", "ranges": {}, "start": {"aim": 1.0}, "format": 1}
    (tmp_path / history.FILE).write_text(json.dumps(table | {"steps": [step]}))
    assert len(history.read(tmp_path).steps) == 1
    (tmp_path / history.FILE).write_text(json.dumps(table | {"steps": [step | change]}))
    with pytest.raises(ArenaError, match=r"tune\.json: cannot be read: it is damaged"):
        history.read(tmp_path)


def test_a_bot_with_parameters_plays_with_their_start_values(tmp_path):
    made = workspace(tmp_path, AIM.replace("{aim}", "{aim} --depth={aim}"))
    bot = discovery.from_path(made / "bots/ada", "ada")
    assert bot.command[-2:] == ("1", "--depth=1")
    (made / "bots/ada/bot.toml").write_text(AIM.replace("start = 1", "start = 2.5, step = 0.5"))
    other = discovery.from_path(made / "bots/ada", "ada")
    assert other.command[-1:] == ("2.5",)
    assert other.digest != bot.digest
