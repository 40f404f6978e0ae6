"""The language model as a service of an event: who answers, by [model] of tournament.toml.

It knows the table. asking.py runs the process that asks, and calls.py reads what bots ask.
"""

import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.event import folders
from arena.event.service import Opener, Service
from arena.sandbox.exposure import forget
from arena.values import Bot, Event, Record

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.extras.models.asking import Provider
    from arena.extras.models.calls import Door
    from arena.extras.models.table import ModelTable

NAME = "models"
"""The name of the service."""


class ModelService(Service):
    """The language model of an event."""

    def opener(self, tournament: "Tournament", home: Path) -> Opener | None:
        """Return what runs the broker, whose tape lies in the folder of the event."""
        table = _table_of(tournament)
        if table is None:
            return None
        from arena.extras.models.asking import opened

        return partial(opened, provider_of(table, home))

    def asking(self, tournament: "Tournament", home: Path) -> "AbstractContextManager[Door] | None":
        """Return what answers bots of single matches; what the event here has recorded is free."""
        table = _table_of(tournament)
        if table is None:
            return None
        provider = provider_of(table, home)
        own = folders.results_folder(home, tournament.name)
        if (own / folders.EVENT_FILE).is_file():
            provider = replace(provider, tapes=(str(own.absolute()), *provider.tapes))
        return _asked(provider)

    def recorded(self, record: Record) -> object:
        """Return what gives the recorded answers."""
        from arena.extras.models.calls import Recorded

        return Recorded(record)

    def refuse(self, event: Event, *, is_served: bool, elsewhere: bool) -> None:
        """Refuse an event with a model that nobody answers for, or whose lanes cannot reach it."""
        if event.conditions.model is None:
            return
        if elsewhere:
            raise ArenaError(
                "workers: only lanes of this machine reach the event's model: "
                "play on this machine, or without [model]"
            )
        if not is_served:
            raise ArenaError(
                "model: the event has a language model, and nobody is named who answers"
            )

    def serves(self, bot: Bot) -> bool:
        """Return whether the bot needs a model."""
        return bot.model

    def who(self, tournament: "Tournament") -> str:
        """Return who answers a bot that needs a model."""
        table = _table_of(tournament)
        if table is None:
            return (
                "no language model answers here, so it plays as when it is refused: "
                "[model] in tournament.toml names one"
            )
        name = table.name
        return (
            f"{name} answers it, by [model] in tournament.toml; what the event has on tape is free"
        )

    def sentences(self, event: Event, folder: Path, tournament: "Tournament") -> Iterator[str]:
        """Yield what the matches to come will cost, and what the budget has left."""
        table = _table_of(tournament)
        if table is None:
            return
        from arena.extras.models import estimates

        yield from estimates.sentences(event, folder, table)

    def matches_at_once(self, tournament: "Tournament") -> int:
        """Return the number of calls at once: most matches wait for one."""
        table = _table_of(tournament)
        return 0 if table is None else table.at_once

    def secret_files(self, tournament: "Tournament") -> tuple[Path, ...]:
        """Return the file with the key."""
        table = _table_of(tournament)
        key_file = None if table is None else _key_file(table)
        return () if key_file is None else (key_file,)

    def forget_secrets(self, tournament: "Tournament") -> None:
        """Remove the key from this process."""
        table = _table_of(tournament)
        if table is not None and table.key_variable:
            forget(table.key_variable)


SERVICE = ModelService()


def _table_of(tournament: "Tournament") -> "ModelTable | None":
    from arena.extras.models import table  # slow to import: a lane has no need of it

    return table.table_of(tournament)


@contextmanager
def _asked(provider: "Provider") -> "Iterator[Door]":
    """Run a broker that keeps nothing; ArenaError where the model could not be asked."""
    from arena.extras.models.asking import opened
    from arena.extras.models.calls import BudgetError, ModelError

    with opened(provider, None) as door:
        try:
            yield door
        except (ModelError, BudgetError) as error:
            raise ArenaError(f"model: {error}") from error


def provider_of(table: "ModelTable", home: Path) -> "Provider":
    """Return who answers by a table [model]; `home` is the workspace of its file."""
    from arena.extras.models.asking import Provider

    key_file = _key_file(table)
    if key_file is not None and key_file.resolve().is_relative_to(home.resolve()):
        raise ArenaError(
            f"model.key_file: {key_file}: lies in the workspace, which people share: "
            "move it elsewhere"
        )
    command = table.command or ()
    words = shlex.split(command) if isinstance(command, str) else command
    return Provider(
        kind=table.kind,
        name=table.name,
        url=table.url or "",
        command=tuple(words),
        folder=str(home.absolute()),
        key_variable=table.key_variable or "",
        key_file=str(key_file or ""),
        wait=table.wait,
        retries=table.retries,
        rate=table.rate,
        at_once=table.at_once,
        tokens=table.event_tokens,
        cost=table.event_cost,
        price_in=table.price_in,
        price_out=table.price_out,
        tapes=tuple(str(_tape_folder(home, name)) for name in table.tapes),
    )


def _key_file(table: "ModelTable") -> Path | None:
    return None if table.key_file is None else Path(table.key_file).expanduser().absolute()


def _tape_folder(home: Path, name: str) -> Path:
    folder = folders.results_folder(home, name)
    if not (folder / folders.EVENT_FILE).is_file() or "/" in name:
        raise ArenaError(f"model.tapes: there is no event {name!r} under {home / 'results'}")
    return folder.absolute()
