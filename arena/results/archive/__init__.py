"""The archive: the records of one event in its SQLite file.

All SQL queries of arena are in this folder.

A method reads the matches of the current plan. The archive that `of_all_versions` returns reads all
matches that were ever played, and that of `of_game` those of one game. A method that takes ids or
numbers reads every match that has them.
"""

# Theory of operation
# -------------------
# A match counts when its record is committed, and not before: `append` returns after the fsync, and
# only then does a run report the match as finished. A run that is killed at any moment goes on from
# `ids`. database.py has the transactions.
#
# One record is stored in several forms, all in the one transaction, so that no reader ever sees one
# without the others:
# - `records`: the whole record, compressed. It is the source of truth; everything else about the
#   match can be made from it again, and `arena verify` compares the two (inspection.py).
# - `matches` and `seats`: small rows for the tables, apart from the large blobs, so that no
#   leaderboard reads past these. `entries` has each bot in its role on a board once.
# - `matches.figures`: one blob a match with the numbers of all its seats, as numpy reads them.
#   Ratings and crosstables need all seats, a million or more. To fetch rows and make Python numbers
#   of them takes three times as long, and to let SQLite print whole columns, for numpy to read the
#   print, twice as long. One blob for all matches would have to be rewritten by each append.
# - `clocks`: the times of each answer, packed as float32; only the table of times reads them.
# - `tallies`: sums of seats by entry, result and ending. Leaderboards are made of these, so they
#   read a few thousand rows whatever the number of matches. Each batch is added to them in the
#   transaction that stores it, so that a leaderboard is never older than the last row. When the
#   plan changes, other matches count, and all tallies are counted anew.
#
# `planned` marks the matches of the current plan: those that count. Matches of an earlier plan (an
# edited bot, board or rule) stay. The batches of the plan that are over stand in `meta`, with the
# ids of their matches and the places after them (`StoredBatch`); later batches may depend on
# results. All that a run appends is planned. What was stored before is marked when the plan changes
# (`begin`), and where a later batch plans such a match, when that batch is begun (`mark_planned`).

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from arena.errors import ArenaError
from arena.game import Role
from arena.results.archive import records, schema
from arena.results.archive.database import DamagedError, Database, NoResultsError, Values
from arena.results.archive.records import Entry, Span, StoredBatch, StoredSeat
from arena.results.standings import Tally
from arena.values import IMPORTED, Abort, Ending, Event, Failing, Played, Record, Stop

__all__ = ["Archive", "DamagedError", "Entry", "NoResultsError", "Span", "StoredSeat"]

MATCH = f"""
insert into matches ({", ".join(records.MATCH)}, figures, planned)
values ({", ".join("?" * len(records.MATCH))}, ?, 1)
"""
NOTE = "insert or replace into meta values (?, ?)"
BATCH = "batch {:08}"
"""The key of a batch in `meta`; an arena that does not know it makes the plan of the results."""
NO_BATCHES = "delete from meta where key glob 'batch *'"
CHOSEN_MATCHES = f"(select * from main.matches where id in {schema.CHOSEN})"
SEATS = (
    "matches join seats on seats.match = matches.number "
    "join entries on entries.number = seats.entry"
)
RECORDS = "main.matches join records on records.match = matches.number"
MARKED = (
    "insert into meta values ('marked', '1') "
    "on conflict do update set value = cast(value as integer) + 1"
)
"""Count a change of the matches that count, so that no cache outlives it."""


class Archive(Database):
    """The results of one event; `writing` holds the lock until the end of the `with`."""

    def begin(
        self,
        event: Event,
        key: str,
        planned: Callable[[], Iterable[str]],
    ) -> None:
        """Store the event that is being played.

        If its plan has another key than before, other matches count. `planned` is called only then,
        and only if matches are stored: it returns the ids of those that the plan has.
        """
        stored = next(self._rows("select value from meta where key = 'plan'"), None)
        is_new_plan = stored != (key,)
        first_match = next(self._rows("select 1 from main.matches limit 1"), None)
        ids = None
        if is_new_plan and first_match is not None:
            ids = json.dumps(list(planned()))
        text = records.event_text(event)
        with self._transaction() as connection:
            connection.execute(NOTE, ("event", text))
            connection.execute(NOTE, ("plan", key))
            connection.execute("delete from meta where key = 'stop'")
            if is_new_plan:
                connection.execute(NO_BATCHES)
            if ids is not None:
                chosen = f"(id in {schema.CHOSEN})"
                query = f"update matches set planned = not planned where planned != {chosen}"
                connection.execute(query, (ids,))
                connection.execute("delete from tallies")
                connection.execute(schema.COUNT, (0,))

    def mark_planned(self, ids: Sequence[str]) -> int:
        """Mark the finished matches among these ids as planned; return how many were not before."""
        query = f"select number from main.matches where id in {schema.CHOSEN} and not planned"
        chosen = json.dumps(ids)
        rows = self._rows(query, (chosen,))
        unmarked = [number for (number,) in rows]
        if not unmarked:
            return 0
        numbers = json.dumps(unmarked)
        subtract = schema.MOVE.format(sign=-1)
        mark = f"update matches set planned = 1 where number in {schema.CHOSEN}"
        add = schema.MOVE.format(sign=1)
        with self._transaction() as connection:
            connection.execute(subtract, (numbers,))
            connection.execute(mark, (numbers,))
            connection.execute(add, (numbers,))
            connection.execute("delete from tallies where seats = 0")
            connection.execute(MARKED)
        return len(unmarked)

    def append(self, *played: Record) -> None:
        """Store records, all or none; they are on disk when this returns.

        The same id twice counts once.
        """
        # Before the transaction, which should be short.
        rows = [records.rows_of(record) for record in played]
        with self._transaction() as connection:
            (last,) = connection.execute("select ifnull(max(number), 0) from matches").fetchone()
            for row in rows:
                _insert(connection, row)
            connection.execute(schema.COUNT, (last,))

    def store_batches(self, batches: Mapping[int, StoredBatch]) -> None:
        """Store these batches of the plan by their numbers, in place of what is stored of them."""
        with self._transaction() as connection:
            for number, batch in batches.items():
                key = BATCH.format(number)
                text = records.batch_text(batch)
                connection.execute(NOTE, (key, text))

    def forget_batches(self, first: int) -> None:
        """Remove the stored batches from this number on."""
        first_key = BATCH.format(first)
        query = "select 1 from meta where key glob 'batch *' and key >= ? limit 1"
        stored = list(self._rows(query, (first_key,)))
        if not stored:
            return
        delete = f"{NO_BATCHES} and key >= ?"
        with self._transaction() as connection:
            connection.execute(delete, (first_key,))

    def batches(self) -> list[StoredBatch]:
        """Return the first batches of the plan, in order, as far as runs have stored them.

        An archive of an older arena has none.
        """
        rows = self._rows("select key, value from meta where key glob 'batch *' order by key")
        batches: list[StoredBatch] = []
        for key, text in rows:
            if key != BATCH.format(len(batches)):
                raise self.damaged("a batch of its plan is lost")
            try:
                batches.append(records.batch_of(text))
            except ValueError as error:
                raise self.damaged("a batch of its plan cannot be read") from error
        return batches

    def add_imported(self, played: Iterable[Record], event: Callable[[], Event]) -> int:
        """Store imported records and their event, all or nothing; return how many of them are new.

        `event` is called when all records were read. The records may be more than memory holds.
        """
        with self._transaction() as connection:
            (last,) = connection.execute("select ifnull(max(number), 0) from matches").fetchone()
            for record in played:
                rows = records.rows_of(record)
                _insert(connection, rows)
            query = "select count(*) from matches where number > ?"
            (new,) = connection.execute(query, (last,)).fetchone()
            connection.execute(schema.COUNT, (last,))
            text = records.event_text(event())
            connection.execute(NOTE, ("event", text))
            connection.execute(NOTE, ("plan", IMPORTED))
        return int(new)

    def append_stop(self, stop: Stop | None) -> None:
        """Store why the event ended, or that it did not."""
        with self._transaction() as connection:
            if stop is None:
                connection.execute("delete from meta where key = 'stop'")
            else:
                text = records.stop_text(stop)
                connection.execute(NOTE, ("stop", text))

    def append_abort(self, abort: Abort) -> None:
        """Store that arena failed a match."""
        cause = records.valid_text(abort.cause)
        row = (abort.match, abort.attempt, cause)
        with self._transaction() as connection:
            connection.execute("insert into aborts values (?, ?, ?)", row)

    def void(self, machine: str, reason: str) -> tuple[str, ...]:
        """Remove the matches of a machine in which a bot crashed or lost on time; return their ids.

        They are stored as aborts with this reason, and are due again.
        """
        query = (
            "select distinct number, id from main.matches join seats on match = number "
            "where machine = ? and ending in (?, ?) order by number"
        )
        values = (machine, Ending.CRASHED.value, Ending.TIMEOUT.value)
        matches = list(self._rows(query, values))
        voided = [number for number, _ in matches]
        numbers = json.dumps(voided)
        subtract = schema.MOVE.format(sign=-1)
        with self._transaction() as connection:
            connection.execute(subtract, (numbers,))
            connection.execute("delete from tallies where seats = 0")
            for table in ("seats", "clocks", "records"):
                delete = f"delete from {table} where match in {schema.CHOSEN}"
                connection.execute(delete, (numbers,))
            delete = f"delete from matches where number in {schema.CHOSEN}"
            connection.execute(delete, (numbers,))
            for _, match in matches:
                query = "select count(*) from aborts where match = ?"
                (attempts,) = connection.execute(query, (match,)).fetchone()
                abort = (match, attempts + 1, reason)
                connection.execute("insert into aborts values (?, ?, ?)", abort)
            # Later batches may have been planned by these results: without a key, `begin` marks
            # the plan anew.
            connection.execute("update meta set value = '' where key = 'plan'")
            connection.execute(NO_BATCHES)
            connection.execute(MARKED)
            connection.execute("delete from meta where key = 'stop'")
        return tuple(match for _, match in matches)

    def ids(self) -> set[str]:
        """Return the id of every finished match, planned or not."""
        rows = self._rows("select id from main.matches")
        return {match for (match,) in rows}

    def stored(self, ids: Sequence[str]) -> set[str]:
        """Return those of these ids whose matches are finished."""
        query = f"select id from main.matches where id in {schema.CHOSEN}"
        chosen = json.dumps(ids)
        rows = self._rows(query, (chosen,))
        return {match for (match,) in rows}

    def has_all(self, ids: Sequence[str]) -> bool:
        """Return whether the matches with these ids, all different, are finished."""
        query = f"select count(*) from main.matches where id in {schema.CHOSEN}"
        chosen = json.dumps(ids)
        ((count,),) = self._rows(query, (chosen,))
        return bool(count == len(ids))

    def stop(self) -> Stop | None:
        """Return why the event ended.

        It is None while the event is not over, or if nothing but its plan ended it.
        """
        rows = self._rows("select value from meta where key = 'stop'")
        try:
            stop = next((records.stop_of(text) for (text,) in rows), None)
        except ValueError as error:
            raise self.damaged("the end of its event cannot be read") from error
        name_of = self._name_of
        if stop is None or name_of is None:
            return stop
        event = self._event_as_played()
        digests = {bot.name: bot.digest for bot in event.bots}
        renamed = []
        for ranks in stop.open:
            bots = []
            for bot in ranks.bots:
                digest = digests.get(bot, "")
                bots.append(name_of(bot, digest))
            renamed.append(replace(ranks, bots=tuple(bots)))
        return replace(stop, open=tuple(renamed))

    def event(self) -> Event:
        """Return the event that was played last."""
        event = self._event_as_played()
        if self._game is not None:
            event = event.league(self._game)
        if self._name_of is None:
            return event
        bots = []
        for bot in event.bots:
            name = self._name_of(bot.name, bot.digest)
            display = bot.display
            if name != bot.name:
                display = ""  # it would not show the version that the name has now
            bots.append(replace(bot, name=name, display=display))
        bots.sort(key=lambda bot: bot.name)
        return replace(event, bots=tuple(bots))

    def has_event(self) -> bool:
        """Say whether an event was begun here."""
        rows = self._rows("select 1 from meta where key = 'event'")
        return next(rows, None) is not None

    def _event_as_played(self) -> Event:
        """Return the event with the names that bots have in records."""
        for (text,) in self._rows("select value from meta where key = 'event'"):
            try:
                return records.event_of(text)
            except ValueError as error:
                raise self.damaged("its event cannot be read") from error
        raise ArenaError(f"{self.folder}: no event was begun here; `arena run` does")

    def played(self) -> tuple[Played, ...]:
        """Return the finished matches by id."""
        return tuple(self._played("matches"))

    def played_of(self, ids: Sequence[str]) -> tuple[Played, ...]:
        """Return the finished matches among these ids, in this order."""
        chosen = json.dumps(ids)
        matches = self._played(CHOSEN_MATCHES, [chosen])
        by_id = {played.id: played for played in matches}
        in_order = [by_id[match] for match in ids if match in by_id]
        return tuple(in_order)

    def transcripts_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return a hash of how each of these matches went (`records.transcript`)."""
        query = f"select id, transcript from {CHOSEN_MATCHES}"
        chosen = json.dumps(ids)
        rows = self._rows(query, (chosen,))
        return dict(rows)

    def newest(
        self,
        most: int,
        *,
        before: int | None = None,
        bot: str | None = None,
        digest: str | None = None,
        opponent: str | None = None,
        board: str | None = None,
        fault: bool = False,
        lost: bool = False,
    ) -> dict[str, int]:
        """Return the number of each of the newest matches by id, newest first.

        They are those before the number `before`; on the board `board`, a `game/board`; and those
        in which `bot` sat, as the version `digest`, or with `opponent`. With `fault` they are those
        in which this bot was at fault, with `lost` those that it lost; without `bot`, those in
        which any bot was at fault or lost.
        """
        seat = (
            "exists (select 1 from seats join entries on entries.number = entry "
            "where match = matches.number and"
        )
        conditions = []
        values: list[object] = []
        if before is not None:
            conditions.append("number < ?")
            values.append(before)
        if board is not None:
            conditions.append("game = ? and board = ?")
            game, _, name = board.partition("/")
            values += [game, name]
        if bot is not None:
            conditions.append(f"{seat} bot = ?)")
            values.append(bot)
        if digest is not None:
            conditions.append(f"{seat} bot = ? and digest = ?)")
            values += [bot, digest]
        if opponent is not None:
            conditions.append(f"{seat} bot = ?)")
            values.append(opponent)
        if fault:
            conditions.append(f"{seat} ending is not null and bot = ifnull(?, bot))")
            values.append(bot)
        if lost:
            is_lost = "(seats.result = 'lost' or seats.fault_turn = 0)"
            conditions.append(f"{seat} {is_lost} and bot = ifnull(?, bot))")
            values.append(bot)
        where = " and ".join(conditions) or "1"
        query = f"select id, number from matches where {where} order by number desc limit ?"
        values.append(most)
        return dict(self._rows(query, values))

    def _played(self, table: str, values: Values = ()) -> Iterator[Played]:
        """Yield the finished matches of a table, by id."""
        columns = ", ".join(records.PLAYED)
        query = (
            f"select id, {', '.join(records.SEAT_PLAYED)} from {table} as chosen "
            "join seats on match = chosen.number join entries on entry = entries.number "
            "order by id, position"
        )
        # The two queries go side by side, so that no more than a match is in memory.
        rows_of_all_seats = self._rows(query, values)
        by_match = groupby(rows_of_all_seats, key=itemgetter(0))
        query = f"select id, {columns} from {table} order by id"
        for row in self._rows(query, values):
            match, rows_of_seats = next(by_match, ("", ()))
            if match != row[0]:
                raise KeyError(row[0])  # it has no seats
            seats = [seat[1:] for seat in rows_of_seats]
            yield records.played_of(row[1:], seats)

    def tallies(self) -> tuple[Tally, ...]:
        """Return sums of the seats of the matches that are read.

        For many matches it takes no longer than for few, unless bots were at fault in matches that
        they did not lose.
        """
        query = (
            "select game || '/' || board, role, bot, result, ending, sum(seats), sum(score) "
            "from tallies join entries on entry = number "
            "group by game, board, role, bot, result, ending"
        )
        tallies = list(self._tallies(query))
        if any(tally.ending and tally.result in {"won", "drawn"} for tally in tallies):
            tallies += self._won_without_starting()
        return tuple(tallies)

    def _tallies(self, query: str) -> Iterator[Tally]:
        for board, role, bot, result, ending, seats, score in self._rows(query):
            yield Tally(
                board=board,
                role=role,
                bot=bot,
                result=result or None,
                ending=Ending(ending) if ending else None,
                seats=seats,
                score=score,
            )

    def _won_without_starting(self) -> Iterator[Tally]:
        """Yield the tallies that turn into losses what sides won or drew without a bot.

        The bot did not start. Each of its results is taken away, and added as a loss.
        """
        marked = (
            "select entries.game || '/' || entries.board as label, role, bot, result, ending, "
            "score, max(ifnull(fault_turn, 1)) over (partition by seats.match, bot) as last_fault "
            f"from {SEATS}"
        )
        query = (
            "select label, role, bot, result, ending, count(*), sum(score) "
            f"from ({marked}) where last_fault = 0 and result in ('won', 'drawn') "
            "group by 1, 2, 3, 4, 5"
        )
        for tally in self._tallies(query):
            yield replace(tally, seats=-tally.seats, score=-tally.score)
            yield replace(tally, result="lost")

    def absentees(self, ids: Sequence[str] | None = None) -> set[tuple[str, str]]:
        """Return (game, bot) for each bot that said `ready` in no match of that game.

        With `ids` only the matches that have them are read. It takes a pass over all seats.
        """
        table, values = _matches(ids)
        query = (
            f"select entries.game, bot from {table} as chosen "
            "join seats on match = chosen.number join entries on entry = entries.number "
            "group by 1, 2 having max(ifnull(fault_turn, 1)) = 0"
        )
        return set(self._rows(query, values))

    def later_faults(self) -> Counter[tuple[str, Ending]]:
        """Return the numbers of the `later_faults` of the matches, by bot and ending."""
        # Only seats after a bot's first in a match have no result, and most events have no faults
        # in such seats.
        query = (
            "select 1 from tallies join entries on entry = number "
            "where result = '' and ending != '' limit 1"
        )
        if not list(self._rows(query)):
            return Counter()
        faults = (
            "select bot, ending, row_number() over "
            "(partition by match, bot order by fault_turn, position) as nth "
            f"from {SEATS} where ending is not null"
        )
        query = f"select bot, ending, count(*) from ({faults}) where nth > 1 group by bot, ending"
        later: Counter[tuple[str, Ending]] = Counter()
        for bot, ending, seats in self._rows(query):
            later[bot, Ending(ending)] = seats
        return later

    def failings(self) -> Iterator[Failing]:
        """Yield the faults of bots, by bot and ending, each with an example."""
        query = (
            "select bot, ending, sum(seats) from tallies join entries on entry = number "
            "where ending != '' group by bot, ending order by bot, ending"
        )
        later = self.later_faults()
        example = (
            f"select id, words, ifnull(fault_turn, 0) from {SEATS} "
            "where bot = ? and ending = ? limit 1"
        )
        for bot, word, seats in list(self._rows(query)):
            ending = Ending(word)
            times = seats - later[bot, ending]
            if times:
                for match, message, turn in self._rows(example, (bot, word)):
                    yield Failing(
                        bot=bot,
                        ending=ending,
                        times=times,
                        match=match,
                        words=message,
                        turn=turn,
                    )

    def count(self) -> int:
        """Return the number of finished matches."""
        ((count,),) = self._rows("select count(*) from matches")
        return int(count)

    def transcripts(self, ids: Sequence[str] | None = None) -> dict[str, int]:
        """Return by id, for each finished match, a hash of its moves and verdict.

        They are the matches with these ids, or all that count.
        """
        table, values = _matches(ids)
        rows = self._rows(f"select id, transcript from {table}", values)
        return dict(rows)

    def boards(self) -> dict[str, tuple[Role, ...]]:
        """Return the roles of each `game/board` that was ever played.

        They are those of its match with the highest id.
        """
        newest = (
            "select game || '/' || board, max(id) from matches "
            "group by game, board order by min(id)"
        )
        query = f"select role from {SEATS} where id = ? order by position"
        boards = {}
        for label, match in list(self._rows(newest)):
            roles = [role for (role,) in self._rows(query, (match,))]
            boards[label] = tuple(roles)
        return boards

    def cache_version(self) -> str:
        """Return a version key of the stored results, aborts excluded.

        Caches are valid while it is unchanged. The results of one game have that of all games.
        """
        meta = "select key, value from meta where key in ('plan', 'marked') order by key"
        last = "select number, started from main.matches order by number desc limit 1"
        rows = list(self._rows(meta))
        rows += self._rows(last)
        return json.dumps(rows)

    def record(self, prefix: str) -> Record:
        """Return the record whose id begins with `prefix`.

        Raise ArenaError if there is none, or more than one.
        """
        # An id is hex digits, which are all below `g`.
        query = f"select record from {RECORDS} where id >= ? and id < ? || 'g' limit 2"
        rows = list(self._rows(query, (prefix, prefix)))
        if len(rows) != 1 or not prefix:
            found = "no match begins"
            if rows:
                found = "several matches begin"
            raise ArenaError(
                f"{self.folder}: {found} with {prefix!r}; `arena replay` lists the newest, "
                "matches.csv all"
            )
        ((blob,),) = rows
        return self._unpacked(blob)

    def records(self, most: int | None = None) -> Iterator[Record]:
        """Yield the records by id, `most` at most.

        Ids are hashes, so these are a fair sample of boards and pairs.
        """
        query = "select record from matches join records on match = number order by id limit ?"
        limit = -1  # none, in SQLite
        if most is not None:
            limit = most
        for (blob,) in self._rows(query, (limit,)):
            yield self._unpacked(blob)

    def sample_of(
        self,
        labels: Sequence[str],
        most: int,
        *,
        bot: str | None = None,
    ) -> list[str]:
        """Return the ids of at most `most` matches on these `game/board`s.

        They stand by id, so that they are a fair sample. With `bot` they are only matches in which
        it has a seat.
        """
        seated = "select match from seats join entries on entry = entries.number where bot = ?"
        query = (
            f"select id from matches where game || '/' || board in {schema.CHOSEN} "
            f"and (? is null or number in ({seated})) order by id limit ?"
        )
        chosen = json.dumps(labels)
        rows = self._rows(query, (chosen, bot, bot, most))
        return [match for (match,) in rows]

    def numbers_in_order(self) -> "array[int]":
        """Return the numbers of the matches in the order of storing; 8 bytes each."""
        rows = self._rows("select number from matches order by number")
        return array("q", (number for (number,) in rows))

    def records_numbered(self, numbers: Iterable[int]) -> Iterator[tuple[Record, bool]]:
        """Yield the records with these numbers, by number, and whether each counts."""
        query = (
            f"select record, planned from {RECORDS} where number in {schema.CHOSEN} order by number"
        )
        chosen = json.dumps(list(numbers))
        for blob, planned in self._rows(query, (chosen,)):
            yield self._unpacked(blob), bool(planned)

    def newest_on(self, label: str) -> Record | None:
        """Return the newest record of a match on this `game/board`, or None."""
        game, _, board = label.partition("/")
        query = (
            f"select record from {RECORDS} where game = ? and board = ? "
            "order by number desc limit 1"
        )
        for (blob,) in self._rows(query, (game, board)):
            return self._unpacked(blob)
        return None

    def _unpacked(self, blob: bytes) -> Record:
        """Return a stored record; raise DamagedError when it cannot be read."""
        try:
            return records.unpacked(blob)
        except ValueError as error:
            raise self.damaged("a record cannot be read") from error

    def numbers(self) -> dict[str, int]:
        """Return the number of each match by its id; those stored later have higher numbers."""
        return dict(self._rows("select id, number from main.matches"))

    def mean_seconds(self) -> dict[str, float]:
        """Return the mean time of a match on each `game/board`.

        Matches in which no bot was asked do not count.
        """
        query = (
            "select game || '/' || board, avg(seconds) from main.matches where turns > 0 "
            "group by game, board"
        )
        return dict(self._rows(query))

    def versions(self) -> Counter[str]:
        """Return the number of versions of each bot that ever played."""
        rows = self._rows("select bot from entries group by bot, digest")
        return Counter(bot for (bot,) in rows)

    def spans(self) -> tuple[Span, ...]:
        """Return every version of each bot that ever played, in the order of first matches."""
        query = (
            "select bot, digest, min(match), max(match), count(distinct match) "
            "from seats join entries on entry = number "
            "group by bot, digest order by min(match), bot"
        )
        return tuple(map(Span._make, self._rows(query)))

    def sides(self) -> dict[str, set[int]]:
        """Return the sides of each `game/board` that was ever played."""
        query = "select distinct game || '/' || board, side from entries"
        sides: dict[str, set[int]] = {}
        for label, side in self._rows(query):
            sides_of_board = sides.setdefault(label, set())
            sides_of_board.add(side)
        return sides

    def entries(self) -> dict[int, Entry]:
        """Return every entry by its number."""
        columns = ", ".join(records.ENTRY)
        rows = self._rows(f"select number, {columns} from entries")
        return {row[0]: Entry._make(row[1:]) for row in rows}

    def figures(self, ids: Sequence[str] | None = None) -> bytearray:
        """Return the figures of all seats, by match and order of play (`records.FIGURES`).

        They are those of the matches with these ids, or of all that count.
        """
        joined = bytearray()  # a list of bytes would take more memory than the bytes themselves
        table, values = _matches(ids)
        query = f"select figures from {table} order by number"
        for (figures,) in self._rows(query, values):
            joined += figures
        return joined

    def reasons(self) -> Iterator[tuple[str, str]]:
        """Yield the id and the reason of each match, in the order in which they were stored."""
        yield from self._rows("select id, reason from matches order by number")

    def seats(self) -> Iterator[StoredSeat]:
        """Yield the seats by the id of their match, in order of play."""
        source = {"match": "id", "turns": "seats.turns"}
        columns = ", ".join(source.get(name, name) for name in StoredSeat._fields)
        query = f"select {columns} from {SEATS} order by id, position"
        yield from map(StoredSeat._make, self._rows(query))

    def clocks(self, column: str) -> Iterator[tuple[int, bytes]]:
        """Yield the number of the entry and a column of CLOCKS of each seat."""
        query = (
            f"select entries.number, {column} from {SEATS} "
            "join clocks on clocks.match = seats.match and clocks.position = seats.position"
        )
        yield from self._rows(query)

    def machines(self) -> tuple[str, ...]:
        """Return the other machines that played matches of the plan, in order of name."""
        query = (
            "select distinct machine from matches where planned and machine != '' order by machine"
        )
        return tuple(machine for (machine,) in self._rows(query))

    def select(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query of the archive's tables, for a frame of an extension."""
        yield from self._rows(query, values)

    def aborts(self) -> tuple[Abort, ...]:
        """Return the failures of arena itself, in order."""
        aborts = []
        query = "select match, attempt, cause from aborts order by rowid"
        for match, attempt, cause in self._rows(query):
            abort = Abort(match=match, attempt=attempt, cause=cause)
            aborts.append(abort)
        return tuple(aborts)

    def planned_ids(self) -> set[str]:
        """Return the ids of the matches that are marked as planned."""
        rows = self._rows("select id from matches where planned")
        return {match for (match,) in rows}


def _matches(ids: Sequence[str] | None) -> tuple[str, tuple[str, ...]]:
    """Return the table of the matches with these ids, or of those that count, and its values."""
    if ids is None:
        return "matches", ()
    return CHOSEN_MATCHES, (json.dumps(ids),)


def _insert(connection: sqlite3.Connection, rows: records.Rows) -> None:
    """Store a match with its seats, unless it is stored already."""
    match = rows.match[0]
    if connection.execute("select 1 from matches where id = ?", (match,)).fetchone():
        return
    entries = []
    for row in rows.seats:
        connection.execute(schema.ENTRY, row.entry)
        (entry,) = connection.execute(schema.ENTRY_NUMBER, row.entry).fetchone()
        entries.append(entry)
    figures = records.figures(rows, entries)
    cells = list(rows.match)
    cells.append(figures)
    number = connection.execute(MATCH, cells).lastrowid
    connection.execute("insert into records values (?, ?)", (number, rows.packed))
    for position, (entry, row) in enumerate(zip(entries, rows.seats, strict=True)):
        seat = [number, position, entry]
        seat.extend(row.seat)
        connection.execute(schema.SEAT, seat)
        clocks = [number, position]
        clocks.extend(row.clocks)
        connection.execute("insert into clocks values (?, ?, ?, ?, ?)", clocks)
