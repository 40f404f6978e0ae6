"""Who has a rank, and which: the one definition for leaderboards, live table and rules to stop.

A bot has a rank in an event, or in the league of one game, when it plays every role of every board
there: a bot that plays one role of five, however well, is not the best bot. Where fewer than two
bots do, there is nobody to rank them with, and no bot has a rank.

The rating decides the rank, but a bot that scored nothing stands behind all that did: no match says
that it is stronger than any of them. Bots of equal rating are ordered by points, then by the
event's tie-breaks in their order; bots that are still tied share a rank and stand by name.
Specialists, which play a part only, follow, then bots that never said `ready` and share the last
rank, then bots that never played. Pure.
"""

# Ties are exact. Ratings are rounded first, because their last digits depend on the CPU, and points
# are computed from fractions, so two bots that earned the same have the same floats. A level is a
# distinct pair of rating and points; those without points are the lowest. Tie-breaks see only the
# levels. Where every bot has a level of its own no tie-break is computed, and the crosstable is not
# even read: it takes a pass over all matches, and ties among rated bots are rare.

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from arena.game import Role
from arena.results import tiebreaks
from arena.results.ratings import Ratings
from arena.results.standings import Standing
from arena.results.tiebreaks import Crosstable
from arena.values import Event

DECIMALS = 9
"""Ratings that differ only beyond these decimals are equal."""
FEWEST = 2
"""With fewer bots that play everything no bot has a rank."""
FEWEST_OVERALL = 3
"""With fewer bots that play all of several games there is no table of all games.

It would say that the better of two all-rounders is the best bot, whatever the bots that play one
game can do.
"""
NAMES_IN_A_LINE = 6


def ranked_bots(
    event: Event,
    played: Mapping[str, Collection[tuple[str, Role]]] | None = None,
) -> frozenset[str]:
    """Return the bots that have a rank in an event; `event.league(game)` is the event of one game.

    `played` has each (`game/board`, role) that each bot played: a bot of the past may have played
    all, and a bot that is entered for all counts before it has played each.
    """
    board_roles: set[tuple[str, Role]] = set()
    for board in event.boards:
        for role in board.roles:
            board_roles.add((board.label, role))
    ranked = set(event.generalists)
    bots = {bot.name for bot in event.bots}
    if played is not None:
        for bot, roles in played.items():
            bots.add(bot)
            if board_roles.issubset(roles):
                ranked.add(bot)
    unranked = bots - ranked
    if len(ranked) < FEWEST and unranked:
        return frozenset()
    return frozenset(ranked)


def are_most(ranked: Collection[str], played: Collection[str]) -> bool:
    """Say whether the bots that play all games are enough for a table of all games.

    It needs three of them, and half of all bots.
    """
    are_half = 2 * len(ranked) >= len(played)
    return are_half and len(ranked) >= FEWEST_OVERALL


def who_plays_what(games_of: Mapping[str, Collection[str]], games: Sequence[str]) -> str:
    """Return a line with the bots of each set of games, the largest set first.

    `games_of` has the games of each bot.
    """
    bots_of: dict[tuple[str, ...], list[str]] = {}
    for bot in sorted(games_of):
        games_of_bot = games_of[bot]
        played = tuple(game for game in games if game in games_of_bot)
        bots = bots_of.setdefault(played, [])
        bots.append(bot)

    def largest_first(played: tuple[str, ...]) -> tuple[object, ...]:
        return -len(played), played

    parts = []
    for played in sorted(bots_of, key=largest_first):
        bots = bots_of[played]
        names = ", ".join(bots[:NAMES_IN_A_LINE])
        more = len(bots) - NAMES_IN_A_LINE
        if more > 0:
            names += f" and {more} more"
        field = "all games"
        if len(played) < len(games):
            field = f"{' and '.join(played)} only"
        parts.append(f"{field}: {names}")
    return "; ".join(parts)


def in_order(
    standings: Sequence[Standing],
    ratings: Ratings | None,
    table: Callable[[], Crosstable],
    tie_breaks: Sequence[str],
    ranked: Collection[str],
    absent: Collection[str] = (),
) -> tuple[Standing, ...]:
    """Return the standings in order, with the ranks of the bots in `ranked`.

    `table` is called where bots are tied. `absent` are the bots that never said `ready`; they share
    the last rank, since no match says which is stronger. Specialists are grouped by the board roles
    that they play, the largest group first; the rating orders each group. No ratings are needed
    where no bot is ranked.
    """
    for name in tie_breaks:
        tiebreaks.find(name)  # each is a column, also where nobody is tied
    strength = {}
    if ratings is not None:
        for rating in ratings.ratings:
            strength[rating.bot] = round(rating.strength.value, DECIMALS)
    by_bot = {standing.bot: standing for standing in standings}

    worth = {}  # of the bots that matches rank: what orders them
    specialists = []
    missing = []
    unplayed = []
    for bot, standing in by_bot.items():
        if standing.points is None:
            unplayed.append(standing)
        elif bot in absent:
            missing.append(bot)
        elif bot in ranked:
            has_scored = standing.points > 0
            worth[bot] = (has_scored, strength[bot], standing.points)
        else:
            specialists.append(bot)

    values = sorted(set(worth.values()))
    levels = {value: float(level) for level, value in enumerate(values)}
    points = {bot: levels[value] for bot, value in worth.items()}
    if len(levels) == len(worth):
        tie_breaks = ()
    crosstable = Crosstable({})
    if tie_breaks:
        crosstable = table()
    decided = tiebreaks.rank(points, crosstable, tie_breaks)

    field_of = {bot: frozenset(by_bot[bot].roles) for bot in specialists}
    sizes = Counter(field_of.values())  # the number of bots that play each field

    def field_then_rating(bot: str) -> tuple[object, ...]:
        field = field_of[bot]
        rating = strength.get(bot, 0.0)
        return -sizes[field], -len(field), sorted(field), -rating, bot

    ordered = []
    for result in decided:
        standing = replace(
            by_bot[result.bot],
            rank=result.rank,
            tie_breaks=result.figures,
        )
        ordered.append(standing)
    for bot in sorted(specialists, key=field_then_rating):
        ordered.append(replace(by_bot[bot], rank=None))
    for bot in sorted(missing):
        rank = None
        if bot in ranked:
            rank = len(decided) + 1
        ordered.append(replace(by_bot[bot], rank=rank))
    ordered += unplayed
    return tuple(ordered)
