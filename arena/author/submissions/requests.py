"""What was handed in -> requests, one for each bot: a file, a folder, or the download of a whole class.

It looks at names and times, unpacks the download of a class, and copies nothing else. A person has
one bot: of several attempts the newest counts, and several files of one attempt are one bot where
one of them is a program that such a folder may have.
"""

import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.author.submissions.downloads import Label, label_of, labels_of
from arena.author.submissions.people import People, Person
from arena.author.submissions.unpacking import unpack
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery.files import LEFT_OUT
from arena.event.discovery.programs import PACKED

TYPED = (
    "only a text came with it, which was typed into the learning platform, and no file: hand in "
    "the program as a file"
)
MOST_BOTS = 20
"""An archive of a whole class may hold this multiple of what one bot may."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One bot that somebody hands in."""

    path: Path
    name: str | None = None
    """The name that the organiser gives it; None = it is called after its author or its file."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """The files that are one bot, by their names in it; empty = all is at `path`."""
    label: Label = Label(name="")
    person: Person | None = None
    """Its author, if that is certain; None = as far as the label says it."""
    source: str = ""
    """Where it comes from, in full, also if it was unpacked elsewhere."""
    rivals: tuple[Path, ...] = ()
    """Other files of the same name that were handed in with it."""
    older: tuple[Path, ...] = ()
    """Earlier files of the same person, which do not count."""
    refusal: str = ""
    """The reason to refuse it, whatever is in it."""
    replaces: bool = False
    """True if it may replace a bot of the same name that came from elsewhere."""

    @property
    def called(self) -> str:
        """Its name, as people write it."""
        return self.label.name if self.name is None else self.name

    @property
    def file(self) -> str:
        """The name that its author knows."""
        return self.label.file or self.path.name


def request(path: Path, name: str | None = None, *, replaces: bool = False) -> Request:
    """Return the request of a bot that is handed in alone."""
    label = label_of(name_of(path) if name is None else name)
    return Request(path=path, name=name, label=label, source=_full(path), replaces=replaces)


def class_of(
    folder: Path,
    people: People | None = None,
    *,
    every: bool = False,
    replaces: bool = False,
    source: Path | None = None,
) -> list[Request]:
    """Return a request for each person's bot in a class's folder, in order of name; or `every` bot of each person.

    `source` is the archive that the folder was unpacked from.
    """
    people = people or People()
    by_author: dict[object, list[Request]] = {}
    for entry in _labelled(folder, people):
        person, who = people.author(entry.label), entry.label.who
        author: object = (
            ("person", person.id)
            if person is not None
            else ("platform", who)
            if who
            else entry.path
        )
        by_author.setdefault(author, []).append(entry)
    same_name: dict[str, list[Path]] = {}
    for author in by_author:
        if isinstance(author, Path):
            same_name.setdefault(_folded(author), []).append(author)
    requests = []
    for author, handed_in in by_author.items():
        bots = _bots(handed_in)
        older = () if every else tuple(bot.path for bot in bots[:-1])
        for bot in bots[len(older) :]:
            others = same_name[_folded(author)] if isinstance(author, Path) else ()
            rivals = tuple(path for path in others if path != author)
            origin = _full((source or folder) / bot.path.relative_to(folder))
            requests.append(
                replace(bot, older=older, rivals=rivals, replaces=replaces, source=origin)
            )
    return requests


def is_class(folder: Path) -> bool:
    """Return whether a folder is one of submissions, and no bot itself."""
    return folder.is_dir() and not discovery.is_program(folder)


def class_in(archive: Path, people: People, target: Path) -> Path | None:
    """Unpack an archive to the free path `target`; return the folder of the class in it, or None if it has one bot.

    It has a class if a learning platform made it, or if a file in it is called after a person. An
    archive that cannot be unpacked counts as one bot.
    """
    try:
        unpack(archive, target, bots=MOST_BOTS)
    except ArenaError:
        return None  # it is refused as one bot, with the reason
    while (
        len(paths := _entries(target)) == 1
        and paths[0].is_dir()
        and not _is_known([paths[0]], people)
    ):
        (target,) = paths
    return target if not discovery.is_program(target) and _is_known(paths, people) else None


def _is_known(paths: Sequence[Path], people: People) -> bool:
    labels = [
        *labels_of([path.name for path in paths]),
        *(label_of(name_of(path)) for path in paths),
    ]
    return any(label.who or people.author(label) for label in labels)


def packed_as(path: Path) -> str | None:
    """Return the ending of an archive; None for everything else."""
    return next((ending for ending in PACKED if path.name.lower().endswith(ending)), None)


def name_of(path: Path) -> str:
    """Return the name of a submission that nobody named: its file without ending."""
    if path.is_dir() and not path.is_symlink():
        return Path(_full(path)).name
    ending = packed_as(path) or path.suffix
    return path.name[: -len(ending)] if ending else path.name


def _age(request: Request) -> tuple[str, int, int, str]:
    """Return the key that is higher for a newer file: the platform's word, else the file's own time."""
    return (
        request.label.time,
        request.label.order,
        os.lstat(request.path).st_mtime_ns,
        request.path.name,
    )


def _entries(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.iterdir())
        if not discovery.is_skipped(path.name) and path.name not in LEFT_OUT
    ]


def _labelled(folder: Path, people: People) -> list[Request]:
    """Return the files of a class; the label of one that no platform named is its name without the ending.

    Labels have no marks where the platform tells two people apart who are one in `people`.
    """
    paths = _entries(folder)
    labels = labels_of([path.name for path in paths])
    labels = [
        label if label.who else label_of(name_of(path))
        for path, label in zip(paths, labels, strict=True)
    ]
    authors = {label.who: people.author(label) for label in labels if label.who}
    shared = [
        person
        for person, count in Counter(authors.values()).items()
        if person is not None and count > 1
    ]
    return [
        Request(
            path=path, label=replace(label, marks=()) if authors.get(label.who) in shared else label
        )
        for path, label in zip(paths, labels, strict=True)
    ]


def _bots(handed_in: Collection[Request]) -> list[Request]:
    """Return the bots of one author, the newest last: one for each attempt, or for each program in it."""
    attempts: dict[object, list[Request]] = {}
    for entry in sorted(handed_in, key=_age):
        attempts.setdefault(entry.label.time if entry.label.who else entry.path, []).append(entry)
    bots: list[Request] = []
    for attempt in attempts.values():
        files: dict[str, Request] = {}
        for entry in attempt:
            if entry.label.file is None:
                continue
            if (earlier := files.pop(name := _own_name(entry), None)) is not None:
                bots.append(earlier)
            files[name] = entry
        newest = [*files.values()][-1:]
        if any(discovery.begins(name) for name in files) and len(files) > 1:
            bots.append(
                replace(newest[0], files={name: entry.path for name, entry in files.items()})
            )
            continue
        programs = [
            entry
            for entry in files.values()
            if entry.path.is_dir()
            or packed_as(entry.path)
            or discovery.is_source(entry.path.name)
            or os.access(entry.path, os.X_OK)
        ]
        bots += programs or newest
    return bots or [replace(max(handed_in, key=_age), refusal=TYPED)]


def _own_name(entry: Request) -> str:
    """Return the name of a file in its bot, without the number that Canvas gives to a file that comes again."""
    name = entry.label.file or entry.path.name
    stem, hyphen, number = Path(name).stem.rpartition("-")
    if entry.label.order and hyphen and stem and number.isdecimal() and discovery.is_source(name):
        name = stem + Path(name).suffix
    return name if name not in {".", ".."} else "bot"


def _folded(path: Path) -> str:
    """Return the name of a submission, the same for names that differ only in case or composition."""
    return unicodedata.normalize("NFC", name_of(path)).casefold()


def _full(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (gives `.` its name, and follows no link)
