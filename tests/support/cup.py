"""The command `arena`, in this process or in one of its own, and what it leaves in a workspace."""

import atexit
import contextlib
import csv
import faulthandler
import gc
import io
import multiprocessing
import os
import pty
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Iterator
from fcntl import ioctl
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from unittest.mock import patch

from arena import __main__ as arena_main
from arena import parallel
from arena.cli import main
from arena.results.archive import Archive
from tests.support import events
from tests.support.executed import as_from_a_shell
from tests.support.programs import python

BOT = python('time.sleep({pause})\nsay("# [red]seen[/red]")\nsay(legal[{place}])')
CRASHES = 'raise SystemExit("[bold]no[/bold]")\n'
FIRST, LAST = BOT.format(place=0, pause=0), BOT.format(place=-1, pause=0)


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment without the variables of a terminal."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}
    }
    return kept | changes


def arena(
    folder: Path, *words: str, typed: str = "", **changes: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder: in this process, which has imported all that is slow to import.

    `typed` is what stdin holds; half a surrogate pair in it is a byte that is no text.
    """
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", "", write_through=True)
        for _ in "ab"
    )
    with (
        contextlib.chdir(folder),
        patch.dict(os.environ, environment(**changes), clear=True),
        patch.object(sys, "argv", ["arena", *words]),
        patch.object(
            sys,
            "stdin",
            io.TextIOWrapper(io.BytesIO(typed.encode(errors="surrogateescape")), "utf-8"),
        ),
        patch.object(
            Archive, "opened", set()
        ),  # a command that fails looks for damage in these only
        # A TMPDIR of this call holds for it alone; tempfile would remember it.
        patch.object(tempfile, "tempdir", None if "TMPDIR" in changes else tempfile.tempdir),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as done:
            code = done.code
        finally:
            atexit.unregister(gc.freeze)  # which is for the end of a process of its own
    said = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(words, code, *said)


def refused(done: subprocess.CompletedProcess[str], words: str) -> bool:
    """Return whether a command ended with a mistake of the user: one line, with these words."""
    return (done.returncode, words in done.stderr, done.stderr.count("\n")) == (2, True, 1)


class Forked:
    """A fork of this process."""

    def __init__(self, main: Callable[..., object], arguments: tuple[object, ...]) -> None:
        context = multiprocessing.get_context("fork")
        self._process = context.Process(target=main, args=arguments)
        self._process.start()
        # At the end of the tests nobody waits for it.
        multiprocessing.process._children.discard(self._process)
        self.pid: int = self._process.pid

    def returncode(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float) -> None:
        self._process.join(seconds)


class Executed:
    """A program of its own."""

    def __init__(
        self, streams: list[int], folder: Path, words: tuple[str, ...], variables: dict[str, str]
    ) -> None:
        root = Path(__file__).parents[2]
        code = (
            f"import sys; sys.path.insert(0, {str(root)!r}); "
            f"from tests.support import executed; executed.begin({os.getpid()})"
        )
        stdin, stdout, stderr = streams * (3 // len(streams))
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=folder,
            env=variables,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def returncode(self) -> int | None:
        return self._process.poll()

    def wait(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)


class Command:
    """`arena` in a process of its own: a fork of this one, which has imported all that is slow to
    import, if it has no other threads, or is to do something `before`.

    It has a session of its own, and the signals of a command that a shell starts. Its output goes
    to files, or to a pseudo-terminal whose other end is `terminal`.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        on_terminal: bool = False,
        before: Callable[[], object] | None = None,
        **changes: str,
    ) -> None:
        self.terminal = -1
        """The end of the pseudo-terminal that a person would have."""
        self._files = [os.memfd_create(name) for name in ("stdout", "stderr")]
        streams = [os.open(os.devnull, os.O_RDONLY), *map(os.dup, self._files)]
        if on_terminal:
            for stream in streams:
                os.close(stream)
            self.terminal, theirs = pty.openpty()
            ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            streams = [theirs]
        variables = environment(**changes)
        self._process: Forked | Executed
        if before is not None or threading.active_count() == 1:
            arguments = (streams, folder, words, before, variables, os.getpid())
            self._process = Forked(self._main, arguments)
        else:
            # A fork would have the locks that other threads hold at this moment, for ever.
            self._process = Executed(streams, folder, words, variables)
        self.pid = self._process.pid
        for stream in streams:
            os.close(stream)

    def _main(
        self,
        streams: list[int],
        folder: Path,
        words: tuple[str, ...],
        before: Callable[[], object] | None,
        variables: dict[str, str],
        parent: int,
    ) -> None:
        as_from_a_shell()
        parallel.tie_to(parent)  # a failed test may leave it
        if len(streams) == 1:
            os.close(self.terminal)
            os.login_tty(streams[0])
        else:
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
        sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
        sys.__stdout__, sys.__stderr__ = (
            sys.stdout,
            sys.stderr,
        )  # else they are closed when arena puts its own there
        faulthandler.register(signal.SIGRTMAX, sys.stderr)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        tempfile.tempdir = None  # as TMPDIR has it
        sys.argv = [arena_main.__file__, *words]
        Archive.opened.clear()
        atexit._clear()
        forkserver._forkserver._forkserver_pid = (
            None  # that of the tests is no child of this process
        )
        multiprocessing.current_process()._config["tempdir"] = None
        if before is not None:
            before()
        try:
            main()
        finally:
            atexit._run_exitfuncs()

    @property
    def returncode(self) -> int | None:
        return self._process.returncode()

    def said(self) -> str:
        """Return what it has written to stderr so far."""
        return self._written(1)

    def stuck(self) -> str:
        """Return what it has written, and where each of its threads is: why it does not go on."""
        os.kill(self.pid, signal.SIGRTMAX)
        time.sleep(1)
        return self.said()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it alone."""
        os.kill(self.pid, number)

    def wait(self, seconds: float = 60) -> int:
        """Wait for its end, with a guard against hangs; return its exit code."""
        self._process.wait(seconds)
        assert self.returncode is not None, f"it does not end: {self.stuck()}"
        return self.returncode

    def end(self, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """Wait for its end; return what it wrote to files."""
        code, out, err = self.wait(seconds), self._written(0), self._written(1)
        for file in self._files:
            os.close(file)
        return subprocess.CompletedProcess((), code, out, err)

    def _written(self, number: int) -> str:
        return os.pread(self._files[number], 1 << 24, 0).decode()

    def read_all(self) -> str:
        """Read what it writes to its terminal until it closes that."""
        parts = []
        with contextlib.suppress(OSError):
            while part := os.read(self.terminal, 65536):
                parts.append(part)
        os.close(self.terminal)
        return b"".join(parts).decode(errors="replace")


def processes_in(folder: Path) -> Iterator[int]:
    """Yield the other processes that work in this folder, or have it on their command line."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if int(entry.name) != os.getpid() and (
                (entry / "cwd").readlink().is_relative_to(folder)
                or bytes(folder) in (entry / "cmdline").read_bytes()
            ):
                yield int(entry.name)


def run_event(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run an event without the charts, which take the longest, in one lane unless the words say
    otherwise.
    """
    return arena(
        folder, "run", "--no-charts", *(() if "--workers" in words else ("--workers", "1")), *words
    )


@contextlib.contextmanager
def few_charts(*names: str) -> Iterator[None]:
    """Let commands in this process draw these charts only.

    They do it in this process, which a fork for each core would take longer than.
    """
    from arena import charts  # here, so that tests without a chart do not wait for matplotlib

    alone = partial(parallel.parallel_map, cores=1)
    with (
        patch.object(charts, "names", lambda: names),
        patch.object(parallel, "parallel_map", alone),
    ):
        yield


def first_chart_only() -> contextlib.AbstractContextManager[None]:
    """Draw the first chart only, where a report is wanted and its charts do not matter."""
    from arena import charts  # as above

    return few_charts(charts.FIRST)


def leaderboard(folder: Path, name: str = "cup") -> list[dict[str, str]]:
    return list(
        csv.DictReader((folder / f"results/{name}/leaderboard.csv").read_text().splitlines())
    )


def tables(folder: Path) -> list[bytes]:
    return [(folder / "results/cup" / name).read_bytes() for name in events.TABLES]


def stored(folder: Path, name: str = "cup") -> int:
    """Return the number of stored matches."""
    store = folder / "results" / name / "event.sqlite"
    if not store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("select count(*) from matches").fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


def start(folder: Path, *words: str) -> Command:
    """Start a run in the background, whose processes all work in the folder."""
    (folder / "tmp").mkdir(exist_ok=True)
    return Command(folder, "run", str(folder), "--no-charts", *words, TMPDIR=str(folder / "tmp"))
