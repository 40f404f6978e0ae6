"""The tables of `event.sqlite`, and how those of an older arena become them.

Small rows stand in tables of their own, apart from packed records and clock readings, so that no leaderboard reads past
those. Version 1 had all of it in `matches` and `seats`, and no results. It knows no folder, lock or record.
"""

import sqlite3
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter

from arena.archive import records
from arena.match import digest_of
from arena.standings import seat_results

VERSION = 2
TABLES = """
create table {into}.matches (
  number integer primary key, id text not null unique, game text not null, board text not null, repeat integer not null,
  seed integer not null, reason text not null, turns integer not null, sides text not null, seconds real not null,
  started text not null, transcript integer, planned integer not null);
create table {into}.entries (
  number integer primary key, game text not null, board text not null, side integer not null, role text not null,
  bot text not null, digest text not null, unique (game, board, side, role, bot, digest));
create table {into}.seats (
  match integer not null, place integer not null, entry integer not null, score integer not null, result text,
  ending text, words text, fault_turn integer, ready real, exit text not null, killed integer not null,
  memory integer not null, cpu real not null, turns integer not null, primary key (match, place)) without rowid;
create table {into}.tallies (
  planned integer not null, entry integer not null, result text not null, ending text not null, seats integer not null,
  score integer not null, primary key (planned, entry, result, ending)) without rowid;
"""
LARGE_TABLES = """
create table records (match integer primary key, record blob not null);
create table clocks (
  match integer not null, place integer not null, walls blob not null, cpus blob not null, waits blob not null,
  primary key (match, place)) without rowid;
"""
SMALL_TABLES = """
create table meta (key text primary key, value text not null) without rowid;
create table plan (match text primary key) without rowid;
create table aborts (match text not null, attempt integer not null, cause text not null);
"""
COUNT = """
insert into tallies
select planned, entry, ifnull(result, ''), ifnull(ending, ''), count(*), sum(score)
from matches join seats on seats.match = matches.number where matches.number > ? group by 1, 2, 3, 4
on conflict do update set seats = seats + excluded.seats, score = score + excluded.score
"""
"""Tallies of the matches after a number, added to those that there are; what it counts is `standings.Tally`."""
ENTRY = f"insert into entries ({', '.join(records.ENTRY)}) values (?, ?, ?, ?, ?, ?) on conflict do nothing"
SEAT = f"""
insert into seats (match, place, entry, {", ".join(records.SEAT)})
values (?, ?, (select number from entries where {" and ".join(f"{column} = ?" for column in records.ENTRY)}),
{", ".join("?" * len(records.SEAT))})
"""


def make(connection: sqlite3.Connection) -> None:
    """The tables of an empty file."""
    tables = f"{TABLES.format(into='main')}{LARGE_TABLES}{SMALL_TABLES}"
    connection.executescript(f"begin; {tables} pragma user_version = {VERSION}; commit;")


def upgrade(connection: sqlite3.Connection) -> None:
    """Rewrite a file of version 1, in one transaction: it is of one version or of the other."""
    connection.execute("begin immediate")
    try:
        for table in ("matches", "seats"):
            connection.execute(f"alter table {table} rename to old_{table}")
        _each(connection, TABLES.format(into="main") + LARGE_TABLES)
        _fill(connection, "main.old_matches", "main.old_seats")
        connection.execute("insert into records select number, record from old_matches")
        connection.execute(
            "insert into clocks select number, place, walls, cpus, waits "
            "from old_seats join old_matches on match = id order by number, place"
        )
        for table in ("matches", "seats"):
            connection.execute(f"drop table old_{table}")
        connection.execute(f"pragma user_version = {VERSION}")
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def overlay(connection: sqlite3.Connection) -> None:
    """Tables of our version over a file of version 1 that may not be written: they hide its own by their names."""
    connection.execute("begin")  # one moment of a file that an older arena may still be writing
    _each(connection, TABLES.format(into="temp"))
    _fill(connection, "main.matches", "main.seats")
    connection.execute("create temp table meta as select key, value from main.meta")
    ids = [match for (match,) in connection.execute("select match from plan order by match")]
    connection.execute("insert into meta values ('plan', ?)", (digest_of(ids),))
    connection.execute("create temp view records as select number as match, record from main.matches")
    connection.execute(
        "create temp view clocks as select number as match, place, walls, cpus, waits "
        "from main.seats as old join main.matches on old.match = id"
    )
    connection.execute("commit")


def relabel(connection: sqlite3.Connection, label: Callable[[str, str], str]) -> None:
    """Over the entries, the same with their bots called what `label` says of name and digest."""
    connection.create_function("label", 2, label, deterministic=True)
    if connection.execute("select 1 from temp.sqlite_master where name = 'entries'").fetchone():  # of an overlay
        connection.execute("update temp.entries set bot = label(bot, digest)")
        return
    connection.execute(
        "create temp view entries as select number, game, board, side, role, label(bot, digest) as bot, digest "
        "from main.entries"
    )


def _fill(connection: sqlite3.Connection, matches: str, seats: str) -> None:
    """The small tables, from the tables of version 1; it kept no transcripts in columns, so they are unknown."""
    columns = ", ".join(column for column in records.MATCH if column != "transcript")
    connection.execute(
        f"insert into matches (number, {columns}, transcript, planned) "
        f"select number, {columns}, null, id in (select match from plan) from {matches}"
    )
    entries: dict[records.Row, int] = {}
    connection.executemany(
        f"insert into seats (match, place, entry, {', '.join(records.SEAT)}) "
        f"values (?, ?, ?, {', '.join('?' * len(records.SEAT))})",
        _old_seats(connection, seats, entries),
    )
    connection.executemany(
        f"insert into entries ({', '.join(records.ENTRY)}, number) values (?, ?, ?, ?, ?, ?, ?)",
        ((*entry, number) for entry, number in entries.items()),
    )
    connection.execute(COUNT, (0,))


def _old_seats(
    connection: sqlite3.Connection, seats: str, entries: dict[records.Row, int]
) -> Iterator[tuple[object, ...]]:
    """Match, place, entry and the columns SEAT of each seat; `entries` gets those that it has not."""
    head = ("number", *(f"new.{column}" for column in records.PLAYED))
    part = ("role", "bot", "score", "ending", "digest", "words", "fault_turn", "ready", "exit", "killed", "memory")
    own = ", ".join(f"old.{column}" for column in (*part, "cpu", "turns"))
    query = f"select {', '.join(head)}, {own} from matches as new join {seats} as old on old.match = new.id "
    width = len(head)
    for number, group in groupby(connection.execute(f"{query} order by new.id, place"), itemgetter(0)):
        rows = list(group)
        played = records.played_of(rows[0][1:width], [row[width : width + 4] for row in rows])
        for place, (row, (role, bot, result, _)) in enumerate(zip(rows, seat_results(played), strict=True)):
            side = next(side for side, roles in enumerate(played.sides) if role in roles)
            score, ending, digest, *rest = row[width + 2 :]
            entry = (played.game, played.board, side, role, bot, digest)
            yield number, place, entries.setdefault(entry, len(entries) + 1), score, result, ending, *rest


def _each(connection: sqlite3.Connection, script: str) -> None:
    """Run a script within the transaction that is open; `executescript` would commit it."""
    for statement in script.split(";"):
        connection.execute(statement)
