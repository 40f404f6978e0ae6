"""Referee processes: named, logged, killed, replaced, and never left behind."""

import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena import system
from arena.event import logs, workers
from arena.event.logs import Log
from arena.event.workers import Workers
from arena.sandbox import folder
from arena.sandbox.launcher import Launcher
from tests.support.processes import gone_soon


def feed(*items: object) -> Callable[[], object]:
    left = list(items)
    return lambda: left.pop(0) if left else None


def double(_launcher: Launcher, item: int) -> int:
    return item * 2


def who(_launcher: Launcher, _item: object) -> tuple[str, str, int]:
    comm = Path("/proc/self/comm").read_text().strip()
    return multiprocessing.current_process().name, comm, os.getpid()


def die_once(_launcher: Launcher, item: tuple[str, Path]) -> str:
    name, flag = item
    if name == "deadly" and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return name


def shout(_launcher: Launcher, item: str) -> None:
    logging.warning("%s from %d", item, os.getpid())


def shout_and_die(_launcher: Launcher, item: str) -> None:
    logging.warning(item)
    os.kill(os.getpid(), signal.SIGKILL)


def die_shouting(_launcher: Launcher, seconds: float) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    while True:
        logging.warning("x" * (1 << 20))


def fail(_launcher: Launcher, item: str) -> None:
    raise ValueError(item)


def slow(_launcher: Launcher, seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def test_every_item_comes_back_once_from_a_worker_that_is_named_everywhere():
    with Workers(2) as lanes:
        done = list(lanes.map(who, feed(*range(1, 30))))
    assert sorted(each.item for each in done) == [*range(1, 30)]
    names = {each.result[:2] for each in done if each.result}
    assert names == {("referee-1", "referee-1"), ("referee-2", "referee-2")}


def test_a_failing_item_is_told_with_its_traceback_and_the_others_go_on():
    with Workers(1) as lanes:
        (failed,) = lanes.map(fail, feed("boom"))
        (fine,) = lanes.map(double, feed(3))
    assert "ValueError: boom" in failed.failure
    assert fine.result == 6


def test_a_killed_worker_costs_its_own_item_only(tmp_path):
    items = [
        ("deadly" if number == 3 else f"item {number}", tmp_path / "flag") for number in range(10)
    ]
    with Workers(2) as lanes:
        done = list(lanes.map(die_once, feed(*items)))
    assert [one.item[0] for one in done if one.failure] == ["deadly"]
    assert sorted(one.result for one in done if one.result) == sorted(
        name for name, _ in items if name != "deadly"
    )


def test_closing_ends_a_worker_in_the_middle_of_an_item():
    lanes = Workers(1)
    pid = next(iter(lanes.map(who, feed(1)))).result[2]
    begun = time.monotonic()
    assert list(lanes.map(slow, feed(60.0), stopped=lambda: time.monotonic() - begun > 0.3)) == []
    lanes.close()
    assert gone_soon([pid])


@pytest.mark.skipif(system.START_METHOD != "fork", reason="what is patched is in forks alone")
def test_a_worker_that_is_dismissed_while_it_opens_its_launcher_leaves_no_folder(
    tmp_path, monkeypatch
):
    private = folder.private

    def slowly() -> tuple[Path, int]:
        made = private()
        time.sleep(0.2)
        return made

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folder, "private", slowly)
    with Workers(1) as lanes:
        assert list(lanes.map(double, feed(1), stopped=lambda: any(tmp_path.iterdir()))) == []
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_map_gives_out_no_more_items():
    with Workers(1) as lanes:
        assert list(lanes.map(double, feed(1, 2, 3), stopped=lambda: True)) == []


@pytest.mark.parametrize(
    ("seconds", "items", "holds_more"), [(0.0001, 200, True), (workers.AHEAD_S, 4, False)]
)
def test_only_short_items_wait_in_a_lane_in_numbers(seconds, items, holds_more):
    given, most = iter([seconds] * items), 0
    with Workers(1) as lanes:
        for done, _ in enumerate(lanes.map(slow, lambda: next(given, None))):
            most = max(most, items - given.__length_hint__() - done)
    assert (most > workers.QUEUED) is holds_more


def test_no_worker_and_no_spawner_outlives_a_killed_main_process(tmp_path):
    script = tmp_path / "main.py"
    script.write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from arena.event.workers import Workers\n"
        "def work(door, item):\n"
        "    print(os.getpid(), door._spawner.pid, door.folder.path, flush=True)\n"
        "    time.sleep(60)\n"
        "items = [1]\n"
        "list(Workers(1).map(work, lambda: items.pop() if items else None))\n"
    )
    main = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert main.stdout is not None
    worker, spawner, folder = main.stdout.readline().split()
    main.kill()
    main.wait()
    main.stdout.close()
    assert gone_soon([int(worker)])
    assert gone_soon([int(spawner)])
    assert not Path(folder).exists()


@pytest.fixture
def log(tmp_path):
    log = Log(tmp_path)
    yield log
    log.close()


def test_lines_of_workers_reach_the_log_under_their_names(log, tmp_path):
    with Workers(2, before_fork=log.renew) as lanes:
        list(lanes.map(shout, feed(*(f"line {number}" for number in range(50)))))
    log.close()
    text = (tmp_path / "arena.log").read_text()
    assert all(f"line {number} from" in text for number in range(50))
    assert "referee-1 WARNING" in text


def test_lines_reach_the_log_when_fork_is_not_the_default_start_method(tmp_path):
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method("spawn", force=True)
    try:
        log = Log(tmp_path)
        with Workers(1, before_fork=log.renew) as lanes:
            list(lanes.map(shout, feed("spawned?")))
        log.close()
    finally:
        multiprocessing.set_start_method(before, force=True)
    assert "spawned? from" in (tmp_path / "arena.log").read_text()


def test_lines_reach_the_log_after_a_worker_was_killed_and_nobody_hangs(log, tmp_path):
    with Workers(2, before_fork=log.renew) as lanes:
        pids = {one.result[2] for one in lanes.map(who, feed(*range(1, 20))) if one.result}
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        done = list(lanes.map(shout, feed(*(f"line {number}" for number in range(20)))))
    begun = time.monotonic()
    log.close()
    assert time.monotonic() - begun < 5  # a guard against hangs
    text = (tmp_path / "arena.log").read_text()
    assert all(f"{one.item} from" in text for one in done if not one.failure)
    assert "was killed; a new one takes its place" in text


def test_the_last_line_of_a_worker_that_is_killed_reaches_the_log(log, tmp_path):
    with Workers(1, before_fork=log.renew) as lanes:
        list(lanes.map(shout_and_die, feed(*(f"last words {number}" for number in range(3)))))
    log.close()
    text = (tmp_path / "arena.log").read_text()
    assert all(f"last words {number}" in text for number in range(3))


def test_a_worker_that_is_killed_in_the_middle_of_a_line_costs_no_other_line(log, tmp_path):
    with Workers(2, before_fork=log.renew) as lanes:
        list(lanes.map(die_shouting, feed(*(0.002 + 0.0011 * number for number in range(4)))))
        list(lanes.map(shout, feed("line 1", "line 2")))
    begun = time.monotonic()
    log.close()
    assert time.monotonic() - begun < logs.CLOSE_S  # nobody waited for the dead
    text = (tmp_path / "arena.log").read_text()
    assert text.count("was killed; a new one takes its place") == 4
    assert "line 1 from" in text
    assert "line 2 from" in text


def test_the_root_logger_is_given_back_as_it_was(tmp_path):
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    Log(tmp_path).close()
    assert (root.handlers, root.level) == before


def test_a_worker_that_is_killed_as_soon_as_it_is_there_is_started_again(tmp_path, monkeypatch):
    """Twice: the third one lives, and no item is lost."""
    born = tmp_path / "born"
    become = workers._become_referee

    def die_young(*words: object) -> None:
        with born.open("a") as file:
            file.write("x")
        if len(born.read_text()) < 3:
            os.kill(os.getpid(), signal.SIGKILL)
        become(*words)

    monkeypatch.setattr(workers, "_become_referee", die_young)
    with Workers(1) as lanes:
        assert [done.result for done in lanes.map(double, feed(1, 2))] == [2, 4]
    assert born.read_text() == "xxx"
