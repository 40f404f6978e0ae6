"""The people of people.csv with their bots in an event, and why a person has none.

It reads the store of submissions, and decides nothing: marks.py says what somebody without a bot
gets.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
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
"""The number of letters that a bot's name keeps when it gets a number, as the bot of a second
author of the same name does."""


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
    """A person of people.csv, or the author of a bot that belongs to none of them.

    Such an author is called like the bot.
    """

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
    namesake: bool = False
    """True for a bot of nobody whose name, or shown name, is or looks like a person's."""


def author_of(
    bot: Bot,
    people: People,
    store: BotStore | None,
) -> Person | None:
    """Return the person who submitted a bot; None if nobody.

    A bot that no submission made is nobody's: a house bot may be called like a person, who may have
    submitted another of that name since. What its bot.toml says is not asked, since its author may
    have written somebody else's name there.
    """
    if store is None:
        return None
    version = _submitted_version(bot, store)
    if version is None:
        return None
    return _author_of_version(bot.name, version, people, store)


def _submitted_version(bot: Bot, store: BotStore) -> Version | None:
    """Return the submission that a bot comes from; None if it comes from none.

    A submitted bot that somebody edited by hand, or whose bridge an update of arena has changed,
    comes from the newest submission before.
    """
    versions = store.versions(bot.name)
    digests = [version.digest for version in versions]
    if bot.digest in digests:  # a version that has played stays, also when the site makes room
        number = digests.index(bot.digest)
        versions = versions[: number + 1]
    elif bot.digest not in _digests_now(bot.name, store):
        return None
    submitted = [version for version in versions if version.note.source]
    if not submitted:
        return None
    return submitted[-1]


def _digests_now(name: str, store: BotStore) -> list[str]:
    """Return the digests of the bots of this name that play now."""
    digests = []
    for path in store.playing(name):
        with suppress(ArenaError):  # `arena bots` reports it, and `arena run` refuses to begin
            bot = discovery.from_path(path, name)
            digests.append(bot.digest)
    return digests


def _author_of_version(
    bot: str,
    version: Version,
    people: People,
    store: BotStore,
) -> Person | None:
    """Return the person who submitted a version of a bot; None if nobody.

    If it was submitted before people were known, its names must be a person's as a whole, so that
    `anti_bob` is no bot of Bob's.
    """
    if not version.note.source:  # its display name is from the bot.toml
        return None
    if version.note.person:
        return author_of_note(version.note, people)
    if _has_namesake(bot, version, store):
        return None
    return people.named(version.note.display) or people.named(bot)


def author_of_note(note: Note, people: People) -> Person | None:
    """Return the person whom a submission names; None if the table has no such person."""
    return people.recorded(note.person, note.display, note.email)


def bots_that_play(people: People, store: BotStore) -> dict[Person, list[str]]:
    """Return the bots of each person that play from now on."""
    bots: dict[Person, list[str]] = defaultdict(list)
    for name in store.names():
        version = store.last_submitted(name)
        if version is None or not store.playing(name):
            continue
        person = _author_of_version(name, version, people, store)
        if person is not None:
            bots[person].append(name)
    return bots


def shown_name(note: Note, people: People) -> str:
    """Return the author's name in the table of people; without one, the submission's own."""
    person = author_of_note(note, people)
    if person is None:
        return note.display
    return names.display(person.name)


def _has_namesake(bot: str, version: Version, store: BotStore) -> bool:
    """Return whether a bot has a namesake by another author, as a learning platform shows."""
    mark = version.note.mark
    display = version.note.display
    if not mark:
        return False
    stem = names.safe(display)[:STEM_LETTERS]
    for name in store.names():
        if name == bot or not name.startswith(stem):
            continue
        for last in store.versions(name)[-1:]:
            if last.note.display == display and last.note.mark not in {"", mark}:
                return True
    return False


def students(
    bots: Iterable[Bot],
    people: People,
    store: BotStore | None = None,
    references: Collection[Bot] = (),
) -> tuple[Student, ...]:
    """Return every person of people.csv, in its order, then the authors who are not in it.

    `bots` are those of the event that are to be graded, `references` all others of it.
    """
    bots = tuple(bots)
    references = tuple(references)
    played_bots = bots + references
    authors = {bot.name: author_of(bot, people, store) for bot in played_bots}
    newer = _newer(played_bots, people, store)
    accepted = _accepted(people, store)
    refusals = _refusals(people, store)

    def student(person: Person) -> Student:
        graded = tuple(bot.name for bot in bots if authors[bot.name] == person)
        measures = [bot.name for bot in references if authors[bot.name] == person]
        later = newer[person]
        state, note = _state(
            graded,
            measures,
            later,
            accepted[person],
            refusals[person],
        )
        return Student(
            name=person.name,
            id=person.id,
            email=person.email,
            bots=graded,
            state=state,
            note=note,
            newer=bool(later),
        )

    def stranger(bot: Bot) -> Student:
        # A display name that is a person's would claim to be that person.
        claims_person = people.resembled(bot.display)
        name = bot.name
        if bot.display and not claims_person:
            name = bot.display
        file_claims_person = people.resembled(names.without_number(bot.name))
        later = newer[bot.name]
        return Student(
            name=name,
            bots=(bot.name,),
            state=StudentState.PLAYED,
            note=_late(later),
            newer=bool(later),
            namesake=claims_person or file_claims_person,
        )

    everybody = [student(person) for person in people]
    for bot in bots:
        if authors[bot.name] is None:
            everybody.append(stranger(bot))
    return tuple(everybody)


def namesakes_notice(everybody: Iterable[Student]) -> str:
    """Return which bots of nobody are called like people, and how they get an author; or ""."""
    namesakes: list[str] = []
    for student in everybody:
        if student.namesake:
            namesakes += student.bots
    if not namesakes:
        return ""
    return (
        "called like people, but no person submitted them as they are, so that they are nobody's: "
        f"{', '.join(namesakes)}; if a student sent one, `arena submit FILE --as ID` hands it in"
    )


def _accepted(people: People, store: BotStore | None) -> dict[Person, list[str]]:
    """Return the names of each person's bots that have a version in the store."""
    accepted: dict[Person, list[str]] = defaultdict(list)
    if store is None:
        return accepted
    for name in store.names():
        authors = set()
        for version in store.versions(name):
            authors.add(_author_of_version(name, version, people, store))
        for author in authors:
            if author is not None:
                accepted[author].append(name)
    return accepted


def _refusals(people: People, store: BotStore | None) -> dict[Person, list[str]]:
    """Return the reasons, a line each, why submissions of each person were refused."""
    reasons: dict[Person, list[str]] = defaultdict(list)
    if store is None:
        return reasons
    for refusal in store.refused():
        author = author_of_note(refusal.note, people)
        if author is not None:
            reasons[author].append(first_line(refusal.reason))
    return reasons


def _state(
    bots: Sequence[str],
    references: Sequence[str],
    newer: Sequence[str],
    accepted: Sequence[str],
    refusals: Sequence[str],
) -> tuple[StudentState, str]:
    """Return how far a person's bots came, and what a teacher should know of them."""
    late = _late(newer)
    reason = ""
    if refusals:
        reason = refusals[-1]

    if bots:
        refused = ""
        if reason:
            refused = f"a later submission was refused: {reason}"
        return StudentState.PLAYED, "; ".join(filter(None, [late, refused]))
    if references:
        verb = "are references"
        if len(references) == 1:
            verb = "is a reference"
        measure = f"{' and '.join(references)} {verb} and not graded"
        return StudentState.REFERENCE, "; ".join(filter(None, [measure, late]))
    if newer:
        message = f"{' and '.join(newer)} was accepted, but the event was played without it"
        return StudentState.NOT_PLAYED, message
    if refusals:
        return StudentState.REFUSED, f"handed in, but refused: {reason}"
    if accepted:
        return StudentState.WITHDRAWN, f"{' and '.join(accepted)} was withdrawn"
    return StudentState.NOTHING, "nothing was handed in"


def _late(newer: Collection[str]) -> str:
    if not newer:
        return ""
    return f"{' and '.join(newer)}, as accepted last, is not in this event"


def _newer(
    played: Iterable[Bot],
    people: People,
    store: BotStore | None,
) -> dict[Person | str, list[str]]:
    """Return the bots that play now, but not in this event as they are: by person, or by name.

    A bot that belongs to nobody counts only if an earlier version of it is in the event: others are
    house bots.
    """
    newer: dict[Person | str, list[str]] = defaultdict(list)
    if store is None:
        return newer
    digests = {bot.name: bot.digest for bot in played}
    for name in store.names():
        for path in store.playing(name):
            try:
                bot = discovery.from_path(path, name)
            except ArenaError:  # `arena bots` reports it, and `arena run` refuses to begin
                continue
            if digests.get(name) == bot.digest:
                continue
            person = author_of(bot, people, store)
            if person is not None:
                newer[person].append(name)
            elif name in digests:
                newer[name].append(name)
    return newer
