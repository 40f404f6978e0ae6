"""A round of a Swiss beside all pairings of its bots: none is better by FIDE's criteria."""

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from arena.event.schedules import _dutch
from arena.event.schedules._dutch import (
    LAST_ROUND,
    ROUND_BEFORE,
    WEIGHT_BITS,
    Floats,
    Pairs,
    _Bracket,
    _weights,
    paired,
)
from arena.event.schedules._transposition import first_matching

Pairing = tuple[Pairs, int | None]
HARD = (
    148,
    480,
    938,
    974,
)  # with seven or eight bots they are paired worse if nobody looks at the next bracket


def all_pairings(bots: list[int], met: set[frozenset[int]]) -> Iterator[Pairs]:
    """Every way to pair these bots, none of whom have met."""
    if not bots:
        yield []
        return
    first, *others = bots
    for second in others:
        if frozenset((first, second)) not in met:
            for rest in all_pairings([bot for bot in others if bot != second], met):
                yield [(first, second), *rest]


def brackets(
    points: list[int], floats: Floats, pairs: Pairs, bye: int | None
) -> list[tuple[object, object]]:
    """Each bracket's quality (C6 to C8, C14 to C21; less is better) and pairs; first the score of a
    bye (C5).
    """
    mates = {bot: mate for pair in pairs for bot, mate in (pair, pair[::-1])}
    found, moved = [], []
    for score in sorted(set(points), reverse=True):
        residents = [bot for bot in range(len(points)) if points[bot] == score]
        falling = [
            bot for bot in (*moved, *residents) if mates.get(bot) not in (*moved, *residents)
        ]
        numbers, differences = [], []
        for when in (LAST_ROUND, ROUND_BEFORE):
            downs = [
                points[bot] - score
                for bot in moved
                if bot not in falling and floats.down[bot] & when
            ]
            ups = [
                points[bot] - score
                for bot in moved
                if bot not in falling and floats.up[mates[bot]] & when
            ]
            numbers += [
                sum(floats.down[bot] & when > 0 for bot in falling if bot in residents),
                len(ups),
            ]
            differences += [sorted(downs, reverse=True), sorted(ups, reverse=True)]
        falls = len(falling), sorted((points[bot] for bot in falling), reverse=True)
        met = {frozenset(pair) for pair in pairs if min(points[bot] for bot in pair) == score}
        found.append((falls, (numbers, differences), met))
        moved = falling
    following = [*(falls for falls, _, _ in found[1:]), (0, [])]
    qualities = [
        ((falls, after, floated), met)
        for (falls, floated, met), after in zip(found, following, strict=True)
    ]
    return [(0 if bye is None else points[bye], None), *qualities]


def is_best(points: list[int], floats: Floats, chosen: Pairing, legal: list[Pairing]) -> bool:
    """Whether each bracket is as good as can be after those above it: equal ones are ordered, not
    compared further.
    """
    rest = [brackets(points, floats, *pairing) for pairing in legal]
    for number, (quality, met) in enumerate(brackets(points, floats, *chosen)):
        if quality > min(each[number][0] for each in rest):
            return False
        rest = [each for each in rest if each[number] == (quality, met)]
    return True


def position(bots: int, seed: int) -> tuple[list[int], list[int], Floats, set[frozenset[int]]]:
    """Points, byes, floats, and who has met: more often odd ones than rounds would lead to."""
    dice = random.Random(seed)
    points = [dice.randrange(dice.choice([2, 3, 5])) for _ in range(bots)]
    down, up = ([dice.choice([0, 0, 1, 2, 3]) for _ in range(bots)] for _ in range(2))
    met = {frozenset(dice.sample(range(bots), 2)) for _ in range(dice.randrange(2 * bots))}
    return points, [dice.choice([0, 0, 1]) for _ in range(bots)], Floats(down, up), met


def both_ways(met: set[frozenset[int]]) -> dict[tuple[int, int], int]:
    """How often two bots met, as the pairing of a round takes it."""
    return {pair: 1 for one, other in map(sorted, met) for pair in ((one, other), (other, one))}


def rounds(bots: int, number: int, seed: int, draws: float = 0.2) -> Iterator[Pairing]:
    """The pairings of an event decided by dice."""
    dice = random.Random(seed)
    points, byes, down, up = ([0] * bots for _ in range(4))
    met: dict[tuple[int, int], int] = {}
    for _ in range(number):
        pairs, bye = paired(points, met, byes, Floats(down, up))
        yield pairs, bye
        before = [*points]
        down, up = ([weight // LAST_ROUND for weight in floats] for floats in (down, up))
        for first, second in pairs:
            met[first, second] = met[second, first] = met.get((first, second), 0) + 1
            score = 1 if dice.random() < draws else 2 * dice.randrange(2)
            points[first] += score
            points[second] += 2 - score
            higher, lower = sorted((first, second), key=before.__getitem__, reverse=True)
            if before[higher] > before[lower]:
                down[higher] += LAST_ROUND
                up[lower] += LAST_ROUND
        if bye is not None:
            points[bye] += 2
            byes[bye] += 1
            down[bye] += LAST_ROUND


def misses(bots: int, seeds: Sequence[int]) -> list[int]:
    """The seeds of positions that can be paired better, or not at all as they should."""
    found, judged = [], 0
    for seed in seeds:
        points, byes, floats, met = position(bots, seed)
        absent = [bot for bot in range(bots) if byes[bot] == min(byes)] if bots % 2 else [None]
        legal = [
            (p, bye)
            for bye in absent
            for p in all_pairings([bot for bot in range(bots) if bot != bye], met)
        ]
        if legal:
            judged += 1
            chosen = paired(points, both_ways(met), byes, floats)
            if not is_best(points, floats, chosen, legal):
                found.append(seed)
    assert judged > 0.5 * len(seeds)
    return found


@pytest.mark.parametrize("bots", [5, 6, 7, 8])
def test_no_pairing_of_a_round_is_better_by_fides_criteria(bots):
    assert misses(bots, [*range(60), *HARD]) == []


def pairings(seeds: Sequence[int]) -> list[Pairing]:
    """Those of odd positions and of events, of few bots and of some more."""
    found = []
    for seed in seeds:
        points, byes, floats, met = position(5 + seed % 36, seed)
        found.append(paired(points, both_ways(met), byes, floats))
        found += rounds(4 + seed % 41, 3 + seed % 5, seed, draws=seed % 4 / 4)
    return found


def both_pairings(monkeypatch, seeds: Sequence[int]) -> list[list[Pairing]]:
    """With perfect brackets, and with matchings of greatest weight alone."""
    found = [pairings(seeds)]
    with monkeypatch.context() as patch:
        patch.setattr(_Bracket, "_perfect_pairs", lambda _: None)
        return [*found, pairings(seeds)]


@pytest.mark.parametrize("bits", [WEIGHT_BITS, 14])  # of few bits criteria are left out
def test_a_perfect_bracket_has_the_pairs_of_the_matching_of_greatest_weight(monkeypatch, bits):
    monkeypatch.setattr(_dutch, "WEIGHT_BITS", bits)
    perfect, weighed = both_pairings(monkeypatch, range(10))
    assert perfect == weighed


@pytest.mark.soak
def test_thousands_of_perfect_brackets_have_the_pairs_of_greatest_weight(monkeypatch):
    perfect, weighed = both_pairings(monkeypatch, range(10, 2000))
    assert perfect == weighed


@pytest.mark.parametrize("draws", [0.2, 0.97])
def test_no_round_of_six_hundred_bots_weighs_the_pairs_of_all(monkeypatch, draws):
    weighed = []
    matching = _dutch._matching

    def noted(weights, **more):
        weighed.append(len(weights))
        return matching(weights, **more)

    monkeypatch.setattr(_dutch, "_matching", noted)
    played = [*rounds(601, 8, seed=1, draws=draws)]
    assert {len(pairs) for pairs, _ in played} == {300}
    assert len({frozenset(pair) for pairs, _ in played for pair in pairs}) == 8 * 300
    assert max(weighed) < 601 * 600 / 2 / 50


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ([[3, 4], [4, 3]], [3, 4]),
        ([[3, 4], [3]], [4, 3]),
        ([[3, 4, 5], [3, 4], [3, 4]], [5, 3, 4]),
        ([[3, 4, 5], [3, 5, 4], [5, 3]], [3, 4, 5]),
        ([[4, 3, 5], [3, 4], [4, 3, 5], [6, 4]], [4, 3, 5, 6]),
        ([[3], [3]], None),
        ([[3, 4], [3, 4], [3, 4]], None),
        ([[]], None),
        ([], []),
    ],
)
def test_the_first_row_gets_the_best_partner_that_leaves_one_for_each(allowed, expected):
    assert first_matching(allowed) == expected


def test_no_other_partners_come_first_in_the_order_of_the_rows():
    dice = random.Random(2)
    for _ in range(200):
        rows = dice.randrange(1, 6)
        allowed = [dice.sample(range(6), dice.randrange(1, 4)) for _ in range(rows)]
        choices = [choice for choice in product(*allowed) if len(set(choice)) == rows]
        assert first_matching(allowed) == (list(choices[0]) if choices else None)


@pytest.mark.soak
@pytest.mark.parametrize("bots", [7, 8, 9, 10])
def test_no_pairing_of_thousands_of_rounds_is_better_by_fides_criteria(bots):
    assert misses(bots, range(60, 2060)) == []


def test_what_is_too_long_for_the_library_loses_its_last_criteria():
    dice = random.Random(1)
    edges = [(first, second) for second in range(30) for first in range(second)]
    long = {edge: tuple(dice.randrange(2) for _ in range(200)) for edge in edges}
    weights, unit = _weights(long)
    assert unit == 1
    assert max(weights.values()) < 2**WEIGHT_BITS
    by_weight = [long[edge][:10] for edge in sorted(edges, key=weights.__getitem__)]
    assert by_weight == sorted(by_weight)
