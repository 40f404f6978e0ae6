"""Pair one round of a Swiss by FIDE's Dutch system without its colours. It knows no event.

FIDE's criteria have an order of importance, and each counts pairs of some kind. So the quality of a
pairing is a sum of weights of its pairs, in which each criterion has its own digits, and the
best pairing is a matching of greatest weight, which rustworkx finds. Among pairings of equal
quality the first in FIDE's order is taken: a pair is tried, and stands if the greatest weight can
still be reached with it.

Rejected: py4swiss, which pairs by the rules before July 2025 (97 of 100 rounds are as good as can
be by the new ones), takes ten times as long, and has no wheel for Linux on ARM; networkx, whose
matching of 128 bots takes a second.
"""

# The rules, with the articles of FIDE's handbook, C.04.1 (basic rules) and C.04.3 (Dutch system),
# of 1 July 2025
# ------------------------------------------------------------------------------------------------
# - Two bots meet only once (C1), as long as the bots can be paired so. Where they can't (among few
#   bots, in late rounds), those that met least often meet again. It matters more that such pairs
#   are few than that their scores are equal, so then all bots are one group.
# - With an odd number of bots one has a bye: one of the lowest score (C5) among the bots with the
#   fewest byes, so nobody has two before all have one (C2).
# - Bots are ordered by score, then by seed (article 1.2), and paired from the highest score down. A
#   bracket is a group of equal scores with the bots that moved down to it. The rest must always be
#   able to be paired (C4).
# - In a bracket as few bots as possible move down (C6), then those of the lowest scores (C7), then
#   those with which the next bracket keeps C6 and C7 best (C8).
# - A bot that meets a bot of lower score floats down in that round, one that meets a bot of higher
#   score floats up, and a bye is a float down (article 1.4). As few residents as possible move down
#   that floated down in the last round (C14), as few opponents of moved bots as possible floated up
#   then (C15); then the same for the round before (C16, C17). Of moved bots and their opponents
#   that float again all the same, the differences of scores are as small as can be (C18 to C21).
# - Among pairings of equal quality the highest moved bots are paired, and have the highest
#   opponents. Of the rest, the upper half meets the lower half, with the fewest and smallest
#   exchanges (4.3 a, b), in the order of the lower half's transpositions (4.2).
#
# Left out: colours (C3, C10 to C13), because each pairing is played in both distributions of roles;
# unplayed games (C9), because swiss.py pairs no bot that was absent from a round, and counts a
# point without play as a bye; and 4.3 c and d: among exchanges of the same size the first
# transposition decides.
#
# Perfect brackets
# ----------------
# A matching of greatest weight among a thousand bots takes seconds, and settling its pairs takes
# several. In most brackets all criteria can be met in full at once: all moved bots and, but for one
# if their number is odd, all residents are paired; no opponent of a moved bot floated up in the
# last two rounds; the resident that moves down did not float down in them, and the lower bots can
# be paired as well with it as with any other; the upper half meets the lower half without an
# exchange. Then each criterion has the greatest sum that it can have in any matching. So a matching
# has the greatest weight only if it, too, has the greatest sum of each criterion, and a pair that
# lowers one of them is in none. Hence `_Best` would settle the first pairs in FIDE's order that
# lower no criterion and leave the others a perfect matching, and `_perfect_pairs` finds the same
# pairs without weights. It returns None whenever a condition fails, also if weights could need more
# bits than there are, because then criteria are left out and other pairs are settled.
#
# tests/event/test_dutch.py compares the pairs of both ways.

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, combinations, groupby, zip_longest
from itertools import count as counting

import rustworkx

from arena.event.schedules._transposition import first_matching

Pairs = list[tuple[int, int]]
"""Two bots each, as their places in the seed order; the first has the higher rank."""
Edge = tuple[int, int]
"""Two bots that may meet, the one of higher rank first, or a bot and BYE."""
Meetings = Mapping[Edge, int]
"""How often two bots met, in both orders; pairs that never met are left out."""
Quality = tuple[int, ...]
"""The sum that an edge adds to each criterion, the most important first; more is better.

No criterion has both signs."""
Worth = tuple[int, int, bool]
"""What a bot is worth that moves down, by the best matching of the lower bots with it: how many are
paired; how many pairs are in the next bracket; whether the bot is in one of these pairs."""

LAST_ROUND, ROUND_BEFORE = 2, 1
BYE = -1
"""The node that the bot with the bye is paired with."""
WEIGHT_BITS = 120
"""rustworkx computes with 128 bits, and doubles weights. Criteria that need more bits are left out,
the last first."""


@dataclass(frozen=True)
class Floats:
    """The floats of each bot: the sum of LAST_ROUND and ROUND_BEFORE if it floated in them."""

    down: Sequence[int]
    up: Sequence[int]


def paired(
    points: Sequence[int],
    met: Meetings,
    byes: Sequence[int],
    floats: Floats | None = None,
) -> tuple[Pairs, int | None]:
    """Return the pairs of a round, the highest score first, and the bot with the bye or None.

    Bots are numbered by seed. Two bots of `met` meet again only if all cannot be paired otherwise.
    """
    if floats is None:
        floats = Floats(down=[0] * len(points), up=[0] * len(points))
    able: list[int] = []
    """The bots that may have the bye."""
    if len(points) % 2:
        fewest = min(byes)
        able = [bot for bot, number in enumerate(byes) if number == fewest]
    scores = sorted({points[bot] for bot in able})

    for limit in counting():
        grouped_by = points
        if limit:  # bots must meet again, so all of them are one group
            grouped_by = [0] * len(points)
        forbidden = {edge for edge, times in met.items() if times > limit}
        for score in scores or [0]:
            absent = {bot for bot in able if points[bot] == score}
            round_ = _Round(
                points=grouped_by,
                met=met,
                forbidden=forbidden,
                absent=absent,
                floats=floats,
            )
            if round_.can_pair_all():
                return round_.pairs()
    raise AssertionError("some limit leaves all pairs allowed")


@dataclass(frozen=True)
class _Round:
    """What the brackets of a round have in common."""

    points: Sequence[int]
    met: Meetings
    forbidden: Set[Edge]
    """In both directions."""
    absent: Set[int]
    """The bots that may have the bye; nobody where all are paired."""
    floats: Floats

    def can_pair_all(self) -> bool:
        """Return whether all bots can be paired, with one of `absent` as the bye."""
        bots = range(len(self.points))
        if len(bots) >= self.always_pairable():
            return True
        return self.can_pair(bots)

    def can_pair(self, bots: Sequence[int]) -> bool:
        """Return whether these bots can be paired, or all but one that has the bye.

        They come in the order of their rank.
        """
        weights = dict.fromkeys(self.edges(bots), 1)
        return len(_matching(weights)) >= len(bots)

    def always_pairable(self) -> int:
        """Return how many bots can be paired, whoever of them met, by Dirac's theorem (1952).

        A graph has a perfect matching if its nodes are even in number and each has edges to at
        least half of them. Two bots more are for an odd number and the bye.
        """
        met = [0] * len(self.points)
        for bot, _ in self.forbidden:
            met[bot] += 1
        return 2 * (max(met, default=0) + 1) + 2

    def edges(self, bots: Iterable[int]) -> Iterator[Edge]:
        """Yield the pairs that may meet, and the bots that may have the bye.

        `bots` come in the order of their rank.
        """
        bots = list(bots)
        for edge in combinations(bots, 2):
            if edge not in self.forbidden:
                yield edge
        for bot in bots:
            if bot in self.absent:
                yield bot, BYE

    def pairs(self) -> tuple[Pairs, int | None]:
        """Return the pairs of all brackets, and the bot with the bye."""
        bots = range(len(self.points))
        ranked = sorted(bots, key=lambda bot: (-self.points[bot], bot))
        groups = [list(group) for _, group in groupby(ranked, self.points.__getitem__)]
        safe = self.always_pairable()
        pairs: Pairs = []
        moved: list[int] = []
        for number, group in enumerate(groups):
            lower_groups = groups[number + 1 :]
            lower = list(chain.from_iterable(lower_groups))
            following: list[int] = []
            if lower_groups:
                following = lower_groups[0]
            # Bots far below decide only whether all bots can be paired. If this is certain, they
            # are left out.
            bye_is_above = bool(self.absent) and self.absent.isdisjoint(lower)
            complete = len(lower) < safe or bye_is_above
            if not complete:
                lower = following

            bracket = _Bracket(
                round=self,
                moved=moved,
                residents=group,
                following=following,
                lower=lower,
                complete=complete,
                safe=safe,
            )
            pairs += bracket.pairs()
            with_opponent = set(chain.from_iterable(pairs))
            moved = [bot for bot in moved + group if bot not in with_opponent]
        if not moved:
            return pairs, None
        return pairs, moved[0]


@dataclass(frozen=True)
class _Bracket:
    """A group of equal scores, and the bots that moved down to it, in the order of their rank."""

    round: _Round
    moved: Sequence[int]
    residents: Sequence[int]
    following: Sequence[int]
    lower: Sequence[int]
    """The lower bots that matter here: the next group, or all."""
    complete: bool
    """Whether all lower bots must be paired as well, and the bye be given."""
    safe: int
    """So many bots can always be paired, whoever of them met."""

    def pairs(self) -> Pairs:
        """Return the pairs of the bracket; a bot in no pair moves down, or has the bye."""
        perfect = self._perfect_pairs()
        if perfect is not None:
            return perfect
        with_moved: Pairs = []
        if self.moved:
            with_moved = self._pairs_with_moved()
        with_opponent = set(chain.from_iterable(with_moved))
        return with_moved + self._pairs_of_residents(with_opponent)

    def _perfect_pairs(self) -> Pairs | None:
        """Return the pairs of the bracket if they can meet all criteria in full, or None.

        The text on top says why the matching of greatest weight has the same pairs.
        """
        if len(self.round.forbidden) < len(self.round.met):  # some bots must meet again
            return None
        with_moved = self._perfect_pairs_of_moved()
        with_opponent = set(chain.from_iterable(with_moved))
        unpaired = [bot for bot in self.residents if bot not in with_opponent]
        size, odd = divmod(len(unpaired), 2)
        upper_half = unpaired[:size]
        lower_half = unpaired[size:]
        opponents: list[list[int]] = []
        for bot in upper_half:
            opponents.append(self._not_met(bot, lower_half))
        if odd:
            fallers = self._perfect_fallers(lower_half)
            opponents.append(fallers)
        elif self.lower and self.complete and not self.round.can_pair(self.lower):
            return None
        if len(with_moved) < len(self.moved) or self._most_bits() > WEIGHT_BITS:
            return None

        mates = first_matching(opponents)
        if mates is None:
            return None
        of_residents = zip(upper_half, mates[:size], strict=True)
        return with_moved + list(of_residents)

    def _perfect_pairs_of_moved(self) -> Pairs:
        """Return the moved bots with the highest residents that they may meet.

        Residents that floated up in the last two rounds are left out. So a bot may find nobody.
        """
        pairs: Pairs = []
        up = self.round.floats.up
        unpaired = [bot for bot in self.residents if not up[bot]]
        for bot in self.moved:
            opponents = self._not_met(bot, unpaired)
            if not opponents:
                continue
            opponent = opponents[0]
            pairs.append((bot, opponent))
            unpaired.remove(opponent)
        return pairs

    def _perfect_fallers(self, bots: Sequence[int]) -> list[int]:
        """Return the residents of these that may move down, or have the bye, at no loss."""
        down = self.round.floats.down
        fallers = [bot for bot in bots if not down[bot]]
        if not self.complete and len(self.following) >= self.safe:
            return fallers
        if len(self.lower) >= self.safe:  # the bye is above
            return []

        forbidden = self.round.forbidden
        worth: dict[int, Worth] = {}
        known: dict[tuple[bool, ...], Worth] = {}
        """The worth by what the lower bots see of a bot: few residents met any of them."""
        for bot in self.residents:
            barred = [bot in self.round.absent]
            for opponent in self.lower:
                barred.append((bot, opponent) in forbidden)
            view = tuple(barred)
            if view not in known:
                known[view] = self._worth_below(bot)
            worth[bot] = known[view]

        best = max(worth.values())
        number_paired, _, _ = best
        if self.complete and number_paired <= len(self.lower):  # somebody could not be paired
            return []
        return [bot for bot in fallers if worth[bot] == best]

    def _worth_below(self, faller: int) -> Worth:
        """Return the worth of the best matching of the lower bots with one that moves down."""
        following = set(self.following)
        quality: dict[Edge, Quality] = {}
        for first, second in self.round.edges([faller, *self.lower]):
            is_next = second in following
            is_fallers = is_next and first == faller
            quality[first, second] = (is_next, is_fallers)  # C8
        weights, _ = _weights(quality)
        mates = _matching(weights, complete=self.complete)

        paired = 0
        if self.complete:
            paired = len(mates)
        pairs = 0
        for (first, second), (counts, _) in quality.items():
            if counts and mates.get(first) == second:
                pairs += 1
        faller_is_paired = mates.get(faller) in following
        return paired, pairs, faller_is_paired

    def _not_met(self, bot: int, opponents: Sequence[int]) -> list[int]:
        forbidden = self.round.forbidden
        return [opponent for opponent in opponents if (bot, opponent) not in forbidden]

    def _most_bits(self) -> int:
        """Return a bound on the bits of a weight of `_best` without its hint.

        In this round no two bots meet again.
        """
        moved = len(self.moved)
        residents = len(self.residents)
        bots = moved + residents
        # C6 and C8
        product = 1 + bots
        product *= 1 + bots + len(self.lower)
        product *= 1 + residents

        down = self.round.floats.down
        if any(down[bot] for bot in self.residents):
            product *= (1 + 2 * bots) ** 2  # C14 and C16
        product *= (1 + moved) ** 2  # C15 and C17
        scores = Counter(self.round.points[bot] for bot in self.moved)
        for same_score in scores.values():
            product *= (1 + same_score) ** 6  # C7, C8, C18 to C21

        # The order of equal pairs.
        order_of_moved = 1 << moved
        order_of_residents = (1 + residents) * (1 + residents**2)
        product *= max(order_of_moved, order_of_residents)
        return product.bit_length()

    def _pairs_with_moved(self) -> Pairs:
        """Return the pairs of moved bots.

        Among equal pairings, the highest moved bots meet the highest residents.
        """
        moved_upwards = reversed(self.moved)
        residents_upwards = reversed(self.residents)
        bit = {bot: 1 << number for number, bot in enumerate(moved_upwards)}
        height = {bot: number for number, bot in enumerate(residents_upwards)}

        def order(first: int, second: int) -> Quality:
            if first not in bit:
                return ()
            return bit[first], height[second]

        best = self._best(self.moved, self.residents, order)
        pairs: Pairs = []
        for bot in self.moved:
            opponent = best.settle(bot, self.residents)
            if opponent is not None:
                pairs.append((bot, opponent))
        return pairs

    def _pairs_of_residents(self, met: set[int]) -> Pairs:
        """Return the pairs of two residents that are not in `met`, the bots of earlier pairs."""
        moved = [bot for bot in self.moved if bot not in met]
        residents = [bot for bot in self.residents if bot not in met]
        size = -1
        possible = len(residents) // 2
        # The half of a bot depends on how many pairs the criteria allow.
        while size != possible:
            size = possible
            order = self._order_of_rest(residents, size)
            best = self._best(moved, residents, order)
            mates = set(map(best.mates.get, residents))
            paired = mates.intersection(residents)
            possible = len(paired) // 2

        upper_half = residents[:size]
        lower_half = residents[size:]
        exchanges = any(best.mates.get(bot) not in lower_half for bot in upper_half)
        pairs: Pairs = []
        for number, bot in enumerate(residents):
            if len(pairs) >= size or bot in met:
                continue
            opponents = lower_half
            if exchanges:
                opponents = residents[number + 1 :]
            opponent = best.settle(bot, opponents)
            if opponent is not None:
                pairs.append((bot, opponent))
                met |= {bot, opponent}
        return pairs

    def _best(
        self,
        moved: Sequence[int],
        rest: Sequence[int],
        order: Callable[[int, int], Quality],
    ) -> "_Best":
        """Return the best matching of these bots and the lower bots.

        `order` decides where the criteria are equal. No two moved bots meet: if they may meet, they
        have met in a higher bracket, as then fewer bots move down.
        """
        criteria = self._criteria()
        bots = chain(moved, rest, self.lower)
        moving = set(moved)
        resting = set(rest)
        quality: dict[Edge, Quality] = {}
        for first, second in self.round.edges(bots):
            if second in moving:
                continue
            edge_quality = criteria(first, second)
            if second in resting:
                edge_quality += order(first, second)
            quality[first, second] = edge_quality
        return _Best(quality, complete=self.complete)

    def _criteria(self) -> Callable[[int, int], Quality]:
        """Return the function that says what an edge adds to FIDE's criteria C6 to C21."""
        points = self.round.points
        down = self.round.floats.down
        up = self.round.floats.up
        moved = set(self.moved)
        residents = set(self.residents)
        following = set(self.following)
        bots = moved | residents
        scores = sorted({points[bot] for bot in bots}, reverse=True)

        def criteria(first: int, second: int) -> Quality:
            here = second in residents
            next_bracket = second in following
            is_moved = here and first in moved
            moves_down = next_bracket and first not in following
            meetings = 0
            if here:
                meetings = self.round.met.get((first, second), 0)

            def by_score(counts: int) -> Quality:
                return tuple(counts if points[first] == score else 0 for score in scores)

            quality: list[int] = [here]  # C6
            quality.append(-meetings)
            quality += by_score(is_moved)  # C7
            quality.append(next_bracket)  # C8
            quality += by_score(moves_down)
            differences: list[int] = []
            for when in (LAST_ROUND, ROUND_BEFORE):
                falls = 0
                for bot in (first, second):
                    if here and bot in residents and down[bot] & when:
                        falls += 1
                floats_up = is_moved and bool(up[second] & when)
                floats_down = is_moved and bool(down[first] & when)
                quality.append(falls)  # C14 and C16
                quality.append(-floats_up)  # C15 and C17
                differences += by_score(-floats_down)
                differences += by_score(-floats_up)
            quality += differences  # C18 to C21
            return tuple(quality)

        return criteria

    @staticmethod
    def _order_of_rest(rest: Sequence[int], size: int) -> Callable[[int, int], Quality]:
        """Return the order of equal pairings of this size: few and small exchanges come first."""
        position = {bot: number for number, bot in enumerate(rest)}

        def order(first: int, second: int) -> Quality:
            if first not in position:
                return ()
            first_position = position[first]
            is_in_upper_half = first_position < size
            distance = position[second] - first_position
            shift = abs(distance - size)
            return is_in_upper_half, -first_position, len(rest) - shift

        return order


class _Best:
    """The best matching of a graph, whose pairs are settled one after the other without loss."""

    def __init__(self, quality: Mapping[Edge, Quality], *, complete: bool) -> None:
        """Find the matching; of the most pairs, if `complete`.

        The last number of a quality is a hint, which may be lost.
        """
        self._complete = complete
        self._weights, self._unit = _weights(quality)
        self.mates = _matching(self._weights, complete=complete)
        """The partner of each paired node that is not settled; each pair stands here twice."""
        self._settled: set[int] = set()

    def settle(self, bot: int, opponents: Iterable[int]) -> int | None:
        """Pair a bot with the first of these opponents that keeps the matching as good.

        Return the opponent, or None.
        """
        for opponent in opponents:
            if (bot, opponent) not in self._weights or opponent in self._settled:
                continue
            if self.mates.get(bot) != opponent:
                mates = self._matching_with(bot, opponent)
                if self._worth(mates) < self._worth(self.mates):
                    continue
                self.mates = mates
            del self.mates[bot]
            del self.mates[opponent]
            self._settled |= {bot, opponent}
            return opponent
        return None

    def _matching_with(self, bot: int, opponent: int) -> dict[int, int]:
        """Return the best matching of all that is not settled in which these two bots meet."""
        gone = self._settled | {bot, opponent}
        weights = {edge: weight for edge, weight in self._weights.items() if gone.isdisjoint(edge)}
        mates = _matching(weights, complete=self._complete)
        mates[bot] = opponent
        mates[opponent] = bot
        return mates

    def _worth(self, mates: Mapping[int, int]) -> tuple[int, int]:
        """Return the number of paired nodes, where it counts, and the weight without the hint."""
        paired = 0
        if self._complete:
            paired = len(mates)
        weight = sum(self._weights.get(edge, 0) for edge in mates.items())
        return paired, weight // self._unit


def _weights(quality: Mapping[Edge, Quality]) -> tuple[dict[Edge, int], int]:
    """Return a weight for each edge, with each criterion in its own digits, and a unit.

    The unit is that of the last criterion but one.
    """
    weights = [0] * len(quality)
    unit = 1
    for column in zip_longest(*quality.values(), fillvalue=0):
        unit = 1
        if not any(column):
            continue
        greatest: dict[int, int] = {}
        for (first, _), value in zip(quality, column, strict=True):
            if value and abs(value) > greatest.get(first, 0):
                greatest[first] = abs(value)
        # More than a matching can add, as no two of its edges have the same first node.
        unit = 1 + sum(greatest.values())
        greatest_weight = max(map(abs, weights))
        most = greatest_weight * unit
        if most.bit_length() > WEIGHT_BITS:
            unit = 1
            break
        for number, value in enumerate(column):
            weights[number] = weights[number] * unit + value
    by_edge = dict(zip(quality, weights, strict=True))
    return by_edge, unit


def _matching(weights: Mapping[Edge, int], *, complete: bool = True) -> dict[int, int]:
    """Return the matching of greatest weight, among those of the most pairs if `complete`."""
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    distinct = dict.fromkeys(chain.from_iterable(weights))  # in the order of the edges
    nodes = list(distinct)
    index: dict[int, int] = {}
    for node in nodes:
        index[node] = graph.add_node(node)
    for (first, second), weight in weights.items():
        graph.add_edge(index[first], index[second], weight)

    edges = rustworkx.max_weight_matching(graph, max_cardinality=complete, weight_fn=int)
    mates: dict[int, int] = {}
    for one_end, other_end in edges:
        node = nodes[one_end]
        mate = nodes[other_end]
        mates[node] = mate
        mates[mate] = node
    return mates
