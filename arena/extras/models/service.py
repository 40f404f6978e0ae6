"""The language models as a service of an event: who answers, by [model] and [models.NAME].

It knows these tables of tournament.toml. asking.py runs the process that asks, and calls.py reads
what bots ask.
"""

import os
import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from arena.errors import ArenaError
from arena.event.service import Opener, Service
from arena.protocol import quoted
from arena.results import folders
from arena.sandbox.exposure import forget
from arena.values import ANSWER_ENDS, DEFAULT_MODEL, Bot, Event, Record

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.extras.models.asking import Provider
    from arena.extras.models.calls import Door
    from arena.extras.models.table import ModelTable

NAME = "models"
"""The name of the service."""
TRIAL = "Answer with the one word: ready"
TRIAL_TOKENS = 2000
"""The most tokens of the answer to that: a model that thinks needs many."""
MOST_PATIENCE_S = 10.0
"""How long single matches wait for a provider that is away: somebody sits before them."""


class ModelService(Service):
    """The language models of an event."""

    def opener(self, tournament: "Tournament", home: Path) -> Opener | None:
        """Return what runs the broker, whose tape lies in the folder of the event."""
        providers = providers_of(tournament, home)
        if not providers:
            return None
        from arena.extras.models.asking import opened

        return partial(opened, providers)

    def asking(self, tournament: "Tournament", home: Path) -> "AbstractContextManager[Door] | None":
        """Return what answers bots of single matches; what the event here has recorded is free."""
        providers = providers_of(tournament, home)
        if not providers:
            return None
        results = folders.results_folder(home, tournament.name)
        if (results / folders.EVENT_FILE).is_file():
            tape = str(results.absolute())
            providers = tuple(
                replace(provider, tapes=(tape, *provider.tapes)) for provider in providers
            )
        impatient = []
        for provider in providers:
            patience = min(provider.patience, MOST_PATIENCE_S)
            impatient.append(replace(provider, patience=patience))
        return _asked(impatient)

    def recorded(self, record: Record) -> object:
        """Return what gives the recorded answers."""
        from arena.extras.models.calls import Recorded

        return Recorded(record)

    def refuse(
        self,
        event: Event,
        *,
        is_served: bool,
        elsewhere: bool,
    ) -> None:
        """Refuse an event with a model that nobody answers for, or whose lanes cannot reach it."""
        if not event.conditions.has_models:
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

    def who(self, tournament: "Tournament", bot: Bot) -> str:
        """Return who answers a bot that needs a model."""
        tables = _tables_of(tournament)
        if not tables:
            return (
                "no language model answers here, so it plays as when it is refused: "
                "[model] in tournament.toml names one"
            )
        reason = tournament.left_out(bot)
        if reason:
            return f"no language model answers it, and no event here has it: it {reason}"
        alias = tournament.as_entered(bot).model_alias or DEFAULT_MODEL
        return (
            f"{tables[alias].name} answers it, by [{key_of(tournament, alias)}] in "
            "tournament.toml; what the event has on tape is free"
        )

    def unasked(self, tournament: "Tournament") -> str:
        """Return why no model is asked here: a variable with a key is missing."""
        for alias, table in _tables_of(tournament).items():
            name = table.key_variable
            if not name or table.kind == "tape":
                continue
            if name not in os.environ:
                where = f"{key_of(tournament, alias)}.key_variable: {name}"
                return (
                    f"{where}: there is no such variable, so no language model is asked, and the "
                    "bot plays as when it is refused"
                )
        return ""

    def trial(self, opened: object, tournament: "Tournament", bot: Bot) -> str:
        """Ask the model of a bot once, and return what it said, how long it took, and its cost."""
        from arena.extras.models.calls import ModelRequest

        alias = tournament.as_entered(bot).model_alias or DEFAULT_MODEL
        table = _tables_of(tournament).get(alias)
        if table is None or table.kind == "tape" or tournament.left_out(bot):
            return ""
        terms = table.terms(alias)
        most_tokens = terms.most_tokens or TRIAL_TOKENS
        request = {
            "messages": [{"role": "user", "content": TRIAL}],
            "tokens": min(TRIAL_TOKENS, most_tokens),
        }
        key = secrets.token_hex(16)  # no tape has it
        call = ModelRequest(
            key,
            alias,
            bot=bot.name,
            match="check",
            request=request,
        )
        answer = cast("Door", opened).answer(call)
        quotation = "nothing"
        if answer.text:
            quotation = quoted(answer.text)
        end = ANSWER_ENDS.get(answer.end)
        if end:
            quotation += f" ({end})"
        cost = terms.cost_of(answer)
        price = ""
        if cost:
            price = f", which cost {cost:.4g}"
        return (
            f"{table.name} was asked once, and said {quotation} after {answer.seconds:.1f} s, "
            f"with {answer.tokens_in} tokens in and {answer.tokens_out} out{price}; "
            "--no-ask asks nobody"
        )

    def sentences(
        self,
        event: Event,
        folder: Path,
        tournament: "Tournament",
    ) -> Iterator[str]:
        """Yield what the matches to come will cost, and what the budget has left."""
        tables = _tables_of(tournament)
        if not tables:
            return
        from arena.extras.models import estimates

        by_alias = {}
        for alias, table in tables.items():
            by_alias[alias] = (key_of(tournament, alias), table)
        yield from estimates.sentences(event, folder, by_alias)

    def waits(self, opened: object) -> tuple[str, ...]:
        """Return which providers are away, and until when they are waited for."""
        return cast("Door", opened).waits()

    def when_spent(self) -> str:
        """Part of `Service`."""
        return (
            "the budget for the language model is used up: "
            "raise model.event_tokens or model.event_cost"
        )

    def matches_at_once(self, tournament: "Tournament") -> int:
        """Return the number of calls at once of all models: most matches wait for one."""
        return sum(table.most_at_once for table in _tables_of(tournament).values())

    def secret_files(self, tournament: "Tournament") -> tuple[Path, ...]:
        """Return the files with the keys."""
        files: list[Path] = []
        for table in _tables_of(tournament).values():
            file = _key_file(table)
            if file is not None:
                files.append(file)
        return tuple(files)

    def forget_secrets(self, tournament: "Tournament") -> None:
        """Remove the keys from this process."""
        for table in _tables_of(tournament).values():
            if table.key_variable:
                forget(table.key_variable)


SERVICE = ModelService()


def _tables_of(tournament: "Tournament") -> "dict[str, ModelTable]":
    from arena.extras.models import table  # slow to import: a lane has no need of it

    return table.tables_of(tournament)


def key_of(tournament: "Tournament", alias: str) -> str:
    """Return the name of a model's table in tournament.toml, for messages."""
    if alias == DEFAULT_MODEL and tournament.table("model") is not None:
        return "model"
    return f"models.{alias}"


@contextmanager
def _asked(providers: "Sequence[Provider]") -> "Iterator[Door]":
    """Run a broker that keeps nothing; ArenaError where the model could not be asked."""
    from arena.extras.models.asking import opened
    from arena.extras.models.calls import BudgetError, ModelError

    with opened(providers, None) as door:
        try:
            yield door
        except (ModelError, BudgetError) as error:
            raise ArenaError(f"model: {error}") from error


def providers_of(tournament: "Tournament", home: Path) -> "tuple[Provider, ...]":
    """Return who answers for each model; `home` is the workspace of the file."""
    providers = []
    for alias, table in _tables_of(tournament).items():
        key = key_of(tournament, alias)
        providers.append(_provider_of(alias, key, table, home))
    return tuple(providers)


def _provider_of(
    alias: str,
    key: str,
    table: "ModelTable",
    home: Path,
) -> "Provider":
    """Return who answers by a table, whose name in tournament.toml is `key`."""
    from arena.extras.models.asking import Provider

    key_file = _key_file(table)
    if key_file is not None and key_file.resolve().is_relative_to(home.resolve()):
        raise ArenaError(
            f"{key}.key_file: {key_file}: lies in the workspace, which people share: "
            "move it elsewhere"
        )
    words = table.command or ()
    if isinstance(words, str):
        words = tuple(shlex.split(words))
    tapes: list[str] = []
    for name in table.tapes:
        tape_folder = _tape_folder(home, name, key)
        tapes.append(str(tape_folder))
    return Provider(
        kind=table.kind,
        name=table.name,
        alias=alias,
        table=key,
        fields=table.terms(alias).request,
        url=table.url or "",
        command=words,
        folder=str(home.absolute()),
        key_variable=table.key_variable or "",
        key_file=str(key_file or ""),
        wait=table.wait,
        patience=table.patience,
        retries=table.retries,
        rate=table.rate,
        at_once=table.most_at_once,
        tokens=table.event_tokens,
        cost=table.event_cost,
        price_in=table.price_in,
        price_out=table.price_out,
        price_cached=table.price_cached,
        price_cache_write=table.price_cache_write,
        tapes=tuple(tapes),
    )


def _key_file(table: "ModelTable") -> Path | None:
    if table.key_file is None:
        return None
    return Path(table.key_file).expanduser().absolute()


def _tape_folder(home: Path, name: str, key: str) -> Path:
    folder = folders.results_folder(home, name)
    is_event = (folder / folders.EVENT_FILE).is_file()
    if not is_event or "/" in name:
        raise ArenaError(f"{key}.tapes: there is no event {name!r} under {home / 'results'}")
    return folder.absolute()
