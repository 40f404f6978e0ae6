"""Batches that are over are part of the archive: nobody pairs them again, and `verify` compares
them.
"""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.event import plan, schedules
from arena.event.plan import Plan
from arena.replay import verify
from arena.results.archive import Archive
from arena.values import Event, Match
from tests.support import stored

NAMES = [f"b{number}" for number in range(9)]
DEPENDENT = ("swiss", "knockout", "ladder")


def event_of(schedule: str, **changes) -> Event:
    event = replace(stored.event(*NAMES, boards=[stored.DUEL]), schedule=schedule)
    return replace(event, **changes)


def play(event: Event, folder: Path, most: int = 10_000, *, noted: bool = True) -> Plan:
    """Play at most so many matches by dice, as a run does; without `noted`, as an older arena
    did.
    """
    with Archive.open(folder, writing=True) as archive:
        walked = plan.begin(event, archive)
        if not noted:
            walked = Plan(event, archive)
        begun: list[Match] = []
        for match in walked.due():
            if match is not None:
                begun.append(match)
                most -= 1
            if match is None or not most:
                store(archive, walked, begun)
                if noted:
                    walked.store_batches()
            if not most:
                return walked
        store(archive, walked, begun)
        if noted:
            walked.store_batches()
        return walked


def store(archive: Archive, walked: Plan, begun: list[Match]) -> None:
    archive.append(*(stored.likely(match, NAMES, 2) for match in begun))
    for match in begun:
        walked.done(match.id)
    begun.clear()


def rows(folder: Path) -> list[dict[str, object]]:
    with Archive.open(folder) as archive:
        return plan.placings(archive)


def problems(folder: Path) -> list[str]:
    with Archive.open(folder) as archive:
        return list(verify._event_problems(archive, unfinished=False))


def edit(folder: Path, number: int, **changes: object) -> None:
    """Change a stored batch, as a stranger may."""
    key = f"batch {number:08}"
    with closing(sqlite3.connect(folder / "event.sqlite")) as connection, connection:
        (text,) = connection.execute("select value from meta where key = ?", (key,)).fetchone()
        changed = json.dumps(json.loads(text) | changes)
        connection.execute("update meta set value = ? where key = ?", (changed, key))


def refuse_pairing(monkeypatch: pytest.MonkeyPatch, schedule: str) -> None:
    def batch(*_: object) -> None:
        raise AssertionError("a batch was paired again")

    monkeypatch.setattr(schedules.find(schedule), "batch", batch)


@pytest.mark.parametrize("schedule", [*DEPENDENT, "round_robin", "gauntlet"])
def test_an_event_that_is_over_is_read_and_resumed_without_its_schedule(
    schedule, tmp_path, monkeypatch
):
    event = event_of(schedule, references=("b0",) if schedule == "gauntlet" else ())
    whole = play(event, tmp_path)
    expected = rows(tmp_path)
    assert problems(tmp_path) == []
    refuse_pairing(monkeypatch, schedule)
    assert rows(tmp_path) == expected
    again = play(event, tmp_path)
    assert again.complete
    assert again.walked == whole.walked


@pytest.mark.parametrize("schedule", ["swiss", "knockout"])
def test_a_look_at_a_round_under_way_pairs_nothing(schedule, tmp_path, monkeypatch):
    play(event_of(schedule), tmp_path, 12)
    play(event_of(schedule), tmp_path, 1)
    expected = rows(tmp_path)
    refuse_pairing(monkeypatch, schedule)
    assert rows(tmp_path) == expected


@pytest.mark.parametrize("schedule", DEPENDENT)
def test_an_archive_of_an_older_arena_has_the_same_matches_and_places(schedule, tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    play(event_of(schedule), new)
    for _ in range(30):
        play(event_of(schedule), old, 9, noted=False)
    with Archive.open(new) as ours, Archive.open(old) as theirs:
        assert theirs.batches() == []
        assert ours.transcripts() == theirs.transcripts()
    assert rows(new) == rows(old)
    assert problems(old) == []
    assert play(event_of(schedule), old).complete
    assert problems(old) == []


@pytest.mark.parametrize("schedule", DEPENDENT)
def test_a_run_that_is_killed_before_a_batch_is_stored_loses_nothing(schedule, tmp_path):
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    play(event_of(schedule), whole)
    for number in range(40):
        play(event_of(schedule), cut, 5, noted=number % 3 == 0)
    play(event_of(schedule), cut)
    with Archive.open(cut) as ours, Archive.open(whole) as theirs:
        assert ours.batches() == theirs.batches()
        assert ours.transcripts() == theirs.transcripts()
    assert problems(cut) == []


@pytest.mark.parametrize("schedule", DEPENDENT)
def test_a_match_that_is_lost_from_a_stored_batch_is_played_again(schedule, tmp_path):
    play(event_of(schedule), tmp_path)
    with closing(sqlite3.connect(tmp_path / "event.sqlite")) as connection, connection:
        connection.execute("delete from seats where match = 3")
        connection.execute("delete from matches where number = 3")
    assert any("is stored as complete" in words for words in problems(tmp_path))
    assert play(event_of(schedule), tmp_path).complete
    with Archive.open(tmp_path) as archive:
        assert archive.batches()[-1].ended_by == "plan"


def test_an_edited_bot_has_new_batches(tmp_path):
    play(event_of("swiss"), tmp_path)
    event = event_of("swiss")
    edited = replace(event, bots=(replace(event.bots[0], digest="other"), *event.bots[1:]))
    walked = play(edited, tmp_path, 1)
    assert not walked.complete
    with Archive.open(tmp_path) as archive:
        assert archive.batches() == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"complete": False, "ids": "0" * 12}, "batch 2 is stored with other matches"),
        ({"ids": "0" * 12}, "batch 2 is stored with other matches"),
        ({"ended_by": "max_matches"}, "the plan is stored as ended by 'max_matches' with batch 2"),
        ({"ids": "zz"}, "the batches of its plan cannot be read"),
        ({"places": [[1, 2]]}, "the batches of its plan cannot be read"),
        ({"places": None, "complete": 7}, "the batches of its plan cannot be read"),
    ],
)
def test_verify_finds_a_stored_batch_that_contradicts_the_results(changes, words, tmp_path):
    play(event_of("swiss"), tmp_path)
    edit(tmp_path, 1, **changes)
    assert any(words in problem for problem in problems(tmp_path))


def test_verify_finds_forged_places_and_strange_bots_are_refused(tmp_path):
    walked = play(event_of("swiss"), tmp_path)
    last = len(walked.batches) - 1
    table = [list(row) for row in walked.batches[last].places or ()]
    table[0][3] += 1
    edit(tmp_path, last, places=table)
    assert problems(tmp_path) == [f"the places after batch {last + 1} are not those of its results"]
    table[0][2] = "stranger"
    edit(tmp_path, last, places=table)
    with pytest.raises(
        ArenaError, match="the places after its last round are not those of its bots"
    ):
        rows(tmp_path)
    table[0][3] = float("nan")
    edit(tmp_path, last, places=table)
    with pytest.raises(ArenaError, match="a batch of its plan cannot be read"):
        rows(tmp_path)


@pytest.mark.parametrize("schedule", [*DEPENDENT, "round_robin"])
def test_an_event_that_a_limit_ended_is_not_walked_again(schedule, tmp_path, monkeypatch):
    event = event_of(schedule, max_matches=11)  # inside a batch
    assert play(event, tmp_path).ended_by == "max_matches"
    assert problems(tmp_path) == []
    expected = rows(tmp_path)
    refuse_pairing(monkeypatch, schedule)
    assert rows(tmp_path) == expected
    again = play(event, tmp_path)
    assert (again.complete, again.ended_by, again.walked) == (True, "max_matches", 11)
