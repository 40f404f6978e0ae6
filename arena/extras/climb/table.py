"""The table [climb] of tournament.toml."""

from dataclasses import replace
from typing import Literal, cast

from pydantic import Field

from arena.event.config import Tournament
from arena.event.tables import MOST, AmountOrNone, CountOrNone, ExtensionTable, Seconds
from arena.values import ModelTerms


class ClimbTable(ExtensionTable):
    """[climb]: what `arena climb` lets agents use, and when it promotes (docs/extras/climb.md)."""

    door: Literal["lines", "http"] = Field(
        "lines",
        description="How an agent asks the model: `lines` on stdout; `http`: an endpoint "
        "on the loopback of a network of its own.",
    )
    promote: Literal["better", "level"] = Field(
        "better",
        description="What a new version must be proven: `better` than the one before; "
        "`level`: not worse by `points`.",
    )
    points: float = Field(
        5.0, gt=0, lt=100, description="The difference in points that the test is to tell."
    )
    pairings: int = Field(
        1000, ge=1, le=100_000, description="Pairings after which a test is undecided."
    )
    time: Seconds = Field(
        600.0, gt=0, le=86_400, description="Seconds of an agent in a round, without the model's."
    )
    calls: int = Field(
        100, ge=1, le=10_000, description="Answers of the model for each agent in a round."
    )
    tokens: CountOrNone = Field(
        200_000, ge=1, le=MOST, description="Tokens for each agent in a round."
    )
    cost: AmountOrNone = Field(
        None, description="The most that the calls of an agent may cost in a round."
    )

    def terms(self, model: ModelTerms) -> ModelTerms:
        """Return what an agent may ask of the event's model in a round."""
        return replace(
            model,
            calls=self.calls,
            move=self.tokens,
            bank=0,
            cost=self.cost,
        )


def table_of(tournament: Tournament) -> ClimbTable:
    """Return the table [climb] of a tournament.toml."""
    return cast(ClimbTable, tournament.table("climb"))
