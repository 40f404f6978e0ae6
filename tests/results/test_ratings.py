"""Strengths of bots: compared with known strengths and with choix, and independent of the order of
the records.
"""

from dataclasses import replace
from itertools import permutations
from math import log
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.results import ratings
from arena.results.arrays import Arrays
from arena.results.ratings import Rating, Ratings, bradley_terry, elo, points
from arena.results.ratings.fitting.fit import point_estimate
from arena.results.ratings.fitting.match_totals import add_up
from arena.results.ratings.fitting.model import model_of
from arena.results.ratings.fitting.prior import Spread
from arena.results.standings import standings
from arena.values import Played
from tests.support.simulated import DUEL, TRIO, league, match, play, small_events
from tests.support.slow_tables import arrays_of


def rated(*played: Played, rule=bradley_terry, refits: int = 20) -> dict[str, Rating]:
    return {one.bot: one for one in rule.rate(arrays_of(played), refits=refits).ratings}


def order(*played: Played, rule=bradley_terry) -> list[str]:
    return [one.bot for one in rule.rate(arrays_of(played), refits=20).ratings]


def fitted(played: Arrays, spread: Spread) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Strengths by (bot, board role) under a given prior, each score as sure as one won or lost."""
    model = model_of(add_up(played))
    ones = np.ones(len(model.mean))
    estimated = point_estimate(model, spread, ones, ones)
    where = list(zip(model.bot.tolist(), model.board_role.tolist(), strict=True))
    return estimated.unknowns[len(model.advantages) :], where


def won_by(played: Arrays) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Winner and loser of each match of two, as (bot, role)."""
    _, bot = played.coded(attrgetter("bot"))
    _, board_role = played.coded(attrgetter("board_role"))
    entry = played.entry
    seats = list(
        zip(bot[entry].tolist(), board_role[entry].tolist(), played.score.tolist(), strict=True)
    )
    pairs = [
        sorted(pair, key=lambda seat: -seat[2])
        for pair in zip(seats[::2], seats[1::2], strict=True)
    ]
    return [(winner[:2], loser[:2]) for winner, loser in pairs]


@pytest.mark.soak
def test_strengths_by_role_and_those_under_a_ridge_are_those_of_choix():
    import choix  # here: it imports all of scipy.stats, and only one of the workers needs it

    played = play(
        np.random.default_rng(3), league(np.random.default_rng(3), bots=5, spread=0.5), repeats=30
    )
    strengths, where = fitted(played, Spread(bots=1e-6, roles=1e3))
    number = {at: position for position, at in enumerate(where)}
    data = [(number[winner], number[loser]) for winner, loser in won_by(played)]
    theirs = choix.opt_pairwise(len(where), data, alpha=1e-6, tol=1e-12)
    for place in (0, 1):
        here = [position for (_, at), position in number.items() if at == place]
        np.testing.assert_allclose(
            strengths[here] - strengths[here].mean(), theirs[here] - theirs[here].mean(), atol=1e-4
        )

    won = {
        ("ann", "bob"): 6,
        ("bob", "ann"): 2,
        ("bob", "cat"): 5,
        ("cat", "bob"): 1,
        ("ann", "cat"): 3,
    }
    both = [
        match("duel", *seats, seed=seed)
        for (winner, loser), times in won.items()
        for seed in range(times)
        for seats in ((f"{winner} {loser}", 100, 0), (f"{loser} {winner}", 0, 100))
    ]
    strengths, where = fitted(arrays_of(both), Spread(bots=0.8, roles=1e-4))
    bots = {"ann": 0, "bob": 1, "cat": 2}
    data = [
        (bots[winner], bots[loser])
        for (winner, loser), times in won.items()
        for _ in range(2 * times)
    ]
    theirs = choix.opt_pairwise(3, data, alpha=0.5 / 0.8**2, tol=1e-12)  # theirs lacks the half
    np.testing.assert_allclose(strengths, [theirs[bot] for bot, _ in where], atol=1e-4)


@pytest.mark.parametrize(
    ("boards", "kinds"),
    [
        ((DUEL,), {"repeats": 120}),
        ((DUEL,), {"repeats": 120, "kind": "drawn"}),
        ((TRIO,), {"repeats": 60, "kind": "graded"}),
        ((TRIO,), {"repeats": 12, "kind": "graded", "seating": "distinct"}),
        ((DUEL, TRIO), {"repeats": 60}),
    ],
)
def test_known_strengths_and_advantages_are_found(boards, kinds):
    random = np.random.default_rng(11)
    field = league(random, bots=8, boards=boards)
    result = bradley_terry.rate(play(random, field, **kinds), refits=20)
    values = {rating.bot: rating.strength.value for rating in result.ratings}
    np.testing.assert_allclose([values[bot] for bot in field.bots], field.truth, atol=0.25)
    for place, role in enumerate(field.board_roles):
        if (role.label, role.role) in result.advantages and role.label == "maze/duel":
            versus = field.strength[:, place].mean() - field.strength[:, 1 - place].mean()
            at_average = field.advantage[place] + versus
            assert result.advantages[role.label, role.role].value == pytest.approx(
                at_average, abs=0.25
            )


def test_role_strengths_are_found_where_every_role_has_a_bot_of_its_own():
    random = np.random.default_rng(5)
    field = league(random, bots=6, boards=(TRIO,), special=1.0)
    result = bradley_terry.rate(
        play(random, field, repeats=40, kind="graded", seating="distinct"), refits=20
    )
    for rating in result.ratings:
        row = field.strength[field.bots.index(rating.bot)] - field.strength.mean(axis=0)
        mine = [rating.roles[place.label, place.role].value for place in field.board_roles]
        assert mine[0] == pytest.approx(row[0], abs=0.4)
        assert np.mean(mine[1:]) == pytest.approx(row[1:].mean(), abs=0.4)


def same(one: Ratings, other: Ratings) -> bool:
    return (
        one.ratings == other.ratings
        and one.advantages == other.advantages
        and np.array_equal(one.better, other.better)
        and (one.groups, one.repeated) == (other.groups, other.repeated)
    )


@pytest.mark.parametrize("rule", ["bradley_terry", "points"])
@settings(max_examples=5)
@given(data=st.data())
def test_the_order_of_records_seats_and_names_changes_not_one_bit(rule, data):
    played = data.draw(small_events())
    # A transcript contains the scores, so matches with different scores never have the same.
    transcripts = {
        match.id: (data.draw(st.integers(1, 3)), *sorted(match.scores.items())) for match in played
    }
    hashes = {
        match: sorted(transcripts.values()).index(transcript)
        for match, transcript in transcripts.items()
    }
    shuffled = [
        replace(
            one, seats=dict(reversed(one.seats.items())), scores=dict(reversed(one.scores.items()))
        )
        for one in data.draw(st.permutations(played))
    ]
    rate = ratings.find(rule).rate
    assert same(
        rate(arrays_of(played, hashes), seed=4, refits=10),
        rate(arrays_of(shuffled, hashes), seed=4, refits=10),
    )


def test_records_in_another_order_give_the_same_bits_in_a_league_of_thousands():
    random = np.random.default_rng(8)
    played = play(random, league(random, bots=7, boards=(DUEL, TRIO)), repeats=30, kind="graded")
    new = random.permutation(len(played.seed))
    seats = random.permutation(len(played.match))
    mixed = replace(
        played,
        **{
            name: getattr(played, name)[np.argsort(new)]
            for name in ("repeat", "seed", "turns", "transcript")
        },
        **{name: getattr(played, name)[seats] for name in ("position", "entry", "score", "ending")},
        match=new[played.match[seats]],
    )
    assert same(bradley_terry.rate(played, refits=50), bradley_terry.rate(mixed, refits=50))


@settings(max_examples=8)
@given(played=small_events())
def test_every_rating_is_finite_and_inside_its_interval(played):
    for rule in (bradley_terry, points):
        result = rule.rate(arrays_of(played), refits=10)
        for rating in result.ratings:
            for strength in (rating.strength, *rating.roles.values()):
                assert abs(strength.value) < (20 if rule is bradley_terry else 101)
                assert strength.low <= strength.value <= strength.high
            if rule is points:
                assert np.isfinite(rating.strength).all()
            assert rating.ranks[0] <= rating.rank <= rating.ranks[1]


def test_a_bot_that_always_wins_has_a_finite_figure_that_grows_with_the_wins():
    def always(times: int) -> float:
        return rated(*(match("duel", "ann bob", 100, 0, seed=seed) for seed in range(times)))[
            "ann"
        ].strength.value

    once, often, for_ever = always(1), always(10), always(1000)
    assert 0 < once < often < for_ever < 10


def test_opponents_that_always_have_all_points_have_ratings_within_reach():
    played = []
    for number, bots in enumerate(permutations(("ann", "bob", "cat", "dan"), 3)):
        # The last two are at fault in each match, and whoever is not gets 100.
        scores = [100 if bot in {"ann", "bob"} else 0 for bot in bots]
        played.append(match("classic", " ".join(bots), *scores, seed=number))
    result = rated(*played)
    strengths = [result[bot].strength.value for bot in ("ann", "bob", "cat", "dan")]
    assert 1 < strengths[0] < 10
    assert strengths == pytest.approx([strengths[0]] * 2 + [-strengths[0]] * 2)


def test_no_interval_is_one_point_because_a_bot_is_measured_by_itself():
    """Of a chain where each bot beats the next one, only that in the middle is bounded on both
    sides.
    """
    chain = [match("duel", "ann bob", 100, 0), match("duel", "bob cat", 100, 0)]
    for played in (chain, chain[:1], [match("solo", "ann", 50)]):
        found = bradley_terry.rate(arrays_of(played), refits=20)
        strengths = [row.strength for ranking in found.rankings for row in ranking.rows]
        assert all(
            each.low < each.high
            for each in (*strengths, *(rating.strength for rating in found.ratings))
        )


def test_a_bot_that_always_wins_is_first_and_a_bot_that_always_loses_last():
    pairs = [("ann", "bob"), ("ann", "cat"), ("ann", "dan"), ("bob", "dan"), ("cat", "dan")]
    won = [match("duel", f"{one} {other}", 100, 0) for one, other in pairs]
    back = [match("duel", f"{other} {one}", 0, 100) for one, other in pairs]
    even = [match("duel", "bob cat", 50, 50), match("duel", "cat bob", 50, 50)]
    result = rated(*won, *back, *even)
    assert [one.rank for one in result.values()] == [1, 2, 2, 4]
    assert (next(iter(result)), list(result)[-1]) == ("ann", "dan")
    assert result["bob"].strength.value == pytest.approx(result["cat"].strength.value)


def test_a_score_in_between_counts_in_between():
    def first(score: int) -> float:
        return rated(
            match("duel", "ann bob", score, 100 - score),
            match("duel", "bob ann", 100 - score, score),
        )["ann"].strength.value

    values = [first(score) for score in (0, 30, 50, 60, 100)]
    assert values == sorted(values)
    assert values[2] == pytest.approx(0, abs=1e-12)


def test_beating_the_strong_is_worth_more_than_beating_the_weak():
    ladder = [match("duel", "top low", 100, 0, seed=seed) for seed in range(5)]
    ladder += [match("duel", "low top", 0, 100, seed=seed) for seed in range(5)]
    hard = [match("duel", "ann top", 100, 0), match("duel", "top ann", 0, 100)]
    easy = [match("duel", "bob low", 100, 0), match("duel", "low bob", 0, 100)]
    result = rated(*ladder, *hard, *easy)
    assert result["ann"].strength.value > result["bob"].strength.value
    level = rated(*ladder, *hard, *easy, rule=points)
    assert level["ann"].rank == level["bob"].rank


def test_the_advantage_of_a_role_is_no_bots_merit():
    played = [
        match("duel", f"{rating} {other}", 100, 0)
        for rating in "abc"
        for other in "abc"
        if rating != other
    ]
    result = bradley_terry.rate(arrays_of(played), refits=20)
    assert [rating.rank for rating in result.ratings] == [1, 1, 1]
    explorer, mummy = (result.advantages["maze/duel", role] for role in ("explorer", "mummy"))
    assert explorer.value > 2
    assert (mummy.value, mummy.low, mummy.high) == (-explorer.value, -explorer.high, -explorer.low)


def test_a_bot_that_only_played_the_better_role_is_not_credited_for_it():
    field = [
        match("duel", f"{one} {other}", *scores, seed=seed)
        for one in "abcd"
        for other in "abcd"
        if one != other
        for seed, scores in enumerate([(100, 0)] * 4 + [(0, 100)])
    ]
    guest = [match("duel", f"guest {other}", 100, 0) for other in "abc"] + [
        match("duel", "guest d", 0, 100)
    ]
    assert rated(*field, *guest, rule=points)["guest"].rank == 1
    assert rated(*field, *guest)["guest"].strength.value < 0


def test_equal_scores_of_the_roles_of_a_side_are_one_score():
    team = add_up(
        arrays_of(
            [
                match("classic", "ann bob cat", 30, 100, 100),
                match("classic", "bob ann ann", 60, 0, 0),
            ]
        )
    )
    each = add_up(
        arrays_of(
            [match("classic", "ann bob cat", 30, 100, 0), match("classic", "bob ann ann", 60, 0, 0)]
        )
    )
    assert len(model_of(team).mean) == 4
    assert len(model_of(each).mean) == 6
    assert model_of(each).share.tolist().count(0.5) == 4


def test_a_second_score_that_says_nothing_new_is_left_out():
    zero_sum = [match("duel", "ann bob", 70, 30), match("duel", "bob ann", 20, 80)]
    assert len(model_of(add_up(arrays_of(zero_sum))).mean) == 2
    assert len(model_of(add_up(arrays_of([*zero_sum, match("duel", "ann cat", 0, 0)]))).mean) == 6


def test_bots_can_be_rated_by_boards_that_they_play_alone():
    solo = [
        match("solo", bot, score, seed=seed)
        for bot, score in (("ann", 90), ("bob", 40))
        for seed in range(3)
    ]
    assert order(*solo) == ["ann", "bob"]


def test_three_sides_are_rated():
    won = [
        match("melee", bots, 100, 50, 0, seed=seed)
        for bots in ("ann bob cat", "ann cat bob")
        for seed in (1, 2)
    ]
    back = [
        match("melee", bots, 0, 50, 100, seed=seed)
        for bots in ("bob cat ann", "cat bob ann")
        for seed in (1, 2)
    ]
    result = rated(*won, *back)
    assert result["ann"].strength.value > 0.5
    assert result["bob"].strength.value == pytest.approx(result["cat"].strength.value, abs=1e-6)


def test_a_bot_that_met_itself_tells_of_the_roles_only():
    result = rated(
        match("duel", "ann ann", 100, 0),
        match("duel", "ann bob", 50, 50),
        match("duel", "bob ann", 50, 50),
    )
    assert result["ann"].matches == 3
    assert (
        result["ann"].roles["maze/duel", "explorer"].value
        > result["ann"].roles["maze/duel", "mummy"].value
    )


def test_points_are_those_of_the_standings():
    random = np.random.default_rng(2)
    played = [
        match(
            board,
            " ".join(random.choice(list("abcd"), seats)),
            *random.integers(0, 101, seats),
            seed=seed,
        )
        for seed in range(40)
        for board, seats in (("solo", 1), ("duel", 2), ("classic", 3))
    ]
    theirs = {standing.bot: standing for standing in standings("abcd", played)}
    for bot, standing in rated(*played, rule=points).items():
        assert standing.strength.value == pytest.approx(theirs[bot].points, abs=1e-9)
        assert standing.rank == theirs[bot].rank
        assert {
            place: strength.value for place, strength in standing.roles.items()
        } == pytest.approx(theirs[bot].roles)


def test_elo_is_the_same_fit_with_400_points_for_ten_to_one():
    random = np.random.default_rng(4)
    played = play(random, league(random, bots=6), repeats=3)
    rating, other = (
        bradley_terry.rate(played, seed=3, refits=50),
        elo.rate(played, seed=3, refits=50),
    )
    factor = 400 / log(10)
    for mine, theirs in zip(rating.ratings, other.ratings, strict=True):
        assert tuple(theirs.strength) == pytest.approx(
            [1500 + factor * figure for figure in mine.strength]
        )
        assert (theirs.bot, theirs.rank, theirs.ranks, theirs.tier) == (
            mine.bot,
            mine.rank,
            mine.ranks,
            mine.tier,
        )
    assert np.mean([rating.strength.value for rating in other.ratings]) == pytest.approx(1500)
    assert other.advantages["maze/duel", "mummy"].value == pytest.approx(
        factor * rating.advantages["maze/duel", "mummy"].value
    )


@pytest.mark.parametrize("rule", ratings.names())
def test_without_matches_there_are_no_ratings(rule):
    result = ratings.find(rule).rate(arrays_of(()))
    assert (result.ratings, result.groups, result.warnings, result.better.shape) == (
        (),
        (),
        (),
        (0, 0),
    )


def test_ratings_are_found_by_name_and_a_wrong_name_suggests_the_right_one():
    assert ratings.names() == ("alpha_rank", "bradley_terry", "elo", "points")
    with pytest.raises(ArenaError, match="did you mean 'bradley_terry'"):
        ratings.find("bradley_tery")


def contradictions(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The pairs of points of bots that rating and points order differently; a row is a rating and
    points.
    """
    return [
        (one, other)
        for strength, one in rows
        for below, other in rows
        if (one > other + 1e-9 and strength <= below)
        or (abs(one - other) < 1e-9 and abs(strength - below) > 1e-9)
    ]


@pytest.mark.parametrize("boards", [(DUEL,), (TRIO,), (DUEL, TRIO)])
@pytest.mark.parametrize("kind", ["won", "graded"])
def test_in_a_balanced_round_robin_bots_stand_in_the_order_of_their_points(boards, kind):
    """`benchmarks/order.py` plays 2,000 such leagues."""
    random = np.random.default_rng(7)
    for without_chance in (0, 2, 5):
        field = league(random, bots=6, boards=boards, special=1.5, extreme=(-8.0,))
        played = play(random, field, repeats=3, kind=kind, without_chance=without_chance)
        points_of = {
            rating.bot: rating.strength.value for rating in points.rate(played, refits=2).ratings
        }
        found = bradley_terry.rate(played, refits=2).ratings
        assert (
            contradictions([(rating.strength.value, points_of[rating.bot]) for rating in found])
            == []
        )


def test_a_rating_does_not_fall_after_a_win():
    """A first defeat of the best bot, or a first win of the worst, moves no centre of the scale."""
    random = np.random.default_rng(11)
    for _ in range(12):
        bots = [f"b{number}" for number in range(4)]
        strength = random.normal(0, 2, 4)
        played = []
        for one in range(4):
            for other in range(4):
                if one != other:
                    won = 100 * int(
                        random.random() < 1 / (1 + np.exp(strength[other] - strength[one]))
                    )
                    played.append(
                        match(
                            "duel", f"{bots[one]} {bots[other]}", won, 100 - won, seed=len(played)
                        )
                    )
        before = rated(*played, refits=2)
        winner, loser = random.permutation(bots)[:2].tolist()
        after = rated(*played, match("duel", f"{winner} {loser}", 100, 0, seed=99), refits=2)
        assert after[winner].strength.value >= before[winner].strength.value - 1e-6


AMERICAN_LEAGUE = """\
Milwaukee 4-3 4-2 4-3 6-1 4-2 6-0
Detroit 3-3 4-2 4-3 6-0 6-1 4-3
Toronto 2-5 4-3 2-4 4-3 4-2 6-0
New_York 3-3 5-1 2-5 4-3 4-2 6-1
Boston 5-1 2-5 3-3 4-2 5-2 6-0
Cleveland 2-5 3-3 3-4 4-3 4-2 2-4
Baltimore 2-5 1-5 1-6 2-4 1-6 3-4"""
"""Home wins and losses of 1987 against the other teams in this order (Agresti, Categorical Data
Analysis, 11.6)."""
AGRESTI = {
    "Milwaukee": 1.6196,
    "Detroit": 1.4754,
    "Toronto": 1.3271,
    "New_York": 1.2813,
    "Boston": 1.1438,
    "Cleveland": 0.7047,
    "Baltimore": 0.0,
}
"""The strengths above Baltimore in a model with a home advantage, which is 0.3023 (R's package
BradleyTerry2)."""


def baseball() -> list[Played]:
    """The 273 matches of the American League of 1987; the home team is the explorer."""
    rows = [line.split() for line in AMERICAN_LEAGUE.splitlines()]
    teams = [row[0] for row in rows]
    played = []
    for home, *results in rows:
        for away, result in zip([team for team in teams if team != home], results, strict=True):
            won, lost = map(int, result.split("-"))
            for score in [100] * won + [0] * lost:
                played.append(match("duel", f"{home} {away}", score, 100 - score, seed=len(played)))
    return played


def test_the_baseball_league_of_1987_has_the_figures_of_the_textbook():
    played = baseball()
    assert len(played) == 273
    plain = bradley_terry.rate(arrays_of(played), refits=2, prior=False)
    values = {rating.bot: rating.strength.value for rating in plain.ratings}
    above = {team: value - values["Baltimore"] for team, value in values.items()}
    assert above == pytest.approx(AGRESTI, abs=5e-4)
    assert plain.advantages["maze/duel", "explorer"].value == pytest.approx(0.3023, abs=0.03)
    shrunk = rated(*played)
    assert list(shrunk) == list(AGRESTI)
    ratios = [
        shrunk[team].strength.value / values[team] for team in ("Milwaukee", "Detroit", "Baltimore")
    ]
    assert all(0.7 < ratio < 1 for ratio in ratios)


TEAM_WINS = {
    "a": {"b": 2, "d": 1},
    "b": {"a": 3, "c": 5},
    "c": {"b": 3, "d": 1},
    "d": {"a": 4, "c": 3},
}
"""By winner, then loser: the worked example of Wikipedia's article on the Bradley-Terry model."""
TEAM_ODDS = {"a": 0.640, "b": 1.043, "c": 0.660, "d": 2.270}
"""The odds that the article finds, with a geometric mean of 1."""


def test_four_teams_have_the_odds_of_the_example_in_the_encyclopedia():
    """Each match is played in both roles, so that no role has an advantage."""
    played = []
    for winner, losers in TEAM_WINS.items():
        for loser, wins in losers.items():
            for _ in range(wins):
                played.append(match("duel", f"{winner} {loser}", 100, 0, seed=len(played)))
                played.append(match("duel", f"{loser} {winner}", 0, 100, seed=len(played)))
    plain = bradley_terry.rate(arrays_of(played), refits=2, prior=False)
    logits = {rating.bot: rating.strength.value for rating in plain.ratings}
    mean = np.mean(list(logits.values()))
    odds = {team: np.exp(value - mean) for team, value in logits.items()}
    assert odds == pytest.approx(TEAM_ODDS, abs=6e-4)
    for team, wins in TEAM_WINS.items():  # the model expects of each team just its wins
        expected = 0.0
        for other in TEAM_WINS.keys() - {team}:
            met = wins.get(other, 0) + TEAM_WINS[other].get(team, 0)
            expected += met * odds[team] / (odds[team] + odds[other])
        assert expected == pytest.approx(sum(wins.values()), abs=1e-4)
    shrunk = {
        rating.bot: rating.strength.value
        for rating in bradley_terry.rate(arrays_of(played), refits=2).ratings
    }
    assert list(shrunk) == sorted(TEAM_ODDS, key=TEAM_ODDS.__getitem__, reverse=True)
    assert abs(shrunk["d"]) < abs(logits["d"])


CHESS = """\
Ash Elm 210 Fir 121 Oak 301 Yew 210
Elm Ash 111 Fir 211 Oak 120 Yew 310
Fir Ash 102 Elm 021 Oak 211 Yew 220
Oak Ash 012 Elm 111 Yew 202
Yew Ash 102 Fir 111 Oak 111"""
"""White, then each Black with White's wins, draws and losses: 61 games, of some pairs more than of
others."""
ORDO = {"Ash": 115.2776, "Elm": 52.9824, "Fir": 3.5534, "Oak": -71.1099, "Yew": -100.7035}
"""What Ordo 1.2.6 (github.com/michiguel/Ordo) says of these games: `ordo -p games.pgn -a 0 -W -D -N
4`."""
ORDO_WHITE = 33.81
ORDO_LOGIT = 202 / np.log(0.76 / 0.24)
"""Ordo's points for a logit: by its default scale, 202 points more make an expected score of 76
%."""


def test_games_of_chess_with_draws_have_the_ratings_of_ordo():
    played = []
    for row in CHESS.splitlines():
        white, *opponents = row.split()
        for black, counts in zip(opponents[::2], opponents[1::2], strict=True):
            for score, count in zip((100, 50, 0), counts, strict=True):
                for _ in range(int(count)):
                    played.append(
                        match("duel", f"{white} {black}", score, 100 - score, seed=len(played))
                    )
    assert len(played) == 61
    plain = bradley_terry.rate(arrays_of(played), refits=2, prior=False)
    values = {rating.bot: ORDO_LOGIT * rating.strength.value for rating in plain.ratings}
    mean = np.mean(list(values.values()))
    assert {bot: value - mean for bot, value in values.items()} == pytest.approx(ORDO, abs=0.05)
    white = plain.advantages["maze/duel", "explorer"].value
    # The advantage is that of the fit by role, in which a bot may be better as White than as Black.
    assert ORDO_LOGIT * white == pytest.approx(ORDO_WHITE, abs=5)
    shrunk = rated(*played)
    assert list(shrunk) == list(ORDO)
    for bot in ("Ash", "Oak", "Yew"):
        assert 0.5 < ORDO_LOGIT * shrunk[bot].strength.value / ORDO[bot] < 1


@pytest.mark.parametrize(
    "played",
    [
        [match("duel", "ann bob", 100, 0), match("duel", "bob ann", 0, 100)],
        [match("duel", "ann bob", 100, 0), match("duel", "bob ann", 100, 0)],
        [
            match("duel", seats, score, 100 - score)
            for seats in ("ann bob", "cat dan")
            for score in (0, 100)
        ],
    ],
    ids=["won everything", "a role always wins", "never met"],
)
def test_where_the_plain_fit_has_no_finite_answer_a_warning_says_so(played):
    arrays = arrays_of(
        [replace(one, id=str(number), seed=number) for number, one in enumerate(played)]
    )
    found = bradley_terry.rate(arrays, refits=20, prior=False)
    assert any("no finite fit without a prior" in warning for warning in found.warnings)
    assert found.ratings == bradley_terry.rate(arrays, refits=20).ratings
