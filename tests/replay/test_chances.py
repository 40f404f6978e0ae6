"""The chance to win, turn by turn: exact on solved boards, elsewhere from like positions; and where
it broke.
"""

from dataclasses import replace
from itertools import pairwise
from string import ascii_lowercase

import numpy as np
import pytest

from arena.games import rulebook
from arena.games.quality import PerfectPlay, positions
from arena.replay import like_positions
from arena.replay.chances import BREAK, EXACT, chances_of
from arena.replay.replayer import scenes
from arena.results.archive import Archive
from arena.values import Verdict
from tests.support import reported


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    """An archive of random matches of games that nobody has solved, and what is learned from it."""
    of = reported.event(reported.BOTS[:2], on=reported.boards("five", "three_cards"), repeats=40)
    folder = reported.store(
        tmp_path_factory.mktemp("event"), of, map(reported.played, reported.plan(of))
    )
    with Archive.open(folder) as archive:
        yield archive, like_positions.learn(archive, sorted(archive.boards()), rulebook.game_of)


def test_on_a_solved_board_the_line_is_the_value_of_states_and_breaks_at_blunders():
    of = reported.event(reported.BOTS[:2], on=reported.boards("duel"))
    record = reported.played(reported.plan(of)[0])
    game = rulebook.game_of(record.match)
    perfect = PerfectPlay.of(game)
    found = chances_of(game, record, list(scenes(game, record.turns)))
    values = [perfect.worth(state).score for state, _ in positions(game, record.turns)]
    values.append(record.verdict.scores[game.roles[0]])
    assert [first for first, _ in found.of_scenes] == values
    assert found.basis == EXACT
    blunders = [index for index, (one, other) in enumerate(pairwise(values), 1) if one != other]
    assert [each.scene for each in found.breaks] == blunders[-8:]
    assert blunders
    assert all(" position into a " in each.sentence for each in found.breaks)


def test_an_estimate_follows_what_became_of_like_positions_and_ends_with_the_result(event):
    archive, like = event
    assert sorted(like) == ["goofspiel/five", "kuhn_poker/three_cards"]
    late = []
    for record in archive.records():
        game = rulebook.game_of(record.match)
        found = chances_of(game, record, list(scenes(game, record.turns)), like[record.match.label])
        assert found.of_scenes[-1] == like_positions.shares(record.verdict.scores, game.sides)
        assert all(sum(chances) == pytest.approx(100) for chances in found.of_scenes)
        assert all(each.fall >= BREAK for each in found.breaks)
        late.append((found.of_scenes[-2][0], found.of_scenes[-1][0]))
    sure = [(chance, result) for chance, result in late if abs(chance - 50) > 25]
    assert len(sure) > 20
    assert sum(abs(chance - result) < 50 for chance, result in sure) > 0.8 * len(sure)


def test_how_a_match_ended_plays_no_part_in_its_own_estimate(event, tmp_path):
    archive, like = event
    record = next(each for each in archive.records() if each.match.board == "five")
    left = 0 if record.verdict.scores["left"] == 100 else 100
    other = replace(
        record,
        verdict=Verdict(scores={"left": left, "right": 100 - left}, reason="all cards played"),
    )
    of = archive.event()
    changed = [other if each.match.id == record.match.id else each for each in archive.records()]
    game = rulebook.game_of(record.match)
    lines = []
    with Archive.open(reported.store(tmp_path, of, changed)) as again:
        relearned = like_positions.learn(again, ["goofspiel/five"], rulebook.game_of)
    for known, played in ((like, record), (relearned, other)):
        found = chances_of(game, played, list(scenes(game, played.turns)), known["goofspiel/five"])
        lines.append(found.of_scenes)
    assert lines[0][:-1] == lines[1][:-1]
    assert lines[0][-1] != lines[1][-1]


def test_a_forfeit_is_a_break_at_the_chance_that_it_threw_away(event):
    archive, like = event
    record = next(each for each in archive.records() if each.match.board == "five")
    crashed = reported.crashed(record)
    game = rulebook.game_of(record.match)
    found = chances_of(game, crashed, list(scenes(game, crashed.turns)), like["goofspiel/five"])
    assert found.breaks[-1].sentence.startswith(
        "a forfeit ends the match, by left (crashed), at a chance of "
    )


def test_too_few_matches_or_results_that_no_fact_explains_give_no_estimate(tmp_path):
    of = reported.event(reported.BOTS[:2], on=reported.boards("five"), repeats=40)
    records = [reported.played(match) for match in reported.plan(of)]
    always = Verdict(scores={"left": 100, "right": 0}, reason="all cards played")
    for name, stored in (
        ("few", records[:20]),
        ("same", [replace(record, verdict=always) for record in records]),
    ):
        with Archive.open(reported.store(tmp_path / name, of, stored)) as archive:
            assert like_positions.learn(archive, ["goofspiel/five"], rulebook.game_of) == {}


def test_copies_of_a_match_do_not_vouch_for_each_other(event, tmp_path):
    """Two bots without chance, in both roles: 80 matches, but only two ways in which they went."""
    archive, _ = event
    records = [record for record in archive.records() if record.match.board == "five"]
    first = {}
    copies = []
    for record in records:
        seats = tuple(seat.bot.name for seat in record.match.seats)
        original = first.setdefault(seats, record)
        copies.append(replace(record, turns=original.turns, verdict=original.verdict))
    assert len(first) == 2
    with Archive.open(reported.store(tmp_path, archive.event(), copies)) as again:
        assert like_positions.learn(again, ["goofspiel/five"], rulebook.game_of) == {}


def test_matches_that_share_their_luck_are_left_out_together(event):
    archive, like = event
    records = [record for record in archive.records() if record.match.board == "five"]
    groups = like["goofspiel/five"].groups
    folds = {}
    for record in records:
        folds.setdefault(record.match.seed, set()).add(groups.fold_of(record.match))
    assert len(folds) == len(records) / 2  # two legs each
    assert all(len(of_legs) == 1 for of_legs in folds.values())
    assert {fold for of_legs in folds.values() for fold in of_legs} == set(
        range(like_positions.FOLDS)
    )


def legs_of_luck(random, events: int, groups: int = 60) -> int:
    """In how many events there is an estimate, where the luck of two legs decides, which their
    facts show.
    """
    estimates = 0
    for _ in range(events):
        rows, results, folds = [], [], []
        for group in range(groups):
            luck = random.standard_normal(12)
            won = float(random.random() < 0.5)
            for position in luck + 0.3 * random.standard_normal((2 * 6, 12)):
                rows.append({f"f{number}": value for number, value in enumerate(position)})
                results.append((won, 1 - won))
                folds.append(group % like_positions.FOLDS)
        of_groups = like_positions.Groups(
            folds=dict.fromkeys(map(str, range(groups)), 0), copied=frozenset()
        )
        found = like_positions._fitted(
            rows, np.array(results), np.array(folds), 2 * groups, of_groups
        )
        estimates += found is not None
    return estimates


def test_features_stand_in_an_order_that_the_hashes_of_a_process_do_not_decide():
    (board,) = reported.boards("five")
    facts = [f"{letter} is here" for letter in ascii_lowercase]
    (of_state,) = like_positions.features(rulebook.game_of(board), [(facts, ())])
    assert list(of_state) == facts


def test_luck_that_legs_share_gives_no_estimate():
    assert legs_of_luck(np.random.default_rng(1), 6) <= 1


def test_sides_that_tie_share_the_win_and_a_side_has_the_score_of_its_best_role():
    sides = (("a",), ("b", "c"), ("d",))
    assert like_positions.shares({"a": 40, "b": 0, "c": 90, "d": 10}, sides) == (0, 100, 0)
    assert like_positions.shares({"a": 50, "b": 0, "c": 50, "d": 10}, sides) == (50, 50, 0)
