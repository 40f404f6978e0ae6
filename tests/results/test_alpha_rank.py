"""Alpha-rank: on leagues whose payoffs are known, beside the alpha-rank of OpenSpiel."""

from dataclasses import replace

import numpy as np
import pytest

from arena.results.leaderboard import Results
from arena.results.ratings import alpha_rank
from arena.results.ratings.alpha_rank import masses
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.payoffs import payoffs_of
from tests.support import stored
from tests.support.simulated import circle, league, match, play
from tests.support.slow_tables import arrays_of


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_alpha_rank_is_that_of_openspiel(size):
    from open_spiel.python.egt import alpharank

    upper = np.triu(np.random.default_rng(size).random((size, size)), 1)
    payoffs = upper + np.tril(1 - upper.T)
    np.fill_diagonal(payoffs, 0.5)
    theirs = alpharank.compute(
        [payoffs], m=alpha_rank.POPULATION, alpha=alpha_rank.INTENSITY, use_inf_alpha=False
    )[2]
    np.testing.assert_allclose(masses(payoffs[None])[0], theirs, atol=1e-8)


def test_alpha_rank_gives_a_circle_a_third_each_and_the_best_of_an_order_all():
    rated = alpha_rank.rate(
        circle(np.random.default_rng(1), lead=2.0, repeats=200, others=1), refits=200
    )
    assert [rating.strength.value for rating in rated.ratings] == pytest.approx(
        [33, 33, 33, 0], abs=5
    )
    assert all(rating.strength.low < 33 < rating.strength.high for rating in rated.ratings[:3])
    ordered = play(
        np.random.default_rng(2),
        league(np.random.default_rng(2), bots=4, extreme=(6.0,)),
        repeats=20,
    )
    best, *others = alpha_rank.rate(ordered, refits=50).ratings
    assert (best.bot, best.rank, round(best.strength.value)) == ("bot03", 1, 100)
    assert {round(rating.strength.value) for rating in others} == {0}


def test_copies_count_in_a_payoff_as_all_matches_do_but_make_it_no_surer():
    won = [match("duel", "ann bob", 100, 0, seed=seed) for seed in range(8)]
    lost = [match("classic", "bob ann ann", 100, 0, 0, seed=seed) for seed in range(8, 16)]
    played = arrays_of((*won, *lost))
    copied = replace(played, transcript=np.where(np.arange(16) < 8, 0, 1 + np.arange(16)))
    payoffs = payoffs_of(add_up(copied))
    assert payoffs.mean[0, 1] == pytest.approx(0.5)  # 8 of 16 matches
    assert payoffs.blocks[0, 1] == 9
    assert payoffs.observations[0, 1] == 2  # the copies have half of all weight
    assert payoffs_of(add_up(played)).observations[0, 1] == 16


def test_alpha_rank_ranks_an_event_and_points_order_those_without_time(tmp_path):
    event = stored.event("ann", "bob", "cat", boards=(stored.DUEL,), repeats=24)
    results = Results.open(
        stored.store(tmp_path, event, stored.beaten_in_turn(min)), rating="alpha_rank"
    )
    assert results.unit == "%"
    assert results.leaderboard()[["rank", "bot", "rating"]].values.tolist() == [
        [1, "ann", 100.0],
        [2, "bob", 0.0],
        [3, "cat", 0.0],
    ]
