"""Pairings: the parts that the schedules Swiss, knockout and ladder share, without their rules.

A pairing is all matches of two bots in one round: every board, in every distribution of its sides
over the two, once for each repeat, and in each repeat once for each variant of the board. All legs
of a board and repeat have the same seed. So each bot plays every role as often as its opponent, and
roles are balanced in every pairing. Chess needs a history of colours; here none is needed.

A pairing is played on all boards of the event (of a game, in Swiss and knockout), because standings
and ratings weigh all boards alike. Rotating the boards would be cheaper, but then a single board
would decide who advances, and two bots of equal score would have been measured on different boards.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.errors import ArenaError
from arena.event.schedules.round_robin import groups_of, seatings
from arena.identity import digest_of
from arena.values import Batch, Bot, Event, Match, Played

Pair = frozenset[str]
"""The names of the two bots of a pairing."""


def seeded(event: Event) -> tuple[Bot, ...]:
    """Return the bots, best seed first: the bots of `seed_order`, then the others by lot.

    The order of names would not be a fair lot, because authors choose names. The lot depends on the
    event's seed and on the bot's name alone: an edited bot keeps its seed, and a new bot does not
    change the order of the others.
    """
    seeds = {name: number for number, name in enumerate(event.seed_order)}
    behind_all_seeds = len(seeds)

    def order(bot: Bot) -> tuple[int, str, str]:
        seed = seeds.get(bot.name, behind_all_seeds)
        lot = digest_of("seed order", event.seed, bot.name, length=32)
        return seed, lot, bot.name

    return tuple(sorted(event.bots, key=order))


def check(event: Event) -> None:
    """Raise ArenaError for a board that does not seat two bots against each other."""
    for board in event.boards:
        seats = len(groups_of(board, event.seating))
        if seats != 2:
            alternative = ""
            if event.seating == "distinct" and len(board.sides) == 2:
                alternative = 'seating = "sides" or '
            raise ArenaError(
                f"schedule: {event.schedule!r} pairs two bots, and {board.label} seats {seats} of "
                f'them: say {alternative}schedule = "round_robin", or leave the board out'
            )

        if len(board.sides) != 2:
            raise ArenaError(
                f"schedule: {event.schedule!r} pairs two bots against each other, and on "
                f"{board.label} both are on one side: "
                'say schedule = "round_robin", or leave the board out'
            )


def leagues(event: Event, history: Sequence[Batch] = ()) -> Iterator[tuple[Event, list[Batch]]]:
    """Yield each game in which two bots can meet, as an event, with its part of each batch.

    A game has no part in the batches after its last one, in which other games continue.
    """
    for league in event.leagues:
        if len(league.bots) < 2:
            continue
        games = league.games
        parts: list[Batch] = []
        for batch in history:
            part = tuple(match for match in batch if match.game in games)
            if part:
                parts.append(part)
        yield league, parts


def check_generalists(league: Event) -> None:
    """Raise ArenaError for a bot that plays only a part of its game.

    Its pairings would have fewer legs.
    """
    check(league)
    generalists = league.generalists
    for bot in league.bots:
        if bot.name not in generalists:
            raise ArenaError(
                f"schedule: {league.schedule!r} needs bots that play every board and role of a "
                f"game, and {bot.name!r} plays only a part of {league.games[0]}: "
                'leave it out, or say schedule = "ladder" or "round_robin"'
            )


def pairing(
    event: Event,
    first: Bot,
    second: Bot,
    repeats: Iterable[int],
) -> Iterator[Match]:
    """Yield the matches of a pairing, the first bot in the first role first."""
    bots = (first, second)
    for repeat in repeats:
        for board in event.boards:
            for number in event.repeats_on(board, repeat):
                for seating in seatings(board, bots, event.seating):
                    yield event.match(board, seating, number)


def totals(batch: Sequence[Played]) -> dict[Pair, dict[str, int]]:
    """Return the sums of the scores of both bots of each pairing, in the order of the batch.

    A side's score in a match is that of its best role, as in the standings.
    """
    sums: dict[Pair, dict[str, int]] = {}
    for match in batch:
        scores: dict[str, int] = {}
        for side in match.sides:
            bot = match.seats[side[0]]
            scores_of_side = [match.scores[role] for role in side]
            scores[bot] = max(scores_of_side)

        pair = frozenset(scores)
        if pair not in sums:
            sums[pair] = dict.fromkeys(scores, 0)
        for bot, score in scores.items():
            sums[pair][bot] += score
    return sums


@dataclass(frozen=True, kw_only=True)
class Placing:
    """The place of one bot by the rules of a Swiss or a knockout, which know byes and brackets."""

    place: int
    """Equal bots share a place (1, 1, 3)."""
    bot: str
    points: Fraction
    """1 for each pairing won and for each bye, 1/2 for each pairing drawn.

    0 for a bot that never said `ready`."""
    won: int
    drawn: int
    lost: int
    byes: int
    buchholz: Fraction | None = None
    """Swiss: the sum of the opponents' points, which orders bots of equal points."""
    out: int | None = None
    """Knockout: the round in which it lost, 1, 2, ...; None for a bot that is still in."""
