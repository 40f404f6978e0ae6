"""A load test, hours long: `make soak`. A long event beside a site that is open and read."""

import pytest

from tests.extras.serve import open_event
from tests.extras.serve.open_event import SCHEDULES, SINNERS, Size

pytestmark = [pytest.mark.soak, pytest.mark.timeout(12 * 3600)]

LEAST_RATE = 0.9
"""Of the rate without readers."""
HARMLESS = {"floods_stderr", "ignores_sigterm"}
"""Hostile bots whose matches end by the rules."""
MOST_GROWTH = {
    "run": 2500,
    "run: lane": 500,
    "run: spawner": 50,
    "site": 2000,
    "site: worker": 1000,
}
"""Bytes that a match may add. The run keeps each result, from which a ladder and a Swiss pair; the
site remembers pages, and a worker of it reads the figures of all matches for its tables."""
NOISE_BYTES = 10_000_000
"""Memory of an allocator comes and goes in steps."""
MOST_FILES = 4
"""Files that a process may have open at the end beside those of its second quarter."""


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    return open_event.play(tmp_path_factory.mktemp("open") / "cup", Size())


def test_every_process_ends_well_and_none_is_left(figures):
    assert figures.codes == {"ladder": 0, "swiss": 0, "site": 130}
    assert figures.left == figures.aborts == []
    assert "Traceback" not in figures.log
    assert "could not be made" not in figures.log


def test_no_good_bot_loses_a_match_by_a_fault_and_each_hostile_one_does(figures):
    assert figures.lost == []
    assert {bot for bot, _ in figures.punished} == {*SINNERS} - HARMLESS


def test_readers_are_answered_and_cost_a_tenth_of_the_rate_at_most(figures):
    assert set(figures.answers) <= {200, 304}
    assert figures.turns
    assert figures.ratio >= LEAST_RATE


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_memory_and_the_files_of_each_process_stay_as_they_are(figures, schedule):
    growth = figures.growth(schedule)
    assert {kind for kind, _ in map(open_event.kind_of, growth)} >= MOST_GROWTH.keys()
    for name, grown in growth.items():
        kind, _ = open_event.kind_of(name)
        by_matches = MOST_GROWTH.get(kind, 0) * grown.matches
        assert grown.last - grown.second < by_matches + NOISE_BYTES, name
        assert grown.files_last <= grown.files_second + MOST_FILES, name
