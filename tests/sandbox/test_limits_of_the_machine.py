"""A machine that gives no more threads, memory, disk space or semaphores is named in one line, and
nothing hangs.
"""

import contextlib
import errno
import itertools
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import ArenaError, MachineError, writing
from arena.replay import verify
from arena.sandbox import choice, rlimits
from arena.sandbox.folder import ADVICE
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions
from tests.support import events, live, workspaces
from tests.support.cup import Command, environment, processes_in, stored
from tests.support.sprint import FIRST, LAST


def refuse_threads(after: int) -> None:
    """Let this process start only a few threads more."""
    start, started = threading._start_new_thread, itertools.count()

    def refuse(*words):
        if next(started) >= after:
            raise RuntimeError("can't start new thread")
        return start(*words)

    threading._start_new_thread = refuse


@pytest.mark.parametrize("threads", [0, 1, 2, 3])
def test_a_run_that_gets_no_more_threads_ends_with_one_line_and_leaves_no_process(
    tmp_path, threads
):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    done = Command(folder, "run", "--workers", "2", before=lambda: refuse_threads(threads)).end()
    assert done.returncode == 2
    *_, last = done.stderr.splitlines()
    assert last.startswith(
        "the system gives arena no more processes, threads or memory (can't start new thread); "
    )
    assert "Traceback" not in done.stderr
    assert not list(processes_in(folder))


LIMITS = {
    "-n": (resource.RLIMIT_NOFILE, 250),
    "-d": (resource.RLIMIT_DATA, 50_000_000_000),
    "-v": (resource.RLIMIT_AS, 50_000_000_000),
    "-f": (resource.RLIMIT_FSIZE, 1_000_000),
    "-t": (resource.RLIMIT_CPU, 30),
}
"""What a shell calls each limit, and one that is lower than that of bots."""


@pytest.mark.parametrize(
    "ulimit",
    [pytest.param(name, marks=[pytest.mark.soak] * (name in {"-f", "-t"})) for name in LIMITS],
)
def test_a_limit_of_the_shell_that_is_lower_than_that_of_bots_is_named_in_one_line(
    tmp_path, ulimit
):
    limits = {"memory": "60 GB"}  # so that a fork of this process is smaller than the limit
    folder = workspaces.make(tmp_path / "ws", boards="duel", limits=limits)

    def lower() -> None:
        kind, value = LIMITS[ulimit]
        resource.setrlimit(kind, (value, value))
        rlimits.own_limits.cache_clear()

    done = Command(folder, "run", before=lower).end()
    assert done.returncode == 2
    assert f"`ulimit {ulimit}`: it is " in done.stderr.splitlines()[-1], done
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A workspace whose event was played, and has no charts; it has enough records that `verify`
    shares them out.
    """
    bots = {"first": FIRST, "last": LAST}
    folder = workspaces.make(
        tmp_path_factory.mktemp("played") / "ws", bots, repeats=verify.FEW // 2 + 1
    )
    assert events.run(folder, "results/cup")[0].complete
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "command"), [(0, "verify"), (1, "charts")])
def test_work_for_many_processes_that_gets_no_more_threads_ends_with_one_line(
    played, threads, command
):
    done = Command(played, command, before=lambda: refuse_threads(threads)).end()
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "can't start new thread" in done.stderr


@contextlib.contextmanager
def small_disk(folder: Path, options: str) -> Iterator[None]:
    """Mount a disk with these limits there; skip the test where nothing can be mounted."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", options, "none", folder]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


ROOM = ": has less room than the limits scratch and files allow a bot; "


@pytest.mark.parametrize(
    ("files", "level", "why"),
    [
        (9, "none", ROOM),
        (2, "auto", ": cannot be written: No space left on device; "),
        (500, "auto", ROOM),
    ],
)
def test_a_folder_for_scratch_that_is_full_is_named(tmp_path, files, level, why):
    folder = workspaces.make(tmp_path / "ws", boards="duel")
    words = ("run", "--no-charts", "--sandbox", level, "--unsafe")
    with small_disk(tmp_path / "small", f"size=64m,nr_inodes={files}"):
        done = Command(
            folder, *words, before=choice.failure.cache_clear, TMPDIR=str(tmp_path / "small")
        ).end()
    assert done.returncode == 2
    assert (
        done.stderr.splitlines()[-1].removeprefix("tournament.toml: ")
        == f"{tmp_path / 'small'}{why}{ADVICE}"
    )
    assert "Traceback" not in done.stderr


def test_a_bot_that_fails_while_the_disk_is_full_is_not_at_fault(tmp_path, monkeypatch):
    (tmp_path / "fills.sh").write_text(
        "while read -r line; do name=x$name; echo note > $TMPDIR/$name || exit; echo ready; done\n"
    )
    bot = Bot(
        name="fills",
        command=("/bin/sh", "fills.sh"),
        digest="fills",
        files=str(tmp_path / "fills.sh"),
    )
    with small_disk(tmp_path / "small", "size=20m"):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "small"))
        with (
            Launcher() as launcher,
            live.started(bot, Conditions(sandbox="rlimits"), launcher) as started,
        ):
            assert live.ask(started, live.READY).ending is None
            with pytest.raises(OSError, match="No space left"):
                (tmp_path / "small/file").write_bytes(bytes(30_000_000))
            with pytest.raises(MachineError, match=ROOM):
                live.ask(started)


@pytest.mark.parametrize("submitted", ["class/Ann.py", "class"])
def test_a_disk_that_is_full_refuses_no_bot_that_is_submitted(tmp_path, submitted):
    limits = {"files": 30_000}  # the self-test has the default
    folder = workspaces.make(tmp_path / "ws", boards="duel", limits=limits)
    (tmp_path / "class").mkdir()
    for name in ("Ann", "Bob", "Cy"):
        (tmp_path / f"class/{name}.py").write_text(f"print({name!r})\n")
    with small_disk(tmp_path / "small", "size=64m,nr_inodes=9000"):
        done = Command(
            folder, "submit", str(tmp_path / submitted), TMPDIR=str(tmp_path / "small")
        ).end()
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"{tmp_path / 'small'}{ROOM}{ADVICE}\n",
    )
    assert not (folder / "bots/_refused").exists()


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """Yield an empty folder that is not in /dev/shm, where `tmp_path` may be."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)


def test_semaphores_that_cannot_be_made_are_no_fault_of_the_log(on_disk):
    folder = workspaces.make(on_disk / "ws", boards="duel")
    locked = 'mount --bind /dev/shm /dev/shm && mount -o remount,bind,ro /dev/shm && exec "$@"'
    apart = ("unshare", "-m", "sh", "-c", locked, "sh")
    if (
        shutil.which("unshare") is None
        or subprocess.run([*apart, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no mounts of its own can be had here")
    command = [*apart, sys.executable, "-m", "arena", "run", "--no-charts"]
    variables = environment(TMPDIR=str(on_disk))
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "/dev/shm: no semaphore can be made: Read-only file system; "
    )
    assert "Traceback" not in done.stderr


def test_a_log_on_a_full_disk_costs_its_lines_and_no_match(tmp_path):
    folder = workspaces.make(tmp_path / "ws", {"first": FIRST, "last": LAST})
    logs = folder / "results/cup/logs"
    with small_disk(logs, "size=4k"):
        (logs / "filling").write_bytes(bytes(4096))
        done = Command(folder, "run", "--no-charts").end()
    assert done.returncode == 0
    assert (
        "results/cup/logs: lines are missing in its log: No space left on device\n" in done.stderr
    )
    assert "Traceback" not in done.stderr
    assert stored(folder) == 2


def test_a_file_that_cannot_be_written_is_named_and_a_refusal_of_the_system_passes(tmp_path):
    target = tmp_path / "missing/file"
    with (
        pytest.raises(ArenaError, match=f"^{target}: cannot be written: No such file"),
        writing(tmp_path),
    ):
        target.touch()
    with (
        pytest.raises(ArenaError, match=f"^{tmp_path}: cannot be written: No space left"),
        writing(tmp_path),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(BlockingIOError), writing(tmp_path):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
