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
        chart = folder / "charts" / "progress.svg"
        with jobs.results_of(folder) as results:
            return Home(
                matches=matches,
                versions=_versions(results, bots_of_author),
                rivals=_rivals(results, bots_of_author),
                has_chart=chart.is_file(),
            )
    except NoResultsError:
        return Home()


def _matches(folder: Path, bots_of_author: frozenset[str]) -> tuple[OwnMatch, ...]:
    """Return the newest matches of these bots, the newest first."""
    lines: dict[int, jobs.ListedMatch] = {}
    for bot in sorted(bots_of_author):
        chosen = (("bot", bot),)
        listed = jobs.matches(folder, MOST_MATCHES, chosen)
        for line in listed.lines:
            lines[line.number] = line

    newest_first = sorted(lines, reverse=True)
    matches = []
    for number in newest_first[:MOST_MATCHES]:
        line = lines[number]
        own_seat = next(seat for seat in line.seats if seat.bot in bots_of_author)
        result = "lost"
        if own_seat.won is None:
            result = "drawn"
        elif own_seat.won:
            result = "won"
        opponents: dict[str, None] = {}  # in order, without repeats
        for seat in line.seats:
            if seat.bot not in bots_of_author:
                opponents[seat.display] = None
        match = OwnMatch(
            id=line.id,
            board=line.board,
            bot=clean(own_seat.bot),
            role=own_seat.role,
            result=result,
            score=own_seat.score,
            reason=own_seat.ending or line.reason,
            opponents=tuple(opponents),
        )
        matches.append(match)
    return tuple(matches)


def _versions(results: Results, bots_of_author: frozenset[str]) -> tuple[RatedVersion, ...]:
    """Return the versions of these bots that have played, the newest first; () if each has one."""
    columns = VERSIONS.rated_in(results.unit)
    versions = []
    for row in rows_of(results.versions(), columns):
        if row["bot"] not in bots_of_author or row["rating"] is None:
            continue
        rating = columns["rating"].text(row["rating"])
        low = columns["rating_low"].text(row["rating_low"])
        high = columns["rating_high"].text(row["rating_high"])
        rank = row["rank"] or "-"
        version = RatedVersion(
            bot=clean(row["bot"]),
            digest=row["digest"],
            rating=rating,
            interval=interval_text(low, high),
            rank=str(rank),
            matches=row["matches"],
        )
        versions.append(version)
    return tuple(reversed(versions))


def with_gaps(
    rated: tuple[RatedVersion, ...],
    submitted: Mapping[str, Sequence[Mapping[str, Any]]],
) -> tuple[RatedVersion, ...]:
    """Return the rated versions with those between that never played, by bot, the newest first.

    `submitted` has for each bot the `number` and the beginning of the `digest` of each version.
    """
    numbers: dict[tuple[str, str], int] = {}
    for bot, versions in submitted.items():
        name = clean(bot)
        for version in versions:
            numbers[name, version["digest"]] = version["number"]
    bots: set[str] = set()
    played: set[tuple[str, str]] = set()
    for row in rated:
        bots.add(row.bot)
        played.add((row.bot, row.digest[:DIGITS]))
    rows = list(rated)
    for bot, digest in numbers:
        if bot not in bots or (bot, digest) in played:
            continue
        gap = RatedVersion(
            bot=bot,
            digest=digest,
            rating="-",
            interval="no results",
            rank="-",
            matches=0,
        )
        rows.append(gap)

    def newest_first(row: RatedVersion) -> tuple[str, int]:
        short_digest = row.digest[:DIGITS]
        number = numbers.get((row.bot, short_digest), 0)
        return row.bot, -number

    return tuple(sorted(rows, key=newest_first))


def _rivals(results: Results, bots_of_author: frozenset[str]) -> tuple[Rival, ...]:
    """Return the bots just above the best of these bots in each game, the nearest first."""
    rivals = []
    for league in results.leagues:
        ranked = [standing.bot for standing in league.standings if standing.rank is not None]
        own_ranked = [bot for bot in ranked if bot in bots_of_author]
        if not own_ranked:
            continue
        best = own_ranked[0]
        name_of_best = league.display_name(best)
        game = league.game or results.games[0]
        strength = {rating.bot: rating.strength.value for rating in league.ratings.ratings}
        position = ranked.index(best)
        start = max(0, position - MOST_RIVALS)
        for bot in reversed(ranked[start:position]):
            name = league.display_name(bot)
            more = strength[bot] - strength[best]
            rival = Rival(
                bot=bot,
                name=clean(name),
                above=clean(name_of_best),
                game=clean(game),
                difference=f"{more:.0f} {league.unit}",
            )
            rivals.append(rival)
    return tuple(rivals)
