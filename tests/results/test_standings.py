"""Standings: points, ranks, wins, forfeits; and meetings."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.results.standings import Standing, results_of, standings
from arena.values import Ending, Played
from tests.support.finished import result
from tests.support.slow_tables import meetings

SIDES = {
    "hunt": (("explorer",),),
    "duel": (("explorer",), ("mummy",)),
    "classic": (("pacman",), ("ghost1", "ghost2")),
}
GAMES = {"hunt": "mummy_maze", "duel": "mummy_maze", "classic": "pacman"}


def match(board: str, bots: str, *scores: int, **endings: Ending) -> Played:
    """A finished match: `match("duel", "ann bob", 100, 0)`, bots and scores in the board's order of
    roles.
    """
    return result(SIDES[board], bots, *scores, label=f"{GAMES[board]}/{board}", endings=endings)


def standing_of(bot: str, *played: Played, bots: str = "ann bob cat dan") -> Standing:
    return next(standing for standing in standings(bots.split(), played) if standing.bot == bot)


def table(*played: Played, bots: str = "ann bob cat dan") -> list[tuple[int | None, str]]:
    return [(standing.rank, standing.bot) for standing in standings(bots.split(), played)]


def test_points_are_the_mean_over_board_and_role_however_often_each_was_played():
    often = [match("hunt", "ann", 100)] * 9
    one = standing_of(
        "ann", *often, match("duel", "ann bob", 40, 60), match("duel", "bob ann", 50, 10)
    )
    assert one.points == (100 + 40 + 10) / 3
    assert one.boards == {"mummy_maze/hunt": 100, "mummy_maze/duel": 25}
    assert one.roles[("mummy_maze/duel", "mummy")] == 10


def test_roles_that_a_bot_never_played_take_nothing_from_it():
    assert standing_of("ann", match("duel", "ann bob", 80, 20)).points == 80


def test_boards_of_one_name_in_two_games_are_two_boards():
    other = match("hunt", "ann", 0)
    other = replace(other, game="pacman")
    assert (
        standing_of("ann", match("hunt", "ann", 100), match("hunt", "ann", 100), other).points == 50
    )


@pytest.mark.parametrize(
    ("scores", "results"),
    [
        ((60, 40, 0), {"ann": "won", "bob": "lost", "cat": "lost"}),
        ((40, 0, 60), {"ann": "lost", "bob": "won", "cat": "won"}),
        ((50, 50, 10), {"ann": "drawn", "bob": "drawn", "cat": "drawn"}),
        ((0, 0, 0), {"ann": "drawn", "bob": "drawn", "cat": "drawn"}),
    ],
)
def test_a_side_scores_what_its_best_role_does(scores, results):
    assert results_of(match("classic", "ann bob cat", *scores)) == results


@pytest.mark.parametrize(
    ("scores", "results"),
    [
        ((0, 100, 0), {"ann": "lost", "bob": "won", "cat": "lost"}),
        ((50, 50, 0), {"ann": "drawn", "bob": "drawn", "cat": "lost"}),
    ],
)
def test_a_bot_that_did_not_start_has_lost_also_where_its_side_won_without_it(scores, results):
    played = match("classic", "ann bob cat", *scores, ghost2=Ending.TIMEOUT)
    crashed_later = replace(played, fault_turns={"ghost2": 3})
    never_started = replace(played, fault_turns={"ghost2": 0})
    assert results_of(crashed_later) == results | {"cat": results["bob"]}
    assert results_of(never_started) == results
    assert standing_of("cat", never_started).won == 0


def test_of_two_bots_that_did_not_start_both_have_lost():
    absent = {"explorer": Ending.CRASHED, "mummy": Ending.CRASHED}
    played = match("duel", "ann bob", 0, 0, **absent)
    played = replace(played, fault_turns={"explorer": 0, "mummy": 0})
    assert results_of(played) == {"ann": "lost", "bob": "lost"}


def test_a_bot_in_two_roles_of_a_side_wins_once():
    one = standing_of("bob", match("classic", "ann bob bob", 0, 100, 100))
    assert (one.matches, one.won, one.drawn, one.lost) == (1, 1, 0, 0)


def test_a_bot_that_met_itself_neither_won_nor_drew_nor_lost():
    one = standing_of("ann", match("duel", "ann ann", 100, 0))
    assert (one.matches, one.won, one.drawn, one.lost) == (1, 0, 0, 0)
    assert one.points == 50


def test_alone_on_a_board_a_bot_always_wins_and_its_points_tell_how_well():
    one = standing_of("ann", match("hunt", "ann", 30))
    assert (one.won, one.points) == (1, 30)


def test_forfeits_are_counted_by_match_and_the_ending_of_the_first_fault():
    """A bot that plays both ghosts has two seats in a match, and forfeits it once."""
    both = match("classic", "ann bob bob", 100, 0, 0, ghost1=Ending.CRASHED, ghost2=Ending.TIMEOUT)
    one = standing_of(
        "bob",
        both,
        replace(both, fault_turns={"ghost1": 9, "ghost2": 3}),
        match("classic", "ann bob bob", 100, 0, 0, ghost2=Ending.GARBLED),
        match("duel", "ann bob", 100, 0, mummy=Ending.CRASHED),
    )
    assert one.endings == {Ending.CRASHED: 2, Ending.TIMEOUT: 1, Ending.GARBLED: 1}
    assert one.forfeits == one.matches == 4
    assert standing_of("ann", match("duel", "ann bob", 100, 0, mummy=Ending.CRASHED)).forfeits == 0


def test_equal_points_share_a_rank_and_stand_by_name():
    played = [
        match("hunt", name, score)
        for name, score in (("dan", 50), ("cat", 90), ("bob", 50), ("ann", 10))
    ]
    assert table(*played) == [(1, "cat"), (2, "bob"), (2, "dan"), (4, "ann")]


def tenths(bot: str, hunt: int, explorer: int, mummy: int) -> list[Played]:
    """Ten matches in each role, with these tenths as mean scores."""
    return [
        match(
            board,
            bots,
            *((1, 0) if place < tenth and role == 0 else (0, int(place < tenth)))[
                : len(bots.split())
            ],
        )
        for tenth, board, bots, role in (
            (hunt, "hunt", bot, 0),
            (explorer, "duel", f"{bot} cat", 0),
            (mummy, "duel", f"cat {bot}", 1),
        )
        for place in range(10)
    ]


def test_equal_is_exact():
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    played = [*tenths("ann", 1, 2, 3), *tenths("bob", 3, 2, 1)]
    assert table(*played, bots="ann bob") == [(1, "ann"), (1, "bob")]
    assert standing_of("ann", *played).points == 0.2


def test_bots_that_never_played_come_last_without_rank_or_points():
    assert table(match("hunt", "cat", 0)) == [
        (1, "cat"),
        (None, "ann"),
        (None, "bob"),
        (None, "dan"),
    ]
    one = standing_of("ann", match("hunt", "cat", 0))
    assert (one.points, one.matches, one.boards, one.roles) == (None, 0, {}, {})


def test_a_bot_outside_the_event_has_no_row_but_counts_as_an_opponent():
    assert table(match("duel", "ann old", 100, 0), bots="ann") == [(1, "ann")]


def test_no_bots_and_no_matches_are_no_standings():
    assert standings([], []) == ()


def test_teammates_do_not_meet_and_both_ghosts_in_one_hand_are_one_opponent():
    met = dict(meetings(match("classic", "ann bob bob", 70, 30, 20)))
    label = "pacman/classic"
    assert met == {
        (label, "pacman", "ann", "bob"): 70,
        (label, "ghost1", "bob", "ann"): 30,
        (label, "ghost2", "bob", "ann"): 20,
    }
    assert len(list(meetings(match("classic", "ann bob cat", 1, 2, 3)))) == 4
    assert list(meetings(match("hunt", "ann", 1))) == []


names = st.sampled_from(["ann", "bob", "cat", "dan"])
boards = st.sampled_from(list(SIDES))


@st.composite
def any_match(draw: st.DrawFn) -> Played:
    board = draw(boards)
    size = sum(map(len, SIDES[board]))
    bots = " ".join(draw(st.lists(names, min_size=size, max_size=size)))
    return match(board, bots, *draw(st.lists(st.integers(0, 100), min_size=size, max_size=size)))


@settings(max_examples=30)
@given(st.lists(any_match(), max_size=30), st.integers())
def test_the_order_of_matches_changes_nothing(played, seed):
    shuffled = played.copy()
    random.Random(seed).shuffle(shuffled)
    assert standings(["ann", "bob", "cat"], played) == standings(["cat", "ann", "bob"], shuffled)


@settings(max_examples=30)
@given(st.lists(any_match(), max_size=30))
def test_points_agree_with_their_definition(played):
    for standing in standings(["ann", "bob", "cat", "dan"], played):
        scores: dict[tuple[str, str], list[int]] = {}
        for each in played:
            for role, bot in each.seats.items():
                if bot == standing.bot:
                    scores.setdefault((each.label, role), []).append(each.scores[role])
        means = [Fraction(sum(some), len(some)) for some in scores.values()]
        assert standing.points == (float(sum(means) / len(means)) if means else None)
        assert (
            standing.won + standing.drawn + standing.lost
            <= standing.matches
            == sum(standing.bot in each.seats.values() for each in played)
        )
