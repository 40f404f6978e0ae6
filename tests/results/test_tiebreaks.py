"""Tie-breaks on crosstables that are calculated by hand here or were printed with their
tie-breaks.
"""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.results import tiebreaks
from arena.results.tiebreaks import Crosstable, DecidedRank, find, rank
from tests.support.finished import result
from tests.support.slow_tables import met

BUCHAREST = """
aronian        x ½ 1 1 ½ ½ ½ ½ ½ ½
so             ½ x ½ ½ ½ ½ 1 ½ 1 ½
vachier        0 ½ x ½ 1 ½ ½ 1 ½ 1
dominguez      0 ½ ½ x ½ 1 ½ 0 1 ½
caruana        ½ ½ 0 ½ x ½ ½ ½ 1 ½
deac           ½ ½ ½ 0 ½ x ½ ½ ½ 1
nepomniachtchi ½ 0 ½ ½ ½ ½ x 1 0 ½
firouzja       ½ ½ 0 1 ½ ½ 0 x ½ ½
mamedyarov     ½ 0 ½ 0 0 ½ 1 ½ x ½
rapport        ½ ½ 0 ½ ½ 0 ½ ½ ½ x
"""
"""Superbet Chess Classic, Bucharest 2022, a round robin; the final table in print, with its
tie-breaks."""

SAINT_LOUIS = """
vachier    x ½ 0 ½ ½ 1 1 ½ 1 1
caruana    ½ x ½ ½ ½ 1 0 1 ½ 1
dominguez  1 ½ x ½ ½ ½ ½ ½ ½ 1
so         ½ ½ ½ x ½ ½ ½ ½ 1 1
rapport    ½ ½ ½ ½ x ½ ½ 0 1 ½
shankland  0 0 ½ ½ ½ x ½ 1 ½ ½
xiong      0 1 ½ ½ ½ ½ x ½ ½ 0
mamedyarov ½ 0 ½ ½ 1 0 ½ x ½ ½
svidler    0 ½ ½ 0 0 ½ ½ ½ x 1
swiercz    0 0 0 0 ½ ½ 1 ½ 0 x
"""
"""Sinquefield Cup, Saint Louis 2021, likewise."""

SWISS = "a-b 1, c-d 1, e-f ½; a-c ½, b-e 1, d-f ½; a-e 1, c-b ½, d-f 1"
"""Three rounds of six, made up; worked in the tests below. Scores: a 2½, c 2, b 1½, d 1½, e ½,
f 1."""


def printed(table: str) -> Crosstable:
    """A crosstable as it is printed: a row a bot, `x` where it would meet itself, `.` where two
    never met.
    """
    rows = [line.split() for line in table.strip().splitlines()]
    ahead = {"1": 1, "½": 0, "0": -1}
    return Crosstable.count(
        (row[0], rows[number][0], ahead[cell], 1)
        for row in rows
        for number, cell in enumerate(row[1:])
        if cell in ahead
    )


def listed(games: str) -> Crosstable:
    """A crosstable from `a-b 1` (a won), `a-b ½`, `a-b 0`."""
    rows = []
    for game in games.replace(";", ",").split(","):
        pair, result = game.split()
        one, other = pair.split("-")
        ahead = {"1": 1, "½": 0, "0": -1}[result]
        rows += [(one, other, ahead, 1), (other, one, -ahead, 1)]
    return Crosstable.count(rows)


def values(name: str, table: Crosstable, tied: str) -> list[float | None]:
    result = find(name)(table, tied.split())
    return [None if result[bot] is None else float(result[bot]) for bot in tied.split()]


def order(table: Crosstable, *names: str) -> list[tuple[int, str]]:
    points = {bot: float(table.score(bot)) for bot in table.met}
    return [(standing.rank, standing.bot) for standing in rank(points, table, names)]


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("direct_encounter", [1.5, 1, 0.5]),
        ("wins", [2, 2, 3]),
        ("sonneborn_berger", [24.75, 23.5, 23]),
    ],
)
def test_the_three_at_the_top_of_bucharest_have_the_figures_in_print(name, figures):
    assert values(name, printed(BUCHAREST), "aronian so vachier") == figures


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("direct_encounter", [1, 1, 1]),
        ("wins", [3, 2, 2]),
        ("sonneborn_berger", [23, 24, 22.75]),
        ("koya", [2, 2.5, 2]),
    ],
)
def test_the_three_behind_the_winner_of_saint_louis_have_the_figures_in_print(name, figures):
    assert values(name, printed(SAINT_LOUIS), "caruana dominguez so") == figures


def test_a_whole_table_is_ranked_as_it_is_in_print():
    names = [line.split()[0] for line in BUCHAREST.strip().splitlines()]
    ranked = order(printed(BUCHAREST), "direct_encounter", "wins", "sonneborn_berger")
    assert ranked == list(enumerate(names, 1))


def test_direct_encounter_is_the_points_that_the_tied_made_against_each_other():
    """The example of the FIDE Arbiters' Seminar: 1 beat 2, and 3 drew with both."""
    table = listed("one-two 1, two-three ½, one-three ½, one-four 0, two-four 1, three-four ½")
    assert values("direct_encounter", table, "one two three") == [1.5, 0.5, 1]


def test_direct_encounter_counts_the_mean_of_several_games_against_one_bot():
    """C.07 6.1.2. ann beat bob in 3 of 4, and lost her one meeting with cat; bob and cat drew
    twice.
    """
    table = listed("ann-bob 1, ann-bob 1, ann-bob 1, ann-bob 0, cat-ann 1, bob-cat ½, cat-bob ½")
    assert values("direct_encounter", table, "ann bob cat") == [0.75, 0.75, 1.5]


def test_direct_encounter_is_used_again_among_those_still_tied():
    """C.07 6.2. Among four: ann 2, bob 2, cat 1, dan 1; then ann beat bob, and cat beat dan."""
    table = listed("ann-bob 1, ann-cat 1, ann-dan 0, bob-cat 1, bob-dan 1, cat-dan 1")
    ranked = rank(dict.fromkeys(["ann", "bob", "cat", "dan"], 10.0), table, ["direct_encounter"])
    assert [(one.rank, one.bot) for one in ranked] == [
        (1, "ann"),
        (2, "bob"),
        (3, "cat"),
        (4, "dan"),
    ]
    assert [one.figures["direct_encounter"] for one in ranked] == [2, 2, 1, 1]


def test_direct_encounter_ranks_a_bot_that_no_missing_game_could_move():
    """C.07 6.3. ann has 2 of 2; bob and cat never met and may reach 1 at most."""
    table = listed("ann-bob 1, ann-cat 1, bob-eve 1, cat-eve 1")
    assert values("direct_encounter", table, "ann bob cat") == [2, None, None]
    ranked = rank(dict.fromkeys(["ann", "bob", "cat"], 5.0), table, ["direct_encounter"])
    assert [(one.rank, one.bot) for one in ranked] == [(1, "ann"), (2, "bob"), (2, "cat")]


def test_direct_encounter_leaves_a_bot_tied_that_could_still_be_caught():
    """ann has 1 of 1; cat, who met neither of the others, could still have 2."""
    table = listed("ann-bob 1, cat-eve 1")
    assert values("direct_encounter", table, "ann bob cat") == [None, None, None]


def test_wins_are_counted_over_all_opponents():
    assert values("wins", listed(SWISS), "a b c d e f") == [2, 1, 1, 1, 0, 0]


def test_sonneborn_berger_is_the_scores_of_the_beaten_and_half_of_the_drawn():
    """a: b 1½ + ½ · c 2 + e ½ = 3; c: d 1½ + ½ · a 2½ + ½ · b 1½ = 3½; b: e ½ + ½ · c 2 = 1½."""
    assert values("sonneborn_berger", listed(SWISS), "a c b") == [3, 3.5, 1.5]


def test_buchholz_is_the_scores_of_all_opponents():
    """a met b 1½, c 2, e ½; c met d 1½, a 2½, b 1½; d met c 2 and f 1 twice."""
    assert values("buchholz", listed(SWISS), "a c d") == [4, 5.5, 4]


def test_buchholz_cut_1_leaves_the_lowest_out_once():
    """a without e ½; c without one of 1½; d without one of its two meetings with f."""
    assert values("buchholz_cut_1", listed(SWISS), "a c d") == [3.5, 4, 3]


def test_buchholz_median_1_leaves_the_lowest_and_the_highest_out_once():
    assert values("buchholz_median_1", listed(SWISS), "a c d") == [1.5, 1.5, 1]


def test_the_average_of_opponents_buchholz_looks_one_step_further():
    """Buchholz: a 4, b 2½ + 2 + ½ = 5, c 5½, d 4, e 5, f ½ + 3 = 3½. a met b, c, e: 15½ / 3."""
    assert values("buchholz", listed(SWISS), "b e f") == [5, 5, 3.5]
    assert find("average_opponents_buchholz")(listed(SWISS), ["a"])["a"] == Fraction(31, 6)


def test_koya_counts_games_against_opponents_with_half_of_their_points():
    """Of three meetings: a 2½, c 2, b and d 1½ made half. a: b 1 + c ½; e: none of 3 but f; f: 0
    and ½ of d.
    """
    assert values("koya", listed(SWISS), "a e f") == [1.5, 0, 0.5]


def test_tie_breaks_are_asked_in_the_order_of_the_list():
    table = printed(SAINT_LOUIS)
    by_wins = [bot for _, bot in order(table, "wins", "sonneborn_berger")][1:4]
    by_berger = [bot for _, bot in order(table, "sonneborn_berger", "wins")][1:4]
    assert by_wins == ["caruana", "dominguez", "so"]
    assert by_berger == ["dominguez", "caruana", "so"]


def test_only_figures_that_were_needed_are_returned():
    ranked = {
        standing.bot: standing
        for standing in rank(
            {"ann": 3.0, "bob": 2.0, "cat": 2.0}, listed("bob-cat 1"), ["wins", "koya"]
        )
    }
    assert ranked["ann"] == DecidedRank(rank=1, bot="ann", figures={})
    assert ranked["bob"] == DecidedRank(rank=2, bot="bob", figures={"wins": Fraction(1)})
    assert ranked["cat"].rank == 3


def test_bots_that_no_tie_break_separates_share_a_rank_and_are_sorted_by_name():
    table = listed("ann-bob ½, cat-dan ½")
    ranked = rank(dict.fromkeys(["dan", "bob", "cat", "ann"], 1.0), table, tiebreaks.names())
    assert [(one.rank, one.bot) for one in ranked] == [
        (1, "ann"),
        (1, "bob"),
        (1, "cat"),
        (1, "dan"),
    ]


def test_a_bot_that_met_nobody_is_placed_too():
    ranked = rank({"ann": 50.0, "bob": 50.0, "new": 50.0}, listed("ann-bob 1"), tiebreaks.names())
    assert {one.bot for one in ranked} == {"ann", "bob", "new"}


TEAMS = (("pacman",), ("blinky", "inky"))


def test_each_two_bots_on_different_sides_meet_once_a_match():
    table = met(
        [result(TEAMS, "ann bob cat", 60, 100, 0), result(TEAMS, "ann bob bob", 50, 50, 50)]
    )
    assert table.against("ann") == {"bob": (0, 1, 1), "cat": (0, 0, 1)}
    assert table.against("bob") == {"ann": (1, 1, 0)}
    assert "bob" not in table.against("cat")


def test_a_bot_does_not_meet_itself():
    table = met([result(TEAMS, "ann ann bob", 100, 0, 0)])
    assert table.against("ann") == {"bob": (1, 0, 0)}


@settings(max_examples=30)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")).filter(
            lambda pair: pair[0] < pair[1]
        ),
        st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=3),
        max_size=8,
    ),
    st.permutations(tiebreaks.names()),
)
def test_every_bot_is_placed_once_and_ranks_never_run_backwards(games, names):
    rows = [
        row
        for (a, b), all_ in games.items()
        for one in all_
        for row in ((a, b, one, 1), (b, a, -one, 1))
    ]
    table = Crosstable.count(rows)
    ranked = rank({bot: float(table.score(bot)) for bot in "abcde"}, table, names)
    assert sorted(one.bot for one in ranked) == list("abcde")
    assert all(one.rank <= later.rank for one, later in pairwise(ranked))
    assert all(
        one.rank in {number, ranked[number - 2].rank} for number, one in enumerate(ranked, 1)
    )
    assert (
        rank({bot: float(table.score(bot)) for bot in "edcba"}, Crosstable.count(rows[::-1]), names)
        == ranked
    )


def test_a_wrong_name_suggests_the_right_one():
    with pytest.raises(ArenaError, match="did you mean 'sonneborn_berger'"):
        find("sonneborn_burger")
