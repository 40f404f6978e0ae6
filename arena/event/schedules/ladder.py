"""Ladder: it plays the pairings that remove most doubt about the order of the bots for their time.

A batch is computed one batch behind: batch n from the results of all batches before n - 1. So the
lanes play one batch while the next one is computed, and never wait for a last slow match.
"""

# Theory of operation
# -------------------
# The fit of the rating `bradley_terry` gives each bot a strength and all strengths a covariance. Of
# two bots whose strengths differ by d, with a standard error e of that difference, the chance that
# their order is wrong is the normal distribution's tail beyond |d| / e: their doubt. A further
# pairing reduces e: a match of which the stronger wins with probability p has the information p(1 -
# p) about d. So bots that are close meet more often than bots far apart, and a bot of which little
# is known, such as a new one, meets others more often than one of which much is known.
#
#     worth = doubt * (reduction of e squared) / (expected turns of the pairing)
#
# A batch is chosen pairing by pairing; each chosen pairing, and each pairing of the batch that is
# still played, counts as if its results were there: how much they reduce the covariance does not
# depend on who wins. So a batch does not ask the same question twice.
#
# Machine time is judged by `Played.turns`, not by seconds. Seconds differ from run to run, and an
# event that was killed must go on with the same matches.
#
# Lot: every second pairing of a batch is drawn by lot from all of them, in proportion to what it
# would tell of equal bots for its cost. Without the lot, bots with bad luck look far from the
# others, seldom meet them again, and keep the wrong strength: of 12 equal bots a 95 % interval held
# the truth in 51 %, with it in 97 % (benchmarks/calibration.py). The lot is drawn by the event's
# seed and the number of the pairings before it, so it is the same in every run.
#
# Floor: a bot with fewer than half as many pairings as the average bot comes first, the one with
# the fewest at the head, against the opponent that is worth most. So no bot starves because its
# matches are slow or its rank is clear.
#
# Absent: a bot that said `ready` in no match of the newest batch that it was in is paired no more.
# Its pairings go to the others.
#
# Results count alike, whenever they came. A schedule that looked at the newest results would prefer
# bots that finish fast, and its order of matches would change from run to run.
#
# Bots without chance play the same match again. A pairing whose legs always ended alike (same
# scores, same reason, same number of turns) counts once in the fit, and each repeat of it divides
# the information of the next by four: the two legs of an even pairing end as they did before, by
# chance, once in four times.
#
# Rejected, with 8 to 16 simulated leagues of each of three kinds (benchmarks/formats.py has the
# kinds): doubt times the *part* of e squared that is taken away, which orders as well, but leaves
# wider intervals, because it asks again and again about bots that are hard to tell apart; and the
# variance alone, whose intervals are the narrowest, but whose order of 24 bots was worse.
#
# Each batch is chosen from all results before it. Each result becomes a row of numbers once
# (`_Results`), and numpy adds the rows up for each fit, which takes 1 ms for 2,000 matches and 7 ms
# for 15,000. Sums that grow match by match take 1 ms whatever the number, and 120 lines of code.
# What was chosen is kept, because the batch that is still played is part of the next choice. Both
# are found again by the event and its history (`_Ladder`), so a batch depends on these two alone:
# asked for any batch at any time, a ladder gives the same matches.
#
# Many bots: nothing here has the size of all pairs of bots. The legs of a pairing follow from the
# kinds of its bots, and of pairings only those are counted that were played. Neighbours in strength
# make groups of at most GROUP bots: a bot's candidates are of its group, and only in it is there a
# covariance (`_uncertainty.py`). In every second batch the groups begin half a group earlier, so
# that no two neighbours stay apart. A field of at most GROUP bots is a single group, and exact. The
# lot alone looks at all pairs, some rows at a time, of which it keeps those that can be drawn. A
# bot that meets nobody of its group, as all of them play one role, is paired by lot alone.
#
# Rejected: a variance for each bot and no covariance, which is a group for each bot. It would be
# less code, but it makes other pairings of small fields as well, whose archives could not be
# verified any more. And conjugate gradients for the row of each chosen pairing: exact in a large
# field, and a minute for a batch of 10,000 bots.
#
# Not tried: the doubt of all pairs, not only of the two that meet; it costs a pass over all pairs
# for each candidate. Left out: priors that are estimated from the scores, as the rating has them;
# they take most of the time of a rating, and beside the lot they changed neither the order nor the
# coverage.

import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, TypeVar

from arena.event.schedules._pairings import check, pairing, seeded
from arena.event.schedules.round_robin import groups_of
from arena.game import Role
from arena.results.archive.records import Entry
from arena.results.standings import absentees
from arena.values import Batch, Board, Event, Match, Played

if TYPE_CHECKING:  # numpy takes a tenth of a second to import, and commands list the schedules
    from arena.event.schedules._uncertainty import Uncertainty
    from arena.results.arrays import Floats, Ints, Mask
    from arena.results.ratings.fitting.match_totals import MatchTotals

    Number = TypeVar("Number", int, Ints)
    BotIndex = Ints | int
    """A bot, or an array of bots: one of each pairing."""

BEHIND = 1
FEWEST_PAIRINGS = 8
"""The pairings of a batch: with fewer, two batches would not fill the lanes of a large machine."""
FLOOR = 0.5  # of the average bot's pairings, which each bot has at least
PARTNERS = 8
"""The candidates of each bot in one batch: a thousand bots have 8,000 at most, not half a million.
"""
GROUP = 320
"""The most bots of a group, and twice as many bots as can be of much use to each other."""
MOST_UNKNOWNS = 2400
"""The most strengths, of bots in roles, of a group: the inverse of their matrix takes a second."""
START_TURNS = 20
"""The cost of the start of a match, in turns of bots that think for some milliseconds."""
DECIMALS = 6
"""The decimals of the logarithm of a worth: pairings that are equal in them are ordered by seed, so
that every CPU makes the same choice."""

LEAST_SQUARE = 1e-12
ROWS = 64
"""The bots whose pairings are drawn at once: those of a thousand bots would take 100 MB."""

Pair = tuple[int, int]
"""Two bots, as their indices in the seed order, the better seed first."""
Pairs = tuple[Pair, ...]
Choice = tuple[tuple[int, int, int], ...]
"""Pairings, each with its repeat."""


def batch(
    event: Event,
    number: int,
    history: Sequence[Batch],
) -> Iterator[Match]:
    """Yield the matches of a batch, pairing by pairing; nothing after the last batch."""
    check(event)
    ladder = _ladder(event)
    bots = ladder.bots
    for bot, opponent, repeat in ladder.batch(number, list(history)):
        yield from pairing(event, bots[bot], bots[opponent], [repeat])


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board; a bound where bots play single roles."""
    check(event)
    pairings = _pairings(event, _Legs(event, event.boards))
    planned: dict[str, int] = {}
    for board in event.boards:
        longest = _Legs(event, [board]).most
        planned[board.label] = pairings * longest
    return planned


def _pairings(event: Event, legs: "_Legs") -> int:
    """Return the number of pairings: that of a round robin, unless `rounds` says otherwise."""
    if event.rounds is not None:
        return event.rounds * _batch_size(event)
    return event.repeats * legs.pairs


def _batch_size(event: Event) -> int:
    """Return the number of pairings of a batch."""
    return max(len(event.bots) // 2, FEWEST_PAIRINGS)


class _Legs:
    """The number of matches of each pairing. Bots stand in the seed order."""

    def __init__(self, event: Event, boards: Iterable[Board]) -> None:
        import numpy as np

        bots = seeded(event)
        groups: list[list[bool]] = []
        """For each group of roles: the bots that play it."""
        variants: list[int] = []
        """Of each board."""
        for board in boards:
            # There are two groups of roles; `check` has refused other boards.
            for roles in groups_of(board, event.seating):
                play: list[bool] = []
                for bot in bots:
                    plays_each = [bot.plays(board.game, board.name, role) for role in roles]
                    play.append(all(plays_each))
                groups.append(play)
            variants.append(board.variants)

        # Bots that play the same are of a kind; there are few kinds.
        plays = np.array(groups, dtype=np.int64).T  # bots x groups
        kinds, kind, members = np.unique(
            plays,
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        self.kind: Ints = kind.reshape(-1)
        """By bot; the last kind, which no bot is of, plays nothing."""

        first = kinds[:, 0::2]  # kinds x boards: whether they play the first group of roles
        second = kinds[:, 1::2]
        weighted = first * np.array(variants)
        one_way = weighted @ second.T  # kinds x kinds
        by_kind = one_way + one_way.T
        self._by_kind: Ints = np.pad(by_kind, (0, 1))

        meetings = np.outer(members, members)  # of two bots, in either order, kinds x kinds
        meetings -= np.diag(members)  # a bot does not meet itself
        meetings_with_legs = meetings[by_kind > 0]
        self.pairs = int(meetings_with_legs.sum()) // 2
        """The number of pairings of at least one match."""
        legs_that_are_met = by_kind[meetings > 0]
        self.most = int(legs_that_are_met.max(initial=0))
        """The number of matches of the longest pairing."""

    def without(self, bots: Iterable[int]) -> "_Legs":
        """Return the legs if these bots played nothing."""
        import copy

        legs = copy.copy(self)
        legs.kind = self.kind.copy()
        legs.kind[list(bots)] = len(self._by_kind) - 1
        return legs

    def of(self, bot: "BotIndex", opponent: "BotIndex") -> "Ints":
        """Return the legs of pairings of different bots."""
        kind = self.kind[bot]
        opponents_kind = self.kind[opponent]
        legs: Ints = self._by_kind[kind, opponents_kind]
        return legs

    def table(self, bots: "Ints", opponents: "Ints") -> "Ints":
        """Return bots x opponents: the legs of their pairings; a bot does not meet itself."""
        import numpy as np

        kinds = np.ix_(self.kind[bots], self.kind[opponents])
        legs = self._by_kind[kinds]
        are_same = bots[:, None] == opponents
        legs[are_same] = 0
        return legs


class _Ladder:
    """The chosen batches of one event, and the results from which they were chosen."""

    def __init__(self, event: Event) -> None:
        self.bots = seeded(event)
        self._event = event
        self._legs = _Legs(event, event.boards)
        self._history: list[Batch] = []
        self._results = _Results(event)
        """The sums of the first batches of the history."""
        self._chosen: dict[int, Choice] = {}
        """The pairings of each batch, by its number."""

    def batch(self, number: int, history: list[Batch]) -> Choice:
        """Return the pairings of a batch, each with its repeat."""
        self._follow(history)
        under_way: Pairs
        if number and number - 1 not in self._chosen:
            # The batch before this one is being played. When it was chosen, the last batch of the
            # history was being played.
            under_way = ()
            if history:
                under_way = self._results.pairs(history[-1])
            self._choose(number - 1, history[:-1], under_way)
        if number not in self._chosen:
            choice = self._chosen.get(number - 1, ())
            under_way = tuple((bot, opponent) for bot, opponent, _ in choice)
            self._choose(number, history, under_way)
        return self._chosen[number]

    def _follow(self, history: list[Batch]) -> None:
        """Keep this history; if it is another one than before, forget all that was chosen."""
        for former, batch in zip(self._history, history, strict=False):
            is_same = former is batch or former == batch
            if not is_same:
                self._chosen.clear()
                self._history = []
                self._results = _Results(self._event)
                break
        # Keep the newest objects, so that the next comparison is by identity.
        self._history[: len(history)] = history

    def _choose(
        self,
        number: int,
        finished: list[Batch],
        under_way: Pairs,
    ) -> None:
        """Choose the pairings of a batch from the results of the finished batches."""
        if self._results.batches > len(finished):
            self._results = _Results(self._event)
        added = self._results.batches
        for batch in finished[added:]:
            self._results.add(batch)

        size = _batch_size(self._event)
        pairings = _pairings(self._event, self._legs)
        remaining = pairings - number * size
        self._chosen[number] = _most_useful(
            self._event,
            self._legs,
            self._results,
            under_way,
            min(size, remaining),
        )


_ladder = lru_cache(maxsize=1)(_Ladder)


class _Results:
    """Sums over the results of the first batches. Bots stand in the seed order."""

    def __init__(self, event: Event) -> None:
        import numpy as np

        bots = seeded(event)
        self._event = event
        self.bots = [bot.name for bot in bots]
        self.index = {bot.name: number for number, bot in enumerate(bots)}
        self.batches = 0
        self._entries: dict[Entry, int] = {}
        self._seats = array("q")
        """The match, position, entry and score of each seat."""
        self._endings: defaultdict[object, dict[object, int]] = defaultdict(dict)
        """The scores, reasons and numbers of turns of the matches of each seating, numbered."""
        self._transcripts = array("q")
        """The number of the ending of each match."""
        self._met = array("q")
        """The code of each pairing that was played (`code_of`)."""
        self.by_chance: set[int] = set()
        """The codes of the pairs of which two matches in the same roles ended differently."""
        self.turns: Ints = np.zeros(len(bots), dtype=np.int64)
        """By bot: the turns of its matches."""
        self.matches: Ints = np.zeros(len(bots), dtype=np.int64)
        """By bot: the number of its matches."""
        self.absent: set[int] = set()
        """The bots that said `ready` in no match of the newest batch that they were in."""

    def add(self, batch: Batch) -> None:
        """Add the results of the next batch."""
        self.batches += 1
        missing = absentees(batch)
        for match in batch:
            for bot in self._bots(match):
                name = self.bots[bot]
                if name in missing:
                    self.absent.add(bot)
                else:
                    self.absent.discard(bot)
        for bot, opponent in self.pairs(batch):
            code = self.code_of(bot, opponent)
            self._met.append(code)
        for match in batch:
            bots = self._bots(match)
            self.turns[bots] += match.turns
            self.matches[bots] += 1
            self._add_seats(match)

            seating = frozenset(match.seats.items())
            scores = tuple(sorted(match.scores.items()))
            ending = (match.reason, match.turns, scores)
            endings = self._endings[match.label, seating]
            number = endings.setdefault(ending, len(endings))
            self._transcripts.append(number)
            if len(endings) > 1:
                code = self.code_of(min(bots), max(bots))
                self.by_chance.add(code)

    def _add_seats(self, match: Played) -> None:
        """Add the seats of the match that comes next."""
        sides: dict[Role, int] = {}
        for side, roles in enumerate(match.sides):
            for role in roles:
                sides[role] = side

        match_number = len(self._transcripts)
        for position, (role, name) in enumerate(match.seats.items()):
            entry = Entry(
                game=match.game,
                board=match.board,
                side=sides[role],
                role=role,
                bot=name,
                digest="",
            )
            entry_number = self._entries.setdefault(entry, len(self._entries))
            score = match.scores[role]
            self._seats.extend((match_number, position, entry_number, score))

    def code_of(self, bot: "Number", opponent: "Number") -> "Number":
        """Return the number of a pair, the better seed first: pairs in order have it ascending."""
        return bot * len(self.bots) + opponent

    @property
    def pairings(self) -> int:
        """The number of pairings that were played."""
        return len(self._met)

    def met(self) -> "tuple[Ints, Ints]":
        """Return the codes of the pairs that met, ascending, and how often each did."""
        import numpy as np

        codes = np.array(self._met, dtype=np.int64)
        return np.unique(codes, return_counts=True)

    def totals(self) -> "MatchTotals":
        """Return the sums by seating.

        The moves of a match are not part of its result. So matches of a seating count as one while
        all of them ended alike; a single one that ended differently shows that there is chance, and
        then each of them counts.
        """
        import numpy as np

        from arena.results.arrays import Arrays
        from arena.results.ratings.fitting.match_totals import add_up

        match, position, entry, score = np.array(self._seats).reshape(-1, 4).T
        transcript = np.array(self._transcripts)
        none = np.zeros_like(transcript)
        return add_up(
            Arrays(
                entries=tuple(self._entries),
                repeat=none,
                seed=none,
                turns=none,
                transcript=transcript,
                match=match,
                position=position,
                entry=entry,
                score=score,
                ending=np.full_like(score, -1),
            )
        )

    def pairs(self, batch: Batch) -> Pairs:
        """Return the pairings of a batch, in their order."""
        pairs: list[Pair] = []
        earlier: set[tuple[int, int, int]] = set()
        """Two bots and the repeat of each pairing."""
        for match in batch:
            bot, opponent = sorted(self._bots(match))
            repeat = self._event.repeat_of(match)
            if (bot, opponent, repeat) not in earlier:
                earlier.add((bot, opponent, repeat))
                pairs.append((bot, opponent))
        return tuple(pairs)

    def _bots(self, match: Played) -> list[int]:
        """Return the bots of a match, in the order of its sides."""
        bots: list[int] = []
        for side in match.sides:
            name = match.seats[side[0]]
            bots.append(self.index[name])
        return bots


def _most_useful(
    event: Event,
    legs: _Legs,
    results: _Results,
    under_way: Pairs,
    size: int,
) -> Choice:
    """Return the pairings of most worth, at most `size`, each with its repeat.

    `under_way` are the pairings that are played now.
    """
    if size < 1:
        return ()
    import numpy as np

    if results.absent:  # their matches would only be forfeited
        legs = legs.without(results.absent)
    strength, uncertainty = _strengths(event, results)
    prospects = _Prospects(legs, results, strength)
    drawn = prospects.drawn(event, len(under_way), len(under_way) + size)
    lots = _Lots(drawn)

    bots = len(strength)
    codes, times = results.met()
    times_by_code = dict(zip(codes.tolist(), times.tolist(), strict=True))
    met = Counter(times_by_code)
    pairings = np.zeros(bots, dtype=np.int64)  # by bot
    np.add.at(pairings, codes // bots, times)
    np.add.at(pairings, codes % bots, times)

    def play(
        bot: int,
        opponent: int,
        gain: float,
    ) -> "Iterator[tuple[int, Floats]]":
        """Count a pairing, and return the changes of the covariance."""
        pairings[[bot, opponent]] += 1
        met[results.code_of(bot, opponent)] += 1
        lots.play(bot, opponent)
        return uncertainty.play(bot, opponent, gain)

    coming = np.array(under_way, dtype=np.int64).reshape(-1, 2)
    _, gains, _ = prospects.expected(coming[:, 0], coming[:, 1])
    for (bot, opponent), gain in zip(under_way, gains.tolist(), strict=True):
        for _ in play(bot, opponent, gain):
            pass

    candidates = _Candidates(uncertainty, prospects)
    chosen: list[tuple[int, int, int]] = []
    while len(chosen) < size and len(drawn):
        is_starving = candidates.starving(pairings)
        is_turn_of_lot = len(chosen) % 2 == 1 and not is_starving.any()
        if candidates.is_empty or is_turn_of_lot:
            bot, opponent = lots.next()
        else:
            bot, opponent = candidates.best(is_starving)
        repeat = met[results.code_of(bot, opponent)]
        chosen.append((bot, opponent, repeat))
        _, gain, _ = prospects.expected(bot, opponent)
        for group, change in play(bot, opponent, float(gain)):
            candidates.reduce(group, change)
    return tuple(chosen)


class _Prospects:
    """What further pairings are expected to tell and to cost."""

    def __init__(
        self,
        legs: _Legs,
        results: _Results,
        strength: "Floats",
    ) -> None:
        import numpy as np

        self.legs = legs
        self._results = results
        self._strength = strength
        matches = max(results.matches.sum(), 1)
        mean_turns = results.turns.sum() / matches
        # The mean counts as one match of each bot, so that one long match misleads less.
        self._turns = (results.turns + mean_turns) / (results.matches + 1)
        # Of a pairing whose legs always ended alike, each repeat says a quarter of what the last
        # one said.
        codes, times = results.met()
        codes_by_chance = sorted(results.by_chance)
        by_chance = np.array(codes_by_chance, dtype=np.int64)
        is_by_chance = np.isin(codes, by_chance)
        is_repeated = (times > 1) & ~is_by_chance
        self._repeated: Ints = codes[is_repeated]
        """The codes of the pairs that say less than others, ascending."""
        repeats = times[is_repeated] - 1
        self._repeats: Ints = np.minimum(repeats, 30)

    def expected(self, bot: "BotIndex", opponent: "BotIndex") -> "tuple[Floats, Floats, Floats]":
        """Return the difference in strength, the information and the cost of pairings."""
        import numpy as np

        ahead = self._strength[bot] - self._strength[opponent]
        legs = self.legs.of(bot, opponent)
        # p (1 - p) is 0.25 / cosh(ahead / 2)^2.
        of_equal_bots = legs * 0.25 / self._divisor(bot, opponent)
        imbalance = np.cosh(0.5 * ahead) ** 2
        information = of_equal_bots / imbalance

        cost = self._cost(legs, bot, opponent)
        return ahead, information, cost

    def _cost(
        self,
        legs: "Ints",
        bot: "BotIndex",
        opponent: "BotIndex",
    ) -> "Floats":
        """Return the expected turns of pairings."""
        import numpy as np

        turns = (self._turns[bot] + self._turns[opponent]) / 2
        return np.asarray(legs * (START_TURNS + turns))

    def _divisor(self, bot: "BotIndex", opponent: "BotIndex") -> "Floats":
        """Return by how much the information is divided because a pair always ended alike."""
        import numpy as np

        better_seed = np.minimum(bot, opponent)
        other_seed = np.maximum(bot, opponent)
        code = np.asarray(self._results.code_of(better_seed, other_seed))
        if not len(self._repeated):
            return np.ones(code.shape)
        index = np.searchsorted(self._repeated, code)
        index = np.minimum(index, len(self._repeated) - 1)
        is_repeated = self._repeated[index] == code
        return np.where(is_repeated, 4.0 ** self._repeats[index], 1.0)

    def drawn(self, event: Event, under_way: int, most: int) -> "Ints":
        """Return the pairs that are first by lot, in this order, at most `most`, a row each.

        In the order of exponential times, a pairing of twice the worth is twice as likely to be the
        next.
        """
        import numpy as np

        # Both draw the same numbers, and numpy draws a million at once.
        dice = Random(f"{event.seed}/{self._results.pairings}/{under_way}")
        _, state, _ = dice.getstate()
        words = np.array(state[:-1], dtype=np.uint32)
        position = state[-1]
        random = np.random.RandomState()
        random.set_state(("MT19937", words, position, 0, 0.0))

        bots = np.arange(len(self._strength))
        waits = np.zeros(0)
        pairs = np.zeros((0, 2), dtype=np.int64)
        latest = np.inf
        for start in range(0, len(bots), ROWS):
            rows = bots[start : start + ROWS]
            legs = self.legs.table(rows, bots[start:])
            legs_of_each_pair_once = np.triu(legs)
            bot, opponent = np.nonzero(legs_of_each_pair_once)
            legs = legs[bot, opponent]  # by pair, as all that follows
            bot += start
            opponent += start
            information = legs * 0.25 / self._divisor(bot, opponent)
            cost = self._cost(legs, bot, opponent)
            lot = random.random_sample(len(bot))
            exponential = -np.log1p(-lot)
            wait = exponential * cost / information

            early = np.flatnonzero(wait <= latest)
            early_pairs = np.column_stack((bot[early], opponent[early]))
            waits = np.concatenate((waits, wait[early]))
            pairs = np.concatenate((pairs, early_pairs))
            if len(waits) > most:
                earliest_first = np.partition(waits, most - 1)
                latest = earliest_first[most - 1]
                is_early = waits <= latest
                pairs = pairs[is_early]
                waits = waits[is_early]
        order = np.argsort(waits, kind="stable")
        return pairs[order]


class _Lots:
    """Pairs in the order of the lot, the least often played ones first."""

    def __init__(self, pairs: "Ints") -> None:
        self._pairs: list[Pair] = [(bot, opponent) for bot, opponent in pairs.tolist()]
        self._played = Counter[Pair]()
        self._queue = [(0, number) for number in range(len(self._pairs))]
        """How often a pair was played when it was last looked at, and its number; a heap."""

    def play(self, bot: int, opponent: int) -> None:
        """Count a pairing."""
        self._played[bot, opponent] += 1

    def next(self) -> Pair:
        """Return the next pair."""
        while True:
            played_before, number = self._queue[0]
            pair = self._pairs[number]
            played = self._played[pair]
            if played == played_before:
                return pair
            heapq.heapreplace(self._queue, (played, number))


class _Candidates:
    """The pairings of most worth for either bot, and what each is still worth."""

    def __init__(self, uncertainty: "Uncertainty", prospects: _Prospects) -> None:
        import numpy as np

        first, second, square = _candidate_pairs(uncertainty, prospects)
        ahead, information, cost = prospects.expected(first, second)
        self._first = first
        """By candidate: the better seed, and so on for what follows."""
        self._second = second
        self._square = square
        self._ahead = ahead
        self._information = information
        self._cost = cost
        self._worth = _worth(ahead, information, cost, square)
        self._first_index = uncertainty.index[first]
        self._second_index = uncertainty.index[second]

        group = uncertainty.group[first]  # as that of the second
        order = np.argsort(group, kind="stable")
        in_order = group[order]
        later_groups = np.arange(1, len(uncertainty.groups))
        starts = np.searchsorted(in_order, later_groups)
        self._of_group = np.split(order, starts)
        """By group: the candidates in it."""
        self._has_candidate = np.zeros(len(uncertainty.group), dtype=np.bool_)
        """By bot: whether any candidate has it."""
        self._has_candidate[first] = True
        self._has_candidate[second] = True

    @property
    def is_empty(self) -> bool:
        """True if there are none, since no bot meets another one of its group."""
        return len(self._worth) == 0

    def starving(self, pairings: "Ints") -> "Mask":
        """Return by bot whether it is behind the floor, and has the fewest pairings.

        `pairings` has the number of pairings of each bot.
        """
        import numpy as np

        nobody = np.zeros(len(pairings), dtype=np.bool_)
        if self.is_empty:
            return nobody
        of_candidates = pairings[self._has_candidate]
        fewest = of_candidates.min()
        if fewest < FLOOR * of_candidates.mean():
            return np.asarray(pairings == fewest)
        return nobody

    def best(self, is_starving: "Mask") -> Pair:
        """Return the pairing of most worth; if bots are starving, that of one of them."""
        import numpy as np

        worth = self._worth
        if is_starving.any():
            first_is_starving = is_starving[self._first]
            second_is_starving = is_starving[self._second]
            is_allowed = first_is_starving | second_is_starving
            worth = np.where(is_allowed, worth, -np.inf)
        best = np.argmax(worth)  # the first of equals: the better seeds
        bot = self._first[best]
        opponent = self._second[best]
        return int(bot), int(opponent)

    def reduce(self, group: int, change: "Floats") -> None:
        """Reduce the squared errors, and the worth, of the candidates of a group.

        `change` is the root of what the covariance of the group lost (`Uncertainty.play`).
        """
        candidates = self._of_group[group]
        change_of_first = change[self._first_index[candidates]]
        change_of_second = change[self._second_index[candidates]]
        step = change_of_first - change_of_second
        has_changed = step != 0
        changed = candidates[has_changed]
        self._square[changed] -= step[has_changed] ** 2
        self._worth[changed] = _worth(
            self._ahead[changed],
            self._information[changed],
            self._cost[changed],
            self._square[changed],
        )


def _worth(
    ahead: "Floats",
    information: "Floats",
    cost: "Floats",
    square: "Floats",
) -> "Floats":
    """Return the logarithm of the worth of each pairing.

    `square` is the squared error of the difference in strength.
    """
    import numpy as np

    square = np.maximum(square, LEAST_SQUARE)
    # The normal tail, within 0.01.
    scaled_lead = 1.702 * np.abs(ahead) / np.sqrt(square)
    doubt = -np.logaddexp(0, scaled_lead)
    gain = information * square
    decrease = square * gain / (1 + gain)
    worth = doubt + np.log(decrease) - np.log(cost)
    return np.asarray(np.round(worth, DECIMALS))


def _candidate_pairs(
    uncertainty: "Uncertainty", prospects: _Prospects
) -> "tuple[Ints, Ints, Floats]":
    """Return the pairings of most worth for either bot, by seeds, with their squared errors."""
    import numpy as np

    best: list[Ints] = [np.zeros((0, 2), dtype=np.int64)]
    squares: list[Floats] = [np.zeros(0)]
    for number, members in enumerate(uncertainty.groups):
        legs = prospects.legs.table(members, members)
        bot, opponent = np.nonzero(legs)
        bot = members[bot]
        opponent = members[opponent]
        square = uncertainty.squares(number, bot, opponent)
        # Of pairings of equal worth, as all are before the first result, bots take their neighbours
        # in the seed order: with the best seeds as everybody's candidates the other bots could not
        # meet each other.
        ahead, information, cost = prospects.expected(bot, opponent)
        worth = _worth(ahead, information, cost, square)
        distance = np.abs(bot - opponent)
        order = np.lexsort((opponent, distance, -worth, bot))
        bot = bot[order]
        opponent = opponent[order]

        first_of_bot = np.searchsorted(bot, bot)
        rank = np.arange(len(bot)) - first_of_bot  # of a pair among those of its bot
        is_best = rank < PARTNERS
        bot = bot[is_best]
        opponent = opponent[is_best]

        better_seed = np.minimum(bot, opponent)
        other_seed = np.maximum(bot, opponent)
        pairs = np.column_stack((better_seed, other_seed))
        pairs = np.unique(pairs, axis=0)
        best.append(pairs)
        square = uncertainty.squares(number, pairs[:, 0], pairs[:, 1])
        squares.append(square)

    better_seed, other_seed = np.concatenate(best).T
    square = np.concatenate(squares)
    order = np.lexsort((other_seed, better_seed))
    return better_seed[order], other_seed[order], square[order]


def _strengths(event: Event, results: _Results) -> "tuple[Floats, Uncertainty]":
    """Return each bot's strength, in logits, and how unsure the strengths are.

    They are from the model of the rating `bradley_terry`.
    """
    import numpy as np

    from arena.event.schedules._uncertainty import Uncertainty
    from arena.results.arrays import rounded
    from arena.results.ratings.fitting.fit import chance, information, most_likely
    from arena.results.ratings.fitting.model import model_of, restricted
    from arena.results.ratings.fitting.prior import (
        Spread,
        mean_strengths,
        overall_means,
        precision,
    )

    prior = Spread()
    board_roles = sum(len(board.roles) for board in event.boards)
    unplayed = prior.bots**2 + prior.roles**2 / board_roles
    strength = np.zeros(len(event.bots))
    covariances: list[Floats] = []
    if not results.matches.any():
        groups = _groups(strength, board_roles, results.batches)
        for bots in groups:
            covariances.append(np.eye(len(bots)) * unplayed)
        return strength, Uncertainty(groups, covariances)

    totals = results.totals()
    played_roles = len(totals.board_roles)
    model = model_of(totals)
    score_numbers = np.arange(len(model.mean))
    opposed = model.opposing != score_numbers[:, None]
    shares = opposed * model.share[model.opposing]
    overlap = 1.0 + shares.sum(axis=1)  # the sides' scores repeat each other
    weight = model.matches * model.share / overlap
    unknowns = most_likely(model, prior, weight)

    indices = [results.index[bot] for bot in totals.bots]
    rows = np.array(indices)  # by number in the model
    means = mean_strengths(model, prior, unknowns, len(rows), played_roles)
    strength[rows] = rounded(means)

    expected = chance(model, unknowns)
    weight = weight * expected * (1 - expected)
    number = np.full(len(strength), -1)  # by bot: its number in the model
    number[rows] = np.arange(len(rows))
    groups = _groups(strength, board_roles, results.batches)
    for bots in groups:
        numbers = number[bots]
        is_in_model = numbers >= 0
        in_model = np.sort(numbers[is_in_model])
        played = np.searchsorted(bots, rows[in_model])
        part, scores = restricted(model, in_model)
        of_matches = information(part, weight[scores])
        of_prior = precision(part, prior)
        of_unknowns = np.linalg.inv(of_matches + of_prior)
        of_unknowns = rounded(of_unknowns)
        mean_of_unknowns = overall_means(part, prior, len(in_model), played_roles)
        of_means = mean_of_unknowns @ of_unknowns @ mean_of_unknowns.T

        covariance = np.eye(len(bots)) * unplayed
        played_pairs = np.ix_(played, played)
        covariance[played_pairs] = rounded(of_means)
        covariances.append(covariance)
    return strength, Uncertainty(groups, covariances)


def _groups(
    strength: "Floats",
    board_roles: int,
    batches: int,
) -> "list[Ints]":
    """Return groups of neighbours in strength, the bots of each in the seed order."""
    import numpy as np

    most = min(GROUP, MOST_UNKNOWNS // board_roles)
    most = max(2, most)
    order = np.argsort(-strength, kind="stable")
    bots = len(order)
    count = -(-bots // most)
    if count == 1:
        return [np.sort(order)]
    size = -(-bots // count)
    begin = size
    if batches % 2:
        begin = size // 2
    starts = range(begin, bots, size)
    groups = np.split(order, starts)
    return [np.sort(group) for group in groups]
