"""Work in a process of its own: its items come back, and whatever ends it is told in words, with
the line.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time

import pytest

from arena.errors import ArenaError
from arena.limited import LimitedError, limited
from tests.support import cup
from tests.support.processes import descriptors, free_descriptors, until

SMALL = {"memory": 200_000_000, "cpu": 5, "wall": 20.0}


def two():
    yield os.getpid()
    yield os.getppid()


def computes():
    while True:
        pass


def sleeps():
    time.sleep(60)


def takes_memory():
    return [bytearray(10_000_000) for _ in range(1000)]


def crashes():
    ctypes.string_at(0)


def ends_at_once():
    os._exit(3)


def kills_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def exits():
    sys.exit("enough")


def is_interrupted():
    raise KeyboardInterrupt


def leaves_a_child_with_its_pipe():
    if os.fork() == 0:
        time.sleep(60)
    os._exit(4)


def closes_all_pipes_and_sleeps():
    os.closerange(3, 200)
    time.sleep(60)


ENDINGS = {
    computes: ("takes more than 0 s of CPU time", "computes"),
    sleeps: ("takes more than 0.3 s", "sleeps"),
    takes_memory: ("takes more than 200 MB of memory", "<listcomp>"),
    crashes: ("ends the process, by SIGSEGV", "string_at"),
    ends_at_once: ("ends the process, with exit code 3", None),
    kills_itself: ("ends the process, by SIGKILL", None),
    exits: ("raises SystemExit", "exits"),
    is_interrupted: ("raises KeyboardInterrupt", "is_interrupted"),
    closes_all_pipes_and_sleeps: ("takes more than 0.3 s", None),
    leaves_a_child_with_its_pipe: ("ends the process, with exit code 4", None),
}


def test_items_come_from_another_process_one_after_another():
    there, parent = limited(two, **SMALL)
    assert there != os.getpid() == parent
    assert list(limited(tuple, **SMALL)) == []


@pytest.mark.parametrize("work", ENDINGS, ids=lambda work: work.__name__)
def test_a_process_that_ends_too_early_says_why_and_where(work):
    limits = SMALL | (
        {"wall": 0.3} if "sleeps" in work.__name__ else {"cpu": 0} if work is computes else {}
    )
    words, function = ENDINGS[work]
    with pytest.raises(LimitedError) as ended:
        list(limited(work, **limits))
    assert str(ended.value) == words
    if function is not None and not (function == "<listcomp>" and sys.version_info >= (3, 12)):
        assert ended.value.places[0].function == function


def test_each_item_has_the_whole_time():
    def slow_items():
        for number in range(4):
            time.sleep(0.2)
            yield number

    assert list(limited(slow_items, **SMALL | {"wall": 0.7})) == [0, 1, 2, 3]


def test_a_mistake_of_the_user_and_a_bug_of_ours_come_back():
    def refuses():
        raise ArenaError("no such file")

    def fails():
        raise KeyError("ours")

    with pytest.raises(ArenaError, match=r"^no such file$"):
        list(limited(refuses, **SMALL))
    with pytest.raises(RuntimeError, match="KeyError: 'ours'"):
        list(limited(fails, **SMALL))


def test_nothing_is_left_when_the_caller_is_killed(tmp_path):
    code = """
import subprocess, sys, time
from arena.limited import limited
def work():
    yield "begun"
    time.sleep(60)
for item in limited(work, memory=10**9, cpu=60, wall=60):
    print(item, flush=True)
"""
    caller = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True
    )
    assert caller.stdout.readline() == "begun\n"
    assert len(list(cup.processes_in(tmp_path))) == 2
    caller.kill()
    caller.wait()
    assert until(lambda: not list(cup.processes_in(tmp_path)))


def test_what_is_printed_is_a_notice_and_nothing_is_read(capfd):
    def talks():
        os.write(1, b"hello\n")
        yield os.read(0, 10)

    assert list(limited(talks, **SMALL)) == [b""]
    assert capfd.readouterr() == ("", "hello\n")


def test_work_that_gets_no_second_pipe_leaves_no_descriptor_open():
    before = descriptors()
    with free_descriptors(3), pytest.raises(OSError, match="Too many open files"):
        list(limited(two, **SMALL))
    assert descriptors() == before
