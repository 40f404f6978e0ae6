"""Cycles: fields in which A beats B, B beats C and C beats A, so that no order is right. Pure."""

from dataclasses import dataclass

import numpy as np
import rustworkx

from arena.results.arrays import Arrays, Floats, Mask, rounded
from arena.results.ratings import REFITS, Strength
from arena.results.ratings.fitting.intervals import LEVEL, TAIL
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.payoffs import Payoffs, payoffs_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Cycles:
    """What is known of the cycles among the bots of some matches."""

    bots: tuple[str, ...]
    """In order of name."""
    payoffs: Payoffs
    share: Strength
    """The share of all triples of bots that are cycles, 0 to 1, with its 95 % interval."""
    proven: Mask
    """N x N: the bot of the row surely beats that of the column, in a cycle of such pairs."""


def cycles_of(
    arrays: Arrays,
    *,
    seed: int = 0,
    refits: int = REFITS,
) -> Cycles:
    """Find the cycles in these matches; the seed fixes the draws of the interval."""
    totals = add_up(arrays)
    payoffs = payoffs_of(totals)
    shares = _shares(payoffs.mean[None])  # (1,)
    share = float(shares[0])

    random = np.random.default_rng(abs(seed))
    samples = payoffs.samples(_shares, refits, random)
    quantiles = np.quantile(samples, [TAIL, 1 - TAIL])
    low, high = quantiles.tolist()
    interval = Strength(share, min(share, low), max(share, high))

    beats = surely_beats(payoffs)
    return Cycles(
        bots=totals.bots,
        payoffs=payoffs,
        share=interval,
        proven=_in_cycles(beats),
    )


def surely_beats(payoffs: Payoffs) -> Mask:
    """Return N x N: whether the bot of the row beats that of the column.

    This is at 95 % for all pairs together. With equal chances a mean of n results, each 0 to 1, is
    at least m with a probability of at most exp(-n D), where D is the relative entropy of m and
    1/2, whatever the distribution of the results is (Hoeffding, 1963). If the results have weights,
    n is the sum of these over the largest one. Pairs share the error evenly.
    """
    mean = payoffs.mean  # (bots, bots)
    entropy = np.zeros(mean.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for part in (mean, 1 - mean):
            term = part * np.log(2 * part)
            term = np.where(part > 0, term, 0.0)
            entropy = entropy + term
    entropy = rounded(entropy)
    probability = np.exp(-payoffs.observations * entropy)  # (bots, bots)

    pairs = max(1, mean.size - len(mean))
    error_of_a_pair = (1 - LEVEL) / pairs
    is_better = mean > 0.5
    is_sure = probability < error_of_a_pair
    beats: Mask = is_better & is_sure
    return beats


def _shares(payoffs: Floats) -> Floats:
    """Return the share of triples that are cycles, for each N x N of T x N x N payoffs."""
    bots = payoffs.shape[1]
    triples = bots * (bots - 1) * (bots - 2) / 6
    is_better = payoffs > 0.5  # T x N x N
    beats = is_better.astype(np.float64)  # T x N x N
    # The trace of its cube counts each cycle from each of its three bots.
    square = beats @ beats
    trace = np.einsum("tij,tji->t", square, beats)  # T
    cyclic = trace / 3
    return np.asarray(cyclic / max(1, triples))


def _in_cycles(beats: Mask) -> Mask:
    """Return those pairs of `beats` that are in a cycle: in one strongly connected component."""
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(beats)))
    pairs = np.argwhere(beats)  # (pairs, 2)
    for bot, beaten in pairs.tolist():
        graph.add_edge(bot, beaten, None)

    components = rustworkx.strongly_connected_components(graph)
    component = np.zeros(len(beats), dtype=np.int64)  # the number of each bot's component
    for number, bots in enumerate(components):
        component[list(bots)] = number
    are_together = component[:, None] == component  # N x N
    in_cycle: Mask = beats & are_together
    return in_cycle
