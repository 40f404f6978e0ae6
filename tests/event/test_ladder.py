"""The ladder asks what is worth most for its machine time, and lets nobody starve."""

import random
import tracemalloc
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np

from arena.event.schedules import ladder
from arena.event.schedules._pairings import seeded
from arena.event.schedules._uncertainty import Uncertainty
from arena.identity import digest_of
from arena.results import ratings
from arena.results.ratings.fitting import fit
from arena.results.ratings.fitting.fit import information
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.model import Model, model_of, restricted
from arena.results.ratings.fitting.prior import (
    Spread,
    mean_strengths,
    overall_means,
    precision,
    pull,
)
from tests.support import paired
from tests.support.paired import DUEL, HUNT, Run, bot, event, simulate
from tests.support.slow_tables import arrays_of


def pairings(run) -> Counter[str]:
    """The number of pairings of each bot."""
    return Counter(
        name
        for batch in run.plan
        for pair in {
            (frozenset(seat.bot.name for seat in match.seats), match.repeat) for match in batch
        }
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


def test_a_batch_does_not_repeat_the_pairings_of_the_batch_that_is_still_played():
    run = simulate(event("ladder", 20, rounds=3), ladder)
    assert not set(run.pairs[0]) & set(run.pairs[1])
    assert all(len(pairs) == len(set(pairs)) == 10 for pairs in run.pairs)


def test_two_bots_that_meet_again_have_another_repeat():
    run = simulate(event("ladder", 4, repeats=5), ladder)
    ids = [match.id for batch in run.plan for match in batch]
    assert len(ids) == len(set(ids)) == 60
    by_pair: dict[frozenset[str], list[int]] = {}
    for batch in run.plan:
        for match in batch:
            by_pair.setdefault(frozenset(seat.bot.name for seat in match.seats), []).append(
                match.repeat
            )
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
    apart = [int(max(pair)[3:]) - int(min(pair)[3:]) for pairs in run.pairs[12:] for pair in pairs]
    assert (
        np.mean(apart) < 4
    )  # 5.7 for all pairs, which the lot draws; 1.6 for those that are chosen


def test_intervals_of_equal_bots_hold_though_results_choose_the_matches():
    inside = []
    for number in range(2):
        run = simulate(
            replace(event("ladder", 10, rounds=30), seed=number), ladder, seed=number, spread=0.0
        )
        found = ratings.find("bradley_terry").rate(arrays_of(run.disk.values()), refits=100).ratings
        inside += [rating.strength.low <= 0 <= rating.strength.high for rating in found]
    assert (
        np.mean(inside) >= 0.9
    )  # benchmarks/formats.py: 97 %; 51 % without the lot and with a wide prior


def test_bots_that_are_far_apart_still_meet_by_lot():
    cup = event("ladder", 16, rounds=20)
    strength = {each.name: 2.0 * number for number, each in enumerate(cup.bots)}
    run = Run(cup, ladder, lambda match: paired.result(match, DUEL.sides, strength)).go_on()
    apart = [int(max(pair)[3:]) - int(min(pair)[3:]) for pairs in run.pairs[4:] for pair in pairs]
    assert np.mean([distance > 4 for distance in apart]) > 0.2


def test_another_seed_draws_other_pairings_of_the_same_results():
    cups = [replace(event("ladder", 16, rounds=4), seed=seed) for seed in (1, 2)]
    strength = {each.name: 20.0 * number for number, each in enumerate(cups[0].bots)}
    one, other = (
        Run(cup, ladder, lambda match: paired.result(match, DUEL.sides, strength)).go_on()
        for cup in cups
    )
    assert one.pairs[0] == other.pairs[0]
    assert one.pairs[1:] != other.pairs[1:]


def test_slow_games_wait_but_nobody_starves():
    cup = event("ladder", 20, rounds=24)
    slow = {f"bot{number:03}" for number in range(0, 20, 4)}
    run = simulate(cup, ladder, turns=lambda one, other: 3000 if {one, other} & slow else 100)
    number = pairings(run)
    mean = sum(number.values()) / 20
    assert np.mean([number[name] for name in slow]) < 0.75 * mean
    for batches in range(2, len(run.plan) + 1):
        part = Counter(name for pairs in run.pairs[:batches] for pair in pairs for name in pair)
        average = sum(part.values()) / 20
        assert min(part[each.name] for each in cup.bots) >= average * ladder.FLOOR - 1


def test_a_bot_of_one_role_meets_only_bots_of_the_other_and_does_not_starve():
    bots = [
        *(bot(f"bot{number}") for number in range(6)),
        bot("fox", roles=("fox",)),
        bot("fox2", roles=("fox",)),
    ]
    cup = event("ladder", bots, rounds=6)
    run = simulate(cup, ladder)
    assert {"fox", "fox2"} not in [pair for pairs in run.pairs for pair in pairs]
    number = pairings(run)
    assert min(number.values()) >= ladder.FLOOR * sum(number.values()) / 8 - 1
    seats = {
        (seat.bot.name, seat.role) for batch in run.plan for match in batch for seat in match.seats
    }
    assert ("fox", "dog") not in seats


def test_bots_that_meet_nobody_of_their_group_are_paired_by_lot():
    foxes = [bot(f"fox{number:03}", roles=("fox",)) for number in range(400)]
    dogs = [bot(f"dog{number:03}", roles=("dog",)) for number in range(400)]
    for count in (320, 400):  # no group has both kinds, and one group has them
        cup = event("ladder", foxes[:count] + dogs[:count], rounds=1)
        chosen = ladder._Ladder(cup).batch(0, [])
        number = Counter(bot for pair in chosen for bot in pair[:2])
        assert len(chosen) == count
        assert max(number.values()) < count / 10


def test_two_close_bots_without_chance_do_not_repeat_the_same_match_for_ever():
    cup = event("ladder", 8, rounds=48)
    strength = {
        each.name: -1.0 * (number // 2) for number, each in enumerate(cup.bots)
    }  # four pairs of equals

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
    """A result that was read from the archive may name the roles in another order than one that was
    just played.
    """
    cup = event("ladder", 10, rounds=4, boards=(HUNT,))
    run = simulate(cup, ladder)
    turned = [
        tuple(replace(match, scores=dict(reversed(match.scores.items()))) for match in batch)
        for batch in run.batches
    ]
    assert [match.id for match in ladder.batch(cup, 3, turned[:2])] == run.ids[3]


def transcripts(played) -> dict[str, int]:
    """A number for each match; matches of a seating that all ended alike have the same."""
    endings: dict[object, set[object]] = defaultdict(set)
    for match in played:
        endings[seating(match)].add((match.reason, match.turns, *sorted(match.scores.items())))
    return {
        match.id: 0 if len(endings[seating(match)]) == 1 else number
        for number, match in enumerate(played, 1)
    }


def seating(match):
    return (match.label, *match.seats.items())


def test_matches_of_a_seating_that_all_ended_alike_count_as_one():
    run = simulate(event("ladder", 6, repeats=6, boards=(DUEL, HUNT)), ladder, draws=0.3)
    results = ladder._Results(run.event)
    played = []
    for batch in run.batches:
        batch = [
            replace(match, reason="drawn", turns=9, scores=dict.fromkeys(match.scores, 50))
            if "bot000" in match.seats.values()
            else match
            for match in batch
        ]
        results.add(batch)
        played += batch
        found, expected = results.totals(), add_up(arrays_of(played, transcripts(played)))
        assert (found.bots, found.board_roles) == (expected.bots, expected.board_roles)
        for name in ("seats", "board_role", "matches", "different", "scores", "products"):
            np.testing.assert_array_equal(
                getattr(found, name), getattr(expected, name), err_msg=name
            )
    assert found.repeated


def test_strengths_are_those_of_the_rating():
    cup = event("ladder", 10, repeats=4)
    run = simulate(cup, ladder)
    results = ladder._Results(cup)
    for batch in run.batches:
        results.add(batch)
    strength, uncertainty = ladder._strengths(cup, results)
    found = ratings.find("bradley_terry").rate(arrays_of(run.disk.values()), refits=20)
    value = {rating.bot: rating.strength.value for rating in found.ratings}
    theirs = np.array([value[each.name] for each in seeded(cup)])
    assert np.corrcoef(strength, theirs)[0, 1] > 0.99
    assert (np.linalg.eigvalsh(uncertainty.covariances[0]) > 0).all()


def test_a_small_field_is_paired_as_ever():
    """Archives of earlier versions are verified: their batches are computed again."""
    cups = [
        event("ladder", 12, rounds=8),
        event("ladder", 9, repeats=2, boards=(DUEL, HUNT)),
        event("ladder", [*map(bot, "abcdefg"), bot("fox", roles=("fox",))], rounds=6),
    ]
    plans = [simulate(cup, ladder, draws=0.3).pairs for cup in cups]
    names = [[sorted(pair) for pairs in plan for pair in pairs] for plan in plans]
    assert digest_of(names) == "cdf3e7655d30"


def test_the_first_batch_of_many_bots_gives_each_a_match_without_a_table_of_pairs():
    count = 1500
    cup = event("ladder", count, rounds=1)
    tracemalloc.start()
    chosen = ladder._Ladder(cup).batch(0, [])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sorted(number for pair in chosen for number in pair[:2]) == [*range(count)]
    assert peak < count * count * 8


def test_bots_of_different_groups_are_neighbours_in_the_next_batch():
    strength = np.linspace(3, -3, 700)
    even, odd = (ladder._groups(strength, 2, batches) for batches in (0, 1))
    assert sorted(np.concatenate(even)) == sorted(np.concatenate(odd)) == [*range(700)]
    borders = {int(group[-1]) for group in even[:-1]} & {int(group[-1]) for group in odd[:-1]}
    assert not borders
    assert max(len(group) for group in even + odd) <= ladder.GROUP


def played_model(bots: int) -> Model:
    """Return the model of what a ladder of so many bots has played on two boards."""
    cup = event("ladder", bots, rounds=8, boards=(DUEL, HUNT))
    results = ladder._Results(cup)
    for batch in simulate(cup, ladder, draws=0.3).batches:
        results.add(batch)
    return model_of(results.totals())


def test_a_group_knows_of_its_bots_what_is_left_if_all_others_are_known():
    model = played_model(12)
    weight = np.linspace(1, 2, len(model.mean))
    bots = np.array([1, 4, 5, 10])
    part, scores = restricted(model, bots)
    count = len(model.advantages)
    columns = count + np.flatnonzero(np.isin(model.bot, bots))
    np.testing.assert_allclose(
        information(part, weight[scores])[count:, count:],
        information(model, weight)[np.ix_(columns, columns)],
    )
    assert [*bots[part.bot]] == [*model.bot[columns - count]]
    whole, all_scores = restricted(model, np.arange(12))
    assert [*all_scores] == [*range(len(model.mean))]
    np.testing.assert_array_equal(information(whole, weight), information(model, weight))


def test_a_pairing_takes_from_a_covariance_what_its_information_adds_to_the_inverse():
    dice = np.random.default_rng(1)
    roots = dice.normal(size=(2, 3, 3))
    whole = np.zeros((6, 6))
    whole[:3, :3], whole[3:, 3:] = (root @ root.T + np.eye(3) for root in roots)
    for first, second in ((0, 2), (1, 4)):  # in a group, and of two groups
        groups = [np.arange(3), np.arange(3, 6)]
        found = Uncertainty(groups, [whole[:3, :3].copy(), whole[3:, 3:].copy()])
        assert len([*found.play(first, second, 0.5)]) == 1 + (second > 2)
        row = np.eye(6)[first] - np.eye(6)[second]
        expected = np.linalg.inv(np.linalg.inv(whole) + 0.5 * np.outer(row, row))
        np.testing.assert_allclose(found.covariances[0], expected[:3, :3], atol=1e-8)
        np.testing.assert_allclose(found.covariances[1], expected[3:, 3:], atol=1e-8)


def test_many_unknowns_are_fitted_without_their_matrix():
    model = played_model(20)
    spread = Spread()
    weight = np.linspace(0.1, 2, len(model.mean))
    slope = np.linspace(-1, 1, model.size)
    step = fit._solved(model, spread, weight, slope)
    matrix = information(model, weight) + precision(model, spread)
    np.testing.assert_allclose(step, np.linalg.solve(matrix, slope), atol=10 * fit.CLOSE_RESIDUAL)
    np.testing.assert_allclose(pull(model, spread, slope), precision(model, spread) @ slope)
    np.testing.assert_allclose(
        mean_strengths(model, spread, slope, 20, 5), overall_means(model, spread, 20, 5) @ slope
    )


def test_a_batch_depends_on_the_event_and_the_history_alone():
    cups = [event("ladder", 9, rounds=5, boards=(DUEL, HUNT)), event("ladder", 9, rounds=6)]
    runs = [simulate(cup, ladder, seed=seed, draws=0.3) for cup in cups for seed in (1, 2)]
    asked = [(run, number) for run in runs for number in range(len(run.plan) + 1)]
    random.Random(3).shuffle(asked)
    for run, number in asked:
        history = [
            tuple(map(replace, batch)) for batch in run.batches[: max(number - ladder.BEHIND, 0)]
        ]  # read anew
        expected = run.ids[number] if number < len(run.plan) else []
        assert [match.id for match in ladder.batch(run.event, number, history)] == expected
