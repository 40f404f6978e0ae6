"""What readers of `arena serve` cost an event that is played beside them, and how long they wait
for a page.

`python benchmarks/site.py [READERS] [WATCHERS] [ROUNDS]` plays the same event with two lanes,
beside a site that nobody reads and beside one that 200 read, in turn. Each reader opens the
leaderboard once and then asks for its parts every three seconds, as the page does, with the ETag of
the last answer; watchers hold the page of the live match. The rate of the event is taken between
its first tenth and its last. The readers run on the same cores, because the machine has no others:
their CPU time is printed, and counts against the site.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles

from side_by_side import BOT, measured, public_folder, show
from tables import Goal, print_table

from arena.results.archive import Archive

BOTS, REPEATS, EVERY_S = (
    8,
    40,
    3.0,
)  # an event of half a minute: the first tables take 3 s of CPU, in any event
ARENA = (sys.executable, "-m", "arena")
MOVE_S = 0.1  # for each answer: an event that is held up loses matches by time
LEADERBOARD = "/events/cup"
PARTS = (f"{LEADERBOARD}/leaderboard", f"{LEADERBOARD}/progress")
LIVE = f"{LEADERBOARD}/live/events"


def workspace() -> Path:
    """Make the workspace of the event."""
    folder = public_folder() / "site"
    (folder / "bots").mkdir(parents=True)
    text = BOT.replace("SECONDS", "0")
    for number in range(BOTS):
        (folder / f"bots/b{number}.py").write_text(text.replace("INDEX", f"{number} % len(legal)"))
    (folder / "tournament.toml").write_text(
        f'name = "cup"\nseed = 1\nboards = ["duel"]\nbots = "bots"\nrepeats = {REPEATS}\n'
        f"time = {{move = {MOVE_S}}}\n"
    )
    return folder


async def get(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, etag: str
) -> tuple[int, str, bytes]:
    """Ask for a page by a connection that stays; return its status, its ETag and its text."""
    known = f"If-None-Match: {etag}\r\n" if etag else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{known}\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    text = b""
    if length := re.search(rb"content-length: (\d+)", head):
        text = await reader.readexactly(int(length[1]))
    found = re.search(rb"etag: (\S+)", head)
    return int(head[9:12]), found[1].decode() if found else "", text


async def event_is_linked(port: int) -> None:
    """Wait on the front page until it links to the event: nobody knows its address before."""
    streams = await asyncio.open_connection("127.0.0.1", port)
    text = b""
    while f'href="{LEADERBOARD}"'.encode() not in text:
        await asyncio.sleep(EVERY_S)
        _, _, text = await get(*streams, "/", "")
    streams[1].close()


async def read(
    port: int, delay: float, waits: dict[str, list[float]], statuses: dict[int, int]
) -> None:
    """Open the leaderboard after a delay, and ask for its parts until the end."""
    await asyncio.sleep(delay)
    await event_is_linked(port)
    etags: dict[str, str] = defaultdict(str)
    streams = None
    while True:
        for path in PARTS if etags[LEADERBOARD] else (LEADERBOARD,):
            begun = time.perf_counter()
            try:
                streams = streams or await asyncio.open_connection("127.0.0.1", port)
                status, etags[path], _ = await get(*streams, path, etags[path])
            except (OSError, EOFError):
                streams, status = None, 0
            waits[path].append(time.perf_counter() - begun)
            statuses[status] += 1
        await asyncio.sleep(EVERY_S)


async def watch(port: int, turns: list[int], statuses: dict[int, int]) -> None:
    """Hold the stream of the live match; count the turns that came."""
    await event_is_linked(port)
    while True:
        status = 0
        with contextlib.suppress(OSError, EOFError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {LIVE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            status = int((await reader.readuntil(b"\r\n\r\n"))[9:12])
            while line := await reader.readline():
                if line.startswith(b"data: ["):
                    turns.append(len(json.loads(line[6:])))
            writer.close()
        statuses[status] += 1
        await asyncio.sleep(1.0)


def crowd(port: int, readers: int, watchers: int, told: Connection) -> None:
    """Be the readers, until the other end of the pipe says something; send what they saw through
    it.
    """

    async def all_of_them() -> tuple[dict[str, list[float]], dict[int, int], int]:
        waits: dict[str, list[float]] = defaultdict(list)
        statuses: dict[int, int] = defaultdict(int)
        turns: list[int] = []
        tasks = [
            asyncio.create_task(read(port, EVERY_S * n / readers, waits, statuses))
            for n in range(readers)
        ]
        tasks += [asyncio.create_task(watch(port, turns, statuses)) for _ in range(watchers)]
        await asyncio.to_thread(told.recv)
        for task in tasks:
            task.cancel()
        return dict(waits), dict(statuses), sum(turns)

    waits, statuses, turns = asyncio.run(all_of_them())
    used = resource.getrusage(resource.RUSAGE_SELF)
    told.send((waits, statuses, turns, used.ru_utime + used.ru_stime))


def played(folder: Path) -> int:
    """Return how many matches are stored."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(
            sqlite3.connect(f"file:{folder}/results/cup/event.sqlite?mode=ro", uri=True)
        ) as connection,
    ):
        return int(connection.execute("select count(*) from matches").fetchone()[0])
    return 0


def rate(folder: Path) -> float:
    """Play the event; return its matches a second between the first tenth and the last. No match is
    lost by time.
    """
    shutil.rmtree(folder / "results", ignore_errors=True)
    planned, times = BOTS * (BOTS - 1) * REPEATS, {}
    run = subprocess.Popen(
        [*ARENA, "run", "--no-charts", "--quiet", "--workers", "2"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while run.poll() is None:
        count = played(folder)
        for part in (0.1, 0.9):
            if count >= part * planned:
                times.setdefault(part, (time.perf_counter(), count))
        time.sleep(0.1)
    if run.returncode:
        raise RuntimeError(f"arena run ended with {run.returncode}")
    with Archive.open(folder / "results/cup") as archive:
        lost = [record.verdict for record in archive.records() if record.verdict.faults]
    if lost:
        raise RuntimeError(f"{len(lost)} matches ended with a fault that was none: {lost[0]}")
    (first, before), (last, after) = times[0.1], times[0.9]
    return (after - before) / (last - first)


class Site:
    """`arena serve` in a process of its own, with readers or without."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.waits: dict[str, list[float]] = defaultdict(list)
        self.statuses: dict[int, int] = defaultdict(int)
        self.notes: list[str] = []

    def rate(self, readers: int, watchers: int) -> float:
        """Return the rate of the event beside so many readers."""
        server = subprocess.Popen(
            [*ARENA, "serve", "--port", "0"],
            cwd=self._folder,
            stderr=subprocess.PIPE,
            text=True,
            # as a service, and as the run that a site starts: Linux shares cores by sessions
            start_new_session=True,
        )
        try:
            port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
            if not readers:
                return rate(self._folder)
            ours, theirs = multiprocessing.Pipe()
            before = cpu_of(server.pid)
            process = multiprocessing.get_context("fork").Process(
                target=crowd, args=(port, readers, watchers, theirs)
            )
            process.start()
            found = rate(self._folder)
            ours.send("end")
            waits, statuses, turns, cpu = ours.recv()
            process.join()
            for path, seconds in waits.items():
                self.waits[path] += seconds
            for status, count in statuses.items():
                self.statuses[status] += count
            if statuses.get(404):
                raise RuntimeError(f"{statuses[404]} answers were 404, to links of the site")
            took, answers = cpu_of(server.pid) - before, sum(statuses.values())
            self.notes.append(
                f"the readers took {cpu:.1f} s of CPU, the server {took:.1f} s for {answers} "
                "answers, "
                f"{1e3 * took / answers:.2f} ms each; its processes for tables "
                f"{computing_of(server.pid):.1f} s; "
                f"{turns} turns reached the watchers"
            )
            return found
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()

    def rows(self) -> list[list[str]]:
        """Return a row for each page that was read."""
        rows = []
        for path, seconds in self.waits.items():
            p95 = quantiles(seconds, n=20)[-1]
            waits = [f"{1e3 * median(seconds):.0f}", f"{1e3 * p95:.0f}"]
            rows.append([f"`{path}`", f"{len(seconds):,}", *waits])
        return rows


def cpu_of(pid: int) -> float:
    """Return the CPU time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def computing_of(server: int) -> float:
    """Return the CPU time of the processes that compute for a server, in seconds."""
    below = [
        pid
        for task in Path(f"/proc/{server}/task").iterdir()
        for pid in (task / "children").read_text().split()
    ]
    return sum(map(cpu_of, map(int, below)))


def main() -> None:
    """Measure, and print."""
    readers, watchers, rounds = (
        int(word) for word in (*sys.argv[1:], *("200", "20", "5")[len(sys.argv) - 1 :])
    )
    site = Site(workspace())
    nobody, crowd_ = "a site that nobody reads", f"{readers} readers and {watchers} watchers"
    things = {
        nobody: lambda: site.rate(0, 0),
        crowd_: lambda: site.rate(readers, watchers),
    }
    title = "An event of two lanes beside a site, no match lost by time"
    show(title, "matches/s", measured(things, rounds), nobody, {crowd_: Goal(least=0.9)})
    print_table(
        "What the readers waited", ["page", "answers", "median, ms", "p95, ms"], site.rows()
    )
    print("\n".join([f"answers by status: {dict(site.statuses)}", *site.notes]), file=sys.stderr)


if __name__ == "__main__":
    main()
