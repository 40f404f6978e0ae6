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
# - Who meets a bot of lower score floats down in that round, who meets one of higher score floats up, and a bye is a
#   float down (article 1.4). As few bots as possible float down, or up, as they did in the last round, and then as they
#   did two rounds before (article 3, its criteria C12 to C15). This decides which bots of a group float, which of the
#   next group they meet, and among bots of the lowest score who has the bye.
# - Every choice is made only if the rest can still be paired, which _matching.py answers (FIDE's "completion test").
#
# Left out, because they only choose between pairings that are as good otherwise: all that concerns colours, because
# each pairing is played in both distributions of roles; the score differences of those who float again all the same
# (C16 to C19), which would need all pairings of a group to be compared; and unplayed games (C9), because arena knows no
# bot that is absent from a round: a bot that forfeits is paired as any other, and a bye is counted already. Floats up
# are avoided bot by bot, in the order in which the bots that moved down choose; a better choice for all of them
# together is not looked for.

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
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
LAST_ROUND, ROUND_BEFORE = 2, 1


@dataclass(frozen=True)
class Floats:
    """How each bot floated in the last two rounds: the sum of LAST_ROUND and ROUND_BEFORE, 0 for not at all."""

    down: Sequence[int]
    up: Sequence[int]


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a round, the bots of the highest score first; nothing after the last round."""
    if number < rounds(event):
        bots = seeded(event)
        points, met, byes, floats = _state(event, history)
        pairs, _ = paired(points, lambda bot, opponent: met[bot, opponent], byes, floats)
        for bot, opponent in pairs:
            first = event.repeats * met[bot, opponent]
            yield from pairing(event, bots[bot], bots[opponent], range(first, first + event.repeats))


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board, exactly."""
    matches = rounds(event) * (len(event.bots) // 2) * event.repeats * 2
    return {board.label: matches * board.variants for board in event.boards}


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
    points, met, byes, _ = _state(event, history)
    results = {name: Counter[int]() for name in bots}
    for played in history:
        for total in totals(played).values():
            (bot, score), (opponent, opponents_score) = total.items()
            results[bot][_sign(score - opponents_score)] += 1
            results[opponent][_sign(opponents_score - score)] += 1
    buchholz = [
        sum(met[bot, opponent] * points[opponent] for opponent in range(len(bots))) + byes[bot] * points[bot]
        for bot in range(len(bots))
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


def _state(event: Event, history: Sequence[Batch]) -> tuple[list[int], Counter[tuple[int, int]], list[int], Floats]:
    """Return each bot's half points, the number of meetings of two bots in either order, the byes, and the floats."""
    index = {bot.name: number for number, bot in enumerate(seeded(event))}
    points, byes, met = [0] * len(index), [0] * len(index), Counter[tuple[int, int]]()
    down, up = [0] * len(index), [0] * len(index)
    weights = {len(history) - 1: LAST_ROUND, len(history) - 2: ROUND_BEFORE}
    for number, played in enumerate(history):
        weight, before = weights.get(number, 0), tuple(points)
        unpaired = dict.fromkeys(range(len(index)))
        for total in totals(played).values():
            (bot, score), (opponent, opponents_score) = ((index[name], scores) for name, scores in total.items())
            points[bot] += DRAW + _sign(score - opponents_score)
            points[opponent] += DRAW + _sign(opponents_score - score)
            met[bot, opponent] += 1
            met[opponent, bot] += 1
            del unpaired[bot], unpaired[opponent]
            if before[bot] != before[opponent]:
                higher, lower = (bot, opponent) if before[bot] > before[opponent] else (opponent, bot)
                down[higher] += weight
                up[lower] += weight
        for bot in unpaired:
            points[bot] += WIN
            byes[bot] += 1
            down[bot] += weight
    return points, met, byes, Floats(down, up)


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)


def paired(
    points: Sequence[int], met: Meetings, byes: Sequence[int], floats: Floats | None = None
) -> tuple[Pairs, int | None]:
    """Return the pairs of a round, those of the highest score first, and the bot that has the bye, if there is one.

    Bots are numbered by seed. `met` is how often two bots met: they meet again only if all can't be paired otherwise.
    """
    floats = floats or Floats([0] * len(points), [0] * len(points))
    ranked = sorted(range(len(points)), key=lambda bot: (-points[bot], bot))
    fewest = min(byes, default=0)
    able = [bot for bot in ranked if byes[bot] == fewest]
    able.sort(key=lambda bot: (points[bot], floats.down[bot], -bot))
    for limit in counting():
        graph = {
            bot: {opponent for opponent in ranked if opponent != bot and met(bot, opponent) <= limit} for bot in ranked
        }
        for bye in able if len(ranked) % 2 else [None]:
            entered = [bot for bot in ranked if bot != bye]
            mates = largest(graph, entered)
            if len(mates) == len(entered):
                # Where some bots must meet again, scores matter less than that they are few: all are one group.
                groups = [entered] if limit else [list(group) for _, group in groupby(entered, points.__getitem__)]
                return _paired_groups(groups, graph, mates, met, floats), bye
    raise AssertionError("some limit leaves all pairs allowed")


def _paired_groups(groups: Sequence[list[int]], graph: Graph, mates: Mates, met: Meetings, floats: Floats) -> Pairs:
    """Return the pairs, group by group; `mates` shows that all bots can be paired."""
    pairs: Pairs = []
    floaters: list[int] = []
    for group in groups:
        pool = [*floaters, *group]
        possible = len(largest(graph, pool)) // 2
        attempts = (
            (size, staying, halves)
            for size in range(possible, -1, -1)
            for staying in dict.fromkeys((_staying(pool, len(floaters), size, graph, floats), frozenset[int]()))
            for halves in (True, False)
        )
        for size, staying, halves in attempts:
            attempt = _Group(pool, len(floaters), graph, mates, met, floats)
            if attempt.pair(size, staying, halves=halves):
                pairs += attempt.pairs
                floaters, mates = attempt.unpaired, attempt.mates
                break
    return pairs


def _staying(pool: Sequence[int], moved: int, size: int, graph: Graph, floats: Floats) -> frozenset[int]:
    """Return the bots that shall not float down, because they did so lately, from a group with so many pairs.

    The sets of bots that matchings of one size can cover are those of a matroid. So to take one bot after the other,
    the most important first, as long as a matching covers all that are taken, gives the best set.
    """
    again = sorted((bot for bot in pool[moved:] if floats.down[bot]), key=lambda bot: (-floats.down[bot], bot))
    if not again or 2 * size == len(pool):
        return frozenset()
    staying = frozenset[int]()
    for bot in [*pool[:moved], *again]:  # to float down by two groups is worse than to float down again
        wider, slots = _with_slots(graph, pool, size, staying | {bot})
        if len(largest(wider, [*pool, *slots])) == len(pool) + len(slots):
            staying |= {bot}
    return staying


def _with_slots(
    graph: Graph, pool: Sequence[int], size: int, staying: Set[int]
) -> tuple[dict[int, Set[int]], list[int]]:
    """Return the graph of a group with a node for each bot that floats down, and these nodes, which are negative.

    To float down is to meet such a node, which no bot of `staying` may. So the group is paired with so many pairs when
    all nodes are.
    """
    slots = [-number for number in range(1, len(pool) - 2 * size + 1)]
    among, floating = frozenset(pool), frozenset(pool) - staying
    wider: dict[int, Set[int]] = {bot: (graph[bot] & among) | set(slots if bot in floating else ()) for bot in pool}
    return wider | dict.fromkeys(slots, floating), slots


class _Group:
    """One attempt to pair the bots of a group, of which the first ones moved down from a higher group."""

    def __init__(
        self, pool: Sequence[int], moved: int, graph: Graph, mates: Mates, met: Meetings, floats: Floats
    ) -> None:
        self._moved, self._graph, self._met, self._up = frozenset(pool[:moved]), graph, met, floats.up
        self.unpaired = list(pool)
        """The bots without a partner, by rank; after the last pair they float down."""
        self.mates = mates
        """Partners for all bots of this group and of those below that have none yet."""
        self.pairs: Pairs = []

    def pair(self, size: int, staying: Set[int], *, halves: bool) -> bool:
        """Pair so many pairs; False if it can't be done.

        None of `staying` floats down. With `halves` no two bots of one half meet.
        """
        floaters = []
        graph, slots = _with_slots(self._graph, self.unpaired, size, staying)
        inside = largest(graph, [*self.unpaired, *slots])
        split = False
        while len(self.pairs) < size:
            needed = size - len(self.pairs)
            bot, *lower_ranked = self.unpaired
            if bot in self._moved:  # it has the first choice of the group's own bots
                candidates = sorted(lower_ranked, key=lambda opponent: (opponent in self._moved, self._up[opponent]))
            else:
                if halves and not split:
                    split = True
                    upper, lower = set(self.unpaired[:needed]), set(self.unpaired[needed:])
                    graph = {node: graph[node] - (upper if node in upper else lower) for node in graph}
                    inside = largest(graph, [*self.unpaired, *slots])
                candidates = [*lower_ranked[needed - 1 :], *reversed(lower_ranked[: needed - 1])]
            candidates.sort(key=lambda opponent: self._met(bot, opponent))
            for opponent in [*candidates, *slots[:1]]:  # a bot that nobody can meet floats
                if opponent not in graph[bot]:
                    continue
                rest = [each for each in lower_ranked if each != opponent]
                slots_left = slots[1:] if opponent in slots else slots
                within = largest(graph, [*rest, *slots_left], _without(inside, bot, opponent))
                if len(within) < len(rest) + len(slots_left):
                    continue
                if opponent in slots:
                    floaters.append(bot)
                else:
                    open_bots = [each for each in self.mates if each not in (bot, opponent)]
                    mates = largest(self._graph, open_bots, _without(self.mates, bot, opponent))
                    if len(mates) < len(open_bots):
                        continue
                    self.pairs.append((bot, opponent))
                    self.mates = mates
                self.unpaired, slots, inside = rest, slots_left, within
                break
            else:
                return False
        self.unpaired = [*floaters, *self.unpaired]
        return True


def _without(mates: Mates, *gone: int) -> Mates:
    """Return the matching without these nodes; their partners have none, then."""
    without = {*gone, *(mates[node] for node in gone if node in mates)}
    return {node: mate for node, mate in mates.items() if node not in without}
