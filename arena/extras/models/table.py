"""The table [model] of tournament.toml."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, cast
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from arena.event.config.keys import MOST_WORKERS, Words, web_address
from arena.event.tables import (
    MOST,
    Amount,
    AmountOrNone,
    CountOrNone,
    ExtensionTable,
    Names,
    Seconds,
)
from arena.event.tables.mistakes import Mistake
from arena.games import rulebook
from arena.values import Board, Conditions, ModelTerms

if TYPE_CHECKING:
    from arena.event.config import Tournament

Kind = Literal["url", "command", "tape"]
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
TERMS = ModelTerms(name="")  # the defaults


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
        description="A server that speaks the OpenAI chat format, such as http://localhost:11434/v1.",
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
    event_tokens: CountOrNone = Field(
        None, ge=1, le=MOST, description="The event's budget; no call begins beyond it."
    )
    event_cost: AmountOrNone = Field(None, description="The same as a cost.")
    at_once: int = Field(
        4, ge=1, le=MOST_WORKERS, description="Calls at once, of all lanes together."
    )
    rate: AmountOrNone = Field(None, gt=0, description="Calls a minute, of all lanes together.")
    wait: Seconds = Field(120.0, gt=0, le=3600, description="Seconds that a call may take.")
    retries: int = Field(3, ge=0, le=20, description="How often a call that failed is tried again.")
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
        if self.provider is None and self.url is None and self.command is None:
            raise Mistake('url: missing; give a `url`, a `command`, or provider = "tape"')
        words = self.command.split() if isinstance(self.command, str) else self.command
        if words is not None and not words:
            raise Mistake("command: has no words")
        if {*"?#"}.intersection(self.url or ""):
            raise Mistake("url: it ends with the path: leave out `?` or `#` and what follows")
        has_key, where = self.key_variable or self.key_file, urlsplit(self.url or "")
        if has_key and where.scheme == "http" and where.hostname not in LOOPBACK:
            raise Mistake("url: a key travels by https only, unless the server is on this machine")
        return self

    @property
    def kind(self) -> Kind:
        """The kind of provider that answers."""
        return self.provider or ("url" if self.url is not None else "command")

    @property
    def terms(self) -> ModelTerms:
        """The limits and prices of what a seat may ask in a match."""
        names = ("name", "calls", "move", "bank", "cost", "price_in", "price_out")
        return ModelTerms(**{name: getattr(self, name) for name in names})

    def conditions(self, before: Conditions) -> Conditions:
        """Return the conditions of every match with what a seat may ask."""
        return replace(before, model=self.terms)

    def boards(self, before: tuple[Board, ...]) -> tuple[Board, ...]:
        """Return the boards, with each of them in disguise, too, where the table says so."""
        if not self.disguise:
            return before
        return (*before, *map(rulebook.in_disguise, before))


def table_of(tournament: "Tournament") -> ModelTable | None:
    """Return the table [model] of a tournament.toml; None in an event without a model."""
    return cast("ModelTable | None", tournament.table("model"))
