"""Events that are really played: a run of a workspace in this process or another, and its
tables.
"""

import contextlib
import multiprocessing
import os
import random
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.event import config, tournament
from arena.results.archive import Archive
from arena.results.leaderboard import Results, write_csv
from arena.values import Abort, Event, Fault, Record
from tests.support.processes import descendants, gone_soon

TABLES = (
    "leaderboard.csv",
    "rankings.csv",
    "strengths.csv",
    "chance_better.csv",
    "crosstable.csv",
    "matches.csv",
)


class Audience:
    """An audience that remembers."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.missing: dict[str, Fault] = {}
        self.aborts: list[Abort] = []

    def begins(self, planned: int, finished: int) -> None:
        self.counts = (planned, finished)

    def absent(self, bot: str, fault: Fault) -> None:
        self.missing[bot] = fault

    def finished(self, record: Record) -> None:
        self.records.append(record)

    def aborted(self, abort: Abort) -> None:
        self.aborts.append(abort)


def event_of(folder: Path) -> Event:
    return config.load(folder / "tournament.toml").event(folder)


def run(
    folder: Path, results: str = "results", workers: int = 1, **more: object
) -> tuple[tournament.Progress, Audience]:
    audience = Audience()
    outcome = tournament.run(
        event_of(folder), folder / results, workers=workers, audience=audience, **more
    )  # type: ignore[arg-type]
    return outcome, audience


def tables(folder: Path) -> list[bytes]:
    results = Results.open(folder)
    write_csv(results, folder)
    results.close()
    return [(folder / name).read_bytes() for name in TABLES]


class Main:
    """The event in a process of its own, which writes a byte for each match that is stored."""

    def __init__(self, event: Event, folder: Path) -> None:
        self._told, tell = os.pipe()
        context = multiprocessing.get_context("fork")  # what it imports is here already
        self.process = context.Process(target=self._run, args=(event, folder, tell))
        self.process.start()
        os.close(tell)

    @staticmethod
    def _run(event: Event, folder: Path, tell: int) -> None:
        audience = Audience()
        audience.finished = lambda _record: os.write(tell, b".")
        outcome = tournament.run(event, folder, workers=2, audience=audience)
        sys.exit(0 if outcome.complete else 1)

    @property
    def below(self) -> set[int]:
        return descendants(self.process.pid or 0)

    def stores(self, count: int) -> bool:
        """Wait until it has stored this number of matches more; False when it ends before."""
        return all(os.read(self._told, 1) for _ in range(count))

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        os.close(self._told)


@contextlib.contextmanager
def played_by(event: Event, folder: Path) -> Iterator[Main]:
    main = Main(event, folder)
    try:
        yield main
    finally:
        main.close()


def killed_often(event: Event, folder: Path, *, planned: int, kills: int) -> None:
    """Play a part of an event, whose process is killed again and again, at any moment."""
    dice, stored = random.Random(1), 0
    for _ in range(kills):
        with played_by(event, folder) as main:
            assert main.stores(dice.randrange(1, 3))
            time.sleep(dice.uniform(0.0, 0.01))
            os.kill(
                main.process.pid, signal.SIGSTOP
            )  # it stores no more while its processes are looked up
            below = main.below
            main.process.kill()
            main.process.join()
            assert main.process.exitcode == -signal.SIGKILL
        assert gone_soon(below)
        with Archive.open(folder, writing=True) as archive:
            now = len(archive.ids())
        assert stored < now < planned
        stored = now


def referees(pids: Iterable[int]) -> list[int]:
    """Those of these processes that play matches."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):  # it ended meanwhile
            if Path(f"/proc/{pid}/comm").read_text().startswith("referee-"):
                found.append(pid)
    return found
