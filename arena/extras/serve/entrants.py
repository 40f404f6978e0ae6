"""The event that the site plays, by its tournament.toml: its folders, its bots, their authors."""

import contextlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from arena import toml
from arena.author import named_bots
from arena.author.submissions.bot_store import BotStore, Version
from arena.errors import ArenaError
from arena.event import config
from arena.extras.serve.accounts import Account
from arena.results.archive import Archive, NoResultsError
from arena.results.folders import TOURNAMENT_FILE
from arena.values import Bot


class Entrants:
    """The bots of the event; ArenaError while its organiser makes a mistake in tournament.toml."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self.tournament = config.load(workspace / TOURNAMENT_FILE)
        if self.tournament.bots is None:
            raise ArenaError(
                'tournament.toml: bots: names no folder to take bots into; write bots = "bots"'
            )
        self.store = BotStore(workspace / self.tournament.bots)

    @cached_property
    def bots(self) -> tuple[Bot, ...]:
        """The bots that play."""
        return named_bots.entrants(self.tournament, self._workspace)

    def played(self) -> frozenset[str]:
        """Return the digests of all versions that have played in the event."""
        folder = self._workspace / "results" / self.tournament.name
        with contextlib.suppress(NoResultsError), Archive.open(folder) as archive:
            return frozenset(span.digest for span in archive.spans())
        return frozenset()

    def own(self, account: Account) -> dict[str, tuple[Version, ...]]:
        """Return the names of an author's bots, with all versions of each."""
        return own_versions(self.store, account)

    def own_here(self, account: Account) -> list[str]:
        """Return the versions of an author's bots on this machine, as commands name them.

        The newest version of each bot comes first.
        """
        mark = remote_mark(account)
        names: list[str] = []
        for name, versions in self.own(account).items():
            for version in reversed(versions):
                if version.note.mark != mark:
                    names.append(f"{name}@{version.number}")
        return names

    def as_it_plays(self, name: str) -> str:
        """Return a bot of the event with the number of its version.

        So no command takes the name for a path, or plays a newer version.
        """
        digest = next(bot.digest for bot in self.bots if bot.name == name)
        for version in self.store.versions(name):
            if version.digest == digest:
                return f"{name}@{version.number}"
        return name


def own_versions(store: BotStore, account: Account) -> dict[str, tuple[Version, ...]]:
    """Return the names of an author's bots in a store, with all versions of each."""
    mark = remote_mark(account)
    versions_by_bot: dict[str, tuple[Version, ...]] = {}
    for name in store.names():
        versions = store.versions(name)
        for version in versions:
            note = version.note
            if note.person in account.ids or note.mark == mark:
                versions_by_bot[name] = versions
                break
    return versions_by_bot


def remote_mark(account: Account) -> str:
    """Return the mark on an author's remote bot, which bots of others do not have."""
    return f"remote {account.id}"


def event_folder(workspace: Path) -> Path | None:
    """Return the folder of the results of the event; None if tournament.toml cannot be read."""
    name = text_of(workspace, "name")
    if not name or "/" in name:
        return None
    return workspace / "results" / name


def text_of(workspace: Path, *keys: str) -> str:
    """Return a text of tournament.toml, even if other keys have mistakes; "" if it cannot be read.

    Each of the `keys` but the last names a table.
    """
    value: object = _tournament(workspace)
    for key in keys:
        if not isinstance(value, dict):
            return ""
        value = value.get(key)
    if not isinstance(value, str):
        return ""
    return value


def names_in(workspace: Path, key: str) -> tuple[str, ...]:
    """Return the keys of a table of tournament.toml; () if there is none, or it cannot be read."""
    table = _tournament(workspace).get(key)
    if not isinstance(table, dict):
        return ()
    return tuple(table)


def _tournament(workspace: Path) -> Mapping[str, object]:
    """Return the tables of tournament.toml as they are; {} if it cannot be read."""
    try:
        return toml.loads((workspace / TOURNAMENT_FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
