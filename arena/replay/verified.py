"""Which records held when they were checked before: a file of seals beside the archive.

The seal of a record (arena/seals.py) covers all that its check reads: its row, its seats and its
blob, the match that was planned, the rules of its board, and the code of arena. Whatever of these
changes, the record is checked again. An archive from elsewhere may bring such a file, but no seal
of this user's secret.
"""

# Rejected: a note in the archive, because who only reads it writes nothing there; the number of the
# last record that was checked, because an older record may be edited; and a file in the user's
# state folder, which would stay when the archive is removed.

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from arena import seals, whole_files
from arena.errors import ArenaError
from arena.game import Game
from arena.identity import digest_of
from arena.results import memo
from arena.results.archive import Archive
from arena.results.archive.inspection import StoredRows
from arena.values import Bot, Conditions, Match

FILE = ".verified"
PURPOSE = "verified record"
MOST_LABELS = 10_000
"""The boards whose rules are looked for; a stranger may have made an archive of more."""
STORE_S = 10.0
"""The time between two writings of the file, which a check that is killed loses."""

GameOf = Callable[[Match], Game[Any]]
"""The rules of a match, from where rules are trusted; never from the path in the record."""


class Verified:
    """The seals of the records that held."""

    def __init__(
        self,
        path: Path,
        rules: Mapping[str, str],
        sources: Iterable[Path] = (),
    ) -> None:
        """Read the seals in the files `sources`, and store later ones in `path`.

        `rules` are the keys of `rules_of`.
        """
        self._path = path
        self._rules = rules
        self._known: set[bytes] = set()
        self._held: list[bytes] = []
        self._due = time.monotonic() + STORE_S
        for source in sources:
            try:
                content = whole_files.read_cache(source)
            except OSError:
                continue
            for start in range(0, len(content), seals.SEAL_BYTES):
                end = start + seals.SEAL_BYTES
                self._known.add(content[start:end])

    def seal(self, rows: StoredRows, planned: Match | None) -> bytes | None:
        """Return the seal that a record has if it holds; None if its rules are not known here."""
        rules = self._rules.get(rows.label)
        if rules is None or rows.blob is None:
            return None
        match = ""
        if planned is not None:
            match = _text_of(planned)

        sealed = (rules, match, rows.columns, rows.seats, len(rows.blob))
        text = repr(sealed)
        head = text.encode("utf-8", "surrogatepass")
        content = head + b"\n" + rows.blob
        return seals.seal(PURPOSE, content)

    def __contains__(self, seal: bytes | None) -> bool:
        return seal in self._known

    def add(self, held: Iterable[bytes]) -> None:
        """Take note of records that hold; write the file now and then."""
        self._held += held
        if time.monotonic() >= self._due:
            self.store()
            self._due = time.monotonic() + STORE_S

    def store(self, *, complete: bool = False) -> None:
        """Write the file; once all records were checked, without the seals of other ones."""
        held = set(self._held)
        if not complete:
            held |= self._known
        content = b"".join(sorted(held))
        whole_files.write_cache(self._path, content)


def rules_of(
    archive: Archive,
    game_of: GameOf,
    paths: Iterable[str],
) -> dict[str, str]:
    """Return a key of the rules of each `game/board` that was ever played, where they are known.

    A record chooses its rules by its own path among the `paths` that are trusted here, if their
    name is that of its game (`fits`), and otherwise by the name alone. The key has all of these.
    """
    keys: dict[str, str] = {}
    everything = archive.of_all_versions()
    labels: list[str] = []
    with contextlib.suppress(ArenaError, KeyError, ValueError, TypeError):  # the file is damaged
        labels += everything.boards()
    for label in labels[:MOST_LABELS]:
        game_name, _, _ = label.partition("/")
        of_game = [path for path in paths if Path(path).stem == game_name]
        choices = ["", *sorted(of_game)]
        with contextlib.suppress(ArenaError):  # its rules or its newest record cannot be read
            newest = everything.newest_on(label)
            if newest is None:
                continue
            digests = []
            for path in choices:
                match = replace(newest.match, rules=path)
                game = game_of(match)
                digest = memo.rules_digest([game])
                digests.append(digest)
            program = memo.program_digest()
            keys[label] = digest_of(program, choices, digests, length=64)
    return keys


def fits(match: Match) -> bool:
    """Return whether `rules_of` has the rules that a record chooses."""
    if match.imported:
        return False
    rules = Path(match.rules or match.game)
    return rules.stem == match.game


def _text_of(match: Match) -> str:
    """Return a text of all that identifies a planned match, wherever its files are."""
    parts: list[object] = []
    for field in fields(match):
        value = getattr(match, field.name)
        if field.name == "conditions":
            parts.append(_conditions_text(value))
        elif field.name == "seats":
            for seat in value:
                bot = _bot_text(seat.bot)
                parts.append((seat.role, bot))
        elif field.name != "rules":
            parts.append(value)
    return repr(parts)


@lru_cache
def _conditions_text(conditions: Conditions) -> str:
    return repr(conditions)


def _bot_text(bot: Bot) -> tuple[str, str, int | None]:
    return bot.name, bot.digest, bot.processes
