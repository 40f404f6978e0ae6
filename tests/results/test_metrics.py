"""Metrics in remarks, and remarks without metrics."""

from dataclasses import replace

import pytest

from arena.results.leaderboard import Results
from arena.results.leaderboard.metrics import read
from tests.support import stored


@pytest.mark.parametrize(
    ("remark", "metrics"),
    {
        "depth 5": {"depth": 5},
        "depth=5": {"depth": 5},
        "nodes 1200 score -3": {"nodes": 1200, "score": -3},
        "time.search = 0.25, nodes=1e6": {"time.search": 0.25, "nodes": 1e6},
        "depth 4 depth 5": {"depth": 5},
        "eval +.5": {"eval": 0.5},
        "I see 5 ghosts": {},
        "depth": {},
        "depth 5 and more": {},
        "depth 5x": {},
        "5 depth": {},
        "depth nan": {},
        "depth 1e999": {},
        "=cmd 5": {},
        "": {},
        "a" * 25 + " 5": {},
        "a 1 " * 100: {},
    }.items(),
)
def test_a_remark_of_names_and_numbers_is_metrics_and_any_other_is_talk(remark, metrics):
    assert read(remark) == metrics


def test_metrics_are_a_row_each_with_match_turn_role_and_bot(tmp_path):
    event = stored.event("ann", "bob", boards=[stored.DUEL])
    first, second = (stored.played(match, turns=2) for match in stored.plan(event))
    spoken = first.turns[1]._replace(remarks=("depth 3 nodes 40", "hello", "depth=4"))
    talking = replace(first, turns=(first.turns[0], spoken, *first.turns[2:]))
    frame = Results.open(stored.store(tmp_path, event, [talking, second])).metrics()
    who = first.match.seats[1].bot.name
    assert frame.to_numpy().tolist() == [
        [first.match.id, 1, "mummy", who, "depth", 3],
        [first.match.id, 1, "mummy", who, "nodes", 40],
        [first.match.id, 1, "mummy", who, "depth", 4],
    ]
