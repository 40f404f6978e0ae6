"""Records <-> the event's SQLite file: append, read back, resume.

Records are committed before `append` returns; the file itself, its lock and its transactions are database.py's. With
each batch its tallies are added up in the same transaction: what leaderboards are made of is never older than the last
row, and counted anew only when the plan is another.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace

from arena.archive import records, schema
from arena.archive.database import Database
from arena.errors import ArenaError
from arena.event import Event, Failing, Played
from arena.game import Role
from arena.match import Abort, Ending, Record, digest_of
from arena.standings import Tally

MATCH = f"""
insert into matches ({", ".join(records.MATCH)}, planned)
values ({", ".join("?" * len(records.MATCH))}, ?1 in (select match from plan)) on conflict (id) do nothing
"""
NOTE = "insert or replace into meta values (?, ?)"


class Archive(Database):
    """One event's results; `writing` holds the lock until the end of the `with`."""

    def begin(self, event: Event, plan: Iterable[str]) -> None:
        """Store what is being played: the event, and the ids of its plan. An earlier plan is replaced."""
        ids = sorted(plan)
        mark = digest_of(ids)
        with self.transaction() as connection:
            connection.execute(NOTE, ("event", records.event_text(event)))
            if connection.execute("select 1 from meta where key = 'plan' and value = ?", (mark,)).fetchone() is None:
                connection.execute(NOTE, ("plan", mark))
                _plan(connection, ids)

    def append(self, *played: Record) -> None:
        """Store records, all or none; they are on disk when this returns. The same id twice counts once."""
        rows = [records.rows_of(record) for record in played]
        with self.transaction() as connection:
            (last,) = connection.execute("select ifnull(max(number), 0) from matches").fetchone()
            for row in rows:
                _insert(connection, row)
            connection.execute(schema.COUNT, (last,))

    def append_abort(self, abort: Abort) -> None:
        """Store that arena failed a match."""
        with self.transaction() as connection:
            connection.execute("insert into aborts values (?, ?, ?)", records.abort_row(abort))

    def ids(self) -> set[str]:
        """Every match that is finished, of whatever plan."""
        return {row[0] for row in self.rows("select id from matches")}

    def event(self) -> Event:
        """The event that was played last."""
        for (text,) in self.rows("select value from meta where key = 'event'"):
            event = records.event_of(text)
            if self._label is None:
                return event
            bots = tuple(replace(bot, name=self._label(bot.name, bot.digest)) for bot in event.bots)
            return replace(event, bots=tuple(sorted(bots, key=lambda bot: bot.name)))
        raise ArenaError(f"{self.folder}: no event was begun here; `arena run` does")

    def played(self, *, all_versions: bool = False) -> tuple[Played, ...]:
        """The finished matches of the current plan, or of every bot, board and rule that there ever was; by id."""
        query = f"select number, {', '.join(records.PLAYED)} from matches where planned or ? order by id"
        matches = list(self.rows(query, all_versions))  # before their seats: what comes between has no match here
        seats: dict[int, list[records.Row]] = {}
        query = "select match, role, bot, score, ending from seats join entries on entry = number order by match, place"
        for match, *seat in self.rows(query):
            seats.setdefault(match, []).append(tuple(seat))
        return tuple(records.played_of(tuple(row), seats[number]) for number, *row in matches)

    def tallies(self, *, all_versions: bool = False) -> tuple[Tally, ...]:
        """The same matches as sums; as quick for many as for few."""
        query = (
            "select game || '/' || board, role, bot, result, ending, sum(seats), sum(score) from tallies "
            "join entries on entry = number where planned or ? group by game, board, role, bot, result, ending"
        )
        return tuple(
            Tally(
                board=board,
                role=role,
                bot=bot,
                result=result or None,
                ending=Ending(ending) if ending else None,
                seats=seats,
                score=score,
            )
            for board, role, bot, result, ending, seats, score in self.rows(query, all_versions)
        )

    def failings(self, *, all_versions: bool = False) -> Iterator[Failing]:
        """How bots failed, by bot and ending."""
        query = (
            "select bot, ending, sum(seats) from tallies join entries on entry = number "
            "where (planned or ?) and ending != '' group by bot, ending order by bot, ending"
        )
        example = (
            "select id, words from matches join seats on match = matches.number join entries on entry = entries.number "
            "where (planned or ?) and bot = ? and ending = ? limit 1"
        )
        for bot, ending, times in list(self.rows(query, all_versions)):
            for match, words in self.rows(example, all_versions, bot, ending):
                yield Failing(bot=bot, ending=Ending(ending), times=times, match=match, words=words)

    def count(self, *, all_versions: bool = False) -> int:
        """How many matches are finished."""
        ((count,),) = self.rows("select count(*) from matches where planned or ?", all_versions)
        return int(count)

    def boards(self) -> dict[str, tuple[Role, ...]]:
        """The roles of each `game/board` that was ever played, by the match of it that is last by id."""
        labels = self.rows("select game || '/' || board, max(id) from matches group by game, board order by min(id)")
        query = (
            "select role from matches join seats on match = matches.number join entries on entry = entries.number "
            "where id = ? order by place"
        )
        return {label: tuple(role for (role,) in self.rows(query, match)) for label, match in list(labels)}

    def mark(self) -> str:
        """What all that is read here hangs on, aborts apart; what is kept under it is right while it is the same."""
        ((last,),) = self.rows("select ifnull(max(number), 0) from matches")
        plan = [value for (value,) in self.rows("select value from meta where key = 'plan'")]
        return "-".join([*plan, str(last)])

    def record(self, prefix: str) -> Record:
        """The record whose id begins so; ArenaError when there is none, or more than one."""
        query = "select record from matches join records on match = number where id >= ?1 and id < ?1 || 'g' limit 2"
        rows = list(self.rows(query, prefix))  # an id is hex digits, which are all below `g`
        if len(rows) != 1 or not prefix:
            many = "several matches begin" if rows else "no match begins"
            raise ArenaError(f"{self.folder}: {many} with {prefix!r}; matches.csv lists their ids")
        return records.unpacked(rows[0][0])

    def records(self, *, all_versions: bool = True) -> Iterator[Record]:
        """Every record, or those of the current plan; by id."""
        query = "select record from matches join records on match = number where planned or ? order by id"
        for (blob,) in self.rows(query, all_versions):
            yield records.unpacked(blob)

    def aborts(self) -> tuple[Abort, ...]:
        """The failures of arena itself, in order."""
        query = "select match, attempt, cause from aborts order by rowid"
        return tuple(Abort(match=match, attempt=attempt, cause=cause) for match, attempt, cause in self.rows(query))


def _insert(connection: sqlite3.Connection, rows: records.Rows) -> None:
    """A match that is not there yet, with its seats."""
    done = connection.execute(MATCH, rows.match)
    if not done.rowcount:
        return
    number = done.lastrowid
    connection.execute("insert into records values (?, ?)", (number, rows.packed))
    for place, (entry, seat, clocks) in enumerate(rows.seats):
        connection.execute(schema.ENTRY, entry)
        connection.execute(schema.SEAT, (number, place, *entry, *seat))
        connection.execute("insert into clocks values (?, ?, ?, ?, ?)", (number, place, *clocks))


def _plan(connection: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Another plan: other matches count."""
    connection.execute("delete from plan")
    connection.executemany("insert into plan values (?)", ((match,) for match in ids))
    connection.execute("update matches set planned = not planned where planned != (id in (select match from plan))")
    connection.execute("delete from tallies")
    connection.execute(schema.COUNT, (0,))
