"""Bots of several processes on a busy core: they are excused what others took, and no more."""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from arena.protocol import Ask
from arena.sandbox import choice
from arena.sandbox.family import FamilyMeter
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Ending, Limits
from tests.support.live import READY, ask, bot_of, started
from tests.support.processes import until
from tests.support.programs import python

pytestmark = pytest.mark.skipif(
    choice.failure("landlock") is not None,
    reason="the kernel asks before a fork at the levels that confine",
)
DEADLINE_S = 0.1
GO = Ask(text=b"go\n", announced=DEADLINE_S, deadline=DEADLINE_S)
SPINNERS = 6
HELPERS = """
import ctypes, signal
def spin(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
def child(seconds):
    pid = os.fork()
    if pid == 0:
        spin(seconds)
        os._exit(0)
    return pid
def engine(work):
    down, up = os.pipe(), os.pipe()
    if os.fork() == 0:
        while os.read(down[0], 1):
            work()
            os.write(up[1], b"x")
        os._exit(0)
    def think():
        os.write(down[1], b"x")
        os.read(up[0], 1)
    return think
def detached(seconds):
    if os.fork() == 0:
        child(seconds)
        os._exit(0)
    os.wait()
def reap_by_kernel():
    class Action(ctypes.Structure):
        _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_char * 128), ("flags", ctypes.c_int),
                    ("restorer", ctypes.c_void_p)]
    action = Action(flags=2)  # SA_NOCLDWAIT
    assert ctypes.CDLL(None).sigaction(signal.SIGCHLD, ctypes.byref(action), None) == 0
"""
IGNORE = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
THINKS = "\nspin(0.05); say('x')\n"
BUSY = "for _ in range(3): child(9)"
"""Children that take three quarters of the core of their parent."""
FORKS_ON = """
import threading
def fork_on():
    while True:
        for pid in [child(0.004) for _ in range(3)]: os.waitpid(pid, 0)
threading.Thread(target=fork_on, daemon=True).start()
"""


def wrapper(work: str) -> str:
    """Return a bot that starts an engine before it is ready, and has it think at each question."""
    return python(
        "think(); say('x')", first=HELPERS, ready=f"think = engine(lambda: {work})\nsay('ready')"
    )


@contextlib.contextmanager
def crowd(core: int, spinners: int) -> Iterator[None]:
    """So many programs that keep a core busy: in sessions, since the kernel may share by
    session.
    """
    spin = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    spinning = [
        subprocess.Popen([sys.executable, "-S", "-c", spin], start_new_session=True)
        for _ in range(spinners)
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def answers(launcher, path, program, spinners=0, **conditions):
    """Return the replies of a bot on one core, beside so many spinning programs, to two questions
    at most.
    """
    conditions = Conditions(**{"sandbox": "landlock", "limits": Limits(processes=8), **conditions})
    core = min(os.sched_getaffinity(0))
    with started(bot_of(path / "bot.py", program), conditions, launcher) as bot:
        assert until(lambda: bot.program is not None)  # inside bubblewrap it begins a moment later
        os.sched_setaffinity(bot.program, {core})
        assert ask(bot, READY).ending is None
        with crowd(core, spinners):
            replies = []
            while len(replies) < 2 and (not replies or replies[-1].ending is None):
                replies.append(ask(bot, GO))
    return replies


@pytest.mark.parametrize("level", ["landlock", pytest.param("bubblewrap", marks=pytest.mark.soak)])
def test_a_wrapper_whose_engine_waits_for_a_core_loses_nothing(launcher, tmp_path, level):
    if choice.failure(level) is not None:
        pytest.skip(f"no {level} here")
    replies = answers(launcher, tmp_path, wrapper("spin(0.03)"), SPINNERS, sandbox=level)
    assert [reply.ending for reply in replies] == [None, None], replies
    assert max(reply.spent.wall for reply in replies) > DEADLINE_S, "it had to wait"


@pytest.mark.soak
@pytest.mark.parametrize("spinners", [0, SPINNERS])
@pytest.mark.parametrize(
    "work", ["time.sleep(0.13)", "spin(0.13)", "[time.sleep(0.01) for _ in range(14)]"]
)
def test_a_wrapper_whose_engine_takes_too_long_loses_beside_whatever_load(
    launcher, tmp_path, work, spinners
):
    reply = answers(launcher, tmp_path, wrapper(work), spinners)[0]
    assert reply.ending is Ending.TIMEOUT, reply


@pytest.mark.parametrize(
    "conditions",
    [{"freeze": False}, {"syscalls": ("setsid",)}, {"sandbox": "rlimits"}],
    ids=lambda conditions: next(iter(conditions)),
)
def test_where_processes_could_be_unseen_no_wait_of_a_bot_that_forked_counts(
    launcher, tmp_path, conditions
):
    reply = answers(launcher, tmp_path, wrapper("spin(0.06)"), SPINNERS, **conditions)[0]
    assert reply.ending is Ending.TIMEOUT, reply
    assert reply.failure.spent.waited == 0.0


@pytest.mark.parametrize(("processes", "is_asked"), [(1, False), (2, True)])
def test_the_kernel_asks_before_the_forks_of_bots_of_several_processes_only(
    launcher, tmp_path, processes, is_asked
):
    conditions = Conditions(sandbox="landlock", limits=Limits(processes=processes))
    with started(bot_of(tmp_path / "bot.py", python()), conditions, launcher) as bot:
        assert (bot.child.forks is not None) is is_asked
        assert isinstance(bot._meter, FamilyMeter) is is_asked


def test_a_bot_of_several_processes_that_is_watched_is_excused_as_in_a_match(tmp_path):
    with Launcher(watches=True) as watching:
        replies = answers(watching, tmp_path, wrapper("spin(0.03)"), SPINNERS)
        assert [reply.ending for reply in replies] == [None, None], replies
        assert max(reply.spent.wall for reply in replies) > DEADLINE_S, "it had to wait"
        watching.refused.start_anew()
        replies = answers(
            watching, tmp_path, python("import os\ntry: os.setsid()\nexcept OSError: say('no')")
        )
        assert watching.refused.failing() == ["setsid"], (
            "calls that are refused are named all the same"
        )


KEEPS_ITSELF_WAITING = {
    "long-lived children": ("", BUSY, THINKS),
    "children": ("", "", BUSY + THINKS),
    "children that the kernel reaps": (IGNORE, "", BUSY + THINKS),
    "children that leave no time": ("reap_by_kernel()", "", BUSY + THINKS),
    "short-lived children": (
        IGNORE,
        "",
        "for _ in range(3):\n    child(0.03)\n    child(0.03)\n    spin(0.02)\nsay('x')",
    ),
    "children of children": ("", "", "for _ in range(3): detached(9)" + THINKS),
    "a child from before": ("", "", THINKS + BUSY),
    "a thread that forks also while it is frozen": ("", FORKS_ON, THINKS),
}


@pytest.mark.parametrize(
    ("waits", "cpu", "waited"),
    [
        pytest.param({1: [1.0, 0.0]}, {1: 0.5}, 1.0, id="one process"),
        pytest.param({1: [0.25, 0.0], 2: [1.0, 0.0]}, {2: 0.5}, 1.0, id="an engine that worked"),
        pytest.param(
            {1: [1.0, 0.0], 2: [0.75, 0.0]}, {2: 0.5}, 1.25, id="one handed over to the other"
        ),
        pytest.param({1: [1.0, 0.0], 2: [0.0]}, {2: 0.75}, 0.25, id="it waited for its child"),
        pytest.param({1: [1.0, 0.0], 2: [0.0]}, {2: 1.5}, 0.0, id="its child took all"),
        pytest.param(
            {n: [1.0, 0.0] for n in range(9)}, dict.fromkeys(range(9), 0.25), 0.0, id="a crowd"
        ),
        pytest.param({1: [0.5, 0.5], 2: [0.0]}, {}, 1.0, id="two threads"),
    ],
)
def test_the_two_longest_waits_count_less_what_other_processes_computed(waits, cpu, waited):
    meter = FamilyMeter(lambda: None, lambda: (), None, SimpleNamespace(count=0))
    for pid, of_threads in waits.items():
        meter._members[pid] = SimpleNamespace(
            waits=lambda found=of_threads: found, own_cpu=cpu.get(pid, 0.0)
        )
    assert meter.waited(sum(cpu.values())) == waited
    meter._forks.count = 1
    assert meter.waited(sum(cpu.values())) == 0.0


FORKS = """
children = 0
while True:
    if os.fork() == 0: os._exit(0)
    os.wait()
    children += 1
    os.write(2, f"{children}\\n".encode())
"""


def test_no_fork_is_done_before_it_is_counted_also_around_a_freeze(launcher, tmp_path):
    conditions = Conditions(sandbox="landlock", limits=Limits(processes=2))
    with started(bot_of(tmp_path / "bot.py", f"import os\n{FORKS}"), conditions, launcher) as bot:
        done = 0
        while done < 50:
            assert select.select([bot.wire.stderr], [], [], 20)[0]
            bot._freezer.freeze()
            lines = (bot.wire.read_log() or b"").split()
            done = int(lines[-1])
            assert bot.child.forks.count >= done
            bot._freezer.thaw()


@pytest.mark.parametrize("level", ["landlock", "bubblewrap"])
def test_a_child_that_is_born_between_a_stop_and_a_wake_is_awake(launcher, tmp_path, level):
    if choice.failure(level) is not None:
        pytest.skip(f"no {level} here")
    conditions = Conditions(sandbox=level, limits=Limits(processes=2))
    program = bot_of(tmp_path / "bot.py", f"import os\n{FORKS}")
    with started(program, conditions, launcher) as bot:
        for _ in range(300):  # of 500 such pairs at least one met a fork, in each of 8 runs
            assert select.select([bot.wire.stderr], [], [], 20)[0]
            bot.wire.read_log()
            bot.child.freeze()
            bot.child.thaw()


@pytest.mark.parametrize("name", KEEPS_ITSELF_WAITING)
def test_a_bot_is_not_excused_that_it_keeps_itself_waiting(launcher, tmp_path, name):
    first, ready, go = KEEPS_ITSELF_WAITING[name]
    program = python(go, first=HELPERS + first, ready=f"{ready}\nsay('ready')")
    replies = answers(launcher, tmp_path, program)
    assert replies[-1].ending is Ending.TIMEOUT, replies
