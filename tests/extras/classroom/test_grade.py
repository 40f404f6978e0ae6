"""`arena grade`: the marks of a class, each with its reason."""

import csv
import json
import random
import shutil
import stat
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from arena.author.submissions import BotStore, People, people, students
from arena.author.submissions.people import Person
from arena.author.submissions.requests import class_of
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery import names
from arena.extras.classroom import for_authors, grades
from arena.extras.classroom.classroom import Classroom
from arena.extras.classroom.grades import Threshold
from arena.extras.classroom.table import GradeTable
from arena.values import Ending, Played
from tests.support import classroom, cup, stored
from tests.support.finished import result

HERE = Path(__file__).parents[3]


def rows(folder: Path, event: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "results" / event / "grades.csv").open(encoding="utf-8")))


TOML = """\
name = "cup"
seed = 7
boards = ["mummy_maze/hunt", "mummy_maze/duel", "pacman/classic"]
bots = "bots"
"""
GRADE = """
[[grade.threshold]]
reference = "walker"
board = "duel"
points = 40
marks = 5
"""


def workspace(
    folder: Path, *names: str, toml: str = TOML + GRADE, missing: int = 0, **scores: int | Ending
) -> Path:
    """Make a workspace whose event of these bots and `walker` is played, but for the last matches.

    Each bot named in `scores` has this score or ending in each seat, all others 50.
    """
    of = stored.event(*names, "walker", repeats=2)
    plan = list(stored.plan(of))
    records = [
        stored.played(match, **{seat.role: scores.get(seat.bot.name, 50) for seat in match.seats})
        for match in plan
    ]
    stored.store(folder / "results" / "cup", of, records[: len(plan) - missing])
    (folder / "bots").mkdir(parents=True)
    (folder / "tournament.toml").write_text(toml)
    return folder


def match(
    score: int, repeat: int = 0, *, bot: str = "ada", other: str = "walker", swapped: bool = False
) -> Played:
    """A duel with this score of `bot`."""
    bots = (other, bot) if swapped else (bot, other)
    scores = (100 - score, score) if swapped else (score, 100 - score)
    return result(
        (("explorer",), ("mummy",)),
        " ".join(bots),
        *scores,
        label="mummy_maze/duel",
        id=f"{bot}-{other}-{repeat}-{swapped:d}",
        seed=repeat,
        repeat=repeat,
    )


def asked(points: float) -> Threshold:
    return Threshold(
        reference="walker", board="duel", labels=("mummy_maze/duel",), points=points, marks=5
    )


def judged(points: float, *played: Played, alike: bool = False) -> grades.Judged:
    """The result of ada; `alike`: what was played was the same in each pairing."""
    transcripts = {
        one.id: one.seats["explorer"] == "ada" if alike else number
        for number, one in enumerate(played)
    }
    return grades.judge(["ada"], [asked(points)], played, transcripts)["ada"][0]


def test_a_threshold_compares_the_mean_of_all_matches_against_its_reference_only():
    own = [match(100), match(20, swapped=True), match(0, other="ben"), match(0, bot="ben")]
    result = judged(60, *own)
    assert (result.matches, result.points, result.met, result.marks) == (2, 60, True, 5)
    assert (result.look_at, judged(60.5, *own).marks) == ("ada-walker-0-1", 0)


def test_a_mean_just_below_the_threshold_does_not_look_as_if_it_were_enough():
    result = judged(33.34, match(0), match(0, 1), match(100, 2))
    assert not result.met
    assert "missed with 33.3 " in result.reason
    result = judged(66.67, match(100), match(100, 1), match(0, 2))
    assert "missed with 66.6667 " in result.reason
    assert not result.met


def test_teammates_do_not_meet():
    trio = replace(
        match(0),
        seats={"pacman": "ben", "blinky": "ada", "inky": "walker"},
        scores={"pacman": 0, "blinky": 100, "inky": 100},
        sides=(("pacman",), ("blinky", "inky")),
    )
    results = grades.judge(["ada", "ben"], [asked(1)], [trio], {trio.id: 1})
    assert (results["ada"][0].matches, results["ben"][0].matches) == (0, 1)
    assert results["ada"][0].reason.endswith("missed without a match; 0 of 5 marks")


@pytest.mark.parametrize("points", [60, 40, 0, 100])
def test_a_reason_says_when_the_threshold_is_inside_the_interval_of_the_mean(points):
    few = judged(points, *(match(100 * (n % 2), n) for n in range(10)))
    many = judged(points, *(match(100 * (n % 2), n) for n in range(400)))
    assert few.interval == pytest.approx((23.8, 76.2), abs=0.1)
    assert few.within_noise == ("within the noise" in few.reason) == (points in {60, 40})
    assert not many.within_noise


def test_pairings_that_are_all_won_are_not_certain_and_legs_of_one_seed_count_once():
    won = [match(100, n) for n in range(3)]
    assert judged(80, *won).within_noise
    legs = [match(100 if leg else 0, n, swapped=leg) for n in range(10) for leg in (False, True)]
    low, high = judged(50, *legs).interval
    assert (low, high) == pytest.approx(
        (36, 64), abs=0.1
    )  # each pairing is a 50; four more are added


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("pairings", [4, 12])
def test_the_interval_holds_the_true_mean_in_95_of_100_events(chance, pairings):
    draw = random.Random(f"{chance} {pairings}")
    intervals = (
        judged(50, *(match(100 * (draw.random() < chance), n) for n in range(pairings))).interval
        for _ in range(400)
    )
    held = sum(low <= 100 * chance <= high for low, high in intervals)
    assert held >= 0.93 * 400


def test_bots_that_repeat_themselves_have_no_noise():
    twice = [match(100 if leg else 0, n, swapped=leg) for n in range(2) for leg in (False, True)]
    assert judged(45, *twice, alike=True).interval is None
    assert "repeat move for move" in judged(45, *twice, alike=True).reason
    assert judged(45, *twice[:2], alike=True).interval is not None  # one pairing shows nothing


def test_students_without_a_bot_are_in_the_table(tmp_path):
    folder = workspace(tmp_path, "ada", "ben", "=cy", ada=90, ben=Ending.CRASHED)
    classroom.submitted(folder / "bots", ada="s1", ben="s2")
    (folder / "people.csv").write_text("name,e-mail,id\nAda,a@x.example,s1\nBen,,s2\nDee,,\n")
    done = cup.arena(folder, "grade")
    assert done.returncode == 0, done.stderr
    assert "bots that belong to nobody in the table of people: =cy" in done.stderr
    assert "called like people" not in done.stderr
    ada, ben, dee, cy = rows(folder, "cup")
    assert (ada["student"], ada["id"], ada["bot"], ada["marks"], ada["out_of"]) == (
        "Ada",
        "s1",
        "ada",
        "5",
        "5",
    )
    assert (ben["marks"], ben["state"]) == ("0", "played")
    assert ben["note"].startswith("it never started, so that it lost all of its matches")
    assert (dee["bot"], dee["marks"], dee["note"]) == ("", "0", "nothing was handed in")
    assert (cy["student"], cy["id"], cy["marks"]) == ("'=cy", "", "5")
    assert ada["replay"] == f"arena replay cup/{ada['match']}"


def test_grades_are_for_their_owner_alone_and_the_same_bytes_again(tmp_path):
    folder = workspace(tmp_path, "ada", "ben")
    cup.arena(folder, "grade", "--gradescope", "marks")
    written = {
        path: path.read_bytes()
        for path in (folder / "results" / "cup" / "grades.csv", *folder.glob("marks/*"))
    }
    assert len(written) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}
    cup.arena(folder, "grade", "--gradescope", "marks")
    assert written == {path: path.read_bytes() for path in written}


def test_a_file_for_gradescope_is_called_after_the_e_mail_and_names_nobody_else(tmp_path):
    folder = workspace(tmp_path, "ada", "ben", ada=90, ben=10)
    classroom.submitted(folder / "bots", ada="s1", ben="s2")
    (folder / "people.csv").write_text(
        "name,e-mail,id\nAda,ada@x.example,s1\nBen,../../ben,s2\nDee,,../s3\n"
    )
    cup.arena(folder, "grade", "--gradescope", "marks")
    assert {path.name for path in (folder / "marks").iterdir()} == {
        "ada@x.example.json",
        "ben.json",
        "s3.json",
    }
    result = json.loads((folder / "marks" / "ada@x.example.json").read_text())
    assert (result["score"], result["tests"][0]["score"], result["tests"][0]["max_score"]) == (
        5,
        5,
        5,
    )
    assert (result["tests"][0]["status"], result["leaderboard"][0]) == (
        "passed",
        {"name": "marks", "value": 5},
    )
    for path, others in (
        ("ada@x.example", ("ben", "dee")),
        ("ben", ("ada", "dee")),
        ("s3", ("ada", "ben")),
    ):
        text = (folder / "marks" / f"{path}.json").read_text().lower()
        assert not [name for name in others if name in text]
    assert json.loads((folder / "marks" / "s3.json").read_text())["tests"][0]["output"].endswith(
        "missed, nothing handed in; 0 of 5 marks"
    )


def test_a_table_that_cannot_be_written_is_named_itself_and_not_its_unfinished_file(tmp_path):
    folder = workspace(tmp_path, "ada")
    (folder / "results" / "cup" / "grades.csv" / "full").mkdir(parents=True)
    done = cup.arena(folder, "grade")
    assert done.returncode == 2
    assert done.stderr.startswith("results/cup/grades.csv: cannot be written: ")


def test_missing_matches_are_one_line_and_partial_grades_what_is_there(tmp_path):
    folder = workspace(tmp_path, "ada", "ben", missing=5)
    done = cup.arena(folder, "grade")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == "5 of 30 matches are not played yet: `arena run`; `--partial` grades what is there\n"
    )
    assert not (folder / "results" / "cup" / "grades.csv").exists()
    done = cup.arena(folder, "grade", "--partial", "--json")
    assert done.returncode == 0
    assert "5 of 30 matches are not played yet, and the marks are preliminary" in done.stderr
    assert [row["student"] for row in json.loads(done.stdout)] == ["ada", "ben"]


def test_late_withdrawn_and_refused_submissions_are_explained(tmp_path):
    folder = workspace(tmp_path, "ada")
    classroom.submitted(folder / "bots", ada="s1")
    (folder / "people.csv").write_text("name,id\nAda,s1\nBen,s2\nCy,s3\nDee,s4\n")
    crowd = people.read(folder / "people.csv")
    store = BotStore(folder / "bots")

    def submit(name: str, *faults: str) -> None:
        path = folder / f"{name}.py"
        path.write_text(f"# {name}\n{cup.FIRST}")
        classroom.submit(classroom.untried(folder, crowd, lambda _: faults), path)

    for name in ("s2", "s3"):
        submit(name)
    store.withdraw("Cy")
    submit("s4", "it prints nothing\n\nmore")
    submit("s1", "it is too slow")
    done = cup.arena(folder, "grade")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the last bots of 1 student are not played yet (Ben): `arena run`" in done.stderr
    cup.arena(folder, "grade", "--partial")
    told = {row["student"]: (row["state"], row["note"]) for row in rows(folder, "cup")}
    assert told == {
        "Ada": ("played", "a later submission was refused: it is too slow"),
        "Ben": ("not played", "Ben was accepted, but the event was played without it"),
        "Cy": ("withdrawn", "Cy was withdrawn"),
        "Dee": ("refused", "handed in, but refused: it prints nothing"),
    }
    submit("s1")
    assert (
        "the last bots of 2 students are not played yet (Ada, Ben)"
        in cup.arena(folder, "grade").stderr
    )
    cup.arena(folder, "grade", "--partial")
    assert rows(folder, "cup")[0]["note"] == "ada, as accepted last, is not in this event"


def test_a_student_whose_only_bot_is_a_reference_keeps_nobody_from_being_graded(tmp_path):
    (tmp_path / "people.csv").write_text("name,id\nWalker,s1\nAda,s2\n")
    store = BotStore(tmp_path / "bots")
    classroom.submitted(tmp_path / "bots", ada="s2")
    path = tmp_path / "s1.py"
    path.write_text(cup.FIRST)
    crowd = people.read(tmp_path / "people.csv")
    submitting = classroom.untried(tmp_path, crowd)
    classroom.submit(submitting, path)
    bot = discovery.from_path(next(iter(store.playing("Walker"))), "Walker")
    walker, ada = students.students([stored.bot("ada")], crowd, store, [bot])
    assert (walker.bots, walker.newer, walker.state) == ((), False, "only a reference")
    assert walker.note == "Walker is a reference and not graded"
    assert (ada.bots, ada.newer) == (("ada",), False)
    path.write_text(f"# next\n{cup.FIRST}")
    classroom.submit(submitting, path)
    walker, _ = students.students([stored.bot("ada")], crowd, store, [bot])
    assert (walker.newer, walker.state) == (True, "only a reference")


def test_a_house_bot_that_is_called_like_a_student_is_nobodys(tmp_path):
    folder = workspace(tmp_path, "greedy", greedy=90)
    (folder / "people.csv").write_text("name,id\nGreedy,s1\n")
    done = cup.arena(folder, "grade")
    assert done.returncode == 0
    told = "so that they are nobody's: greedy; if a student sent one, `arena submit FILE --as"
    assert told in done.stderr
    greedy, house_bot = rows(folder, "cup")
    assert (greedy["bot"], greedy["marks"], greedy["state"]) == ("", "0", "nothing handed in")
    assert (house_bot["student"], house_bot["id"], house_bot["marks"]) == ("greedy", "", "5")
    done = cup.arena(folder, "report", "--for", "Greedy")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--for Greedy: Greedy has no bot in this event" in done.stderr
    done = cup.arena(folder, "report", "--for", "everybody")
    written = [line.rpartition("/")[2] for line in done.stdout.splitlines()]
    assert written == ["Greedy-2.txt", "Greedy-2.html"]
    assert told in done.stderr


@pytest.mark.parametrize(
    ("name", "display", "shown"),
    [
        ("bob", "The Guardian", "The Guardian"),
        ("guardian", "Bob", "guardian"),
        ("guardian", "B\u043eb", "guardian"),
        ("B\u043eb", "", "B\u043eb"),
        ("guardian", "Ann Lee", "guardian"),
    ],
)
def test_no_letter_is_for_a_house_bot_whose_name_is_or_looks_like_a_students(name, display, shown):
    crowd = People(
        [
            Person(name="Bob", id="1"),
            Person(name="Ann Lee", id="2"),
            Person(name="Ann Lee", id="3"),
        ]
    )
    house_bot = replace(stored.bot(name), display=display)
    *_, stranger = students.students([house_bot], crowd)
    assert (stranger.id, stranger.name, stranger.namesake) == ("", shown, True)
    event = replace(stored.event(name), bots=(house_bot,))
    room = Classroom(file=Path(), tournament=None, people=crowd, store=None)
    readers = [*for_authors.readers_of(room, event)]
    assert [reader.name for reader in readers] == ["Bob", "Ann Lee", "Ann Lee"]
    assert not any(reader.bots for reader in readers)
    with pytest.raises(ArenaError, match=r"no bot|nobody's|have that name"):
        room.bots_of(display or name, event)


def test_results_without_their_submissions_give_nobody_no_marks(tmp_path):
    folder = workspace(tmp_path, "ada")
    (folder / "people.csv").write_text("name,id\nAda,s1\n")
    (folder / "bots").rmdir()
    done = cup.arena(folder, "grade")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the submissions say whose a bot is, and they are not here" in done.stderr


def test_a_student_whose_bot_was_submitted_before_there_were_people_has_handed_in(tmp_path):
    classroom.submitted(tmp_path, Bob="")
    store = BotStore(tmp_path)
    (bob,) = students.students((), People([Person(name="Bob", id="1")]), store)
    assert bob.state == "withdrawn"


def test_a_reference_that_is_a_students_is_named_as_such_in_the_table(tmp_path):
    folder = workspace(tmp_path, "ada", ada=90)
    classroom.submitted(folder / "bots", ada="s2", walker="walker")
    (folder / "people.csv").write_text("name,id\nWalker,walker\nAda,s2\n")
    done = cup.arena(folder, "grade")
    assert done.returncode == 0, done.stderr
    told = {row["student"]: (row["marks"], row["state"]) for row in rows(folder, "cup")}
    assert told == {"Walker": ("0", "only a reference"), "Ada": ("5", "played")}


@pytest.mark.parametrize(
    ("name", "display", "author"),
    [
        ("bob", "", "Bob"),
        ("Real_Ann", "", "Ann Real"),
        ("anti_bob", "", None),
        ("greedy_1", "", None),
        ("cy", "Bob", None),
        ("cy", "Ann Real", None),
    ],
)
def test_a_bot_is_somebodys_by_its_whole_name_and_not_by_what_its_bot_toml_says(
    tmp_path, name, display, author
):
    people = People([Person(name="Bob", id="1"), Person(name="Ann Real", id="2")])
    classroom.submitted(tmp_path, **{name: ""})
    store = BotStore(tmp_path)
    bot = replace(stored.bot(name), display=display)
    found = students.author_of(bot, people, store)
    assert (found.name if found is not None else None) == author
    *_, last = students.students([bot], people, store)
    assert last.name == (name if author is None else "Ann Real")


def test_a_bot_submitted_before_there_were_people_is_theirs_by_its_file(tmp_path):
    store = BotStore(tmp_path / "bots")
    for name in ("Bob_Real", "Bob Real"):
        path = tmp_path / f"{name}.py"
        path.write_text(f"# {name}\n{cup.FIRST}")
        classroom.submit(classroom.untried(tmp_path), path)
    crowd = People([Person(name="Real, Bob", id="1")])
    bots = discovery.gather(tmp_path / "bots")
    assert [bot.name for bot in bots] == ["Bob_Real", "Bob_Real-2"]
    assert [students.author_of(bot, crowd, store) for bot in bots] == [*crowd] * 2
    assert students.author_of(bots[1], crowd, None) is None


def test_bots_of_two_authors_of_one_name_are_not_both_graded_as_one_persons(tmp_path):
    store, crowd = BotStore(tmp_path / "bots"), People([Person(name="Ann Lee", id="1")])
    (tmp_path / "class").mkdir()
    for number in (7, 8):
        path = tmp_path / f"class/Ann Lee_{number}_assignsubmission_file_bot.py"
        path.write_text(f"# {number}\n{cup.FIRST}")
    answers = list(
        classroom.untried(tmp_path, crowd).submit_all(class_of(tmp_path / "class", crowd))
    )
    assert [answer.note.person for answer in answers] == ["", ""]
    bots = discovery.gather(tmp_path / "bots")
    assert [students.author_of(bot, crowd, store) for bot in bots] == [None, None]


def test_a_house_bot_of_an_earlier_event_stays_nobodys_when_a_namesake_submits(tmp_path):
    house = tmp_path / "bots" / "max.py"
    house.parent.mkdir()
    house.write_text(f"# house\n{cup.FIRST}")
    (house_bot,) = discovery.gather(tmp_path / "bots")
    crowd, store = People([Person(name="Max", id="1")]), BotStore(tmp_path / "bots")
    submitted = tmp_path / "1.py"
    submitted.write_text(cup.FIRST)

    def authors():
        (own,) = discovery.gather(tmp_path / "bots")
        return [students.author_of(bot, crowd, store) for bot in (house_bot, own)]

    house.unlink()
    classroom.submit(classroom.untried(tmp_path, crowd), submitted, "max")
    assert authors() == [None, *crowd]
    shutil.rmtree(tmp_path / "bots" / "_versions")
    (tmp_path / "bots" / "max.py").write_text(f"# house\n{cup.FIRST}")
    store.withdraw("max")  # is version 1 then, without a source
    classroom.submit(classroom.untried(tmp_path, crowd), submitted, "max")
    assert [version.number for version in store.versions("max")] == [1, 2]
    assert authors() == [None, *crowd]


def test_a_submitted_bot_that_a_teacher_edited_by_hand_stays_its_authors(tmp_path):
    crowd, store = People([Person(name="Max", id="1")]), BotStore(tmp_path / "bots")
    submitted = tmp_path / "1.py"
    submitted.write_text(cup.FIRST)
    classroom.submit(classroom.untried(tmp_path, crowd), submitted)
    (path,) = (tmp_path / "bots").glob("*.py")
    path.write_text(f"# mended\n{cup.FIRST}")
    (mended,) = discovery.gather(tmp_path / "bots")
    assert store.version_of(mended) is None
    assert [students.author_of(mended, crowd, store)] == [*crowd]
    (student,) = students.students([mended], crowd, store)
    assert (student.state, student.bots) == ("played", (mended.name,))


@pytest.mark.parametrize(
    ("grade", "message"),
    [
        (
            GRADE.replace("walker", "walkr"),
            "[[grade.threshold]] 1: reference: there is no bot 'walkr' in this event; did",
        ),
        (
            GRADE + GRADE.replace("duel", "duell"),
            "[[grade.threshold]] 2: board: there is no board 'duell' in this event; did",
        ),
        (
            GRADE.replace("duel", "hunt"),
            "[[grade.threshold]] 1: board: nobody plays against 'walker' on mummy_maze/hunt",
        ),
        (
            GRADE.replace("marks = 5", "mark = 5"),
            "[[grade.threshold]] 1: mark: unknown key; did you mean 'marks'?",
        ),
        (GRADE.replace("points = 40\n", ""), "[[grade.threshold]] 1: points: this key is missing"),
        (
            GRADE.replace("40", "400"),
            "[[grade.threshold]] 1: points: expected 100 or less, not 400",
        ),
        (
            GRADE.replace("40", '"many"'),
            '[[grade.threshold]] 1: points: expected a number from 0, not "many"',
        ),
        (
            GRADE.replace("[[", "[").replace("]]", "]"),
            "grade.threshold: expected [[grade.threshold]], with two brackets",
        ),
        ("[grade]\nthreshold = []", "grade.threshold: expected at least one, not []"),
        ("[grade]\nthresholds = []", "grade.thresholds: unknown key; did you mean 'threshold'?"),
        ("", "grade: this table is missing; write [[grade.threshold]]"),
    ],
)
def test_a_mistake_in_the_thresholds_is_a_line_that_names_file_key_and_nearest_name(
    tmp_path, grade, message
):
    folder = workspace(tmp_path, "ada", toml=TOML + grade)
    done = cup.arena(folder, "grade")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0].startswith(f"tournament.toml: {message}")


def test_a_threshold_on_a_board_that_its_reference_does_not_play_is_refused():
    boards = stored.event("ada", boards=(stored.DUEL, stored.CLASSIC)).boards
    walker = replace(stored.bot("walker"), games=("pacman",))
    table = GradeTable.model_validate(tomllib.loads(GRADE)["grade"])
    with pytest.raises(
        ArenaError, match=r"'walker' does not play on mummy_maze/duel; name a board"
    ):
        table.thresholds(boards, [walker])
    assert table.thresholds(boards, [replace(walker, games=("mummy_maze",))])[0].labels == (
        "mummy_maze/duel",
    )


def test_a_run_refuses_thresholds_that_name_nobody_before_it_plays(tmp_path):
    folder = classroom.workspace(tmp_path / "cup", ann=cup.FIRST, bob=cup.LAST)
    (folder / "tournament.toml").open("a").write(GRADE.replace("duel", "words"))
    done = cup.arena(folder, "run")
    assert done.returncode == 2
    assert "[[grade.threshold]] 1: reference: there is no bot 'walker' in this event" in done.stderr


def test_a_duel_of_other_bots_needs_no_reference(tmp_path):
    folder = classroom.workspace(tmp_path / "cup", ann=cup.FIRST, bob=cup.LAST)
    (folder / "tournament.toml").open("a").write(GRADE)
    done = cup.arena(folder, "duel", "ann", "bob", "--max-pairings", "1")
    assert done.returncode == 3, done.stderr  # it was played, and one pairing decides nothing


def test_thresholds_may_be_corrected_when_all_is_played(tmp_path):
    folder = workspace(tmp_path, "ada", ada=30)
    (folder / "results" / "cup" / "tournament.toml").write_text(TOML + GRADE.replace("40", "20"))
    cup.arena(folder, "grade")
    assert rows(folder, "cup")[0]["marks"] == "0"
    (folder / "tournament.toml").write_text((TOML + GRADE).replace('"cup"', '"next"'))
    cup.arena(folder, "grade", "cup")
    assert rows(folder, "cup")[0]["marks"] == "5"


def test_no_file_of_an_author_replaces_that_of_another():
    used: set[str] = set()
    files = [names.distinct(name, used) for name in ("ann-2", "Ann", "ann", "Ann-2")]
    assert files == ["ann-2", "Ann", "ann-3", "Ann-2-2"]


def test_points_against_a_reference_at_fault_come_with_a_word_for_the_teacher(tmp_path):
    """Everybody reaches a threshold against a reference that crashes, whoever plays how."""
    folder = workspace(tmp_path / "crashing", "ada", walker=Ending.CRASHED)
    done = cup.arena(folder, "grade", "cup", "--partial")
    assert "reference walker: " in done.stderr
    assert "points against it may be won by its faults alone" in done.stderr
    whole = workspace(tmp_path / "whole", "ada")
    assert "reference" not in cup.arena(whole, "grade", "cup", "--partial").stderr
