"""Fixtures that every test may ask for, and the machine to itself for a test that asks for that.

Under pytest-xdist tests run side by side, in three worker processes more than there are cores. A
test marked `alone` compares times, or fills the machine: no other test runs meanwhile, which the
workers agree upon by locks on two files.
"""

import atexit
import contextlib
import fcntl
import gc
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import util
from pathlib import Path

import pytest

from arena.sandbox import folder

for name in [
    name for name in os.environ if name.startswith("PYTHON")
]:  # PYTHONUNBUFFERED, PYTHONOPTIMIZE, ...
    del os.environ[
        name
    ]  # the processes that tests start behave as a user's do, whatever the caller has set
sys.dont_write_bytecode = False
os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # as the command `arena` has it: more threads spin
os.environ.setdefault(
    "ARENA_CGROUP", "none"
)  # tests start alike on every machine; test_cgroup.py has its own
MEMORY, ROOM = Path("/dev/shm"), 4_000_000_000
"""A file system in memory, and the bytes that must be free there: the tests leave 0.3 GB until they
end.

There the suite takes nine tenths of its time on a quiet disk: it makes and removes tens of
thousands of small files, and an ext4 that has just removed thousands searches for up to a
millisecond before it makes the next one.
"""
with contextlib.suppress(OSError):
    there = os.statvfs(MEMORY)
    if (
        there.f_bavail * there.f_frsize >= ROOM
        and not there.f_flag & os.ST_NOEXEC
        and os.access(MEMORY, os.W_OK)
    ):
        os.environ.setdefault("TMPDIR", str(MEMORY))
        tempfile.tempdir = None  # pytest has already asked for it
WORKER = os.environ.pop(
    "PYTEST_XDIST_WORKER", ""
)  # a test that runs pytest begins workers of its own
"""The name of this process among those that run tests side by side; empty in the one that begins
them."""
if not WORKER:
    folder.sweep()
    RUN, LOCK = folder.private()
    """A folder for all files of this run, which no other run and no other user has anything in. The
    next run removes it if this one is killed."""
    RUN.chmod(folder.REACHABLE)  # run by root, bots are other users
    util.Finalize(
        None, folder.discard, [RUN], exitpriority=-200
    )  # after Python has removed its own folder in it
    os.environ["ARENA_TESTS"] = str(RUN)
TEMPORARY = Path(os.environ["ARENA_TESTS"], WORKER or "main")
"""The folder for temporary files of this process alone, so that it is known which test left what in
it."""
TEMPORARY.mkdir(mode=folder.REACHABLE)
os.environ["TMPDIR"] = tempfile.tempdir = str(TEMPORARY)
os.environ["XDG_STATE_HOME"] = str(
    TEMPORARY.parent / "state"
)  # the secret of seals, for all workers
BUSY, SCARCE = 6.0, 500_000_000
"""A load for each core that the tests themselves do not make; bytes of memory or a disk that they
may need at once."""
TRACES = {"arena-users", "dask-scratch-space"}
"""Names that arena, or what it uses, would have for its own files in folders that users share."""


@pytest.fixture
def launcher(shared_launcher) -> object:
    """Return a launcher in which nothing is left of the tests before: a bot that is ended alone may
    leave processes.
    """
    shared_launcher.sweep()
    return shared_launcher


@pytest.fixture
def time_to_leave(monkeypatch) -> None:
    """Leave bots awake until they are gone, as the moment after `end` is short on a busy machine."""
    monkeypatch.setattr("arena.match.polling.FAREWELL_S", 20.0)


@pytest.fixture(scope="session")
def shared_launcher() -> Iterator[object]:
    """Yield a launcher for all tests of a process that need no other: the start of each takes 0.06
    s of CPU.

    It copies the files of each digest once. Where tests make up the same digest, the bot of the
    second would play with the files of the first, so that is refused.
    """
    from arena.event import (
        bot_folder,
    )  # here, so that tests of nothing but values do not wait for it
    from arena.sandbox.launcher import Launcher
    from arena.values import Bot

    files: dict[str, str | None] = {}
    with Launcher() as launcher:
        originals = launcher.folder._originals

        def checked(bot: Bot) -> Path:
            if files.setdefault(bot.digest, bot.files) != bot.files:
                assert bot.files is not None
                assert bot_folder.is_whole(Path(bot.files), bot.digest), (
                    f"another bot has the digest {bot.digest!r}"
                )
            return originals(bot)

        launcher.folder._originals = checked  # type: ignore[method-assign]
        yield launcher


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Yield a Chromium; not for the whole session, as no test may run an event loop while there is
    one.
    """
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs the package playwright, of the extra dev"
    )
    program = shutil.which("chromium-headless-shell") or shutil.which(
        "chromium"
    )  # the shell takes a quarter less CPU
    if program is None:
        pytest.skip("needs Debian's package chromium-headless-shell, or chromium")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=program)
        yield running
        running.close()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Collect tests without the garbage collector: modules and tests all stay, and forks share what
    is frozen.
    """
    gc.disable()
    try:
        if (
            hasattr(session.config, "workerinput")
            and session.config.args_source != pytest.Config.ArgsSource.ARGS
        ):
            import_tests(**session.config.workerinput)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        # A look at old objects writes to each of them, and each fork has those pages copied.
        gc.set_threshold(10_000, 50, 50)


def import_tests(workerid: str, workercount: int, **_: object) -> None:
    """Import all tests, each worker from another file on: or all compile each at the same time in a
    fresh clone.
    """
    tests = Path(__file__).parent
    files = sorted(tests.rglob("test_*.py"))
    first = len(files) * int(workerid.removeprefix("gw")) // workercount
    for file in files[first:] + files[:first]:
        name = ".".join(file.relative_to(tests.parent).with_suffix("").parts)
        with contextlib.suppress(
            Exception, pytest.skip.Exception
        ):  # it is imported again, and that says what is wrong
            importlib.import_module(name)


@pytest.hookimpl(tryfirst=True)  # before pytest makes its own folder
def pytest_configure(config: pytest.Config) -> None:
    if WORKER:
        config.pluginmanager.register(CleanUp(config))
    else:
        config.option.basetemp = config.option.basetemp or str(RUN / "tests")
        config.pluginmanager.register(Report())
        config.pluginmanager.register(FirstFailure())
    if config.pluginmanager.has_plugin(
        "hypothesispytest"
    ):  # else its import would take longer than such tests
        from hypothesis import settings

        settings.register_profile(
            "arena", deadline=None
        )  # on a busy machine no example has a time that it must keep
        settings.load_profile("arena")
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Turns(Path(config.workerinput["turns"])))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """In the process that starts the workers: tell each where the locks are."""
    node.workerinput["turns"] = str(node.config._tmp_path_factory.getbasetemp())


class Turns:
    """Many tests at once, or one alone. Who waits to be alone holds the gate, so that nobody else
    begins.
    """

    def __init__(self, folder: Path) -> None:
        self._gate = (folder / "gate").open("w")
        self._floor = (folder / "floor").open("w")

    @pytest.hookimpl(trylast=True)  # once their order is drawn
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put those that are alone first, then who begins the attacks, then those that are to stay
        together; those that wait for the attacks are last.

        So one worker has all that are alone, and the others wait once. Whoever has no tests left
        takes some from the end of another's, in parts so small that each makes anew what a module
        shares: so a module that shares much is at the beginning, and nobody waits early for the
        attacks.
        """

        def turn(item: pytest.Item) -> int:
            fixtures = getattr(item, "fixturenames", ())
            if is_alone(item):
                return 0
            if "findings" in fixtures:
                return 1
            if item.get_closest_marker("together") is not None:
                return 2
            if "stands" in fixtures:
                return 4
            return 3

        items.sort(key=turn)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # around everything, a test's time limit too
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[object]:
        how = fcntl.LOCK_EX if is_alone(item) else fcntl.LOCK_SH
        fcntl.flock(self._gate, how)
        fcntl.flock(self._floor, how)
        if how == fcntl.LOCK_SH:
            fcntl.flock(self._gate, fcntl.LOCK_UN)
        try:
            return (yield)
        finally:
            if nextitem is None or not (is_alone(item) and is_alone(nextitem)):
                fcntl.flock(self._floor, fcntl.LOCK_UN)
                fcntl.flock(self._gate, fcntl.LOCK_UN)


def is_alone(item: pytest.Item) -> bool:
    return item.get_closest_marker("alone") is not None


class CleanUp:
    """In a worker: find the test that left a file in the folder for temporary files."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._since: dict[str, str] = {}
        """The test after which each file was first seen."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        for name in os.listdir(TEMPORARY):
            self._since.setdefault(name, nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        atexit._run_exitfuncs()  # now, as some files last as long as the process
        left = [
            f"{name}, since {self._since.get(name, 'the end')}"
            for name in sorted(os.listdir(TEMPORARY))
        ]
        self._config.workeroutput["left"] = left


class Report:
    """In the process that starts the workers: fail the run if a test has left files."""

    def __init__(self) -> None:
        self._left: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        self._left += getattr(node, "workeroutput", {}).get("left", [])

    @pytest.hookimpl(trylast=True)  # when the workers have ended
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._left and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter) -> None:
        for line in self._left:
            terminalreporter.write_line(f"left behind: {line}", red=True)


class FirstFailure:
    """Says in one line what to look at first: the machine at the moment of the first failure, or
    the test itself.
    """

    def __init__(self) -> None:
        self._line = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._line:
            causes = ", ".join(self._troubles()) or "the machine is quiet, so look at the test"
            self._line = f"first failure: {report.nodeid}: {causes}"

    def _troubles(self) -> Iterator[str]:
        """Yield what may make a test fail that passes elsewhere."""
        cores, (load, *_) = len(os.sched_getaffinity(0)), os.getloadavg()
        if load > BUSY * cores:
            yield f"the machine is busy, with a load of {load:.0f} on {cores} cores"
        memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        available = int(memory["MemAvailable"].split()[0]) * 1024
        if available < SCARCE:
            yield f"only {available / 1e6:.0f} MB of memory are free"
        for path in (RUN, Path("/tmp"), Path("/var/tmp")):
            disk = os.statvfs(path)
            if disk.f_bavail * disk.f_frsize < SCARCE:
                yield f"{path} has only {disk.f_bavail * disk.f_frsize / 1e6:.0f} MB free"
        for path in (MEMORY, Path("/tmp")):
            with contextlib.suppress(OSError):
                names = [
                    entry.name for entry in path.iterdir() if entry.lstat().st_uid != os.getuid()
                ]
                foreign = [name for name in names if name in TRACES]
                if foreign:
                    yield f"another user has {', '.join(sorted(foreign))} in {path}"

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if self._line:
            terminalreporter.write_line(self._line, red=True)
