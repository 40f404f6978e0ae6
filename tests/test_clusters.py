"""Many machines: the tables of a cluster are those of one machine, whatever happens to its workers."""

import functools
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from machines import Machines, gone, hosts_below, machines
from processes import alive, descendants, until
from sprint import FIRST, LAST
from test_tournament import DICE, Quiet, event_of, run, tables, workspace

from arena.errors import ArenaError
from arena.event import cluster, tournament
from arena.event.cluster import admission, calibration
from arena.event.cluster.calibration import Sample, Speed
from arena.event.cluster.driver import Cluster
from arena.values import Record

BUILT = 'command = "sh built.sh"\nbuild = "sh build.sh"\n'


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Iterator[Machines]:
    with machines(tmp_path_factory.mktemp("machines")) as made:
        yield made


class Acts(Quiet):
    """An audience that does something after so many matches."""

    def __init__(self, **at: Callable[[], object]) -> None:
        super().__init__()
        self._acts = {int(number.removeprefix("after_")): act for number, act in at.items()}

    def finished(self, record: Record) -> None:
        super().finished(record)
        self._acts.pop(len(self.records), lambda: None)()


def play(cup: Path, results: str, address: str, audience: Quiet, **more: Any) -> tuple[tournament.Progress, list[str]]:
    lines: list[str] = []
    opened = functools.partial(Cluster, address, notice=lines.append, **more)
    outcome = tournament.run(event_of(cup), cup / results, workers=1, audience=audience, cluster=opened)
    return outcome, lines


def test_the_tables_of_three_workers_of_which_two_are_killed_and_another_joins_are_those_of_one_machine(
    tmp_path, shared
):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=6)
    folder = cup / "bots" / "d"
    folder.mkdir()
    (folder / "bot.toml").write_text(BUILT)
    (folder / "build.sh").write_text("cp bot.sh built.sh\n")
    (folder / "bot.sh").write_text(FIRST)
    run(cup, "local", 2)
    # The first worker is a daemonic process, as below dask's nanny, which may have no children by multiprocessing.
    workers = [shared.worker("one", daemon=True), shared.worker("two"), shared.worker("three")]
    joined: list[int] = []

    def kill(index: int) -> None:
        os.kill(workers[index], signal.SIGKILL)
        joined.append(shared.worker("late"))

    audience = Acts(after_5=lambda: kill(0), after_20=lambda: os.kill(workers[1], signal.SIGKILL))
    outcome, _ = play(cup, "cluster", shared.address, audience)
    assert outcome.complete
    assert outcome.failed == ()
    assert tables(cup / "cluster") == tables(cup / "local")
    assert len({record.match.id for record in audience.records}) == len(audience.records) == outcome.planned
    assert {abort.match for abort in audience.aborts} <= {record.match.id for record in audience.records}
    for pid in (workers[2], *joined):
        os.kill(pid, signal.SIGTERM)
    assert gone([*workers, *joined])


@pytest.fixture
def worker(shared) -> Iterator[int]:
    pid = shared.worker("one")
    yield pid
    os.kill(pid, signal.SIGTERM)
    assert gone([pid])


def driver(cup: Path, address: str) -> "subprocess.Popen[str]":
    """A run on the cluster, in a process of its own, that is in the middle of its matches."""
    main = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", "--no-charts", "--workers", address],
        cwd=cup,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert main.stderr is not None
    for line in main.stderr:
        if "matches (" in line:
            break
    return main


@pytest.mark.slow
def test_a_driver_that_is_killed_leaves_nothing_on_the_workers_and_the_same_command_goes_on(tmp_path, shared, worker):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=20)
    main = driver(cup, shared.address)
    below = descendants(worker)
    assert below
    main.kill()
    main.communicate()
    died = time.monotonic()
    assert until(lambda: not any(map(alive, below)), 20)
    assert time.monotonic() - died < 11
    again = driver(cup, shared.address)
    _, said = again.communicate(timeout=120)
    assert again.returncode == 0, said
    outcome, _ = run(cup, "local", 2)
    assert tables(cup / "results" / "cup") == tables(cup / "local")


@pytest.mark.slow
def test_ctrl_c_frees_the_cluster_within_two_seconds_and_leaves_no_bot(tmp_path, shared, worker):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=40)
    main = driver(cup, shared.address)
    below = descendants(worker)
    assert below
    main.send_signal(signal.SIGINT)
    asked = time.monotonic()
    assert until(lambda: not any(map(alive, below)), 20)
    freed = time.monotonic() - asked
    _, said = main.communicate(timeout=60)
    assert main.returncode == 130
    assert "matches are stored; to go on" in said
    assert freed < 2.5  # a busy machine


@pytest.mark.slow
def test_a_scheduler_that_restarts_costs_no_match(tmp_path, shared, worker):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=6)
    audience = Acts(after_10=shared.restart_scheduler)
    outcome, lines = play(cup, "cluster", shared.address, audience)
    assert outcome.complete
    assert outcome.failed == ()
    assert len({record.match.id for record in audience.records}) == len(audience.records) == outcome.planned
