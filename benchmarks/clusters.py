"""What the engine costs: matches a second with two one-lane dask workers here, and with two lanes of one run.

`python benchmarks/clusters.py [MATCHES]` plays an event of so many matches (default 600) on `duel` both ways, with bots
that answer at once and with bots that compute for 2 ms. The rate is taken between the first tenth of the matches and
the last, so that no start counts. It also prints how much the memory of driver and scheduler grew in between.
"""

import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.event import config, tournament
from arena.event.cluster.driver import Cluster
from arena.values import Abort, Fault, Record

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
        until = time.thread_time() + {seconds}
        while time.thread_time() < until:
            pass
        print(legal[{index}], flush=True)
        legal = []
"""
THINKING = {"at once": 0.0, "2 ms": 0.002}
PORT = 28786
ADDRESS = f"tcp://127.0.0.1:{PORT}"
TOOLS = Path(sys.executable).parent


class Rate:
    """An audience that measures the rate and the memory between the first and the last tenth."""

    def __init__(self, scheduler: int | None) -> None:
        self._pids = [os.getpid(), *([scheduler] if scheduler else [])]
        self.times: list[float] = []
        self.memory: list[list[int]] = []

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned = planned
        del finished

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        raise RuntimeError(f"{bot}: {fault.words}")

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        raise RuntimeError(abort.cause)

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        del record
        self.times.append(time.perf_counter())
        if len(self.times) in {self.planned // 10, 9 * self.planned // 10}:
            self.memory.append([resident_kb(pid) for pid in self._pids])

    @property
    def a_second(self) -> float:
        """Matches a second."""
        first, last = self.planned // 10, 9 * self.planned // 10
        return (last - first) / (self.times[last] - self.times[first])

    @property
    def growth_mb(self) -> str:
        """How much each process grew."""
        return ", ".join(f"{(after - before) / 1024:+.1f}" for before, after in zip(*self.memory, strict=True))


def resident_kb(pid: int) -> int:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


@contextmanager
def cluster() -> Iterator[int]:
    """Start a scheduler and two workers of one lane; yield the scheduler's process."""
    scheduler = [TOOLS / "dask", "scheduler", "--host", "127.0.0.1", "--port", str(PORT), "--no-dashboard"]
    worker = [TOOLS / "arena", "worker", ADDRESS, "--lanes", "1"]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in (scheduler, worker, worker)]
    try:
        time.sleep(5)
        yield started[0].pid
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def main() -> None:
    """Print both rates and their ratio for each kind of bot."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores, {matches} matches each")
    print("bots think   2 lanes/s   2 workers/s   ratio   growth of driver, scheduler (MB)")
    with cluster() as scheduler:
        for name, seconds in THINKING.items():
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                (home / "bots").mkdir()
                for index, bot in enumerate(("first", "last")):
                    (home / "bots" / f"{bot}.py").write_text(BOT.format(seconds=seconds, index=-index))
                (home / "tournament.toml").write_text(
                    f'name = "b"\nboards = ["mummy_maze/duel"]\nbots = "bots"\nrepeats = {matches // 2}\n'
                )
                event = config.load(home / "tournament.toml").event(home)
                here, there = Rate(None), Rate(scheduler)
                tournament.run(event, home / "here", workers=2, audience=here)
                opened = functools.partial(Cluster, ADDRESS)
                tournament.run(event, home / "there", workers=2, audience=there, cluster=opened)
            ratio = there.a_second / here.a_second
            print(f"{name:>10}   {here.a_second:9.1f}   {there.a_second:11.1f}   {ratio:5.2f}   {there.growth_mb}")


if __name__ == "__main__":
    main()
