"""The note beside each submission: its author, its source, and its number and time if accepted.

It is `_versions/NAME/NUMBER/.version.json` in a folder of bots. The store of submissions writes it;
discovery reads the display name from it.
"""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from arena import file_formats, shared_folders

VERSIONS = "_versions"
NOTE = ".version.json"


@dataclass(frozen=True, kw_only=True)
class Note:
    """The facts about a submission; a fact is empty if it is unknown, or older than its field."""

    number: int = 0
    """The number of the version, 1, 2, ...; 0 = it was not accepted, without digest and time."""
    digest: str = ""
    """The digest of the bot; empty in a note from before arena 0.2.0, which made other digests."""
    submitted: str = ""
    """Time in UTC."""
    display: str = ""
    """The real name of the author, if it is known, or the name of the file; empty = the bot's name.
    """
    email: str = ""
    person: str = ""
    """The id of its author in people.csv."""
    source: str = ""
    """The path that was submitted, in full."""
    mark: str = ""
    """The name or number of the author on a learning platform."""

    def is_same_as(self, other: "Note") -> bool:
        """Return whether both are from the same person, path or author of a learning platform.

        Two people are two authors, even if they hand in at the same path.
        """
        if self.person and other.person:
            return self.person == other.person
        if self.source and self.source == other.source:
            return True
        return self.mark != "" and self.mark == other.mark

    def text(self) -> str:
        """Return the content of its file."""
        table = {"format": file_formats.SUBMISSION.number} | asdict(self)
        return json.dumps(table, ensure_ascii=False) + "\n"


def read(path: Path) -> Note:
    """Return the note in a file.

    OSError or ValueError when it is damaged, ArenaError when a newer arena wrote it.
    """
    table = json.loads(shared_folders.read(path))
    if not isinstance(table, dict):
        raise ValueError("expected a table")  # noqa: TRY004 (callers expect this error)
    file_formats.SUBMISSION.check(table.get("format", 1), f"{path}: its format")
    if "format" not in table:
        table["digest"] = ""
    values: dict[str, Any] = {}
    for field in fields(Note):
        if field.name not in table:
            continue
        value = table[field.name]
        kind: type = str
        if field.name == "number":
            kind = int
        if not isinstance(value, kind):
            raise ValueError("expected a number and texts")  # noqa: TRY004 (as above)
        values[field.name] = value
    return Note(**values)


def display_of(bots: Path, name: str, digest: str) -> str:
    """Return the display name of the version with this digest, or of the newest version.

    Return an empty text where no version is known.
    """
    displays: dict[int, str] = {}
    for folder in (bots / VERSIONS / name).glob("[0-9]*"):
        try:
            note = read(folder / NOTE)
        except (OSError, ValueError):
            continue  # the next `arena submit` or `arena bots` reports it
        if note.digest == digest:
            return note.display
        displays[note.number] = note.display
    if not displays:
        return ""
    newest = max(displays)
    return displays[newest]
