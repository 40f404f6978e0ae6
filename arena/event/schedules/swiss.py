"""Swiss: in each round bots of equal score meet, and no two bots meet twice. FIDE's Dutch system, without its colours.

A batch is a round. It is paired from the results of all earlier rounds, so it begins when the last match of the round
before is over.
"""

# The rules, with the articles of FIDE's handbook, C.04.1 (basic rules) and C.04.3 (Dutch system), of 1 July 2025
# ---------------------------------------------------------------------------------------------------------------
# - The number of rounds is fixed beforehand (C.04.1 article 1). FIDE gives no number. Ours is log2 of the bots, rounded
#   up: with fewer rounds two bots could have won all their pairings.
# - Two bots meet only once (article 2), as long as the bots can be paired so. Where they can't (in small fields, late),
#   the bots that met least often meet again, with new seeds.
# - With an odd number of bots one has a bye in each round. It is worth a win (article 3): a bot that nobody could meet
#   should not lose ground by it, and half a point would push a good bot into a group of weaker ones. A bye goes to the
#   lowest score, there to the lowest seed, among the bots with the fewest byes, so nobody has two before all have one
#   (article 4).
# - A pairing is one game: 1 point for the bot with the higher sum of scores over all its legs, and half a point each
#   where the sums are equal. To sum up the scores themselves would split the bots into as many groups as bots.
# - Bots are ordered by score, then by seed (C.04.3 article 1.2). From the highest score down, as many bots of a group
#   meet each other as can, and the others float down to the next group. The upper half of a group meets the lower half:
#   the first of the upper half has the first choice, and so on, which is the order of FIDE's transpositions (4.2);
#   only where no transposition works do bots of one half meet, those next to the middle first, as in its exchanges.
# - Every choice is made only if the rest can still be paired, which _matching.py answers (FIDE's "completion test").
#
# Left out: all that concerns colours, because each pairing is played in both distributions of roles; and the criteria
# by which bots should not float twice in a row. Both only choose between pairings that are equally good for scores.

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import count as counting
from itertools import groupby

from arena.errors import ArenaError
from arena.event.schedules._matching import Mates, largest
from arena.event.schedules._pairings import Placing, check_generalists, pairing, seeded, totals
from arena.values import Batch, Event, Match

BEHIND = 0
WIN, DRAW = 2, 1  # half points, so that sums are whole numbers

Pairs = list[tuple[int, int]]
"""Two bots each, as their places in the seed order; the first has the higher rank."""
Meetings = Callable[[int, int], int]
Graph = Mapping[int, Set[int]]


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a round, the bots of the highest score first; nothing after the last round."""
    if number < rounds(event):
        bots = seeded(event)
        points, met, byes = _state(event, history)
        pairs, _ = paired(points, lambda one, other: met[one, other], byes)
        for one, other in pairs:
            first = event.repeats * met[one, other]
            yield from pairing(event, bots[one], bots[other], range(first, first + event.repeats))


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board, exactly."""
    matches = rounds(event) * (len(event.bots) // 2) * event.repeats * 2
    return {board.label: matches for board in event.boards}


def rounds(event: Event) -> int:
    """Return the number of rounds; ArenaError for an event that can't be paired, or that asks for too many rounds."""
    check_generalists(event)
    bots = len(event.bots)
    most = bots - 1 + bots % 2
    if event.rounds is not None and event.rounds > most:
        raise ArenaError(
            f"rounds: {bots} bots play at most {most} rounds of Swiss before somebody must meet twice: "
            f'say rounds = {most} or fewer, or schedule = "round_robin"'
        )
    return event.rounds if event.rounds is not None else (bots - 1).bit_length()


def placings(event: Event, history: Sequence[Batch]) -> tuple[Placing, ...]:
    """Return the table of a Swiss after these rounds, by points, then by Buchholz (FIDE C.07 article 8.1).

    Byes are visible in a column of their own. Here they count as wins, as in the pairing of the next round. Points of
    the leaderboard and ratings count matches only, and a bye is none. For Buchholz the opponent of a bye is FIDE's
    "dummy", which has the bot's own points (C.07 article 16.4).
    """
    bots = [bot.name for bot in seeded(event)]
    points, met, byes = _state(event, history)
    results = {name: Counter[int]() for name in bots}
    for played in history:
        for total in totals(played).values():
            (one, ones), (other, others) = total.items()
            results[one][_sign(ones - others)] += 1
            results[other][_sign(others - ones)] += 1
    buchholz = [
        sum(met[one, other] * points[other] for other in range(len(bots))) + byes[one] * points[one]
        for one in range(len(bots))
    ]
    worth = sorted(zip(points, buchholz, strict=True), reverse=True)
    rows = [
        Placing(
            place=1 + worth.index((points[index], buchholz[index])),
            bot=name,
            points=Fraction(points[index], WIN),
            won=results[name][1],
            drawn=results[name][0],
            lost=results[name][-1],
            byes=byes[index],
            buchholz=Fraction(buchholz[index], WIN),
        )
        for index, name in enumerate(bots)
    ]
    return tuple(sorted(rows, key=lambda row: (row.place, row.bot)))


def _state(event: Event, history: Sequence[Batch]) -> tuple[list[int], Counter[tuple[int, int]], list[int]]:
    """Return each bot's half points, the number of meetings of two bots, in either order, and each bot's byes."""
    index = {bot.name: number for number, bot in enumerate(seeded(event))}
    points, byes, met = [0] * len(index), [0] * len(index), Counter[tuple[int, int]]()
    for played in history:
        unpaired = dict.fromkeys(range(len(index)))
        for total in totals(played).values():
            (one, ones), (other, others) = ((index[name], score) for name, score in total.items())
            points[one] += DRAW + _sign(ones - others)
            points[other] += DRAW + _sign(others - ones)
            met[one, other] += 1
            met[other, one] += 1
            del unpaired[one], unpaired[other]
        for bot in unpaired:
            points[bot] += WIN
            byes[bot] += 1
    return points, met, byes


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)


def paired(points: Sequence[int], met: Meetings, byes: Sequence[int]) -> tuple[Pairs, int | None]:
    """Return the pairs of a round, those of the highest score first, and the bot that has the bye, if there is one.

    Bots are numbered by seed. `met` is how often two bots met: they meet again only if all can't be paired otherwise.
    """
    ranked = sorted(range(len(points)), key=lambda bot: (-points[bot], bot))
    fewest = min(byes, default=0)
    for limit in counting():
        graph = {one: {other for other in ranked if other != one and met(one, other) <= limit} for one in ranked}
        for bye in [bot for bot in reversed(ranked) if byes[bot] == fewest] if len(ranked) % 2 else [None]:
            entered = [bot for bot in ranked if bot != bye]
            mates = largest(graph, entered)
            if len(mates) == len(entered):
                # Where some bots must meet again, scores matter less than that they are few: all are one group.
                groups = [entered] if limit else [list(group) for _, group in groupby(entered, points.__getitem__)]
                return _paired_groups(groups, graph, mates, met), bye
    raise AssertionError("some limit leaves all pairs allowed")


def _paired_groups(groups: Sequence[list[int]], graph: Graph, mates: Mates, met: Meetings) -> Pairs:
    """Return the pairs, group by group; `mates` shows that all bots can be paired."""
    pairs: Pairs = []
    floaters: list[int] = []
    for group in groups:
        pool = [*floaters, *group]
        possible = len(largest(graph, pool)) // 2
        attempts = ((size, halves) for size in range(possible, -1, -1) for halves in (True, False))
        for size, halves in attempts:
            attempt = _Group(pool, len(floaters), graph, mates, met)
            if attempt.pair(size, halves=halves):
                pairs += attempt.pairs
                floaters, mates = attempt.left, attempt.mates
                break
    return pairs


class _Group:
    """One attempt to pair the bots of a group, of which the first ones moved down from a higher group."""

    def __init__(self, pool: Sequence[int], moved: int, graph: Graph, mates: Mates, met: Meetings) -> None:
        self._moved, self._graph, self._met = frozenset(pool[:moved]), graph, met
        self.left = list(pool)
        """The bots without a partner, by rank; after the last pair they float down."""
        self.mates = mates
        """Partners for all bots of this group and of those below that have none yet."""
        self.pairs: Pairs = []

    def pair(self, size: int, *, halves: bool) -> bool:
        """Pair so many pairs; False if it can't be done. With `halves` no two bots of one half meet."""
        floaters = []
        graph, inside = self._graph, largest(self._graph, self.left)
        split = False
        while len(self.pairs) < size:
            needed = size - len(self.pairs)
            one, *others = self.left
            if one in self._moved:  # it has the first choice of the group's own bots
                candidates = sorted(others, key=self._moved.__contains__)
            else:
                if halves and not split:
                    split = True
                    upper, lower = set(self.left[:needed]), set(self.left[needed:])
                    graph = {bot: graph[bot] & (lower if bot in upper else upper) for bot in self.left}
                    inside = largest(graph, self.left)
                candidates = [*others[needed - 1 :], *reversed(others[: needed - 1])]
            candidates.sort(key=lambda other: self._met(one, other))
            for other in candidates:
                if other in graph[one]:
                    rest = [bot for bot in others if bot != other]
                    within = largest(graph, rest, _without(inside, one, other), needed - 1)
                    if len(within) < 2 * (needed - 1):
                        continue
                    below = [bot for bot in self.mates if bot not in (one, other)]
                    everyone = largest(self._graph, below, _without(self.mates, one, other))
                    if len(everyone) == len(below):
                        self.pairs.append((one, other))
                        self.left, self.mates, inside = rest, everyone, within
                        break
            else:  # nobody can meet this bot: it floats, if the others are still enough
                inside = largest(graph, others, _without(inside, one), needed)
                if len(inside) < 2 * needed:
                    return False
                floaters.append(one)
                self.left = others
        self.left = [*floaters, *self.left]
        return True


def _without(mates: Mates, *gone: int) -> Mates:
    """Return the matching without these nodes; their partners have none, then."""
    without = {*gone, *(mates[node] for node in gone if node in mates)}
    return {node: mate for node, mate in mates.items() if node not in without}
