"""A person is an id: names change and are shared, and bots, marks, letters and accounts stay with
their person.
"""

import io
import json
import re
from pathlib import Path

import pytest

from arena.author.named_bots import entrants
from arena.author.submissions import people as people_files
from arena.author.submissions.bot_store import BotStore
from arena.author.submissions.people import People, Person
from arena.author.submissions.requests import class_of, request
from arena.author.submissions.students import StudentState, students
from arena.errors import ArenaError
from arena.event import config, discovery
from arena.event.discovery import names
from arena.extras.classroom import letter
from arena.extras.classroom.classroom import Classroom
from arena.extras.serve import actions, uploads
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.entrants import Entrants
from arena.workspace import event_of
from tests.extras.serve.test_serve_accounts import decide
from tests.support import cup, workspaces
from tests.support.classroom import GOOD, LAST, submit, untried

ANN, NAMESAKE = Person(name="Ann Lee", id="17"), Person(name="Ann Lee", id="18")
RENAMED = Person(name="Ann Kim", id="17")


def hand_in(folder, name: str, text: str = GOOD):
    path = folder / name
    path.write_text(text)
    return path


def people(folder, text: str) -> People:
    file = folder / "people.csv"
    file.write_text(text)
    return people_files.read(file)


@pytest.mark.parametrize("later", [LAST, GOOD], ids=["a new version", "the same file"])
def test_an_id_whose_name_changes_keeps_its_bot_which_has_the_new_name(tmp_path, later):
    submit(untried(tmp_path, [ANN]), hand_in(tmp_path, "17_bot.py"))
    decision = submit(untried(tmp_path, [RENAMED]), hand_in(tmp_path, "17_new.py", later))
    store = BotStore(tmp_path / "bots")
    assert store.names() == (decision.name,) == ("Ann_Lee",)
    assert decision.version == (1 if later == GOOD else 2)
    assert [bot.display for bot in discovery.gather(tmp_path / "bots")] == ["Ann Kim"]
    (student,) = students(discovery.gather(tmp_path / "bots"), People([RENAMED]), store)
    assert (student.name, student.bots) == ("Ann Kim", ("Ann_Lee",))


def test_each_bot_of_a_person_keeps_its_name_when_the_person_gets_another(tmp_path):
    (tmp_path / "class").mkdir()
    for number, text in enumerate((GOOD, LAST)):
        hand_in(tmp_path / "class", f"17_{number}.py", text)

    def submitted(person: Person) -> list[str]:
        asked = class_of(tmp_path / "class", People([person]), every=True)
        return [decision.name for decision in untried(tmp_path, [person]).submit_all(asked)]

    assert submitted(ANN) == submitted(RENAMED) == ["Ann_Lee", "Ann_Lee-2"]
    assert [bot.display for bot in discovery.gather(tmp_path / "bots")] == ["Ann Kim"] * 2


def test_a_name_that_changes_in_people_csv_is_shown_before_anybody_hands_in_again(tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    people(workspace, "name,id\nAnn Lee,17\n")
    submit(untried(workspace, [ANN]), hand_in(tmp_path, "17_bot.py"))
    people(workspace, "name,id\nAnn Kim,17\n")
    tournament = config.load(workspace / "tournament.toml")
    shown = {bot.name: bot.display for bot in entrants(tournament, workspace)}
    assert shown["Ann_Lee"] == "Ann Kim"
    assert "Ann Kim" in cup.arena(workspace, "bots").stdout
    (workspace / "people.csv").write_text("no table")
    assert {bot.name: bot.display for bot in entrants(tournament, workspace)}[
        "Ann_Lee"
    ] == "Ann Lee"


def test_a_submission_from_before_notes_had_a_format_is_the_version_that_plays(tmp_path):
    """Such a note has a digest that was made in another way, and says nothing about the files."""
    submit(untried(tmp_path, [ANN]), hand_in(tmp_path, "17_bot.py"))
    (path,) = tmp_path.glob("bots/_versions/Ann_Lee/1/.version.json")
    note = json.loads(path.read_text()) | {"digest": "0123456789abcdef"}
    del note["format"]
    path.write_text(json.dumps(note))
    store = BotStore(tmp_path / "bots")
    (bot,) = discovery.gather(tmp_path / "bots")
    assert store.version_of(bot).number == 1
    assert bot.display == "Ann Lee"
    decision = submit(untried(tmp_path, [ANN]), hand_in(tmp_path, "17_bot.py"))
    assert (decision.version, decision.words) == (
        1,
        "it is version 1, which plays: nothing has changed",
    )


@pytest.mark.slow
def test_two_bots_of_one_person_from_before_are_named_and_a_third_is_not_made(tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    for name in ("Ann Lee", "Ann Kim"):  # as an arena stored them that knew names alone
        person = Person(name=name, id="17" if name == "Ann Lee" else "old")
        submit(
            untried(workspace, [person]), hand_in(tmp_path, f"{person.id}.py", f"{GOOD}# {name}\n")
        )
    note = workspace / "bots/_versions/Ann_Kim/1/.version.json"
    note.write_text(note.read_text().replace('"person": "old"', '"person": "17"'))
    people(workspace, "name,id\nAnn Fox,17\n")
    done = cup.arena(workspace, "submit", str(hand_in(tmp_path, "17.py", LAST)))
    assert done.returncode == 0
    assert (
        "Ann Fox: Ann_Kim and Ann_Lee play, and one is enough: `arena withdraw NAME`" in done.stderr
    )
    assert {"Ann_Kim", "Ann_Lee"} <= set(BotStore(workspace / "bots").names())
    assert "Ann_Fox" not in BotStore(workspace / "bots").names()


def test_a_bot_that_was_edited_by_hand_and_withdrawn_stays_its_authors(tmp_path):
    submit(untried(tmp_path, [ANN]), hand_in(tmp_path, "17.py"))
    store = BotStore(tmp_path / "bots")
    store.playing("Ann_Lee")[0].write_text(f"{GOOD}# by hand\n")
    store.withdraw("Ann_Lee")
    assert submit(untried(tmp_path, [RENAMED]), hand_in(tmp_path, "17.py", LAST)).name == "Ann_Lee"
    assert [store.names(), store.versions("Ann_Lee")[-1].number] == [("Ann_Lee",), 3]


def test_two_namesakes_at_one_path_are_two_people_with_two_bots(tmp_path):
    decisions = []
    for person, text in ((ANN, GOOD), (NAMESAKE, LAST)):
        asked = request(hand_in(tmp_path, "bot.py", text))
        given = type(asked)(path=asked.path, label=asked.label, source=asked.source, person=person)
        decisions += untried(tmp_path, [ANN, NAMESAKE]).submit_all([given])
    assert [decision.name for decision in decisions] == ["Ann_Lee", "Ann_Lee-2"]
    everybody = students(
        discovery.gather(tmp_path / "bots"), People([ANN, NAMESAKE]), BotStore(tmp_path / "bots")
    )
    assert [(each.id, each.bots) for each in everybody] == [
        ("17", ("Ann_Lee",)),
        ("18", ("Ann_Lee-2",)),
    ]


def test_a_bot_of_a_person_who_is_taken_out_of_the_table_is_no_namesakes(tmp_path):
    submit(untried(tmp_path, [ANN, NAMESAKE]), hand_in(tmp_path, "17_bot.py"))
    bots, store = discovery.gather(tmp_path / "bots"), BotStore(tmp_path / "bots")
    namesake, stranger = students(bots, People([NAMESAKE]), store)
    assert (namesake.id, namesake.state) == ("18", StudentState.NOTHING)
    assert (stranger.name, stranger.id, stranger.bots) == ("Ann_Lee", "", ("Ann_Lee",))
    submit(untried(tmp_path, [NAMESAKE]), hand_in(tmp_path, "18_bot.py", LAST))
    assert store.names() == ("Ann_Lee", "Ann_Lee-2")


def test_refusals_and_letters_of_namesakes_do_not_replace_each_other(tmp_path):
    def faults(_bot):
        return ("it is broken",)

    letters = tmp_path / "letters"
    for person in (ANN, NAMESAKE):
        submissions = untried(tmp_path, [ANN, NAMESAKE], faults)
        letter.write([submit(submissions, hand_in(tmp_path, f"{person.id}_bot.py"))], letters)
    store = BotStore(tmp_path / "bots")
    assert {refusal.note.person for refusal in store.refused()} == {"17", "18"}
    assert len([*letters.iterdir()]) == 2
    submit(untried(tmp_path, [ANN, NAMESAKE]), hand_in(tmp_path, "18_bot.py"))
    assert {refusal.note.person for refusal in store.refused()} == {"17"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name,e-mail\nAnn Lee,ann@x.example\n", "name,e-mail,id\nAnn Kim,ann@x.example,17\n"),
        ("name\nAnn Lee\n", "name,id\nAnn Lee,17\n"),
        ("name,id\nAnn Lee,017\n", "name,id\nAnn Kim,17\n"),
        ("name,id\nAnn Lee,17\n", "name,id\nAnn Kim,17.0\n"),
        ("name,id\nAnn Lee,s 17\n", "name,id\nAnn Kim,S17\n"),
        ("name,id\nAnn Lee,17\n", "name\nAnn Lee\n"),
    ],
)
def test_a_bot_stays_its_persons_when_the_table_writes_the_id_otherwise(tmp_path, before, after):
    first, second = people(tmp_path, before), people(tmp_path, after)
    (person,) = first
    submit(untried(tmp_path, first), hand_in(tmp_path, f"{person.id}.py"))
    bots, store = discovery.gather(tmp_path / "bots"), BotStore(tmp_path / "bots")
    assert [student.bots for student in students(bots, second, store)] == [("Ann_Lee",)]
    (person,) = second
    submit(untried(tmp_path, second), hand_in(tmp_path, f"{person.id}.py", LAST))
    assert store.names() == ("Ann_Lee",)
    assert store.versions("Ann_Lee")[-1].note.person == person.id


def test_ids_that_differ_in_zeros_or_case_are_of_two_people(tmp_path):
    crowd = people(tmp_path, "name,id\nAnn Lee,017\nBo Ek,17\nCy Ott,a1\nDi Fox,A1\n")
    for id_ in ("017", "17", "a1", "A1"):
        assert getattr(crowd.named(id_), "id", None) == id_
        assert crowd.recorded(id_, "Ann Lee") == crowd.with_id(id_)
        submit(untried(tmp_path, crowd), hand_in(tmp_path, f"{id_}_bot.py"))
    bots = discovery.gather(tmp_path / "bots")
    found = {
        student.id: student.bots for student in students(bots, crowd, BotStore(tmp_path / "bots"))
    }
    assert found == {"017": ("Ann_Lee",), "17": ("Bo_Ek",), "a1": ("Cy_Ott",), "A1": ("Di_Fox",)}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("Ann Lee,17\nBo Ek,17\n", "line 3: '17' is there twice"),
        ("Ann Lee,17\nBo Ek,17.0\n", "line 3: '17' is there twice"),
        (
            "Ann Lee,A1\nBo Ek,\u04101\n",
            "line 3: the id '\u04101' ('\\u04101') looks like that of line 2, 'A1'",
        ),
        (
            "Ann Lee,s17\nann lee,S 17\n",
            "line 3: 'ann lee' has the id 'S 17', and in line 2 the id 's17'",
        ),
        ("Ann Lee,\nAnn Lee,\n", "line 3: 'Ann Lee' is there twice"),
        ('Ann Lee,"17\n"\nBo Ek,18\nCy Ott,18\n', "line 5: '18' is there twice"),
    ],
)
def test_a_table_in_which_two_people_cannot_be_told_apart_is_refused(tmp_path, rows, words):
    with pytest.raises(ArenaError, match=re.escape(words)):
        people(tmp_path, f"name,id\n{rows}")
    assert len(list(people(tmp_path, "name,id\nAnn Lee,17\nAnn Lee,17\nAnn Lee,18\n"))) == 2


def test_a_file_that_only_looks_like_an_id_belongs_to_nobody():
    crowd = People([Person(name="Ann Lee", id="A1"), Person(name="Bo Ek", id="17")])
    assert crowd.named("\u04101") is None
    assert [
        getattr(crowd.named(text), "id", None) for text in ("A1", "a1", "17", "017", "170")
    ] == [
        *("A1", "A1", "17", "17"),
        None,
    ]


def test_the_files_of_students_are_never_those_of_others():
    assert names.all_distinct(["ab", "AB", "ab-2", "c"]) == ["ab", "AB-3", "ab-2", "c"]
    assert names.unambiguous([("Ann", "1"), ("ann", "2"), ("Bo", "3"), ("Cy", ""), ("Cy", "")]) == [
        *("Ann (1)", "ann (2)", "Bo", "Cy", "Cy")
    ]


def test_a_report_for_a_name_that_two_people_have_asks_for_the_id(tmp_path):
    crowd = People([ANN, NAMESAKE])
    submit(untried(tmp_path, crowd), hand_in(tmp_path, "17_bot.py"))
    bots = discovery.gather(tmp_path / "bots")

    class Played:
        """An event as far as its bots are asked for."""

    Played.bots = bots
    room = Classroom(
        file=tmp_path, tournament=None, people=crowd, store=BotStore(tmp_path / "bots")
    )
    with pytest.raises(ArenaError, match=r"Ann Lee \(id 17\) and Ann Lee \(id 18\) have that name"):
        room.bots_of("Ann Lee", Played)
    assert room.bots_of("17", Played) == ("Ann Lee", frozenset({"Ann_Lee"}))


@pytest.fixture
def site(tmp_path, monkeypatch):
    workspace = workspaces.make(tmp_path, boards="duel")
    monkeypatch.chdir(workspace)  # as the server does
    return Accounts(workspace)


def upload(accounts: Accounts, id_: str, text: str = GOOD) -> None:
    uploads.receive(accounts, accounts.named(id_), {"bot.py": io.BytesIO(text.encode())})
    decide(accounts)


def test_namesakes_with_ids_have_accounts_bots_and_limits_of_their_own(site):
    people(site.workspace, "name,e-mail,id\nAnn Lee,,17\nAnn Lee,,18\nBo Ek,,19\n")
    rows = actions.act(site, "invite", ("people.csv",), "test")
    assert [row["name"] for row in rows] == ["Ann Lee (17)", "Ann Lee (18)", "Bo Ek"]
    assert [site.with_token(row["token"]).id for row in rows] == ["17", "18", "19"]
    actions.act(site, "limit", ("uploads", "1"), "test")
    for id_, text in (("17", GOOD), ("18", LAST)):
        upload(site, id_, text)
    entered = Entrants(site.workspace)
    assert [list(entered.own(site.named(id_))) for id_ in ("17", "18")] == [
        ["Ann_Lee"],
        ["Ann_Lee-2"],
    ]
    with pytest.raises(ArenaError, match="you have had 1 uploads"):
        upload(site, "17", LAST)
    for action in ("rotate", "revoke"):
        with pytest.raises(
            ArenaError, match="'Ann Lee' is the name of 2 accounts: name one by its id, 17 or 18"
        ):
            actions.act(site, action, ("Ann", "Lee"), "test")
    assert actions.act(site, "rotate", ("18",), "test")[0]["name"] == "Ann Lee (18)"
    assert [row["name"] for row in actions.act(site, "accounts", (), "test")] == [
        *("Ann Lee (17)", "Ann Lee (18)", "Bo Ek")
    ]


def test_an_account_has_the_name_of_people_csv_and_keeps_its_bot(site):
    people(site.workspace, "name,id\nAnn Lee,17\n")
    actions.act(site, "invite", ("people.csv",), "test")
    upload(site, "17")
    people(site.workspace, "name,id\nAnn Kimberly,17\n")
    assert site.named("17").name == site.named("Ann Kimberly").name == "Ann Kimberly"
    upload(site, "17", LAST)
    assert list(Entrants(site.workspace).own(site.named("17"))) == ["Ann_Lee"]
    assert {bot.name: bot.display for bot in Entrants(site.workspace).bots}[
        "Ann_Lee"
    ] == "Ann Kimberly"
    with pytest.raises(ArenaError, match="everybody in it has an account already"):
        actions.act(site, "invite", ("people.csv",), "test")
    (site.workspace / "people.csv").unlink()  # a person who is taken out keeps account and bot
    assert site.named("17").name == "Ann Lee"
    assert list(Entrants(site.workspace).own(site.named("17"))) == ["Ann_Lee"]


def test_an_account_from_before_the_table_had_ids_is_its_persons(site):
    site.invite("Ann Lee", "test")
    upload(site, "Ann Lee")
    people(site.workspace, "name,id\nAnn Lee,17\nBo Ek,18\n")
    assert [row["name"] for row in actions.act(site, "invite", ("people.csv",), "test")] == [
        "Bo Ek"
    ]
    upload(site, "Ann Lee", LAST)
    assert {
        name: len(versions)
        for name, versions in Entrants(site.workspace).own(site.named("17")).items()
    } == {"Ann_Lee": 2}


@pytest.mark.parametrize(("before", "now"), [("17", "17"), ("017", "17")])
def test_a_person_whose_name_becomes_that_of_a_guest_shares_no_bot_with_the_guest(
    site, before, now
):
    people(site.workspace, f"name,id\nAnn Lee,{before}\n")
    actions.act(site, "invite", ("people.csv",), "test")
    token = site.invite("Bo Ek", "test")
    upload(site, before)
    people(site.workspace, f"name,id\nBo Ek,{now}\n")
    guest = site.with_token(token)
    assert (guest.id, guest.person) == ("Bo Ek", "")
    assert not Entrants(site.workspace).own(guest)
    assert site.named(now).name == "Bo Ek"
    assert list(Entrants(site.workspace).own(site.named(now))) == ["Ann_Lee"]


def test_a_name_that_changes_in_people_csv_contradicts_no_commitment(tmp_path):
    commitment = pytest.importorskip(
        "arena.extras.notary.commitment", reason="the notary is not here"
    )
    workspace = workspaces.make(tmp_path, boards="duel")
    submit(untried(workspace, [ANN]), hand_in(workspace, "17_bot.py"))
    tournament = config.load(workspace / "tournament.toml")
    for name in ("Ann Lee", "Ann Kim"):
        people(workspace, f"name,id\n{name},17\n")
        assert name in {bot.display for bot in entrants(tournament, workspace)}
    assert cup.arena(workspace, "commit").returncode == 0
    published = commitment.Commitment.model_validate_json(
        (workspace / "results/cup/commitment.json").read_bytes()
    )
    people(workspace, "name,id\nAnn Fox,17\n")
    event, _ = event_of(tournament, workspace / "tournament.toml")
    computed = commitment.commitment(event, {bot.name: Path(bot.files) for bot in event.bots})
    assert [*commitment.differences(published, computed)] == []
