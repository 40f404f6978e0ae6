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
# The covariance of a thousand bots has a million entries, and each pairing that is chosen changes
# all of them. So the changes are kept as one vector for each pairing, and only the entries of the
# candidates are made.
#
# Not tried: the doubt of all pairs, not only of the two that meet; it costs a pass over all pairs
# for each candidate. Left out: priors that are estimated from the scores, as the rating has them;
# they take most of the time of a rating, and beside the lot they changed neither the order nor the
# coverage.

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from arena.event.schedules._pairings import check, pairing, seeded
from arena.event.schedules.round_robin import groups_of
from arena.game import Role
from arena.results.archive.records import Entry
from arena.results.standings import absentees
from arena.values import Batch, Board, Event, Match, Played

if TYPE_CHECKING:  # numpy takes a tenth of a second to import, and commands list the schedules
    from arena.results.arrays import Floats, Ints
    from arena.results.ratings.fitting.match_totals import MatchTotals

    Expected = Callable[[Ints, Ints], tuple[Floats, Floats, Floats]]
    """Returns the difference in strength, the information and the cost of pairings of bots."""

BEHIND = 1
FEWEST_PAIRINGS = 8
"""The pairings of a batch: with fewer, two batches would not fill the lanes of a large machine."""
FLOOR = 0.5  # of the average bot's pairings, which each bot has at least
PARTNERS = 8
"""The candidates of each bot in one batch: a thousand bots have 8,000 at most, not half a million.
"""
START_TURNS = 20
"""The cost of the start of a match, in turns of bots that think for some milliseconds."""
DECIMALS = 6
"""The decimals of the logarithm of a worth: pairings that are equal in them are ordered by seed, so
that every CPU makes the same choice."""

LEAST_SQUARE = 1e-12
ROWS = 64
"""The bots whose candidates are computed at once: those of a thousand bots would take 100 MB."""

Pairs = tuple[tuple[int, int], ...]
"""Two bots each, as their indices in the seed order, the better seed first."""
Choice = tuple[tuple[int, int, int], ...]
"""Pairings, each with its repeat."""


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a batch, pairing by pairing; nothing after the last batch."""
    check(event)
    ladder = _ladder(event)
    for bot, opponent, repeat in ladder.batch(number, list(history)):
        yield from pairing(event, ladder.bots[bot], ladder.bots[opponent], [repeat])


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board; a bound where bots play single roles."""
    check(event)
    pairings = _pairings(event, _legs(event, event.boards))
    return {board.label: pairings * int(_legs(event, [board]).max()) for board in event.boards}


def _pairings(event: Event, legs: "Ints") -> int:
    """Return the number of pairings: that of a round robin, unless `rounds` says otherwise."""
    if event.rounds is not None:
        return event.rounds * _batch_size(event)
    return event.repeats * int((legs > 0).sum()) // 2


def _batch_size(event: Event) -> int:
    """Return the number of pairings of a batch."""
    return max(len(event.bots) // 2, FEWEST_PAIRINGS)


def _legs(event: Event, boards: Iterable[Board]) -> "Ints":
    """Return bots x bots, in the seed order: the matches of their pairing on these boards."""
    import numpy as np

    bots = seeded(event)
    legs = np.zeros((len(bots), len(bots)), dtype=np.int64)
    for board in boards:
        # There are two groups of roles; `check` has refused other boards.
        able: list[list[bool]] = []
        for roles in groups_of(board, event.seating):
            able.append(
                [all(bot.plays(board.game, board.name, role) for role in roles) for bot in bots]
            )
        first, second = np.array(able)  # bots each
        legs += (first[:, None] & second[None, :]) * board.variants
    np.fill_diagonal(legs, 0)
    return np.asarray(legs + legs.T)


class _Ladder:
    """The chosen batches of one event, and the results from which they were chosen."""

    def __init__(self, event: Event) -> None:
        self.bots = seeded(event)
        self._event = event
        self._legs = _legs(event, event.boards)
        self._history: list[Batch] = []
        self._results = _Results(event)
        """The sums of the first batches of the history."""
        self._chosen: dict[int, Choice] = {}
        """The pairings of each batch, by its number."""

    def batch(self, number: int, history: list[Batch]) -> Choice:
        """Return the pairings of a batch, each with its repeat."""
        for former, batch in zip(self._history, history, strict=False):
            if former is not batch and former != batch:  # this is another history
                self._chosen.clear()
                self._history = []
                self._results = _Results(self._event)
                break
        # Keep the newest objects, so that the next comparison is by identity.
        self._history[: len(history)] = history
        under_way: Pairs
        if number and number - 1 not in self._chosen:
            # The batch before this one is being played. When it was chosen, the last batch of the
            # history was being played.
            under_way = self._results.pairs(history[-1]) if history else ()
            self._choose(number - 1, history[:-1], under_way)
        if number not in self._chosen:
            choice = self._chosen.get(number - 1, ())
            under_way = tuple((bot, opponent) for bot, opponent, _ in choice)
            self._choose(number, history, under_way)
        return self._chosen[number]

    def _choose(self, number: int, finished: list[Batch], under_way: Pairs) -> None:
        """Choose the pairings of a batch from the results of the finished batches."""
        if self._results.batches > len(finished):
            self._results = _Results(self._event)
        for batch in finished[self._results.batches :]:
            self._results.add(batch)
        size = _batch_size(self._event)
        remaining = _pairings(self._event, self._legs) - number * size
        size = min(size, remaining)
        self._chosen[number] = _most_useful(self._event, self._legs, self._results, under_way, size)


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
        self.met = np.zeros((len(bots), len(bots)), dtype=np.int64)
        """Bots x bots: the number of their pairings."""
        self.by_chance = np.zeros((len(bots), len(bots)), dtype=np.bool_)
        """Bots x bots: True if two matches of them in the same roles ended differently."""
        self.turns, self.matches = np.zeros((2, len(bots)), dtype=np.int64)
        """By bot: the turns of its matches, and their number."""
        self.absent: set[int] = set()
        """The bots that said `ready` in no match of the newest batch that they were in."""

    def add(self, batch: Batch) -> None:
        """Add the results of the next batch."""
        self.batches += 1
        missing = absentees(batch)
        for match in batch:
            for bot in self._bots(match):
                if self.bots[bot] in missing:
                    self.absent.add(bot)
                else:
                    self.absent.discard(bot)
        for bot, opponent in self.pairs(batch):
            self.met[bot, opponent] += 1
            self.met[opponent, bot] += 1
        for match in batch:
            bots = self._bots(match)
            self.turns[bots] += match.turns
            self.matches[bots] += 1
            sides: dict[Role, int] = {}
            for side, roles in enumerate(match.sides):
                for role in roles:
                    sides[role] = side
            for position, (role, name) in enumerate(match.seats.items()):
                entry = Entry(match.game, match.board, sides[role], role, name, digest="")
                number = self._entries.setdefault(entry, len(self._entries))
                self._seats.extend((len(self._transcripts), position, number, match.scores[role]))
            endings = self._endings[match.label, frozenset(match.seats.items())]
            ending = (match.reason, match.turns, tuple(sorted(match.scores.items())))
            self._transcripts.append(endings.setdefault(ending, len(endings)))
            if len(endings) > 1:
                self.by_chance[bots, bots[::-1]] = True

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
        pairings: dict[tuple[int, int, int], None] = {}
        """A set in order, of two bots and the repeat."""
        for match in batch:
            bot, opponent = sorted(self._bots(match))
            pairings[bot, opponent, self._event.repeat_of(match)] = None
        return tuple((bot, opponent) for bot, opponent, _ in pairings)

    def _bots(self, match: Played) -> list[int]:
        return [self.index[match.seats[side[0]]] for side in match.sides]


def _most_useful(
    event: Event, legs: "Ints", results: _Results, under_way: Pairs, size: int
) -> Choice:
    """Return the pairings of most worth, at most `size`, each with its repeat.

    `under_way` are the pairings that are played now.
    """
    if size < 1:
        return ()
    import numpy as np

    from arena.results.arrays import rounded

    if results.absent:  # their matches would only be forfeited
        absent = sorted(results.absent)
        legs = legs.copy()
        legs[absent, :] = 0
        legs[:, absent] = 0
    strength, covariance = _strengths(event, results)
    mean_turns = results.turns.sum() / max(results.matches.sum(), 1)
    # The mean counts as one match of each bot, so that one long match misleads less.
    turns = (results.turns + mean_turns) / (results.matches + 1)
    met = results.met.copy()
    pairings = met.sum(axis=1)
    # A row for each pairing; it makes the covariance smaller by the product of the row with itself.
    changes = np.zeros((len(under_way) + size, len(legs)))
    changed = 0
    lots = np.full(legs.shape, np.inf)
    """The place of each pairing in the order of the lot, from 0 to 1, plus the number of times that
    it is under way or chosen."""

    def between_equals(bot: "Ints | int", opponent: "Ints | int") -> "tuple[Floats, Floats]":
        """Return the information of pairings if the bots were equal, and the cost."""
        # Of a pairing whose legs always ended alike, each repeat says a quarter of what the last
        # one said.
        repeats = np.where(
            results.by_chance[bot, opponent], 0, np.clip(results.met[bot, opponent] - 1, 0, 30)
        )
        cost = legs[bot, opponent] * (START_TURNS + (turns[bot] + turns[opponent]) / 2)
        return legs[bot, opponent] * 0.25 / 4.0**repeats, cost  # p (1 - p) is this quarter

    def expected(bot: "Ints | int", opponent: "Ints | int") -> "tuple[Floats, Floats, Floats]":
        ahead = strength[bot] - strength[opponent]
        information, cost = between_equals(bot, opponent)
        return ahead, information / np.cosh(0.5 * ahead) ** 2, cost

    def play(bot: int, opponent: int, gain: float) -> "Floats":
        """Count a pairing, and return its change of the covariance, which is kept in `changes`."""
        nonlocal changed
        pairings[[bot, opponent]] += 1
        met[[bot, opponent], [opponent, bot]] += 1
        lots[bot, opponent] += 1
        earlier = changes[:changed]
        share = rounded(
            covariance[bot]
            - covariance[opponent]
            - (earlier[:, bot] - earlier[:, opponent]) @ earlier
        )
        changes[changed] = share * np.sqrt(gain / (1 + gain * (share[bot] - share[opponent])))
        changed += 1
        return np.asarray(changes[changed - 1])

    pairs = np.nonzero(np.triu(legs))
    information, cost = between_equals(*pairs)
    dice = Random(f"{event.seed}/{met.sum() // 2}/{len(under_way)}")
    # In the order of exponential times, a pairing of twice the worth is twice as likely to be the
    # next.
    waits = -np.log1p([-dice.random() for _ in information]) * cost / information
    lots[pairs] = np.argsort(np.argsort(waits, kind="stable")) / max(1, len(waits))
    coming = np.array(under_way, dtype=np.int64).reshape(-1, 2)
    _, gains, _ = expected(coming[:, 0], coming[:, 1])
    for (bot, opponent), gain in zip(under_way, gains.tolist(), strict=True):
        play(bot, opponent, gain)
    now = rounded(covariance - changes[:changed].T @ changes[:changed])
    first, second, square = _candidates(legs, now, expected)
    ahead, information, cost = expected(first, second)
    worth = _worth(ahead, information, cost, square)
    playable = legs.any(axis=1)
    chosen: list[tuple[int, int, int]] = []
    while len(chosen) < size and len(worth):
        fewest = pairings[playable].min()
        starves = fewest < FLOOR * pairings[playable].mean()
        if len(chosen) % 2 and not starves:
            bot, opponent = map(int, np.unravel_index(np.argmin(lots), lots.shape))
        else:
            starving = (pairings[first] == fewest) | (pairings[second] == fewest)
            allowed = np.where(starving | ~starves, worth, -np.inf)
            best = int(np.argmax(allowed))  # the first of equals: the better seeds
            bot, opponent = int(first[best]), int(second[best])
        chosen.append((bot, opponent, int(met[bot, opponent])))
        change = play(bot, opponent, float(expected(bot, opponent)[1]))
        closer = np.flatnonzero(change[first] != change[second])
        square[closer] -= (change[first] - change[second])[closer] ** 2
        worth[closer] = _worth(ahead[closer], information[closer], cost[closer], square[closer])
    return tuple(chosen)


def _worth(ahead: "Floats", information: "Floats", cost: "Floats", square: "Floats") -> "Floats":
    """Return the logarithm of the worth of each pairing.

    `square` is the squared error of the difference in strength.
    """
    import numpy as np

    square = np.maximum(square, LEAST_SQUARE)
    # The normal tail, within 0.01.
    doubt = -np.logaddexp(0, 1.702 * np.abs(ahead) / np.sqrt(square))
    gain = information * square
    decrease = square * gain / (1 + gain)
    return np.asarray(np.round(doubt + np.log(decrease) - np.log(cost), DECIMALS))


def _candidates(
    legs: "Ints", covariance: "Floats", expected: "Expected"
) -> "tuple[Ints, Ints, Floats]":
    """Return the pairings of most worth for either bot, by seeds, with their squared errors."""
    import numpy as np

    variance = covariance.diagonal()
    best: set[tuple[int, int]] = set()
    for start in range(0, len(legs), ROWS):
        bot, opponent = np.nonzero(legs[start : start + ROWS])
        bot += start
        square = variance[bot] + variance[opponent] - 2 * covariance[bot, opponent]
        # Of pairings of equal worth, as all are before the first result, bots take their neighbours
        # in the seed order: with the best seeds as everybody's candidates the other bots could not
        # meet each other.
        ahead, information, cost = expected(bot, opponent)
        worth = _worth(ahead, information, cost, square)
        order = np.lexsort((opponent, np.abs(bot - opponent), -worth, bot))
        bot = bot[order]
        opponent = opponent[order]
        first = np.arange(len(bot)) - np.searchsorted(bot, bot) < PARTNERS
        candidates = zip(bot[first].tolist(), opponent[first].tolist(), strict=True)
        for pair in candidates:
            best.add((min(pair), max(pair)))
    bot, opponent = np.array(sorted(best), dtype=np.int64).reshape(-1, 2).T
    return bot, opponent, variance[bot] + variance[opponent] - 2 * covariance[bot, opponent]


def _strengths(event: Event, results: _Results) -> tuple["Floats", "Floats"]:
    """Return each bot's strength, in logits, and the covariance of the strengths.

    They are from the model of the rating `bradley_terry`.
    """
    import numpy as np

    from arena.results.arrays import rounded
    from arena.results.ratings.fitting.fit import fit
    from arena.results.ratings.fitting.model import model_of
    from arena.results.ratings.fitting.prior import Spread, overall_means

    prior = Spread()
    board_roles = sum(len(board.roles) for board in event.boards)
    strength = np.zeros(len(event.bots))
    covariance = np.eye(len(event.bots)) * (prior.bots**2 + prior.roles**2 / board_roles)
    if results.matches.any():
        totals = results.totals()
        model = model_of(totals)
        opposed = model.opposing != np.arange(len(model.mean))[:, None]
        shares = opposed * model.share[model.opposing]
        overlap = 1.0 + shares.sum(axis=1)  # the sides' scores repeat each other
        fitted = fit(model, prior, np.ones(len(model.mean)), np.asarray(overlap))
        means = overall_means(model, prior, len(totals.bots), len(totals.board_roles))
        rows = np.array([results.index[bot] for bot in totals.bots])
        strength[rows] = rounded(means @ fitted.unknowns)
        covariance[np.ix_(rows, rows)] = rounded(means @ fitted.covariance @ means.T)
    return strength, covariance
