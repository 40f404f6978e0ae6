"""The bots of a workspace, shown under the names that their authors have in people.csv."""

from dataclasses import replace
from pathlib import Path

from arena.author.submissions import people as people_file
from arena.author.submissions.bot_store import BotStore
from arena.author.submissions.people import People
from arena.author.submissions.students import author_of_note, shown_name
from arena.errors import ArenaError
from arena.event.config import Tournament
from arena.results.folders import COMMITMENT_FILE, results_folder
from arena.values import Bot


def entrants(tournament: Tournament, workspace: Path) -> tuple[Bot, ...]:
    """Return every bot of a workspace, shown under the name that its author has in people.csv now.

    The names of an event with a commitment are a part of it, so there they stay as they were handed
    in.
    """
    bots = tournament.entrants(workspace)
    people = people_now(workspace)
    commitment = results_folder(workspace, tournament.name) / COMMITMENT_FILE
    if tournament.bots is None or commitment.exists():
        return bots
    if not list(people):
        return bots
    store = BotStore(workspace / tournament.bots)
    return tuple(_named(bot, store, people) for bot in bots)


def _named(bot: Bot, store: BotStore, people: People) -> Bot:
    """Return a bot under the name of the author of its version, if people.csv has the author."""
    for version in reversed(store.versions(bot.name)):
        if version.digest != bot.digest:
            continue
        if author_of_note(version.note, people) is None:
            return bot
        return replace(bot, display=shown_name(version.note, people))
    return bot


def people_now(workspace: Path) -> People:
    """Return the people in people.csv, to show their names; nobody if the file has a mistake.

    Such a mistake stops no event. The commands that need the people name it.
    """
    try:
        return people_file.of_workspace(workspace)
    except ArenaError:
        return People()
