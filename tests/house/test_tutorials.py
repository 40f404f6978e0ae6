"""The first tutorial, from an empty folder to its end."""

import re

import pytest

from arena.results.leaderboard import Results
from tests.support import cup, tutorial

QUICK = {"doctor": ["--no-measure"], "run": ["--no-charts", "--workers", "1"]}
TOURNAMENT = (tutorial.DOCS / "first-tournament.md").read_text("utf-8")


@pytest.fixture(scope="module", autouse=True)
def hurried():
    with cup.first_chart_only():
        yield


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    # Two repeats instead of five, and the same dice each time: `arena init` draws another seed for
    # each workspace.
    quick = QUICK | {"run": [*QUICK["run"], "--repeats", "2", "--seed", "1"]}
    return tutorial.follow(TOURNAMENT, tmp_path_factory.mktemp("first"), quick)


@pytest.mark.soak
def test_the_first_tournament_can_be_followed(first):
    folder, done = first
    assert [(step.args[0], step.stderr) for step in done if step.returncode] == []
    _, played, again = (step for step in done if step.args[0] == "run")
    assert re.search(r"standard +30 +0 ", cup.arena(folder, "run", "--plan").stdout)
    assert "12 matches, 4 of them played before" in again.stderr
    columns = re.findall(r"^\| `([\w %]+)` \|", TOURNAMENT, re.MULTILINE)
    (shown,) = (text for language, text in tutorial.FENCE.findall(TOURNAMENT) if language == "text")
    assert played.stdout.splitlines()[0].split() == shown.splitlines()[0].split()
    assert [column for column in columns if column not in shown] == []
    assert (folder / "results/cup/report.html").is_file()


@pytest.mark.soak
def test_the_idea_of_the_first_tournament_makes_its_bot_better(first):
    folder, _ = first
    table = Results.open(folder / "results" / "cup").leaderboard().set_index("bot")
    assert set(table.index) == {"ada", "dice", "sampler"}
    assert table["points"]["ada"] > table["points"]["dice"] + 10
