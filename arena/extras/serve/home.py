"""The first page of an author: newest matches, the rating of each version, bots to challenge.

It reads the archive of the event, in a process of the server, and knows no account: the caller
names the bots. It has no words that a bot wrote; those are on the page of each bot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.extras.serve import jobs
from arena.protocol import clean
from arena.results.archive import NoResultsError
from arena.results.columns import VERSIONS, interval_text
from arena.results.leaderboard import Results
from arena.results.tables import rows_of

MOST_MATCHES = 10
MOST_RIVALS = 3
DIGITS = 6
"""The digits of a digest that the site shows."""


@dataclass(frozen=True)
class OwnMatch:
    """A match of an own bot, as its author tells it."""

    id: str
    board: str
    bot: str
    role: str
    result: str
    """`won`, `lost` or `drawn`."""
    score: int
    reason: str
    """How the match ended; if the bot was at fault, by which ending."""
    opponents: tuple[str, ...]


@dataclass(frozen=True)
class RatedVersion:
    """A version of an own bot that has played."""

    bot: str
    digest: str
    rating: str
    interval: str
    rank: str
    matches: int


@dataclass(frozen=True)
class Rival:
    """A bot that stands just above an own bot."""

    bot: str
    name: str
    above: str
    """The own bot."""
    game: str
    difference: str
    """How much stronger it is, in the unit of the rating."""


@dataclass(frozen=True)
class Home:
    """What the page has of an event."""

    matches: tuple[OwnMatch, ...] = ()
    versions: tuple[RatedVersion, ...] = ()
    rivals: tuple[Rival, ...] = ()
    has_chart: bool = False
    """Whether the chart `progress` was drawn, which shows the same ratings."""


def home(folder: Path, bots_of_author: frozenset[str]) -> Home:
    """Return what the author of these bots sees first; nothing where nothing was played."""
    try:
        matches = _matches(folder, bots_of_author)
        with jobs.results_of(folder) as results:
            return Home(
                matches,
                _versions(results, bots_of_author),
                _rivals(results, bots_of_author),
                has_chart=(folder / "charts" / "progress.svg").is_file(),
            )
    except NoResultsError:
        return Home()


def _matches(folder: Path, bots_of_author: frozenset[str]) -> tuple[OwnMatch, ...]:
    """Return the newest matches of these bots, the newest first."""
    lines = {}
    for bot in sorted(bots_of_author):
        of_bot, _, _, _ = jobs.matches(folder, MOST_MATCHES, (("bot", bot),))
        lines.update({line.number: line for line in of_bot})
    matches = []
    for number in sorted(lines, reverse=True)[:MOST_MATCHES]:
        line = lines[number]
        seat = next(seat for seat in line.seats if seat.bot in bots_of_author)
        result = "drawn"
        if seat.won is not None:
            result = "won" if seat.won else "lost"
        opponents = tuple(
            dict.fromkeys(other.display for other in line.seats if other.bot not in bots_of_author)
        )
        matches.append(
            OwnMatch(
                id=line.id,
                board=line.board,
                bot=clean(seat.bot),
                role=seat.role,
                result=result,
                score=seat.score,
                reason=seat.ending or line.reason,
                opponents=opponents,
            )
        )
    return tuple(matches)


def _versions(results: Results, bots_of_author: frozenset[str]) -> tuple[RatedVersion, ...]:
    """Return the versions of these bots that have played, the newest first; () if each has one."""
    columns = VERSIONS.rated_in(results.unit)
    versions = []
    for row in rows_of(results.versions(), columns):
        if row["bot"] in bots_of_author and row["rating"] is not None:
            low = columns["rating_low"].text(row["rating_low"])
            high = columns["rating_high"].text(row["rating_high"])
            versions.append(
                RatedVersion(
                    bot=clean(row["bot"]),
                    digest=row["digest"],
                    rating=columns["rating"].text(row["rating"]),
                    interval=interval_text(low, high),
                    rank=str(row["rank"] or "-"),
                    matches=row["matches"],
                )
            )
    return tuple(reversed(versions))


def with_gaps(
    rated: tuple[RatedVersion, ...], submitted: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[RatedVersion, ...]:
    """Return the rated versions with those between that never played, by bot, the newest first.

    `submitted` has for each bot the `number` and the beginning of the `digest` of each version.
    """
    numbers: dict[tuple[str, str], int] = {}
    for bot, versions in submitted.items():
        for version in versions:
            numbers[clean(bot), version["digest"]] = version["number"]
    bots = {version.bot for version in rated}
    played = {(version.bot, version.digest[:DIGITS]) for version in rated}
    rows = list(rated)
    for bot, digest in numbers:
        if bot in bots and (bot, digest) not in played:
            rows.append(
                RatedVersion(
                    bot=bot, digest=digest, rating="-", interval="no results", rank="-", matches=0
                )
            )

    def newest_first(row: RatedVersion) -> tuple[str, int]:
        number = numbers.get((row.bot, row.digest[:DIGITS]), 0)
        return row.bot, -number

    return tuple(sorted(rows, key=newest_first))


def _rivals(results: Results, bots_of_author: frozenset[str]) -> tuple[Rival, ...]:
    """Return the bots just above the best of these bots in each game, the nearest first."""
    rivals = []
    for league in results.leagues:
        ranked = [standing.bot for standing in league.standings if standing.rank is not None]
        best = next((bot for bot in ranked if bot in bots_of_author), None)
        if best is None:
            continue
        strength = {rating.bot: rating.strength.value for rating in league.ratings.ratings}
        position = ranked.index(best)
        for bot in reversed(ranked[max(0, position - MOST_RIVALS) : position]):
            more = strength[bot] - strength[best]
            rivals.append(
                Rival(
                    bot=bot,
                    name=clean(league.display_name(bot)),
                    above=clean(league.display_name(best)),
                    game=clean(league.game or results.games[0]),
                    difference=f"{more:.0f} {league.unit}",
                )
            )
    return tuple(rivals)
