"""What the report asks of the archive: records one by one, and which match is the newest. It writes nothing."""

from pathlib import Path
from types import TracebackType
from typing import Self

from arena.archive import Archive, records
from arena.match import Record


class Store:
    """The archive of a results folder, open while the report is made."""

    def __init__(self, folder: Path) -> None:
        self._archive = Archive.open(folder)

    def newest(self) -> dict[str, int]:
        """A number for each match, higher for what was stored later."""
        return dict(self._archive.rows("select id, number from matches"))

    def record(self, match: str) -> Record:
        """All of a match that is stored."""
        query = "select record from matches join records on match = number where id = ?"
        ((blob,),) = self._archive.rows(query, match)
        return records.unpacked(blob)

    def sample(self, label: str) -> Record | None:
        """A record of a match on this `game/board`, the newest; None when there is none."""
        game, _, board = label.partition("/")
        query = (
            "select record from matches join records on match = number "
            "where game = ? and board = ? order by number desc limit 1"
        )
        return next((records.unpacked(blob) for (blob,) in self._archive.rows(query, game, board)), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.close()
