"""The plan of an event: whatever is on disk, in whatever order it came there, it has the same
matches.
"""

import random
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, islice
from types import SimpleNamespace

import pytest

from arena.cli import leaderboard_text
from arena.event import plan, schedules, stopping
from arena.event.plan import Plan
from arena.event.plan_key import plan_key
from arena.event.schedules import gauntlet, round_robin
from arena.event.stopping import StopRule
from arena.results.archive import Archive
from arena.results.leaderboard import Results, stop_words
from arena.results.ranked import ranked_bots
from arena.values import Bot, OpenRanks, Stop
from tests.support import stored

SKILL = ("ann", "bob", "cat", "dan")


def winners_meet(behind):
    """A schedule of four batches: the best bots so far meet; the last batch is one match."""

    def batch(event, number, history):
        assert len(history) == max(0, number - behind)
        points = Counter({bot.name: 0 for bot in event.bots})
        for results in history:
            for played in results:
                for role, name in played.seats.items():
                    points[name] += played.scores[role]
        best = sorted(event.bots, key=lambda bot: (-points[bot.name], bot.name))
        if number < 4:
            for pair in islice(combinations(best, 2), 3 if number < 3 else 1):
                yield event.match(event.boards[0], pair, number)
                yield event.match(event.boards[0], pair[::-1], number)

    return SimpleNamespace(
        BEHIND=behind, batch=batch, count=lambda event: {event.boards[0].label: 20}
    )


def play_on(event, folder, cut, order):
    """Play the event in any order until `cut` more matches are stored; return the plan."""
    with Archive.open(folder, writing=True) as archive:
        walked = Plan(event, archive)
        due, begun, played = walked.due(), [], 0
        while played < cut:
            while len(begun) < 5 and (match := next(due, None)) is not None:
                begun.append(match)
            if not begun:
                break
            done = begun.pop(order.randrange(len(begun)))
            archive.append(stored.likely(done, SKILL, 2))
            walked.done(done.id)
            played += 1
        return walked, [walked.ids(batch) for batch in range(len(walked._ids))]


@pytest.mark.parametrize("behind", [0, 1])
def test_cut_anywhere_an_event_goes_on_with_the_same_matches(tmp_path, monkeypatch, behind):
    monkeypatch.setattr(schedules, "find", lambda _: winners_meet(behind))
    event = stored.event(*SKILL, boards=[stored.DUEL])
    whole, matches = play_on(event, tmp_path / "whole", 99, random.Random(0))
    assert whole.complete
    assert list(map(len, matches)) == [6, 6, 6, 2]
    for cut in range(1, 20, 6):
        folder = tmp_path / str(cut)
        first, _ = play_on(event, folder, cut, random.Random(cut))
        assert not first.complete
        assert play_on(event, folder, 99, random.Random(-cut))[1] == matches
    with Archive.open(tmp_path / "whole") as archive:
        assert [match.id for match in Plan(event, archive).stored()] == [
            *chain.from_iterable(matches)
        ]


def test_a_missing_match_holds_back_the_batches_that_need_it(tmp_path, monkeypatch):
    event = stored.event(*SKILL, boards=[stored.DUEL])
    for behind, reached in ((0, 6), (1, 12)):
        monkeypatch.setattr(schedules, "find", lambda _, behind=behind: winners_meet(behind))
        with Archive.open(tmp_path / str(behind), writing=True) as archive:
            walked = Plan(event, archive)
            for number, match in enumerate(walked.due(), 1):
                if match is None:
                    break
                if number != 3:  # the third match is given up
                    archive.append(stored.likely(match, SKILL, 2))
                    walked.done(match.id)
            assert (walked.walked, walked.complete) == (reached, False)


def test_a_thousand_bots_are_planned_lazily():
    """The first matches of four million take no memory for the others."""
    bots = tuple(
        Bot(name=f"bot{number:04}", command=("x",), digest=str(number)) for number in range(1000)
    )
    event = replace(stored.event(boards=[stored.DUEL, stored.CLASSIC], repeats=2), bots=bots)
    assert sum(round_robin.count(event).values()) == 2 * 2 * 1000 * 999
    archive = SimpleNamespace(stored=lambda _: set())
    tracemalloc.start()
    assert sum(1 for _ in islice(Plan(event, archive).walk(), 300)) == 300
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


def test_stored_matches_are_looked_for_no_further_than_the_last_of_them(tmp_path):
    """A duel plans thousands of matches and is decided after a few."""
    event = stored.event("ann", "bob", boards=[stored.DUEL], repeats=10**9)
    first, second = islice(stored.plan(event), 2)
    folder = stored.store(
        tmp_path / "cup", event, [stored.played(second), stored.played(first)], []
    )
    with Archive.open(folder, writing=True) as archive:
        assert list(Plan(event, archive).stored()) == [first, second]
        stored.begin(archive, event, [first.id])  # as after an event with another plan
        assert list(Plan(event, archive).stored()) == [first, second]
    with Archive.open(tmp_path / "fresh", writing=True) as archive:
        assert list(Plan(event, archive).stored()) == []


def test_the_key_changes_with_what_the_plan_depends_on_and_with_nothing_else():
    event = stored.event("ann", "bob")
    same = replace(event, name="other", tie_breaks=("wins",), rating="elo", stop_after=9.0)
    moved = replace(event, bots=tuple(replace(bot, files="/x", display="X") for bot in event.bots))
    assert plan_key(event) == plan_key(same) == plan_key(moved)
    others = [
        replace(event, repeats=2),
        replace(event, rounds=1),
        replace(event, max_matches=3),
        replace(event, stop_when=stopping.BEST),
        replace(event, stop_when=stopping.BEST, rating="elo"),
        replace(event, bots=(event.bots[0], replace(event.bots[1], digest="edited"))),
        replace(event, schedule="gauntlet", references=("ann",)),
    ]
    assert len({plan_key(each) for each in (event, *others)}) == 8


def seats_of(matches):
    return [tuple(seat.bot.name for seat in match.seats) for match in matches]


@pytest.mark.parametrize("size", [2, 5, 6, 9])
@pytest.mark.parametrize("rounds", [1, 2, 4, 99])
def test_in_a_partial_round_robin_each_bot_meets_so_many_others_in_each_role(size, rounds):
    event = replace(
        stored.event(*"abcdefghi"[:size], boards=[stored.DUEL], repeats=2), rounds=rounds
    )
    matches = list(round_robin.batch(event, 0, ()))
    assert round_robin.count(event) == Counter(match.label for match in matches)
    assert len({match.id for match in matches}) == len(matches)
    times = Counter(seats_of(matches))
    assert set(times.values()) == {2}  # each pair that meets does so once a repeat in each role
    assert all((other, one) in times for one, other in times)
    met = Counter(one for one, _ in times)
    whole = min(rounds, size - 1)
    if size % 2:  # somebody sits out each round, another one each time
        whole = min(rounds, size)
        assert sum(met.values()) == whole * (size - 1)
        assert {met[bot.name] for bot in event.bots} <= {whole - 1, whole}
    else:
        assert {met[bot.name] for bot in event.bots} == {whole}
    seeds = {(frozenset(seats_of([match])[0]), match.repeat): match.seed for match in matches}
    assert all(
        match.seed == seeds[frozenset(seats_of([match])[0]), match.repeat] for match in matches
    )


def test_more_rounds_play_the_earlier_ones_again_and_all_of_them_are_a_round_robin():
    event = stored.event(*"abcdef", boards=[stored.DUEL, stored.CLASSIC, stored.HUNT])
    ids = [
        {match.id for match in round_robin.batch(replace(event, rounds=rounds), 0, ())}
        for rounds in (1, 2, 5, None)
    ]
    assert ids[0] < ids[1] < ids[2] == ids[3]


def test_rounds_of_larger_tables_seat_all_bots_alike():
    event = replace(stored.event(*"abcdefg", boards=[stored.CLASSIC]), seating="distinct", rounds=7)
    matches = list(round_robin.batch(event, 0, ()))
    assert round_robin.count(event) == Counter(match.label for match in matches)
    sat = Counter(name for names in seats_of(matches) for name in names)
    assert len(sat) == 7
    assert max(sat.values()) - min(sat.values()) <= 6  # one table of six seatings
    tables = Counter(frozenset(names) for names in seats_of(matches))
    assert set(tables.values()) == {6}


def test_in_a_gauntlet_challengers_meet_references_only():
    event = replace(
        stored.event(*"abcd", boards=[stored.DUEL, stored.HUNT]),
        schedule="gauntlet",
        references=("a", "b"),
    )
    matches = list(gauntlet.batch(event, 0, ()))
    assert gauntlet.count(event) == Counter(match.label for match in matches)
    duels = Counter(seats_of(match for match in matches if match.board == "duel"))
    assert duels == Counter(
        pair for one in "cd" for other in "ab" for pair in ((one, other), (other, one))
    )
    assert sorted(seats_of(match for match in matches if match.board == "hunt")) == [
        ("a",),
        ("b",),
        ("c",),
        ("d",),
    ]
    wide = replace(event, boards=(stored.CLASSIC,), seating="distinct")
    assert {len({"c", "d"} & set(names)) for names in seats_of(gauntlet.batch(wide, 0, ()))} == {1}
    assert sum(gauntlet.count(wide).values()) == 2 * 6


def test_an_event_stops_at_the_same_match_wherever_it_was_cut(tmp_path):
    event = replace(
        stored.event(*SKILL, boards=[stored.DUEL], repeats=30), stop_when=stopping.ORDER
    )
    whole, matches = play_on(event, tmp_path / "whole", 999, random.Random(0))
    assert (whole.complete, whole.ended_by) == (True, "stop_when")
    assert 12 <= whole.walked < 360
    assert whole.walked % 12 == 0  # after a whole repeat
    assert whole.open_ranks() == ()
    play_on(event, tmp_path / "cut", 17, random.Random(1))
    assert play_on(event, tmp_path / "cut", 999, random.Random(2))[1] == matches


def test_max_matches_ends_the_plan_and_the_counts_say_so(tmp_path):
    event = replace(stored.event(*SKILL, boards=[stored.HUNT, stored.DUEL]), max_matches=7)
    whole, _ = play_on(event, tmp_path, 99, random.Random(0))
    assert (whole.walked, whole.complete, whole.ended_by) == (7, True, "max_matches")
    assert plan.counts(event) == {"mummy_maze/hunt": 4, "mummy_maze/duel": 3}
    assert schedules.total(event) == 7
    exact = replace(event, max_matches=16)
    assert play_on(exact, tmp_path, 99, random.Random(0))[0].ended_by == "plan"


def test_bots_of_equal_strength_and_bots_that_repeat_themselves_are_never_certain(tmp_path):
    event = replace(
        stored.event("ann", "bob", boards=[stored.DUEL], repeats=10), stop_when=stopping.ORDER
    )
    records = [
        stored.played(match, explorer=60, mummy=40, turns=1)
        for match in round_robin.batch(event, 0, ())
    ]
    folder = stored.store(tmp_path, event, records)
    with Archive.open(folder) as archive:
        walked = Plan(event, archive)
        assert sum(1 for _ in walked.walk()) == 20
        assert walked.open_ranks() == (OpenRanks(first=1, last=2, bots=("ann", "bob")),)


def test_copies_are_no_information_on_which_an_event_may_end(tmp_path):
    event = replace(
        stored.event("ann", "bob", boards=[stored.DUEL], repeats=10), stop_when=stopping.ORDER
    )
    for are_copies, matches in ((True, 2), (False, 20)):
        records = []
        for match in stored.plan(event):
            turns = 1 if are_copies else 1 + match.repeat
            records.append(stored.played(match, turns=turns, explorer=60, mummy=40))
        results = Results.open(stored.store(tmp_path / str(matches), event, records))
        names, _, counted = stopping.pairs(event, results.arrays, ranked_bots(event))
        assert names == ("ann", "bob")
        assert counted.tolist() == [[matches] * 2] * 2
        results.close()


def specialists(**games: str):
    """An event of two games; each bot plays those that are named after it, or all."""
    entered = stored.event(*SKILL, boards=[stored.DUEL, stored.CLASSIC], repeats=30)
    bots = tuple(replace(bot, games=tuple(games.get(bot.name, "").split())) for bot in entered.bots)
    return replace(entered, bots=bots, stop_when=stopping.ORDER)


def test_a_rule_waits_for_the_order_of_each_game_of_the_bots_that_have_a_rank_there(tmp_path):
    event = specialists(ann="mummy_maze", bob="pacman", cat="mummy_maze", dan="pacman")
    assert StopRule(event).open_ranks(None) == (
        OpenRanks(first=1, last=2, bots=("ann", "cat"), game="mummy_maze"),
        OpenRanks(first=1, last=2, bots=("bob", "dan"), game="pacman"),
    )
    whole, _ = play_on(event, tmp_path, 999, random.Random(0))
    assert (whole.ended_by, whole.open_ranks()) == ("stop_when", ())
    assert whole.walked < schedules.total(event)


@pytest.mark.parametrize(
    ("games", "ranked"),
    [
        pytest.param({}, {"mummy_maze": 4, "pacman": 4}, id="all play all"),
        pytest.param(
            {"cat": "pacman", "dan": "pacman"},
            {"mummy_maze": 2, "pacman": 4},
            id="some play one game",
        ),
        pytest.param(
            dict.fromkeys(SKILL[1:], "pacman"),
            {"mummy_maze": 1, "pacman": 4},
            id="a game of one bot",
        ),
    ],
)
def test_the_ranks_of_each_game_are_those_of_the_leaderboard(games, ranked):
    event = specialists(**games)
    assert {game: len(ranked_bots(event.league(game))) for game in event.games} == ranked
    waits_for = {ranks.game: len(ranks.bots) for ranks in StopRule(event).open_ranks(None)}
    assert waits_for == {game: count for game, count in ranked.items() if count > 1}


def test_where_no_bot_has_a_rank_no_rule_ends_the_event(tmp_path):
    roles = {"ann": "explorer", "bob": "explorer", "cat": "mummy", "dan": "mummy"}
    event = stored.event(*SKILL, boards=[stored.DUEL], repeats=8)
    bots = tuple(replace(bot, roles=(roles[bot.name],)) for bot in event.bots)
    for rule in (stopping.ORDER, stopping.BEST):
        asked = replace(event, bots=bots, stop_when=rule)
        whole, _ = play_on(asked, tmp_path / rule, 999, random.Random(0))
        assert (whole.ended_by, whole.walked, whole.open_ranks()) == ("plan", 32, ())
        stop = whole.stop(late=False)
        assert (
            stop_words.sentences(stop, asked, str)[1]
            == "no bot has a rank: at least two must play all roles of a game"
        )


def test_open_ranks_are_the_runs_between_closed_gaps():
    assert stopping.runs("abcde", [True, False, False, True]) == (
        OpenRanks(first=2, last=4, bots=tuple("bcd")),
    )
    assert stopping.runs("ab", [True]) == ()
    until_best = replace(stored.event(*SKILL), stop_when=stopping.BEST)
    until_order = replace(until_best, stop_when=stopping.ORDER)
    assert StopRule(until_best).holds(stopping.runs("abc", [True, False]))
    assert not StopRule(until_order).holds(stopping.runs("abc", [True, False]))
    assert not StopRule(until_best).holds(stopping.runs("abc", [False, True]))


def test_the_end_is_told_with_the_ranks_that_are_open_and_hostile_names_do_nothing():
    event = replace(stored.event(*SKILL), stop_when=stopping.BEST, confidence=0.9, stop_after=60.0)
    open_ranks = (OpenRanks(first=2, last=8, bots=tuple("abcdefg")),)

    def end_of(rule, still_open=()):
        return stop_words.sentences(
            Stop(rule=rule, matches=1, open=still_open), event, lambda name: f"{name}\x1b"
        )

    assert end_of("stop_when", open_ranks) == (
        "the event ended after 1 match, because the best is certain at 90 % (stop_when)",
        "still open at 90 %: ranks 2 to 8 (a\\x1b, b\\x1b, c\\x1b, d\\x1b, e\\x1b and 2 more)",
    )
    assert end_of("max_matches") == (
        "the event ended after 1 match (max_matches)",
        "no rank is open at 90 %",
    )
    assert "after 60 s" in end_of("stop_after")[0]
    assert end_of("plan")[0] == "the event ended after all 1 match of its plan"


def test_the_leaderboard_says_why_the_event_ended_until_it_goes_on(tmp_path, capsys):
    event = replace(stored.event("ann", "<b>bob", boards=[stored.DUEL]), stop_when=stopping.ORDER)
    folder = stored.store(tmp_path, event, map(stored.played, stored.plan(event)))
    open_ranks = OpenRanks(first=1, last=2, bots=("<b>bob", "ann"))
    with Archive.open(folder, writing=True) as archive:
        archive.append_stop(Stop(rule="plan", matches=2, open=(open_ranks,)))
    results = Results.open(folder)
    leaderboard_text.show(results)
    shown = capsys.readouterr().err
    assert (
        "the event ended after all 2 matches of its plan\n"
        "still open at 95 %: ranks 1 to 2 (<b>bob, ann)"
    ) in shown
    results.close()
    with Archive.open(folder, writing=True) as archive:
        stored.begin(archive, event, [])
    assert Results.open(folder).end_sentences == ()
