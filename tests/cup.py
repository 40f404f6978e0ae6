"""Small workspaces for the tests of the command line, and the command itself, in this process or in one of its own."""

import atexit
import contextlib
import csv
import gc
import io
import os
import pty
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from fcntl import ioctl
from pathlib import Path
from unittest.mock import patch

from arena.cli import main
from arena.results.archive import Archive

BOT = """\
import sys, time
legal = []
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "ready?":
        print("ready", flush=True)
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        time.sleep({pause})
        print("# [red]seen[/red]", flush=True)
        print(legal[{place}], flush=True)
        legal = []
"""
CRASHES = 'raise SystemExit("[bold]no[/bold]")\n'
TOML = """\
name = "cup"
seed = 7
boards = [{boards}]
repeats = {repeats}
bots = "bots"

[time]
start = 10.0
move = 10.0
"""
FIRST, LAST = BOT.format(place=0, pause=0), BOT.format(place=-1, pause=0)
SLOW = BOT.format(place=0, pause=0.004)
SLOW_BOTS = {"first": SLOW, "last": SLOW.replace("legal[0]", "legal[-1]"), "more": SLOW.replace("[0]", "[1]")}
TABLES = ("leaderboard.csv", "rankings.csv", "strengths.csv", "chance_better.csv", "crosstable.csv", "matches.csv")


def make(folder: Path, boards: str = "duel", repeats: int = 1, **bots: str) -> Path:
    """Make a workspace with these bots; without names, with `first` and `last`."""
    (folder / "bots").mkdir(parents=True)
    for name, text in (bots or {"first": FIRST, "last": LAST}).items():
        (folder / "bots" / f"{name}.py").write_text(text)
    labels = ", ".join(f'"{board}"' for board in boards.split())
    (folder / "tournament.toml").write_text(TOML.format(boards=labels, repeats=repeats))
    return folder


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment without the variables of a terminal."""
    kept = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
    return kept | changes


def arena(folder: Path, *words: str, typed: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder: in this process, which has imported all that is slow to import.

    `typed` is what stdin holds; half a surrogate pair in it is a byte that is no text.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    with (
        contextlib.chdir(folder),
        patch.dict(os.environ, environment(**changes), clear=True),
        patch.object(sys, "argv", ["arena", *words]),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode(errors="surrogateescape")), "utf-8")),
        patch.object(Archive, "opened", set()),  # a command that fails looks for damage in these only
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


def arena_itself(folder: Path, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def as_from_a_shell() -> None:
    """Let Ctrl-C and a closed terminal end a new process, also when the tests run under nohup or as a job."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def processes_naming(text: str) -> Iterator[int]:
    """Yield the other processes whose command line holds this text."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:  # it ended meanwhile
                continue
            if text.encode() in words:
                yield int(entry.name)


def run_event(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run an event without the charts, which take the longest."""
    return arena(folder, "run", "--no-charts", *words)


@contextlib.contextmanager
def first_chart_only() -> Iterator[None]:
    """Let commands in this process draw the first chart only, where a report is wanted and its charts do not matter."""
    from arena import charts  # here, so that tests without a chart do not wait for matplotlib

    with patch.object(charts, "names", lambda: (charts.FIRST,)):
        yield


def leaderboard(folder: Path, name: str = "cup") -> list[dict[str, str]]:
    return list(csv.DictReader((folder / f"results/{name}/leaderboard.csv").read_text().splitlines()))


def tables(folder: Path) -> list[bytes]:
    return [(folder / "results/cup" / name).read_bytes() for name in TABLES]


def stored(folder: Path) -> int:
    """Return the number of stored matches."""
    store = folder / "results/cup/event.sqlite"
    if not store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("select count(*) from matches").fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


def soon(condition: Callable[[], object], seconds: float = 20) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return False


def start(folder: Path, *words: str, **changes: str) -> subprocess.Popen[str]:
    """Start a run in the background; all of its processes name the folder on their command line."""
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", str(folder), "--no-charts", *words],
        cwd=folder.parent,
        env=environment(TMPDIR=str(folder / "tmp"), **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=as_from_a_shell,
    )


def on_a_terminal(folder: Path, *words: str, **changes: str) -> tuple[int, int]:
    """Start the command on a pseudo-terminal of its own; return its pid and our end of the terminal."""
    pid, ours = pty.fork()
    if pid == 0:
        as_from_a_shell()
        os.chdir(folder)
        os.execve(
            sys.executable,
            [sys.executable, "-m", "arena", *words],
            environment(TERM="xterm-256color", TMPDIR=str(folder / "tmp"), **changes),
        )
    ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    return pid, ours


def read_all(ours: int) -> str:
    """Read until the other side closes."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode()


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
