"""How strong the bots are, and how sure that is: one file a rating, found by its name, with the function of `Rule`.

A rating is one fit of all records, never a running sum, so the order of the records changes nothing. Pure: values in,
values out. What the files share is in `fitting/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from arena.errors import ArenaError, known_are
from arena.game import Role

if TYPE_CHECKING:  # who only asks for the names, such as tournament.toml, waits for no numpy
    from arena.ratings.fitting.columns import Columns, Floats

REFITS = 1000


class Strength(NamedTuple):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float, offset: float) -> "Strength":
        """The same on another scale."""
        return Strength(*(offset + factor * figure for figure in self))


@dataclass(frozen=True, kw_only=True)
class Rating:
    """How strong one bot is."""

    rank: int
    """Equal values share a rank (1, 1, 3)."""
    bot: str
    matches: int
    strength: Strength
    """Over all (board, role) alike."""
    ranks: tuple[int, int]
    """The best and the worst rank that the matches leave open, at 95 %."""
    tier: int
    """From 1; bots of one tier are not surely below its best."""
    roles: Mapping[tuple[str, Role], Strength]
    """By (`game/board`, role), where it played; the average bot of that role stands where the average bot does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Ratings:
    """How strong the bots of an event are, relative to each other."""

    unit: str
    """Of every strength: `logits`, `Elo` or `points`."""
    ratings: tuple[Rating, ...]
    """Best first; only bots that played."""
    better: "Floats"
    """The chance that a row's bot is stronger than a column's, 0 to 1, in the order of `ratings`; 0.5 with itself."""
    draws: "Floats"
    """A row for each of `ratings`: its strength in each refit. What differences and their intervals are read off."""
    advantages: Mapping[tuple[str, Role], Strength]
    """Of each (`game/board`, role) between average bots; roles that always score alike stand under their first."""
    groups: tuple[tuple[str, ...], ...]
    """Bots tied together by matches, largest first; between groups there is nothing to compare."""
    repeated: int
    """Matches that told nothing, because the same bots had played the same moves before."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of these ratings should know, a sentence each; no bot is named."""
        found = []
        if len(self.groups) > 1:
            found.append(
                f"the bots fall into {len(self.groups)} groups that never met: ranks across them are guesses; "
                "play the missing pairs"
            )
        if self.repeated:
            found.append(
                f"{self.repeated} matches repeat others move for move and count once with them: "
                "more repeats of bots without chance add nothing"
            )
        return tuple(found)

    def scaled(self, unit: str, factor: float, offset: float) -> "Ratings":
        """The same on another scale; advantages are differences, so they have no offset."""
        ratings = (
            replace(
                one,
                strength=one.strength.scaled(factor, offset),
                roles={place: strength.scaled(factor, offset) for place, strength in one.roles.items()},
            )
            for one in self.ratings
        )
        advantages = {place: strength.scaled(factor, 0) for place, strength in self.advantages.items()}
        return replace(
            self, unit=unit, ratings=tuple(ratings), draws=offset + factor * self.draws, advantages=advantages
        )


class Rule(Protocol):
    """What a file in this folder is."""

    def rate(self, columns: "Columns", *, seed: int = 0, refits: int = REFITS) -> Ratings:
        """Rate all bots of these matches; the seed fixes what intervals are drawn from."""
        ...


def names() -> tuple[str, ...]:
    """The ratings there are."""
    return tuple(found.name for found in iter_modules(__path__) if not found.ispkg)


def known(name: str) -> str:
    """The same name; ArenaError when there is no rating of that name."""
    if name not in names():
        raise ArenaError(f"rating: there is no {name!r}; {known_are(name, names())}")
    return name


def find(name: str) -> Rule:
    """The rating of that name; ArenaError when there is none."""
    return cast("Rule", import_module(f"{__name__}.{known(name)}"))
