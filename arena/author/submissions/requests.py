"""Requests, one for each bot that was handed in: a file, a folder, or the download of a class.

It looks at names and times, unpacks the download of a class, and copies nothing else. A person has
one bot: only the newest of several attempts counts. Several files of one attempt are one bot if one
of them is the program of a bot in a folder.
"""

import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
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
        if self.name is not None:
            return self.name
        return self.label.name

    @property
    def file(self) -> str:
        """The name that its author knows."""
        return self.label.file or self.path.name


def request(
    path: Path,
    name: str | None = None,
    *,
    replaces: bool = False,
) -> Request:
    """Return the request of a bot that is handed in alone."""
    called = name
    if called is None:
        called = name_of(path)
    return Request(
        path=path,
        name=name,
        label=label_of(called),
        source=_full(path),
        replaces=replaces,
    )


def class_of(
    folder: Path,
    people: People | None = None,
    *,
    every: bool = False,
    replaces: bool = False,
    source: Path | None = None,
) -> list[Request]:
    """Return a request for the bot of each person in a class's folder, in order of name.

    With `every`, return a request for each bot of each person. `source` is the archive that the
    folder was unpacked from.
    """
    people = people or People()
    by_author: dict[_Author, list[Request]] = {}
    for entry in _labelled(folder, people):
        author = _author(entry, people)
        by_author.setdefault(author, []).append(entry)

    same_name: dict[str, list[Path]] = {}
    """The files whose author nobody knows, by the name of their bots."""
    for author in by_author:
        if isinstance(author, Path):
            same_name.setdefault(_folded(author), []).append(author)

    root = source or folder
    requests: list[Request] = []
    for author, entries in by_author.items():
        rivals: tuple[Path, ...] = ()
        if isinstance(author, Path):
            namesakes = same_name[_folded(author)]
            rivals = tuple(path for path in namesakes if path != author)
        bots = _bots(entries)
        older: tuple[Path, ...] = ()
        if not every:
            older = tuple(bot.path for bot in bots[:-1])
            bots = bots[-1:]
        for bot in bots:
            origin = _full(root / bot.path.relative_to(folder))
            complete = replace(
                bot,
                older=older,
                rivals=rivals,
                replaces=replaces,
                source=origin,
            )
            requests.append(complete)
    return requests


_Author = tuple[str, str] | Path
"""A person's id or the name that the platform gives, with the kind of it; or a file whose author
nobody knows."""


def _author(entry: Request, people: People) -> _Author:
    person = people.author(entry.label)
    if person is not None:
        return "person", person.id
    if entry.label.who:
        return "platform", entry.label.who
    return entry.path


def is_class(folder: Path) -> bool:
    """Return whether a folder is one of submissions, and no bot itself."""
    return folder.is_dir() and not discovery.is_program(folder)


def class_in(archive: Path, people: People, target: Path) -> Path | None:
    """Unpack an archive to the free path `target`; return the folder of its class, if it has one.

    It has a class if a learning platform made it, or if a file in it is called after a person. An
    archive that cannot be unpacked counts as one bot.
    """
    try:
        unpack(archive, target, bots=MOST_BOTS)
    except ArenaError:
        return None  # it is refused as one bot, with the reason
    paths = _entries(target)
    while len(paths) == 1:
        (only_path,) = paths
        if not only_path.is_dir() or _is_known(paths, people):
            break
        target = only_path
        paths = _entries(target)
    if discovery.is_program(target) or not _is_known(paths, people):
        return None
    return target


def _is_known(paths: Sequence[Path], people: People) -> bool:
    """Return whether the name of a path is of a learning platform, or is that of a person."""
    labels = labels_of([path.name for path in paths])
    labels += [label_of(name_of(path)) for path in paths]
    return any(label.who or people.author(label) for label in labels)


def packed_as(path: Path) -> str | None:
    """Return the ending of an archive; None for any other file."""
    for ending in PACKED:
        if path.name.lower().endswith(ending):
            return ending
    return None


def name_of(path: Path) -> str:
    """Return the name of a submission that nobody named: its file without ending."""
    if path.is_dir() and not path.is_symlink():
        return Path(_full(path)).name
    ending = packed_as(path) or path.suffix
    if not ending:
        return path.name
    return path.name[: -len(ending)]


def _age(request: Request) -> tuple[str, int, int, str]:
    """Return a key that is higher for a newer file, by the platform or else by the file's time."""
    return (
        request.label.time,
        request.label.order,
        os.lstat(request.path).st_mtime_ns,
        request.path.name,
    )


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, without what belongs to no submission."""
    entries: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT or discovery.is_skipped(path.name):
            continue
        entries.append(path)
    return entries


def _labelled(folder: Path, people: People) -> list[Request]:
    """Return the files of a class.

    The label of a file that no platform named is its name without the ending. Labels have no marks
    if the platform distinguishes two people who are one in `people`.
    """
    paths = _entries(folder)
    platform_labels = labels_of([path.name for path in paths])
    authors: dict[str, Person | None] = {}
    """For each name that the platform gives: the person with that name."""
    labels: list[Label] = []
    for path, platform_label in zip(paths, platform_labels, strict=True):
        label = platform_label
        if label.who:
            authors[label.who] = people.author(label)
        else:
            label = label_of(name_of(path))
        labels.append(label)

    names_of_person = Counter(person for person in authors.values() if person is not None)
    requests: list[Request] = []
    for path, file_label in zip(paths, labels, strict=True):
        label = file_label
        person = authors.get(label.who)
        if person is not None and names_of_person[person] > 1:
            label = replace(label, marks=())
        requests.append(Request(path=path, label=label))
    return requests


def _bots(entries: Collection[Request]) -> list[Request]:
    """Return the bots of one author, the newest last: one an attempt, or one a program in it."""
    attempts: dict[str | Path, list[Request]] = {}
    for entry in sorted(entries, key=_age):
        attempt: str | Path = entry.path
        if entry.label.who:
            attempt = entry.label.time
        attempts.setdefault(attempt, []).append(entry)

    bots: list[Request] = []
    for attempt_entries in attempts.values():
        bots += _bots_of_attempt(attempt_entries)
    if not bots:
        newest = max(entries, key=_age)
        return [replace(newest, refusal=TYPED)]
    return bots


def _bots_of_attempt(entries: Iterable[Request]) -> list[Request]:
    """Return the bots in the files of one attempt, the newest last."""
    replaced: list[Request] = []
    files: dict[str, Request] = {}
    for entry in entries:
        if entry.label.file is None:
            continue
        name = _own_name(entry)
        if name in files:
            replaced.append(files.pop(name))
        files[name] = entry

    newest = list(files.values())[-1:]
    has_main = any(discovery.begins(name) for name in files)
    if len(files) > 1 and has_main:
        paths = {name: entry.path for name, entry in files.items()}
        bot_of_files = replace(newest[0], files=paths)
        return [*replaced, bot_of_files]
    programs = [entry for entry in files.values() if may_be_program(entry.path)]
    return replaced + (programs or newest)


def may_be_program(path: Path) -> bool:
    """Return whether a file or folder may be a bot by itself."""
    if path.is_dir():
        return True
    if packed_as(path) or discovery.is_source(path.name):
        return True
    return os.access(path, os.X_OK)


def _own_name(entry: Request) -> str:
    """Return the name of a file in its bot, without the number that Canvas adds to a repeat."""
    name = entry.label.file or entry.path.name
    if entry.label.order and discovery.is_source(name):
        stem, hyphen, number = Path(name).stem.rpartition("-")
        if stem and hyphen and number.isdecimal():
            name = stem + Path(name).suffix
    if name in {".", ".."}:
        return "bot"
    return name


def _folded(path: Path) -> str:
    """Return a submission's name, the same for names that differ only in case or composition."""
    return unicodedata.normalize("NFC", name_of(path)).casefold()


def _full(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (gives `.` its name, and follows no link)
