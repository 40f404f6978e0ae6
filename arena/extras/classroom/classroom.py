"""The authors of an event's bots.

It finds the tournament.toml, the people and the submissions that belong to the event's results.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.author.submissions import people
from arena.author.submissions.bot_store import BotStore
from arena.author.submissions.people import People, Person
from arena.author.submissions.students import author_of
from arena.display_names import bot_shown
from arena.errors import ArenaError, known_are
from arena.event import config
from arena.event.config import Tournament
from arena.extras.classroom.table import table_of
from arena.results.folders import TOURNAMENT_FILE
from arena.values import Bot, Event


@dataclass(frozen=True, kw_only=True)
class Classroom:
    """What belongs to the results of an event."""

    file: Path
    """Its tournament.toml."""
    tournament: Tournament | None
    """None if there is no such file."""
    people: People
    store: BotStore | None
    """The submissions; None where the results are not in their workspace any more."""

    def references(self, event: Event) -> frozenset[str]:
        """Return the bots that others are measured by."""
        references = set(event.references)
        if self.tournament is not None:
            table = table_of(self.tournament)
            if table is not None:
                references.update(row.reference for row in table.threshold)
        return frozenset(references)

    def bots_of(self, name: str, event: Event) -> tuple[str, frozenset[str]]:
        """Return the name and the bots of an author, named like a bot or as in people.csv."""
        bots = {bot.name: bot for bot in event.bots}
        by_id = self.people.with_id(name)
        if by_id is not None and not by_id.has_id:
            by_id = None
        fitting = sorted(self.people.fitting(name), key=lambda person: person.id)
        named = bots.get(bot_shown(name, event.bots))
        author = None
        if named is not None:
            author = self._author_of(named)
        if len(fitting) > 1 and (name not in bots or author is None):
            raise ArenaError(
                f"--for {name}: {_names_with_ids(fitting)} have that name: name one by the id"
            )

        person = by_id or self.people.named(name)
        if named is not None:
            if person is not None and author is not None and author != person and by_id is None:
                raise ArenaError(
                    f"--for {name}: {_names_with_ids([person, author])} have that name, or a bot "
                    "of that name: name one by the id"
                )
            # A house bot may be called like a person, who must not read its words.
            person = by_id or author or person
            if person is None:
                for shown in (named.name, named.display):
                    if self.people.resembled(shown):
                        raise ArenaError(
                            f"--for {name}: the bot {named.name!r} is nobody's, and called like a "
                            "person, who would be sent its report; report.html shows it"
                        )
                return named.display or named.name, frozenset({named.name})

        if person is None:
            people_names = [listed.name for listed in self.people]
            known = known_are(name, list(bots), nearest=people_names)
            raise ArenaError(
                f"--for {name}: no bot of this event and nobody in people.csv has that name; "
                f"{known}"
            )

        own = [bot.name for bot in event.bots if self._author_of(bot) == person]
        if not own:
            raise ArenaError(
                f"--for {name}: {person.name} has no bot in this event; `arena bots` lists "
                "submissions"
            )
        return person.name, frozenset(own)

    def strangers(self, names: frozenset[str], event: Event) -> frozenset[str]:
        """Return those of these bots that belong to a person."""
        owned = set()
        for bot in event.bots:
            if bot.name not in names:
                continue
            if self._author_of(bot) is not None:
                owned.add(bot.name)
        return frozenset(owned)

    def _author_of(self, bot: Bot) -> Person | None:
        """Return the author of a bot; None for nobody in the table of people."""
        return author_of(bot, self.people, self.store)


def _names_with_ids(people: Iterable[Person]) -> str:
    """Return these people in words, each with the id."""
    names = [f"{person.name} (id {person.id})" for person in people]
    return " and ".join(names)


def classroom_of(folder: Path, people_file: Path | None = None) -> Classroom:
    """Return what belongs to the results in a folder.

    The tournament.toml of the workspace counts as long as it names this event, so that thresholds
    may be corrected when all is played. Otherwise the copy counts, which is as it was played.
    """
    workspace = folder.absolute().parent.parent
    inside = folder.absolute().parent.name == "results"
    original = workspace / TOURNAMENT_FILE
    with suppress(ValueError):  # messages name it as a user here would
        original = original.relative_to(Path.cwd())

    file = folder / TOURNAMENT_FILE
    tournament = None
    if inside and original.is_file():
        in_workspace = config.load(original)
        if in_workspace.name == folder.name:
            file = original
            tournament = in_workspace
    if tournament is None and file.is_file():
        tournament = config.load(file)

    store = None
    if inside and tournament is not None and tournament.bots is not None:
        bots = workspace / tournament.bots
        if bots.is_dir():
            store = BotStore(bots)

    home = Path()
    if inside:
        home = workspace
    listed = people.of_workspace(home, people_file)
    has_submissions = tournament is None or tournament.bots is not None
    if list(listed) and store is None and has_submissions:
        raise ArenaError(
            f"{folder}: the submissions say whose a bot is, and they are not here: put the folder "
            "back into results/ of its workspace"
        )
    return Classroom(
        file=file,
        tournament=tournament,
        people=listed,
        store=store,
    )
