"""Cycles and alpha-rank: on leagues whose payoffs are known, beside the alpha-rank of OpenSpiel."""

from dataclasses import replace

import numpy as np
import pytest

from arena import charts
from arena.charts.style import Nothing
from arena.extras.cycles.finding import cycles_of, surely_beats
from arena.results.leaderboard import Results
from arena.results.ratings import alpha_rank
from arena.results.ratings.alpha_rank import masses
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.payoffs import payoffs_of
from tests.support import stored
from tests.support.simulated import league, match, play
from tests.support.slow_tables import arrays_of


def circle(random, *, lead: float, repeats: int, others: int = 0):
    """Bots 0, 1 and 2 beat each other in turn, by this lead in logits; the others are far weaker, and alike."""
    field = league(random, bots=3 + others, spread=0, special=0, advantage=0.5, extreme=(-6.0,) * others)
    pairs = np.zeros((3 + others, 3 + others))
    pairs[[0, 1, 2], [1, 2, 0]], pairs[[1, 2, 0], [0, 1, 2]] = lead, -lead
    return play(random, replace(field, pairs=pairs), repeats=repeats)


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_alpha_rank_is_that_of_openspiel(size):
    from open_spiel.python.egt import alpharank

    upper = np.triu(np.random.default_rng(size).random((size, size)), 1)
    payoffs = upper + np.tril(1 - upper.T)
    np.fill_diagonal(payoffs, 0.5)
    theirs = alpharank.compute([payoffs], m=alpha_rank.POPULATION, alpha=alpha_rank.INTENSITY, use_inf_alpha=False)[2]
    np.testing.assert_allclose(masses(payoffs[None])[0], theirs, atol=1e-8)


def test_alpha_rank_gives_a_circle_a_third_each_and_the_best_of_an_order_all():
    rated = alpha_rank.rate(circle(np.random.default_rng(1), lead=2.0, repeats=200, others=1), refits=200)
    assert [rating.strength.value for rating in rated.ratings] == pytest.approx([33, 33, 33, 0], abs=5)
    assert all(rating.strength.low < 33 < rating.strength.high for rating in rated.ratings[:3])
    ordered = play(np.random.default_rng(2), league(np.random.default_rng(2), bots=4, extreme=(6.0,)), repeats=20)
    best, *others = alpha_rank.rate(ordered, refits=50).ratings
    assert (best.bot, best.rank, round(best.strength.value)) == ("bot03", 1, 100)
    assert {round(rating.strength.value) for rating in others} == {0}


def test_a_circle_is_proven_and_all_its_triples_are_counted():
    found = cycles_of(circle(np.random.default_rng(3), lead=1.5, repeats=60, others=2))
    assert {*map(tuple, np.argwhere(found.proven).tolist())} == {(0, 1), (1, 2), (2, 0)}
    assert found.share.low <= found.share.value <= found.share.high
    assert found.share.value >= 0.1  # of ten triples


def test_equal_bots_are_hardly_ever_proven_to_be_in_a_circle():
    proven = shares = 0.0
    for seed in range(40):
        random = np.random.default_rng(seed)
        found = cycles_of(play(random, league(random, bots=6, spread=0, special=0), repeats=20), refits=100)
        proven += found.proven.any()
        shares += found.share.low <= 0.25 <= found.share.high
    assert proven == 0  # at most 5 % for an arrow, and a circle needs three
    assert shares >= 34


def test_matches_that_repeat_others_prove_nothing():
    played = arrays_of(tuple(match("duel", "ann bob", 100, 0, seed=seed) for seed in range(50)))
    assert payoffs_of(add_up(replace(played, transcript=0 * played.transcript))).blocks.max() == 1
    assert not surely_beats(payoffs_of(add_up(replace(played, transcript=0 * played.transcript)))).any()
    assert surely_beats(payoffs_of(add_up(played))).any()


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


def beaten_in_turn(name_of_winner, count=24):
    event = stored.event("ann", "bob", "cat", boards=(stored.DUEL,), repeats=count)
    for planned in stored.plan(event):
        bots = [seat.bot.name for seat in planned.seats]
        scores = {seat.role: 100 * (seat.bot.name == name_of_winner(*bots)) for seat in planned.seats}
        yield stored.played(planned, turns=10 + planned.repeat % 2, **scores)  # chance: none repeats another


def test_the_chart_of_cycles_appears_only_if_one_is_proven(tmp_path):
    event = stored.event("ann", "bob", "cat", boards=(stored.DUEL,), repeats=24)
    in_turn = {frozenset("ab"): "ann", frozenset("bc"): "bob", frozenset("ac"): "cat"}
    circle = beaten_in_turn(lambda one, other: in_turn[frozenset((one[0], other[0]))])
    with_cycle = Results.open(stored.store(tmp_path / "circle", event, circle))
    ordered = Results.open(stored.store(tmp_path / "order", event, beaten_in_turn(min)))
    assert with_cycle.cycles()[["triples", "share", "proven"]].values.tolist() == [[1, 1.0, 3]]
    assert with_cycle.beaten_in_cycles()[["bot", "opponent", "blocks", "result"]].values.tolist() == [
        ["ann", "bob", 24, 100.0],
        ["bob", "cat", 24, 100.0],
        ["cat", "ann", 24, 100.0],
    ]
    figure = charts.render("cycles", with_cycle)
    assert "cycles: 100 %" in [text.get_text() for text in figure.axes[0].texts]
    assert ordered.cycles()[["share", "proven"]].values.tolist() == [[0.0, 0]]
    assert isinstance(charts.render("cycles", ordered), Nothing)
    alone = Results.open(stored.store(tmp_path / "alone", stored.event("ann", boards=(stored.HUNT,)), []))
    assert isinstance(charts.render("cycles", alone), Nothing)


def test_alpha_rank_ranks_an_event_and_points_order_those_without_time(tmp_path):
    event = stored.event("ann", "bob", "cat", boards=(stored.DUEL,), repeats=24)
    results = Results.open(stored.store(tmp_path, event, beaten_in_turn(min)), rating="alpha_rank")
    assert results.unit == "%"
    assert results.leaderboard()[["rank", "bot", "rating"]].values.tolist() == [
        [1, "ann", 100.0],
        [2, "bob", 0.0],
        [3, "cat", 0.0],
    ]
