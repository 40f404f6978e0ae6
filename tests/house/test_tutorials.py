"""The two tutorials, from an empty folder to their end."""

import csv
import re

import pytest

from arena.results.leaderboard import Results
from tests.support import cup, tutorial

QUICK = {"doctor": ["--no-measure"], "run": ["--no-charts", "--workers", "1"]}
ID = re.compile(r"\b[0-9a-f]{12}\b")
TOURNAMENT, CLASS, AUTHORS = (
    (tutorial.DOCS / name).read_text("utf-8") for name in ("first-tournament.md", "class.md", "bot-authors.md")
)


@pytest.fixture(scope="module", autouse=True)
def hurried():
    with cup.first_chart_only():
        yield


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    # Two repeats instead of five, and the same dice each time: `arena init` draws another seed for each workspace.
    quick = QUICK | {"run": [*QUICK["run"], "--repeats", "2", "--seed", "1"]}
    return tutorial.follow(TOURNAMENT, tmp_path_factory.mktemp("first"), quick)


@pytest.fixture(scope="module")
def homework(tmp_path_factory):
    (shortest, *_) = (text for language, text in tutorial.FENCE.findall(AUTHORS) if language == "python")
    folder = tmp_path_factory.mktemp("homework")
    return tutorial.follow(CLASS, folder, QUICK, {"handed_in/s2.py": shortest})


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


def test_the_idea_of_the_first_tournament_makes_its_bot_better(first):
    folder, _ = first
    table = Results.open(folder / "results" / "cup").leaderboard().set_index("bot")
    assert set(table.index) == {"ada", "dice", "sampler"}
    assert table["points"]["ada"] > table["points"]["dice"] + 10


def test_the_class_gets_the_marks_that_the_page_shows(homework):
    folder, done = homework
    failed = [step.args[0] for step in done if step.returncode]
    assert failed == ["submit"]  # one of the class is refused
    assert done[1].stdout.endswith("\n\nevents can be played here\n")
    (printed,) = (step.stdout for step in done if step.args[0] == "grade")
    shown = [text for language, text in tutorial.FENCE.findall(CLASS) if language == "text"]
    assert [line.rstrip() for line in ID.sub("ID", printed).splitlines()] == ID.sub("ID", shown[0]).splitlines()
    with (folder / "results/homework/grades.csv").open(encoding="utf-8") as file:
        reasons = [row[f"reason_{number}"] for row in list(csv.DictReader(file))[:2] for number in (1, 2)]
    assert reasons == shown[1].splitlines()


def test_each_student_of_the_class_gets_a_page_and_a_letter(homework):
    folder, _ = homework
    written = {path.name for path in (folder / "results/homework/for").iterdir()}
    assert {"Ada_Lovelace.html", "Ada_Lovelace.txt", "Ben_Okoro.html", "Cleo_Diaz.txt"} <= written
    assert (folder / "letters").is_dir()
