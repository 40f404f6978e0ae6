"""`arena submit --feedback`: a letter for each author, ready to be sent.

A letter may quote anything that a bot wrote; it is plain text without control characters.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from arena import whole_files
from arena.cli import output, paths
from arena.errors import writing

if TYPE_CHECKING:
    from arena.author.submissions import Decision

ACCEPTED = "Your bot takes part: {words}."
REFUSED = """\
Your bot was not taken in, and does not play. Mend what follows, then hand it in again.

{reasons}

`arena check {file}` tries it as it was tried here."""


def write(decisions: "Iterable[Decision]", folder: Path) -> None:
    """Write `NAME.txt` for each decision, over an older one; ArenaError when the folder cannot be written."""
    used: set[str] = set()
    with writing(folder):
        whole_files.make_folder(folder)
        for decision in decisions:
            name = paths.distinct(decision.where.parent.name if decision.where else decision.name, used)
            whole_files.write(folder / f"{name}.txt", _letter(decision).encode("utf-8", "backslashreplace"))


def _letter(decision: "Decision") -> str:
    note = decision.note
    to = f"{note.display} <{note.email}>" if note.email else note.display
    file = output.safe_line(decision.file)  # its author may have put line ends into it
    body = (REFUSED if decision.reasons else ACCEPTED).format(
        words=decision.words, reasons=decision.reasons, file=shlex.quote(file)
    )
    head = f"To: {to}\nSubject: your bot {file}: {decision.status}\n\nHello {note.display},\n"
    return output.safe_lines(f"{head}\n{body}\n")
