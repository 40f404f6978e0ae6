"""Knockout: a bot that loses a pairing is out. In the bracket of seeds the best two can meet only in the final.

Each game has a bracket of its own, among the bots that play it. A batch is a round, or the deciders
of a round, of all of them. It needs the results of all earlier ones, so it begins when the last
match of the batch before is over.
"""

# The rules --------- - Seeds are those of `seed_order`, then drawn by lot (`_pairings.seeded`). The
# bracket is the usual one: seeds 1 and 2 are in different halves, the first four in different
# quarters, and so on; in the first round of 8 bots the pairings are 1-8, 4-5, 2-7 and 3-6. Where
# the bots are no power of two, the best seeds have a bye in the first round. - The bot with the
# higher sum of scores over all legs, boards and repeats advances. - Where the sums are equal a
# decider is played: the pairing once more, with the next repeat's seeds. After DECIDERS level
# deciders the better seed advances. A knockout must end, and bots without chance would be level for
# ever. - Where neither bot of a pairing said `ready` in any of its matches both are out, and the
# next opponent has a bye.

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from arena.errors import ArenaError
from arena.event.schedules._pairings import (
    Placing,
    check_generalists,
    leagues,
    pairing,
    seeded,
    totals,
)
from arena.results.standings import absentees
from arena.values import Batch, Event, Match

BEHIND = 0
COUNT_IS_A_BOUND = True
DECIDERS = 3


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a round, or of its next deciders; nothing after the final."""
    for league, own in leagues(event, history[:number]):
        check(league)
        bots, now = seeded(league), _replay(league, own)
        repeats = [event.repeats + now.deciders - 1] if now.deciders else range(event.repeats)
        for bot, opponent in now.due:
            yield from pairing(league, bots[bot], bots[opponent], repeats)


def count(event: Event) -> dict[str, int]:
    """Return how many matches there are on each board at most: with all deciders, of which most are not played."""
    planned = dict.fromkeys((board.label for board in event.boards), 0)
    for league, _ in leagues(event):
        check(league)
        pairings = (len(league.bots) - 1) * (event.repeats + DECIDERS)
        planned |= {board.label: pairings * board.variants * 2 for board in league.boards}
    return planned


def check(league: Event) -> None:
    """Raise ArenaError for a game that no bracket can be made for."""
    check_generalists(league)
    if league.rounds is not None:
        bots = len(league.bots)
        raise ArenaError(
            f"rounds: a knockout of {bots} bots always has {rounds(league)}: leave `rounds` out"
        )


def rounds(league: Event) -> int:
    """Return the number of rounds, deciders aside."""
    return (len(league.bots) - 1).bit_length()


def bracket(size: int) -> list[int]:
    """Return the seeds (0 is the best) in the order of the bracket; neighbours meet. The size is a power of two.

    Each seed of a bracket of half the size gets the opponent with which their numbers, from 1, add
    up to size + 1.
    """
    seeds = [0]
    while len(seeds) < size:
        seeds = [seed for upper in seeds for seed in (upper, 2 * len(seeds) - 1 - upper)]
    return seeds


def placings(league: Event, history: Sequence[Batch]) -> tuple[Placing, ...]:
    """Return the table of a game's knockout after these batches: the bots still in, then those that came farthest.

    Bots that lost in the same round share a place, because a knockout does not order them. Points
    count rounds: one for each pairing won, deciders included, and for each bye. A bot that never
    said `ready` has no points, and a place behind all that played.
    """
    now, rows = _replay(league, history), []
    undecided = {seed for pair in now.due for seed in pair}
    playing = [seed for seed in range(len(league.bots)) if seed not in now.never]
    for seed, bot in enumerate(seeded(league)):
        out = now.out.get(seed)
        byes = now.byes[seed]
        through = now.round - (seed in undecided) if out is None else out - 1
        ahead = [
            rival for rival in playing if out is not None and now.out.get(rival, out + 1) > out
        ]
        if seed in now.never:
            byes, through, ahead = 0, 0, playing
        rows.append(
            Placing(
                place=1 + len(ahead),
                bot=bot.name,
                points=Fraction(through),
                won=through - byes,
                drawn=0,
                lost=int(out is not None),
                byes=byes,
                out=out,
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.place, row.bot)))


@dataclass(frozen=True)
class _Bracket:
    """A knockout after some batches. Bots are seeds, 0 is the best."""

    round: int
    """1, 2, ...: the round under way, or the last one."""
    due: list[tuple[int, int]]
    """The pairings of the next batch, in order of the bracket; empty after the final."""
    deciders: int
    """The number of the decider that is due, 1, 2, ...; 0 for the pairings themselves."""
    out: dict[int, int]
    """The round in which a bot lost, by bot."""
    byes: Counter[int]
    never: frozenset[int]
    """The bots that did not say `ready` in any match; after the final also those that had no match."""


def _replay(league: Event, history: Sequence[Batch]) -> _Bracket:
    names = [bot.name for bot in seeded(league)]
    field = bracket(2 ** rounds(league))
    empty = len(names)  # this and the numbers beyond it are places without a bot
    byes = Counter[int]()
    out: dict[int, int] = {}
    seeds = {name: seed for seed, name in enumerate(names)}
    never = frozenset(seeds[name] for name in absentees(chain.from_iterable(history)))
    batches = iter(history)
    for number in range(1, rounds(league) + 1):
        couples = [(field[at], field[at + 1]) for at in range(0, len(field), 2)]
        due = [couple for couple in couples if max(couple) < empty]
        byes.update(min(couple) for couple in couples if min(couple) < empty <= max(couple))
        for deciders in range(DECIDERS + 1):
            if not due:
                break
            if (results := next(batches, None)) is None:
                return _Bracket(number, due, deciders, out, byes, never)
            sums, missing, level = totals(results), absentees(results), []
            for bot, opponent in due:
                total = sums[frozenset((names[bot], names[opponent]))]
                ahead = total[names[bot]] - total[names[opponent]]
                if names[bot] in missing and names[opponent] in missing:
                    out |= {bot: number, opponent: number}  # no decider would bring them
                elif ahead == 0:
                    level.append((bot, opponent))
                else:
                    out[opponent if ahead > 0 else bot] = number
            due = level
        out |= {
            max(pair): number for pair in due
        }  # still level: the better seed, which is the lower number, advances
        field = [
            next((seed for seed in couple if seed < empty and seed not in out), empty)
            for couple in couples
        ]
    seated = {
        seeds[name] for match in chain.from_iterable(history) for name in match.seats.values()
    }
    return _Bracket(rounds(league), [], 0, out, byes, never | (set(seeds.values()) - seated))
