"""The tutorial of a class, from an empty folder to its marks and letters."""

import csv
import re

import pytest

from tests.house.test_tutorials import QUICK
from tests.support import cup, tutorial

ID = re.compile(r"\b[0-9a-f]{12}\b")
AUTHORS = (tutorial.DOCS / "bot-authors.md").read_text("utf-8")
# What stands below the example are the details, which show commands that end with mistakes.
CLASS, _, _ = (
    (tutorial.DOCS / "extras/classroom.md").read_text("utf-8").partition("\n## Whose bot is it?\n")
)


@pytest.fixture(scope="module", autouse=True)
def hurried():
    with cup.first_chart_only():
        yield


@pytest.fixture(scope="module")
def homework(tmp_path_factory):
    (shortest, *_) = (
        text for language, text in tutorial.FENCE.findall(AUTHORS) if language == "python"
    )
    folder = tmp_path_factory.mktemp("homework")
    return tutorial.follow(CLASS, folder, QUICK, {"handed_in/s2.py": shortest})


@pytest.mark.soak
def test_the_class_gets_the_marks_that_the_page_shows(homework):
    folder, done = homework
    failed = [step.args[0] for step in done if step.returncode]
    assert failed == ["submit"]  # one of the class is refused
    assert done[1].stdout.endswith("\n\nevents can be played here\n")
    (printed,) = (step.stdout for step in done if step.args[0] == "grade")
    shown = [text for language, text in tutorial.FENCE.findall(CLASS) if language == "text"]
    assert [line.rstrip() for line in ID.sub("ID", printed).splitlines()] == ID.sub(
        "ID", shown[0]
    ).splitlines()
    with (folder / "results/homework/grades.csv").open(encoding="utf-8") as file:
        reasons = [
            row[f"reason_{number}"] for row in list(csv.DictReader(file))[:2] for number in (1, 2)
        ]
    assert reasons == shown[1].splitlines()


@pytest.mark.soak
def test_each_student_of_the_class_gets_a_page_and_a_letter(homework):
    folder, _ = homework
    written = {path.name for path in (folder / "results/homework/for").iterdir()}
    assert {"Ada_Lovelace.html", "Ada_Lovelace.txt", "Ben_Okoro.html", "Cleo_Diaz.txt"} <= written
    assert (folder / "letters").is_dir()
