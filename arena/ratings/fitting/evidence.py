"""Matches added up by seating and by block: all that ratings need of them, in an order that hangs on nothing.

A *seating* is who plays which role of a board. A *block* is all matches of the same bots with the same seed: the legs
of one meeting, whose luck is shared. Every sum here is of whole numbers, so no order of the records can change a bit.

Repeats that play the same moves say nothing new. Of R matches of a seating with D different transcripts each weighs
D/R: the mean score stays as it is, and bots without chance count once however often they meet. Such repeats are put
together into D blocks, so that intervals are not narrowed by them either.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.ratings.fitting.columns import UNKNOWN, Columns, Floats, Ints, Place
from arena.ratings.fitting.rows import changes, key, ranked, sums


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What was played, by seating (S of them), and by seating and block (B of them)."""

    bots: tuple[str, ...]
    """In order of name."""
    places: tuple[Place, ...]
    """In order of label, side, role."""
    seats: Ints
    """S x K: the bot of each role, K the most roles of any board; -1 beyond a board's last."""
    where: Ints
    """S x K: the place of each role, or -1."""
    matches: Ints
    """S: how often it was played."""
    different: Ints
    """S: how many different transcripts that made."""
    scores: Ints
    """S x K: the sum of each role's scores."""
    products: Ints
    """S x K x K: the sum of each role's scores times each role's."""
    shared: frozenset[tuple[str, int]]
    """(label, side) whose roles had one score in every match."""
    opposed: frozenset[str]
    """Labels of two such sides whose scores always added up to 100: what one won the other lost."""
    seating: Ints
    """B: the seating."""
    block: Ints
    """B: the block, ascending; those of one block stand together."""
    part_matches: Ints
    """B: how many matches of this seating fell into this block."""
    part_scores: Ints
    """B x K: the sum of each role's scores in them."""

    @property
    def weight(self) -> Floats:
        """S: what one match of the seating weighs."""
        return np.asarray(self.different / self.matches)

    @property
    def played(self) -> Ints:
        """How many matches each bot played."""
        first = np.ones(self.seats.shape, dtype=np.bool_)
        for column in range(1, self.seats.shape[1]):
            first[:, column] = (self.seats[:, :column] != self.seats[:, [column]]).all(axis=1)
        counted = first & (self.seats >= 0)
        matches = np.broadcast_to(self.matches[:, None], self.seats.shape)[counted]
        total = np.bincount(self.seats[counted], weights=matches, minlength=len(self.bots))
        return total.astype(np.int64)

    def within_blocks(self) -> Iterator[tuple[Ints, Ints, float]]:
        """Each two parts of one block, as positions in `block`, and how often they count: a part with itself once.

        Two different parts come once and count twice: half of the sum with its transpose is the sum over all pairs.
        """
        rows = len(self.block)
        for apart in range(int(np.bincount(self.block).max(initial=0))):
            one = np.flatnonzero(self.block[: rows - apart] == self.block[apart:])
            yield one, one + apart, 1.0 if apart == 0 else 2.0


def evidence(columns: Columns) -> Evidence:
    """Add the matches up."""
    bots, places = tuple(sorted(columns.bots)), tuple(sorted(columns.places, key=_by_side))
    seats, where, scores = _wide(columns, _positions(columns.bots, bots), _positions(columns.places, places))
    order = np.lexsort((columns.transcript, columns.seed, key(*where.T, *seats.T)))
    seats, where, scores = seats[order], where[order], scores[order]
    seed, transcript = columns.seed[order], columns.transcript[order]
    first = changes(seats, where)
    seating = np.cumsum(first) - 1
    matches = np.bincount(seating)
    different = _different(seating, transcript)
    seats, where = seats[first], where[first]
    luck = key(_sets(seats)[seating], _leader(seed, seating, matches, different))
    by_block = np.lexsort((seating, luck))
    part = np.flatnonzero(changes(luck[by_block], seating[by_block]))
    shared = _shared(places, where, scores, seating)
    return Evidence(
        bots=bots,
        places=places,
        seats=seats,
        where=where,
        matches=matches,
        different=different,
        scores=sums(scores, np.flatnonzero(first)),
        products=_products(scores, np.flatnonzero(first)),
        shared=shared,
        opposed=_opposed(places, where, scores, seating, shared),
        seating=seating[by_block][part],
        block=np.cumsum(changes(luck[by_block][part])) - 1,
        part_matches=np.diff(part, append=len(seed)),
        part_scores=sums(scores[by_block], part),
    )


def _by_side(place: Place) -> tuple[str, int, str]:
    return place.label, place.side, place.role


def _positions(names: tuple[object, ...], ordered: tuple[object, ...]) -> Ints:
    at = {name: position for position, name in enumerate(ordered)}
    return np.array([at[name] for name in names], dtype=np.int64)


def _wide(columns: Columns, bots: Ints, places: Ints) -> tuple[Ints, Ints, Ints]:
    """Bot, place and score with a row a match and a column a role, in order of place; -1, -1 and 0 beyond the last."""
    place = places[columns.place]
    order = np.argsort(columns.match * (len(places) + 1) + place, kind="stable")  # quick: it nearly is in order
    match = columns.match[order]
    roles = np.bincount(match, minlength=len(columns.seed))
    column = np.arange(len(match)) - np.repeat(np.cumsum(roles) - roles, roles)
    shape = (len(columns.seed), int(roles.max(initial=1)))
    seats, where, scores = np.full(shape, -1), np.full(shape, -1), np.zeros(shape, dtype=np.int64)
    seats[match, column] = bots[columns.bot[order]]
    where[match, column] = place[order]
    scores[match, column] = columns.score[order]
    return seats, where, scores


def _products(scores: Ints, starts: Ints) -> Ints:
    roles = range(scores.shape[1])
    return np.stack([np.stack([sums(scores[:, k] * scores[:, j], starts) for j in roles], 1) for k in roles], 1)


def _different(seating: Ints, transcript: Ints) -> Ints:
    """How many different transcripts each seating has; each that is unknown is one more."""
    order = np.lexsort((transcript, seating))
    new = changes(seating[order], transcript[order]) | (transcript[order] == UNKNOWN)
    return np.bincount(seating[order][new])


def _leader(seed: Ints, seating: Ints, matches: Ints, different: Ints) -> Ints:
    """The seed that a match counts under: its own, or with D < R the first one's of its part of D parts."""
    starts = np.cumsum(matches) - matches
    number = np.arange(len(seed)) - starts[seating]
    count, kinds = matches[seating], different[seating]
    return seed[starts[seating] + -(-(number * kinds // count) * count // kinds)]


def _sets(seats: Ints) -> Ints:
    """A number for the set of bots of each seating, whatever their roles."""
    members = np.sort(seats, axis=1)
    members[:, 1:][members[:, 1:] == members[:, :-1]] = -1
    members.sort(axis=1)
    return ranked(key(*members.T))[0]


def _shared(places: tuple[Place, ...], where: Ints, scores: Ints, seating: Ints) -> frozenset[tuple[str, int]]:
    """The sides whose roles never scored differently: one score that is told several times."""
    sides = [(place.label, place.side) for place in places]
    number = {side: position for position, side in enumerate(dict.fromkeys(sides))}
    of_place = np.array([number[side] for side in sides] + [-1])  # the last is for roles that a board lacks
    side = of_place[where]
    apart: set[int] = set()
    for column in range(1, where.shape[1]):
        mates = (side[:, column] == side[:, column - 1]) & (side[:, column] >= 0)
        differ = scores[:, column] != scores[:, column - 1]
        apart |= set(side[seating[differ], column][mates[seating[differ]]].tolist())
    return frozenset(side for side, position in number.items() if position not in apart)


def _opposed(
    places: tuple[Place, ...], where: Ints, scores: Ints, seating: Ints, shared: frozenset[tuple[str, int]]
) -> frozenset[str]:
    """The boards of two sides, each of one score, where these always added up to 100."""
    found = set()
    for label in {place.label for place in places}:
        sides = [place.side for place in places if place.label == label]
        at = next(number for number, place in enumerate(places) if place.label == label)
        if len(set(sides)) == 2 and all((label, side) in shared for side in sides):
            there = (where[:, 0] == at)[seating]
            both = scores[there, 0] + scores[there, sides.index(max(sides))]
            found |= {label} if (both == 100).all() else set()
    return frozenset(found)
