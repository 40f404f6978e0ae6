"""Submissions: copy a bot, name it, have it examined, and keep it as a version or refuse it.

It decides the order of the steps, and words the messages, but for those about files that are no
programs: event/discovery/programs.py has them. requests.py says which files are one bot,
and who its author is; copy_untrusted.py and unpacking.py judge the files of a submission;
bot_store.py knows where bots are on disk; and the caller examines whether a bot plays well enough.
"""

import hashlib
import os
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain, count
from pathlib import Path

from arena.author.submissions.bot_store import BotStore, Refusal, Version, first_line
from arena.author.submissions.copy_untrusted import Allowance, copy_submission
from arena.author.submissions.people import People, Person
from arena.author.submissions.requests import Request, may_be_program, packed_as
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
    """All reasons, in full, if it was refused."""
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

    @property
    def new_bot(self) -> Bot | None:
        """The bot to examine; None for a submission without a bot, and for an earlier version."""
        if self.version is not None:
            return None
        return self.bot


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
        self._store = store
        self._examine = examine
        self._people = people or People()
        self._reserved = {name.lower() for name in reserved}
        self._sources: dict[str, str] = {}
        """The source of each submission so far, by its name in lower case."""
        self._last_notes: dict[str, Note] = {}
        """The last note of each bot that was submitted, from before these submissions."""

    def submit_all(self, requests: Iterable[Request]) -> Generator[SubmissionDecision]:
        """Accept bots or refuse them; yield each decision, in order, as soon as it is made.

        A caller that stops early leaves the other requests undecided.
        """
        with self._store.changing():
            for name in self._store.names():
                version = self._store.last_submitted(name)
                if version is not None:
                    self._last_notes[name] = version.note

            candidates = [self._prepare(request) for request in requests]
            new_bots = [candidate.new_bot for candidate in candidates]
            examined = [bot for bot in new_bots if bot is not None]
            faults = self._examine(examined)
            for candidate, new_bot in zip(candidates, new_bots, strict=True):
                if new_bot is not None:
                    candidate.faults += next(faults)
                yield self._decide(candidate)

    def _prepare(self, request: Request) -> _Candidate:
        """Copy a submission, name it, and collect the faults that show before it is examined."""
        person = request.person or self._people.author(request.label)
        note = Note(
            display=names.display(request.called) or "bot",
            source=request.source,
            mark=request.label.who,
        )
        if person is not None:
            shown_name = names.display(person.name) or "bot"
            note = replace(
                note,
                display=shown_name,
                email=person.email,
                person=person.id,
            )

        folder = self._store.new_folder()
        safe_name = names.safe(note.display)
        candidate = _Candidate(
            request=request,
            note=note,
            folder=folder,
            name=safe_name,
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
            # The author of the bot knows no such folder.
            candidate.faults.append(error.seen_from(folder, folder.absolute()))
        return candidate

    def _name(
        self,
        request: Request,
        note: Note,
        person: Person | None,
    ) -> str:
        """Return the name that the bot is called by if it may have it, else a safe, free name."""
        called = request.called
        if request.name is not None:
            may_be_shown = called.isprintable() and called.strip(" .-") != ""
            if "/" in called or not may_be_shown:
                discovery.checked(called, Path(request.path.name))
        if request.rivals:
            paths = [request.path, *request.rivals]
            both = " and ".join(sorted(path.name for path in paths))
            raise ArenaError(f"{both} have one name, and case makes no difference: rename one")
        if not names.display(called):
            raise ArenaError(f"{called!a} has no letter that anybody sees: give the file a name")
        if person is None:
            cure = "rename the file, or take it under another name, --as NAME"
            names.refuse_look_alike(note.display, self._shown_names, cure)

        safe_name = names.safe(note.display)
        if not discovery.may_be_called(called) or discovery.is_skipped(called):
            return self._free(safe_name, note)
        if request.name is None:
            has_author = person is not None or request.label.who != ""
            if has_author or self._is_taken(called, note):
                return self._free(safe_name, note)

        if called.lower() in self._reserved:
            raise ArenaError(
                f"{called!r} is a [[bot]] of tournament.toml: submit it under another name, "
                "--as NAME"
            )
        for known in self._store.names():
            if known.lower() == called.lower() and known != called:
                raise ArenaError(
                    f"{known!r} is a bot here, and case makes no difference: say --as {known}, or "
                    "rename it"
                )
        return called

    def _is_taken(self, name: str, note: Note) -> bool:
        """Return whether every version of this name has another author and is shown otherwise."""
        versions = self._store.versions(name)
        for version in versions:
            if version.note.display == name:
                return False
            if self._is_authors(version.note, note):
                return False
        return bool(versions)

    @cached_property
    def _shown_names(self) -> set[str]:
        """The names that tables show, also of each submission so far, and those of people."""
        shown_names = {person.name for person in self._people}
        for name in chain(self._reserved, self._store.names()):
            shown_name = name
            versions = self._store.versions(name)
            if versions:
                shown_name = versions[-1].note.display
            shown_names.add(shown_name)
        return shown_names

    def _free(self, base: str, note: Note) -> str:
        """Return the name, with a number if another author has it.

        The same author gets the same name again, also under another name of that author.
        """
        for name in self._owned(base, note):
            if self._may_take(name, note):
                return name

        known = {name.lower(): name for name in self._store.names()}
        likely = ""
        """The first name of a bot that is perhaps of the same author."""
        for number in count(1):
            name = base
            if number > 1:
                name = names.numbered(base, number)
            if not self._may_take(name, note):
                continue
            if name.lower() not in known:
                return likely or name
            known_name = known[name.lower()]
            notes = [version.note for version in self._store.versions(known_name)]
            if any(self._is_authors(earlier, note) for earlier in notes):
                return known_name
            # It may be the same author. The notes of a later bot may prove it, so look on.
            is_namesakes = any(earlier.display == note.display for earlier in notes)
            if is_namesakes and not note.person and not likely:
                likely = known_name
        raise AssertionError

    def _may_take(self, name: str, note: Note) -> bool:
        """Return whether a submission may take the name.

        It may not if the name is that of a [[bot]] table, of a file that discovery skips, or of
        another of these submissions.
        """
        if name.lower() in self._reserved or discovery.is_skipped(name):
            return False
        source = self._sources.get(name.lower(), note.source)
        return source == note.source

    def _owned(self, base: str, note: Note) -> list[str]:
        """Return the bots of a known author.

        Those that play stand first, and of these first those with this name.
        """
        if not note.person and not note.mark:
            return []
        owned: list[str] = []
        for name, earlier in self._last_notes.items():
            if self._is_authors(earlier, note):
                owned.append(name)

        def order(name: str) -> tuple[bool, bool, int, str]:
            is_idle = not self._store.playing(name)
            has_other_name = name != base and not name.startswith(f"{base}-")
            return is_idle, has_other_name, len(name), name

        return sorted(owned, key=order)

    def _is_anothers(self, earlier: Note, note: Note) -> bool:
        """Return whether an earlier submission certainly has another author than a note."""
        have_persons = earlier.person and note.person
        have_marks = earlier.mark and note.mark
        if not have_persons and not have_marks:
            return False
        return not self._is_authors(earlier, note)

    def _is_authors(self, earlier: Note, note: Note) -> bool:
        """Return whether an earlier submission certainly has the author of a note."""
        if earlier.person and note.person and earlier.person != note.person:
            # It may be an id of an earlier table.
            recorded = self._people.recorded(
                earlier.person,
                earlier.display,
                earlier.email,
            )
            return recorded is not None and recorded.id == note.person

        if note.is_same_as(earlier):
            return True

        if not note.person or earlier.person or not earlier.source:
            return False
        # It was submitted before people were known.
        person = self._people.named(earlier.display)
        return person is not None and person.id == note.person

    def _compare(self, candidate: _Candidate, bot: Bot) -> None:
        """Compare a candidate with the bots of its name.

        ArenaError if it would replace another author's bot.
        """
        paths = self._store.playing(bot.name)
        playing = [discovery.from_path(path, bot.name) for path in paths]
        real_paths = [os.path.realpath(path) for path in paths]
        submits_itself = os.path.realpath(candidate.request.path) in real_paths
        if not submits_itself:
            self._refuse_loss(playing, bot)

        candidate.version = self._store.version_of(bot)
        if candidate.version is not None:
            digests = [old.digest for old in playing]
            candidate.plays = digests == [bot.digest]
        elif not submits_itself and not candidate.request.replaces:
            self._refuse_foreign(candidate, bot)

    def _refuse_loss(self, playing: Iterable[Bot], bot: Bot) -> None:
        """Raise ArenaError if the bot would replace one that is in no version."""
        for old in playing:
            if old.digest == bot.digest:
                continue
            if self._store.version_of(old) is None:
                raise ArenaError(
                    f"{old.files}: is no version that was submitted, and would be lost: submit "
                    "that first, or take another name, --as NAME"
                )

    def _refuse_foreign(self, candidate: _Candidate, bot: Bot) -> None:
        """Raise ArenaError if all versions of this name were submitted by another author."""
        versions = self._store.versions(bot.name)
        if not versions or not versions[-1].note.source:
            return
        for version in versions:
            if self._is_authors(version.note, candidate.note):
                return
        source = discovery.shown(versions[-1].note.source)
        raise ArenaError(
            f"{bot.name!r} is a bot here already, from {source}: if this is its next version, say "
            "--replace; if it is somebody else's, take another name, --as NAME"
        )

    def _decide(self, candidate: _Candidate) -> SubmissionDecision:
        request = candidate.request
        note = candidate.note
        bot = candidate.bot
        copy = candidate.copy
        name = candidate.name
        if request.rivals:
            name = request.path.name
        label = _label(name)
        if candidate.faults or bot is None or copy is None:
            return self._refuse(candidate, label)

        status = SubmissionStatus.ACCEPTED
        version = candidate.version
        if version is None:
            version = self._store.keep(bot, copy, note)
            text = f"it is version {version.number}"
        else:
            text = f"it was version {version.number}, and plays again"
            # A power cut may have emptied it.
            if not bot_folder.is_whole(version.path, version.digest):
                self._store.restore(version, copy)
            if note.person and self._is_authors(version.note, note):
                self._store.rename_author(version, note)
        if candidate.left_out:
            text += f"; {left_out_words(candidate.left_out)}"

        if candidate.plays:
            status = SubmissionStatus.KNOWN
            text = f"it is version {version.number}, which plays: nothing has changed"
        else:
            self._store.play(bot.name, version)

        def is_forgiven(refusal: Refusal) -> bool:
            if self._is_authors(refusal.note, note):
                return True
            return refusal.name == label and not self._is_anothers(refusal.note, note)

        self._store.forgive(is_forgiven)
        return SubmissionDecision(
            request=request,
            name=candidate.name,
            note=note,
            bot=bot,
            version=version.number,
            status=status,
            words=text,
        )

    def _refuse(self, candidate: _Candidate, label: str) -> SubmissionDecision:
        """Store a refused submission with its reasons."""
        note = candidate.note
        faults = list(candidate.faults)
        if candidate.left_out:
            faults.append(left_out_words(candidate.left_out))
        lines = "\n\n".join(faults).split("\n")
        reasons = "\n".join(_printable(line) for line in lines)

        label = self._refusal_label(label, note)
        where = self._store.refuse(label, reasons, candidate.copy, note)
        return SubmissionDecision(
            request=candidate.request,
            name=candidate.name,
            note=note,
            status=SubmissionStatus.REFUSED,
            words=first_line(reasons),
            reasons=reasons,
            where=where,
        )

    def _refusal_label(self, label: str, note: Note) -> str:
        """Return the label, with a number if a refused submission of another author has it."""
        names_in_use: set[str] = set()
        for refusal in self._store.refused():
            if self._is_anothers(refusal.note, note):
                names_in_use.add(refusal.name.lower())
        return names.distinct(label, names_in_use)


def _copy_in(
    request: Request,
    name: str,
    folder: Path,
) -> tuple[Path, tuple[str, ...]]:
    """Copy and unpack a submission into `folder`, under its new name.

    Return the new path, and what was left out.
    """
    allowance = Allowance()
    left_out = allowance.noted
    if request.files:
        copy = folder / ".copied"
        copy.mkdir(0o755)
        for inner_name, path in request.files.items():
            copy_submission(path, copy / inner_name, allowance)
    else:
        ending = packed_as(request.path) or request.path.suffix
        copy = folder / f".copied{ending}"
        copy_submission(request.path, copy, allowance)

    for depth in range(MOST_NESTED):
        copy = _alone(copy)
        if copy.is_symlink() or packed_as(copy) is None or not copy.is_file():
            break
        unpacked = folder / f".unpacked{depth}"
        left_out += unpack(copy, unpacked)
        copy = _alone(unpacked)

    new_name = name
    if copy.is_file():
        new_name += copy.suffix
    return copy.rename(folder / new_name), tuple(left_out)


def _alone(copy: Path) -> Path:
    """Return the only entry of a folder, or its only archive if the folder is no bot.

    Otherwise return the path itself.
    """
    while copy.is_dir() and not copy.is_symlink():
        if (copy / "bot.toml").exists():
            break
        entries = list(copy.iterdir())
        if len(entries) != 1 and not discovery.is_program(copy):
            entries = [entry for entry in entries if packed_as(entry) is not None]
        if len(entries) != 1:
            break
        alone = entries[0]
        if alone.is_symlink() or not may_be_program(alone):
            break  # a refusal names the file as its author calls it
        copy = alone
    return copy


def _printable(line: str) -> str:
    """Return a stranger's line with escapes, so that it cannot control a terminal."""
    if line.isprintable():
        return line
    return ascii(line)[1:-1]


def _label(name: str) -> str:
    """Return a name for the folder of a refused submission, for any name of the submission."""
    letters = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    plain = letters.lstrip(".-")[:40]
    if name and plain == name:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{plain or 'bot'}-{digest[:6]}"
