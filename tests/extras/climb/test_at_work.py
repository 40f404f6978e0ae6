"""An agent's command that leaves processes behind, or spreads what it takes over sessions."""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.extras.climb.endpoint import Endpoint, HttpResponse
from arena.failure import Cause
from arena.sandbox import own_network, procfs
from arena.sandbox.building import BUILD_LIMITS, at_work
from arena.sandbox.launcher import ConfinementError, Launcher, SpawnerLostError
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot, Conditions
from tests.support.processes import alive, until

pytestmark = pytest.mark.skipif(bool(own_network.refusal()), reason="no network of one's own here")
SPREAD = """\
import os, sys, time
for number in range(4):
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.setsid()
            {work}
            os._exit(0)
        time.sleep(1000)
time.sleep(1000)
"""
HOLD = """\
import os, time
print("the last word", flush=True)
if not os.fork():
    os.setsid()
    while True:
        {work}
"""


def agent(folder: Path, text: str) -> Bot:
    (folder / "bot").mkdir()
    (folder / "bot/work.py").write_text(text)
    files = str(folder / "bot")
    return Bot(name="spread", command=(PYTHON, "work.py"), digest="0", files=files)


@pytest.fixture(params=["landlock", "bubblewrap"])
def level(request):
    return request.param


@contextlib.contextmanager
def refused_to_root() -> Iterator[None]:
    """Skip a test where only an ordinary user may have this level."""
    try:
        yield
    except ConfinementError as error:
        if os.getuid() != 0:
            raise
        pytest.skip(str(error))


@contextlib.contextmanager
def working(folder: Path, text: str, level: str, **limits: float) -> Iterator[object]:
    """Let a program work in a network of its own."""
    bot = agent(folder, text)
    conditions = Conditions(sandbox=level, limits=replace(BUILD_LIMITS, **limits))
    attend = Endpoint(lambda _: HttpResponse(404, b"{}", is_free=True)).attend
    with (
        refused_to_root(),
        Launcher() as launcher,
        at_work(launcher, bot, conditions, 60.0, attend=attend) as (built, _),
    ):
        yield built


@pytest.mark.parametrize(
    ("work", "cause", "limits"),
    [
        ("b = bytes([1]) * 60_000_000; time.sleep(1000)", Cause.MEMORY, {"memory": 150_000_000}),
        ("while True: pass", Cause.CPU, {"cpu": 0.6}),
    ],
    ids=["memory", "cpu"],
)
def test_what_is_spread_over_sessions_counts_as_a_whole(work, cause, limits, level, tmp_path):
    with working(tmp_path, SPREAD.format(work=work), level, **limits) as built:
        assert built.excess.cause is cause


@pytest.mark.parametrize("work", ["time.sleep(1000)", "os.write(1, b'x' * 4096)"])
def test_a_child_that_holds_the_output_open_delays_nothing(work, level, tmp_path):
    with working(tmp_path, HOLD.format(work=work), level) as built:
        assert not built.failed
        assert b"the last word" in built.output or b"xxxx" in built.output


def test_no_session_of_an_agent_outlives_its_killed_spawner(level, tmp_path):
    found: list[int] = []
    with Launcher() as launcher:
        spawner = launcher._spawner.pid

        def look() -> float:
            processes = list(procfs.below(spawner))
            if len(processes) > 8 and not found:
                found.extend(processes)
                os.kill(spawner, signal.SIGKILL)
            return 0.0

        def attend(_: int) -> contextlib.nullcontext:
            return contextlib.nullcontext(look)

        bot = agent(tmp_path, SPREAD.format(work="time.sleep(1000)"))
        conditions = Conditions(sandbox=level, limits=BUILD_LIMITS)
        with (
            pytest.raises(SpawnerLostError),
            refused_to_root(),
            at_work(launcher, bot, conditions, 60.0, attend=attend),
        ):
            pass
    assert found
    assert until(lambda: not any(map(alive, found)))


def test_an_edit_in_place_says_nothing_of_permissions(level, tmp_path):
    text = "import subprocess\nsubprocess.run(['sed', '-i', 's/a/b/', 'work.py'])\n"
    with working(tmp_path, text, level) as built:
        assert not built.failed
        assert built.output == b""
