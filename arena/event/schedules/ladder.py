"""Ladder: the pairings that take most doubt out of the order of the bots for the machine time that they cost.

A batch is computed one batch behind: batch n from the results of all batches before n - 1. So the lanes play one batch
while the next one is computed, and never wait for a last slow match.
"""

# Theory of operation
# -------------------
# The fit of the rating `bradley_terry` gives each bot a strength and all strengths a covariance. Of two bots whose
# strengths differ by d, with a standard error e of that difference, the chance that their order is wrong is the normal
# distribution's tail beyond |d| / e: their doubt. A further pairing reduces e: a match of which the stronger wins with
# probability p has the information p(1 - p) about d. So bots that are close meet more often than bots far apart, and a
# bot of which little is known, such as a new one, meets others more often than one of which much is known.
#
#     worth = doubt * (what the pairing takes away of e squared) / (the turns that it is expected to take)
#
# A batch is chosen pairing by pairing; each one chosen, and each one of the batch that is still played, reduces the
# covariance as its results will, whatever they are. So a batch does not ask the same question twice.
#
# Machine time is judged by `Played.turns`, not by seconds. Seconds differ from run to run, and an event that was killed
# must go on with the same matches.
#
# Floor: a bot with fewer than half as many pairings as the average bot comes first, the one with the fewest at the
# head, against the opponent that is worth most. So no bot starves because its matches are slow or its rank is clear.
#
# Results count alike, whenever they came. A schedule that looked at the newest results would prefer bots that finish
# fast, and its order of matches would change from run to run.
#
# Bots without chance play the same match again. A pairing whose legs always ended alike (same scores, same reason, same
# number of turns) counts once in the fit, and each repeat of it divides the information of the next by four: the two
# legs of an even pairing end as they did before, by chance, once in four times.
#
# Rejected, with 8 to 16 simulated leagues of each of three kinds (benchmarks/formats.py has the kinds): doubt times the
# *part* of e squared that is taken away, which orders as well, but leaves wider intervals, because it asks again and
# again about bots that are hard to tell apart; and the variance alone, whose intervals are the narrowest, but whose
# order of 24 bots was worse.
#
# Not tried: the doubt of all pairs, not only of the two that meet; it costs a pass over all pairs for each candidate.
# Left out: priors that are estimated from the scores, as the rating has them; they take most of the time of a rating.

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from arena.event.schedules._pairings import check, pairing, seeded
from arena.values import Batch, Event, Match, Played

if TYPE_CHECKING:  # numpy takes a tenth of a second to import, and commands list the schedules
    from arena.results.arrays import Floats, Ints

BEHIND = 1
FEWEST_PAIRINGS = 8
"""Of a batch: with fewer, two batches would not fill the lanes of a large machine."""
FLOOR = 0.5
"""Of the average bot's pairings, which each bot has at least."""
PARTNERS = 8
"""Candidates of each bot in one batch: a thousand bots have at most 8,000 candidates, not half a million."""
START_TURNS = 20
"""A match costs its start, too: as much as so many turns of bots that think for some milliseconds."""
DECIMALS = 6
"""Of the logarithm of a worth: below these, pairings are equal and go by seed, so every CPU chooses the same."""

Pairs = list[tuple[int, int]]
"""Two bots each, as their places in the seed order, the better seed first."""


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield the matches of a batch, pairing by pairing; nothing after the last batch."""
    check(event)
    if (size := _size(event, number)) > 0:
        # The batch before this one is being played. It was computed from the batches that had ended when it began.
        before = list(history[: max(number - 2, 0)])
        pending = _choose(event, before, _pairs(event, history[-1:]), _size(event, number - 1)) if number else []
        met = Counter([*_pairs(event, history), *pending])
        bots = seeded(event)
        for one, other in _choose(event, history, pending, size):
            yield from pairing(event, bots[one], bots[other], [met[one, other]])
            met[one, other] += 1


def count(event: Event) -> dict[str, int]:
    """Return how many matches are planned on each board, exactly; at most so many where bots play single roles."""
    check(event)
    pairings = _pairings(event)
    return {board.label: pairings * int(_legs(replace(event, boards=(board,))).max()) for board in event.boards}


def _pairings(event: Event) -> int:
    """Return the number of pairings of the event: as many as a round robin has, unless `rounds` says otherwise."""
    if event.rounds is not None:
        return event.rounds * max(len(event.bots) // 2, FEWEST_PAIRINGS)
    return event.repeats * int((_legs(event) > 0).sum()) // 2


def _size(event: Event, number: int) -> int:
    """Return the number of pairings of a batch; below 1 after the last batch."""
    size = max(len(event.bots) // 2, FEWEST_PAIRINGS)
    return min(size, _pairings(event) - number * size)


def _legs(event: Event) -> "Ints":
    """Return the number of matches of a pairing of each two bots, by their places in the seed order."""
    import numpy as np

    legs = np.zeros((len(event.bots), len(event.bots)), dtype=np.int64)
    for board in event.boards:
        sides = board.sides if event.seating == "sides" else tuple((role,) for role in board.roles)
        first, second = (
            np.array([all(bot.plays(board.game, board.name, role) for role in side) for bot in seeded(event)])
            for side in sides
        )
        legs += first[:, None] & second[None, :]
    np.fill_diagonal(legs, 0)
    return np.asarray(legs + legs.T)


def _pairs(event: Event, history: Sequence[Batch]) -> Pairs:
    """Return the pairings of these batches, in their order."""
    seed = {bot.name: number for number, bot in enumerate(seeded(event))}
    pairings = dict.fromkeys(
        (*sorted(seed[match.seats[side[0]]] for side in match.sides), match.repeat) for match in chain(*history)
    )
    return [(one, other) for one, other, _ in pairings]


def _choose(event: Event, history: Sequence[Batch], pending: Pairs, size: int) -> Pairs:
    """Return the next pairings, given results and the pairings that are still played."""
    import numpy as np

    played = list(chain(*history))
    pairs = _pairs(event, history)
    legs = _legs(event)
    strength, covariance = _strengths(event, played)
    ahead = strength[:, None] - strength[None, :]
    information = legs * 0.25 / np.cosh(0.5 * ahead) ** 2 / _repeated(event, played, pairs)  # p (1 - p) is this quarter
    cost = legs * (START_TURNS + _turns(event, played))
    number = np.bincount(np.array([*pairs, *pending], dtype=np.int64).ravel(), minlength=len(legs))

    def worth(one: "Ints", other: "Ints") -> "Floats":
        """Return the logarithm of each pairing's worth."""
        square = np.maximum(covariance[one, one] + covariance[other, other] - 2 * covariance[one, other], 1e-12)
        error = np.sqrt(square)
        doubt = -np.logaddexp(0, 1.702 * np.abs(ahead[one, other]) / error)  # the normal tail, within 0.01
        known = information[one, other] * square
        taken = square * known / (1 + known)
        return np.asarray(np.round(doubt + np.log(taken) - np.log(cost[one, other]), DECIMALS))

    def play(one: int, other: int) -> None:
        """Take the doubt away that the results of a pairing will take away."""
        nonlocal covariance
        share = covariance[:, one] - covariance[:, other]
        known = information[one, other]
        covariance = covariance - np.outer(share, share) * (known / (1 + known * (share[one] - share[other])))

    for one, other in pending:
        play(one, other)
    candidates = np.array(sorted(_candidates(legs, worth)), dtype=np.int64).reshape(-1, 2).T
    playable = legs.any(axis=1)
    chosen: Pairs = []
    while len(chosen) < size and candidates.size:
        fewest = number[playable].min()
        allowed = np.ones(candidates.shape[1], dtype=np.bool_)
        if fewest < FLOOR * number[playable].mean():
            allowed = (number[candidates] == fewest).any(axis=0)
        value = np.where(allowed, worth(*candidates), -np.inf)
        one, other = candidates[:, int(np.argmax(value))].tolist()  # the first of equals: the better seeds
        chosen.append((one, other))
        number[[one, other]] += 1
        play(one, other)
    return chosen


def _candidates(legs: "Ints", worth: "Callable[[Ints, Ints], Floats]") -> set[tuple[int, int]]:
    """Return the pairings that are worth most for either bot, the better seed first."""
    import numpy as np

    one, other = np.nonzero(legs)
    # Of pairings of equal worth, as all are before the first result, bots take their neighbours in the seed order:
    # with the best seeds as everybody's candidates the other bots could not meet each other.
    order = np.lexsort((other, np.abs(one - other), -worth(one, other), one))
    one, other = one[order], other[order]
    best = np.arange(len(one)) - np.searchsorted(one, one) < PARTNERS
    return {(min(pair), max(pair)) for pair in zip(one[best].tolist(), other[best].tolist(), strict=True)}


def _strengths(event: Event, played: Sequence[Played]) -> tuple["Floats", "Floats"]:
    """Return each bot's strength, in logits, and their covariance, from the model of the rating `bradley_terry`."""
    import numpy as np

    from arena.results.arrays import Arrays
    from arena.results.ratings.fitting.fit import fit
    from arena.results.ratings.fitting.match_totals import add_up
    from arena.results.ratings.fitting.model import model_of
    from arena.results.ratings.fitting.prior import Spread, overall_means
    from arena.results.ratings.fitting.rounding import rounded

    prior = Spread()
    board_roles = sum(len(board.roles) for board in event.boards)
    strength = np.zeros(len(event.bots))
    covariance = np.eye(len(event.bots)) * (prior.bots**2 + prior.roles**2 / board_roles)
    if played:
        totals = add_up(Arrays.of(played, _transcripts(played)))
        model = model_of(totals)
        opposed = model.opposing != np.arange(len(model.mean))[:, None]
        overlap = 1.0 + (opposed * model.share[model.opposing]).sum(axis=1)  # the sides' scores repeat each other
        fitted = fit(model, prior, np.ones(len(model.mean)), np.asarray(overlap))
        means = overall_means(model, prior, len(totals.bots), len(totals.board_roles))
        place = {bot.name: number for number, bot in enumerate(seeded(event))}
        at = np.array([place[bot] for bot in totals.bots])
        strength[at] = rounded(means @ fitted.unknowns)
        covariance[np.ix_(at, at)] = rounded(means @ fitted.covariance @ means.T)
    return strength, covariance


def _transcripts(played: Sequence[Played]) -> list[int]:
    """Return a number for each match, the same number for matches of a seating that all ended alike.

    The transcripts themselves are not part of `Played`. So a single repeat that ends differently shows that there is
    chance, and then all matches of that seating count.
    """
    endings: dict[object, set[object]] = defaultdict(set)
    for match in played:
        endings[_seating(match)].add((match.reason, match.turns, *sorted(match.scores.items())))
    return [0 if len(endings[_seating(match)]) == 1 else number for number, match in enumerate(played, 1)]


def _seating(match: Played) -> tuple[object, ...]:
    return (match.label, *match.seats.items())


def _repeated(event: Event, played: Sequence[Played], pairs: Pairs) -> "Ints":
    """Return the divisor of a further pairing's information: 1, or more if the legs of several always ended alike."""
    import numpy as np

    place = {bot.name: number for number, bot in enumerate(seeded(event))}
    repeated = np.ones((len(place), len(place)), dtype=np.int64)
    for (one, other), times in Counter(pairs).items():
        repeated[one, other] = repeated[other, one] = 4 ** min(times - 1, 30)
    for match, transcript in zip(played, _transcripts(played), strict=True):
        if transcript:
            one, other = (place[match.seats[side[0]]] for side in match.sides)
            repeated[one, other] = repeated[other, one] = 1
    return repeated


def _turns(event: Event, played: Sequence[Played]) -> "Floats":
    """Return the turns that a match of each two bots is expected to take: the mean of both bots' means."""
    import numpy as np

    place = {bot.name: number for number, bot in enumerate(seeded(event))}
    total, matches = np.zeros((2, len(place)))
    for match in played:
        for side in match.sides:
            total[place[match.seats[side[0]]]] += match.turns
            matches[place[match.seats[side[0]]]] += 1
    average = total.sum() / max(
        matches.sum(), 1
    )  # counts as one match of each bot, so that one long match misleads less
    means = (total + average) / (matches + 1)
    return np.asarray((means[:, None] + means[None, :]) / 2)
