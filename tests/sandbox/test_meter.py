"""What a bot uses, read from outside: no crowd of threads or processes makes more time of it than
there was.
"""

import os
import subprocess
import sys

import pytest

from arena.sandbox.meter import Meter, Usage
from arena.sandbox.procfs import ProcessUsage

CROWD = """
import sys, threading, time
threading.stack_size(131072)
def burst():
    while True:
        time.sleep(0.02 - time.monotonic() % 0.02)
        sum(range(200))
for _ in range(40): threading.Thread(target=burst, daemon=True).start()
print(flush=True)
time.sleep(60)
"""
FORKS = """
import os, time
for _ in range(2):
    if os.fork() == 0:
        while time.process_time() < 0.3: pass
        print(flush=True)
        time.sleep(60)
time.sleep(60)
"""


@pytest.fixture
def run():
    started: list[subprocess.Popen[bytes]] = []

    def start(code: str) -> subprocess.Popen[bytes]:
        one = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
        )
        started.append(one)
        os.sched_setaffinity(one.pid, {min(os.sched_getaffinity(0))})
        return one

    yield start
    for one in started:
        os.killpg(one.pid, 9)
        one.wait()
        one.stdout.close()


def seconds(meter: Meter, since: float) -> tuple[float, float]:
    """CPU time and waits after a number of seconds from the mark on."""
    meter.survey(since)
    used = meter.read()
    return used.cpu, meter.waited(used.cpu)


@pytest.mark.slow
def test_a_crowd_of_threads_that_wake_at_once_does_not_add_up_what_they_wait(run):
    crowd = run(CROWD)
    meter = Meter(lambda: crowd.pid)
    crowd.stdout.readline()
    meter.read()
    meter.mark()
    meter.survey(0.0)
    with pytest.raises(subprocess.TimeoutExpired):
        crowd.wait(0.5)
    _, waited = seconds(meter, 0.5)
    assert 0 < waited <= 2 * max(meter._thread_waits.values())
    assert sum(meter._thread_waits.values()) > 2 * waited
    meter.close()


def test_what_threads_waited_before_the_question_does_not_count():
    meter = Meter(lambda: None)
    meter._other_threads = lambda: iter([("7", 5.0), ("8", 0.2)])
    meter.survey(0.5)
    assert meter._thread_waits == {"7": 0.5, "8": 0.2}
    meter._other_threads = lambda: iter([("7", 5.25), ("8", 0.2)])
    meter.mark()
    meter._other_threads = lambda: iter([("7", 5.5), ("8", 0.2), ("9", 0.125)])
    meter.survey(0.5)
    assert meter._thread_waits == {"7": 0.25, "8": 0.0, "9": 0.125}


@pytest.mark.parametrize(
    ("first", "others", "cpu", "waited"),
    [
        pytest.param(1.0, (), 9.0, 1.0, id="one thread"),
        pytest.param(1.0, (2.0,), 0.5, 2.5, id="one handed over to the other"),
        pytest.param(1.0, (1.0,), 1.5, 1.0, id="they waited for one another"),
        pytest.param(0.0, (1.0,) * 50, 0.25, 1.75, id="a crowd"),
    ],
)
def test_of_several_threads_the_two_longest_waits_count(first, others, cpu, waited):
    meter = Meter(lambda: None)
    meter._other_threads = lambda: ((str(number), wait) for number, wait in enumerate(others))
    meter.mark()
    meter.last = Usage(cpu, first)
    meter.survey(10.0)
    assert meter.waited(cpu) == waited


def test_a_wait_that_is_not_over_began_at_most_when_it_was_last_seen_to_run(monkeypatch):
    meter = Meter(lambda: None)
    meter.mark()
    begun = meter._last_call
    monkeypatch.setattr("arena.sandbox.meter.states", lambda _: [b"S", b"R"])
    assert meter.unreported_wait(begun + 4.0) == 4.0
    meter._own_cpu = 0.1  # it ran after 4
    assert meter.unreported_wait(begun + 5.0) == 1.0
    assert meter.unreported_wait(begun + 6.0) == 2.0
    monkeypatch.setattr("arena.sandbox.meter.states", lambda _: [b"S", b"S"])
    assert meter.unreported_wait(begun + 7.0) == 0.0


def test_a_thread_that_becomes_the_first_brings_no_waits_of_its_past_along():
    meter = Meter(lambda: None)
    meter.last = Usage(0.0, 1.0)
    meter.mark()
    meter.last = Usage(0.0, 90.0)
    meter.survey(0.5)
    assert meter.waited(0.0) == 0.5
    meter.survey(20.0)
    assert meter.waited(0.0) == 0.5


@pytest.mark.slow
def test_cpu_time_of_what_it_forked_is_its_own(run):
    parent = run(FORKS)
    children = [int(word) for word in _children(parent)]
    meter = Meter(lambda: parent.pid, lambda: [parent.pid, *children])
    assert meter.read().cpu >= 0.5
    alone = Meter(lambda: parent.pid)
    assert alone.read().cpu < 0.3
    meter.close()
    alone.close()


def test_cpu_time_of_a_child_that_ended_stays_and_counts_once(monkeypatch):
    meter, alive = Meter(lambda: None), {1: _used(own=0.25), 2: _used(own=0.5)}
    monkeypatch.setattr("arena.sandbox.meter.see", alive.get)
    assert meter._cpu_of_group([1, 2]) == 0.75
    del alive[2]  # nobody has waited for it
    assert meter._cpu_of_group([1, 2]) == 0.75
    alive[1] = _used(own=0.25, reaped=0.625)
    assert meter._cpu_of_group([1]) == 0.875


def _used(own: float, reaped: float = 0.0) -> ProcessUsage:
    return ProcessUsage(cpu=own + reaped, own_cpu=own, threads=1, resident=0)


def _children(parent: "subprocess.Popen[bytes]") -> list[str]:
    for _ in range(2):
        parent.stdout.readline()
    with open(f"/proc/{parent.pid}/task/{parent.pid}/children") as listing:
        return listing.read().split()
