"""`arena submit`, `bots`, `withdraw`: who is taken in and why not, what is kept, and that nothing else is touched."""

import json
import os
import shutil
import socket
import tarfile
import threading
from functools import partial
from pathlib import Path

import classroom
import cup
import pytest

from arena import roster
from arena.bot import OverloadedError
from arena.cli import examining
from arena.errors import ArenaError
from arena.sandbox.door import SpawnerLostError
from arena.submissions import Desk, Shelf, name_of, taking
from arena.submissions.taking import DEPTH, take
from arena.submissions.unpacking import unpack

GOOD = 16


together = pytest.mark.early
"""With a class of thirty that takes half a minute to be checked: first, so that one worker has all of these."""


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A class of thirty has submitted: the workspace, what was said, and what stood outside before and after."""
    home = tmp_path_factory.mktemp("class")
    here = classroom.workspace(home / "ws")
    submitted = classroom.make(home / "class", GOOD)
    before = classroom.everything(home / "class"), sorted(path.name for path in home.iterdir())
    done = cup.arena(here, "submit", str(submitted), "--json")
    after = classroom.everything(home / "class"), sorted(path.name for path in home.iterdir())
    return here, done, before == after


@together
@pytest.mark.slow
def test_a_class_of_thirty_is_taken_in_or_refused_each_with_the_right_reason(taught):
    _, done, _ = taught
    answers = {row["name"]: row for row in json.loads(done.stdout)}
    assert (done.returncode, len(answers)) == (1, 30)
    refused = {name for name, row in answers.items() if row["result"] == "refused"}
    assert refused == set(classroom.REASONS)
    for name, words in classroom.REASONS.items():
        assert words in answers[name]["reasons"], name
    assert {row["version"] for name, row in answers.items() if name not in refused} == {1}


@together
@pytest.mark.slow
def test_nothing_is_written_outside_the_workspace_and_nothing_half_within(taught):
    here, _, same = taught
    assert same
    assert sorted(path.name for path in here.iterdir()) == ["bots", "results", "rules", "tournament.toml"]
    assert sorted(path.name for path in (here / "bots" / "_versions").iterdir() if path.name[0] == ".") == [".lock"]
    assert not [path for path in here.rglob("*") if path.is_symlink() or "slipped" in path.name]


@together
@pytest.mark.slow
def test_a_refused_bot_is_kept_apart_with_its_reason(taught):
    here, _, _ = taught
    assert {path.name for path in (here / "bots" / "_refused").iterdir()} == set(classroom.REASONS)
    assert "case matters" in (here / "bots/_refused/wrong_case/reason.txt").read_text()
    assert (here / "bots/_refused/wrong_case/submitted/wrong_case.py").read_text() == classroom.BAD["wrong_case"]


@together
@pytest.mark.slow
def test_bots_lists_who_plays_and_who_was_refused(taught):
    here, _, _ = taught
    rows = {row["name"]: row for row in json.loads(cup.arena(here, "bots", "--json").stdout)}
    assert len(rows) == 30
    ann = rows["in_a_folder"]
    assert (ann["version"], ann["author"], ann["language"], ann["games"], ann["state"]) == (1, "Ann", "", [], "plays")
    assert rows["zipped"]["language"] == "python"
    assert rows["empty"]["state"] == "refused"
    assert "in_a_folder" in cup.arena(here, "bots").stdout


@together
@pytest.mark.slow
def test_those_who_were_taken_in_play_and_nobody_else(taught):
    here, _, _ = taught
    done = cup.run_event(here, "--plan", "--json")
    assert done.returncode == 0, done.stderr
    (board,) = json.loads(done.stdout)
    assert board["matches"] == (30 - len(classroom.REASONS)) * (29 - len(classroom.REASONS))


@pytest.fixture
def here(tmp_path):
    return classroom.workspace(tmp_path / "ws", rival=cup.LAST)


def submit(here: Path, *words: object) -> dict[str, object]:
    (row,) = json.loads(cup.arena(here, "submit", *map(str, words), "--json").stdout)
    return row


def states(here: Path) -> dict[tuple[str, object], str]:
    rows = json.loads(cup.arena(here, "bots", "--versions", "--json").stdout)
    return {(row["name"], row["version"]): row["state"] for row in rows}


def test_a_new_version_plays_in_place_of_the_old_one_and_only_its_matches_are_new(here, tmp_path):
    (tmp_path / "mine.py").write_text(cup.FIRST)
    assert submit(here, tmp_path / "mine.py")["version"] == 1
    played = cup.run_event(here)
    assert played.returncode == 0, played.stderr
    assert submit(here, tmp_path / "mine.py")["result"] == "known"
    (tmp_path / "mine.py").write_text(f"# better\n{cup.FIRST}")
    assert submit(here, tmp_path / "mine.py")["version"] == 2
    assert states(here) == {("mine", 2): "plays", ("mine", 1): "replaced", ("rival", None): "by hand"}
    (board,) = json.loads(cup.run_event(here, "--plan", "--json").stdout)
    assert (board["matches"], board["played"]) == (2, 0)
    played = cup.run_event(here)
    assert played.returncode == 0, played.stderr
    assert [row["matches"] for row in cup.leaderboard(here)] == ["2", "2"]
    shown = json.loads(cup.arena(here, "leaderboard", "--versions", "--json").stdout)
    assert {row["bot"]: row["matches"] for row in shown} == {"mine v1": 2, "mine v2": 2, "rival": 4}
    again = submit(here, here / "bots/_versions/mine/1/mine.py", "--as", "mine")
    assert (again["result"], again["version"]) == ("accepted", 1)
    (board,) = json.loads(cup.run_event(here, "--plan", "--json").stdout)
    assert board["played"] == 2
    assert (here / "bots/mine.py").read_text() == cup.FIRST


def test_a_bot_that_stands_in_the_workspace_already_is_kept_as_it_is(here):
    row = submit(here, "bots/rival.py")
    assert (row["result"], row["version"]) == ("accepted", 1)
    assert (here / "bots/rival.py").read_text() == cup.LAST
    (here / "bots/rival.py").write_text(f"# edited\n{cup.LAST}")
    assert states(here) == {("rival", None): "edited", ("rival", 1): "replaced"}
    assert submit(here, "bots/rival.py")["version"] == 2


def test_what_was_put_there_by_hand_is_never_overwritten(here, tmp_path):
    (tmp_path / "rival.py").write_text(cup.FIRST)
    row = submit(here, tmp_path / "rival.py")
    assert (row["result"], "would be lost" in row["words"]) == ("refused", True)
    assert (here / "bots/rival.py").read_text() == cup.LAST


def test_a_withdrawn_bot_plays_no_more_and_comes_back_as_it_was(here):
    done = cup.arena(here, "withdraw", "rival")
    assert (done.returncode, (here / "bots/rival.py").exists()) == (0, False)
    assert states(here) == {("rival", 1): "withdrawn"}
    assert "is withdrawn already" in cup.arena(here, "withdraw", "rival").stderr
    command = next(line for line in done.stdout.splitlines() if line.startswith("  arena submit"))
    assert cup.arena(here, *command.split()[1:]).returncode == 0
    assert states(here) == {("rival", 1): "plays"}


def test_a_submission_that_was_killed_midway_leaves_nothing_that_is_taken_for_a_bot(here, tmp_path):
    half = here / "bots/_versions/.incoming/.version"
    half.mkdir(parents=True)
    (half / "mine.py").write_text("half a pro")
    assert states(here) == {("rival", None): "by hand"}
    assert submit(here, "bots/rival.py")["version"] == 1
    (here / "bots/rival.py").unlink()  # as when it is killed between the version and its place
    (tmp_path / "rival.py").write_text(cup.LAST)
    assert submit(here, tmp_path / "rival.py")["words"] == "it was version 1, and plays again"
    assert (here / "bots/rival.py").read_text() == cup.LAST


class KilledError(BaseException):
    """As `kill -9` would have it: nobody cleans up."""


@pytest.mark.parametrize("moves", range(1, 8))
def test_killed_at_any_move_of_a_file_a_submission_is_whole_after_the_next_one(moves, tmp_path, monkeypatch):
    shelf = Shelf(tmp_path / "bots")
    shelf.bots.mkdir()
    desk = Desk(shelf, lambda _: ())
    home = classroom.folder_bot(tmp_path / "mine")
    desk.submit(home)
    (home / "bot.py").write_text(cup.LAST)
    left = iter(range(1, moves))
    whole = os.rename, os.replace

    def until_killed(which):
        def move(*words, **named):
            if next(left, None) is None:
                raise KilledError
            which(*words, **named)

        return move

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", until_killed(whole[0]))
        patch.setattr(os, "replace", until_killed(whole[1]))
        killed = False
        try:
            desk.submit(home)
        except KilledError:
            killed = True
    assert killed == (moves <= 5)
    assert {bot.digest for bot in roster.gather(shelf.bots)} <= {one.digest for one in shelf.versions("mine")}
    assert desk.submit(home).version == 2
    assert (shelf.bots / "mine/bot.py").read_text() == cup.LAST
    assert [one.number for one in shelf.versions("mine")] == [1, 2]
    assert not shelf.incoming.exists()


@pytest.mark.parametrize("error", [SpawnerLostError, OverloadedError])
def test_a_bot_that_is_too_much_for_arena_is_refused_and_the_next_one_is_tried(here, tmp_path, monkeypatch, error):
    real, lost = examining.checkup, []

    def checkup(bot, *rest):
        if bot.name == "first":
            lost.append(bot)
            raise error("the spawner process is gone")
        return real(bot, *rest)

    monkeypatch.setattr(examining, "checkup", checkup)
    (tmp_path / "class" / "second").mkdir(parents=True)
    (tmp_path / "class" / "first.py").write_text(cup.FIRST)
    (tmp_path / "class" / "second" / "program.py").write_text(cup.FIRST)
    done = cup.arena(here, "submit", str(tmp_path / "class"))
    first, second = done.stdout.splitlines()
    assert first.startswith("refused   first  arena itself failed 2 times")
    assert second.startswith("accepted  second  ")
    assert (len(lost), done.returncode) == (2, 1)
    assert (here / "bots/second.py").exists()


NAMES = {
    "another case": ("Rival.py", (), "case makes no difference"),
    "a way up": ("mine.py", ("--as", "../../up"), "cannot be a bot's name"),
    "a blank": ("a b.py", (), "cannot be a bot's name"),
    "forty-one letters": ("a" * 41 + ".py", (), "cannot be a bot's name"),
    "one of the table": ("seated.py", (), "is a [[bot]] of tournament.toml"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_that_no_bot_may_have_is_refused(kind, here, tmp_path):
    name, words, reason = NAMES[kind]
    with (here / "tournament.toml").open("a") as file:
        file.write('[[bot]]\nname = "seated"\ncommand = "python bots/rival.py"\n')
    (tmp_path / name).write_text(cup.FIRST)
    row = submit(here, tmp_path / name, *words)
    assert (row["result"], reason in row["words"]) == ("refused", True), row
    assert Path(here, str(row["where"])).resolve().is_relative_to(here / "bots/_refused")


def test_a_file_called_after_a_module_of_pythons_is_taken_under_another_name(here, tmp_path):
    (tmp_path / "random.py").write_text(cup.FIRST)
    assert "Python's own module 'random'" in str(submit(here, tmp_path / "random.py")["words"])
    assert submit(here, tmp_path / "random.py", "--as", "mine")["result"] == "accepted"


def test_two_of_one_name_in_a_class_are_both_refused(here, tmp_path):
    folder = tmp_path / "class"
    classroom.folder_bot(folder / "ann")
    (folder / "Ann.py").write_text(cup.FIRST)
    rows = json.loads(cup.arena(here, "submit", str(folder), "--json").stdout)
    assert [(row["name"], row["words"]) for row in rows] == [
        (name, "Ann.py and ann have one name, and case makes no difference: rename one") for name in ("Ann", "ann")
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
    take(source, tmp_path / "taken")
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
            Path(folder, *["d"] * DEPTH).mkdir(parents=True)
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
    "deep folders": f"more than {DEPTH} deep",
    "200 MB": "larger than 50 MB",
    "a name that obeys a terminal": "is no name for a file",
}


@pytest.mark.parametrize("sin", SINS)
def test_what_no_submission_may_hold_is_refused_by_name(sin, tmp_path):
    with pytest.raises(ArenaError, match=SINS[sin]) as said:
        taken(sinful(classroom.folder_bot(tmp_path / "mine"), sin), tmp_path)
    assert "\x1b" not in str(said.value)


def test_a_submission_of_too_many_files_is_refused_before_they_are_all_read(tmp_path, monkeypatch):
    monkeypatch.setattr(taking, "Room", partial(taking.Room, entries=3))
    home = classroom.folder_bot(tmp_path / "mine")
    assert len(list(taken(home, tmp_path).iterdir())) == 2
    (home / "third").touch()
    with pytest.raises(ArenaError, match=f"more than {taking.ENTRIES} files"):
        take(home, tmp_path / "again")


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
    assert {path.name: path.stat().st_mode & 0o7777 for path in copy.iterdir()} == {"bot.py": 0o755, "bot.toml": 0o644}


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
    "a deep folder": (tarfile.TarInfo("d/" * DEPTH + "bot.py"), "deep"),
}
MEMBERS["a link"][0].type, MEMBERS["a link"][0].linkname = tarfile.SYMTYPE, "/etc/passwd"
MEMBERS["a device"][0].type = tarfile.CHRTYPE


@pytest.mark.parametrize("kind", MEMBERS)
def test_an_archive_writes_nothing_but_plain_files_below_one_folder(kind, tmp_path):
    (tmp_path / "ws").mkdir()
    info, reason = MEMBERS[kind]
    archive = classroom.tarred(tmp_path / "mine.tar", (info, b""))
    with pytest.raises(ArenaError, match=reason):
        unpack(archive, tmp_path / "ws" / "unpacked")
    assert not (tmp_path / "up.py").exists()
    assert list((tmp_path / "ws" / "unpacked").iterdir()) == []


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
    ("file", "name"), [("ann.py", "ann"), ("ann.tar.gz", "ann"), ("ann.v2.py", "ann.v2"), ("ann", "ann"), (".zip", "")]
)
def test_a_submission_is_called_after_its_file_without_ending(file, name):
    assert name_of(Path(file)) == name


def test_a_bots_own_copy_is_not_what_somebody_edits_afterwards(here, tmp_path):
    home = classroom.folder_bot(tmp_path / "mine")
    assert submit(here, home)["result"] == "accepted"
    shutil.rmtree(home)
    assert (here / "bots/mine/bot.py").read_text() == (here / "bots/_versions/mine/1/mine/bot.py").read_text()
