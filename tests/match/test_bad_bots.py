"""Every way to misbehave is a file in bad_bots/: each ends as promised, costs little, and leaves
nothing behind.
"""

import gc
import time
from pathlib import Path

import pytest

from arena.clock import TimeControl
from arena.event import discovery
from arena.match.play import play
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions, Limits, Match
from tests.support import live, sins
from tests.support.processes import descendants, kept_by_the_kernel, run_in, stays_in_the_kernel
from tests.support.programs import python
from tests.support.sins import SINS, Sin

BACKLOG = 16_000_000  # bytes on stderr
SLACK = (
    15.0  # seconds over the limits that a sin may cost: a guard against hangs, not a measurement
)
CONFINED = Sin(None, (), "")
"""The limits of those that are played without any sin of their own."""


@pytest.fixture(scope="module")
def harmless(tmp_path_factory) -> Bot:
    path = tmp_path_factory.mktemp("harmless") / "harmless.py"
    return live.bot_of(path, python("say(legal[-1])"))


@pytest.fixture(scope="module")
def launcher(harmless):
    """Yield a launcher at which harmless bots have played, so that later leftovers are those of a
    sin.
    """
    # what tests before have dropped would be closed meanwhile, and its numbers used again
    gc.collect()
    with Launcher() as launcher:
        for sin in (CONFINED, SINS["daemon"]):
            play(match_of(harmless, harmless, sin), launcher=launcher)
        yield launcher


def match_of(sinner: Bot, harmless: Bot, sin: Sin = CONFINED) -> Match:
    """Return a match in which the sinner explores, so that it is asked first, in a maze that has no
    quick end.
    """
    conditions = Conditions(
        time=TimeControl(start=sin.start, move=sin.move, margin=0.0),
        limits=Limits(
            memory=200_000_000, cpu=sin.cpu, processes=None if sin.forks else 1, stderr=BACKLOG
        ),
        sandbox="rlimits" if sin.forks else "auto",
        preload=sins.PRELOAD,
    )
    return live.match_of("mummy_maze/duel", sinner, harmless, conditions=conditions)


def open_descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


def test_every_sin_has_a_promise_and_every_promise_a_sin():
    assert sins.on_disk() == set(SINS)
    assert len(SINS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SINS))
def test_a_sin_ends_as_promised_and_leaves_nothing_behind(name, harmless, launcher):
    sin = SINS[name]
    match = match_of(discovery.from_path(sins.path_of(name)), harmless, sin)
    descriptors, objects = open_descriptors(), kept_by_the_kernel()
    begun = time.monotonic()
    record = play(match, launcher=launcher)
    cost = time.monotonic() - begun

    fault = next((fault for fault in record.verdict.faults), None)
    report = record.seats[0]
    assert (fault.ending.value if fault else None) == sin.ending, (fault, report)
    assert record.verdict.ending("mummy") is None
    if fault is not None:
        assert fault.role == "explorer"
        assert record.verdict.scores == {"explorer": 0, "mummy": 100}
    said = fault.words if fault else "\n".join(report.warnings)
    assert all(words in said for words in sin.words), said
    assert not any(ord(char) < 32 for char in said.replace("\n", ""))

    playing = sum(turn.wall for turn in record.turns) + sum(
        seat.ready or 0 for seat in record.seats
    )
    assert cost < playing + sin.waits + SLACK
    assert descendants(launcher._spawner.pid) == set()
    assert run_in(launcher.folder.path) == []  # nor in a session of its own
    assert open_descriptors() - descriptors == set()
    assert stays_in_the_kernel(objects) == set()
    assert list(launcher.folder.path.glob("room*")) == []
    assert all(entry.name.startswith(("kit", "bots")) for entry in launcher.folder.path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, sin in SINS.items() if sin.forks))
def test_a_confined_bot_that_forks_dies_of_trying(name, harmless, launcher):
    """One at a time is what it is allowed, so that the system refuses the second process."""
    match = match_of(discovery.from_path(sins.path_of(name)), harmless)
    record = play(match, launcher=launcher)
    (fault,) = record.verdict.faults
    assert fault.ending == "crashed"
    assert "Operation not permitted" in fault.words
    assert descendants(launcher._spawner.pid) == set()
