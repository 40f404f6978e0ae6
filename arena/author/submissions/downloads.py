"""The names of files in the downloads of learning platforms: whose a file is, when it came, and its own name.

A platform is a pattern in `PLATFORMS`, and a new one is a new row. Only names are read here:
people.py knows who is called so, and requests.py decides which files are one bot.
"""

# The author chooses the end of such a name, and could write there what another platform puts in
# front of the name of somebody else. So one platform is chosen for a whole download: the one that
# tells most people apart in it; among equals the one whose own part ends first.

import re
from collections.abc import Sequence
from dataclasses import dataclass

PLATFORMS = {
    # Homework 1_ann_attempt_2026-10-01-12-00-00_bot.py, with a receipt beside it:
    # ..._2026-10-01-12-00-00.txt
    "Blackboard": (
        r"(?P<who>.+?)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:\.txt|_(?P<file>.+)|)"
    ),
    # Ann Lee_1234567_assignsubmission_file_bot.py, or a folder without the last word;
    # ..._onlinetext is typed text
    "Moodle": (
        r"(?P<who>(?P<name>.+?)_(?P<number>[0-9]{1,20}))_assignsubmission_(?:onlinetext.*|file_?(?P<file>.*))"
    ),
    # leeann_12345_678910_bot.py, leeann_LATE_12345_678910_bot-1.py: user and file; typed text:
    # leeann_12345_text.html
    "Canvas": r"(?P<name>[^\W_]\w*?)_(?:LATE_)?(?P<id>[0-9]{1,20})_"
    r"(?:(?P<order>[0-9]{1,20})_(?P<file>.+)|(?:text|link)(?:\.html)?)",
}
"""A pattern of a whole name for each platform. Without `file` the platform made the file, and not the author."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """What the name of a submitted file says."""

    name: str
    """The name of its author, else of the bot, to show."""
    marks: tuple[tuple[str, ...], ...] = ()
    """Texts that name its author; of the readings of one mark the first that anybody has counts."""
    who: str = ""
    """What the platform calls its author: the same for all of their files, and for nobody else's; empty = unknown."""
    time: str = ""
    order: int = 0
    file: str | None = ""
    """The name that its author gave it; empty = unknown; None = the platform made it, and not its author."""


def labels_of(called: Sequence[str]) -> list[Label]:
    """Return the label of each file of a download, or of one file alone."""
    found = {
        platform: [re.fullmatch(pattern, name, re.DOTALL) for name in called]
        for platform, pattern in PLATFORMS.items()
    }

    def rank(platform: str) -> tuple[int, int, float]:
        matches = [match for match in found[platform] if match]
        authors = {_label(platform, match).who for match in matches}
        return (
            len(authors),
            len(matches),
            -sum(match.start("file") for match in matches if match["file"]),
        )

    platform = max(found, key=rank)
    return [
        _label(platform, match) if match else _loose(name)
        for name, match in zip(called, found[platform], strict=True)
    ]


def label_of(called: str) -> Label:
    """Return the label of one file."""
    (label,) = labels_of([called])
    return label


def _label(platform: str, match: re.Match[str]) -> Label:
    fields = match.groupdict()
    time, order, file = fields.get("time") or "", int(fields.get("order") or 0), fields["file"]
    if platform == "Blackboard":
        # Assignment and user may both have underscores, so the user is any end of it: the longest
        # that is known counts.
        words = fields["who"].split("_")
        users = tuple("_".join(words[start:]) for start in range(len(words)))
        return Label(name=words[-1], marks=(users,), who=fields["who"], time=time, file=file)
    if platform == "Moodle":
        # The number is no id of the person: it is the `Identifier` of Moodle's own grading
        # worksheet.
        marks = ((f"participant {fields['number']}",), (fields["name"],))
        return Label(name=fields["name"], marks=marks, who=fields["who"], file=file)
    who = f"{fields['name']}_{fields['id']}"
    return Label(
        name=fields["name"],
        marks=((fields["id"],), (fields["name"],)),
        who=who,
        order=order,
        file=file,
    )


def _loose(called: str) -> Label:
    """Return the label of a file that somebody named: its author's id, e-mail or name, perhaps with more behind it.

    Behind the first underscore only an e-mail address counts, and an id with a digit: a file
    `anti_bob` is not Bob's.
    """
    first, *others = called.split("_")
    marks = [part for part in others if "@" in part or any(map(str.isdigit, part))]
    return Label(name=called, marks=((called, first), *((mark,) for mark in marks)))
