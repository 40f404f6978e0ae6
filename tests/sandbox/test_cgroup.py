"""Cgroups of bots, in a cgroup that the tests make: what the kernel then counts, bounds, freezes,
and what is left.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.protocol import Ask
from arena.sandbox import cgroup
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Ending, Limits
from tests.match.test_bot import CROWDS_OUT, SPIN
from tests.sandbox.test_confinement import (
    ANSWERS,
    WAKES_ITSELF,
    assert_the_kernel_bounds_a_fork_bomb,
    bot_of,
    offered,
)
from tests.support import live
from tests.support.live import READY
from tests.support.processes import alive, gone_soon, until
from tests.support.programs import python


@pytest.fixture
def parent(monkeypatch):
    """A cgroup that is ours to use; a skip that says why there is none."""
    above = os.environ.get("ARENA_TEST_CGROUP") or cgroup._current()
    if above is None:
        pytest.skip("this machine has no cgroups of version 2")
    path = Path(above) / f"arenatest-{os.getpid()}"
    try:
        path.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be made here: {error}")
    monkeypatch.setenv(cgroup.VARIABLE, str(path))
    yield path
    cgroup.remove(str(path))
    assert not path.exists()


def folders(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir() if entry.is_dir())


def test_a_cgroup_that_the_kernel_refuses_to_limit_is_removed(parent):
    groups = cgroup.opened()
    assert groups is not None
    groups.controllers = frozenset({"pids"})
    (of_referee,) = folders(parent)
    descriptors = os.listdir("/proc/self/fd")
    with pytest.raises(OSError, match=r"pids\.max|Invalid"):
        groups.new(tasks=-1)
    assert folders(parent / of_referee) == []
    assert len(os.listdir("/proc/self/fd")) == len(descriptors)
    groups.close()


@pytest.mark.parametrize("level", ["landlock", "bubblewrap", "rlimits"])
def test_a_bot_has_a_cgroup_that_its_record_names_and_that_goes_with_it(parent, tmp_path, level):
    confined = bot_of(tmp_path / "bot.py", ANSWERS, level if level == "rlimits" else offered(level))
    with Launcher() as launcher:
        with live.ready(confined, Conditions(sandbox=level), launcher) as bot:
            group = (
                Path(f"/proc/{bot.program}/cgroup").read_text() if level != "bubblewrap" else None
            )
            assert group is None or bot.child.cgroup.path.endswith(
                group.strip().rpartition("::")[2]
            )
            assert (
                str(bot.program) in Path(bot.child.cgroup.path, "cgroup.procs").read_text().split()
            )
            assert live.ask(bot).line == b"x"
        assert f"{level}, {launcher.protection}" in bot.report().confined
        assert launcher.protection.startswith("cgroup")
        (referee,) = folders(parent)
        assert folders(parent / referee) == []
    assert folders(parent) == []


@pytest.mark.parametrize("way", ["by_threads", "by_a_sibling"])
def test_no_signal_wakes_a_bot_that_the_freezer_of_its_cgroup_has_stopped(parent, tmp_path, way):
    restless = bot_of(tmp_path / "bot.py", WAKES_ITSELF + f"{way}()\n" + ANSWERS)
    with live.ready(restless, Conditions(sandbox="rlimits", limits=Limits(processes=4))) as bot:
        group = bot.child.cgroup
        for _ in range(5):
            assert live.ask(bot).line == b"x"
            assert until(lambda: "frozen 1" in Path(group.path, "cgroup.events").read_text())
            used = group.cpu()
            time.sleep(0.1)
            assert (
                group.cpu() - used < 0.02
            )  # awake it uses all of it; its last moment is accounted later


UNREAPED = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
end = time.monotonic() + 20
while time.monotonic() < end:
    if os.fork() == 0:
        until = time.process_time() + 0.01
        while time.process_time() < until: pass
        os._exit(0)
    time.sleep(0.002)
"""


@pytest.mark.slow
def test_cpu_time_of_children_that_nobody_waits_for_counts(parent, tmp_path):
    text = python(UNREAPED + "say('x')")
    conditions = Conditions(sandbox="rlimits", limits=Limits(processes=100, cpu=0.2))
    with live.ready(bot_of(tmp_path / "bot.py", text), conditions) as bot:
        heard = live.ask(bot)
    assert (heard.ending, heard.words.partition(":")[0]) == (Ending.LIMIT_EXCEEDED, "cpu")
    assert bot.report().cpu > 0.2


@pytest.mark.slow
def test_a_bot_that_its_own_children_crowd_out_loses_on_time(parent, tmp_path):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    conditions = Conditions(sandbox="rlimits", limits=Limits(processes=500))
    try:
        with live.ready(
            bot_of(tmp_path / "bot.py", python(CROWDS_OUT, first=SPIN)), conditions
        ) as bot:
            heard = live.ask(bot, Ask(text=b"go\n", announced=0.3, deadline=0.3))
    finally:
        os.sched_setaffinity(0, cores)
    assert bot._meter.complete
    assert heard.ending is Ending.TIMEOUT


def test_what_a_killed_referee_left_is_swept_at_the_next_start(parent):
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = parent / f"arena-{gone.pid}-1"
    (left / "bot1").mkdir(parents=True)
    bot = subprocess.Popen(["sleep", "60"])
    (left / "bot1" / "cgroup.procs").write_text(str(bot.pid))
    other = parent / f"arena-{os.getpid()}-7"
    other.mkdir()
    with Launcher():
        assert not left.exists()
        assert other.exists()
    bot.wait(60)
    assert gone_soon([bot.pid])
    assert not alive(bot.pid)


def test_a_cgroup_that_cannot_be_used_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(cgroup.VARIABLE, str(tmp_path / "nothing"))
    with live.ready(bot_of(tmp_path / "bot.py", ANSWERS), Conditions(sandbox="rlimits")) as bot:
        pass
    assert "cgroup" not in bot.report().confined


DELEGATED = "print(cgroup.delegated())"


def inside(path: Path, code: str, **environment: str) -> str:
    """Return what a program prints that first moves itself into this cgroup, with
    `arena.sandbox.cgroup` at hand.
    """
    enter = (
        "import os, sys; open(sys.argv[1] + '/cgroup.procs', 'w').write('0'); "
        "sys.path.insert(0, sys.argv[2])\n"
    )
    command = [sys.executable, "-c", f"{enter}from arena.sandbox import cgroup; {code}", path]
    command.append(str(Path(cgroup.__file__).parents[2]))
    env = {name: text for name, text in os.environ.items() if name != cgroup.VARIABLE} | environment
    return subprocess.run(
        command, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_root_takes_a_cgroup_only_when_it_is_marked_as_delegated(parent):
    if os.getuid() != 0:
        pytest.skip("only root can write a cgroup that is not delegated")
    assert inside(parent, DELEGATED) == "None"
    try:
        os.setxattr(parent, "trusted.delegate", b"1")
    except OSError as error:
        pytest.skip(f"no mark can be set here: {error}")
    assert inside(parent, DELEGATED) == str(parent)
    home = parent / cgroup.HOME
    home.mkdir()
    assert inside(home, DELEGATED) == str(parent)
    home.rmdir()


def test_the_root_of_the_machine_is_never_taken():
    code = "from arena.sandbox import cgroup; print(cgroup.delegated() and cgroup._current())"
    own = cgroup._current()
    if own is None or Path(own, "cgroup.freeze").exists():
        pytest.skip("these tests do not run in the root cgroup")
    env = {name: text for name, text in os.environ.items() if name != cgroup.VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "None"


def controller(parent: Path, name: str) -> None:
    """Skip unless the cgroup has this controller."""
    if name not in (parent / "cgroup.controllers").read_text().split():
        pytest.skip(f"the controller {name} is not delegated here")


EATS = """
import mmap
held = []
for _ in range(100):
    held.append(mmap.mmap(-1, 1_000_000))  # shared: RLIMIT_DATA does not count it
    held[-1].write(b"x" * 1_000_000)
print("ready", flush=True)
"""


@pytest.mark.slow
def test_memory_that_the_kernel_counts_is_bounded_by_the_kernel(parent, tmp_path):
    controller(parent, "memory")
    conditions = Conditions(sandbox="landlock", limits=Limits(memory=64_000_000))
    with live.started(bot_of(tmp_path / "bot.py", EATS, offered("landlock")), conditions) as bot:
        live.nobody_looks(bot)
        heard = live.ask(bot, READY)
    assert (heard.ending, heard.words.partition(":")[0]) == (Ending.LIMIT_EXCEEDED, "memory")


@pytest.mark.slow
def test_a_fork_bomb_is_bounded_by_the_kernel(parent, tmp_path):
    controller(parent, "pids")
    assert_the_kernel_bounds_a_fork_bomb(tmp_path, "landlock")


@pytest.mark.parametrize("name", cgroup.CONTROLLERS)
def test_a_cgroup_of_ours_alone_is_left_until_it_hands_on_its_controllers(parent, name):
    controller(parent, name)
    code = "groups = cgroup.opened(); bot = groups.new(); "
    code += (
        "print(*bot.controllers, os.path.basename(cgroup._current())); bot.remove(); groups.close()"
    )
    printed = inside(parent, code, **{cgroup.VARIABLE: str(parent)}).split()
    assert name in printed
    assert cgroup.HOME in printed
    assert folders(parent) == []
