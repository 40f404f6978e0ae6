"""Who meets whom in a Swiss and in a knockout, with results that dice decide."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.event.schedules import knockout, ladder, swiss
from arena.event.schedules._pairings import leagues, seeded
from tests.support import paired
from tests.support.paired import DUEL, HUNT, Run, bot, event, simulate

NEVER = [
    (name, module)
    for name, module in (("swiss", swiss), ("knockout", knockout), ("ladder", ladder))
]


def met_at(*pairs):
    """How often two bots met, in both orders: once for each of these pairs."""
    return Counter([*pairs, *(pair[::-1] for pair in pairs)])


def all_pairings(bots: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair these bots."""
    if not bots:
        yield []
        return
    one, *others = bots
    for other in others:
        for rest in all_pairings(tuple(each for each in others if each != other)):
            yield [(one, other), *rest]


# Swiss: pairing


def test_the_upper_half_meets_the_lower_half_in_the_first_round():
    assert swiss.paired([0] * 6, met_at(), [0] * 6) == ([(0, 3), (1, 4), (2, 5)], None)


@pytest.mark.parametrize(
    ("forbidden", "lower"),
    [
        ([], [3, 4, 5]),
        ([(1, 4)], [3, 5, 4]),
        ([(1, 4), (1, 5)], [4, 3, 5]),
        ([(0, 3), (1, 3)], [4, 5, 3]),
        ([(0, 3), (0, 4)], [5, 3, 4]),
        ([(0, 3), (0, 4), (1, 3)], [5, 4, 3]),
    ],
)
def test_transpositions_are_tried_in_the_order_of_fides_handbook(forbidden, lower):
    """C.04.3 article 4.2.2: S2 is transposed in lexicographic order; of 4, 5, 6: 456, 465, 546,
    564, 645, 654.
    """
    pairs, _ = swiss.paired([0] * 6, met_at(*forbidden), [0] * 6)
    assert pairs == [*zip(range(3), lower, strict=True)]


def test_bots_of_one_half_meet_only_where_no_transposition_helps():
    """FIDE's first exchange in a bracket of six is of 3 and 4: 1-4, 2-5 and 3-6 become 1-3, 2-5 and
    4-6.
    """
    pairs, _ = swiss.paired([0] * 6, met_at((0, 3), (0, 4), (0, 5)), [0] * 6)
    assert pairs == [(0, 2), (1, 4), (3, 5)]


def test_an_odd_group_floats_its_last_bot_which_meets_the_first_of_the_next_group():
    assert swiss.paired([2, 2, 2, 0, 0, 0], met_at(), [0] * 6) == ([(0, 1), (2, 3), (4, 5)], None)


def test_a_group_gives_up_a_pair_where_the_rest_could_not_be_paired_otherwise():
    pairs, _ = swiss.paired([2, 2, 2, 2, 0, 0], met_at((4, 5)), [0] * 6)
    assert pairs == [(0, 1), (2, 4), (3, 5)]


def test_as_many_of_a_group_as_can_meet_each_other():
    """The first choice of bot 0 would leave bots 1 and 2, which have met."""
    pairs, _ = swiss.paired([2, 2, 2, 2, 0, 0], met_at((0, 2), (1, 3), (1, 2)), [0] * 6)
    assert pairs == [(0, 1), (2, 3), (4, 5)]


def test_a_bye_goes_to_the_lowest_score_and_there_to_the_lowest_seed_without_a_bye():
    assert swiss.paired([2, 2, 0, 0, 0], met_at(), [0] * 5) == ([(0, 1), (2, 3)], 4)
    assert swiss.paired([2, 2, 0, 0, 0], met_at(), [0, 0, 0, 0, 1])[1] == 3
    assert swiss.paired([2, 2, 0, 0, 0], met_at((0, 1), (0, 2), (0, 4)), [0] * 5)[1] == 4


@pytest.mark.parametrize(
    ("down", "up", "expected"),
    [
        ([0, 0, 2, 0, 0, 0], [0] * 6, [(0, 2), (1, 3), (4, 5)]),
        ([0, 1, 2, 0, 0, 0], [0] * 6, [(1, 2), (0, 3), (4, 5)]),
        ([2, 1, 2, 0, 0, 0], [0] * 6, [(0, 2), (1, 3), (4, 5)]),
        ([2, 2, 2, 0, 0, 0], [0] * 6, [(0, 1), (2, 3), (4, 5)]),
        ([0] * 6, [0, 0, 0, 2, 0, 0], [(0, 1), (2, 4), (3, 5)]),
        ([0] * 6, [0, 0, 0, 2, 3, 1], [(0, 1), (2, 5), (3, 4)]),
    ],
)
def test_who_floated_in_the_last_two_rounds_floats_again_only_if_nobody_else_can(
    down, up, expected
):
    pairs, _ = swiss.paired([2, 2, 2, 0, 0, 0], met_at(), [0] * 6, swiss.Floats(down, up))
    assert pairs == expected


def test_a_bot_floats_again_where_the_rest_could_not_be_paired_otherwise():
    met = met_at((0, 3), (1, 3), (0, 4), (1, 4), (0, 5), (1, 5))
    pairs, _ = swiss.paired(
        [2, 2, 2, 0, 0, 0], met, [0] * 6, swiss.Floats([0, 0, 2, 0, 0, 0], [0] * 6)
    )
    assert pairs == [(0, 1), (2, 3), (4, 5)]


def test_a_bye_does_not_go_to_a_bot_that_floated_down_in_the_last_round():
    floats = swiss.Floats([0, 0, 0, 0, 2], [0] * 5)
    assert swiss.paired([2, 2, 0, 0, 0], met_at(), [0] * 5, floats)[1] == 3
    assert (
        swiss.paired([2, 2, 2, 2, 0], met_at(), [0] * 5, floats)[1] == 4
    )  # no other has so few points


def test_in_events_few_bots_float_twice_in_a_row(monkeypatch):
    def floated_again(seed):
        """How many bots floated down, or up, in two rounds in a row."""
        cup = event("swiss", 33, rounds=7)
        run = simulate(cup, swiss, seed=seed, draws=0.2)
        again, before = 0, (set(), set())
        for number, pairs in enumerate(run.pairs):
            points = {row.bot: row.points for row in swiss.placings(cup, run.batches[:number])}
            down = set(points).difference(*pairs)
            up = set()
            for lower, higher in (sorted(pair, key=points.__getitem__) for pair in pairs):
                if points[lower] < points[higher]:
                    up.add(lower)
                    down.add(higher)
            again += len(down & before[0]) + len(up & before[1])
            before = down, up
        return again

    seeds = (1, 2)
    few = [floated_again(seed) for seed in seeds]
    paired_without = swiss.paired
    monkeypatch.setattr(
        swiss, "paired", lambda points, met, byes, _floats: paired_without(points, met, byes)
    )
    assert sum(few) < 0.5 * sum(floated_again(seed) for seed in seeds)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_no_two_bots_meet_again_while_all_can_be_paired_without(data):
    count = data.draw(st.integers(2, 7), label="bots")
    points = data.draw(st.lists(st.integers(0, 6), min_size=count, max_size=count), label="points")
    byes = data.draw(st.lists(st.integers(0, 1), min_size=count, max_size=count), label="byes")
    met = data.draw(st.sets(st.sampled_from([*combinations(range(count), 2)])), label="met")
    times = met_at(*met)
    weights = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    floats = swiss.Floats(data.draw(weights, label="down"), data.draw(weights, label="up"))
    pairs, bye = swiss.paired(points, times, byes, floats)
    entered = sorted(bot for pair in pairs for bot in pair)
    assert sorted([*entered, *([] if bye is None else [bye])]) == [*range(count)]
    assert bye is None or byes[bye] == min(byes)
    fair = [bot for bot in range(count) if byes[bot] == min(byes)] if count % 2 else [None]
    fresh = any(
        all(not times[pair] for pair in pairing)
        for absent in fair
        for pairing in all_pairings(tuple(bot for bot in range(count) if bot != absent))
    )
    assert fresh == all(not times[pair] for pair in pairs)


# Swiss: events


@pytest.mark.parametrize("count", [2, 7, 8, 33, 128])
def test_a_swiss_has_its_rounds_without_repeats_with_fair_byes_and_balanced_roles(count):
    cup = event("swiss", count)
    run = simulate(cup, swiss, draws=0.2)
    assert len(run.plan) == swiss.rounds(cup) == math.ceil(math.log2(count))
    assert sum(map(len, run.plan)) == sum(swiss.count(cup).values())
    met = Counter(pair for pairs in run.pairs for pair in pairs)
    assert set(met.values()) == {1}
    assert {len(pairs) for pairs in run.pairs} == {count // 2}
    roles = Counter(
        (seat.bot.name, seat.role) for batch in run.plan for match in batch for seat in match.seats
    )
    assert all(roles[each.name, "fox"] == roles[each.name, "dog"] for each in cup.bots)
    rows = swiss.placings(cup, run.batches)
    assert {row.byes for row in rows} <= {0, 1}
    assert sum(row.byes for row in rows) == count % 2 * len(run.plan)
    assert sum(row.points for row in rows) == (count + count % 2) // 2 * len(run.plan)


def test_nobody_has_a_second_bye_before_all_have_one():
    run = simulate(event("swiss", 5, rounds=5), swiss, draws=0.3)
    byes = Counter(row.byes for row in swiss.placings(run.event, run.batches))
    assert byes == {1: 5}


def test_bots_of_equal_score_meet_in_a_large_field():
    cup = event("swiss", 64)
    run = simulate(cup, swiss)
    for number in range(1, len(run.plan)):
        points = {row.bot: row.points for row in swiss.placings(cup, run.batches[:number])}
        apart = Counter(
            abs(points[one] - points[other]) for one, other in map(tuple, run.pairs[number])
        )
        assert apart[Fraction(0)] >= 26, (
            apart
        )  # of 32: at most one pair in each of at most six groups floats
        assert max(apart) <= 1


def test_a_bye_counts_as_a_win_and_stands_in_the_table():
    cup = event("swiss", 3)
    wins = {"bot000": 9.0, "bot001": 0.0, "bot002": -9.0}
    run = Run(cup, swiss, lambda match: paired.result(match, DUEL.sides, wins)).go_on()
    assert run.pairs == [[{"bot000", "bot001"}], [{"bot000", "bot002"}]]
    rows = [
        (row.place, row.bot, row.points, row.won, row.lost, row.byes)
        for row in swiss.placings(cup, run.batches)
    ]
    assert rows == [(1, "bot000", 2, 2, 0, 0), (2, "bot001", 1, 0, 1, 1), (2, "bot002", 1, 0, 1, 1)]


def test_bots_that_must_meet_again_do_so_with_new_seeds():
    cup = event("swiss", 6, rounds=5, repeats=2)
    history = []
    for pairs in (
        [(0, 1), (2, 3), (4, 5)],
        [(0, 3), (2, 5), (4, 1)],
        [(0, 5), (2, 1), (4, 3)],
    ):  # two triangles are left
        bots = seeded(cup)
        matches = [
            match for a, b in pairs for match in swiss.pairing(cup, bots[a], bots[b], range(2))
        ]
        history.append(
            tuple(paired.result(match, DUEL.sides, paired.strengths(cup)) for match in matches)
        )
    matches = list(swiss.batch(cup, 3, history))
    before = {match.id for batch in history for match in batch}
    assert len(matches) == 12
    assert {match.repeat for match in matches} == {0, 1, 2, 3}
    assert not before & {match.id for match in matches}


def test_more_rounds_than_opponents_are_refused():
    with pytest.raises(ArenaError, match=r"^rounds: 8 bots of maze play at most 7 rounds of Swiss"):
        swiss.count(event("swiss", 8, rounds=8))
    assert swiss.rounds(event("swiss", 9, rounds=9)) == 9


def test_the_higher_sum_of_scores_wins_a_pairing_by_the_best_role_of_a_side():
    hunt = replace(HUNT, game="maze")
    cup = event("swiss", 2, boards=(DUEL, hunt))
    scores = {
        ("fox", "dog"): (60, 40),
        ("hare", "cat", "dog"): (70, 10, 30),
    }  # in each match, whoever has the roles

    def play(match):
        roles = tuple(seat.role for seat in match.seats)
        sides = DUEL.sides if match.label == DUEL.label else hunt.sides
        result = paired.result(match, sides, paired.strengths(cup))
        better = int(
            match.label == hunt.label and match.seats[1].bot.name == "bot001"
        )  # one point in one match
        return replace(
            result,
            scores=dict(zip(roles, scores[roles], strict=True))
            | {roles[-1]: scores[roles][-1] + better},
        )

    run = Run(cup, swiss, play).go_on()
    assert [(row.bot, row.points) for row in swiss.placings(cup, run.batches)] == [
        ("bot001", 1),
        ("bot000", 0),
    ]


# Knockout


def test_the_brackets_are_the_usual_ones_of_8_and_16():
    """First rounds as in the draws of 8 and 16
    (https://tournamentbracketmaker.com/how-bracket-seeding-works).
    """

    def first(size):
        order = [seed + 1 for seed in knockout.bracket(size)]
        return {frozenset(order[at : at + 2]) for at in range(0, size, 2)}, order

    assert first(8)[0] == {frozenset(pair) for pair in [(1, 8), (4, 5), (3, 6), (2, 7)]}
    pairs, order = first(16)
    published = [(1, 16), (8, 9), (5, 12), (4, 13), (6, 11), (3, 14), (7, 10), (2, 15)]
    assert pairs == {frozenset(pair) for pair in published}
    quarters = [{1, 16, 8, 9}, {5, 12, 4, 13}, {6, 11, 3, 14}, {7, 10, 2, 15}]
    assert {frozenset(order[at : at + 4]) for at in range(0, 16, 4)} == set(
        map(frozenset, quarters)
    )
    assert {*order[:8]} == quarters[0] | quarters[1]


@pytest.mark.parametrize("count", [2, 7, 8, 33, 128])
def test_a_knockout_has_its_rounds_and_one_winner(count):
    cup = event("knockout", count)
    run = simulate(cup, knockout, draws=0.2)
    rows = knockout.placings(cup, run.batches)
    total = math.ceil(math.log2(count))
    assert knockout.rounds(cup) == total == max(row.out or 0 for row in rows)
    assert [row.place for row in rows[:2]] == [1, 2]
    assert sum(row.lost for row in rows) == sum(row.won for row in rows) == count - 1
    assert sum(row.byes for row in rows) == 2**total - count
    assert {row.points for row in rows if row.out is None} == {total}
    assert len({pair for pairs in run.pairs for pair in pairs}) == count - 1
    assert 2 * (count - 1) <= len(run.disk) <= sum(knockout.count(cup).values())


def test_the_better_always_advances_to_the_final_and_the_best_seeds_have_the_byes():
    cup = event("knockout", 7)
    wins = {each.name: -100.0 * number for number, each in enumerate(cup.bots)}
    run = Run(cup, knockout, lambda match: paired.result(match, DUEL.sides, wins)).go_on()
    names = [
        [tuple(sorted(int(name[3:]) for name in pair)) for pair in pairs] for pairs in run.pairs
    ]
    assert names == [[(3, 4), (1, 6), (2, 5)], [(0, 3), (1, 2)], [(0, 1)]]
    assert [(row.place, row.bot[3:]) for row in knockout.placings(cup, run.batches)] == [
        (1, "000"),
        (2, "001"),
        (3, "002"),
        (3, "003"),
        (5, "004"),
        (5, "005"),
        (5, "006"),
    ]


def test_level_pairings_have_deciders_with_new_seeds_until_the_better_seed_advances():
    cup = event("knockout", 4, repeats=2)
    strength = paired.strengths(cup)
    run = Run(
        cup, knockout, lambda match: paired.result(match, DUEL.sides, strength, draws=1.0)
    ).go_on()
    repeats = [sorted({match.repeat for match in batch}) for batch in run.plan]
    assert repeats == [[0, 1], [2], [3], [4]] * 2
    assert [row.bot for row in knockout.placings(cup, run.batches)][:2] == ["bot000", "bot001"]
    assert len(run.disk) == sum(knockout.count(cup).values())


def test_only_level_pairings_have_a_decider():
    cup = event("knockout", 4)
    strength = {"bot000": 99.0, "bot001": 0.0, "bot002": -99.0, "bot003": 0.0}

    def play(match):
        drawn = "bot003" in {seat.bot.name for seat in match.seats} and match.repeat == 0
        return paired.result(match, DUEL.sides, strength, draws=float(drawn))

    run = Run(cup, knockout, play).go_on()
    assert run.pairs[:2] == [[{"bot000", "bot003"}, {"bot001", "bot002"}], [{"bot000", "bot003"}]]
    assert len(run.plan) == 3


def test_a_knockout_that_is_asked_for_rounds_says_that_it_needs_none():
    with pytest.raises(
        ArenaError, match=r"^rounds: a knockout of 8 bots always has 3: leave `rounds` out"
    ):
        knockout.count(event("knockout", 8, rounds=2))


# All of them


def test_seeds_are_those_of_the_organiser_then_drawn_whatever_the_names():
    cup = event("knockout", 20, seed_order=("bot007", "bot003"))
    order = [each.name for each in seeded(cup)]
    assert order[:2] == ["bot007", "bot003"]
    assert order[2:] != sorted(order[2:])
    assert order == [each.name for each in seeded(replace(cup, bots=cup.bots[::-1]))]
    others = [name for name in order if name != "bot011"]
    assert others == [
        each.name for each in seeded(event("knockout", [b for b in cup.bots if b.name != "bot011"]))
    ] or (
        others
        == [
            each.name
            for each in seeded(replace(cup, bots=tuple(b for b in cup.bots if b.name != "bot011")))
        ]
    )
    assert order != [each.name for each in seeded(replace(cup, seed=6))]


@pytest.mark.parametrize(("name", "schedule"), NEVER)
def test_a_pairing_is_all_legs_on_all_boards_with_one_seed_a_board(name, schedule):
    cup = event(name, 2, boards=(DUEL, HUNT))
    matches = list(schedule.batch(cup, 0, []))
    seats = [(match.label, *(seat.bot.name for seat in match.seats)) for match in matches]
    one, other = seats[0][1:]
    assert seats[:4] == [
        ("maze/duel", one, other),
        ("maze/duel", other, one),
        ("park/hunt", one, other, other),
        ("park/hunt", other, one, one),
    ]
    assert all(len({match.seed for match in matches[at : at + 2]}) == 1 for at in (0, 2))
    assert len({match.id for match in matches}) == len(matches)


@pytest.mark.parametrize(("name", "schedule"), NEVER)
def test_boards_that_do_not_seat_two_are_refused_in_one_line(name, schedule):
    three = event(name, 4, boards=(HUNT,), seating="distinct")
    with pytest.raises(
        ArenaError,
        match=rf"^schedule: '{name}' pairs two bots, and park/hunt seats 3 of them: say seat",
    ):
        schedule.count(three)
    with pytest.raises(ArenaError, match="park/hunt seats 3"):
        list(schedule.batch(three, 0, []))
    solo = replace(DUEL, roles=("fox",), sides=(("fox",),))
    with pytest.raises(
        ArenaError, match=r'maze/duel seats 1 of them: say schedule = "round_robin"'
    ):
        schedule.count(event(name, 4, boards=(solo,)))
    together = replace(DUEL, sides=(("fox", "dog"),))
    with pytest.raises(ArenaError, match="on maze/duel both are on one side: say schedule"):
        schedule.count(event(name, 4, boards=(together,), seating="distinct"))


@pytest.mark.parametrize(("name", "schedule"), NEVER[:2])
def test_a_bot_of_one_role_is_refused_where_all_must_play_all(name, schedule):
    cup = event(name, [bot("a"), bot("b"), bot("cat", roles=("fox",))])
    with pytest.raises(
        ArenaError,
        match=(
            rf"^schedule: '{name}' needs bots that play every board and role of a game, and "
            r"'cat' pla"
        ),
    ):
        schedule.count(cup)


@pytest.mark.parametrize(("name", "schedule"), NEVER[:2])
def test_each_game_has_a_swiss_or_a_bracket_of_its_own_among_the_bots_that_play_it(name, schedule):
    both = [bot(f"both{number}", games=("maze", "park")) for number in range(2)]
    mazes, lonely = (
        [bot(f"maze{number}", games=("maze",)) for number in range(7)],
        replace(DUEL, game="lake"),
    )
    others = bot("park", games=("park",)), bot("solo", games=("lake",), roles=("fox",))
    cup = event(name, [*both, *mazes, *others], boards=(DUEL, HUNT, lonely))
    sides, strength = {board.label: board.sides for board in cup.boards}, paired.strengths(cup)

    def play(match):
        return paired.result(match, sides[match.label], strength, draws=0.3)

    whole, planned = Run(cup, schedule, play).go_on(), schedule.count(cup)
    assert planned[lonely.label] == 0  # its only bot meets nobody
    alone = {game: Run(cup.league(game), schedule, play).go_on() for game in ("maze", "park")}
    for game, run in alone.items():
        part = [[match.id for match in batch if match.game == game] for batch in whole.plan]
        assert [ids for ids in part if ids] == run.ids
        assert planned | schedule.count(run.event) == planned
    assert len(alone["park"].plan) < len(whole.plan) == max(len(run.plan) for run in alone.values())
    batches = {league.games[0]: own for league, own in leagues(cup, whole.batches)}
    assert batches == {game: run.batches for game, run in alone.items()}
    places = {game: schedule.placings(run.event, run.batches) for game, run in alone.items()}
    assert [sorted(row.bot for row in rows) for rows in places.values()] == [
        [*(each.name for each in both), *(each.name for each in mazes)],
        ["both0", "both1", "park"],
    ]
    for cut in range(0, len(whole.disk), 5):
        stored = Run(cup, schedule, play, order=cut).go_on(cut).disk
        assert Run(cup, schedule, play, stored, order=cut + 1).go_on().ids == whole.ids


@pytest.mark.parametrize(
    ("schedule", "more"),
    [(swiss, {"rounds": 5}), (knockout, {}), (ladder, {"rounds": 4})],
    ids=["swiss", "knockout", "ladder"],
)
def test_an_event_of_33_bots_has_the_same_matches_wherever_it_is_cut_and_resumed(schedule, more):
    cup = event(schedule.__name__.rpartition(".")[2], 33, **more)
    whole = simulate(cup, schedule, order=1, draws=0.2)
    total = len(whole.disk)

    class Remembered:
        """The schedule, which is asked only once for a batch after the same results: there are many
        cuts.
        """

        BEHIND = schedule.BEHIND
        known: ClassVar = {}

        @classmethod
        def batch(cls, event, number, history):
            key = number, tuple(match.id for batch in history for match in batch)
            if key not in cls.known:
                cls.known[key] = tuple(schedule.batch(event, number, history))
            return cls.known[key]

    for cut in range(total + 1):
        asked = schedule if cut in (total // 3, len(whole.plan[0])) else Remembered
        stored = Run(cup, asked, lambda match: whole.disk[match.id], order=cut + 2).go_on(cut).disk
        assert len(stored) == cut
        resumed = Run(cup, asked, lambda match: whole.disk[match.id], stored, order=cut + 3).go_on()
        assert resumed.ids == whole.ids
        assert (
            resumed.disk == whole.disk
        )  # so all tables are the same: none depends on the order of finishing
    assert (
        len(Remembered.known) == len(whole.plan) + 1
    )  # nobody asked after other results than these
