"""A long event beside an open site: many bots, hostile ones among them, and readers who load the
pages of the site and follow its matches; with the memory of each process of arena over time.

`play` plays it. benchmarks/open_site.py writes its figures into a page, and a load test judges
them.
"""

import asyncio
import contextlib
import multiprocessing
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, log2
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

from arena.event.control import last_state
from arena.results.archive import Archive
from tests.support import sins, workspaces
from tests.support.processes import alive, gone_soon

SINNERS = (
    "remark_flood",
    "floods_stderr",
    "stderr_without_end",
    "line_of_100_mb",
    "fork_crowd",
    "forks_grandchildren",
    "thread_crowd",
    "never_answers",
    "silent",
    "eats_cpu",
    "eats_memory",
    "segfault",
    "exits_3_with_traceback",
    "ignores_sigterm",
)
"""Of bad_bots/: floods, forks, bots that hang, that eat memory, and that crash."""
SHARE = 40
"""One of so many bots is hostile, and one of each kind at least."""
BOT = """\
import sys
legal = []
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "ready?":
        print("ready again", flush=True)
    elif word == "seed":
        dice = sum(rest.encode()) * 7919
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
        dice = (dice * 1103515245 + 12345) % 2147483648
        print(legal[dice / 2147483648 < BOLD], flush=True)
        legal = []
"""
"""A bot that stays for its next match, and is BOLD in so many of its turns."""
BOARD = "kuhn_poker/three_cards"
SCHEDULES = ("ladder", "swiss")
MOVE_S = 0.3
"""The time of an answer, so short that an event that is held up loses matches by time."""
LIMITS = {"memory": "64 MB", "stderr": "4 MB"}
READ_S = 3.0
"""The time between two questions of an open page."""
OTHER_PAGE = 5
"""Each reader opens another page after so many questions of the last one."""
SAMPLE_S = 3.0
READ_FOR_S, PAUSE_S, SETTLE_S = 30.0, 15.0, 4.0
"""Readers pause now and then, so that the rate without them is one of the same minutes. Just after
a change no rate is taken."""
ARENA = (sys.executable, "-m", "arena")


@dataclass(frozen=True)
class Size:
    """How large it is."""

    matches: int = 100_000
    """Half of them are played by a ladder, and half by a Swiss."""
    bots: int = 1_000
    readers: int = 50
    lanes: int = 2


@dataclass
class Sample:
    """The processes of arena at one moment."""

    matches: int
    memory: dict[str, int]
    """The proportional memory of each in bytes."""
    files: dict[str, int]
    """How many files each has open."""
    cpu: dict[str, float]
    """The CPU time of the run and of the site in seconds, with all bots that have ended."""
    log: int
    """The bytes of the log of the archive."""


@dataclass
class Figures:
    """What was measured."""

    samples: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    """By schedule."""
    stretches: dict[bool, list[tuple[Sample, Sample, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """The ends of each stretch with readers (True) and without, and its seconds."""
    answers: Counter[int] = field(default_factory=Counter)
    """The answers of the site by their status; 0 stands for a connection that was lost."""
    waits: list[float] = field(default_factory=list)
    turns: int = 0
    """The turns of live matches that reached the readers."""
    reader_cpu_s: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    """How long the command of each schedule took."""
    codes: dict[str, int] = field(default_factory=dict)
    played: dict[str, int] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    """Faults of good bots, in words."""
    punished: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Forfeits of hostile bots, by their kind and the ending."""
    aborts: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Processes that are there after the end."""
    log: str = ""
    """What the site wrote."""

    @property
    def ratio(self) -> float:
        """Return the rate with readers, divided by that without."""
        rates = {}
        for is_read, stretches in self.stretches.items():
            matches = sum(last.matches - first.matches for first, last, _ in stretches)
            rates[is_read] = matches / sum(seconds for _, _, seconds in stretches)
        return rates[True] / rates[False]

    def cpu_ms(self, root: str, is_read: bool) -> float:
        """Return the CPU time of the run or of the site for each match."""
        stretches = self.stretches[is_read]
        matches = sum(last.matches - first.matches for first, last, _ in stretches)
        cpu = sum(last.cpu[root] - first.cpu[root] for first, last, _ in stretches)
        return 1000 * cpu / matches

    def growth(self, schedule: str) -> dict[str, "Growth"]:
        """Return how each process grew that lived through the most of an event."""
        found = {}
        samples = self.samples[schedule]
        for name in dict.fromkeys(name for sample in samples for name in sample.memory):
            seen = [sample for sample in samples if name in sample.memory]
            quarter = len(seen) // 4
            if len(seen) < max(8, len(samples) // 2):
                continue
            second = seen[quarter : 2 * quarter]
            last = seen[3 * quarter :]
            before = median(sample.matches for sample in second)
            found[name] = Growth(
                matches=median(sample.matches for sample in last) - before,
                second=median(sample.memory[name] for sample in second),
                last=median(sample.memory[name] for sample in last),
                files_second=median(sample.files[name] for sample in second),
                files_last=median(sample.files[name] for sample in last),
            )
        return found


@dataclass(frozen=True)
class Growth:
    """A process in the second and in the last quarter of an event: medians of its samples.

    The first quarter does not count: then libraries are loaded, and caches are filled.
    """

    matches: float
    """Matches between both."""
    second: float
    last: float
    """Its proportional memory in bytes."""
    files_second: float
    files_last: float
    """The files that it had open."""

    @property
    def a_match(self) -> float:
        """Return the bytes that a match has added."""
        return (self.last - self.second) / self.matches


def kind_of(process: str) -> tuple[str, str]:
    """Return the kind of a process, and its number in it."""
    kind, _, number = process.rpartition(" ")
    if not number.isdigit():
        return process, ""
    return kind, number


def make(folder: Path, size: Size) -> list[str]:
    """Make the workspace; return the names of its hostile bots."""
    bots: dict[str, str] = {}
    hostile: list[str] = []
    for number in range(max(size.bots // SHARE, len(SINNERS))):
        sinner = SINNERS[number % len(SINNERS)]
        name = f"{sinner}-{number}"
        bots[name] = sins.path_of(sinner).read_text()
        hostile.append(name)
    for number in range(size.bots - len(hostile)):
        bots[f"b{number:04}"] = BOT.replace("BOLD", str(number / size.bots))
    keys = {
        "keep": True,
        "time": {"start": 2.0, "move": MOVE_S},
        "limits": LIMITS,
    }
    half = size.matches // 2
    batch = max(size.bots // 2, 8)
    pairs = size.bots // 2
    rounds = max(1, min(ceil(log2(size.bots)), half // pairs // 2))
    repeats = max(1, round(half / rounds / pairs / 2))
    workspaces.make(folder, bots, BOARD, **keys, name="ladder", schedule="ladder",
                    rounds=max(1, half // 2 // batch))  # fmt: skip
    text = (folder / "tournament.toml").read_text()
    other = re.sub("rounds = .*", f"rounds = {rounds}\nrepeats = {repeats}", text)
    (folder / "swiss.toml").write_text(other.replace('"ladder"', '"swiss"'))
    return hostile


class Crowd:
    """The readers, in a process of their own."""

    def __init__(self, port: int, readers: int) -> None:
        self._ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(
            target=_be_readers, args=(port, readers, theirs)
        )
        self._process.start()

    def read(self, event: str) -> None:
        """Read the pages of an event; of none, pause."""
        self._ours.send(event)

    def end(self, figures: Figures) -> None:
        """End, and add what the readers saw."""
        self._ours.send(None)
        answers, waits, turns, cpu = self._ours.recv()
        self._process.join()
        figures.answers += answers
        figures.waits += waits
        figures.turns += turns
        figures.reader_cpu_s += cpu


class Readers:
    """What all readers of a crowd share."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.event = ""
        self.answers: Counter[int] = Counter()
        self.waits: list[float] = []
        self.turns = 0

    async def read(self, number: int) -> None:
        """Be a reader with an address of its own, until cancelled."""
        dice = random.Random(number)
        page = Page(self, number)
        etags: dict[str, str] = {}
        root = f"/events/{self.event}"
        with contextlib.closing(page):
            await asyncio.sleep(READ_S * dice.random())
            while True:
                await page.get(dice.choice(await page.addresses(root)), etags)
                for _ in range(OTHER_PAGE):
                    for part in ("/leaderboard", "/progress"):
                        await page.get(f"{root}{part}", etags)
                    await asyncio.sleep(READ_S)

    async def watch(self, number: int) -> None:
        """Follow the live matches from an address of its own, until cancelled."""
        while True:
            await self._stream(number)
            await asyncio.sleep(1.0)

    async def _stream(self, number: int) -> None:
        status = 0
        try:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(_address(number), 0)
            )
            with contextlib.closing(writer):
                path = f"/events/{self.event}/live/events"
                writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                status = int((await reader.readuntil(b"\r\n\r\n"))[9:12])
                self.answers[status] += 1
                while line := await reader.readline():
                    if line.startswith(b"data: ["):
                        self.turns += 1
        except (OSError, EOFError):
            self.answers[status] += not status


class Page:
    """The connection of one reader."""

    def __init__(self, readers: Readers, number: int) -> None:
        self._readers = readers
        self._address = _address(number)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._dice = random.Random(-number)

    async def addresses(self, root: str) -> list[str]:
        """Return the pages that a reader may open next: those of an event, of a bot and a match."""
        listed = await self.get(f"{root}/matches", {})
        matches = re.findall(r"/matches/([0-9a-f]+)\"", listed)
        bots = re.findall(r"bot\?name=([\w-]+)\"", listed)
        found = ["/", root, f"{root}/crosstable", f"{root}/charts", f"{root}/live", "/wall"]
        if matches:
            match = f"{root}/matches/{self._dice.choice(matches)}"
            found += [match, f"{match}/data.json", f"{match}/card.png", f"{root}/card.png"]
        if bots:
            name = self._dice.choice(bots)
            found += [f"{root}/bot?name={name}", f"{root}/bot.json?name={name}"]
            found += [f"{root}/matches?bot={name}"]
        return found

    async def get(self, path: str, etags: dict[str, str]) -> str:
        """Ask for a page; return its text, or "" if the answer is another one than 200."""
        begun = time.perf_counter()
        status = 0
        body = b""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(
                    "127.0.0.1", self._readers.port, local_addr=(self._address, 0)
                )
            reader, writer = self._streams
            known = f"If-None-Match: {etags[path]}\r\n" if path in etags else ""
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{known}\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head[9:12])
            if length := re.search(rb"content-length: (\d+)", head):
                body = await reader.readexactly(int(length[1]))
            if etag := re.search(rb"etag: (\S+)", head):
                etags[path] = etag[1].decode()
            if b"connection: close" in head:
                self.close()
        except (OSError, EOFError):
            self.close()
        self._readers.answers[status] += 1
        self._readers.waits.append(time.perf_counter() - begun)
        return body.decode(errors="replace") if status == 200 else ""

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


def _address(number: int) -> str:
    return f"127.0.1.{1 + number}"


def _be_readers(port: int, readers: int, told: Connection) -> None:
    """Read as told through the pipe, and at the end send what was seen."""
    shared = Readers(port)

    async def all_of_them() -> None:
        tasks: list[asyncio.Task[None]] = []
        while (event := await asyncio.to_thread(told.recv)) is not None:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            shared.event = event
            tasks = []
            for number in range(readers if event else 0):
                tasks.append(asyncio.create_task(shared.read(number)))
                tasks.append(asyncio.create_task(shared.watch(number)))

    asyncio.run(all_of_them())
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = used.ru_utime + used.ru_stime
    told.send((shared.answers, shared.waits, shared.turns, cpu_s))


def play(folder: Path, size: Size) -> Figures:
    """Play the events one after the other beside a site that is read; return the figures."""
    hostile = make(folder, size)
    figures = Figures()
    with (folder / "site.log").open("w") as log:
        site = subprocess.Popen(
            [*ARENA, "serve", "--port", "0"], cwd=folder, stderr=log, start_new_session=True
        )
        seen = {site.pid}
        try:
            crowd = Crowd(_port(folder / "site.log", site), size.readers)
            try:
                for schedule in SCHEDULES:
                    file = "tournament.toml" if schedule == "ladder" else f"{schedule}.toml"
                    _play_one(folder, schedule, file, size, site.pid, crowd, figures, seen)
            finally:
                crowd.end(figures)
        finally:
            site.send_signal(signal.SIGINT)
            figures.codes["site"] = site.wait()
    figures.log = (folder / "site.log").read_text()
    if not gone_soon(seen):
        figures.left += [f"{pid} {_name(pid)}" for pid in seen if alive(pid)]
    for schedule in SCHEDULES:
        _count_faults(folder, schedule, hostile, figures)
    return figures


def _port(log: Path, site: "subprocess.Popen[bytes]") -> int:
    """Wait until the site serves; return its port."""
    while site.poll() is None:
        if found := re.search(r":(\d+)/", log.read_text()):
            return int(found[1])
        time.sleep(0.1)
    raise RuntimeError(log.read_text())


def _play_one(
    folder: Path,
    schedule: str,
    file: str,
    size: Size,
    site: int,
    crowd: Crowd,
    figures: Figures,
    seen: set[int],
) -> None:
    """Play an event, and look at it all the time."""
    begun = time.monotonic()
    with (folder / f"{schedule}.log").open("w") as log:
        run = subprocess.Popen(
            [*ARENA, "run", file, "--no-charts", "--quiet", "--workers", str(size.lanes)],
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    results = folder / "results" / schedule
    is_read = False
    changed = begun
    looked_at = ""
    first: tuple[Sample, float] | None = None
    while run.poll() is None:
        time.sleep(SAMPLE_S)
        now = time.monotonic()
        state = last_state(results)
        if state is None or not state.played or state.written == looked_at:
            continue  # no match is played: the event begins, or its tables are made
        looked_at = state.written
        sample = _sample(state.played, {"run": run.pid, "site": site}, seen)
        with contextlib.suppress(OSError):  # there is none between the last commit and the end
            sample.log = (results / "event.sqlite-wal").stat().st_size
        if run.poll() is None:
            figures.samples[schedule].append(sample)
        if first is None:
            if now - changed >= SETTLE_S:
                first = sample, now
        elif now - changed >= (READ_FOR_S if is_read else PAUSE_S):
            figures.stretches[is_read].append((first[0], sample, now - first[1]))
            is_read = not is_read
            crowd.read(schedule if is_read else "")
            changed = now
            first = None
            print(schedule, f"{state.played} of {state.planned}", f"{now - begun:.0f} s",
                  f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)  # fmt: skip
    crowd.read("")
    figures.seconds[schedule] = time.monotonic() - begun
    figures.codes[schedule] = run.wait()


def _sample(matches: int, roots: dict[str, int], seen: set[int]) -> Sample:
    """Look at the processes of arena."""
    sample = Sample(matches, {}, {}, dict.fromkeys(roots, 0.0), 0)
    for name, pid in _processes(roots):
        with contextlib.suppress(OSError, StopIteration):  # it ended meanwhile
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            line = next(line for line in lines if line.startswith("Pss:"))
            sample.memory[name] = 1024 * int(line.split()[1])
            sample.files[name] = len(os.listdir(f"/proc/{pid}/fd"))
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks = sum(map(int, fields[11:15]))
            sample.cpu[name.partition(":")[0]] += ticks / os.sysconf("SC_CLK_TCK")
            seen.add(pid)
    return sample


def _processes(roots: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the processes of arena by a name, but no bot."""
    for lane, referee in enumerate(_children(roots["run"])):
        if _name(referee).startswith("referee"):
            yield f"run: lane {lane}", referee
            for spawner in _children(referee):
                if _name(spawner) == "arena-spawner":
                    yield f"run: spawner {lane}", spawner
    yield "run", roots["run"]
    for child, helper in enumerate(_children(roots["site"])):
        yield f"site: helper {child}", helper
        for number, worker in enumerate(_children(helper)):
            yield f"site: worker {number}", worker
    yield "site", roots["site"]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _children(pid: int) -> list[int]:
    """Return the children of all threads of a process, the oldest first."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return sorted(found)


def _count_faults(folder: Path, schedule: str, hostile: list[str], figures: Figures) -> None:
    """Add the faults and aborts of an event."""
    with Archive.open(folder / "results" / schedule) as archive:
        figures.played[schedule] = archive.count()
        for record in archive.records():
            names = {seat.role: seat.bot.name for seat in record.match.seats}
            for fault in record.verdict.faults:
                bot = names[fault.role]
                if bot in hostile:
                    figures.punished[bot.rpartition("-")[0], fault.ending.value] += 1
                else:
                    figures.lost.append(f"{bot} in {record.match.id}: {fault.words}")
        figures.aborts += [str(abort) for abort in archive.aborts()]
