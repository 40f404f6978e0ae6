"""`arena submit` and what learning platforms let a teacher download: whose each file is, and what
is one bot.
"""

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.author.submissions import People, Person, people
from arena.author.submissions.downloads import label_of, labels_of
from arena.author.submissions.requests import class_of, request
from arena.errors import ArenaError
from tests.support import classroom, cup
from tests.support.classroom import GOOD, LAST, untried

ANN, BOB = Person(name="Ann Lee", id="ann"), Person(name="Bob de Vries", id="b_vries")
BLACKBOARD = "HW_1_{}_attempt_2026-10-0{}-12-00-00{}"
DOWNLOADS: Mapping[str, Mapping[str, str]] = {
    "Blackboard": {
        BLACKBOARD.format("ann", 1, "_bot.py"): LAST,
        BLACKBOARD.format("ann", 1, ".txt"): "Name: Ann Lee (ann)\n",
        BLACKBOARD.format("ann", 2, "_bot.py"): GOOD,
        BLACKBOARD.format("ann", 2, ".txt"): "Name: Ann Lee (ann)\n",
        BLACKBOARD.format("b_vries", 1, "_main.py"): "import help\n" + GOOD,
        BLACKBOARD.format("b_vries", 1, "_help.py"): "",
        BLACKBOARD.format("b_vries", 1, ".txt"): "Name: Bob de Vries (b_vries)\n",
    },
    "Moodle, in folders": {
        "Ann Lee_1234567_assignsubmission_file/bot.py": GOOD,
        "Ann Lee_1234567_assignsubmission_onlinetext/onlinetext.html": "<p>my bot</p>",
        "Bob de Vries_1234568_assignsubmission_file_/hw 1.zip/hw/bot.py": GOOD,
        "Bob de Vries_1234568_assignsubmission_file_/report.pdf": "%PDF",
    },
    "Moodle, in one folder": {
        "Ann Lee_1234567_assignsubmission_file_bot.py": GOOD,
        "Bob de Vries_1234568_assignsubmission_file_main.py": "import help\n" + GOOD,
        "Bob de Vries_1234568_assignsubmission_file_help.py": "",
    },
    "Canvas": {
        "leeann_12345_678910_bot.py": LAST,
        "leeann_12345_678999_bot-1.py": GOOD,
        "devriesbob_LATE_12346_678920_main-2.py": "import help\n" + GOOD,
        "devriesbob_LATE_12346_678921_help-2.py": "",
    },
}
"""Files of a download with their content; a name that ends with .zip is that of an archive."""


def download(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        outer, ending, inner = name.partition(".zip/")
        path = folder / (outer + ending.rstrip("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        if inner:
            with zipfile.ZipFile(path, "a") as packed:
                packed.writestr(inner, text)
        else:
            path.write_text(text)
    return folder


def zipped(folder: Path) -> Path:
    archive = folder.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(folder.rglob("*")):
            packed.write(path, path.relative_to(folder))
    return archive


@pytest.mark.parametrize("crowd", [(ANN, BOB), ()], ids=["known", "unknown"])
@pytest.mark.parametrize("platform", DOWNLOADS)
def test_a_download_gives_each_person_one_bot_with_all_of_its_files(platform, crowd, tmp_path):
    folder = download(tmp_path / "class", DOWNLOADS[platform])
    requests = class_of(folder, People(crowd))
    answers = {
        answer.name.lower(): answer for answer in untried(tmp_path, crowd).submit_all(requests)
    }
    assert {answer.status for answer in answers.values()} == {"accepted"}
    ann, bob = sorted(answers.values(), key=lambda answer: answer.name[0] in "Bbdv")
    program = tmp_path / "bots" / f"{ann.name}.py"
    assert program.read_text() == GOOD
    if crowd:
        assert [answer.note.display for answer in (ann, bob)] == ["Ann Lee", "Bob de Vries"]
        assert answers.keys() == {"ann_lee", "bob_de_vries"}
    if "folders" not in platform:
        assert sorted(path.name for path in (tmp_path / "bots" / bob.name).iterdir()) == [
            "help.py",
            "main.py",
        ]


def test_a_whole_class_may_be_handed_in_as_the_zip_that_the_platform_makes(tmp_path):
    here = classroom.workspace(tmp_path / "ws")
    (here / "roster.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,HW 1 (7)\n    Points Possible,,,,,10\n"
        '"Lee, Ann",12345,s1,ann@x.example,A,\n"Vries, Bob de",12346,s2,bob,A,\n'
        '"Roe, Cy",12347,s3,cy,A,\n'
        '"Student, Test",99,,abc,A,\n'
    )
    archive = zipped(download(tmp_path / "class", DOWNLOADS["Canvas"]))
    done = cup.arena(
        here, "submit", str(archive), "--people", "roster.csv", "--json", "--feedback", "letters"
    )
    assert {row["name"]: row["email"] for row in json.loads(done.stdout)} == {
        "Ann_Lee": "ann@x.example",
        "Bob_de_Vries": "",
    }, done.stderr
    assert "2 accepted" in done.stderr
    assert "and not: leeann_12345_678910_bot.py" in done.stderr
    assert "nothing from 1 of the table of people: Cy Roe" in done.stderr
    assert "your bot bot-1.py: accepted" in (here / "letters/Ann_Lee.txt").read_text()
    (tmp_path / "s3.py").write_text(GOOD)
    one = cup.arena(here, "submit", str(tmp_path / "s3.py"), "--people", "roster.csv")
    assert (one.returncode, "nothing from" in one.stderr) == (0, False)
    again = cup.arena(here, "submit", str(archive), "--people", "roster.csv")
    assert (again.returncode, "2 known" in again.stderr, "nothing from" in again.stderr) == (
        0,
        True,
        False,
    )


def test_a_text_that_was_typed_into_the_platform_is_refused_in_words(tmp_path):
    files = {
        BLACKBOARD.format("ann", 1, ".txt"): "Submission Field: my bot is on github\n",
        BLACKBOARD.format("bob", 1, "_bot.py"): GOOD,
        BLACKBOARD.format("bob", 2, ".txt"): "",
    }
    requests = class_of(download(tmp_path / "class", files))
    answers = {answer.name: answer for answer in untried(tmp_path).submit_all(requests)}
    assert (answers["bob"].status, answers["ann"].status) == ("accepted", "refused")
    assert "hand in the program as a file" in answers["ann"].words


def test_with_keep_best_all_bots_of_a_person_play(tmp_path):
    files = {"ann.py": GOOD, "ann_bot2.py": LAST, "ann@x.example.py": "# 3\n" + GOOD}
    folder, ann = (
        download(tmp_path / "class", files),
        Person(name="Ann Lee", id="ann", email="ann@x.example"),
    )
    for time, name in enumerate(("ann.py", "ann@x.example.py", "ann_bot2.py")):
        os.utime(folder / name, (time, time))
    (newest,) = class_of(folder, People([ann]))
    assert (newest.path.name, [path.name for path in newest.older]) == (
        "ann_bot2.py",
        ["ann.py", "ann@x.example.py"],
    )
    for _ in range(2):
        answers = untried(tmp_path, [ann]).submit_all(class_of(folder, People([ann]), every=True))
        assert [answer.name for answer in answers] == ["Ann_Lee", "Ann_Lee-2", "Ann_Lee-3"]


def test_two_people_of_one_name_keep_their_own_bots(tmp_path):
    files = {
        f"Ann Lee_{number}_assignsubmission_file_bot.py": f"# {number}\n{GOOD}" for number in (7, 8)
    }
    folder = download(tmp_path / "class", files)
    for crowd in (
        (),
        (Person(name="Ann Lee", id="s1"),),
        (Person(name="Ann Lee", id="s1"), Person(name="Ann Lee", id="s2")),
    ):
        home = tmp_path / f"of {len(crowd)}"
        home.mkdir()
        names = [
            (answer.name, answer.note.person)
            for requests in (class_of(folder, People(crowd)), class_of(folder, People(crowd))[1:])
            for answer in untried(home, crowd).submit_all(requests)
        ]
        assert names == [("Ann_Lee", ""), ("Ann_Lee-2", ""), ("Ann_Lee-2", "")]
    worksheet = tmp_path / "people.csv"
    worksheet.write_text(
        "Identifier,Full name,ID number\nParticipant 7,Ann Lee,s1\nParticipant 8,Ann Lee,s2\n"
    )
    crowd = people.read(worksheet)
    assert [crowd.author(each.label).id for each in class_of(folder, crowd)] == ["s1", "s2"]


def test_people_whose_names_differ_in_an_accent_only_have_bots_of_their_own(tmp_path):
    crowd = Person(name="Jürgen Roe", id="s1"), Person(name="Jurgen Roe", id="s2")
    everybody = People(crowd)
    assert (
        everybody.author(label_of("Jürgen Roe")).id
        == everybody.author(label_of("roejürgen_77_88_bot")).id
        == "s1"
    )
    assert (
        everybody.author(label_of("Jurgen Roe")).id
        == everybody.author(label_of("roejurgen_77_88_bot")).id
        == "s2"
    )
    assert everybody.author(label_of("Jürgén Roe")) is None
    for known in (crowd, ()):
        (tmp_path / f"{len(known)}").mkdir()
        submissions = untried(tmp_path / f"{len(known)}", known)
        for name in ("Jürgen Roe", "Jurgen Roe"):
            (tmp_path / f"{name}.py").write_text(f"# {name}\n{GOOD}")
            assert classroom.submit(submissions, tmp_path / f"{name}.py").note.display == name
        assert submissions._store.names() == ("Jurgen_Roe", "Jurgen_Roe-2")
    (tmp_path / "Jürgen.py").write_text(GOOD)
    (tmp_path / "Jurgen.py").write_text(LAST)
    assert [
        classroom.submit(submissions, tmp_path / f"{name}.py").name for name in ("Jürgen", "Jurgen")
    ] == [
        "Jurgen",
        "Jurgen-2",
    ]


def test_a_report_for_one_of_two_people_who_are_alike_is_never_the_others(tmp_path):
    here = classroom.workspace(tmp_path / "ws", rival=LAST)
    (here / "people.csv").write_text("name,id\nJürgen,s1\nJurgen,s2\n")
    for name in ("s1", "s2"):
        (tmp_path / f"{name}.py").write_text(f"# {name}\n{GOOD}")
        submitted = untried(here, people.read(here / "people.csv"))
        assert classroom.submit(submitted, tmp_path / f"{name}.py").status == "accepted"
    assert cup.run_event(here).returncode == 0
    done = cup.arena(here, "report", "--for", "Jurgen")
    assert (done.returncode, "name one by the id" in done.stderr) == (2, True)
    assert cup.arena(here, "report", "--for", "s2").stdout == "results/cup/for/Jurgen-2.html\n"
    assert cup.arena(here, "report", "--for", "Jürgen").stdout == "results/cup/for/Jurgen.html\n"


@pytest.mark.parametrize("number", range(1, 4))
def test_nobody_can_hand_in_a_bot_for_somebody_else_by_the_name_of_a_file(number):
    files = [
        "leeann_1_11_x.py",
        "deviliseve_2_12_HW_ann_attempt_2026-10-01-12-00-00_bot.py",
        "roecy_3_13_Ann Lee_5_assignsubmission_file_bot.py",
    ][-number:]
    authors = {label.who for label in labels_of(files)}
    assert authors <= {"leeann_1", "deviliseve_2", "roecy_3"}
    everybody = People([Person(name="Ann Lee", id="ann"), Person(name="Eve Devilis", id="eve")])
    assert [everybody.author(label) for label in labels_of(files)][-1] is None or number == 1


ROSTERS = {
    "Moodle": b"\xef\xbb\xbfFirst name,Surname,ID number,Email address\nAnn,Lee,s1,ann@x.example\n",
    "Moodle, later": b"First name,Last name,ID number,Email address\nAnn,Lee,s1,ann@x.example\n",
    "Canvas": b'Student,ID,SIS User ID,SIS Login ID,Section\n"Lee, Ann",12345,s1,ann@x.example,A\n',
    "Blackboard": (
        "Last Name\tFirst Name\tUsername\tStudent ID\tE-Mail\nLee\tAnn\tann\ts1\tann@x.example\n"
    ).encode("utf-16"),
}


@pytest.mark.parametrize("platform", ROSTERS)
def test_a_roster_that_a_platform_makes_is_read_as_it_is(platform, tmp_path):
    (tmp_path / "roster").write_bytes(ROSTERS[platform])
    (ann,) = people.read(tmp_path / "roster")
    assert (ann.name, ann.id, ann.email) == ("Ann Lee", "s1", "ann@x.example")


def test_a_person_who_is_known_later_keeps_the_bot_of_before(tmp_path):
    (tmp_path / "Ann Lee.py").write_text(GOOD)
    classroom.submit(untried(tmp_path), tmp_path / "Ann Lee.py")
    (tmp_path / "ann.py").write_text(LAST)
    answer = classroom.submit(untried(tmp_path, [ANN]), tmp_path / "ann.py")
    assert (answer.name, answer.version) == ("Ann_Lee", 2)


def test_archives_in_archives_without_end_are_refused(tmp_path):
    archive = tmp_path / "bot.zip"
    for _ in range(9):
        with zipfile.ZipFile(tmp_path / "next.zip", "w") as packed:
            packed.write(archive, "bot.zip") if archive.exists() else packed.writestr(
                "bot.py", GOOD
            )
        (tmp_path / "next.zip").rename(archive)
    answer = classroom.submit(untried(tmp_path), archive)
    assert (answer.status, "not a bot" in answer.words) == ("refused", True), answer


def test_a_file_called_like_a_folder_above_is_taken_under_a_plain_name(tmp_path):
    folder = download(tmp_path / "class", {"leeann_1_11_..": "", "leeann_1_12_main.py": GOOD})
    (answer,) = untried(tmp_path).submit_all(class_of(folder))
    assert answer.status == "accepted"
    assert isinstance(request(folder).path, Path)
    with pytest.raises(ArenaError):
        people.read(folder)
