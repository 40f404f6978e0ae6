"""The people of people.csv with their bots in an event that was played; and why somebody has none.

It reads the store of submissions, and decides nothing: marks.py says what somebody without a bot
gets.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.author.submissions.bot_store import BotStore, Version, first_line
from arena.author.submissions.people import People, Person
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery import names
from arena.event.discovery.notes import Note
from arena.values import Bot

STEM_LETTERS = 30
"""So many letters of a bot's name stay when it gets a number, as the bot of a second author of the same name does."""


class StudentState(StrEnum):
    """How far a student's bot came."""

    PLAYED = "played"
    """It is in the event."""
    NOT_PLAYED = "not played"
    """It was accepted, but the event was played without it."""
    REFERENCE = "only a reference"
    """It is in the event for others to be measured by, so that it gets no marks."""
    REFUSED = "refused"
    """It was handed in and refused, and no other was accepted."""
    WITHDRAWN = "withdrawn"
    """It was accepted, and withdrawn before the event."""
    NOTHING = "nothing handed in"


@dataclass(frozen=True, kw_only=True)
class Student:
    """A person of people.csv; or the author of a bot that belongs to none of them, who is called like the bot."""

    name: str
    id: str = ""
    email: str = ""
    bots: tuple[str, ...]
    """The names of their bots in the event."""
    state: StudentState
    note: str
    """What a teacher should know beside the marks, in words; it may quote text of strangers."""
    newer: bool
    """True if the student's last accepted bot is not in the event."""


def author_of(bot: Bot, people: People, store: BotStore | None) -> Person | None:
    """Return the person who submitted a bot, or whose name it has; None for a bot that belongs to nobody in people.csv.

    The display name in a bot.toml is not asked: the bot's author may have written somebody else's
    name there. Nor is a part of the bot's name, so that `anti_bob` is no bot of Bob's.
    """
    versions = store.versions(bot.name) if store is not None else ()
    version = next(
        (each for each in versions if each.digest == bot.digest), versions[-1] if versions else None
    )
    if (
        version is not None and not version.note.source and store is not None
    ):  # somebody edited it by hand
        version = store.last_submitted(bot.name)
    if version is not None and version.note.person:
        return author_of_note(version.note, people)
    if version is not None and store is not None and _has_namesake(bot.name, version, store):
        return None
    # The display name of a submission is made of the name of its file; one without a source is from
    # the bot.toml.
    submitted_as = version.note.display if version is not None and version.note.source else ""
    return (people.named(submitted_as) if submitted_as else None) or people.named(bot.name)


def author_of_note(note: Note, people: People) -> Person | None:
    """Return the person whom a submission names; None if it names nobody, or somebody whom the table has no more."""
    return people.recorded(note.person, note.display, note.email)


def bots_that_play(people: People, store: BotStore) -> dict[Person, list[str]]:
    """Return the bots of each person that play from now on."""
    bots: dict[Person, list[str]] = defaultdict(list)
    for name in store.names():
        version = store.last_submitted(name)
        if version is None or not version.note.source or not store.playing(name):
            continue
        person = author_of_note(version.note, people)
        if person is not None:
            bots[person].append(name)
    return bots


def shown_name(note: Note, people: People) -> str:
    """Return the name to show for a submission: that of its author in the table of people, if the author is there."""
    person = author_of_note(note, people)
    return names.display(person.name) if person is not None else note.display


def _has_namesake(bot: str, version: Version, store: BotStore) -> bool:
    """Return whether a learning platform tells the author from that of another bot, and both have the same name."""
    mark, display = version.note.mark, version.note.display
    stem = names.safe(display)[:STEM_LETTERS]
    alike = (
        [name for name in store.names() if name != bot and name.startswith(stem)] if mark else []
    )
    notes = [each.note for name in alike for each in store.versions(name)[-1:]]
    return any(note.display == display and note.mark not in {"", mark} for note in notes)


def students(
    bots: Iterable[Bot],
    people: People,
    store: BotStore | None = None,
    references: Collection[Bot] = (),
) -> tuple[Student, ...]:
    """Return every person of people.csv, in the order of the file, then the authors of bots that belong to nobody.

    `bots` are those of the event that are to be graded, `references` all others of it.
    """
    bots, references = tuple(bots), tuple(references)
    authors = {bot.name: author_of(bot, people, store) for bot in (*bots, *references)}
    newer = _newer((*bots, *references), people, store)
    accepted: dict[Person, list[str]] = defaultdict(list)
    refused: dict[Person, list[str]] = defaultdict(list)
    if store is not None:
        for name in store.names():
            for author in {
                author_of_note(version.note, people) for version in store.versions(name)
            }:
                if author is not None:
                    accepted[author].append(name)
        for refusal in store.refused():
            author = author_of_note(refusal.note, people)
            if author is not None:
                refused[author].append(first_line(refusal.reason))

    def student(person: Person) -> Student:
        played = tuple(bot.name for bot in bots if authors[bot.name] == person)
        measures = [bot.name for bot in references if authors[bot.name] == person]
        later = newer[person]
        state, note = _state(played, measures, later, accepted[person], refused[person])
        return Student(
            name=person.name,
            id=person.id,
            email=person.email,
            bots=played,
            state=state,
            note=note,
            newer=bool(later),
        )

    def stranger(bot: Bot) -> Student:
        name = bot.name if people.named(bot.display) else bot.display or bot.name
        later = newer[bot.name]
        return Student(
            name=name,
            bots=(bot.name,),
            state=StudentState.PLAYED,
            note=_late(later),
            newer=bool(later),
        )

    return (*map(student, people), *(stranger(bot) for bot in bots if authors[bot.name] is None))


def _state(
    bots: Sequence[str],
    references: Sequence[str],
    newer: Sequence[str],
    accepted: Sequence[str],
    refusals: Sequence[str],
) -> tuple[StudentState, str]:
    """Return how far a person's bots came, and what a teacher should know of them."""
    reason = refusals[-1] if refusals else ""
    if bots:
        refused = f"a later submission was refused: {reason}" if reason else ""
        return StudentState.PLAYED, "; ".join(filter(None, [_late(newer), refused]))
    if references:
        verb = "is a reference" if len(references) == 1 else "are references"
        measure = f"{' and '.join(references)} {verb} and not graded"
        return StudentState.REFERENCE, "; ".join(filter(None, [measure, _late(newer)]))
    if newer:
        words = f"{' and '.join(newer)} was accepted, but the event was played without it"
        return StudentState.NOT_PLAYED, words
    if refusals:
        return StudentState.REFUSED, f"handed in, but refused: {reason}"
    if accepted:
        return StudentState.WITHDRAWN, f"{' and '.join(accepted)} was withdrawn"
    return StudentState.NOTHING, "nothing was handed in"


def _late(newer: Collection[str]) -> str:
    return f"{' and '.join(newer)}, as accepted last, is not in this event" if newer else ""


def _newer(
    played: Iterable[Bot], people: People, store: BotStore | None
) -> dict[Person | str, list[str]]:
    """Return the bots that play from now on, but not in this event as they are: by person, or by their name.

    A bot that belongs to nobody counts only if an earlier version of it is in the event: others are
    house bots.
    """
    newer: dict[Person | str, list[str]] = defaultdict(list)
    digests = {bot.name: bot.digest for bot in played}
    if store is None:
        return newer
    for name in store.names():
        for path in store.playing(name):
            try:
                bot = discovery.from_path(path, name)
            except ArenaError:  # `arena bots` reports it, and `arena run` refuses to begin
                continue
            person = author_of(bot, people, store)
            if digests.get(name) != bot.digest and (person is not None or name in digests):
                newer[person if person is not None else name].append(name)
    return newer
