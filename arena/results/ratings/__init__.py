"""Ratings: the strengths of the bots and their uncertainty.

A rating is one file here, with the function of `Rule`. A rating is one fit of all records, never a
running sum, so the order of the records changes nothing. Pure: values in, values out. The parts
that the files share are in `fitting/`: intervals come from bootstrap.py and intervals.py there.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, cast

from pydantic import BeforeValidator, PlainSerializer, PlainValidator

from arena.errors import ArenaError, known_are
from arena.game import Role


def _encode(array: Any) -> Any:
    data = b64encode(array.tobytes())
    return array.dtype.str, array.shape, data.decode()


def _decode(array: tuple[str, list[int], str]) -> Any:
    # Here, because a command that asks for the names of ratings must not wait for numpy.
    import numpy as np

    dtype, shape, data = array
    flat = np.frombuffer(b64decode(data), dtype=dtype)
    return flat.reshape(shape)


if TYPE_CHECKING:
    from arena.results.arrays import Arrays, Floats, Mask
else:
    # For pydantic: in JSON an array is its type, its shape and its bytes in base64, so that every
    # bit comes back.
    Floats = Mask = Annotated[Any, PlainSerializer(_encode), PlainValidator(_decode)]

REFITS = 1000
"""Resamples of each figure, from which intervals are cut."""


class Strength(NamedTuple):
    """A figure and its 95 % interval; an end that no match bounds is infinite."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float, offset: float) -> "Strength":
        """Return the same strength on another scale."""
        return Strength(
            value=offset + factor * self.value,
            low=offset + factor * self.low,
            high=offset + factor * self.high,
        )


def _from_pairs(pairs: Any) -> Any:
    return {tuple(board_role): strength for board_role, strength in pairs}


ByBoardRole = Annotated[
    Mapping[tuple[str, Role], Strength],
    PlainSerializer(lambda strengths: list(strengths.items())),
    BeforeValidator(_from_pairs),
]
"""Strengths by (`game/board`, role). In JSON, where a key is one text, it is a list of pairs."""


@dataclass(frozen=True, kw_only=True)
class Rating:
    """The strength of one bot."""

    rank: int
    """Equal values share a rank (1, 1, 3)."""
    bot: str
    matches: int
    strength: Strength
    """The mean over all boards and roles, which weigh alike."""
    ranks: tuple[int, int]
    """The best and the worst rank that the matches leave open, at 95 %."""
    tier: int
    """From 1; bots of one tier cannot be told apart from the best of them."""
    roles: ByBoardRole
    """Only for roles that it played; the average bot of each role has the value of the average
    bot."""


class Ranked(NamedTuple):
    """A bot in a ranking."""

    rank: int
    """Equal values share a rank (1, 1, 3)."""
    bot: str
    strength: Strength
    ranks: tuple[int, int]
    """The best and the worst rank that the matches leave open, at 95 %."""

    def scaled(self, factor: float, offset: float) -> "Ranked":
        """Return the same bot with its strength on another scale."""
        strength = self.strength.scaled(factor, offset)
        return self._replace(strength=strength)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The bots of one role of a board, or of a whole board, best first."""

    board: str
    """`game/board`."""
    role: Role | None
    """None: the mean over all roles of the board, of the bots that played every role."""
    rows: tuple[Ranked, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Ratings:
    """The strengths of the bots of an event, relative to each other."""

    unit: str
    """Of every strength: `logits`, `Elo` or `points`."""
    ratings: tuple[Rating, ...]
    """Best first; only bots that played."""
    better: Floats
    """The chance that a row's bot is stronger than a column's, 0 to 1, in the order of `ratings`;
    0.5 with itself."""
    resamples: Floats
    """A row for each of `ratings`: its strength in each refit. Differences and their intervals are
    read from these."""
    bounded: Mask
    """[i, j]: matches prove that bot i is not arbitrarily weaker than bot j, in the order of
    `ratings`."""
    advantages: ByBoardRole
    """Of each (`game/board`, role) between average bots; roles that always score alike stand under
    their first."""
    rankings: tuple[Ranking, ...]
    """For each board: a ranking over all its roles, where it has several, then one of each role."""
    groups: tuple[tuple[str, ...], ...]
    """Bots linked by matches, the largest group first; bots of two groups can't be compared."""
    repeated: int
    """Matches that are copies of others, move for move: nothing in them was sampled."""
    has_plain_fit: bool = True
    """False if a fit without a prior was wanted, but has no finite answer."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a reader of these ratings, a sentence each; no bot is named."""
        warnings = []
        if len(self.groups) > 1:
            warnings.append(
                f"the bots fall into {len(self.groups)} groups that never met: ranks across them "
                f"are guesses; "
                "play the missing pairs"
            )
        if self.repeated:
            warnings.append(
                f"{self.repeated} matches are copies of others, move for move, so they make no "
                "interval narrower: only [openings] or boards with chance would show more"
            )
        if not self.has_plain_fit:
            warnings.append(
                "there is no finite fit without a prior, because a bot or a role has won or lost "
                "everything, or because groups of bots never met; these ratings have the prior"
            )
        return tuple(warnings)

    def scaled(self, unit: str, factor: float, offset: float) -> "Ratings":
        """Return the same ratings on another scale.

        Advantages are differences, so they have no offset.
        """
        ratings = []
        for rating in self.ratings:
            strength = rating.strength.scaled(factor, offset)
            roles = _scaled(rating.roles, factor, offset)
            ratings.append(replace(rating, strength=strength, roles=roles))
        rankings = []
        for ranking in self.rankings:
            rows = [row.scaled(factor, offset) for row in ranking.rows]
            rankings.append(replace(ranking, rows=tuple(rows)))
        return replace(
            self,
            unit=unit,
            ratings=tuple(ratings),
            resamples=offset + factor * self.resamples,
            advantages=_scaled(self.advantages, factor, 0),
            rankings=tuple(rankings),
        )


def _scaled(
    strengths: ByBoardRole,
    factor: float,
    offset: float,
) -> dict[tuple[str, Role], Strength]:
    """Return the same strengths on another scale."""
    scaled = {}
    for board_role, strength in strengths.items():
        scaled[board_role] = strength.scaled(factor, offset)
    return scaled


class Rule(Protocol):
    """The function that a file in this folder has."""

    def rate(
        self,
        arrays: "Arrays",
        *,
        seed: int = 0,
        refits: int = REFITS,
    ) -> Ratings:
        """Rate all bots of these matches; the seed fixes the resamples of the intervals."""
        ...


@dataclass(frozen=True)
class _WithoutPrior:
    """A rating that is a fit, without its prior."""

    module: Any

    def rate(
        self,
        arrays: "Arrays",
        *,
        seed: int = 0,
        refits: int = REFITS,
    ) -> Ratings:
        ratings: Ratings = self.module.rate(
            arrays,
            seed=seed,
            refits=refits,
            prior=False,
        )
        return ratings


WITH_PRIOR = ("bradley_terry", "elo")
"""The ratings that are a fit with a prior."""


def names() -> tuple[str, ...]:
    """Return the names of all ratings: the modules of this folder."""
    modules = iter_modules(__path__)
    return tuple(module.name for module in modules if not module.ispkg)


def known(name: str) -> str:
    """Return the name; raise ArenaError if there is no rating of that name."""
    if name not in names():
        raise ArenaError(f"rating: there is no {name!r}; {known_are(name, names())}")
    return name


def find(name: str, *, prior: bool = True) -> Rule:
    """Return the rating of that name; raise ArenaError if there is none.

    Without a `prior`, the ratings WITH_PRIOR draw no bot towards the average; others have no prior.
    """
    module = import_module(f"{__name__}.{known(name)}")
    if not prior and name in WITH_PRIOR:
        return _WithoutPrior(module)
    return cast("Rule", module)
