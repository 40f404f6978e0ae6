"""The authors of an event's bots.

It finds the tournament.toml, the people and the submissions that belong to the event's results.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.author.submissions import people
from arena.author.submissions.bot_store import BotStore
from arena.author.submissions.people import People
from arena.author.submissions.students import author_of
from arena.display_names import bot_shown
from arena.errors import ArenaError, known_are
from arena.event import config
from arena.event.config import Tournament
from arena.extras.classroom.table import table_of
from arena.values import Event

TOURNAMENT_FILE = "tournament.toml"


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
        table = None if self.tournament is None else table_of(self.tournament)
        references = set(event.references)
        if table is not None:
            references.update(row.reference for row in table.threshold)
        return frozenset(references)

    def bots_of(self, name: str, event: Event) -> tuple[str, frozenset[str]]:
        """Return the name and the bots of an author, named like a bot or as in people.csv."""
        listed = self.people.with_id(name)
        by_id = listed if listed is not None and listed.has_id else None
        fitting = sorted(self.people.fitting(name), key=lambda each: each.id)
        if len(fitting) > 1 and name not in {bot.name for bot in event.bots}:
            both = " and ".join(f"{each.name} (id {each.id})" for each in fitting)
            raise ArenaError(f"--for {name}: {both} have that name: name one by the id")
        person = by_id or self.people.named(name)
        bot_name = bot_shown(name, event.bots)
        named = next((bot for bot in event.bots if bot.name == bot_name), None)
        if named is not None:
            author = author_of(named, self.people, self.store)
            if person is not None and author is not None and author != person and by_id is None:
                both = " and ".join(f"{each.name} (id {each.id})" for each in (person, author))
                raise ArenaError(
                    f"--for {name}: {both} have that name, or a bot of that name: name one by the "
                    "id"
                )
            person = by_id or author
        if person is None and named is not None:
            return named.display or named.name, frozenset({named.name})
        if person is None:
            known = known_are(
                name,
                [bot.name for bot in event.bots],
                nearest=[listed.name for listed in self.people],
            )
            raise ArenaError(
                f"--for {name}: no bot of this event and nobody in people.csv has that name; "
                f"{known}"
            )
        bots = frozenset(
            bot.name for bot in event.bots if author_of(bot, self.people, self.store) == person
        )
        if not bots:
            raise ArenaError(
                f"--for {name}: {person.name} has no bot in this event; `arena bots` lists "
                "submissions"
            )
        return person.name, bots

    def strangers(self, names: frozenset[str], event: Event) -> frozenset[str]:
        """Return those of these bots that belong to a person."""
        return frozenset(
            bot.name
            for bot in event.bots
            if bot.name in names and author_of(bot, self.people, self.store) is not None
        )


def classroom_of(folder: Path, people_file: Path | None = None) -> Classroom:
    """Return what belongs to the results in a folder.

    The tournament.toml of the workspace counts as long as it names this event, so that thresholds
    may be corrected when all is played; else the copy as it was played.
    """
    workspace = folder.absolute().parent.parent
    inside = folder.absolute().parent.name == "results"
    original = workspace / TOURNAMENT_FILE
    with suppress(ValueError):  # messages name it as a user here would
        original = original.relative_to(Path.cwd())
    file, tournament = folder / TOURNAMENT_FILE, None
    if (
        inside
        and original.is_file()
        and (in_workspace := config.load(original)).name == folder.name
    ):
        file, tournament = original, in_workspace
    elif file.is_file():
        tournament = config.load(file)
    store = None
    if (
        inside
        and tournament is not None
        and tournament.bots is not None
        and (workspace / tournament.bots).is_dir()
    ):
        store = BotStore(workspace / tournament.bots)
    listed = people.of_workspace(workspace if inside else Path(), people_file)
    return Classroom(file=file, tournament=tournament, people=listed, store=store)
