"""The tables of `event.sqlite`; `archive/__init__.py` says what each is for.

file_formats.py has the number of this format. SQLite stores the text of each declaration, and an
archive is refused if it has another text, so that no letter of TABLES may change. `position` in
`seats` and `clocks` is that in the order of play. No folder, lock or record is known here.
"""

import contextlib
import sqlite3
from functools import cache

from arena import file_formats
from arena.results.archive import records

TABLES = """
create table matches (
  number integer primary key, id text not null unique, game text not null, board text not null, repeat integer not null,
  seed integer not null, reason text not null, turns integer not null, sides text not null, seconds real not null,
  started text not null, transcript integer not null, machine text not null, scale real not null,
  figures blob not null, planned integer not null);
create table entries (
  number integer primary key, game text not null, board text not null, side integer not null, role text not null,
  bot text not null, digest text not null, unique (game, board, side, role, bot, digest));
create table seats (
  match integer not null, position integer not null, entry integer not null, score integer not null, result text,
  ending text, words text, fault_turn integer, ready real, exit text not null, killed integer not null,
  memory integer not null, cpu real not null, turns integer not null, primary key (match, position)) without rowid;
create table tallies (
  planned integer not null, entry integer not null, result text not null, ending text not null, seats integer not null,
  score integer not null, primary key (planned, entry, result, ending)) without rowid;
create table records (match integer primary key, record blob not null);
create table clocks (
  match integer not null, position integer not null, walls blob not null, cpus blob not null, waits blob not null,
  primary key (match, position)) without rowid;
create table meta (key text primary key, value text not null) without rowid;
create table aborts (match text not null, attempt integer not null, cause text not null);
"""
COUNT = """
insert into tallies
select planned, entry, ifnull(result, ''), ifnull(ending, ''), count(*), sum(score)
from matches join seats on seats.match = matches.number where matches.number > ? group by 1, 2, 3, 4
on conflict do update set seats = seats + excluded.seats, score = score + excluded.score
"""
"""Add the matches after a number to the tallies; a row is read back as a `standings.Tally`."""
CHOSEN = "(select value from json_each(?))"
MOVE = f"""
insert into tallies
select
  planned, entry, ifnull(result, ''), ifnull(ending, ''),
  {{sign}} * count(*), {{sign}} * sum(score)
from matches join seats on seats.match = matches.number
where matches.number in {CHOSEN} group by 1, 2, 3, 4
on conflict do update set seats = seats + excluded.seats, score = score + excluded.score
"""
"""Add the matches with these numbers to the tallies, or subtract them, by the sign."""
ENTRY = f"""
insert into entries ({", ".join(records.ENTRY)}) values (?, ?, ?, ?, ?, ?) on conflict do nothing
"""
ENTRY_NUMBER = (
    "select number from entries where "
    "game = ? and board = ? and side = ? and role = ? and bot = ? and digest = ?"
)
"""The number of the entry with the columns `records.ENTRY`, in this order."""
SEEN = """
with matches as (select * from main.matches where (planned or ?) and (? is null or game = ?)),
tallies as (select * from main.tallies where planned or ?),
entries as (
  select number, game, board, side, role, {bot}, digest from main.entries
  where ? is null or game = ?)
"""
"""The rows that a query sees, by three choices of an archive.

These are whether all versions count, the game, and the names of bots. A query that means every
match says `main.matches`.
"""
SEAT = f"""
insert into seats (match, position, entry, {", ".join(records.SEAT)})
values (?, ?, ?, {", ".join("?" * len(records.SEAT))})
"""


def make(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty file."""
    connection.executescript(
        f"begin; {TABLES} pragma user_version = {file_formats.ARCHIVE.number}; commit;"
    )


@cache
def declarations() -> dict[str, str]:
    """Return the text by which SQLite stores each table."""
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        make(empty)
        return dict(empty.execute("select name, sql from sqlite_master where sql is not null"))
