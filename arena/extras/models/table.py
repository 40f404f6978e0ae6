"""The tables [model] and [models.NAME] of tournament.toml."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import (
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from arena.errors import ArenaError
from arena.event.config.keys import MOST_WORKERS, Words, web_address
from arena.event.tables import (
    MOST,
    Amount,
    AmountOrNone,
    CountOrNone,
    ExtensionTable,
    ModelAlias,
    Names,
    Seconds,
    Table,
)
from arena.event.tables.mistakes import Mistake
from arena.games import rulebook
from arena.values import (
    DEFAULT_MODEL,
    MODERN_LIMIT,
    USUAL_LIMIT,
    Board,
    Conditions,
    ModelTerms,
)

if TYPE_CHECKING:
    from arena.event.config import Tournament

Kind = Literal["url", "command", "tape"]
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
TERMS = ModelTerms(name="")  # the defaults
ARENAS_FIELDS = ("model", "messages", "tokens", "stream", "n")
"""Fields of a request that arena fills: with others no answer could be read or counted."""
MOST_FIELDS_BYTES = 20_000
ALIAS = TypeAdapter(ModelAlias)


class ModelTable(ExtensionTable):
    """[model]: a language model that bots may ask (docs/extras/models.md)."""

    name: str = Field(
        min_length=1, max_length=200, description="The model, as its provider calls it."
    )
    provider: Kind | None = Field(
        None, description="Left out: the `url` or the `command`; `tape`: recorded answers."
    )
    url: Annotated[str | None, BeforeValidator(web_address)] = Field(
        None,
        description="A server that speaks the OpenAI chat format, "
        "such as http://localhost:11434/v1.",
    )
    command: Words = Field(
        None,
        description="Instead: the words of a program that reads a request as JSON "
        "and prints an answer.",
    )
    key_variable: Annotated[str | None, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = Field(
        None, description="The variable with the provider's key."
    )
    key_file: str | None = Field(
        None, description="Instead: a file outside the workspace that only you may read."
    )
    tapes: Names = Field(
        (), description="Names of other events here whose answers serve in this one, too."
    )
    request: dict[str, Any] = Field(
        default_factory=dict,
        description="Fields of each request, as they are, such as `temperature = 0.0`.",
    )
    calls: int = Field(
        TERMS.calls, ge=1, le=10_000, description="Answers for each seat in a match."
    )
    move: CountOrNone = Field(
        TERMS.move,
        ge=1,
        le=MOST,
        description="Tokens for each turn of a seat, those of its questions too, "
        "before the bank is touched.",
    )
    bank: int = Field(
        0, ge=0, le=MOST, description="Tokens a match for what turns take beyond `move`, added up."
    )
    cost: AmountOrNone = Field(
        None, description="The most that the calls of a seat may cost in a match."
    )
    price_in: Amount = Field(0.0, description="The price of a million tokens of questions.")
    price_out: Amount = Field(0.0, description="The price of a million tokens of answers.")
    price_cached: AmountOrNone = Field(
        None, description="The price of a million tokens of questions from the provider's cache."
    )
    price_cache_write: AmountOrNone = Field(
        None, description="The same of tokens that the provider writes to its cache."
    )
    event_tokens: CountOrNone = Field(
        None, ge=1, le=MOST, description="The event's budget; no call begins beyond it."
    )
    event_cost: AmountOrNone = Field(None, description="The same as a cost.")
    most_at_once: int = Field(
        4,
        ge=1,
        le=MOST_WORKERS,
        validation_alias=AliasChoices("most_at_once", "at_once"),
        description="Calls at once, of all lanes together.",
    )
    rate: AmountOrNone = Field(None, gt=0, description="Calls a minute, of all lanes together.")
    wait: Seconds = Field(
        120.0,
        gt=0,
        le=3600,
        description="Seconds that a call may take.",
    )
    patience: Seconds = Field(
        600.0,
        ge=0,
        le=86400,
        description="Seconds that the run waits for a provider that is away; then it ends.",
    )
    retries: int = Field(
        3, ge=0, le=20, description="How often a call is made again whose answer cannot be read."
    )
    disguise: bool = Field(
        False, description="Play each board again, in other words for bots with a model."
    )

    @model_validator(mode="after")
    def _has_one_provider(self) -> "ModelTable":
        if self.url is not None and self.command is not None:
            raise Mistake("command: there is a `url` as well: leave one of them out")
        if self.key_variable is not None and self.key_file is not None:
            raise Mistake("key_file: there is a `key_variable` as well: leave one of them out")
        if self.provider in {"url", "command"} and getattr(self, self.provider) is None:
            raise Mistake(f"{self.provider}: missing, though it is the provider")
        has_neither = self.url is None and self.command is None
        if self.provider is None and has_neither:
            raise Mistake('url: missing; give a `url`, a `command`, or provider = "tape"')
        words: Sequence[str] | None = self.command
        if isinstance(words, str):
            words = words.split()
        if words is not None and not words:
            raise Mistake("command: has no words")
        url = self.url or ""
        if "?" in url or "#" in url:
            raise Mistake("url: it ends with the path: leave out `?` or `#` and what follows")
        address = urlsplit(url)
        is_in_the_open = address.scheme == "http" and address.hostname not in LOOPBACK
        if is_in_the_open and (self.key_variable or self.key_file):
            raise Mistake("url: a key travels by https only, unless the server is on this machine")
        return self

    @model_validator(mode="after")
    def _has_possible_fields(self) -> "ModelTable":
        for name in ARENAS_FIELDS:
            if name in self.request:
                raise Mistake(f"request.{name}: arena fills this field: leave it out")
        _refuse_other_values("request", self.request)
        limits = [name for name in (USUAL_LIMIT, MODERN_LIMIT) if name in self.request]
        if len(limits) > 1:
            raise Mistake(f"request.{USUAL_LIMIT}: there is a `{MODERN_LIMIT}` as well")
        for name in limits:
            most = self.request[name]
            if type(most) is not int or most < 1:
                raise Mistake(f"request.{name}: expected a whole number from 1")
        if len(json.dumps(self.request)) > MOST_FIELDS_BYTES:
            raise Mistake(f"request: has more than {MOST_FIELDS_BYTES // 1000} kB")
        return self

    @property
    def kind(self) -> Kind:
        """The kind of provider that answers."""
        if self.provider is not None:
            return self.provider
        if self.url is not None:
            return "url"
        return "command"

    def terms(self, alias: str) -> ModelTerms:
        """Return what a seat may ask in a match, the prices, and the model's fields."""
        request = ""
        if self.request:
            request = json.dumps(self.request, sort_keys=True)
        return ModelTerms(
            name=self.name,
            alias=alias,
            calls=self.calls,
            move=self.move,
            bank=self.bank,
            cost=self.cost,
            price_in=self.price_in,
            price_out=self.price_out,
            price_cached=self.price_cached,
            price_cache_write=self.price_cache_write,
            request=request,
        )

    def conditions(self, before: Conditions) -> Conditions:
        """Return the conditions of every match with what a seat may ask."""
        return replace(before, model=self.terms(DEFAULT_MODEL))

    def boards(self, before: tuple[Board, ...]) -> tuple[Board, ...]:
        """Return the boards, with each of them in disguise, too, where the table says so."""
        if not self.disguise:
            return before
        disguised = map(rulebook.in_disguise, before)
        return (*before, *disguised)


class ModelsTable(ExtensionTable):
    """[models.NAME]: a language model that the bots ask which name it (docs/extras/models.md)."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, ModelTable] = Field(init=False)

    @model_validator(mode="after")
    def _has_possible_names(self) -> "ModelsTable":
        for name in self.tables:
            try:
                ALIAS.validate_python(name)
            except ValidationError:
                raise Mistake(
                    f"{name[:80]!r}: expected a name of up to 40 letters, digits and _ -"
                ) from None
        return self

    @classmethod
    def inner(cls) -> type[Table]:
        """Return the class of a table of one model."""
        return ModelTable

    @property
    def tables(self) -> Mapping[str, ModelTable]:
        """The table of each model by its alias."""
        return self.__pydantic_extra__

    def conditions(self, before: Conditions) -> Conditions:
        """Return the conditions of every match with what a seat may ask of each model."""
        terms = {alias: table.terms(alias) for alias, table in self.tables.items()}
        default = terms.pop(DEFAULT_MODEL, None)
        if default is not None and before.model is not None:
            raise ArenaError(
                "models.default: there is a table [model] as well, which is the same: "
                "leave one of them out"
            )
        models = tuple(terms[alias] for alias in sorted(terms))
        default = default or before.model
        return replace(before, model=default, models=models)

    def boards(self, before: tuple[Board, ...]) -> tuple[Board, ...]:
        """Return the boards, with each of them in disguise, too, where a table says so."""
        for table in self.tables.values():
            if table.disguise:
                return table.boards(before)
        return before


def _refuse_other_values(key: str, value: object) -> None:
    """Raise Mistake for a value of TOML that JSON does not have."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _refuse_other_values(f"{key}.{name}", inner)
    elif isinstance(value, list):
        for inner in value:
            _refuse_other_values(key, inner)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Mistake(f"{key}: JSON has no such number: expected a finite one")
    elif not isinstance(value, str | bool | int | float):
        raise Mistake(f"{key}: JSON has no dates and times: write a text, in quotes")


def tables_of(tournament: "Tournament") -> dict[str, ModelTable]:
    """Return the tables of the models of a tournament.toml by alias, the default model first."""
    default = cast("ModelTable | None", tournament.table("model"))
    named = cast(ModelsTable, tournament.table("models")).tables
    if default is None:
        default = named.get(DEFAULT_MODEL)
    tables: dict[str, ModelTable] = {}
    if default is not None:
        tables[DEFAULT_MODEL] = default
    for alias in sorted(named):
        tables.setdefault(alias, named[alias])
    return tables
