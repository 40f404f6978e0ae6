"""The note beside each submission: its author and its source; and of an accepted one its number and time.

`_versions/NAME/NUMBER/.version.json` in a folder of bots. The store of submissions writes it;
discovery reads the display name from it.
"""

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from arena import file_formats, shared_folders

VERSIONS, NOTE = "_versions", ".version.json"


@dataclass(frozen=True, kw_only=True)
class Note:
    """All that is known of a submission; what is unknown, or was not written by an older arena, is empty."""

    number: int = 0
    """That of the version, 1, 2, ...; 0 = it was not accepted, and has neither digest nor time."""
    digest: str = ""
    """Of a bot; empty in a note from before arena 0.2.0, whose digests were made in another way."""
    submitted: str = ""
    """Time in UTC."""
    display: str = ""
    """The author's real name, or else the name of the file; empty = the bot's name."""
    email: str = ""
    person: str = ""
    """The id of its author in people.csv."""
    source: str = ""
    """The path that was submitted, in full."""
    mark: str = ""
    """What a learning platform calls the author."""

    def is_same_as(self, other: "Note") -> bool:
        """Return whether both come from the same path, or from the same person or author of a learning platform.

        Two people are two authors, even if they hand in at the same path.
        """
        if self.person and other.person:
            return self.person == other.person
        return any(
            getattr(self, known) and getattr(self, known) == getattr(other, known)
            for known in ("source", "mark")
        )

    def text(self) -> str:
        """Return the content of its file."""
        return (
            json.dumps(
                {"format": file_formats.SUBMISSION.number} | asdict(self), ensure_ascii=False
            )
            + "\n"
        )


def read(path: Path) -> Note:
    """Return the note in a file; OSError or ValueError when it is damaged, ArenaError when a newer arena wrote it."""
    table = json.loads(shared_folders.read(path))
    if not isinstance(table, dict):
        raise ValueError("expected a table")  # noqa: TRY004 (whoever reads a damaged note expects this error)
    file_formats.SUBMISSION.check(table.get("format", 1), f"{path}: its format")
    note = Note(**{field.name: table[field.name] for field in fields(Note) if field.name in table})
    if "format" not in table:
        note = replace(note, digest="")
    if not isinstance(note.number, int) or not all(
        isinstance(value, str) for value in list(asdict(note).values())[1:]
    ):
        raise ValueError("expected a number and texts")
    return note


def display_of(bots: Path, name: str, digest: str) -> str:
    """Return the display name of the version of this digest, else of the newest one; empty where none is known."""
    displays: dict[int, str] = {}
    for folder in (bots / VERSIONS / name).glob("[0-9]*"):
        try:
            note = read(folder / NOTE)
        except (OSError, ValueError):
            continue  # the next `arena submit` or `arena bots` reports it
        if note.digest == digest:
            return note.display
        displays[note.number] = note.display
    return displays[max(displays)] if displays else ""
