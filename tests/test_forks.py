"""The same work on many items, in forked processes."""

import os
from functools import partial
from multiprocessing import active_children

import pytest

from arena import forks
from arena.charts.style import letters


def test_results_come_in_the_order_of_the_items_whoever_worked_on_them():
    offset = 5  # known to the work without being sent

    def work(item: int) -> tuple[int, int]:
        return item + offset, os.getpid()

    told = list(forks.work(work, range(40), cores=2))
    assert [result for result, _ in told] == [item + 5 for item in range(40)]
    assert os.getpid() not in {process for _, process in told}
    assert list(forks.work(work, range(3), cores=1)) == [(item + 5, os.getpid()) for item in range(3)]


def test_who_stops_listening_leaves_no_process_behind():
    results = forks.work(str, range(100_000), cores=2)
    assert next(results) == "0"
    results.close()
    assert active_children() == []


def test_a_mistake_in_the_work_is_raised_where_it_is_wanted():
    with pytest.raises(ZeroDivisionError):
        list(forks.work(lambda item: 1 // item, [1, 0, 1], cores=2))


def test_forks_measure_letters_side_by_side_as_one_process_does():
    texts = [chr(number) * 3 for number in range(0x21, 0x250) if chr(number).isprintable()] * 4
    alone = [letters.width(text, 9.0) for text in texts]  # now this process has the font open
    assert list(forks.work(partial(letters.width, size=9.0), texts, cores=4)) == alone
