"""`arena submit`, `bots`, `withdraw`: who is taken in and why not, what is kept, and that nothing
else is touched.
"""

import gzip
import json
import lzma
import os
import shutil
import socket
import tarfile
import threading
import unicodedata
import warnings
import zipfile
import zlib
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena import workspace
from arena.author.checkup import screening
from arena.author.submissions import (
    BotStore,
    Person,
    bot_store,
    copy_untrusted,
    people,
    unpacking,
)
from arena.author.submissions.copy_untrusted import DEEPEST
from arena.author.submissions.downloads import label_of
from arena.author.submissions.requests import class_of, name_of
from arena.author.submissions.unpacking import unpack
from arena.display_names import bot_shown, display_names
from arena.errors import ArenaError
from arena.event import discovery
from arena.match.bot import OverloadedError
from arena.sandbox import choice
from arena.sandbox.launcher import SpawnerLostError
from arena.values import Bot
from tests.support import classroom, cup, extras
from tests.support.classroom import GOOD, LAST
from tests.support.processes import until
from tests.support.programs import python


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A class has submitted: the workspace, what was said, and what stood outside before and
    after.
    """
    home = tmp_path_factory.mktemp("class")
    here = classroom.workspace(home / "ws")
    submitted = classroom.make(home / "class")
    (here / "people.csv").write_text(classroom.PEOPLE)
    before = classroom.everything(home / "class"), sorted(path.name for path in home.iterdir())
    done = cup.arena(here, "submit", str(submitted), "--json")
    after = classroom.everything(home / "class"), sorted(path.name for path in home.iterdir())
    return here, done, before == after


@pytest.mark.slow
def test_a_class_is_taken_in_or_refused_each_with_the_right_reason(taught):
    _, done, _ = taught
    answers = {row["name"]: row for row in json.loads(done.stdout)}
    assert (done.returncode, len(answers)) == (1, 20)
    refused = {name for name, row in answers.items() if row["result"] == "refused"}
    assert refused == set(classroom.REASONS)
    for name, words in classroom.REASONS.items():
        assert words in answers[name]["reasons"], name
    assert {row["version"] for name, row in answers.items() if name not in refused} == {1}


@pytest.mark.slow
def test_nothing_is_written_outside_the_workspace_and_nothing_half_within(taught):
    here, _, same = taught
    assert same
    assert sorted(path.name for path in here.iterdir()) == [
        *("bots", "people.csv", "results", "rules", "tournament.toml")
    ]
    assert sorted(
        path.name for path in (here / "bots" / "_versions").iterdir() if path.name[0] == "."
    ) == [".lock"]
    assert not [path for path in here.rglob("*") if path.is_symlink() or "slipped" in path.name]


@pytest.mark.slow
def test_a_refused_bot_is_kept_apart_with_its_reason(taught):
    here, _, _ = taught
    assert {path.name for path in (here / "bots" / "_refused").iterdir()} == set(classroom.REASONS)
    assert "case matters" in (here / "bots/_refused/wrong_case/reason.txt").read_text()
    assert (here / "bots/_refused/wrong_case/submitted/wrong_case.py").read_text() == classroom.BAD[
        "wrong_case"
    ]


@pytest.mark.slow
def test_bots_lists_who_plays_and_who_was_refused(taught):
    here, _, _ = taught
    rows = {row["name"]: row for row in json.loads(cup.arena(here, "bots", "--json").stdout)}
    assert len(rows) == 20
    ann = rows["in_a_folder"]
    assert (ann["version"], ann["author"], ann["language"], ann["games"], ann["state"]) == (
        1,
        "Ann",
        "",
        [],
        "plays",
    )
    assert rows["zipped"]["language"] == "python"
    assert rows["empty"]["state"] == "refused"
    assert "in_a_folder" in cup.arena(here, "bots").stdout


@pytest.mark.slow
def test_every_author_has_a_name_to_show(taught):
    here, done, _ = taught
    answers = json.loads(done.stdout)
    shown = {row["display"]: row["name"] for row in answers}
    assert shown.items() >= {**classroom.NAMES, "Łukasz Żak": "Lukasz_Zak"}.items() - {
        ("Łukasz", "Lukasz")
    }
    assert "8 accepted, 12 refused" in done.stderr
    assert "nothing from 1 of the table of people: No Show" in done.stderr
    table = cup.arena(here, "bots")
    assert "12 refused; `arena bots --refused` says why" in table.stderr
    assert "case matters" not in table.stderr
    assert "case matters" in cup.arena(here, "bots", "--refused").stderr


@pytest.mark.slow
def test_those_who_were_taken_in_play_and_nobody_else(taught):
    here, _, _ = taught
    done = cup.run_event(here, "--plan", "--json")
    assert done.returncode == 0, done.stderr
    (board,) = json.loads(done.stdout)
    assert board["matches"] == 8 * 7


@pytest.mark.slow
def test_every_fit_bot_plays_under_its_authors_display_name(taught):
    here, done, _ = taught
    fit = {
        row["name"]: row["display"]
        for row in json.loads(done.stdout)
        if row["result"] == "accepted"
    }
    played = cup.run_event(
        here, "--name", "once", "--set", "rounds=1"
    )  # all against all are 7 times as many matches
    assert played.returncode == 0, played.stderr
    rows = cup.leaderboard(here, "once")
    assert {row["bot"]: row["display"] for row in rows} == fit
    assert {row["matches"] for row in rows} == {"2"}


@pytest.fixture
def here(tmp_path):
    return classroom.workspace(tmp_path / "ws", rival=LAST)


@pytest.fixture
def untried(here):
    """Submissions to the workspace, where every bot is taken without a trial, but none may be
    called `seated`.
    """
    return classroom.untried(here, reserved=["seated"])


def submit(here: Path, *words: object) -> dict[str, object]:
    (row,) = json.loads(cup.arena(here, "submit", *map(str, words), "--json").stdout)
    return row


def states(here: Path) -> dict[tuple[str, object], str]:
    rows = json.loads(cup.arena(here, "bots", "--versions", "--json").stdout)
    return {(row["name"], row["version"]): row["state"] for row in rows}


@pytest.mark.soak
def test_a_new_version_plays_in_place_of_the_old_one_and_only_its_matches_are_new(
    here, untried, tmp_path
):
    mine = written(tmp_path / "mine.py")
    assert classroom.submit(untried, mine).version == 1
    played = cup.run_event(here)
    assert played.returncode == 0, played.stderr
    assert classroom.submit(untried, mine).status == "known"
    mine.write_text(f"# better\n{GOOD}")
    assert classroom.submit(untried, mine).version == 2
    assert states(here) == {
        ("mine", 2): "plays",
        ("mine", 1): "replaced",
        ("rival", None): "by hand",
    }
    (board,) = json.loads(cup.run_event(here, "--plan", "--json").stdout)
    assert (board["matches"], board["played"]) == (2, 0)
    played = cup.run_event(here)
    assert played.returncode == 0, played.stderr
    assert [row["matches"] for row in cup.leaderboard(here)] == ["2", "2"]
    shown = json.loads(cup.arena(here, "leaderboard", "--versions", "--json").stdout)
    assert {row["bot"]: row["matches"] for row in shown} == {"mine v1": 2, "mine v2": 2, "rival": 4}
    again = classroom.submit(untried, here / "bots/_versions/mine/1/mine.py", "mine")
    assert (again.status, again.version) == ("accepted", 1)
    (board,) = json.loads(cup.run_event(here, "--plan", "--json").stdout)
    assert board["played"] == 2
    assert (here / "bots/mine.py").read_text() == GOOD


def test_a_bot_that_stands_in_the_workspace_already_is_kept_as_it_is(here, untried):
    answer = classroom.submit(untried, here / "bots/rival.py")
    assert (answer.status, answer.version) == ("accepted", 1)
    assert (here / "bots/rival.py").read_text() == LAST
    (here / "bots/rival.py").write_text(f"# edited\n{LAST}")
    assert states(here) == {("rival", None): "edited", ("rival", 1): "replaced"}
    assert classroom.submit(untried, here / "bots/rival.py").version == 2


def test_what_was_put_there_by_hand_is_never_overwritten(here, untried, tmp_path):
    answer = classroom.submit(untried, written(tmp_path / "rival.py"))
    assert (answer.status, "would be lost" in answer.words) == ("refused", True)
    assert (here / "bots/rival.py").read_text() == LAST


def test_a_bot_that_somebody_else_took_away_just_before_it_is_withdrawn_is_one_line(here):
    store = BotStore(here / "bots")
    lock = here / "bots/_versions/.lock"
    refused = []

    def withdraw():
        try:
            store.withdraw("rival")
        except ArenaError as error:
            refused.append(str(error))

    def waits_for_the_lock():
        opened = [
            os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")
        ]
        return opened.count(str(lock)) == 2  # once for each who holds it or waits

    second = threading.Thread(target=withdraw)
    with store.changing():
        second.start()
        assert until(waits_for_the_lock)
        (here / "bots/rival.py").unlink()
    second.join()
    assert refused == ["'rival': there is no such bot; `arena bots` lists them"]


def test_a_bot_that_cannot_be_kept_is_not_withdrawn_and_one_line_says_why(here):
    mine = classroom.folder_bot(here / "bots" / "mine")
    (mine / "__pycache__").mkdir()
    os.mkfifo(mine / "__pycache__" / "pipe")
    done = cup.arena(here, "withdraw", "mine")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert mine.is_dir()


def test_a_bot_in_a_worktree_of_git_plays(here):
    classroom.folder_bot(here / "bots" / "mine")
    (here / "bots" / "mine" / ".git").write_text("gitdir: ../../.git/worktrees/mine\n")
    done = cup.run_event(here)
    assert done.returncode == 0, done.stderr


def test_a_withdrawn_bot_plays_no_more_and_comes_back_as_it_was(here):
    done = cup.arena(here, "withdraw", "rival")
    assert (done.returncode, (here / "bots/rival.py").exists()) == (0, False)
    assert states(here) == {("rival", 1): "withdrawn"}
    assert "is withdrawn already" in cup.arena(here, "withdraw", "rival").stderr
    command = next(line for line in done.stdout.splitlines() if line.startswith("  arena submit"))
    assert cup.arena(here, *command.split()[1:]).returncode == 0
    assert states(here) == {("rival", 1): "plays"}


def test_a_submission_that_was_killed_midway_leaves_nothing_that_is_taken_for_a_bot(
    here, untried, tmp_path
):
    half = here / "bots/_versions/.incoming/.version"
    half.mkdir(parents=True)
    (half / "mine.py").write_text("half a pro")
    assert states(here) == {("rival", None): "by hand"}
    assert classroom.submit(untried, here / "bots/rival.py").version == 1
    (here / "bots/rival.py").unlink()  # as when it is killed between the version and its place
    assert (
        classroom.submit(untried, written(tmp_path / "rival.py", LAST)).words
        == "it was version 1, and plays again"
    )
    assert (here / "bots/rival.py").read_text() == LAST


class KilledError(BaseException):
    """As `kill -9` would have it: nobody cleans up."""


@pytest.mark.parametrize("at_once", [True, False], ids=["exchanged", "one after the other"])
@pytest.mark.parametrize("moves", range(1, 8))
def test_killed_at_any_move_of_a_file_a_submission_is_whole_after_the_next_one(
    moves, at_once, tmp_path, monkeypatch
):
    store = BotStore(tmp_path / "bots")
    submissions = classroom.untried(tmp_path)
    home = classroom.folder_bot(tmp_path / "mine")
    classroom.submit(submissions, home)
    (home / "bot.py").write_text(LAST)
    left = iter(range(1, moves))
    whole = os.rename, os.replace, bot_store.exchange

    def until_killed(which):
        def move(*words, **named):
            if next(left, None) is None:
                raise KilledError
            return which(*words, **named)

        return move

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", until_killed(whole[0]))
        patch.setattr(os, "replace", until_killed(whole[1]))
        patch.setattr(
            bot_store, "exchange", until_killed(whole[2]) if at_once else lambda *_: False
        )
        killed = False
        try:
            classroom.submit(submissions, home)
        except KilledError:
            killed = True
    assert killed == (moves <= 5)
    if not at_once:
        with store.changing():  # which whoever submits or withdraws anything does first
            pass
    (plays,) = discovery.gather(store.bots)
    assert plays.digest in {one.digest for one in store.versions("mine")}
    assert classroom.submit(submissions, home).version == 2
    assert (store.bots / "mine/bot.py").read_text() == LAST
    assert [one.number for one in store.versions("mine")] == [1, 2]
    assert not store.incoming.exists()


def test_two_names_are_exchanged_in_one_step_where_the_file_system_can(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not bot_store.exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system or kernel has no RENAME_EXCHANGE")
    assert (tmp_path / "one" / "other").exists()
    assert (tmp_path / "other" / "one").exists()
    with pytest.raises(FileNotFoundError):
        bot_store.exchange(tmp_path / "one", tmp_path / "none")


def test_a_bot_whose_shape_changes_is_put_back_when_somebody_is_killed_in_between(
    tmp_path, monkeypatch
):
    store = BotStore(tmp_path / "bots")
    submissions = classroom.untried(tmp_path)
    classroom.submit(submissions, classroom.folder_bot(tmp_path / "mine"))
    (tmp_path / "mine.py").write_text(LAST)
    with monkeypatch.context() as patch:
        patch.setattr(bot_store, "_put", Mock(side_effect=KilledError))
        with pytest.raises(KilledError):
            classroom.submit(submissions, tmp_path / "mine.py", replaces=True)
    with store.changing():
        pass
    assert [bot.name for bot in discovery.gather(store.bots)] == ["mine"]
    assert classroom.submit(submissions, tmp_path / "mine.py", replaces=True).version == 2
    assert [path.name for path in store.playing("mine")] == ["mine.py"]


def test_all_of_a_submission_is_on_disk_before_it_has_its_name(tmp_path, monkeypatch):
    store = BotStore(tmp_path / "bots")
    synced: set[int] = set()
    whole = os.fsync, os.rename, os.replace, bot_store.exchange

    def fsync(descriptor):
        synced.add(os.fstat(descriptor).st_ino)
        whole[0](descriptor)

    def check(source):
        every = [Path(source), *Path(source).rglob("*")]
        assert {path.stat().st_ino for path in every} <= synced, (
            f"{source} has its name before it is on disk"
        )

    def mover(move):
        def moved(source, target, **named):
            folders = (
                f"/proc/self/fd/{named[key]}" if key in named else "."
                for key in ("src_dir_fd", "dst_dir_fd")
            )
            paths = [
                os.path.realpath(Path(at, name))
                for at, name in zip(folders, (source, target), strict=True)
            ]
            if ".incoming" not in paths[1]:
                check(paths[0])
            return move(source, target, **named)

        return moved

    monkeypatch.setattr(os, "fsync", fsync)
    for module, name, move in (
        (os, "rename", whole[1]),
        (os, "replace", whole[2]),
        (bot_store, "exchange", whole[3]),
    ):
        monkeypatch.setattr(module, name, mover(move))
    home = classroom.folder_bot(tmp_path / "mine")
    submissions = classroom.untried(
        tmp_path, faults=lambda bot: ("no",) if bot.name == "bad" else ()
    )
    for text in (GOOD, LAST):
        (home / "bot.py").write_text(text)
        assert classroom.submit(submissions, home).status == "accepted"
        assert classroom.submit(submissions, home, "bad").status == "refused"
    assert {
        (store.bots / name).stat().st_ino for name in (".", "_versions/mine", "_refused")
    } <= synced


def test_a_version_that_a_power_cut_emptied_is_made_again_and_blocks_nobody(
    here, untried, tmp_path
):
    home, rival = classroom.folder_bot(tmp_path / "mine"), here / "bots/rival.py"
    classroom.submit(untried, home)
    classroom.submit(untried, rival)
    for path in (here / "bots/_versions/mine/1").rglob("*.py"):
        path.write_bytes(b"")
    (here / "bots/_versions/rival/1/.version.json").write_bytes(b"")
    listed = cup.arena(here, "bots")
    assert listed.returncode == 0
    assert "bots/_versions/rival/1 is damaged" in listed.stderr
    assert classroom.submit(untried, home).version == 1
    assert (here / "bots/_versions/mine/1/mine/bot.py").read_text() == GOOD
    assert classroom.submit(untried, rival).version == 2


def test_a_bot_that_is_too_much_for_arena_is_refused_and_the_others_are_tried(
    here, tmp_path, monkeypatch
):
    real, lost = screening.checkup, tmp_path / "lost"
    errors = {"first": SpawnerLostError, "second": OverloadedError}

    def checkup(bot, *rest, **more):
        if bot.name in errors:
            with lost.open("a") as file:  # in a lane, which is a process of its own
                file.write(f"{bot.name}\n")
            raise errors[bot.name]("the spawner process is gone")
        return real(bot, *rest, **more)

    monkeypatch.setattr(screening, "checkup", checkup)
    for name in ("first.py", "second.py", "third/program.py"):
        written(tmp_path / "class" / name)
    done = cup.arena(here, "submit", str(tmp_path / "class"))
    first, second, third = done.stdout.splitlines()
    assert first.startswith("refused   first  arena itself failed 2 times")
    assert second.startswith("refused   second  arena itself failed 2 times")
    assert third.startswith("accepted  third  ")
    assert sorted(lost.read_text().split()) == ["first", "first", "second", "second"]
    assert (done.returncode, "1 accepted, 2 refused" in done.stderr) == (1, True)
    assert (here / "bots/third.py").exists()


NAMES = {
    "another case": ("Rival.py", None, "case makes no difference"),
    "a way up": ("mine.py", "../../up", "cannot be a bot's name"),
    "a bell": ("mine.py", "a\ab", "cannot be a bot's name"),
    "nothing": ("mine.py", " ", "cannot be a bot's name"),
    "one of the table": ("seated.py", None, "is a [[bot]] of tournament.toml"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_that_no_bot_may_have_is_refused(kind, here, untried, tmp_path):
    file, name, reason = NAMES[kind]
    answer = classroom.submit(untried, written(tmp_path / file), name)
    assert (answer.status, reason in answer.words) == ("refused", True), answer
    assert answer.where.resolve().is_relative_to(here / "bots/_refused")


def test_a_bot_of_the_table_keeps_its_name(here, tmp_path):
    with (here / "tournament.toml").open("a") as file:
        file.write('[[bot]]\nname = "seated"\ncommand = "python bots/rival.py"\n')
    row = submit(here, written(tmp_path / "mine.py", ""), "--as", "seated")
    assert (row["result"], "is a [[bot]] of tournament.toml" in row["words"]) == (
        "refused",
        True,
    ), row


def test_a_file_called_after_a_module_of_pythons_is_taken_under_another_name(untried, tmp_path):
    path = written(tmp_path / "random.py")
    assert "Python's own module 'random'" in classroom.submit(untried, path).words
    assert classroom.submit(untried, path, "mine").status == "accepted"


@pytest.fixture
def submissions(tmp_path):
    return classroom.untried(
        tmp_path, faults=lambda bot: ("it is wrong",) if "wrong" in Path(bot.files).name else ()
    )


def written(path: Path, text: str = GOOD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("real", "name"),
    [
        *classroom.NAMES.items(),
        ("plain", "plain"),
        ("jane doe", "jane_doe"),
        ("Mu\u0308ller", "Muller"),
        ("Ирина Петрова", "Irina_Petrova"),
        ("محمد", "mhmd"),
        ("😀", "grinning"),
        ("---", "bot"),
        ("_versions", "versions"),
        ("_remote.sock", "remote.sock"),
        ("README.md", "README.md-2"),
        ("a" * 60, "a" * 40),
    ],
)
def test_a_name_that_people_have_becomes_a_name_for_a_bot_and_is_shown_as_it_is(
    real, name, submissions, tmp_path
):
    answer = classroom.submit(submissions, written(tmp_path / f"{real}.py"))
    assert (answer.status, answer.name) == ("accepted", name)
    assert answer.note.display == unicodedata.normalize("NFC", real)
    (bot,) = discovery.gather(tmp_path / "bots")
    assert (bot.name, bot.display) == (name, answer.note.display)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A workspace with a submission whose name to show has a space and an umlaut, and with a played
    event.
    """
    folder = tmp_path_factory.mktemp("named")
    here = classroom.workspace(folder / "ws", rival=LAST)
    assert submit(here, written(folder / "Anna Müller.py"))["name"] == "Anna_Muller"
    played = cup.run_event(here)
    assert played.returncode == 0, played.stderr
    return here


def test_a_display_name_stands_in_the_terminal_the_tables_the_charts_and_the_report(named):
    from matplotlib.text import (
        Text,
    )  # here, so that the other tests do not wait for matplotlib and pandas

    from arena import charts
    from arena.results.leaderboard import Results

    done = cup.arena(named, "leaderboard")
    assert ("Anna Müller" in done.stdout, "Anna_Muller" in done.stdout) == (True, False)
    assert {row["bot"]: row["display"] for row in cup.leaderboard(named)} == {
        "Anna_Muller": "Anna Müller",
        "rival": "rival",
    }
    results = Results.open(named / "results/cup")
    assert set(charts.about(results).bots) == {"Anna Müller", "rival"}
    drawn = charts.render("leaderboard", results)
    results.close()
    assert "Anna Müller" in {text.get_text() for text in drawn.findobj(Text)}
    with cup.first_chart_only():
        assert cup.arena(named, "report").returncode == 0
    page = (named / "results/cup/report.html").read_text()
    assert '<a href="#bot=Anna%20M%C3%BCller">Anna Müller</a>' in page
    assert '"Anna_Muller"' in page  # for the commands that it shows


def test_commands_take_the_names_that_tables_show(named, tmp_path):
    here = shutil.copytree(named, tmp_path / "ws", symlinks=True)
    compared = cup.arena(here, "compare", "anna mu\u0308ller", "rival")
    assert (compared.returncode, "Anna Müller is rated" in compared.stdout) == (0, True), (
        compared.stderr
    )
    words_of_extras = [("lessons", "Anna Müller"), ("report", "--for", "Anna Müller")]
    there = [words for words in words_of_extras if extras.missing_for(*words) is None]
    for words in (*there, ("match", "Anna Müller", "rival")):
        done = cup.arena(here, *words, *(["--board", "words"] if words[0] == "match" else []))
        assert done.returncode == 0, done.stderr
    assert cup.arena(here, "check", "Anna Müller").returncode == 0
    assert (
        cup.arena(here, "compare", "Anna Müller", "Anna_Muller").stderr
        == "Anna_Muller twice: name two bots\n"
    )
    assert cup.arena(here, "withdraw", "Anna Müller").returncode == 0
    assert not (here / "bots/Anna_Muller.py").exists()


def test_a_name_that_two_bots_have_in_tables_is_nobodys():
    bots = [
        Bot(name=name, command=("x",), digest="", display="Ann Lee")
        for name in ("Ann_Lee", "Ann_Lee-2")
    ]
    texts = ("Ann Lee", "ann_lee", "Ann Lee (Ann_Lee-2)", "Bob")
    assert [bot_shown(text, bots) for text in texts] == ["Ann Lee", "Ann_Lee", "Ann_Lee-2", "Bob"]


@pytest.mark.parametrize(
    ("shown", "labels_"),
    [
        (("", "x"), ("a", "x")),
        (("x", "x"), ("x (a)", "x (b)")),
        (("x", "X"), ("x (a)", "X (b)")),
        (("b", ""), ("b (a)", "b")),
        (("B", "x (a)"), ("B (a)", "x (a)")),
        (("x", "x (a)"), ("x", "x (a)")),
        (("b", "b (a)"), ("a", "b")),
    ],
)
def test_no_two_bots_are_shown_under_one_name_whatever_their_authors_wish(shown, labels_):
    bots = [
        Bot(name=name, command=("x",), digest="", display=text)
        for name, text in zip("ab", shown, strict=True)
    ]
    assert display_names(bots) == dict(zip("ab", labels_, strict=True))


def test_two_people_whose_names_come_to_the_same_have_two_bots_and_keep_them(submissions, tmp_path):
    for _ in range(2):
        names = [
            classroom.submit(submissions, written(tmp_path / f"{one}.py")).name
            for one in ("Ann Lee", "Ann-Lee", "Ann_Lée", "Añn Lee")
        ]
        assert names == ["Ann_Lee", "Ann-Lee", "Ann_Lee-2", "Ann_Lee-3"]
    assert len(discovery.gather(tmp_path / "bots")) == 4


def test_two_students_who_both_hand_in_bot_py_do_not_replace_each_other(submissions, tmp_path):
    ann, bob = (
        written(tmp_path / "ann/bot.py", "# ann\n"),
        written(tmp_path / "bob/bot.py", "# bob\n"),
    )
    assert classroom.submit(submissions, ann).version == 1
    refused = classroom.submit(submissions, bob)
    assert (refused.status, "--replace" in refused.words, str(ann) in refused.words) == (
        "refused",
        True,
        True,
    )
    ann.write_text("# better\n")
    assert classroom.submit(submissions, ann).version == 2
    assert classroom.submit(submissions, bob, "bob").version == 1
    assert classroom.submit(submissions, bob, replaces=True).version == 3
    assert (tmp_path / "bots/bot.py").read_text() == "# bob\n"


def test_a_name_that_is_refused_does_not_hide_what_is_wrong_with_the_bot(submissions, tmp_path):
    classroom.submit(submissions, written(tmp_path / "wrong.py"))
    written(tmp_path / "bots" / "wrong.py", "# by hand")
    for path, name in ((tmp_path / "new/wrong.py", None), (tmp_path / "wrong.py", "../wrong")):
        answer = classroom.submit(submissions, written(path), name)
        assert answer.reasons.count("\n\n") == 1
        assert answer.reasons.endswith("it is wrong")


def test_a_refusal_quotes_a_bot_as_it_is_also_where_it_writes_what_arena_would(
    submissions, tmp_path
):
    words = "x; to have it skipped, begin its name with _"
    (bot := tmp_path / "new/bot").mkdir(parents=True)
    (bot / "bot.toml").write_text(f"threads = '{words}'\n")
    (notes := tmp_path / "new/notes.txt").write_text("no program")
    reasons = [classroom.submit(submissions, path).reasons for path in (bot, notes)]
    assert reasons[0].startswith("bot/bot.toml: threads: ")
    assert words in reasons[0]
    assert reasons[1].startswith("notes.txt: not a bot: ")
    assert words[3:] not in reasons[1]
    assert str(tmp_path) not in "".join(reasons)


def test_a_refusal_disappears_when_its_author_hands_in_a_bot_that_is_taken(tmp_path):
    store = BotStore(tmp_path / "bots")
    crowd = Person(name="Ann", id="7"), Person(name="Bob", id="8")
    submissions = classroom.untried(
        tmp_path, crowd, lambda bot: () if Path(bot.files).read_bytes() else ("it is empty",)
    )
    for name in ("7", "8", "x"):
        classroom.submit(submissions, written(tmp_path / f"{name}.py", ""))
    assert [one.name for one in store.refused()] == ["Ann", "Bob", "x"]
    classroom.submit(
        submissions, written(tmp_path / "later/Ann.py")
    )  # the same person, from another place
    classroom.submit(
        submissions, written(tmp_path / "x.py"), "other"
    )  # the same file, under another name
    assert [one.name for one in store.refused()] == ["Bob"]


@pytest.mark.parametrize(
    "called",
    [
        *(
            "s7",
            "ann@x.example",
            "Ann Lee",
            "lee, ann",
            "Ann Lee_1234_assignsubmission_file_",
            "leeann_s7_99_bot",
        ),
        *(
            "Ann Lee_my_bot",
            "Homework 1_ann_attempt_2026-05-01-10-00-00_bot",
            "week_2_ann@x.example",
            "leeann_LATE_s7_99_x",
        ),
    ],
)
def test_a_submission_belongs_to_the_person_it_is_called_after(called, tmp_path):
    rows = "Name;E-Mail;ID\nAnn Lee;ann@x.example;s7\nBob Lee;;s8\n"
    everybody = people.read(written(tmp_path / "people.csv", f"\ufeff{rows}"))
    assert everybody.author(label_of(called)) == Person(
        name="Ann Lee", email="ann@x.example", id="s7"
    )
    assert everybody.author(label_of("Lee")) is None
    assert (
        people.read(written(tmp_path / "people.csv", "name\nAnn Lee\n"))
        .author(label_of("ann lee"))
        .id
        == "Ann Lee"
    )


@pytest.mark.parametrize(
    "called", ["anti_bob", "anti_bob_2", "ann_against_bob", "no_bob_bot_99", "beats_Bob Lee"]
)
def test_a_submission_that_has_a_persons_name_in_its_own_is_not_theirs(called, tmp_path):
    everybody = people.read(
        written(tmp_path / "people.csv", "name,e-mail,id\nBob Lee,bob@x.example,bob\nEve,,e1\n")
    )
    assert everybody.author(label_of(called)) is None
    assert (
        everybody.author(label_of("bob")).name
        == everybody.author(label_of("bob_12_assignsubmission_file_")).name
        == "Bob Lee"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no column `name`"),
        ("id,mail\n1,2\n", "no column `name`"),
        ("name,id\nAnn,1\nBob,1\n", "line 3: '1' is there twice"),
        ("name,id\n,1\n", "line 2: expected a name"),
        ("name\n\xff", "not UTF-8"),
    ],
)
def test_a_mistake_in_people_csv_is_named_with_its_line(text, said, here, tmp_path):
    (here / "people.csv").write_bytes(text.encode("latin-1"))
    done = cup.arena(here, "submit", str(written(tmp_path / "ann.py")))
    assert (done.returncode, said in done.stderr, "people.csv" in done.stderr) == (2, True, True), (
        done.stderr
    )


@pytest.mark.parametrize(
    "files",
    [("bot.py",), ("main.py", "helper.py"), ("bot.toml", "bot.py"), ("bot.py", "notes.txt")],
)
def test_submit_and_check_agree_on_what_a_folder_is(files, here, untried, tmp_path, monkeypatch):
    home = tmp_path / "José"
    for name in files:
        written(home / name, 'command = "python bot.py"\n' if name == "bot.toml" else GOOD)
    monkeypatch.chdir(here)
    checked, answer = workspace.bot_named(str(home)), classroom.submit(untried, home)
    assert (answer.status, answer.name, answer.note.display) == ("accepted", "Jose", "José")
    assert checked.name == "Jose"
    if len(files) > 1:  # a single file is called after the bot, and the digest is of its name too
        assert checked.digest == answer.bot.digest


def test_a_folder_whose_program_is_not_plain_is_refused_in_words(here, tmp_path):
    for name in ("bot.py", "main.py"):
        written(tmp_path / "two" / name)
    assert "has bot.py and main.py: write a bot.toml" in str(
        submit(here, tmp_path / "two")["words"]
    )
    for name in ("ann.py", "util.py"):
        written(tmp_path / "class/none" / name)
    (row,) = json.loads(cup.arena(here, "submit", str(tmp_path / "class"), "--json").stdout)
    assert "or call its program bot.py or main.py" in row["words"]


def test_two_of_one_name_in_a_class_are_both_refused(untried, tmp_path):
    folder = tmp_path / "class"
    classroom.folder_bot(folder / "ann")
    written(folder / "Ann.py")
    assert [(answer.name, answer.words) for answer in untried.submit_all(class_of(folder))] == [
        (name, "Ann.py and ann have one name, and case makes no difference: rename one")
        for name in ("Ann", "ann")
    ]


def test_what_cannot_be_done_at_all_is_a_mistake_and_no_refusal(here, tmp_path):
    for words, said in (
        (("submit", "nobody"), "there is no such bot"),
        (("submit", "bots", "--as", "x"), "it is a folder of bots"),
        (("submit", "rules/none"), "there is no such bot"),
        (("withdraw", "rivla"), "did you mean 'rival'?"),
    ):
        done = cup.arena(here, *words)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert "makes a workspace" in cup.arena(tmp_path, "submit", "ws").stderr


# What a submission is made of


def taken(source: Path, tmp_path: Path) -> Path:
    copy_untrusted.copy_submission(source, tmp_path / "taken")
    return tmp_path / "taken"


def sinful(folder: Path, sin: str) -> Path:
    """A bot's folder with something in it that is refused."""
    bad = folder / "bad"
    match sin:
        case "a fifo":
            os.mkfifo(bad)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as one:
                one.bind(str(bad))
        case "a hard link":
            (folder.parent / "secret").write_text("secret")
            os.link(folder.parent / "secret", bad)
        case "a link up":
            bad.symlink_to("../secret")
        case "a link to the root":
            bad.symlink_to("/etc/passwd")
        case "deep folders":
            Path(folder, *["d"] * DEEPEST).mkdir(parents=True)
        case "200 MB":
            with bad.open("wb") as file:
                file.truncate(200_000_000)
        case "a name that obeys a terminal":
            (folder / "\x1b[2J").touch()
        case "a device":
            if os.getuid() != 0:
                pytest.skip("only root makes devices")
            os.mknod(bad, 0o020666, os.makedev(1, 3))
    return folder


SINS = {
    "a fifo": "neither a file nor a folder",
    "a socket": "neither a file nor a folder",
    "a device": "neither a file nor a folder",
    "a hard link": "a second name elsewhere",
    "a link up": "this link leaves",
    "a link to the root": "this link leaves",
    "deep folders": f"more than {DEEPEST} deep",
    "200 MB": "larger than 50 MB",
    "a name that obeys a terminal": "is no name for a file",
}


@pytest.mark.parametrize("sin", SINS)
def test_what_no_submission_may_hold_is_refused_by_name(sin, tmp_path):
    with pytest.raises(ArenaError, match=SINS[sin]) as said:
        taken(sinful(classroom.folder_bot(tmp_path / "mine"), sin), tmp_path)
    assert "\x1b" not in str(said.value)


def test_a_submission_of_too_many_files_is_refused_before_they_are_all_read(tmp_path, monkeypatch):
    monkeypatch.setattr(copy_untrusted, "Allowance", partial(copy_untrusted.Allowance, entries=3))
    home = classroom.folder_bot(tmp_path / "mine")
    assert len(list(taken(home, tmp_path).iterdir())) == 2
    (home / "third").touch()
    with pytest.raises(ArenaError, match=f"more than {copy_untrusted.MOST_ENTRIES} files"):
        copy_untrusted.copy_submission(home, tmp_path / "again")


def test_a_submission_that_is_itself_a_link_is_refused(tmp_path):
    (tmp_path / "secret.py").write_text("secret")
    (tmp_path / "mine.py").symlink_to("secret.py")
    with pytest.raises(ArenaError, match="this link leaves"):
        taken(tmp_path / "mine.py", tmp_path)


def test_a_link_that_winds_its_way_out_is_refused_where_it_then_stands(here, tmp_path):
    home = classroom.folder_bot(tmp_path / "mine")
    (home / "a" / "b").mkdir(parents=True)
    (home / "a" / "b" / "top").symlink_to("../..")
    (home / "out").symlink_to("a/b/top/../rival.py")
    assert "this link leaves" in str(submit(here, home)["words"])


def test_no_mode_is_kept_but_whether_a_file_may_be_run(tmp_path):
    home = classroom.folder_bot(tmp_path / "mine")
    (home / "bot.py").chmod(0o6777)
    (home / "bot.toml").chmod(0o600)
    (home / "__pycache__").mkdir()
    copy = taken(home, tmp_path)
    assert {path.name: path.stat().st_mode & 0o7777 for path in copy.iterdir()} == {
        "bot.py": 0o755,
        "bot.toml": 0o644,
    }


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path):
    home = classroom.folder_bot(tmp_path / "mine")
    (home / "log").write_bytes(bytes(30_000_000))
    over = threading.Event()

    def grow():
        with (home / "log").open("ab") as file:
            while not over.is_set():
                file.write(b"x")
                file.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        with pytest.raises(ArenaError, match=r"changed while it was read|larger than"):
            taken(home, tmp_path)
    finally:
        over.set()
        writer.join()


MEMBERS = {
    "a way up": (tarfile.TarInfo("../../up.py"), "leads out of its archive"),
    "the root": (tarfile.TarInfo("/tmp/up.py"), "leads out of its archive"),
    "a link": (tarfile.TarInfo("link"), "neither a file nor a folder"),
    "a device": (tarfile.TarInfo("device"), "neither a file nor a folder"),
    "the link of an environment": (tarfile.TarInfo("mine/my/lib64"), "mine/my: is a virtual env"),
    "its python": (tarfile.TarInfo("mine/my/bin/python3"), "mine/my: is a virtual env"),
    "a deep folder": (tarfile.TarInfo("d/" * DEEPEST + "bot.py"), "deep"),
}
MEMBERS["a link"][0].type, MEMBERS["a link"][0].linkname = tarfile.SYMTYPE, "/etc/passwd"
for link in ("the link of an environment", "its python"):
    MEMBERS[link][0].type, MEMBERS[link][0].linkname = tarfile.SYMTYPE, "lib"
MEMBERS["a device"][0].type = tarfile.CHRTYPE


@pytest.mark.parametrize("kind", MEMBERS)
def test_an_archive_writes_nothing_but_plain_files_below_one_folder(kind, tmp_path):
    (tmp_path / "ws").mkdir()
    info, reason = MEMBERS[kind]
    archive = classroom.tarred(tmp_path / "mine.tar", (info, b""))
    with pytest.raises(ArenaError, match=reason):
        unpack(archive, tmp_path / "ws" / "unpacked")
    assert not (tmp_path / "up.py").exists()
    written = list((tmp_path / "ws" / "unpacked").rglob("*"))
    assert [path for path in written if path.is_symlink() or not path.is_dir()] == []


def header(name: str, kind: bytes, size: int) -> bytes:
    """One header of a tar, which may promise more than follows."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def packed_zip(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name is there twice is the point
        for name in names:
            archive.writestr(name, "")
    return path


HOSTILE = {
    "a pax header of 1 GB": (
        header("x", b"x", 1 << 30),
        "a header that is larger than any name needs",
    ),
    "a long name of 1 GB": (
        header("x", b"L", 1 << 30),
        "a header that is larger than any name needs",
    ),
    "a chain of headers": (
        (header("x", b"L", 512) + b"a" * 512) * 3000,
        "no archive that can be read",
    ),
    "too many that are skipped": (
        header("__pycache__/x", b"0", 0) * 5100,
        "more than 5000 entries",
    ),
    "1 GB that is skipped": (header(".git/big", b"0", 1 << 30), "larger than 50 MB"),
    "a sparse file of 1 TB": (header("big", b"S", 1 << 40), "larger than 50 MB"),
    "a hard link": (header("link", b"1", 0), "neither a file nor a folder"),
    "a name of 300 letters": (["a" * 300 + ".py"], "is no name for a file"),
    "a zip of .NET": (["win\\bot.toml"], "win.*bot.toml' has a backslash: arena knows /"),
    "a folder that obeys a terminal": (["\x1b[2J/bot.py"], r"\\x1b\[2J' is no name for a file"),
    "twice the same": (["bot.py", "bot.py"], "is there twice"),
    "a file that is a folder": (["bot", "bot/bot.py"], "bot: is there twice"),
    "the root": (["/bot.py"], "leads out of its archive"),
    "folders without files": (
        [f"{n}/" + "/".join("abcdefghijkl") + "/" for n in range(300)],
        "more than 2000 files",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused_with_a_reason_and_costs_little(kind, tmp_path, monkeypatch):
    assert unpacking.MEMBERS == 20_000
    monkeypatch.setattr(unpacking, "MEMBERS", 5000)
    content, reason = HOSTILE[kind]
    if isinstance(content, bytes):
        archive = tmp_path / "mine.tar.gz"
        zeros = (1 << 25) if "1 GB" in kind else 1024
        with gzip.open(archive, "wb", compresslevel=1) as file:
            file.write(content)
            for _ in range(0, zeros, 1 << 24):
                file.write(bytes(min(zeros, 1 << 24)))
    else:
        archive = packed_zip(tmp_path / "mine.zip", *content)
    with pytest.raises(ArenaError, match=reason):
        unpack(archive, tmp_path / "unpacked")
    assert (
        sum(path.stat().st_size for path in (tmp_path / "unpacked").rglob("*") if path.is_file())
        == 0
    )


def test_an_archive_that_needs_more_memory_or_time_than_it_may_is_refused(tmp_path, monkeypatch):
    greedy = bytearray(lzma.compress(bytes(1024)))
    assert (greedy[12], greedy[14:16]) == (
        2,
        b"\x21\x01",
    )  # a block's header of 12 bytes: LZMA2, with a byte to tell
    greedy[16] = 40  # that its dictionary has 4 GB
    greedy[20:24] = zlib.crc32(greedy[12:20]).to_bytes(4, "little")
    (tmp_path / "mine.tar.xz").write_bytes(greedy)
    with pytest.raises(ArenaError, match="MB of memory to unpack"):
        unpack(tmp_path / "mine.tar.xz", tmp_path / "unpacked")
    archive = packed_zip(tmp_path / "mine.zip", "bot.py")
    monkeypatch.setattr(unpacking, "WALL_SECONDS", 0.2)
    monkeypatch.setattr(unpacking, "_zip", lambda _: iter(int, None))  # never ends
    monkeypatch.setattr(unpacking, "_extract", lambda *_: None)
    monkeypatch.setattr(unpacking, "MEMBERS", 1 << 60)
    with pytest.raises(ArenaError, match=r"it takes more than 0\.2 s to unpack; leave out"):
        unpack(archive, tmp_path / "again")


def test_a_link_to_anywhere_does_not_end_the_submission_of_a_class(untried, tmp_path):
    leads = ["..", "../..", ".", "bot.py/../..", "up", "x" * 300]
    for number, target in enumerate(leads):
        (classroom.folder_bot(tmp_path / f"class/linked{number}", program="") / "up").symlink_to(
            target
        )
    (tmp_path / "class" / "sound.py").write_text(GOOD)
    answers = list(untried.submit_all(class_of(tmp_path / "class")))
    assert [answer.name for answer in answers] == [
        *(f"linked{number}" for number in range(len(leads))),
        "sound",
    ]
    assert answers[-1].status == "accepted"
    for target, answer in zip(leads, answers, strict=False):
        assert ("this link leaves" in answer.words) == (".." in target), answer


def test_the_only_file_of_a_folder_is_refused_under_the_name_that_its_author_knows(
    untried, tmp_path
):
    (tmp_path / "class" / "ann").mkdir(parents=True)
    (tmp_path / "class" / "ann" / "run").write_text("#!/usr/bin/env python3\n")
    (answer,) = untried.submit_all(class_of(tmp_path / "class"))
    assert "ann/run: not a bot: run may not be executed: chmod +x run" in answer.words


def test_the_row_of_a_class_says_where_the_whole_reason_is(here, tmp_path):
    (tmp_path / "class").mkdir()
    for name in ("long", "longer"):
        word = "x" * 150
        (tmp_path / "class" / f"{name}.py").write_text(
            f"raise SystemExit('{word} {word} {word}')\n"
        )
    done = cup.arena(here, "submit", str(tmp_path / "class"))
    for name in ("long", "longer"):
        where = f"bots/_refused/{name}/reason.txt"
        assert f"... (all of it: {where})" in done.stdout
        assert "-> the program failed" in (here / where).read_text()


def test_an_archive_that_swells_is_cut_short(tmp_path):
    archive = classroom.zipped(tmp_path / "mine.zip", bot_py="0" * 60_000_000)
    with pytest.raises(ArenaError, match="larger than 50 MB"):
        unpack(archive, tmp_path / "unpacked")


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 and no more", b"\x97\x98i\n" * 16], ids=["empty", "torn", "noise"]
)
@pytest.mark.parametrize("name", ["mine.zip", "mine.tar.gz"])
def test_what_is_no_archive_is_told_so(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArenaError, match="no archive that can be read"):
        unpack(tmp_path / name, tmp_path / "unpacked")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("ann.py", "ann"),
        ("ann.tar.gz", "ann"),
        ("ann.v2.py", "ann.v2"),
        ("ann", "ann"),
        (".zip", ""),
    ],
)
def test_a_submission_is_called_after_its_file_without_ending(file, name):
    assert name_of(Path(file)) == name


def test_a_bots_own_copy_is_not_what_somebody_edits_afterwards(here, untried, tmp_path):
    home = classroom.folder_bot(tmp_path / "mine")
    assert classroom.submit(untried, home).status == "accepted"
    shutil.rmtree(home)
    assert (here / "bots/mine/bot.py").read_text() == (
        here / "bots/_versions/mine/1/mine/bot.py"
    ).read_text()


NEEDS_A_CALL = python('os.memfd_create("x")')


@pytest.mark.skipif(
    choice.failure("landlock") is not None, reason="calls are named at the level landlock only"
)
def test_a_refusal_names_the_system_calls_that_a_bot_was_refused(here, tmp_path):
    path = written(tmp_path / "class" / "needs.py", NEEDS_A_CALL)
    (found,) = json.loads(
        cup.arena(here, "check", str(path), "--sandbox", "landlock", "--json").stdout
    )
    if not found["refused"]:
        pytest.skip("this system does not let us look at our own children")
    row = submit(here, path, "--sandbox", "landlock")
    assert "system calls that were refused to it: memfd_create" in str(row["reasons"])


@pytest.mark.parametrize(
    ("name", "known"),
    [
        *(
            ("\u0410nn", "Ann"),
            ("\uff21nn", "Ann"),
            ("A\u0578n", "Ann"),
            ("\u0421\u043e\u0440\u0443", "Copy"),
        ),
        *(("Ann", "\u0410nn"), ("riv\u0430l", "rival"), ("\u0417oe", "\u04e0oe")),
    ],
)
def test_a_name_that_looks_like_anothers_is_refused_and_both_are_told_apart(
    name, known, submissions, tmp_path
):
    assert classroom.submit(submissions, written(tmp_path / f"{known}.py")).status == "accepted"
    answer = classroom.submit(submissions, written(tmp_path / "other" / f"{name}.py"))
    assert (answer.status, "looks like" in answer.words, "\\u" in answer.words) == (
        "refused",
        True,
        True,
    ), answer
    assert classroom.submit(submissions, written(tmp_path / f"{known}.py", LAST)).version == 2


def test_a_name_that_looks_like_that_of_a_person_is_refused_unless_it_is_theirs(tmp_path):
    crowd = (
        Person(name="Zo\u00eb", id="1"),
        Person(name="Yildiz", id="2"),
        Person(name="Y\u0131ldiz", id="3"),
    )
    submissions = classroom.untried(tmp_path, crowd)
    names = ("1", "2", "3", "Zo\u0451")
    results = [
        classroom.submit(submissions, written(tmp_path / f"{name}.py", f"# {name}\n")).status
        for name in names
    ]
    assert results == ["accepted", "accepted", "accepted", "refused"]


def test_of_two_files_of_a_class_whose_names_look_alike_one_is_refused(untried, tmp_path):
    for name in ("Ann", "\u0410nn"):
        written(tmp_path / "class" / f"{name}.py", f"# {name}\n")
    answers = list(untried.submit_all(class_of(tmp_path / "class")))
    assert [(answer.status, "looks like 'Ann'" in answer.words) for answer in answers] == [
        ("accepted", False),
        ("refused", True),
    ]


@pytest.mark.parametrize("name", ["\u3164", "\u2800\ufe0f", "\u115f \u3164"])
def test_a_name_without_a_letter_that_anybody_sees_is_refused(name, submissions, tmp_path):
    answer = classroom.submit(submissions, written(tmp_path / f"{name}.py"))
    assert (answer.status, "has no letter that anybody sees" in answer.words) == (
        "refused",
        True,
    ), answer


def test_letters_that_nobody_sees_tell_no_two_names_apart(submissions, tmp_path):
    assert classroom.submit(submissions, written(tmp_path / "Ann Lee.py")).name == "Ann_Lee"
    answer = classroom.submit(
        submissions, written(tmp_path / "other" / "Ann\u3164Lee\u3164.py", LAST)
    )
    assert (answer.name, answer.note.display) == ("Ann_Lee-2", "Ann Lee")
    assert len(set(display_names(discovery.gather(tmp_path / "bots")).values())) == 2
    accented = (
        "M\u00fcller",
        "Muller",
        "\u0141ukasz",
        "Lukasz",
        "Corner",
        "Comer",
        "s0",
        "sO",
        "\u738b",
        "\u5f20",
    )
    for number, name in enumerate(accented):
        assert (
            classroom.submit(submissions, written(tmp_path / f"{name}.py", f"# {number}\n")).status
            == "accepted"
        ), name
