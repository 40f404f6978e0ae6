"""The event that the site plays, as its tournament.toml has it now: its folders, its bots, and whose they are."""

import contextlib
from functools import cached_property
from pathlib import Path

from arena import toml
from arena.author import named_bots
from arena.author.submissions.bot_store import BotStore, Version
from arena.errors import ArenaError
from arena.event import config
from arena.extras.serve.accounts import Account
from arena.results.archive import Archive, NoResultsError
from arena.values import Bot


class Entrants:
    """The bots of the event; ArenaError while its organiser makes a mistake in tournament.toml."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self.tournament = config.load(workspace / "tournament.toml")
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
        """Return the versions of an author's bots that are on this machine, as commands name them, the newest first."""
        return [
            f"{name}@{version.number}"
            for name, versions in self.own(account).items()
            for version in reversed(versions)
            if version.note.mark != remote_mark(account)
        ]

    def as_it_plays(self, name: str) -> str:
        """Return a bot of the event with its version, so that no path of this name is meant, and no newer version."""
        digest = next(bot.digest for bot in self.bots if bot.name == name)
        numbers = [
            version.number for version in self.store.versions(name) if version.digest == digest
        ]
        return f"{name}@{numbers[0]}" if numbers else name


def own_versions(store: BotStore, account: Account) -> dict[str, tuple[Version, ...]]:
    """Return the names of an author's bots in a store, with all versions of each."""
    versions = {name: store.versions(name) for name in store.names()}
    return {
        name: every
        for name, every in versions.items()
        if any(
            each.note.person in account.ids or each.note.mark == remote_mark(account)
            for each in every
        )
    }


def remote_mark(account: Account) -> str:
    """Return what tells an author's remote bot from the bots of others."""
    return f"remote {account.id}"


def event_folder(workspace: Path) -> Path | None:
    """Return the folder of the results of the event; None if tournament.toml cannot be read."""
    name = text_of(workspace, "name")
    return workspace / "results" / name if name and "/" not in name else None


def text_of(workspace: Path, *keys: str) -> str:
    """Return a text of tournament.toml, also while the organiser edits another one; empty if it cannot be read.

    Each of the `keys` but the last names a table.
    """
    try:
        value: object = toml.loads((workspace / "tournament.toml").read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
