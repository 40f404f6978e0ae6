"""An archive that a stranger made: each command says in one line what is wrong, in bounded time and
memory.
"""

import contextlib
import json
import sqlite3
import struct
import tracemalloc
import zlib
from dataclasses import replace

import pytest

from arena.errors import ArenaError
from arena.event import plan
from arena.games import rulebook
from arena.replay import verify
from arena.results.archive import Archive, DamagedError, database, records
from arena.values import ModelAnswer, ModelCall, ModelTerms
from tests.support import cup, extras, stored, workspaces

EVENT = stored.event("first", "last", boards=(stored.DUEL,))
NEST = "[" * 900_000
ENDLESS = (
    "with recursive up (x) as (select 1 union all select x + 1 from up) select x as number, "
    "x as id from up"
)


@pytest.fixture
def workspace(tmp_path):
    """A workspace with the results `cup` and `good`, and a function that changes the tables of
    `cup`.
    """
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    for name in ("cup", "good"):
        stored.store(folder / "results" / name, EVENT, map(stored.played, stored.plan(EVENT)))

    def change(*statements, **values):
        with contextlib.closing(sqlite3.connect(folder / "results/cup/event.sqlite")) as archive:
            for statement in statements:
                archive.execute(statement, values)
            archive.commit()

    return folder, change


def record_of(workspace):
    with Archive.open(workspace / "results/good") as archive:
        return next(archive.records())


COMMANDS = (
    "leaderboard",
    "report",
    "export",
    "verify",
    "status",
    "compare first last",
    "merge good",
)
OF_LESSONS = pytest.param("lessons first", marks=extras.needs("lessons"))


@pytest.mark.parametrize("command", [*COMMANDS, OF_LESSONS])
def test_a_view_in_place_of_a_table_is_refused_in_one_line(workspace, command):
    folder, change = workspace
    change("drop table matches", f"create view matches as {ENDLESS}")

    done = cup.arena(folder, *command.split(), "cup")

    assert cup.refused(done, "event.sqlite: 'matches' in it is no table as arena makes it"), done


@pytest.mark.parametrize(
    "statement",
    [
        (
            "create trigger grows after insert on matches begin insert into aborts values ('', 1, "
            "''); "
            "end"
        ),
        "create index more on matches (game)",
        "create table more (number integer)",
        "create view more as select 1",
    ],
)
def test_nothing_but_our_tables_is_accepted_in_an_archive(workspace, statement):
    folder, change = workspace
    change(statement)

    for writing in (False, True):
        with pytest.raises(ArenaError, match="is no table as arena makes it"):
            Archive.open(folder / "results/cup", writing=writing)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        *(
            (command, NEST)
            for command in (
                "leaderboard",
                "export",
                "status",
                "merge good",
                "report",
                "compare first last",
            )
        ),
        *(("leaderboard", text) for text in (f'{{"bots": {NEST}', "5")),
    ],
)
def test_an_event_that_is_nested_without_end_is_one_line(workspace, command, text):
    folder, change = workspace
    change("update meta set value = :text where key = 'event'", text=text)

    done = cup.arena(folder, *command.split(), "cup")

    assert cup.refused(done, "its event cannot be read: the file is damaged"), done


@pytest.mark.parametrize("command", ["leaderboard", "report"])
@pytest.mark.parametrize(
    ("was", "text"),
    [
        ('"game": "mummy_maze"', r'"game": "\ud800"'),
        ('"roles": ["explorer", "mummy"]', '"roles": []'),
    ],
)
def test_a_board_that_no_game_can_have_is_refused_in_one_line(workspace, command, was, text):
    folder, change = workspace
    change(
        "update meta set value = replace(value, :was, :text) where key = 'event'",
        was=was,
        text=text,
    )

    done = cup.arena(folder, *command.split(), "cup")

    assert cup.refused(done, "its event cannot be read: the file is damaged"), done


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ('["bot"]', "tie_breaks: there is no 'bot'; known: "),
        ('["wins", "wins"]', "its event cannot be read"),
    ],
)
@pytest.mark.parametrize("command", ["leaderboard --json", "report"])
def test_a_tie_break_that_is_another_column_or_stands_twice_is_one_line(
    workspace, command, names, said
):
    folder, change = workspace
    set_names = (
        "update meta set value = json_set(value, '$.tie_breaks', json(:names)) where key = 'event'"
    )
    change(set_names, names=names)

    done = cup.arena(folder, *command.split(), "cup")

    assert cup.refused(done, said), done


def packed(text):
    return zlib.compress(text.encode(), 1)


def test_a_record_that_unpacks_to_20_megabytes_is_refused_in_memory_for_the_most(monkeypatch):
    monkeypatch.setattr(records, "MOST_BYTES", 1_000_000)
    bomb = zlib.compress(bytes(20_000_000), 1)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than 1000000 bytes"):
            records.unpacked(bomb)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("begin", "many", "times", "end"),
    [
        ('{"match": ', "[", 900_000, ""),
        ('{"match": [', "[],", 3_000_000, "[]]}"),
        ('{"match": [', '"",', 3_000_000, '""]}'),
        ('{"turns": [', "0,", 6_000_000, "0]}"),
    ],
)
def test_json_that_takes_more_memory_than_a_match_is_not_read(begin, many, times, end):
    with pytest.raises(ValueError, match=r"more values|recursion"):
        records.unpacked(packed(begin + many * times + end))


@pytest.mark.parametrize("turns", [[0] * 300_000, [[0] * 300_000], [["x"] * 12] * 20_000])
def test_a_record_with_many_mistakes_is_refused_at_the_first(workspace, turns):
    folder, _ = workspace
    content = json.loads(zlib.decompress(records.packed(record_of(folder))))

    with pytest.raises(ValueError) as refused:  # noqa: PT011 (its length is what counts)
        records.unpacked(packed(json.dumps(content | {"turns": turns})))

    assert len(str(refused.value)) < 5000


@pytest.mark.parametrize(
    ("terms", "tokens"),
    [
        ({}, 10**400),
        ({}, -1),
        ({"price_in": -1.0}, 1),
        ({"price_out": float("inf")}, 1),
        ({"price_in": 1e300}, 1),
        ({"price_cached": -1.0}, 1),
        ({"price_cache_write": 1e300}, 1),
    ],
)
def test_tokens_and_prices_that_cannot_be_added_up_are_refused(workspace, terms, tokens):
    folder, _ = workspace
    record = record_of(folder)
    conditions = replace(
        record.match.conditions, model=ModelTerms(**{"name": "m", "price_out": 2.0} | terms)
    )
    calls = tuple(
        ModelCall(1, "hare", "{}", ModelAnswer("", "stop", 1, number), "") for number in (5, tokens)
    )
    asked = replace(
        record,
        match=replace(record.match, conditions=conditions),
        calls=calls[:1] if terms else calls,
    )
    with pytest.raises(ValueError, match=r"no language model|no answer|price_out"):
        records.unpacked(records.packed(asked))


@pytest.mark.parametrize(
    "figures",
    [
        {"cost": -1.0},
        {"cost": 1e300},
        {"cached": -1},
        {"cached": 1, "cache_written": 1},
        {"thoughts": 10**12},
    ],
)
def test_a_cost_and_tokens_that_no_provider_may_name_are_refused(workspace, figures):
    record = record_of(workspace[0])
    answer = ModelAnswer("", "stop", 1, 5)
    good = replace(record, calls=(ModelCall(1, "hare", "{}", answer._replace(cost=0.5), ""),))
    assert records.unpacked(records.packed(good)) == good
    bad = replace(record, calls=(ModelCall(1, "hare", "{}", answer._replace(**figures), ""),))
    with pytest.raises(ValueError, match=r"no answer|cost"):
        records.unpacked(records.packed(bad))


def test_a_long_match_of_talkative_bots_is_read_all_the_same(workspace):
    folder, _ = workspace
    record = record_of(folder)
    remark = '["[{,\\"\ud800' * 100
    turns = [
        record.turns[0]._replace(number=number, remarks=(remark,) * 3) for number in range(1000)
    ]
    long = record.__class__(**(vars(record) | {"turns": tuple(turns)}))

    assert records.unpacked(records.packed(long)) == long


def test_a_value_of_many_megabytes_is_not_read(workspace, monkeypatch):
    folder, change = workspace
    monkeypatch.setattr(database, "LONGEST_VALUE", 1_000_000)
    change("update records set record = zeroblob(1000001) where match = 1")

    done = cup.arena(folder, "export", "cup")

    assert cup.refused(done, "string or blob too big"), done


def test_a_query_that_reads_more_than_the_file_has_is_stopped(workspace, monkeypatch):
    folder, _ = workspace
    monkeypatch.setattr(database, "STEPS", 5_000_000)
    with Archive.open(folder / "results/good") as archive:
        with pytest.raises(DamagedError, match="more rows than bytes"):
            for _ in archive._rows(f"select * from ({ENDLESS})"):
                pass
        with pytest.raises(DamagedError, match="interrupted"):
            next(archive._rows(f"select count(*) from ({ENDLESS})"))


def test_an_archive_that_is_a_link_is_refused_in_one_line(workspace):
    folder, _ = workspace
    (folder / "results/cup/event.sqlite").unlink()
    (folder / "results/cup/event.sqlite").symlink_to(folder / "results/good/event.sqlite")

    done = cup.arena(folder, "leaderboard", "cup")

    assert cup.refused(done, "is a symbolic link; name the folder that it leads to"), done


def test_an_archive_that_is_a_link_while_it_is_opened_is_refused(workspace, monkeypatch):
    folder, _ = workspace
    path = folder / "results/cup/event.sqlite"
    connect, aside = sqlite3.connect, path.with_name("aside")

    def exchanged(*words, **options):
        path.rename(aside)
        path.symlink_to(folder / "results/good/event.sqlite")
        connection = connect(*words, **options)
        connection.execute("pragma user_version")
        path.unlink()
        aside.rename(path)
        return connection

    monkeypatch.setattr(sqlite3, "connect", exchanged)
    with pytest.raises(ArenaError, match="is a symbolic link"):
        Archive.open(folder / "results/cup")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("report --for ../../../first", marks=extras.needs("classroom")),
        pytest.param("report --for everybody", marks=extras.needs("classroom")),
        "merge good",
    ],
)
def test_a_name_in_an_archive_that_leads_to_another_folder_is_refused(workspace, command):
    folder, change = workspace
    change(
        """update meta set value = replace(value, '"first"', '"../../../first"') where key = 'event'""",
        "update entries set bot = '../../../first' where bot = 'first'",
    )

    assert cup.refused(cup.arena(folder, *command.split(), "cup"), "its event cannot be read")
    assert not [*folder.glob("first*")]


def test_the_id_of_a_match_in_an_archive_leads_to_no_other_folder(workspace):
    folder, change = workspace
    change("update matches set id = '/../../../../' || id")
    for name in ("first", "last"):
        (folder / f"results/cup/for/{name}-").mkdir(parents=True)

    cup.arena(folder, "report", "--for", "everybody", "cup")

    assert not [*folder.glob("*.txt")]


def test_sums_with_an_ending_that_does_not_exist_are_one_line(workspace):
    folder, change = workspace
    change("update or ignore tallies set ending = x'00ff'")

    done = cup.arena(folder, "leaderboard", "cup")
    assert cup.refused(done, "the sums behind the leaderboard are not those of its matches"), done


def test_a_journal_that_names_another_file_has_it_not_removed(workspace):
    folder, change = workspace
    private = folder / "private"
    private.write_text("a stranger's journal says that this file belongs to it")
    change("pragma journal_mode = delete")
    name, magic = bytes(private), bytes.fromhex("d9d505f920a163d7")
    page = struct.unpack(">H", (folder / "results/cup/event.sqlite").read_bytes()[16:18])[0]
    head = magic + struct.pack(">5I", 0, 0, 1, 512, page)
    last = (
        struct.pack(">I", (1 << 30) // page + 1)
        + name
        + struct.pack(">2I", len(name), sum(name))
        + magic
    )
    (folder / "results/cup/event.sqlite-journal").write_bytes(head.ljust(512, b"\0") + last)

    done = cup.arena(folder, "status", "cup", "--void", "there")

    assert private.exists()
    assert cup.refused(done, "event.sqlite-journal: "), done


@pytest.mark.parametrize("there", [True, False])
def test_no_archive_is_made_where_a_link_leads(workspace, there):
    folder, _ = workspace
    (folder / "results/cup/event.sqlite").unlink()
    (folder / "results/cup/event.sqlite").symlink_to(folder / "private")
    if there:
        (folder / "private").touch()

    with pytest.raises(ArenaError, match=r"is a symbolic link|unable to open database file"):
        Archive.make(folder / "results/cup")

    assert (folder / "private").exists() == there
    assert not there or not (folder / "private").read_bytes()


@pytest.mark.parametrize(
    "read",
    [
        lambda archive: verify.checked(archive, rulebook.game_of_record),
        lambda archive: plan.Plan(archive.event(), archive).known(),
    ],
)
def test_a_plan_without_end_is_not_walked(workspace, monkeypatch, read):
    folder, change = workspace
    change(
        """update meta set value = replace(value, '"repeats": 1', '"repeats": 9000000000000000000')"""
    )
    monkeypatch.setattr(plan, "MOST_OPEN", 100)

    with (
        Archive.open(folder / "results/cup") as archive,
        pytest.raises(ArenaError, match="more than 100 matches"),
    ):
        list(read(archive))
