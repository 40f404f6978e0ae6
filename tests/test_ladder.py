"""The ladder asks what is worth most for its machine time, and lets nobody starve."""

from collections import Counter
from dataclasses import replace

import numpy as np
import paired
import pytest
from hypothesis import given, settings
from paired import DUEL, HUNT, Run, bot, event, simulate
from simulated import small_events
from slow_tables import arrays_of

from arena.event.schedules import ladder
from arena.event.schedules._pairings import seeded
from arena.results import ratings
from arena.results.arrays import Arrays


def pairings(run) -> Counter[str]:
    """The number of pairings of each bot."""
    return Counter(
        name
        for batch in run.plan
        for pair in {(frozenset(seat.bot.name for seat in match.seats), match.repeat) for match in batch}
        for name in pair[0]
    )


def test_it_plays_as_many_pairings_as_a_round_robin_unless_rounds_are_named():
    run = simulate(event("ladder", 9), ladder)
    assert len(run.disk) == 9 * 8 == sum(ladder.count(run.event).values())
    assert [len(batch) for batch in run.plan] == [16, 16, 16, 16, 8]
    short = event("ladder", 20, rounds=3)
    assert sum(ladder.count(short).values()) == len(simulate(short, ladder).disk) == 3 * 10 * 2


def test_the_first_batch_gives_every_bot_a_match():
    for count in (16, 40):
        cup = event("ladder", count, rounds=1)
        matches = list(ladder.batch(cup, 0, []))
        names = Counter(seat.bot.name for match in matches for seat in match.seats)
        assert set(names.values()) == {2}
        assert len(names) == count


def test_two_bots_that_meet_again_have_another_repeat():
    run = simulate(event("ladder", 4, repeats=5), ladder)
    ids = [match.id for batch in run.plan for match in batch]
    assert len(ids) == len(set(ids)) == 60
    by_pair: dict[frozenset[str], list[int]] = {}
    for batch in run.plan:
        for match in batch:
            by_pair.setdefault(frozenset(seat.bot.name for seat in match.seats), []).append(match.repeat)
    assert all(sorted(set(repeats)) == [*range(len(repeats) // 2)] for repeats in by_pair.values())


def test_a_batch_knows_the_results_up_to_the_batch_before_the_last_only():
    cup = event("ladder", 12, rounds=4)
    run = simulate(cup, ladder)
    assert [match.id for match in ladder.batch(cup, 3, run.batches[:2])] == run.ids[3]
    other = simulate(cup, ladder, seed=2)
    assert run.ids[:2] == other.ids[:2]
    assert run.ids[2] != other.ids[2]


def test_close_bots_meet_more_often_than_bots_far_apart():
    cup = event("ladder", 16, rounds=20)
    strength = {each.name: 0.7 * number for number, each in enumerate(cup.bots)}
    run = Run(cup, ladder, lambda match: paired.result(match, DUEL.sides, strength)).go_on()
    apart = Counter(
        abs(int(one[3:]) - int(other[3:])) for batch in run.plan[4:] for one, other in map(sorted, map(names, batch))
    )
    mean = sum(distance * times for distance, times in apart.items()) / sum(apart.values())
    assert mean < 0.6 * 17 / 3  # 17 / 3: of all pairs


def names(match):
    return {seat.bot.name for seat in match.seats}


@pytest.mark.parametrize("seed", [1, 2])
def test_slow_games_wait_but_nobody_starves(seed):
    cup = event("ladder", 20, rounds=24)
    slow = {f"bot{number:03}" for number in range(0, 20, 4)}
    run = simulate(cup, ladder, seed=seed, turns=lambda one, other: 3000 if {one, other} & slow else 100)
    number = pairings(run)
    mean = sum(number.values()) / 20
    assert np.mean([number[name] for name in slow]) < 0.75 * mean
    for batches in range(2, len(run.plan) + 1):
        part = Counter(name for pairs in run.pairs[:batches] for pair in pairs for name in pair)
        average = sum(part.values()) / 20
        assert min(part[each.name] for each in cup.bots) >= average * ladder.FLOOR - 1


def test_a_bot_of_one_role_meets_only_bots_of_the_other_and_does_not_starve():
    bots = [*(bot(f"bot{number}") for number in range(6)), bot("fox", roles=("fox",)), bot("fox2", roles=("fox",))]
    cup = event("ladder", bots, rounds=6)
    run = simulate(cup, ladder)
    assert {"fox", "fox2"} not in [pair for pairs in run.pairs for pair in pairs]
    number = pairings(run)
    assert min(number.values()) >= ladder.FLOOR * sum(number.values()) / 8 - 1
    seats = {(seat.bot.name, seat.role) for batch in run.plan for match in batch for seat in match.seats}
    assert ("fox", "dog") not in seats


def test_two_close_bots_without_chance_do_not_repeat_the_same_match_for_ever():
    cup = event("ladder", 8, rounds=24)
    strength = {each.name: -1.0 * (number // 2) for number, each in enumerate(cup.bots)}  # four pairs of equals

    def meetings(key):
        """How often equals meet, where the dice of a match depend on this."""

        def play(match):
            dice = replace(match, id=key(match))
            return replace(paired.result(dice, DUEL.sides, strength, draws=0.5), id=match.id)

        met = Counter(pair for pairs in Run(cup, ladder, play).go_on().pairs for pair in pairs)
        return [met[frozenset((f"bot00{even}", f"bot00{even + 1}"))] for even in range(0, 8, 2)]

    fixed, by_chance = meetings(lambda match: str(match.seats)), meetings(lambda match: match.id)
    assert max(fixed) < min(by_chance)


def test_the_order_of_seats_and_of_scores_in_a_result_changes_nothing():
    """A result that was read from the archive may name the roles in another order than one that was just played."""
    cup = event("ladder", 10, rounds=4, boards=(HUNT,))
    run = simulate(cup, ladder)
    turned = [
        tuple(replace(match, scores=dict(reversed(match.scores.items()))) for match in batch) for batch in run.batches
    ]
    assert [match.id for match in ladder.batch(cup, 3, turned[:2])] == run.ids[3]


@settings(max_examples=10, deadline=None)
@given(small_events())
def test_arrays_of_results_give_the_ratings_of_the_slow_tables(played):
    rate = ratings.find("bradley_terry").rate
    quick, slow = rate(Arrays.of(played, range(len(played))), refits=5), rate(arrays_of(played), refits=5)
    assert quick.ratings == slow.ratings
    assert quick.groups == slow.groups


def test_strengths_are_those_of_the_rating():
    cup = event("ladder", 10, repeats=4)
    played = [match for batch in simulate(cup, ladder).batches for match in batch]
    strength, covariance = ladder._strengths(cup, played)
    found = ratings.find("bradley_terry").rate(Arrays.of(played, range(len(played))), refits=20)
    value = {rating.bot: rating.strength.value for rating in found.ratings}
    theirs = np.array([value[each.name] for each in seeded(cup)])
    assert np.corrcoef(strength, theirs)[0, 1] > 0.99
    assert (np.linalg.eigvalsh(covariance) > 0).all()
