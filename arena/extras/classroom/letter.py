"""Letters to authors, ready to be sent.

They are plain text without control characters, and may quote what a bot wrote.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path

from arena import whole_files
from arena.author.submissions import SubmissionDecision
from arena.errors import writing
from arena.event.discovery import names
from arena.protocol import clean

LONGEST_LINE = 1000  # characters
ACCEPTED = "Your bot takes part: {words}."
REFUSED = """\
Your bot was not taken in, and does not play. Mend what follows, then hand it in again.

{reasons}

`arena check {file}` tries it as it was tried here."""


def letter(
    name: str,
    email: str,
    subject: str,
    body: str,
) -> bytes:
    """Return a letter in UTF-8. The name and the subject may have line ends; they stay one line."""
    to = name
    if email:
        to = f"{name} <{email}>"
    text = f"To: {clean(to)}\nSubject: {clean(subject)}\n\nHello {clean(name)},\n\n{body}"
    printable = ""
    for line in text.split("\n"):
        for char in line[:LONGEST_LINE]:
            if char.isprintable():
                printable += char
            else:
                printable += ascii(char)[1:-1]
        printable += "\n"
    return printable.encode("utf-8")


def write(decisions: Iterable[SubmissionDecision], folder: Path) -> None:
    """Write `NAME.txt` for each decision, over an older one.

    Raise ArenaError when the folder cannot be written.
    """
    used: set[str] = set()
    with writing(folder):
        whole_files.make_folder(folder)
        for decision in decisions:
            bot = decision.name
            if decision.where is not None:
                bot = decision.where.parent.name
            name = names.distinct(bot, used)
            template = ACCEPTED
            if decision.reasons:
                template = REFUSED
            file = clean(decision.request.file)  # its author may have put line ends into it
            body = template.format(
                words=decision.words,
                reasons=decision.reasons,
                file=shlex.quote(file),
            )
            subject = f"your bot {file}: {decision.status}"
            content = letter(decision.note.display, decision.note.email, subject, body)
            whole_files.write(folder / f"{name}.txt", content)
