"""The tape of an event: every answer of its models by the key of the call, and what was paid.

Only the broker writes it. It is a file beside event.sqlite, because an answer must be on disk
before its match is: a match that is killed or aborted must not be paid twice. Once the match is
stored its record has the answers, too, so a tape that is gone is made again from the records.
"""

import json
import sqlite3
import zlib
from pathlib import Path

from arena import file_formats, shared_folders, whole_files
from arena.errors import ArenaError
from arena.values import ModelAnswer

TABLE = """
create table if not exists calls (
  key text primary key, match text not null, bot text not null, answer blob not null,
  tokens integer not null, cost real not null, model text not null default 'default') without rowid
"""
# The tape of all models is one file. With a file for each model a tape could be handed on in parts,
# but a name that somebody chose would be that of a file, and an event could be copied without some
# of its answers. The key of a call has its model, so no answer is found for another one.
ADDED_IN_FORMAT_2 = "alter table calls add column model text not null default 'default'"
MOST_BYTES = 4_000_000


class Tape:
    """The answers in one file; `paid` says what was paid for them."""

    def __init__(self, path: Path, *, writing: bool = True) -> None:
        self.path = path
        self.is_new = not path.exists()
        try:
            # SQLite opens whatever is there, and waits at a pipe.
            for suffix in ("", "-journal", "-shm", "-wal"):
                shared_folders.refuse_pipe(Path(f"{path}{suffix}"))
            if writing:
                whole_files.make_empty(path, whole_files.PRIVATE)
            mode = "ro"
            if writing:
                mode = "rw"
            self._database = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={mode}",
                uri=True,
                isolation_level=None,
            )
            self._database.execute("pragma trusted_schema = off")
            ((version,),) = self._database.execute("pragma user_version")
            if version:
                file_formats.TAPE.check(version, f"{path}: its format", ", or move it away")
            if writing:
                self._database.execute("pragma journal_mode = wal")
                self._database.execute("pragma synchronous = full")
                self._database.execute(TABLE)
                self._upgrade(version)
            self._paid: dict[str, tuple[float, float]] = {}
            if writing or version > 1:
                sums = "select model, total(tokens), total(cost) from calls group by model"
            else:
                sums = "select 'default', total(tokens), total(cost) from calls"
            for model, tokens, cost in self._database.execute(sums):
                self._paid[model] = (tokens, cost)
        except (sqlite3.Error, OSError) as error:
            raise ArenaError(
                f"{path}: cannot be used as the tape of a model: {error}; move it away"
            ) from error

    def _upgrade(self, version: int) -> None:
        """Give a file of this format the columns and the number of today's, or neither."""
        self._database.execute("begin immediate")
        if version == 1:
            self._database.execute(ADDED_IN_FORMAT_2)
        self._database.execute(f"pragma user_version = {file_formats.TAPE.number}")
        self._database.execute("commit")

    def paid(self, model: str) -> tuple[float, float]:
        """Return the tokens of this model that were paid, and what they cost."""
        return self._paid.get(model, (0, 0.0))

    def find(self, key: str) -> ModelAnswer | None:
        """Return a recorded answer, or None; ArenaError if it cannot be read."""
        try:
            select = "select answer from calls where key = ?"
            row = self._database.execute(select, (key,)).fetchone()
            if row is None:
                return None
            text = zlib.decompressobj().decompress(row[0], MOST_BYTES)
            return ModelAnswer(*json.loads(text))
        except (sqlite3.Error, zlib.error, ValueError, TypeError) as error:
            raise ArenaError(
                f"{self.path}: an answer in it cannot be read: {error}; move the file away"
            ) from error

    def add(
        self,
        key: str,
        model: str,
        match: str,
        bot: str,
        answer: ModelAnswer,
        *,
        cost: float = 0.0,
        paid: bool,
    ) -> None:
        """Keep an answer; it is on disk when this returns. What was not `paid` counts in no budget.

        ArenaError if it cannot be written.
        """
        tokens = answer.tokens_in + answer.tokens_out
        if not paid:
            tokens = 0
            cost = 0.0
        text = json.dumps(answer)
        packed = zlib.compress(text.encode("ascii"), 6)
        row = (key, match, bot, packed, tokens, cost, model)
        try:
            insert = "insert or ignore into calls values (?, ?, ?, ?, ?, ?, ?)"
            added = self._database.execute(insert, row).rowcount
        except sqlite3.Error as error:
            raise ArenaError(f"{self.path}: an answer cannot be stored: {error}") from error
        if added:
            tokens_before, cost_before = self.paid(model)
            self._paid[model] = (tokens_before + tokens, cost_before + cost)

    def fill(self, folder: Path, *, paid: bool) -> None:
        """Add the answers in the records of an event; none where nothing was played."""
        from arena.results.archive import Archive, NoResultsError

        try:
            with Archive.open(folder) as archive:
                for record in archive.of_all_versions().records():
                    bots = {seat.role: seat.bot for seat in record.match.seats}
                    for call in record.calls:
                        # A stranger may have written the record.
                        bot = bots.get(call.role)
                        if bot is None:
                            continue
                        terms = record.match.conditions.model_of(bot)
                        if terms is None:
                            continue
                        self.add(
                            call.key,
                            terms.alias,
                            record.match.id,
                            bot.name,
                            call.answer,
                            cost=terms.cost_of(call.answer),
                            paid=paid,
                        )
        except NoResultsError:
            pass
