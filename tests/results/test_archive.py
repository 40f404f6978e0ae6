"""The archive: records come back equal, also after a kill and with a damaged folder or file."""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import stat
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.results.archive import Archive, database, records
from arena.results.standings import Tally, tallies
from arena.values import (
    Abort,
    Bot,
    Conditions,
    Ending,
    Fault,
    Limits,
    Match,
    Record,
    Seat,
    SeatReport,
    Turn,
    Verdict,
)
from tests.support import stored

EVENT = stored.event("ann", "bob", "cat")
MATCHES = tuple(stored.plan(EVENT))
ONE = stored.played(MATCHES[0])

texts = st.text(
    st.characters(exclude_categories=()), max_size=12
)  # control characters and half surrogates too
seconds = st.floats(0, 1e6)
counts = st.integers(0, 2**48)
limits = st.builds(
    Limits, memory=st.none() | counts, cpu=st.none() | seconds, processes=st.none() | counts
)
bots = st.builds(
    Bot,
    name=texts,
    command=st.tuples(texts, texts),
    digest=texts,
    files=st.none() | texts,
    games=st.tuples(texts),
    limits=st.none() | limits,
)
conditions = st.builds(
    Conditions,
    time=st.builds(
        TimeControl,
        start=st.none() | seconds,
        move=st.none() | seconds,
        bank=seconds,
        margin=seconds,
    ),
    limits=limits,
    strikes=st.integers(0, 9),
    sandbox=texts,
)
seat_reports = st.builds(
    SeatReport,
    role=texts,
    bot=texts,
    digest=texts,
    warm=st.booleans(),
    ready=st.none() | seconds,
    exit=texts,
    killed=st.booleans(),
    memory=counts,
    cpu=seconds,
    warnings=st.tuples(texts, texts),
    stderr=texts,
)
turns = st.builds(
    Turn,
    number=st.integers(1, 9),
    role=st.sampled_from(["fox", "hen", "chance"]),
    move=texts,
    by=st.sampled_from(["bot", "strike", "substitute", "chance"]),
    rejected_text=st.none() | texts,
    wall=seconds,
    cpu=seconds,
    waited=seconds,
    late=seconds,
    remarks=st.lists(texts, max_size=2).map(tuple),
    digest=texts,
)
faults = st.builds(
    Fault,
    role=st.sampled_from(["fox", "hen"]),
    ending=st.sampled_from(Ending),
    turn=counts,
    words=texts,
)


@st.composite
def any_record(draw: st.DrawFn) -> Record:
    seated = tuple(Seat(role, draw(bots)) for role in ("fox", "hen"))
    return Record(
        match=Match(
            id="0123456789ab",
            game=draw(texts),
            board=draw(texts),
            rules=draw(texts),
            seats=seated,
            repeat=draw(st.integers(0, 9)),
            seed=draw(counts),
            conditions=draw(conditions),
        ),
        turns=tuple(draw(st.lists(turns, max_size=5))),
        verdict=Verdict(
            scores={"fox": draw(st.integers(0, 100)), "hen": draw(st.integers(0, 100))},
            reason=draw(texts),
            faults=tuple(draw(st.lists(faults, max_size=2))),
        ),
        sides=(("fox",), ("hen",)),
        seats=tuple(
            replace(draw(seat_reports), role=seat.role, bot=seat.bot.name) for seat in seated
        ),
        started=draw(texts),
        seconds=draw(seconds),
    )


@pytest.fixture
def archive(tmp_path):
    with Archive.open(tmp_path / "cup", writing=True) as opened:
        stored.begin(opened, EVENT, (match.id for match in MATCHES))
        yield opened


def stored_rows(archive: Archive, query: str) -> list[tuple[object, ...]]:
    """The rows of a query that arena has no method for."""
    with contextlib.closing(sqlite3.connect(archive.path)) as connection:
        return connection.execute(query).fetchall()


@given(any_record())
@settings(max_examples=12)
def test_any_record_comes_back_equal(record):
    with (
        tempfile.TemporaryDirectory() as folder,
        Archive.open(Path(folder), writing=True) as archive,
    ):
        archive.append(record)
        assert archive.record("0123") == record
        assert [one.id for one in archive.of_all_versions().played()] == ["0123456789ab"]


def test_half_a_surrogate_pair_comes_back_and_is_escaped_in_columns(archive):
    record = replace(ONE, verdict=replace(ONE.verdict, reason="\ud800!"))
    archive.append(record)
    assert archive.record(ONE.match.id) == record
    assert archive.played()[0].reason == "\\ud800!"


def test_the_event_comes_back_equal(archive):
    assert archive.event() == EVENT


def test_played_matches_are_read_without_their_transcript(archive):
    archive.append(stored.played(MATCHES[-1], turns=9, pacman=40, ghost1=Ending.TIMEOUT, ghost2=60))
    (played,) = archive.played()
    assert played.label == "pacman/classic"
    assert played.seats == {"pacman": "cat", "ghost1": "bob", "ghost2": "bob"}
    assert played.scores == {"pacman": 40, "ghost1": 0, "ghost2": 60}
    assert played.endings == {"ghost1": Ending.TIMEOUT}
    assert played.sides == (("pacman",), ("ghost1", "ghost2"))
    assert played.turns == 9


def test_roles_come_back_in_order_of_play(archive):
    archive.append(stored.played(MATCHES[-1]))
    assert tuple(archive.played()[0].seats) == ("pacman", "ghost1", "ghost2")


def test_the_same_match_twice_counts_once_and_the_first_stays(archive):
    archive.append(ONE)
    archive.append(replace(ONE, seconds=99.0))
    assert archive.ids() == {ONE.match.id}
    assert list(archive.records()) == [ONE]


def test_matches_of_an_earlier_plan_stay_but_do_not_count(archive):
    archive.append(ONE)
    archive.append(stored.played(MATCHES[1]))
    stored.begin(archive, EVENT, [MATCHES[1].id])
    assert [match.id for match in archive.played()] == [MATCHES[1].id]
    assert (
        {match.id for match in archive.of_all_versions().played()}
        == archive.ids()
        == {ONE.match.id, MATCHES[1].id}
    )


def added_up(counted: Iterable[Tally]) -> dict[tuple[object, ...], tuple[int, int]]:
    """Seats and scores of tallies, by what they are of."""
    sums: dict[tuple[object, ...], tuple[int, int]] = {}
    for one in counted:
        key = (one.board, one.role, one.bot, one.result, one.ending)
        seats, score = sums.get(key, (0, 0))
        sums[key] = (seats + one.seats, score + one.score)
    return sums


def recounted(archive: Archive) -> dict[tuple[object, ...], tuple[int, int]]:
    """The tallies, from one value a match."""
    return added_up(tally for match in archive.played() for tally in tallies(match))


@given(st.data())
@settings(max_examples=8)
def test_tallies_are_never_older_than_the_last_match_nor_of_another_plan(data):
    with (
        tempfile.TemporaryDirectory() as folder,
        Archive.open(Path(folder), writing=True) as archive,
    ):
        for _ in range(data.draw(st.integers(1, 4))):
            ids = [match.id for match in MATCHES]
            stored.begin(archive, EVENT, data.draw(st.sets(st.sampled_from(ids))))
            before = archive.count()
            assert (
                archive.mark_planned(data.draw(st.lists(st.sampled_from(ids))))
                == archive.count() - before
            )
            for batch in data.draw(
                st.lists(st.lists(st.sampled_from(MATCHES), max_size=6), max_size=3)
            ):
                changes = data.draw(
                    st.sampled_from([{}, {"mummy": Ending.CRASHED}, {"ghost1": Ending.TIMEOUT}])
                )
                archive.append(*(stored.played(match, turns=1, **changes) for match in batch))
            for seen in (archive, archive.of_all_versions()):
                assert added_up(seen.tallies()) == recounted(seen)
                assert seen.count() == len(seen.played())


def test_a_batch_is_stored_whole_or_not_at_all(archive):
    lame = replace(ONE, match=MATCHES[1], verdict=replace(ONE.verdict, reason=None))
    with pytest.raises(Exception, match=r"(?i)not null|NoneType"):
        archive.append(ONE, lame)
    assert (archive.ids(), archive.of_all_versions().tallies()) == (set(), ())
    archive.append(ONE, ONE, stored.played(MATCHES[1]))
    assert archive.ids() == {ONE.match.id, MATCHES[1].id}


def test_the_mark_changes_with_every_match_and_with_the_plan_and_with_nothing_else(archive):
    marks = [archive.cache_version()]
    archive.append(ONE)
    marks.append(archive.cache_version())
    archive.append(ONE)
    archive.append_abort(Abort(match="a", cause="c", attempt=1))
    stored.begin(archive, EVENT, [match.id for match in reversed(MATCHES)])
    assert archive.cache_version() == marks[-1]
    stored.begin(archive, EVENT, [ONE.match.id])
    marks.append(archive.cache_version())
    assert len(set(marks)) == 3


def test_a_record_that_an_older_arena_packed_comes_back():
    record = stored.played(MATCHES[0], turns=3, explorer=50)
    result = json.loads(zlib.decompress(records.packed(record)))
    names = [
        name for name in Turn._fields if name != "late"
    ]  # turns were mappings, and nobody knew of late referees
    result["turns"] = [{name: getattr(turn, name) for name in names} for turn in record.turns]
    assert records.unpacked(zlib.compress(json.dumps(result).encode())) == record


def test_transcripts_are_equal_for_equal_moves_with_other_clock_readings_and_seeds(archive):
    first = stored.played(MATCHES[0], turns=3, explorer=50)
    again = replace(first, match=replace(first.match, id="0" * 12, seed=1), seconds=9.0)
    slower = replace(
        again, turns=tuple(turn._replace(wall=1.0, cpu=1.0, waited=1.0) for turn in again.turns)
    )
    other = replace(first, turns=(*first.turns[:-1], first.turns[-1]._replace(move="wait")))
    forfeit = stored.played(MATCHES[0], turns=3, explorer=Ending.TIMEOUT)
    assert records.transcript(first) == records.transcript(slower)
    assert len({records.transcript(one) for one in (first, other, forfeit)}) == 3
    archive.append(first)
    assert stored_rows(archive, "select transcript from matches") == [(records.transcript(first),)]


def test_a_match_without_a_move_of_the_bot_at_fault_repeats_no_other():
    one, two = (stored.played(MATCHES[0], explorer=Ending.CRASHED, turns=0) for _ in range(2))
    two = replace(two, match=replace(two.match, id="0" * 12))
    assert records.transcript(one) != records.transcript(two)
    late_one, late_two = (
        replace(each, turns=stored.played(MATCHES[0], turns=1).turns) for each in (one, two)
    )
    assert records.transcript(late_one) == records.transcript(late_two)


@pytest.mark.parametrize("by", ["chance", "strike", "substitute"])
def test_a_match_in_which_a_move_was_drawn_repeats_no_other(by):
    first = stored.played(MATCHES[0], turns=3, explorer=50)
    again = replace(first, match=replace(first.match, id="0" * 12))
    assert records.transcript(first) == records.transcript(again)
    one, two = (
        replace(each, turns=(each.turns[0]._replace(by=by), *each.turns[1:]))
        for each in (first, again)
    )
    assert (
        records.transcript(one) >> records.PLAY_BITS != records.transcript(two) >> records.PLAY_BITS
    )


def test_matches_behind_other_openings_or_on_other_boards_begin_otherwise():
    first = stored.played(MATCHES[0], turns=3, explorer=50)
    moved = replace(first, turns=(*first.turns[:-1], first.turns[-1]._replace(move="wait")))
    opened = replace(first, turns=(first.turns[0]._replace(by="opening"), *first.turns[1:]))
    drawn = replace(first, match=replace(first.match, sampled='{"width":5}'))
    begun = [
        records.transcript(each) >> records.PLAY_BITS for each in (first, moved, opened, drawn)
    ]
    assert begun[0] == begun[1]
    assert len(set(begun)) == 3


def test_records_are_sorted_by_id_in_whatever_order_they_were_appended(archive):
    for match in reversed(MATCHES):
        archive.append(stored.played(match))
    ids = sorted(match.id for match in MATCHES)
    assert (
        [record.match.id for record in archive.records()]
        == [match.id for match in archive.played()]
        == ids
    )


@pytest.mark.parametrize("prefix", ["", "zz", "%", "_"])
def test_a_prefix_that_names_no_match_is_refused(archive, prefix):
    archive.append(ONE)
    with pytest.raises(ArenaError, match=r"(no match|several matches) begin"):
        archive.record(prefix)


def test_a_prefix_of_several_matches_is_refused(archive):
    for last in "01":
        archive.append(replace(ONE, match=replace(ONE.match, id=f"abcdef00000{last}")))
    with pytest.raises(ArenaError, match="several matches begin with 'abc'"):
        archive.record("abc")
    assert archive.record("abcdef000001").match.id == "abcdef000001"


def test_aborts_are_stored_in_order(archive):
    aborts = tuple(
        Abort(match="a" * 12, cause=f"cause {number}", attempt=number) for number in (1, 2, 3)
    )
    for abort in aborts:
        archive.append_abort(abort)
    archive.append_abort(Abort(match="b", cause="\udcff", attempt=1))
    assert archive.aborts()[:3] == aborts
    assert archive.played() == ()


def test_per_turn_times_are_stored_for_the_answers_of_the_seat_alone(archive):
    turns = (
        Turn(number=1, role="explorer", move="wait", wall=0.25),
        Turn(number=1, role="chance", move="two", by="chance", wall=9),
        Turn(number=2, role="explorer", move="wait", by="strike", wall=0.5),
        Turn(number=3, role="explorer", move="wait", by="substitute", wall=9),
    )
    archive.append(replace(ONE, turns=turns))
    ((packed,),) = stored_rows(archive, "select walls from clocks")
    assert memoryview(packed).cast("f").tolist() == [0.25, 0.5]


def test_after_close_the_next_call_opens_again(archive):
    archive.append(ONE)
    archive.close()
    assert archive.ids() == {ONE.match.id}


def test_a_reader_sees_the_commits_before_its_first_query_only(archive):
    archive.append(ONE)
    with Archive.open(archive.folder) as reader:
        assert reader.ids() == {ONE.match.id}
        archive.append(stored.played(MATCHES[1]))
        assert (reader.ids(), reader.count()) == ({ONE.match.id}, 1)
        reader.close()
        assert len(reader.played()) == 2


def test_the_log_gives_back_the_disk_that_it_took_while_a_reader_stayed(archive, monkeypatch):
    monkeypatch.setattr(database, "LOG_BYTES", 1_000_000)
    archive.close()
    noise = random.Random(1)
    with Archive.open(archive.folder) as reader:
        assert not reader.count()
        for match in MATCHES[:5]:
            record = stored.played(match)
            seats = [replace(seat, stderr=noise.randbytes(600_000).hex()) for seat in record.seats]
            archive.append(replace(record, seats=tuple(seats)))
        assert Path(f"{archive.path}-wal").stat().st_size > database.LOG_BYTES
    for match in MATCHES[5:7]:
        archive.append(stored.played(match))
    assert Path(f"{archive.path}-wal").stat().st_size <= database.LOG_BYTES


@contextlib.contextmanager
def forked(work: Callable[[Callable[[object], object]], object]) -> Iterator[tuple[int, TextIO]]:
    """Do `work(say)` in another process, until it ends or the block does; yield its pid, and the
    lines that it says.
    """
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            work(lambda words: os.write(writing, f"{words}\n".encode()))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as lines:
        try:
            yield pid, lines
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def hold(folder: Path, say: Callable[[object], object]) -> None:
    """Take the lock, say so, and keep it; or say what is in the way."""
    try:
        with Archive.open(folder, writing=True):
            say("locked")
            signal.pause()
    except ArenaError as error:
        say(error)


def test_a_second_run_is_refused_by_a_line_that_names_the_first(archive):
    with forked(partial(hold, archive.folder)) as (_, lines):
        assert lines.read() == (
            f"{archive.folder}: process {os.getpid()} is playing this event; wait for it, or stop "
            "it\n"
        )


def test_a_killed_run_leaves_no_lock_behind(tmp_path):
    with forked(partial(hold, tmp_path)) as (first, lines):
        assert lines.readline() == "locked\n"
        with pytest.raises(ArenaError, match=f"process {first} is playing"):
            Archive.open(tmp_path, writing=True)
    with Archive.open(tmp_path, writing=True) as archive:
        assert archive.ids() == set()


def test_appended_records_survive_a_kill_and_come_back_equal(tmp_path):
    event = stored.event("ann", "bob", repeats=200)
    wanted = {match.id: stored.played(match, turns=2) for match in stored.plan(event)}

    def append(say):
        left = list(wanted)
        with Archive.open(tmp_path, writing=True) as archive:
            stored.begin(archive, event, wanted)
            while left:
                batch = [left.pop() for _ in range(min(1 + len(left) % 4, len(left)))]
                archive.append(*map(wanted.get, batch))
                say("\n".join(batch))

    with forked(append) as (writer, lines):
        first = lines.readline()
        time.sleep(0.05)
        os.kill(writer, signal.SIGKILL)
        output = {line.strip() for line in [first, *lines] if len(line) == 13}
    with Archive.open(tmp_path) as archive:
        assert output <= archive.ids()  # a line is whole only after its append
        assert added_up(archive.tallies()) == recounted(archive)
        assert all(record == wanted[record.match.id] for record in archive.records())


def test_results_that_are_not_there_are_named_with_the_command_that_makes_them(tmp_path):
    with pytest.raises(
        ArenaError, match=r"nowhere: there are no results here; `arena run` makes some"
    ):
        Archive.open(tmp_path / "nowhere")


def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "event.sqlite").write_bytes(
        b"not a database at all, but long enough to look at" * 40
    )
    for writing in (False, True):
        with pytest.raises(
            ArenaError, match=r"event.sqlite: file is not a database; move it away, or play under"
        ):
            Archive.open(tmp_path, writing=writing)


def test_a_damaged_file_is_named(tmp_path):
    stored.store(tmp_path, EVENT, map(stored.played, MATCHES))
    content = bytearray((tmp_path / "event.sqlite").read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    (tmp_path / "event.sqlite").write_bytes(content)
    with (
        pytest.raises(ArenaError, match=r"event.sqlite: database disk image is malformed"),
        Archive.open(tmp_path) as archive,
    ):
        archive.played()


def test_a_database_of_something_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "event.sqlite") as connection:
        connection.execute("create table recipes (name text)")
    connection.close()
    with pytest.raises(ArenaError, match="is a database of something else; move it away"):
        Archive.open(tmp_path, writing=True)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (99, "its format is 99, and this arena reads 8: upgrade arena"),
        (1, "its format is 1, from before arena 0.2.0: only the arena that wrote it reads it"),
    ],
)
def test_a_file_of_another_version_is_refused_and_left_as_it_is(tmp_path, version, message):
    stored.store(tmp_path, EVENT, [])
    with sqlite3.connect(tmp_path / "event.sqlite") as connection:
        connection.execute(f"pragma user_version = {version}")
    connection.close()
    before = (tmp_path / "event.sqlite").read_bytes()
    for writing in (False, True):
        with pytest.raises(
            ArenaError,
            match=(
                f"event.sqlite: {message}; to begin anew, move it away, or play under another name$"
            ),
        ):
            Archive.open(tmp_path, writing=writing)
    assert (tmp_path / "event.sqlite").read_bytes() == before


def test_after_a_refusal_the_folder_can_be_opened(tmp_path):
    (tmp_path / "event.sqlite").write_bytes(b"x" * 4096)
    with pytest.raises(ArenaError):
        Archive.open(tmp_path, writing=True)
    (tmp_path / "event.sqlite").unlink()
    with Archive.open(tmp_path, writing=True) as archive:
        assert archive.ids() == set()


def test_a_file_where_the_folder_should_be_is_named(tmp_path):
    (tmp_path / "cup").write_text("")
    with pytest.raises(
        ArenaError, match=r"cup: cannot be written: File exists; look at its permissions"
    ):
        Archive.open(tmp_path / "cup", writing=True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_may_not_be_written_can_be_read():
    def as_nobody(say):
        os.setgid(65534)
        os.setuid(65534)
        with Archive.open(folder) as archive:
            say(len(archive.ids()))
        hold(folder, say)

    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        folder = stored.store(Path(top) / "cup", EVENT, map(stored.played, MATCHES))
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR | 0o055)
        with forked(as_nobody) as (_, lines):
            output = lines.read()
    assert output == (
        f"{len(MATCHES)}\n{folder}: cannot be written: Permission denied; look at its permissions\n"
    )


def test_the_columns_of_the_rows_are_the_columns_of_the_tables(archive):
    for table, columns in (
        ("matches", ("number", *records.MATCH, "figures", "planned")),
        ("entries", ("number", *records.ENTRY)),
        ("seats", ("match", "position", "entry", *records.SEAT)),
        ("clocks", ("match", "position", *records.CLOCKS)),
    ):
        assert (
            tuple(row[1] for row in stored_rows(archive, f"pragma table_info({table})")) == columns
        )


def test_nobody_but_the_archive_sends_queries_to_sqlite():
    query = re.compile(r"sqlite3|\._rows\(|\._transaction\(")
    package = Path(records.__file__).parents[2]
    own = {
        "results/export.py",
        "extras/serve/accounts.py",
        "extras/models/tape.py",
    }  # they have files of their own
    own = {name for name in own if (package / name).is_file()}
    others = [
        path for path in package.rglob("*.py") if path.parent != package / "results" / "archive"
    ]
    assert {
        str(path.relative_to(package)) for path in others if query.search(path.read_text("utf-8"))
    } == own


def test_a_bot_may_have_the_name_of_an_ending():
    row = ("id", "solo", "one", 0, 1, "over", 0, '[["red"]]')
    match = records.played_of(row, [("red", "timeout", 0, "timeout", 1)])
    assert [type(bot) for bot in match.seats.values()] == [str]
    assert match.endings["red"] is Ending.TIMEOUT
