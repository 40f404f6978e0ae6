"""`arena report --for`: an author finds all of their own words, and no word and no name of anybody
else.
"""

import base64
import contextlib
import json
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.author.checkup import advice
from arena.author.submissions import people
from arena.report import author
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import (
    Bot,
    Ending,
    Event,
    Fault,
    Match,
    OpenRanks,
    Record,
    Stop,
    TimeControl,
    Verdict,
)
from tests.support import classroom, cup, reported, stored

REAL = {"adaxq": "Ada Real-Xq", "benxq": "Ben Real-Xq", "cyxq": "Cy Real-Xq", "walker": ""}
PRIVATE = ("stderr", "warning", "exit", "remark", "rejected", "fault")
PEOPLE = (
    "name,e-mail,id\nAda Real-Xq,ada.mail@x.example,adaxq\nBen Real-Xq,ben.mail@x.example,benxq\n"
)
TOML = """\
name = "cup"
boards = ["mummy_maze/duel", "pacman/classic"]
bots = "bots"
[[grade.threshold]]
reference = "walker"
points = 1
marks = 1
"""


def words(bot: str, kind: str) -> str:
    return f"private-{kind}-of-{bot}"


def talkative(record: Record, folder: Path) -> Record:
    """The first turns of the match, with private words of every bot wherever a record has room; the
    first crashed.
    """
    bots = {seat.role: seat.bot.name for seat in record.match.seats}
    traceback = 'File "{}/results/cup/bots/0123456789abcdef/bot.py", line 3\n{}\n'
    first = record.match.seats[0].role
    seats = tuple(
        replace(
            seat,
            stderr=traceback.format(folder, words(seat.bot, "stderr")),
            warnings=(words(seat.bot, "warning"),),
            exit=words(seat.bot, "exit"),
            digest=f"digest-of-{seat.bot}",
        )
        for seat in record.seats
    )
    turns = [
        turn._replace(remarks=(words(bots[turn.role], "remark"),)) for turn in record.turns[:12]
    ]
    seen: set[str] = set()
    for index, turn in enumerate(turns):
        if turn.role not in seen:
            seen.add(turn.role)
            turns[index] = turn._replace(
                by="strike", rejected_text=words(bots[turn.role], "rejected")
            )
    fault = Fault(
        role=first,
        ending=Ending.CRASHED,
        turn=1,
        words=f"{folder}/x: {words(bots[first], 'fault')}",
    )
    scores = {role: 0 if role == first else 100 for role in bots}
    verdict = Verdict(scores=scores, reason="forfeit", faults=(fault,))
    return replace(record, turns=tuple(turns), seats=seats, verdict=verdict)


def handed_in(bot: Bot, display: str = "") -> Bot:
    """A bot of a reported event with the digest of its version of `classroom.submitted`."""
    return replace(bot, display=display, digest=f"digest of {bot.name}")


@pytest.fixture(scope="module")
def event(tmp_path_factory) -> tuple[Path, Event]:
    """A workspace with an event in which every bot has talked."""
    folder = tmp_path_factory.mktemp("class")
    of = reported.event(REAL)
    of = replace(of, bots=tuple(handed_in(bot, REAL[bot.name]) for bot in of.bots))
    records = [talkative(reported.played(match), folder) for match in reported.plan(of)]
    reported.store(folder / "results" / "cup", of, records)
    with Archive.open(folder / "results" / "cup", writing=True) as archive:
        still_open = (OpenRanks(first=1, last=len(REAL), bots=tuple(REAL)),)
        archive.append_stop(Stop(rule="max_matches", matches=len(records), open=still_open))
    classroom.submitted(folder / "bots", adaxq="adaxq", benxq="benxq")
    (folder / "tournament.toml").write_text(TOML)
    (folder / "people.csv").write_text(PEOPLE)
    return folder, of


def data_of(html: str) -> dict:
    """Return what a page's scripts read."""
    return json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', html, re.DOTALL)[1])


@pytest.fixture(scope="module")
def page(event) -> tuple[str, dict, dict]:
    """The page for ada: its whole text with all that is packed in it, its data, and its replays."""
    folder, _ = event
    done = cup.arena(folder, "report", "--for", "ada.mail@x.example")
    assert (done.returncode, done.stdout) == (0, "results/cup/for/adaxq.html\n"), done.stderr
    path = folder / "results" / "cup" / "for" / "adaxq.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    html = path.read_text("utf-8")
    data = data_of(html)
    packed = re.findall(r'class="chunk"[^>]*>(.*?)</script>', html, re.DOTALL)
    chunks = [zlib.decompress(base64.b64decode(text)).decode() for text in packed]
    replays = {match: replay for chunk in chunks for match, replay in json.loads(chunk).items()}
    assert replays
    return "\n".join([html, *chunks]), data, replays


def test_nobody_elses_private_words_are_in_the_file(page):
    text, _, _ = page
    for bot in REAL.keys() - {"adaxq"}:
        assert [kind for kind in PRIVATE if words(bot, kind) in text] == [], bot
        assert f"digest-of-{bot}" not in text
        assert f"digest of {bot}" not in text


def test_no_name_of_a_student_is_in_the_file_but_the_author_s(page):
    text, data, _ = page
    for name in ("benxq", "Ben Real", "ben.mail", "cyxq", "Cy Real", "adaxq.mail", "ada.mail"):
        assert name not in text, name
    assert "Ada Real-Xq" in data["bots"]
    assert "walker" in data["names"]  # a reference is no student
    assert sum(name.startswith("rival ") for name in data["names"]) == 2


def test_open_ranks_name_others_by_their_pseudonyms(page):
    named = re.search(r"Still open at 95 %: ranks 1 to 4 \((.*?)\)", page[0])
    assert named is not None
    own, *others = named[1].split(", ")
    assert own == "Ada Real-Xq"
    assert sorted(other.rstrip("0123456789") for other in others) == ["rival ", "rival ", "walker"]


def test_pseudonyms_are_no_new_bots_after_a_run_with_others(event, page):
    folder, _ = event
    with contextlib.closing(Results.open(folder / "results" / "cup")) as results:
        results.store_ranks()
    cup.arena(folder, "report", "--for", "adaxq")
    text = (folder / "results" / "cup" / "for" / "adaxq.html").read_text("utf-8")
    assert 'data-name="change"' not in text
    assert text == page[0][: len(text)]


def test_all_words_of_the_author_s_own_bot_are_there(page):
    text, data, _ = page
    assert [kind for kind in PRIVATE if words("adaxq", kind) not in text] == []
    own = data["pages"][data["names"].index("adaxq")]
    assert own["faults"]
    assert own["times"]
    assert all(
        not other["faults"] and not other["times"] for other in data["pages"] if other is not own
    )


def test_only_the_author_s_matches_are_listed_replayed_and_counted(page, event):
    _, data, replays = page
    _, of = event
    own = {
        match.id
        for match in reported.plan(of)
        if any(seat.bot.name == "adaxq" for seat in match.seats)
    }
    assert set(data["matches"]["id"]) == set(replays) == own
    assert data["event"]["played"] == len(own) < len(reported.plan(of))
    number = data["names"].index("adaxq")
    assert data["crosstable"]
    assert all(number in row[2:4] for row in data["crosstable"])
    named = {match for each in data["pages"] for match in (*each["best"], *each["worst"])}
    assert named <= own


def test_no_path_of_the_machine_is_in_the_author_s_words(page, event):
    text, _, _ = page
    folder, _ = event
    assert str(folder) not in text
    assert "File 'bot.py', line 3" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            'File "/mnt/old/results/cup/bots/0123456789abcdef/bot.py", line 3',
            'File "bot.py", line 3',
        ),
        ('File "/mnt/My Disk/cup/bots/0123456789abcdef/a/b.py"', 'File "a/b.py"'),
        ("in /mnt/old/bots/0123456789abcdef0123/bot.py:7", "in bot.py:7"),
        ("don't open /mnt/bots/0123456789abcdef", "don't open "),
        ("/bots/walker/bot.py", "/bots/walker/bot.py"),
    ],
)
def test_a_bots_folder_is_cut_wherever_the_event_was_played(text, shown):
    record = _seat(stderr=text)(_recorded())
    reader = author.Author(
        name="x", file="x", bots=frozenset(seat.bot.name for seat in record.match.seats)
    )
    assert reader.cut(record).seats[0].stderr == shown


def test_the_numbers_of_rivals_are_the_same_for_all_and_in_no_order_of_names(tmp_path):
    names = [f"student{number:02}" for number in range(30)]
    of = reported.event(names, on=reported.boards("duel"))
    with Archive.open(reported.store(tmp_path, of, []), writing=True):
        pass
    everybody = [_pseudonyms(tmp_path, known) for known in ({names[0]}, {names[1]})]
    assert [everybody[0][name] for name in names[2:]] == [everybody[1][name] for name in names[2:]]
    numbers = [int(everybody[0][name].split()[1]) for name in names[2:]]
    assert numbers != sorted(numbers)


def _pseudonyms(folder: Path, known: set[str]) -> dict[str, str]:
    """Return the pseudonym of each bot of an event."""
    with Archive.open(folder) as archive:
        real = {bot.digest: bot.name for bot in archive.event().bots}
        shown = author.pseudonymous(archive, known)[0].event().bots
    return {real[bot.digest]: bot.name for bot in shown}


def test_a_report_for_an_author_does_not_replace_the_event_s_ratings_or_report(event):
    folder, _ = event
    results = folder / "results" / "cup"
    cup.arena(folder, "leaderboard")
    before = {path.name: path.read_bytes() for path in results.glob(".ratings-*y.json")}
    assert before
    assert cup.arena(folder, "report", "--for", "benxq").returncode == 0
    assert {name: (results / name).read_bytes() for name in before} == before
    assert not (results / "report.html").exists()


def test_only_the_author_s_own_versions_are_shown(tmp_path):
    newest = reported.event(REAL, on=reported.boards("duel"))
    newest = replace(newest, bots=tuple(map(handed_in, newest.bots)))
    older = replace(
        newest, bots=tuple(replace(bot, digest=f"older {bot.digest}") for bot in newest.bots)
    )
    for of in (older, newest):
        reported.store(tmp_path / "results" / "cup", of, map(reported.played, reported.plan(of)))
    classroom.submitted(tmp_path / "bots", adaxq="adaxq")
    (tmp_path / "tournament.toml").write_text(TOML)
    (tmp_path / "people.csv").write_text(PEOPLE)
    done = cup.arena(tmp_path, "report", "--for", "adaxq")
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "results" / "cup" / "for" / "adaxq.html").read_text("utf-8")
    data = data_of(html)
    versions = dict(zip(data["names"], (page["versions"] for page in data["pages"]), strict=True))
    assert len(versions.pop("adaxq")) == 2
    assert not any(versions.values())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "adaxx",
            (
                "--for adaxx: no bot of this event and nobody in people.csv has that name; did you "
                "mean 'adaxq'?"
            ),
        ),
        ("nobody at all", "--for nobody at all: no bot of this event"),
    ],
)
def test_an_unknown_author_is_named_with_the_nearest_name(event, name, message):
    done = cup.arena(event[0], "report", "--for", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)


Change = Callable[[Record], Record]


def _seat(**changes: object) -> Change:
    return lambda record: replace(
        record, seats=(replace(record.seats[0], **changes), *record.seats[1:])
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ending", "change", "expected"),
    [
        (Ending.ILLEGAL_MOVE, _seat(), advice.NOT_LEGAL),
        (Ending.GARBLED, _seat(), advice.NOT_TEXT),
        (Ending.TIMEOUT, _seat(cpu=9.0), "it computes all the time"),
        (Ending.TIMEOUT, _seat(cpu=0.0), "it said nothing"),
        (
            Ending.LIMIT_EXCEEDED,
            _seat(memory=250_000_000),
            advice.LIMIT_ADVICE[advice.Cause.MEMORY],
        ),
        (Ending.LIMIT_EXCEEDED, _seat(cpu=59.0), advice.LIMIT_ADVICE[advice.Cause.CPU]),
        (Ending.LIMIT_EXCEEDED, _seat(), advice.SOME_LIMIT),
        (Ending.CRASHED, _seat(exit="signal SIGSEGV"), "it reads or writes outside its memory"),
        (Ending.CRASHED, _seat(exit="signal 64"), "look at its stderr"),
        (Ending.CRASHED, _seat(exit="exit 0"), "it left by itself"),
        (
            Ending.CRASHED,
            _seat(exit="exit 1", stderr="ModuleNotFoundError: x"),
            "it imports a module that is missing",
        ),
        (Ending.CRASHED, _seat(exit="signal SIGKILL", killed=True), "keep stdout open until `end`"),
        (Ending.CRASHED, _seat(exit="", ready=None), advice.NEVER_RAN),
    ],
)
def test_a_recorded_fault_gets_the_advice_of_a_checkup(ending, change, expected):
    record = _recorded()
    fault = Fault(role="explorer", ending=ending, turn=3, words="")
    assert advice.of_record(change(record), fault).startswith(expected)


def _recorded() -> Record:
    match: Match = reported.plan(reported.event(on=reported.boards("duel")))[0]
    conditions = replace(match.conditions, time=TimeControl(move=1.0))
    return reported.played(replace(match, conditions=conditions))


def open_files() -> Iterator[str]:
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # that of the folder itself
            yield str(descriptor.readlink())


@pytest.fixture(scope="module")
def letters(tmp_path_factory) -> Path:
    """The workspace of a class after `--for everybody`: one bot plays well, one crashes, one is
    refused.
    """
    folder = classroom.workspace(tmp_path_factory.mktemp("letters") / "ws")
    with (folder / "tournament.toml").open("a") as file:
        file.write("\n[openings]\nplies = 1\n")
    (folder / "people.csv").write_text(
        "name,id,e-mail\nAda Real-Xq,s1,ada@x.example\nBen Xq,s2,\nCleo,s3,\nDan,s4,\n"
    )
    crowd = people.read(folder / "people.csv")
    submissions = classroom.untried(
        folder, crowd, lambda bot: ("it\nis bad",) if bot.name == "Cleo" else ()
    )
    typo = classroom.GOOD.replace("legal[0]", "legel[0]")
    for name, text in {"s1": cup.FIRST, "s2": typo, "s3": "", "Evexq": typo}.items():
        (folder.parent / f"{name}.py").write_text(text)
        classroom.submit(submissions, folder.parent / f"{name}.py")
    for path, text in {"Evexq-2.py": cup.LAST, "other/Evexq.py": cup.LAST}.items():
        (folder.parent / path).parent.mkdir(exist_ok=True)
        (folder.parent / path).write_text(text)
        classroom.submit(submissions, folder.parent / path)
    assert cup.arena(folder, "run", "--no-charts", "--workers", "1").returncode == 0
    done = cup.arena(folder, "report", "--for", "everybody")
    assert done.returncode == 0, done.stderr
    assert {Path(line).name for line in done.stdout.split()} == {
        path.name for path in (folder / "results/cup/for").iterdir()
    }
    return folder


def test_everybody_gets_a_page_and_a_letter_also_who_was_refused_or_sent_nothing(letters):
    home = letters / "results/cup/for"
    assert {path.stem for path in home.glob("*.html")} == {
        *("Ada_Real-Xq", "Ben_Xq", "Cleo", "Dan"),
        *("Evexq", "Evexq-2", "Evexq-3"),
    }
    assert all((home / f"{page.stem}.txt").is_file() for page in home.glob("*.html"))
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in home.iterdir())
    ada, ben, cleo, dan = (
        (home / f"{name}.txt").read_text() for name in ("Ada_Real-Xq", "Ben_Xq", "Cleo", "Dan")
    )
    assert ada.startswith(
        "To: Ada Real-Xq <ada@x.example>\nSubject: cup: Ada_Real-Xq, without a fault\n"
    )
    assert ben.splitlines()[5].startswith("Ben_Xq: 3 times crashed: ")
    assert "stderr: NameError" in ben
    assert "Your last bot was refused" in cleo.splitlines()[5]
    assert "it\nis bad" in cleo
    assert "Nothing was handed in." in dan
    page = (home / "Cleo.html").read_text()
    assert (
        page.index("Your last bot was refused")
        < page.index("it<br>is bad")
        < page.index('id="leaderboard-view"')
    )


def test_a_real_crash_has_its_advice_on_the_author_s_page(letters):
    html = (letters / "results/cup/for/Ben_Xq.html").read_text("utf-8")
    data = data_of(html)
    (fault, *_) = data["pages"][data["names"].index("Ben_Xq")]["faults"]
    assert fault["ending"] == "crashed"
    assert fault["advice"] == "the program failed: the last lines of its stderr say where"
    assert "NameError" in fault["stderr"][-1]
    assert str(letters) not in html


def test_pages_that_stand_are_left_and_no_archive_stays_open(letters):
    home = letters / "results/cup/for"
    before = {path: path.stat().st_ino for path in home.glob("*.html")}
    assert cup.arena(letters, "report", "--for", "everybody").returncode == 0
    assert {path: path.stat().st_ino for path in home.glob("*.html")} == before
    assert [path for path in open_files() if path.startswith(str(letters))] == []


def test_the_letter_of_a_refused_bot_takes_the_file_of_no_bot_that_plays(letters):
    bots = {
        name: (letters / f"results/cup/for/{name}.txt").read_text()
        for name in ("Evexq", "Evexq-2", "Evexq-3")
    }
    assert {name: "Your last bot was refused" in text for name, text in bots.items()} == {
        "Evexq": False,
        "Evexq-2": False,
        "Evexq-3": True,
    }


def test_the_match_that_a_letter_encloses_can_be_replayed_and_names_nobody_else(letters, tmp_path):
    home = letters / "results/cup/for"
    (text,) = home.glob("Ben_Xq-*.txt")
    assert "arena replay Ben_Xq-" in (home / "Ben_Xq.txt").read_text()
    for path in home.glob("*_*Xq*"):
        others = {"Ada", "Ben", "Evexq", "Cleo"} - {path.name[:3]}
        assert [name for name in others if name in path.read_text()] == [], path
    assert '"Ben_Xq"' in text.read_text()
    assert "rival-" in text.read_text()
    assert '"key": "", "number": 0, "moves": [["one", "' in text.read_text()
    classroom.workspace(tmp_path / "home", mine=classroom.GOOD)
    done = cup.arena(tmp_path / "home", "replay", str(text))
    assert (done.returncode, "crashed" in done.stdout) == (0, True), done.stderr
    again = cup.arena(
        tmp_path / "home", "rerun", str(text), "--bot", "mine", "--role", "two", "--print"
    )
    assert (again.returncode, "two (mine), fed what Ben_Xq read then" in again.stdout) == (
        1,
        True,
    ), again.stderr


def test_a_report_for_one_author_does_not_say_what_changed_since_another_event(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    stored.store(tmp_path / "results/cup", event, map(stored.played, stored.plan(event)))
    refused = cup.arena(tmp_path, "report", "cup", "--since", "cup", "--for", "ann")
    assert cup.refused(refused, "--for and --since: a report for one author")
