"""Lanes and cores: how many matches at once, who gets which core, and that they stay there."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from arena import system
from arena.event.workers import Workers
from arena.sandbox import cores
from arena.sandbox.launcher import Launcher
from arena.values import Conditions
from tests.support import stored
from tests.support.processes import descriptors, free_descriptors

EVENT = stored.event("ann", "bob")
MANY = pytest.mark.skipif(len(system.cores()) < 2, reason="there is one core only")


def where(launcher: Launcher, _item: object) -> tuple[set[int], set[int], tuple[int, ...]]:
    """The cores of a referee, of its spawner, and those that its bots may count on."""
    return os.sched_getaffinity(0), os.sched_getaffinity(launcher._spawner.pid), launcher.cores


def places(pin: bool) -> list[tuple[set[int], set[int], tuple[int, ...]]]:
    items = [1, 2, 3, 4]
    with Workers(2, pin=pin) as lanes:
        return [
            done.result
            for done in lanes.map(where, lambda: items.pop() if items else None)
            if done.result
        ]


@MANY
def test_a_pinned_lane_stays_with_its_bots_on_one_core_and_no_other_lane_has_it():
    found = places(pin=True)
    assert all(
        len(referee) == 1 and spawner == referee and referee <= set(own)
        for referee, spawner, own in found
    )
    first, *others = {own for _, _, own in found}
    assert all(not set(first) & set(other) for other in others)


def test_a_lane_that_is_not_pinned_goes_where_it_likes():
    assert all(
        referee == spawner == set(system.cores()) for referee, spawner, _ in places(pin=False)
    )


@pytest.mark.parametrize(
    ("lanes", "shares"),
    [
        pytest.param(1, ((0, 1, 2, 3),), id="one lane has all"),
        pytest.param(2, ((0, 2), (1, 3)), id="each has its own"),
        pytest.param(3, ((0, 3), (1,), (2,)), id="none is left over"),
        pytest.param(5, ((0,), (1,), (2,), (3,), (0,)), id="too few are shared"),
    ],
)
def test_cores_are_shared_out(lanes, shares):
    assert cores.shared_out((0, 1, 2, 3), lanes) == shares


def test_a_match_needs_one_core_while_bots_are_frozen_and_one_a_bot_otherwise():
    assert cores.matches_at_once(EVENT, 6) == 6
    thinking = replace(EVENT, conditions=Conditions(freeze=False))
    assert cores.matches_at_once(thinking, 6) == 6 // max(
        len(board.roles) for board in EVENT.boards
    )
    assert cores.matches_at_once(thinking, 1) == 1


def test_a_bot_that_asks_for_threads_gets_a_core_for_each():
    bots = tuple(replace(bot, threads=3) for bot in EVENT.bots)
    assert cores.matches_at_once(replace(EVENT, bots=bots), 6) == 2


def test_a_lane_is_pinned_where_it_has_a_core_and_its_bots_take_turns():
    thinking = replace(EVENT, conditions=Conditions(freeze=False))
    assert cores.should_pin(None, EVENT, workers=2, cores=2)
    assert not cores.should_pin(None, EVENT, workers=3, cores=2)
    assert not cores.should_pin(None, thinking, workers=1, cores=2)
    assert cores.should_pin(True, thinking, workers=9, cores=2)
    assert not cores.should_pin(False, EVENT, workers=1, cores=2)


@MANY
def test_a_process_moves_with_all_its_threads():
    here, there = system.cores()[:2]
    with Launcher() as launcher:
        pid = launcher._spawner.pid
        cores.move(pid, (there,))
        tasks = [int(path.name) for path in Path(f"/proc/{pid}/task").iterdir()]
        assert all(os.sched_getaffinity(task) == {there} for task in tasks)
        cores.move(pid, (here, there))
        assert os.sched_getaffinity(pid) == {here, there}
    cores.move(pid, (here,))  # gone by now


@MANY
def test_when_the_second_of_two_cores_is_refused_the_first_is_free_at_once():
    before = descriptors()
    with free_descriptors(1), pytest.raises(OSError, match="Too many open files") as refused:
        cores.claim(2)
    assert descriptors() == before, refused


def test_a_core_that_is_gone_is_let_be():
    before = system.cores()
    cores.stay(1023)
    assert system.cores() == before
