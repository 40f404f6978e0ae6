"""The same work on many items, in forked processes."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from multiprocessing import active_children

import pytest

from arena import parallel
from arena.charts.style import letters
from tests.support.processes import gone_soon


def test_results_come_in_the_order_of_the_items_whoever_worked_on_them():
    offset = 5  # known to the work without being sent

    def work(item: int) -> tuple[int, int]:
        return item + offset, os.getpid()

    told = list(parallel.parallel_map(work, range(40), cores=2))
    assert [result for result, _ in told] == [item + 5 for item in range(40)]
    assert os.getpid() not in {process for _, process in told}
    assert list(parallel.parallel_map(work, range(3), cores=1)) == [
        (item + 5, os.getpid()) for item in range(3)
    ]


def test_who_stops_listening_leaves_no_process_behind():
    results = parallel.parallel_map(str, range(100_000), cores=2)
    assert next(results) == "0"
    results.close()
    assert active_children() == []


def test_who_stops_listening_waits_for_no_work_that_goes_on():
    results = parallel.parallel_map(lambda item: time.sleep(60 * item), range(10), cores=2)
    assert next(results) is None  # and now both processes sleep
    results.close()
    assert active_children() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_terminals_signals_are_for_the_parent_alone(number):
    def work(_: int) -> int:
        os.kill(os.getpid(), number)
        return os.getpid()

    assert len(set(parallel.parallel_map(work, range(8), cores=2))) in {1, 2}


def test_a_mistake_in_the_work_is_raised_where_it_is_wanted():
    with pytest.raises(ZeroDivisionError):
        list(parallel.parallel_map(lambda item: 1 // item, [1, 0, 1], cores=2))


def test_forks_measure_letters_side_by_side_as_one_process_does():
    texts = [chr(number) * 3 for number in range(0x21, 0x250) if chr(number).isprintable()]
    alone = [letters.width(text, 9.0) for text in texts]  # now this process has the font open
    assert list(parallel.parallel_map(partial(letters.width, size=9.0), texts, cores=4)) == alone


def test_who_is_killed_leaves_no_process_behind(tmp_path):
    program = (
        "import os, time; from arena import parallel\n"
        "for pid in parallel.parallel_map(lambda item: (os.getpid(), time.sleep(0.01))[0], "
        "range(10**6), cores=2):\n"
        "    print(pid, flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as main:
        pids = {int(main.stdout.readline()) for _ in range(20)}
        main.kill()
    assert len(pids) == 2
    assert gone_soon(pids)
