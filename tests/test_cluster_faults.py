"""Faults of a cluster: disks that are full, machines that vanish, nannies, schedulers and networks that fail."""

import asyncio
import contextlib
import functools
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

import pytest
from cup import BOT
from distributed import Client
from machines import gone, hosts_below, worker_below
from processes import alive, descendants, until
from sprint import FIRST, LAST
from test_clusters import Acts, driver, play
from test_tournament import DICE, Quiet, event_of, run, tables, workspace

from arena.event import control, tournament
from arena.event.cluster.driver import Cluster
from arena.values import Record

Result = TypeVar("Result")


@pytest.fixture
def frozen() -> Iterator[list[int]]:
    """The processes that a test has stopped; at its end they go on, also where it fails, so that they can end."""
    pids: list[int] = []
    yield pids
    go_on(pids)


def go_on(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def end(*pids: int) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    assert until(lambda: not any(map(alive, pids)), 60)  # a guard against hangs: a nanny waits for its worker


def is_whole(outcome: tournament.Progress, audience: Quiet) -> bool:
    """Return whether all matches are stored, and none was reported twice."""
    assert outcome.failed == ()
    played = {record.match.id for record in audience.records}
    return outcome.complete and len(played) == len(audience.records) == outcome.planned


@pytest.mark.slow
def test_a_worker_whose_disk_becomes_full_gets_no_more_matches_and_another_plays_them(tmp_path, shared, monkeypatch):
    """A machine keeps the files and the rooms of bots that it has started, so only a bot new to it needs space.

    All bots say `ready` on the first machine, which then leaves. So the small machine has started the bots of its first
    block at most when its disk becomes full, however fast it is, and nobody else can play the rest before it fails.
    """
    monkeypatch.setattr("arena.event.cluster.driver.REFUSED_S", 60.0)  # a guard against hangs: until another joins
    full = tmp_path / "full"
    full.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m,nr_inodes=1000", "none", str(full)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        bots = {name: BOT.format(place=place, pause=0.02) for place, name in enumerate("abcdefgh", -4)}
        cup = workspace(tmp_path, bots, repeats=1)
        workers = [shared.worker("first")]
        seen: set[str] = set()
        lines: list[str] = []

        def fill() -> None:
            # A folder takes no byte of a tmpfs, but an inode.
            with contextlib.suppress(OSError), (full / "rubbish").open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 20))
            with contextlib.suppress(OSError):
                for number in range(1000):
                    (full / f"{number}").touch()

        class Fills(Quiet):
            def finished(self, record: Record) -> None:
                super().finished(record)
                seen.update(seat.bot.name for seat in record.match.seats)
                if len(workers) == 1 and seen == set(bots):
                    os.kill(workers[0], signal.SIGTERM)
                    before = f"os.environ['TMPDIR'] = wish['folder'] = {str(full)!r}"
                    workers.append(shared.worker("small", before=before))
                if record.machine == "small" and not (full / "rubbish").exists():
                    fill()

        def hear(line: str) -> None:
            lines.append(line)
            if line.startswith("small is given nothing: "):
                workers.append(shared.worker("large"))

        audience, opened = Fills(), functools.partial(Cluster, shared.address, notice=hear)
        outcome = tournament.run(event_of(cup), cup / "cluster", workers=1, audience=audience, cluster=opened)
        said = "\n".join(lines)
        assert is_whole(outcome, audience), said
        assert "small is given nothing: " in said
        assert "No space left on device" in said
        assert {record.machine for record in audience.records} == {"first", "small", "large"}
        assert audience.records[-1].machine == "large"
        end(*workers[1:])
    finally:
        subprocess.run(["umount", "--lazy", str(full)], check=False)


@pytest.mark.slow
def test_the_matches_of_a_machine_that_vanishes_are_played_elsewhere_and_it_may_come_back(
    tmp_path, shared, monkeypatch, frozen
):
    monkeypatch.setattr("arena.event.cluster.driver.SILENT_S", 4.0)
    monkeypatch.setattr("arena.event.cluster.machine.BEAT_S", 0.3)
    cup = workspace(tmp_path, {"a": FIRST, "b": LAST, "c": FIRST}, repeats=4)
    workers = [shared.worker("frozen")]  # alone, so that it has matches when it freezes, however slow it is

    class Freezes(Quiet):
        def finished(self, record: Record) -> None:
            super().finished(record)
            if record.machine == "frozen" and not frozen:
                frozen.extend([workers[0], *descendants(workers[0])])
                for pid in frozen:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGSTOP)
                workers.append(shared.worker("other"))

    audience = Freezes()
    outcome, lines = play(cup, "cluster", shared.address, audience)
    assert is_whole(outcome, audience), lines
    assert any("frozen was lost" in line and "it has not answered for 4 s" in line for line in lines), lines
    assert audience.records[-1].machine == "other"
    go_on(frozen)
    again = Acts()
    end(workers[1])
    outcome, _ = play(cup, "again", shared.address, again)
    assert is_whole(outcome, again)
    assert {record.machine for record in again.records} == {"frozen"}
    end(workers[0])


@pytest.mark.slow
def test_a_run_that_waits_for_a_worker_that_does_not_answer_says_so(tmp_path, shared, monkeypatch, frozen):
    monkeypatch.setattr("arena.event.cluster.driver.NOTICE_S", 0.5)
    monkeypatch.setattr("arena.event.cluster.driver.FIRST_NOTICE_S", 0.0)
    monkeypatch.setattr("arena.event.cluster.machine.LATE_S", 0.3)
    monkeypatch.setattr(control, "PUBLISH_S", 0.1)
    cup = workspace(tmp_path, {"a": FIRST, "b": LAST})
    worker = shared.worker("frozen")
    with Client(shared.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=30)
    frozen.append(worker)
    os.kill(worker, signal.SIGSTOP)
    lines: list[str] = []
    states: set[tuple[str, str]] = set()
    opened = functools.partial(Cluster, shared.address, notice=lines.append)
    end_s = time.monotonic() + 60  # a guard against hangs

    def is_said() -> bool:
        if (state := control.last_state(cup / "results")) is not None:
            states.update((lane.lane, lane.state) for lane in state.lanes)
        is_shown = any(reason == "does not answer" for _, reason in states)
        return (is_shown and any("does not answer" in line for line in lines)) or time.monotonic() > end_s

    tournament.run(event_of(cup), cup / "results", workers=1, audience=Quiet(), cluster=opened, stopped=is_said)
    assert any("waiting for workers; tcp://" in line and "does not answer" in line for line in lines), lines
    assert {address.partition(":")[0] for address, reason in states if reason == "does not answer"} == {"tcp"}, states
    go_on(frozen)
    end(worker)


@pytest.mark.slow
def test_lanes_outlive_the_threads_of_tasks(tmp_path, shared):
    """The kernel would end a lane with the thread that forked it."""
    cup = workspace(tmp_path, {"a": FIRST, "b": LAST}, repeats=12)
    worker = shared.worker("one")
    lanes: list[list[int]] = []

    def now() -> list[int]:
        return [lane for host in hosts_below(worker) for lane in hosts_below(host)]

    def recycle(dask_worker: Any) -> int:  # in here, so that it travels as code: the worker cannot import this file
        """End all threads in which a worker runs tasks, and give it others; return how many there were."""
        before = dask_worker.executors["default"]
        dask_worker.executors["default"] = ThreadPoolExecutor(before._max_workers)
        before.shutdown(wait=False)
        return len(before._threads)

    def change() -> None:
        lanes.append(now())
        with Client(shared.address, set_as_default=False) as client:
            assert sum(client.run(recycle).values()) > 0

    audience = Acts(after_4=change, after_20=lambda: lanes.append(now()))
    outcome, _ = play(cup, "cluster", shared.address, audience)
    assert is_whole(outcome, audience)
    assert audience.aborts == []
    assert lanes[0] == lanes[1] != []
    end(worker)


@pytest.mark.slow
def test_the_status_has_each_lane_of_a_worker_with_the_match_that_it_plays(tmp_path, shared, monkeypatch):
    monkeypatch.setattr("arena.event.cluster.machine.BEAT_S", 0.2)
    monkeypatch.setattr(control, "PUBLISH_S", 0.1)
    slow = BOT.format(place=0, pause=0.4)  # asleep
    cup = workspace(tmp_path, {"a": slow, "b": slow}, repeats=20)
    worker = shared.worker("pair", lanes=2)
    states: list[control.RunState] = []

    def look() -> bool:
        if (state := control.last_state(cup / "results")) is not None:
            states.append(state)
        return len([lane for lane in states[-1].lanes if lane.match and lane.played]) == 2 if states else False

    opened = functools.partial(Cluster, shared.address)
    tournament.run(event_of(cup), cup / "results", workers=1, audience=Quiet(), cluster=opened, stopped=look)
    first, second = next(state for state in reversed(states) if state.lanes).lanes
    assert [lane.lane.rpartition(" ")[2] for lane in (first, second)] == ["referee-1", "referee-2"]
    assert first.machine == second.machine == "pair"
    assert first.match != second.match
    assert (set(first.bots), first.board) == ({"a", "b"}, "sprint/default")
    end(worker)


@pytest.mark.soak
def test_a_scheduler_that_restarts_costs_no_match(tmp_path, shared):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=6)
    worker = shared.worker("one")
    audience = Acts(after_10=shared.restart_scheduler)
    outcome, _ = play(cup, "cluster", shared.address, audience)
    assert is_whole(outcome, audience)
    end(worker)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_workers_of_nannies_play_and_their_death_and_that_of_a_nanny_cost_no_match(tmp_path, shared):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=20)
    run(cup, "local", 2)
    nannies = [shared.nanny(), shared.nanny()]

    def kill_worker() -> None:
        worker = worker_below(nannies[0])
        assert worker is not None
        os.kill(worker, signal.SIGKILL)

    audience = Acts(after_10=kill_worker, after_60=lambda: os.kill(nannies[1], signal.SIGKILL))
    outcome, lines = play(cup, "cluster", shared.address, audience)
    assert is_whole(outcome, audience), lines
    assert sum("was lost" in line for line in lines) >= 2
    assert tables(cup / "cluster") == tables(cup / "local")
    below = descendants(nannies[0])
    end(nannies[0])
    assert gone(below)


class Network:
    """A network between the processes of a cluster on this machine, which may be slow, break or fall silent."""

    def __init__(self, delay: float = 0.0) -> None:
        """`delay`: the seconds that everything takes longer in each direction."""
        self._delay, self._silent = delay, False
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._called(self._end)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def way_to(self, address: str) -> str:
        """Return another address for this one, which leads through the network."""
        host, _, port = address.removeprefix("tcp://").partition(":")

        async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there = await asyncio.open_connection(host, int(port))
            self._writers |= {writer, there[1]}
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(self._pump(reader, there[1]), self._pump(there[0], writer))
            self._writers -= {writer, there[1]}

        async def listen() -> str:
            server = await asyncio.start_server(connect, "127.0.0.1", 0)
            return f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"

        return self._called(listen)

    def cut(self) -> None:
        """Break all connections; new ones work, also after a silence."""

        async def cut() -> None:
            self._silent = False
            for writer in self._writers:
                writer.transport.abort()

        self._called(cut)

    def fall_silent(self) -> None:
        """Lose all that is said from now on; connections stay open, and new ones seem to work."""
        self._silent = True

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes on, each some time after it came."""
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                if not self._silent:
                    self._loop.call_later(self._delay, writer.write, data)
        self._loop.call_later(self._delay, writer.close)

    async def _end(self) -> None:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    def _called(self, function: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Run a coroutine in the thread of the network; return its result."""
        return asyncio.run_coroutine_threadsafe(function(), self._loop).result()


CUT_OFF = """
start.Worker = lambda address, **more: Worker(address, port={port}, contact_address={way!r}, **more)
wish["address"] = {scheduler!r}
"""


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["cut", pytest.param("fall_silent", marks=pytest.mark.soak)])
def test_the_matches_of_a_machine_whose_connections_break_or_fall_silent_are_played_again(
    tmp_path, shared, monkeypatch, fault
):
    monkeypatch.setattr("arena.event.cluster.driver.SILENT_S", 6.0)
    monkeypatch.setattr("arena.event.cluster.machine.BEAT_S", 0.3)
    naps = BOT.format(place=-1, pause=0.02)  # so that the machine is at a batch when it happens
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": naps}, repeats=4)
    run(cup, "local", 2)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Network() as network:
        # All that the machine says and hears goes through the network: to the scheduler, and to itself.
        way, scheduler = network.way_to(f"tcp://127.0.0.1:{port}"), network.way_to(shared.address)
        workers = [shared.worker("far", before=CUT_OFF.format(port=port, way=way, scheduler=scheduler))]

        class Breaks(Quiet):
            def finished(self, record: Record) -> None:
                super().finished(record)
                if len(workers) == 1:
                    getattr(network, fault)()
                    workers.append(shared.worker("near"))

        audience = Breaks()
        outcome, lines = play(cup, "cluster", shared.address, audience)
        assert is_whole(outcome, audience), lines
        assert any("far was lost" in line and "played again" in line for line in lines), lines
        assert tables(cup / "cluster") == tables(cup / "local")
        network.cut()
        end(*workers)


@pytest.mark.soak
def test_a_slow_network_between_scheduler_workers_and_run_costs_time_and_no_match(tmp_path, shared):
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=10)
    run(cup, "local", 2)
    with Network(delay=0.2) as network:
        address = network.way_to(shared.address)
        workers = [shared.worker(name, before=f"wish['address'] = {address!r}") for name in ("one", "two")]
        audience = Quiet()
        outcome, lines = play(cup, "cluster", address, audience)
        assert is_whole(outcome, audience), lines
        assert audience.aborts == []
        assert tables(cup / "cluster") == tables(cup / "local")
        end(*workers)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_twenty_random_kills_of_workers_nannies_hosts_and_the_run_change_no_table(tmp_path, shared):
    """Workers come back; runs are killed and begun again; whatever is hit, the tables are those of one machine."""
    cup = workspace(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=60)
    draws, workers, nannies = random.Random(20), [shared.worker("one"), shared.worker("two")], [shared.nanny()]
    main = driver(cup, shared.address)
    for _ in range(20):
        time.sleep(draws.uniform(0.5, 4))
        victim = draws.choice(["worker", "nanny", "nanny's worker", "host", "lane", "run"])
        if victim == "run" or main.poll() is not None:
            main.kill()
            main.communicate()
            main = driver(cup, shared.address)
        elif victim == "worker":
            os.kill(workers.pop(0), signal.SIGKILL)
            workers.append(shared.worker(draws.choice(["one", "two"])))
        elif victim == "nanny":
            os.kill(nannies.pop(), signal.SIGKILL)
            nannies.append(shared.nanny())
        elif victim == "nanny's worker":
            if (pid := worker_below(nannies[0])) is not None:
                os.kill(pid, signal.SIGKILL)
        else:
            all_workers = [*workers, *filter(None, [worker_below(nannies[0])])]
            hosts = [host for pid in all_workers for host in hosts_below(pid)]
            lanes = [lane for host in hosts for lane in hosts_below(host)]
            if hit := (hosts if victim == "host" else lanes):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draws.choice(hit), signal.SIGKILL)
    main.kill()
    main.communicate()
    outcome, _ = play(cup, "results/cup", shared.address, Quiet())
    assert outcome.complete
    run(cup, "local", 2)
    assert tables(cup / "results" / "cup") == tables(cup / "local")
    below = [child for pid in (*workers, *nannies) for child in descendants(pid)]
    end(*workers, *nannies)
    assert gone(below)
