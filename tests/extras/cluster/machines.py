"""A dask cluster on this machine: a scheduler, and workers that are real processes, quick to start.

All are forked from a fork of the tests' process, which has imported what they need: that takes a
second.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tests.support.processes import children, descendants, gone_soon

if TYPE_CHECKING:
    from arena.extras.cluster.calibration import Speed


async def schedule(port: int) -> None:
    """Be a scheduler at this port, 0 for any; a task whose worker dies ends with KilledWorker."""
    import dask
    from distributed import Scheduler

    dask.config.set(
        {"distributed.scheduler.allowed-failures": 0, "distributed.admin.tick.interval": "1s"}
    )
    async with Scheduler(
        port=port, host="127.0.0.1", dashboard=False, dashboard_address="127.0.0.1:0"
    ) as scheduler:
        print(os.getpid(), scheduler.address, flush=True)
        await scheduler.finished()


def work(*, daemon: bool, compiles: bool, before: str, **wish: Any) -> None:
    """Be a worker; `before` is code that it runs first."""
    from distributed import Worker

    from arena.extras.cluster import session, start

    print(os.getpid(), flush=True)
    if not compiles:
        os.environ["PATH"] = "/nowhere"
    if daemon:
        multiprocessing.current_process()._config["daemon"] = True  # type: ignore[attr-defined]
    exec(before, {"Worker": Worker, "session": session, "start": start, "os": os, "wish": wish})
    asyncio.run(start.serve(**wish, notice=lambda _text: None))


def fork_at_each_line(folder: Path) -> None:
    """Fork a scheduler or a worker at each line, until nobody can send one any more; they keep
    files in `folder`.
    """
    import dask

    dask.config.set(
        {"temporary-directory": str(folder)}
    )  # else a folder stays in that for temporary files
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in os.fdopen(0):
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            wish = json.loads(line)
            asyncio.run(schedule(wish)) if isinstance(wish, int) else work(**wish)
            os._exit(0)


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
        import distributed  # noqa: F401

        from arena.extras.cluster import session, start  # noqa: F401

        session.code_digest()  # so that no worker reads all files for it
        self._errors = (folder / "machines.log").open("w")
        orders, answers = os.pipe(), os.pipe()
        self._forker = os.fork()
        if self._forker == 0:
            with contextlib.suppress(BaseException):
                for number, stream in enumerate((orders[0], answers[1], self._errors.fileno())):
                    os.dup2(stream, number)
                for stream in (orders[1], answers[0]):
                    os.close(stream)
                sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
                fork_at_each_line(folder)
            os._exit(0)
        os.close(orders[0])
        os.close(answers[1])
        self._orders, self._answers = os.fdopen(orders[1], "w"), os.fdopen(answers[0])
        self._nannies: list[subprocess.Popen[bytes]] = []
        self._start_scheduler(0)

    def worker(
        self,
        name: str = "",
        *,
        lanes: int = 1,
        daemon: bool = False,
        compiles: bool = False,
        before: str = "",
    ) -> int:
        """Start a worker and return its process; `before` is code that it runs first.

        Unless it `compiles` it finds no program, so that its speed is measured without C, in 0.2 s
        of CPU less.
        """
        wish = {
            "address": self.address,
            "lanes": lanes,
            "name": name or None,
            "daemon": daemon,
            "compiles": compiles,
            "before": before,
            "folder": str(self._folder),
        }
        return int(self._forked(wish))

    def nanny(self) -> int:
        """Start a worker of two lanes with a nanny, as dask's own command does; return the nanny's
        process.
        """
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
        os.kill(self._scheduler, signal.SIGKILL)
        assert gone_soon([self._scheduler])
        self._start_scheduler(int(self.address.rpartition(":")[2]))

    def end_workers(self) -> None:
        """Kill the workers that a failed test has left, also those that are frozen, with all below
        them.

        The scheduler hears of it by their connections, and a run that begins before has nobody to
        speak with.
        """
        # By parent, because the number of a worker that has ended may be another process by now.
        workers = set(children(self._forker)) - {self._scheduler}
        left = [*workers, *(nanny.pid for nanny in self._nannies if nanny.poll() is None)]
        for pid in [each for worker in left for each in (worker, *descendants(worker))]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        self.end_workers()
        os.kill(self._scheduler, signal.SIGKILL)
        for nanny in self._nannies:
            nanny.kill()
            nanny.wait()
        for stream in (self._orders, self._answers, self._errors):
            stream.close()
        os.kill(
            self._forker, signal.SIGKILL
        )  # a command that a failed test has left may hold its pipe open
        os.waitpid(self._forker, 0)

    def _start_scheduler(self, port: int) -> None:
        pid, self.address = self._forked(port).split()
        self._scheduler = int(pid)

    def _forked(self, wish: object) -> str:
        """Have a process forked; return what it says."""
        print(json.dumps(wish), file=self._orders, flush=True)
        line = self._answers.readline().strip()
        assert line, (self._folder / "machines.log").read_text()
        return line


def opened(address: str, *, speed: "Speed | None" = None, **more: Any) -> Callable[..., Any]:
    """Return what opens the lanes of a cluster for a run; `speed` stands for what the driver would
    measure.

    Without it the driver counts as so slow that no machine is refused because other tests fill the
    cores meanwhile.
    """
    from arena.extras.cluster import (
        calibration,
    )  # here, so that tests without a cluster do not wait for dask
    from arena.extras.cluster.driver import Cluster

    def open_lanes(*arguments: Any, **others: Any) -> "Cluster":
        measured = speed or calibration.Speed(python_s=1.0, c_s=1.0, spread=1.0)
        with (
            patch.object(calibration, "compiled", lambda _folder: None),
            patch.object(calibration, "measure", lambda _library: measured),
        ):
            return Cluster(address, *arguments, **more, **others)

    return open_lanes
