"""Knockout: a bot that loses a pairing is out. The two best seeds can meet only in the final.

Each game has its own bracket, among the bots that play it. A batch is a round, or the deciders
of a round, of all of them. It needs the results of all earlier ones, so it begins when the last
match of the batch before is over.
"""

# The rules
# ---------
# - Seeds are those of `seed_order`, then drawn by lot (`_pairings.seeded`). The bracket is the
#   usual one: seeds 1 and 2 are in different halves, the first four in different quarters, and so
#   on; in the first round of 8 bots the pairings are 1-8, 4-5, 2-7 and 3-6. Where the number of
#   bots is no power of two, the best seeds have a bye in the first round.
# - The bot with the higher sum of scores over all legs, boards and repeats advances.
# - Where the sums are equal a decider is played: the pairing once more, with the seeds of the next
#   repeat. After DECIDERS level deciders the better seed advances. A knockout must end, and bots
#   without chance would be level for ever.
# - Where neither bot of a pairing said `ready` in any of its matches both are out, and the next
#   opponent has a bye.

from collections import Counter
from collections.abc import Container, Iterator, Sequence
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
Couple = tuple[int, int]
"""Two neighbours in the bracket, as the numbers of their seeds."""


def batch(
    event: Event,
    number: int,
    history: Sequence[Batch],
) -> Iterator[Match]:
    """Yield the matches of a round, or of its next deciders; nothing after the final."""
    for league, league_history in leagues(event, history[:number]):
        check(league)
        bots = seeded(league)
        state = _replay(league, league_history)

        repeats = range(event.repeats)
        if state.deciders:
            last = event.repeats + state.deciders
            repeats = range(last - 1, last)
        for bot, opponent in state.due:
            yield from pairing(league, bots[bot], bots[opponent], repeats)


def count(event: Event) -> dict[str, int]:
    """Return how many matches there are on each board at most, which is with all deciders."""
    planned = {board.label: 0 for board in event.boards}
    for league, _ in leagues(event):
        check(league)
        repeats = event.repeats + DECIDERS
        pairings = (len(league.bots) - 1) * repeats
        for board in league.boards:
            legs = 2 * board.variants
            planned[board.label] = pairings * legs
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
    """Return the seeds (0 is the best) in the order of the bracket; neighbours meet.

    The size is a power of two. Each seed of a bracket of half the size gets the opponent with which
    their numbers, from 1, add up to size + 1.
    """
    seeds = [0]
    while len(seeds) < size:
        last = 2 * len(seeds) - 1
        doubled: list[int] = []
        for seed in seeds:
            doubled.append(seed)
            doubled.append(last - seed)
        seeds = doubled
    return seeds


def placings(league: Event, history: Sequence[Batch]) -> tuple[Placing, ...]:
    """Return the table of a game's knockout after these batches.

    First come the bots that are still in, then the bots that lost last. Bots that lost in the same
    round share a place, because a knockout does not order them. Points
    count rounds: one for each pairing won, deciders included, and for each bye. A bot that never
    said `ready` has no points, and a place behind all that played.
    """
    state = _replay(league, history)
    undecided = set(chain.from_iterable(state.due))
    seeds = range(len(league.bots))
    present = [seed for seed in seeds if seed not in state.never]
    rows: list[Placing] = []
    for seed, bot in enumerate(seeded(league)):
        out = state.out.get(seed)
        if seed in state.never:
            byes = 0
            rounds_won = 0
            ahead = len(present)
        else:
            byes = state.byes[seed]
            if out is None:
                rounds_won = state.round - (seed in undecided)
                ahead = 0
            else:
                rounds_won = out - 1
                ahead = sum(state.out.get(rival, out + 1) > out for rival in present)
        rows.append(
            Placing(
                place=1 + ahead,
                bot=bot.name,
                points=Fraction(rounds_won),
                won=rounds_won - byes,
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
    due: list[Couple]
    """The pairings of the next batch, in order of the bracket; empty after the final."""
    deciders: int
    """The number of the decider that is due, 1, 2, ...; 0 for the pairings themselves."""
    out: dict[int, int]
    """The round in which a bot lost, by bot."""
    byes: Counter[int]
    never: frozenset[int]
    """The bots that did not say `ready` in any match; after the final also bots without a match."""


def _replay(league: Event, history: Sequence[Batch]) -> _Bracket:
    """Return a game's knockout after these batches."""
    names = [bot.name for bot in seeded(league)]
    seeds = {name: seed for seed, name in enumerate(names)}
    matches = list(chain.from_iterable(history))
    never = frozenset(seeds[name] for name in absentees(matches))
    byes: Counter[int] = Counter()
    out: dict[int, int] = {}
    empty = len(names)  # this number and higher ones stand for an empty place in the bracket
    last = rounds(league)
    field = bracket(2**last)
    batches = iter(history)
    for number in range(1, last + 1):
        couples = list(zip(field[0::2], field[1::2], strict=True))
        due: list[Couple] = []
        for couple in couples:
            better = min(couple)
            if max(couple) < empty:
                due.append(couple)
            elif better < empty:
                byes[better] += 1

        for deciders in range(DECIDERS + 1):
            if not due:
                break
            results = next(batches, None)
            if results is None:
                return _Bracket(
                    round=number,
                    due=due,
                    deciders=deciders,
                    out=out,
                    byes=byes,
                    never=never,
                )
            due = _level(due, results, names, number, out)
        for couple in due:  # still level: the better seed, which is the lower number, advances
            out[max(couple)] = number

        field = [_advancing(couple, out, empty) for couple in couples]

    seated: set[int] = set()
    for match in matches:
        seated.update(seeds[name] for name in match.seats.values())
    never |= set(seeds.values()) - seated
    return _Bracket(
        round=last,
        due=[],
        deciders=0,
        out=out,
        byes=byes,
        never=never,
    )


def _advancing(
    couple: Couple,
    out: Container[int],
    empty: int,
) -> int:
    """Return the seed of a couple that is still in; `empty` if there is none."""
    for seed in couple:
        if seed < empty and seed not in out:
            return seed
    return empty


def _level(
    due: Sequence[Couple],
    results: Batch,
    names: Sequence[str],
    number: int,
    out: dict[int, int],
) -> list[Couple]:
    """Return the pairings with equal sums in a batch of a round; add the losers to `out`.

    `number` is that of the round.
    """
    sums = totals(results)
    missing = absentees(results)
    level: list[Couple] = []
    for bot, opponent in due:
        name = names[bot]
        opponents_name = names[opponent]
        scores = sums[frozenset((name, opponents_name))]
        lead = scores[name] - scores[opponents_name]
        if name in missing and opponents_name in missing:
            out[bot] = number  # no decider would make them come
            out[opponent] = number
        elif lead > 0:
            out[opponent] = number
        elif lead < 0:
            out[bot] = number
        else:
            level.append((bot, opponent))
    return level
