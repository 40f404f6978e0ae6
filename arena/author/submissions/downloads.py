"""The names of files in the downloads of learning platforms: their author, time and own name.

A platform is a pattern in `PLATFORMS`, and a new one is a new row. Only names are read here:
people.py knows who has such a name, and requests.py decides which files are one bot.
"""

# The author chooses the end of such a name, and could write there what another platform puts in
# front of the name of somebody else. So one platform is chosen for a whole download: the platform
# by which the download has most authors. Ties are broken by the number of names that fit, and then
# by the platform whose part of the names ends first.

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
        r"(?P<who>(?P<name>.+?)_(?P<number>[0-9]{1,20}))_assignsubmission_"
        r"(?:onlinetext.*|file_?(?P<file>.*))"
    ),
    # leeann_12345_678910_bot.py, leeann_LATE_12345_678910_bot-1.py: user and file; typed text:
    # leeann_12345_text.html
    "Canvas": r"(?P<name>[^\W_]\w*?)_(?:LATE_)?(?P<id>[0-9]{1,20})_"
    r"(?:(?P<order>[0-9]{1,20})_(?P<file>.+)|(?:text|link)(?:\.html)?)",
}
"""A pattern of a whole name for each platform. A name without `file` is that of a file which the
platform made, not the author."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """What the name of a submitted file says."""

    name: str
    """The name to show: that of its author, or of the bot."""
    marks: tuple[tuple[str, ...], ...] = ()
    """Texts that name its author. A mark may have several readings: the first that fits a person
    counts."""
    who: str = ""
    """The platform's name of its author: the same for all files of that author, and for nobody
    else's; empty = unknown."""
    time: str = ""
    order: int = 0
    file: str | None = ""
    """The name that its author gave it; empty = unknown; None = the platform made the file."""


def labels_of(filenames: Sequence[str]) -> list[Label]:
    """Return the label of each file of a download, or of one file alone."""
    matches_of: dict[str, list[re.Match[str] | None]] = {}
    for platform, pattern in PLATFORMS.items():
        compiled = re.compile(pattern, re.DOTALL)
        matches_of[platform] = [compiled.fullmatch(name) for name in filenames]

    def rank(platform: str) -> tuple[int, int, int]:
        authors: set[str] = set()
        count = 0
        starts = 0
        for match in matches_of[platform]:
            if match is None:
                continue
            count += 1
            label = _label(platform, match)
            authors.add(label.who)
            if match["file"]:
                starts += match.start("file")
        return len(authors), count, -starts

    platform = max(matches_of, key=rank)
    labels: list[Label] = []
    for name, match in zip(filenames, matches_of[platform], strict=True):
        if match is None:
            labels.append(_loose(name))
        else:
            labels.append(_label(platform, match))
    return labels


def label_of(filename: str) -> Label:
    """Return the label of one file."""
    (label,) = labels_of([filename])
    return label


def _label(platform: str, match: re.Match[str]) -> Label:
    fields = match.groupdict()
    file = fields["file"]
    if platform == "Blackboard":
        # The names of assignment and user may both have underscores, so the user may be any end of
        # it. The longest end that is a known user counts.
        parts = fields["who"].split("_")
        users: list[str] = []
        for start in range(len(parts)):
            users.append("_".join(parts[start:]))
        return Label(
            name=parts[-1],
            marks=(tuple(users),),
            who=fields["who"],
            time=fields["time"],
            file=file,
        )
    name = fields["name"]
    if platform == "Moodle":
        # The number is no id of the person: it is the `Identifier` of Moodle's own grading
        # worksheet.
        participant = f"participant {fields['number']}"
        return Label(
            name=name,
            marks=((participant,), (name,)),
            who=fields["who"],
            file=file,
        )
    return Label(
        name=name,
        marks=((fields["id"],), (name,)),
        who=f"{name}_{fields['id']}",
        order=int(fields["order"] or 0),
        file=file,
    )


def _loose(filename: str) -> Label:
    """Return the label of a file that somebody named by its author's id, e-mail or name.

    More may stand behind these. Behind the first underscore only an e-mail address counts, and an
    id with a digit: a file `anti_bob` is not Bob's.
    """
    first, *parts = filename.split("_")
    marks: list[tuple[str, ...]] = [(filename, first)]
    for part in parts:
        has_digit = any(letter.isdigit() for letter in part)
        if "@" in part or has_digit:
            marks.append((part,))
    return Label(name=filename, marks=tuple(marks))
