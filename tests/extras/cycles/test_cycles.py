"""Cycles, on leagues whose payoffs are known."""

from dataclasses import replace

import numpy as np

from arena import charts
from arena.charts.style import Nothing
from arena.extras.cycles.finding import cycles_of, surely_beats
from arena.results.leaderboard import Results
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.payoffs import payoffs_of
from tests.support import stored
from tests.support.simulated import circle, league, match, play
from tests.support.slow_tables import arrays_of


def test_a_circle_is_proven_and_all_its_triples_are_counted():
    found = cycles_of(circle(np.random.default_rng(3), lead=1.5, repeats=60, others=2))
    assert {*map(tuple, np.argwhere(found.proven).tolist())} == {(0, 1), (1, 2), (2, 0)}
    assert found.share.low <= found.share.value <= found.share.high
    assert found.share.value >= 0.1  # of ten triples


def test_equal_bots_are_hardly_ever_proven_to_be_in_a_circle():
    proven = shares = 0.0
    for seed in range(40):
        random = np.random.default_rng(seed)
        found = cycles_of(
            play(random, league(random, bots=6, spread=0, special=0), repeats=20), refits=100
        )
        proven += found.proven.any()
        shares += found.share.low <= 0.25 <= found.share.high
    assert proven == 0  # at most 5 % for an arrow, and a circle needs three
    assert shares >= 34


def test_matches_that_repeat_others_prove_nothing():
    played = arrays_of(tuple(match("duel", "ann bob", 100, 0, seed=seed) for seed in range(50)))
    assert payoffs_of(add_up(replace(played, transcript=0 * played.transcript))).blocks.max() == 1
    assert not surely_beats(
        payoffs_of(add_up(replace(played, transcript=0 * played.transcript)))
    ).any()
    assert surely_beats(payoffs_of(add_up(played))).any()


def test_the_chart_of_cycles_appears_only_if_one_is_proven(tmp_path):
    event = stored.event("ann", "bob", "cat", boards=(stored.DUEL,), repeats=24)
    in_turn = {frozenset("ab"): "ann", frozenset("bc"): "bob", frozenset("ac"): "cat"}
    circle = stored.beaten_in_turn(lambda one, other: in_turn[frozenset((one[0], other[0]))])
    with_cycle = Results.open(stored.store(tmp_path / "circle", event, circle))
    ordered = Results.open(stored.store(tmp_path / "order", event, stored.beaten_in_turn(min)))
    assert with_cycle.cycles()[["triples", "share", "proven"]].values.tolist() == [[1, 1.0, 3]]
    assert with_cycle.beaten_in_cycles()[
        ["bot", "opponent", "blocks", "result"]
    ].values.tolist() == [
        ["ann", "bob", 24, 100.0],
        ["bob", "cat", 24, 100.0],
        ["cat", "ann", 24, 100.0],
    ]
    figure = charts.render("cycles", with_cycle)
    assert "cycles: 100 %" in [text.get_text() for text in figure.axes[0].texts]
    assert ordered.cycles()[["share", "proven"]].values.tolist() == [[0.0, 0]]
    assert isinstance(charts.render("cycles", ordered), Nothing)
    alone = Results.open(
        stored.store(tmp_path / "alone", stored.event("ann", boards=(stored.HUNT,)), [])
    )
    assert isinstance(charts.render("cycles", alone), Nothing)
