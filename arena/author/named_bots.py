"""The bots of a workspace, shown under the names that their authors have in people.csv."""

from dataclasses import replace
from pathlib import Path

from arena.author.submissions import people
from arena.author.submissions.bot_store import BotStore
from arena.author.submissions.people import People
from arena.author.submissions.students import author_of_note, shown_name
from arena.errors import ArenaError
from arena.event.config import Tournament
from arena.event.folders import COMMITMENT_FILE, results_folder
from arena.values import Bot


def entrants(tournament: Tournament, workspace: Path) -> tuple[Bot, ...]:
    """Return every bot of a workspace, shown under the name that its author has in people.csv now.

    The names of an event with a commitment are a part of it, so there they stay as they were handed
    in.
    """
    bots, listed = tournament.entrants(workspace), people_now(workspace)
    is_committed = (results_folder(workspace, tournament.name) / COMMITMENT_FILE).exists()
    if tournament.bots is None or is_committed or not [*listed]:
        return bots
    store, shown = BotStore(workspace / tournament.bots), []
    for bot in bots:
        versions = store.versions(bot.name)
        note = next((each.note for each in reversed(versions) if each.digest == bot.digest), None)
        is_persons = note is not None and author_of_note(note, listed) is not None
        shown.append(
            replace(bot, display=shown_name(note, listed))
            if note is not None and is_persons
            else bot
        )
    return tuple(shown)


def people_now(workspace: Path) -> People:
    """Return the people in people.csv, only to show their names: nobody while there is a mistake in it.

    Such a mistake stops no event. The commands that need the people name it.
    """
    try:
        return people.of_workspace(workspace)
    except ArenaError:
        return People()
