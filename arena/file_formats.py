"""The formats of the files that arena stores: each has a number, which is in the file.

A new number is a line here, and a way to read the older ones; docs/releasing.md ("What is stored")
has the promise. It knows no file: those who read one ask for the number in it first, before
anything else of it can be a mistake.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.errors import ArenaError


@dataclass(frozen=True)
class FileFormat:
    """The formats of one kind of file."""

    versions: Mapping[int, str]
    """The formats that this arena reads, and the version of arena that first wrote each; it writes
    the last."""

    @property
    def number(self) -> int:
        """The format that this arena writes."""
        return max(self.versions)

    def check(self, found: object, where: str, remedy: str = "") -> None:
        """Raise ArenaError unless this arena reads a format.

        The error begins with `where` and ends with `remedy`.
        """
        reason = self.refusal(found)
        if reason is not None:
            raise ArenaError(f"{where} {reason}{remedy}")

    def refusal(self, found: object) -> str | None:
        """Return why this arena does not read a format, as words behind `its format`.

        Return None where it does. What is no whole number is no format of a file that arena wrote.
        """
        if type(found) is int and found in self.versions:
            return None
        first = min(self.versions)
        last = max(self.versions)
        if type(found) is int and found < first:
            return (
                f"is {found}, from before arena {self.versions[first]}: "
                "only the arena that wrote it reads it"
            )
        reads = f"{first} to {last}"
        if first == last:
            reads = str(last)
        return f"is {str(found)[:40]}, and this arena reads {reads}: upgrade arena"


# A file without a number has the first format, where a kind of file is older than its number and
# means the same.
ARCHIVE = FileFormat({8: "0.2.0"})
"""event.sqlite: its tables, and the meaning of a packed record."""
MATCH_TEXT = FileFormat({2: "0.2.0"})
"""The digests of positions in a text mean another thing than those of format 1."""
TOURNAMENT = FileFormat({1: "0.2.0"})
SUBMISSION = FileFormat({1: "0.2.0"})
"""The note beside a submission, and where its files are."""
ACCOUNTS = FileFormat({1: "0.2.0"})
LESSONS = FileFormat({1: "0.2.0"})
COMMITMENT = FileFormat({1: "0.2.0"})
"""Without a number it is of format 0, as its digests were made in another way."""
CLIMB = FileFormat({1: "0.2.0"})
TUNING = FileFormat({1: "0.2.0"})
TAPE = FileFormat({1: "0.2.0", 2: "0.2.0"})
"""Format 1 has no names of models: its event had a single one."""
