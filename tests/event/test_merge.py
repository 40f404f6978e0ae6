"""`arena merge`: archives of one event from several places become one, or nothing changes and the
reason is named.
"""

import contextlib
import json
import os
import sqlite3
import stat
import threading
from dataclasses import replace

import pytest

from arena.author.submissions.copy_untrusted import Allowance
from arena.cli import stored_match
from arena.errors import ArenaError
from arena.event import discovery, merging, tournament
from arena.results.archive import Archive
from arena.values import Abort
from tests.support import cup, stored, workspaces
from tests.support.events import Audience, event_of, run, tables
from tests.support.sprint import FIRST, LAST

WHOLE = stored.event("ann", "bob", "cat", repeats=2)


def part(folder, *boards, bots=("ann", "bob", "cat"), change=lambda record: record):
    """The archive of a place that played these boards with these bots."""
    event = replace(
        WHOLE,
        boards=tuple(board for board in WHOLE.boards if board.name in boards),
        bots=tuple(bot for bot in WHOLE.bots if bot.name in bots),
    )
    return stored.store(
        folder, event, (change(stored.played(match, turns=3)) for match in stored.plan(event))
    )


def merged(target, *folders, keep_first=False):
    with contextlib.ExitStack() as stack:
        archives = [stack.enter_context(Archive.open(folder)) for folder in folders]
        event = merging.joined_event(archives)
        with Archive.open(target, writing=True) as archive:
            return event, merging.merge(
                event, archives, archive, target / "bots", keep_first=keep_first
            )


def content(folder):
    with Archive.open(folder) as archive:
        return {record.match.id: record for record in archive.of_all_versions().records()}, sorted(
            archive.tallies(), key=repr
        )


def test_places_that_played_other_boards_and_other_bots_become_one_archive(tmp_path):
    one = part(tmp_path / "one", "hunt", "duel")
    two = part(tmp_path / "two", "duel", "classic", bots=("ann", "bob"))
    three = part(tmp_path / "three", "classic")
    with Archive.open(two, writing=True) as archive:
        archive.append_abort(Abort(match="ab", cause="its worker was killed", attempt=1))
    event, (number, counting) = merged(tmp_path / "all", one, two, three)
    assert [board.name for board in event.boards] == ["hunt", "duel", "classic"]
    assert [bot.name for bot in event.bots] == ["ann", "bob", "cat"]
    records = {
        record.match.id: record
        for folder in (three, two, one)
        for record in content(folder)[0].values()
    }
    whole = stored.store(tmp_path / "whole", WHOLE, records.values())
    assert content(tmp_path / "all")[0] == records
    with Archive.open(tmp_path / "all") as archive:
        assert [abort.match for abort in archive.aborts()] == ["ab"]
        assert archive.planned_ids() == {match.id for match in stored.plan(WHOLE)} & records.keys()
        assert (number, counting) == (len(records), len(archive.planned_ids()))
    with Archive.open(whole) as archive:
        assert archive.count() == number


def test_a_match_with_equal_moves_is_no_conflict_and_the_record_named_first_stays(tmp_path):
    one = part(tmp_path / "one", "duel")
    two = part(tmp_path / "two", "duel", change=lambda record: replace(record, seconds=9.0))
    merged(tmp_path / "all", two, one)
    assert {record.seconds for record in content(tmp_path / "all")[0].values()} == {9.0}


def test_other_moves_of_a_match_are_refused_unless_the_first_shall_stay(tmp_path):
    one = part(tmp_path / "one", "duel")
    ids = sorted(content(one)[0])

    def other(record):
        return replace(record, turns=record.turns[:2]) if record.match.id in ids[:2] else record

    two = part(tmp_path / "two", "duel", change=other)
    with pytest.raises(
        ArenaError, match="has other moves or another verdict than an archive before it"
    ) as refused:
        merged(tmp_path / "all", one, two)
    assert str(refused.value).startswith(f"{two}: ")
    assert all(match in str(refused.value) for match in ids[:2])
    assert ids[2] not in str(refused.value)
    merged(tmp_path / "first", one, two, keep_first=True)
    assert content(tmp_path / "first") == content(one)
    merged(tmp_path / "other", two, one, keep_first=True)
    assert content(tmp_path / "other")[0] == content(two)[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 8}, "its seed is another one"),
        ({"schedule": "swiss"}, "its schedule is 'swiss', not 'round_robin'"),
        ({"bots": (replace(stored.bot("ann"), digest="edited"),)}, "its bot ann has other files"),
        (
            {"boards": (replace(stored.DUEL, digest="9"),)},
            "its board mummy_maze/duel has other files",
        ),
        (
            {"conditions": replace(WHOLE.conditions, sandbox="none")},
            "its sandbox is 'none', not 'auto'",
        ),
    ],
)
def test_another_event_is_refused_with_the_difference(tmp_path, change, words):
    one = part(tmp_path / "one", "duel")
    two = stored.store(tmp_path / "two", replace(WHOLE, **change), [])
    with pytest.raises(ArenaError, match=f"is of another event than {one}: {words}$"):
        merged(tmp_path / "all", one, two)


@pytest.mark.parametrize(
    ("sampled", "words"),
    [
        (("a",), "has 1 sampled boards, not 2"),
        (("a", "c"), "has other sampled boards"),
    ],
)
def test_another_draw_of_a_board_is_another_event(tmp_path, sampled, words):
    one, two = (
        stored.store(
            tmp_path / name, replace(WHOLE, boards=(replace(stored.DUEL, sampled=boards),)), []
        )
        for name, boards in (("one", ("a", "b")), ("two", sampled))
    )
    with pytest.raises(
        ArenaError, match=f"is of another event than {one}: its board mummy_maze/duel {words}$"
    ):
        merged(tmp_path / "all", one, two)


@pytest.mark.soak
def test_an_event_played_in_two_places_has_the_tables_of_the_event_played_in_one(tmp_path):
    bots = {"a": FIRST, "b": LAST, "c": FIRST + "# c\n"}
    folder = workspaces.make(tmp_path / "ws", bots, repeats=2)
    event = event_of(folder)
    run(folder, "results/whole", workers=1)
    places = {
        "one": replace(event, repeats=1),
        "two": replace(event, bots=event.bots[:2]),
        "three": replace(event, max_matches=4),
    }
    for name, of_place in places.items():
        tournament.run(of_place, folder / "results" / name, workers=1, audience=Audience())
    (folder / "results/.merging/left").mkdir(parents=True)  # by a merge that was killed
    done = cup.arena(folder, "merge", "one", "two", "three", "--name", "all", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["matches"], row["count"], row["verified"]) == (8, 8, True)
    assert [path.name for path in (folder / "results/.merging").iterdir()] == [".lock"]
    (state,) = json.loads(cup.arena(folder, "status", "all", "--json").stdout)
    assert (state["planned"], state["due"]) == (12, 4)
    rest = tournament.run(event, folder / "results/all", workers=1, audience=Audience())
    assert rest.complete
    assert tables(folder / "results/all") == tables(folder / "results/whole")
    assert cup.arena(folder, "verify", "all").returncode == 0

    taken = cup.arena(folder, "merge", "one", "two", "--name", "all")
    assert (taken.returncode, taken.stderr) == (
        2,
        "results/all: is there already; choose another --name, or move it away\n",
    )
    with contextlib.closing(sqlite3.connect(folder / "results/two/event.sqlite")) as connection:
        connection.execute(
            "update records set record = (select record from records where match = 2) where match "
            "= 1"
        )
        connection.commit()
    damaged = cup.arena(folder, "merge", "two", "three", "--name", "bad")
    assert damaged.returncode == 2
    *_, last = damaged.stderr.splitlines()  # on a busy machine the progress comes before it
    assert last.startswith("results/two/event.sqlite: the record of match ")
    assert "Traceback" not in damaged.stderr
    assert not (folder / "results/bad").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cup",), "merge: name at least two archives, each once\n"),
        (("cup", "results/cup"), "merge: name at least two archives, each once\n"),
        (("cup", "nowhere"), "nowhere: no results there; there are cup\n"),
        (
            ("cup", "cup", "--name", "a/b"),
            "--name a/b: must be a name for a folder under results/\n",
        ),
    ],
)
def test_a_mistake_of_merge_is_named_in_one_line(tmp_path, words, message):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    stored.store(folder / "results/cup", WHOLE, [])
    done = cup.arena(folder, "merge", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_an_archive_neither_names_the_folder_of_the_merge_nor_brings_files_by_links(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    for place in ("one", "two"):
        stored.store(folder / "results" / place, replace(WHOLE, name="../../evil"), [])
    done = cup.arena(folder, "merge", "one", "two")
    assert done.returncode == 2
    assert "results/one/event.sqlite: its event cannot be read" in done.stderr
    private = tmp_path / "private"
    private.mkdir()
    (private / "letter").write_text("dear")
    for place in ("three", "four"):
        stored.store(folder / "results" / place, WHOLE, [])
    (folder / "results/three/bots").mkdir()
    (folder / "results/three/bots/abc").symlink_to(private)
    done = cup.arena(folder, "merge", "three", "four", "--name", "all")
    assert done.returncode == 0, done.stderr
    assert not list((folder / "results/all").rglob("letter"))


def copied_bot(folder, text="print()", name="bot.py"):
    """Put a bot's copy where an event keeps it; return the folder of its digest."""
    (folder / name).write_text(text)
    digest = discovery.from_path(folder / name).digest
    home = folder / "bots" / digest
    home.mkdir(parents=True)
    (folder / name).rename(home / name)
    return home


def places(tmp_path):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    return folder, *(stored.store(folder / "results" / name, WHOLE, []) for name in ("one", "two"))


def test_a_copied_bot_keeps_neither_a_right_of_its_mode_nor_its_owner(tmp_path):
    folder, one, _ = places(tmp_path)
    bot = copied_bot(one) / "bot.py"
    bot.chmod(0o6666)
    if os.geteuid() == 0:
        os.chown(bot, 54_321, 54_321)
        bot.chmod(0o6666)
    (one / "tournament.toml").write_text("name = 'cup'")
    (one / "tournament.toml").chmod(0o6666)

    done = cup.arena(folder, "merge", "one", "two", "--name", "all")

    assert (done.returncode, done.stderr) == (0, "")
    for path in ("tournament.toml", f"bots/{bot.parent.name}/bot.py"):
        status = (folder / "results/all" / path).stat()
        assert (stat.S_IMODE(status.st_mode), status.st_uid) == (0o644, os.geteuid())


def test_a_copy_that_is_not_the_bot_of_its_digest_is_left_out_with_a_notice(tmp_path):
    folder, one, two = places(tmp_path)
    good = copied_bot(two)
    (one / "bots" / good.name).mkdir(parents=True)
    (one / "bots" / good.name / "bot.py").write_text("import evil")
    os.mkfifo(copied_bot(one, "print(1)") / "pipe")

    done = cup.arena(folder, "merge", "one", "two", "--name", "all")

    assert done.returncode == 0
    assert done.stderr.startswith(
        "results/one/bots: 2 copies left out, so that nobody can rerun their matches: "
    )
    assert f"{good.name}: its files have another digest" in done.stderr
    (copy,) = (folder / "results/all/bots").iterdir()
    assert (copy / "bot.py").read_text() == "print()"


@pytest.mark.parametrize(("limit", "most"), [("MOST_BOT_BYTES", 20), ("MOST_BOT_ENTRIES", 2)])
def test_more_bots_than_an_archive_may_have_are_refused_in_a_sentence(
    tmp_path, monkeypatch, limit, most
):
    one = stored.store(tmp_path / "one", WHOLE, [])
    digests = [copied_bot(one, text).name for text in ("print()", "print(1)", "print(2)")]
    monkeypatch.setattr(stored_match, limit, most)
    (tmp_path / "copies").mkdir()
    with pytest.raises(ArenaError, match=r"one/bots: has more than .* of bots; move some away"):
        stored_match.copy_bots(one, digests, tmp_path / "copies")


def test_a_digest_in_an_archive_leads_to_no_other_folder(tmp_path):
    one = stored.store(tmp_path / "from" / "one", WHOLE, [])
    (one / "bots").mkdir()
    for name in ("planted", "../../planted"):
        (one / "bots" / name).mkdir()
        (one / "bots" / name / "bot.py").write_text("print()")
    (tmp_path / "to" / "copies").mkdir(parents=True)
    before = tmp_path.stat().st_mtime_ns, (tmp_path / "to").stat().st_mtime_ns
    outside = [f"{tmp_path}/from/planted", "../../planted", "../planted", "planted", "", ".", ".."]
    assert stored_match.copy_bots(one, outside, tmp_path / "to" / "copies") == ({}, {})
    assert before == (tmp_path.stat().st_mtime_ns, (tmp_path / "to").stat().st_mtime_ns)
    assert not list((tmp_path / "to" / "copies").iterdir())


def test_a_folder_that_is_exchanged_for_a_link_meanwhile_brings_no_private_file(tmp_path):
    private = tmp_path / "private"
    (private / "bot").mkdir(parents=True)
    (private / "bot" / "letter").write_text("dear")
    one = stored.store(tmp_path / "one", WHOLE, [])
    home = copied_bot(one)
    aside, link = home.with_name("aside"), home.with_name("link")
    link.symlink_to(private)
    over = threading.Event()

    def exchange():
        while not over.is_set():
            for first, second in ((home, aside), (link, home), (home, link), (aside, home)):
                first.rename(second)

    stranger = threading.Thread(target=exchange)
    stranger.start()
    try:
        for number in range(60):
            with contextlib.suppress(ArenaError, OSError):
                stored_match.copy_bot(one, home.name, tmp_path / f"copy{number}", Allowance())
    finally:
        over.set()
        stranger.join()

    assert not list(tmp_path.glob("copy*/**/letter"))
