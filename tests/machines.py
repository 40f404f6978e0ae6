"""A dask cluster on this machine: a scheduler, and workers that are real processes, quick to start.

Workers are forked from one process that has imported all that they need, because that import takes a second.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from processes import alive, descendants, until

SCHEDULER = """
import asyncio, sys
import dask
from distributed import Scheduler
dask.config.set({"distributed.scheduler.allowed-failures": 0})  # a task whose worker dies ends with KilledWorker
async def serve(port):
    async with Scheduler(port=port, host="127.0.0.1", dashboard=False, dashboard_address="127.0.0.1:0") as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(serve(int(sys.argv[1])))
"""
WORKERS = """
import asyncio, json, multiprocessing, os, signal, sys
from distributed import Worker
from arena.event.cluster import session, start
import arena.event.workers
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    wish = json.loads(line)
    pid = os.fork()
    if pid:
        print(pid, flush=True)
        continue
    sys.stdin.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if wish["daemon"]:
        multiprocessing.current_process()._config["daemon"] = True
    exec(wish["before"])
    del wish["before"], wish["daemon"]
    asyncio.run(start.serve(**wish, notice=lambda text: None))
    os._exit(0)
"""


def worker_below(nanny: int) -> int | None:
    """Return the worker of a nanny, which multiprocessing has spawned; None while there is none."""
    for pid in descendants(nanny):
        with contextlib.suppress(OSError):  # it has ended
            if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text():
                return pid
    return None


class Machines:
    """The scheduler and the workers of one test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._errors = (folder / "machines.log").open("w")
        self._scheduler = self._started(SCHEDULER, "0")
        self.address = self._line(self._scheduler)
        self._forker = self._started(WORKERS)
        self._nannies: list[subprocess.Popen[bytes]] = []

    def worker(self, name: str = "", *, lanes: int = 1, daemon: bool = False, before: str = "") -> int:
        """Start a worker and return its process; `before` is code that it runs first."""
        wish = {
            "address": self.address,
            "lanes": lanes,
            "name": name or None,
            "daemon": daemon,
            "before": before,
            "folder": str(self._folder),
        }
        assert self._forker.stdin is not None
        self._forker.stdin.write(json.dumps(wish) + "\n")
        self._forker.stdin.flush()
        return int(self._line(self._forker))

    def nanny(self) -> int:
        """Start a worker of two lanes with a nanny, as dask's own command does; return the nanny's process."""
        command = [Path(sys.executable).parent / "dask", "worker", self.address, "--nthreads", "4"]
        command += [
            "--resources",
            "lanes=2",
            "--memory-limit",
            "0",
            "--no-dashboard",
            "--local-directory",
            self._folder,
        ]
        self._nannies.append(subprocess.Popen(command, stderr=self._errors))
        return self._nannies[-1].pid

    def restart_scheduler(self) -> None:
        """Kill the scheduler and start another at the same address."""
        self._scheduler.kill()
        self._scheduler.wait()
        self._scheduler = self._started(SCHEDULER, self.address.rpartition(":")[2])
        self._line(self._scheduler)

    def end_workers(self) -> None:
        """Kill the workers that a failed test has left, also those that are frozen, with all below them.

        The scheduler hears of it by their connections, and a run that begins before has nobody to speak with.
        """
        # By parent, because the number of a worker that has ended may be another process by now.
        left = [*hosts_below(self._forker.pid), *(nanny.pid for nanny in self._nannies if nanny.poll() is None)]
        for pid in [each for worker in left for each in (worker, *descendants(worker))]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        self.end_workers()
        for process in (self._scheduler, self._forker, *self._nannies):
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        self._errors.close()

    def _started(self, program: str, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"},
        )

    def _line(self, process: "subprocess.Popen[str]") -> str:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        assert line, (self._folder / "machines.log").read_text()
        return line


def hosts_below(pid: int) -> list[int]:
    """Return the processes that hold the lanes of a worker."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


def gone(pids: Iterable[int]) -> bool:
    """Wait until these processes are gone; return whether they went."""
    return until(lambda: not any(alive(pid) for pid in pids), 15)
