"""`arena submit --feedback`: a letter for each author, which says what to mend."""

import json

import pytest

from arena.author.submissions.requests import class_of
from arena.extras.classroom import letter
from tests.support import classroom, cup


@pytest.mark.slow
def test_every_author_of_a_class_gets_a_letter_that_says_what_to_mend(tmp_path):
    here = classroom.workspace(tmp_path / "ws")
    (here / "people.csv").write_text(classroom.PEOPLE)
    (tmp_path / "class").mkdir()
    (tmp_path / "class/Anna Müller.py").write_text(classroom.GOOD)
    (tmp_path / "class/wrong_case.py").write_text(classroom.BAD["wrong_case"])
    done = cup.arena(here, "submit", str(tmp_path / "class"), "--json", "--feedback", "letters")
    assert done.returncode == 1
    answers = {row["name"]: row for row in json.loads(done.stdout)}
    letters = {path.stem: path.read_text() for path in (here / "letters").iterdir()}
    assert letters.keys() == answers.keys() == {"Anna_Muller", "wrong_case"}
    assert answers["wrong_case"]["reasons"] in letters["wrong_case"]
    assert classroom.REASONS["wrong_case"] in letters["wrong_case"]
    address = "To: Anna Müller <anna@school.example>\nSubject: your bot Anna Müller.py"
    assert letters["Anna_Muller"].startswith(address)
    assert "Your bot takes part: it is version 1." in letters["Anna_Muller"]


def test_a_letter_has_no_line_that_the_name_of_a_file_put_there(tmp_path):
    submissions = classroom.untried(tmp_path)
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a\nTo: b@x.example.py").write_text(classroom.GOOD)
    answers = submissions.submit_all(class_of(tmp_path / "class"))
    letter.write(answers, tmp_path / "letters")
    (text,) = (tmp_path / "letters").iterdir()
    lines = text.read_text().splitlines()
    assert [line for line in lines if line.startswith("To:")] == ["To: a To: b@x.example"]
