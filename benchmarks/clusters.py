"""What the engine costs: matches a second with two one-lane dask workers here, and with two lanes
of one run.

`python benchmarks/clusters.py [MATCHES]` plays an event of MATCHES matches (default 600) on `duel`
both ways, with bots that answer at once and with bots that compute for 2 ms. The rate is taken
between the first tenth of the matches and the last, so that no start counts; the CPU time is that
of all processes and of the whole event. It also prints how much the memory of driver and scheduler
grows with each match, by a line through 90 samples.

`python benchmarks/clusters.py MATCHES forfeits` has the workers play this number of matches between
bots that never say `ready`. These are the shortest matches that there are; it prints what the
scheduler takes for each, too. `python
benchmarks/clusters.py MATCHES pairs` makes each pair of them a task of its own, which is the most
work for dask.
"""

import functools
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from side_by_side import BOT
from tables import print_table

from arena.event import config, tournament
from arena.extras.cluster import machine
from arena.extras.cluster.driver import Cluster
from arena.values import Abort, Event, Fault, Record

THINKING = {"at once": 0.0, "2 ms": 0.002}
PORT = 28786
ADDRESS = f"tcp://127.0.0.1:{PORT}"
TOOLS = Path(sys.executable).parent


class Rate:
    """An audience that measures the rate and the memory between the first and the last tenth."""

    def __init__(self, *others: int) -> None:
        """The others are the scheduler and the workers, which use CPU time for this process."""
        self._others = others
        self.forfeits = False
        self._cpu_before = self._cpu_s()
        self._scheduler: list[tuple[float, float, float]] = []
        self.times: list[float] = []
        self.memory: list[tuple[int, ...]] = []
        """Matches, and the resident memory of this process and of the scheduler in kB."""

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned = planned
        del finished

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        if not self.forfeits:
            raise RuntimeError(f"{bot}: {fault.words}")

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        raise RuntimeError(abort.cause)

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        del record
        self.times.append(time.perf_counter())
        played = len(self.times)
        if self._others and played in {self.planned // 10, 9 * self.planned // 10}:
            self._scheduler.append(_scheduler(self._others[0]))
        if played > self.planned // 10 and played % max(1, self.planned // 100) == 0:
            self.memory.append(
                (played, *(resident_kb(pid) for pid in (os.getpid(), *self._others[:1])))
            )

    @property
    def a_second(self) -> float:
        """Matches a second."""
        first, last = self.planned // 10, 9 * self.planned // 10
        return (last - first) / (self.times[last] - self.times[first])

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds a match, once the event is over and its processes have ended."""
        return 1000 * (self._cpu_s() - self._cpu_before) / self.planned

    def bytes_a_match(self, begin: float = 0.0) -> str:
        """Return the growth of this process and of the scheduler, after this share of the
        samples.
        """
        played, *resident = np.array(self.memory[int(begin * len(self.memory)) :]).T
        return ", ".join(f"{1024 * np.polyfit(played, each, 1)[0]:+.0f}" for each in resident)

    @property
    def of_scheduler(self) -> str:
        """The CPU time of the scheduler, and its bytes received and sent, for each match."""
        matches = 9 * self.planned // 10 - self.planned // 10
        cpu_s, received, sent = np.subtract(self._scheduler[1], self._scheduler[0]) / matches
        return f"{1000 * cpu_s:.2f} ms, {received:.0f} bytes received, {sent:.0f} sent"

    @property
    def megabytes(self) -> str:
        """The resident memory of this process and of the scheduler at the end."""
        return ", ".join(f"{each / 1024:.0f}" for each in self.memory[-1][1:])

    def _cpu_s(self) -> float:
        """Return the CPU time of all these processes, and of those below them that have ended."""
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        ours = sum(each.ru_utime + each.ru_stime for each in used)
        return ours + sum(sum(map(int, stat_of(pid)[11:15])) for pid in self._others) / os.sysconf(
            "SC_CLK_TCK"
        )


def _scheduler(pid: int) -> tuple[float, float, float]:
    """Return the CPU time of a scheduler, and the bytes that it has received and sent so far."""
    words = ["ss", "--tcp", "--info", "--processes", "--no-header"]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    received = sent = 0
    # A line of each connection, and one with its figures.
    for connection, figures in zip(lines[::2], lines[1::2], strict=True):
        if f"pid={pid}," in connection:
            received += sum(map(int, re.findall(r"bytes_received:(\d+)", figures)))
            sent += sum(map(int, re.findall(r"bytes_acked:(\d+)", figures)))
    cpu_s = sum(map(int, stat_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")
    return cpu_s, received, sent


def resident_kb(pid: int) -> int:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def stat_of(pid: int) -> list[str]:
    """Return the fields of a process after its name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


@contextmanager
def cluster() -> Iterator[list[int]]:
    """Start a scheduler and two workers of one lane; yield their processes."""
    scheduler = [
        TOOLS / "dask",
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(PORT),
        "--no-dashboard",
    ]
    scheduler += ["--dashboard-address", "127.0.0.1:0"]
    worker = [TOOLS / "arena", "worker", ADDRESS, "--lanes", "1"]
    started = [
        subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for command in (scheduler, worker, worker)
    ]
    try:
        time.sleep(5)
        yield [process.pid for process in started]
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def event_of(home: Path, board: str, bot: str, matches: int) -> Event:
    """Make a workspace with two bots of this text, of which one chooses the last legal move; return
    its event.
    """
    (home / "bots").mkdir()
    for name, index in (("first", "0"), ("last", "-1")):
        (home / "bots" / f"{name}.py").write_text(bot.replace("INDEX", index))
    (home / "tournament.toml").write_text(
        f'name = "b"\nboards = ["{board}"]\nbots = "bots"\nrepeats = {matches // 2}\n'
    )
    return config.load(home / "tournament.toml").event(home)


def main() -> None:
    """Print the rates and their ratio for each kind of bot, or the growth of memory on one
    board.
    """
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    with cluster() as processes, tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            if sys.argv[2] == "pairs":
                machine.MOST_ITEMS = 1  # the other leg of its block goes with it
            batch = "a pair in each task" if sys.argv[2] == "pairs" else "batches"
            head = ["", "matches a second", "CPU ms a match, all processes"]
            head += ["MB at the end, driver and scheduler", "bytes a match", "in the second half"]
            head += ["the scheduler's CPU and bytes a match"]
            rows = [[batch, *forfeits(Path(folder), matches, processes)]]
            print_table(f"{matches:,} forfeits on two workers, one round, {load}", head, rows)
            return
        head = ["bots think", "matches a second, 2 lanes", "2 workers", "ratio"]
        head += [
            "CPU ms a match, 2 lanes",
            "2 workers",
            "ratio",
            "bytes a match, driver, scheduler",
        ]
        print_table(
            f"{matches:,} matches on two lanes and on two workers, one round, {load}",
            head,
            speeds(Path(folder), matches, processes),
        )


def forfeits(folder: Path, matches: int, processes: list[int]) -> list[str]:
    """Play matches between bots that never start, and return what they cost."""
    there = Rate(*processes)
    there.forfeits = True
    event = event_of(folder, "kuhn_poker/three_cards", "raise SystemExit('INDEX')", matches)
    opened = functools.partial(Cluster, ADDRESS)
    tournament.run(event, folder / "there", workers=2, audience=there, elsewhere=opened)
    return [
        f"{there.a_second:.0f}",
        f"{there.cpu_ms:.1f}",
        there.megabytes,
        there.bytes_a_match(),
        there.bytes_a_match(0.5),
        there.of_scheduler,
    ]


def speeds(folder: Path, matches: int, processes: list[int]) -> Iterator[list[str]]:
    """Yield a row for each kind of bot."""
    opened = functools.partial(Cluster, ADDRESS)
    for name, seconds in THINKING.items():
        home = folder / name
        home.mkdir()
        event = event_of(home, "mummy_maze/duel", BOT.replace("SECONDS", str(seconds)), matches)
        here = Rate()
        tournament.run(event, home / "here", workers=2, audience=here)
        cpu_here = here.cpu_ms  # before more is used
        there = Rate(*processes)
        tournament.run(event, home / "there", workers=2, audience=there, elsewhere=opened)
        cpu_there = there.cpu_ms
        yield [
            name,
            f"{here.a_second:.1f}",
            f"{there.a_second:.1f}",
            f"{there.a_second / here.a_second:.2f}",
            f"{cpu_here:.1f}",
            f"{cpu_there:.1f}",
            f"{cpu_there / cpu_here:.2f}",
            there.bytes_a_match(),
        ]


if __name__ == "__main__":
    main()
