"""Submissions: copy a bot, name it, have it examined, and keep it as a version; or refuse it with a reason.

It decides the order of the steps, and words the messages. requests.py says what is one bot and
whose it is, copy_untrusted.py and unpacking.py judge the files of a submission, bot_store.py knows
where bots are on disk, and the caller examines whether a bot plays well enough.
"""

import hashlib
import os
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from itertools import count
from pathlib import Path

from arena.author.submissions.bot_store import BotStore, Version, first_line
from arena.author.submissions.copy_untrusted import Allowance, copy_submission
from arena.author.submissions.people import People, Person
from arena.author.submissions.requests import Request, packed_as
from arena.author.submissions.unpacking import unpack
from arena.errors import ArenaError
from arena.event import bot_folder, discovery
from arena.event.discovery import names
from arena.event.discovery.files import left_out_words
from arena.event.discovery.notes import Note
from arena.values import Bot

MOST_NESTED = 3
"""Archives in archives."""


class SubmissionStatus(StrEnum):
    """How a submission was decided."""

    ACCEPTED = "accepted"
    """It plays from now on."""
    KNOWN = "known"
    """It plays already: nothing has changed."""
    REFUSED = "refused"
    """It is kept apart, with the reason."""


@dataclass(frozen=True, kw_only=True)
class SubmissionDecision:
    """The decision about a request."""

    request: Request
    name: str
    status: SubmissionStatus
    words: str
    """The reason, in a line; it may quote text of strangers."""
    note: Note
    """Its author, with the name to show, and its source."""
    reasons: str = ""
    """Of a refused one: all reasons, in full."""
    bot: Bot | None = None
    version: int | None = None
    where: Path | None = None
    """The file with the reasons."""


Examine = Callable[[Iterable[Bot]], Iterator[tuple[str, ...]]]
"""Yields the faults of each bot, in their order, a paragraph each; none = it is fit to play."""


@dataclass(kw_only=True)
class _Candidate:
    """A submission in progress: copied, named, and perhaps to be examined."""

    request: Request
    note: Note
    folder: Path
    """A new folder for it alone."""
    name: str
    faults: list[str] = field(default_factory=list)
    """The reasons to refuse it, a paragraph each."""
    copy: Path | None = None
    bot: Bot | None = None
    version: Version | None = None
    """The earlier version that is the same bot."""
    left_out: tuple[str, ...] = ()
    """What was left out of it though its author may count on it."""
    plays: bool = False
    """True if it is the bot that plays already."""


class Submissions:
    """Submissions to one workspace."""

    def __init__(
        self,
        store: BotStore,
        examine: Examine,
        reserved: Collection[str] = (),
        people: People | None = None,
    ) -> None:
        """`reserved` are names that no submission may have."""
        self._store, self._examine, self._people = store, examine, people or People()
        self._reserved = {name.lower() for name in reserved}
        self._sources: dict[str, str] = {}
        """The source of each submission so far, by its name in lower case."""
        self._last_notes: dict[str, Note] = {}
        """The note of the last version of each bot that was submitted, as it was before these submissions."""

    def submit_all(self, requests: Iterable[Request]) -> Generator[SubmissionDecision]:
        """Accept bots, or refuse them; yield a decision for each, in order, as soon as it is decided.

        A caller that stops early leaves the other requests undecided.
        """
        with self._store.changing():
            for name in self._store.names():
                version = self._store.last_submitted(name)
                if version is not None:
                    self._last_notes[name] = version.note
            candidates = [self._prepare(request) for request in requests]
            faults = self._examine(
                [each.bot for each in candidates if each.bot is not None and each.version is None]
            )
            for candidate in candidates:
                if candidate.bot is not None and candidate.version is None:
                    candidate.faults += next(faults)
                yield self._decide(candidate)

    def _prepare(self, request: Request) -> _Candidate:
        """Copy a submission, name it, and collect the faults that show before it is examined."""
        person = request.person or self._people.author(request.label)
        note = Note(
            display=names.display(person.name if person else request.called) or "bot",
            email=person.email if person else "",
            person=person.id if person else "",
            source=request.source,
            mark=request.label.who,
        )
        folder = self._store.new_folder()
        candidate = _Candidate(
            request=request, note=note, folder=folder, name=names.safe(note.display)
        )
        try:
            candidate.name = self._name(request, note, person)
            self._sources[candidate.name.lower()] = note.source
            self._shown_names.add(note.display)
        except ArenaError as error:
            candidate.faults.append(str(error))
        try:
            candidate.copy, candidate.left_out = _copy_in(request, candidate.name, folder)
            if request.refusal:
                raise ArenaError(request.refusal)
            candidate.bot = discovery.from_path(candidate.copy, candidate.name)
            if not candidate.faults:
                self._compare(candidate, candidate.bot)
        except ArenaError as error:
            candidate.faults.append(
                error.seen_from(folder, folder.absolute())
            )  # its author knows no such folder
        return candidate

    def _name(self, request: Request, note: Note, person: Person | None) -> str:
        """Return the bot's name: as it is called if a bot may have that name, else a safe one that is free."""
        called = request.called
        if request.name is not None and (
            "/" in called or not called.isprintable() or not called.strip(" .-")
        ):
            discovery.checked(called, Path(request.path.name))
        if request.rivals:
            both = " and ".join(sorted(path.name for path in (request.path, *request.rivals)))
            raise ArenaError(f"{both} have one name, and case makes no difference: rename one")
        if not names.display(called):
            raise ArenaError(f"{called!a} has no letter that anybody sees: give the file a name")
        if person is None:
            cure = "rename the file, or take it under another name, --as NAME"
            names.refuse_look_alike(note.display, self._shown_names, cure)
        may_be_called = discovery.may_be_called(called) and not discovery.is_skipped(called)
        versions = self._store.versions(called) if may_be_called else ()
        is_anothers = versions and not any(
            version.note.display == called or self._is_authors(version.note, note)
            for version in versions
        )
        named_by_author = request.name is None and (
            person is not None or request.label.who or is_anothers
        )
        if named_by_author or not may_be_called:
            return self._free(names.safe(note.display), note)
        if called.lower() in self._reserved:
            raise ArenaError(
                f"{called!r} is a [[bot]] of tournament.toml: submit it under another name, --as "
                "NAME"
            )
        for known in self._store.names():
            if known.lower() == called.lower() and known != called:
                raise ArenaError(
                    f"{known!r} is a bot here, and case makes no difference: say --as {known}, or "
                    "rename it"
                )
        return called

    @cached_property
    def _shown_names(self) -> set[str]:
        """The names that tables show, also of each submission so far, and those of people."""
        shown = {name: name for name in (*self._reserved, *self._store.names())}
        shown |= {
            name: version.note.display
            for name in shown
            for version in self._store.versions(name)[-1:]
        }
        return {*shown.values(), *(person.name for person in self._people)}

    def _free(self, base: str, note: Note) -> str:
        """Return the name, with a number if another author has it; the same author gets the same name again.

        That holds also for an author who was called otherwise then.
        """
        for name in self._owned(base, note):
            if self._may_take(name, note):
                return name
        known = {name.lower(): name for name in self._store.names()}
        free = ""
        for number in count(1):
            name = base if number == 1 else names.numbered(base, number)
            if not self._may_take(name, note):
                continue
            if name.lower() not in known:
                return free or name
            versions = self._store.versions(known[name.lower()])
            if any(self._is_authors(version.note, note) for version in versions):
                return known[name.lower()]
            # Perhaps the same author: two people of one name differ in what a later one of these
            # bots says of them.
            if not note.person and any(
                version.note.display == note.display for version in versions
            ):
                free = free or known[name.lower()]
        raise AssertionError

    def _may_take(self, name: str, note: Note) -> bool:
        """Return whether the name is no [[bot]] and no skipped file, and no other submission has got it just now."""
        if name.lower() in self._reserved or discovery.is_skipped(name):
            return False
        return self._sources.get(name.lower(), note.source) == note.source

    def _owned(self, base: str, note: Note) -> list[str]:
        """Return the bots of a known author: first those that play, and of these first those with this name."""
        if not note.person and not note.mark:
            return []
        owned = [
            name for name, earlier in self._last_notes.items() if self._is_authors(earlier, note)
        ]

        def order(name: str) -> tuple[bool, bool, int, str]:
            is_called_so = name == base or name.startswith(f"{base}-")
            return not self._store.playing(name), not is_called_so, len(name), name

        return sorted(owned, key=order)

    def _is_anothers(self, earlier: Note, note: Note) -> bool:
        """Return whether an earlier submission certainly has another author than the one of a note."""
        are_known = (earlier.person and note.person) or (earlier.mark and note.mark)
        return bool(are_known) and not self._is_authors(earlier, note)

    def _is_authors(self, earlier: Note, note: Note) -> bool:
        """Return whether an earlier submission certainly has the author of a note."""
        if (
            earlier.person and note.person and earlier.person != note.person
        ):  # perhaps an id of an earlier table
            recorded = self._people.recorded(earlier.person, earlier.display, earlier.email)
            return recorded is not None and recorded.id == note.person
        if note.is_same_as(earlier):
            return True
        if not note.person or earlier.person or not earlier.source:
            return False
        person = self._people.named(earlier.display)  # it was submitted before people were known
        return person is not None and person.id == note.person

    def _compare(self, candidate: _Candidate, bot: Bot) -> None:
        """Compare a candidate with the bots of its name; ArenaError if it would replace another author's bot."""
        paths = self._store.playing(bot.name)
        playing = [discovery.from_path(path, bot.name) for path in paths]
        submits_itself = os.path.realpath(candidate.request.path) in {
            os.path.realpath(path) for path in paths
        }
        for old in () if submits_itself else playing:
            if self._store.version_of(old) is None and old.digest != bot.digest:
                raise ArenaError(
                    f"{old.files}: is no version that was submitted, and would be lost: submit "
                    "that first, or take another name, --as NAME"
                )
        candidate.version = self._store.version_of(bot)
        candidate.plays = candidate.version is not None and [old.digest for old in playing] == [
            bot.digest
        ]
        versions = self._store.versions(bot.name)
        if (
            candidate.version is None
            and versions
            and not (submits_itself or candidate.request.replaces)
        ):
            last = versions[-1].note
            if last.source and not any(
                self._is_authors(version.note, candidate.note) for version in versions
            ):
                raise ArenaError(
                    f"{bot.name!r} is a bot here already, from {discovery.shown(last.source)}: if "
                    "this is its next version, say --replace; if it is somebody else's, take "
                    "another name, --as NAME"
                )

    def _decide(self, candidate: _Candidate) -> SubmissionDecision:
        request, note, bot, copy = candidate.request, candidate.note, candidate.bot, candidate.copy
        label = _label(request.path.name if request.rivals else candidate.name)
        decide = partial(SubmissionDecision, request=request, name=candidate.name, note=note)
        if candidate.faults or bot is None or copy is None:
            if candidate.left_out:
                candidate.faults.append(left_out_words(candidate.left_out))
            reasons = "\n\n".join(candidate.faults)
            # Strangers' text must not control a terminal.
            reasons = "\n".join(
                line if line.isprintable() else ascii(line)[1:-1] for line in reasons.split("\n")
            )
            file = self._store.refuse(self._refusal_label(label, note), reasons, copy, note)
            return decide(
                status=SubmissionStatus.REFUSED,
                words=first_line(reasons),
                reasons=reasons,
                where=file,
            )
        status, version = SubmissionStatus.ACCEPTED, candidate.version
        if version is None:
            version = self._store.keep(bot, copy, note)
            text = f"it is version {version.number}"
        else:
            text = f"it was version {version.number}, and plays again"
            if not bot_folder.is_whole(
                version.path, version.digest
            ):  # a power cut may have emptied it
                self._store.restore(version, copy)
            if note.person and self._is_authors(version.note, note):
                self._store.rename_author(version, note)
        if candidate.left_out:
            text += f"; {left_out_words(candidate.left_out)}"
        if candidate.plays:
            status, text = (
                SubmissionStatus.KNOWN,
                f"it is version {version.number}, which plays: nothing has changed",
            )
        else:
            self._store.play(bot.name, version)
        self._store.forgive(
            lambda refusal: (
                self._is_authors(refusal.note, note)
                or (refusal.name == label and not self._is_anothers(refusal.note, note))
            )
        )
        return decide(bot=bot, version=version.number, status=status, words=text)

    def _refusal_label(self, label: str, note: Note) -> str:
        """Return the label, with a number if a refused submission of another author has it."""
        others = {
            refusal.name
            for refusal in self._store.refused()
            if self._is_anothers(refusal.note, note)
        }
        return names.distinct(label, {name.lower() for name in others})


def _copy_in(request: Request, name: str, folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Copy and unpack a submission into `folder`, under its new name; return the new path, and what was left out."""
    path, allowance = request.path, Allowance()
    left_out = allowance.noted
    copy = folder / f".copied{packed_as(path) or path.suffix}"
    if request.files:
        copy = folder / ".copied"
        copy.mkdir(0o755)
        for own_name, path in request.files.items():
            copy_submission(path, copy / own_name, allowance)
    else:
        copy_submission(path, copy, allowance)
    for depth in range(MOST_NESTED):
        copy = _alone(copy)
        if copy.is_symlink() or packed_as(copy) is None or not copy.is_file():
            break
        left_out += unpack(copy, folder / f".unpacked{depth}")
        copy = _alone(folder / f".unpacked{depth}")
    return copy.rename(folder / f"{name}{copy.suffix if copy.is_file() else ''}"), tuple(left_out)


def _alone(copy: Path) -> Path:
    """Return the only file or folder that a folder holds, or its only archive if it is no bot; else the path itself."""
    while copy.is_dir() and not copy.is_symlink() and not (copy / "bot.toml").exists():
        entries = list(copy.iterdir())
        if len(entries) != 1 and not discovery.is_program(copy):
            entries = [entry for entry in entries if packed_as(entry) is not None]
        if len(entries) != 1 or entries[0].is_symlink():
            break
        (copy,) = entries
    return copy


def _label(name: str) -> str:
    """Return a name for the folder of a refused submission, for any name of the submission."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name).lstrip(".-")[:40]
    mark = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return name if plain == name and name else f"{plain or 'bot'}-{mark}"
