"""A round of a Swiss beside all pairings of its bots: none is better by FIDE's criteria."""

import random
from collections.abc import Iterator, Sequence

import pytest

from arena.event.schedules._dutch import (
    LAST_ROUND,
    ROUND_BEFORE,
    WEIGHT_BITS,
    Floats,
    Pairs,
    _weights,
    paired,
)

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
            chosen = paired(
                points, lambda one, other, met=met: frozenset((one, other)) in met, byes, floats
            )
            if not is_best(points, floats, chosen, legal):
                found.append(seed)
    assert judged > 0.5 * len(seeds)
    return found


@pytest.mark.parametrize("bots", [5, 6, 7, 8])
def test_no_pairing_of_a_round_is_better_by_fides_criteria(bots):
    assert misses(bots, [*range(60), *HARD]) == []


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
