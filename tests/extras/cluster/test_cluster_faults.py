"""Faults of a cluster: disks that are full, machines that vanish, nannies, schedulers and networks
that fail.
"""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Self, TypeVar

import pytest

from arena.event import control, tournament
from arena.results.archive import Archive
from arena.values import Record
from tests.extras.cluster.machines import Machines, opened, worker_below
from tests.extras.cluster.test_clusters import BUILT, Acts, begun, play, playing
from tests.support import workspaces
from tests.support.events import Audience, event_of, run, tables
from tests.support.processes import alive, children, descendants, gone_soon, until
from tests.support.sprint import DICE, FIRST, LAST, slow

Result = TypeVar("Result")


@pytest.fixture
def frozen() -> Iterator[list[int]]:
    """The processes that a test has stopped; at its end they go on, also where it fails, so that
    they can end.
    """
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
    assert until(
        lambda: not any(map(alive, pids)), 60
    )  # a guard against hangs: a nanny waits for its worker


def is_whole(outcome: tournament.Progress, audience: Audience) -> bool:
    """Return whether all matches are stored, and none was reported twice."""
    assert outcome.failed == ()
    played = {record.match.id for record in audience.records}
    return outcome.complete and len(played) == len(audience.records) == outcome.planned


@pytest.mark.slow
def test_a_worker_whose_disk_becomes_full_gets_no_more_matches(tmp_path, shared, monkeypatch):
    """A machine keeps the files and the rooms of bots that it has started, so only a bot new to it
    needs space.

    All bots say `ready` on the first machine, which then leaves. So the small machine has started
    the bots of its first two parcels at most when its disk becomes full, and nobody else can play
    the rest before it fails.
    """
    monkeypatch.setattr(
        "arena.extras.cluster.driver.REFUSED_S", 60.0
    )  # a guard against hangs: until another joins
    full = tmp_path / "full"
    full.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=80m,nr_inodes=12000", "none", str(full)]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("no file system can be mounted here")
    try:
        bots = {name: f"{slow(FIRST, 0.15)}# {name}\n" for name in "abcdef"}
        cup = workspaces.make(tmp_path, bots)
        workers = [shared.worker("first")]
        seen: set[str] = set()
        lines: list[str] = []

        def fill() -> None:
            # A folder takes no byte of a tmpfs, but an inode.
            with contextlib.suppress(OSError), (full / "rubbish").open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 20))
            with contextlib.suppress(OSError):
                for number in range(12000):
                    (full / f"{number}").touch()

        class Fills(Audience):
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

        audience, lanes = Fills(), opened(shared.address, notice=hear)
        outcome = tournament.run(
            event_of(cup), cup / "cluster", workers=1, audience=audience, elsewhere=lanes
        )
        said = "\n".join(lines)
        assert is_whole(outcome, audience), said
        assert "small is given nothing: " in said
        assert "bots get their scratch folders there: free some space" in said
        assert {record.machine for record in audience.records} == {"first", "small", "large"}
        assert audience.records[-1].machine == "large"
        end(*workers[1:])
    finally:
        subprocess.run(["umount", "--lazy", str(full)], check=False)


@pytest.mark.soak
def test_a_machine_that_vanishes_loses_its_matches_and_may_come_back(
    tmp_path, shared, monkeypatch, frozen
):
    monkeypatch.setattr("arena.extras.cluster.driver.SILENT_S", 3.0)
    monkeypatch.setattr("arena.extras.cluster.machine.BEAT_S", 0.3)
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": LAST, "c": FIRST}, repeats=4)
    workers = [
        shared.worker("frozen")
    ]  # alone, so that it has matches when it freezes, however slow it is
    killed: list[int] = []
    lines: list[str] = []

    def lost() -> set[str]:
        with Archive.open(cup / "cluster") as archive:
            return {
                abort.match
                for abort in archive.aborts()
                if abort.cause.startswith("frozen was lost: ")
            }

    class Freezes(Audience):
        def finished(self, record: Record) -> None:
            super().finished(record)
            if not frozen:
                frozen.extend([workers[0], *descendants(workers[0])])
                for pid in frozen:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGSTOP)
            elif record.machine == "other" and not killed and record.match.id in lost():
                go_on(frozen)
                os.kill(
                    workers[1], signal.SIGKILL
                )  # so that there is work for the machine that comes back
                killed.append(workers[1])

    def hear(line: str) -> None:
        lines.append(line)
        if line.startswith("frozen was lost") and len(workers) == 1:
            workers.append(shared.worker("other"))

    audience, lanes = Freezes(), opened(shared.address, notice=hear)
    outcome = tournament.run(
        event_of(cup), cup / "cluster", workers=1, audience=audience, elsewhere=lanes
    )
    assert is_whole(outcome, audience), lines
    assert any(
        "frozen was lost" in line and "it has not answered for 3 s" in line for line in lines
    ), lines
    assert any("other was lost" in line and "played again" in line for line in lines), lines
    assert audience.records[-1].machine == "frozen"
    assert audience.aborts == []  # a line says once what was lost with a machine
    end(workers[0])


@pytest.mark.slow
def test_a_run_that_waits_for_a_worker_that_does_not_answer_says_so(
    tmp_path, shared, monkeypatch, frozen
):
    from distributed import Client  # here, so that tests of other files do not wait for it

    monkeypatch.setattr("arena.extras.cluster.driver.NOTICE_S", 0.5)
    monkeypatch.setattr("arena.extras.cluster.driver.FIRST_NOTICE_S", 0.0)
    monkeypatch.setattr("arena.extras.cluster.machine.LATE_S", 0.3)
    monkeypatch.setattr(control, "PUBLISH_S", 0.1)
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": LAST})
    worker = shared.worker("frozen")
    with Client(shared.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=30)
    frozen.append(worker)
    os.kill(worker, signal.SIGSTOP)
    lines: list[str] = []
    states: set[tuple[str, str]] = set()
    lanes = opened(shared.address, notice=lines.append)
    end_s = time.monotonic() + 60  # a guard against hangs

    def is_said() -> bool:
        if (state := control.last_state(cup / "results")) is not None:
            states.update((lane.lane, lane.state) for lane in state.lanes)
        is_shown = any(reason == "does not answer" for _, reason in states)
        return (
            is_shown and any("does not answer" in line for line in lines)
        ) or time.monotonic() > end_s

    tournament.run(
        event_of(cup),
        cup / "results",
        workers=1,
        audience=Audience(),
        elsewhere=lanes,
        stopped=is_said,
    )
    assert any(
        "waiting for workers; tcp://" in line and "does not answer" in line for line in lines
    ), lines
    assert {
        address.partition(":")[0] for address, reason in states if reason == "does not answer"
    } == {"tcp"}, states
    go_on(frozen)
    end(worker)


@pytest.mark.soak
def test_a_scheduler_that_restarts_costs_no_match(tmp_path, shared):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=6)
    worker = shared.worker("one")
    audience = Acts(after_10=shared.restart_scheduler)
    outcome, _ = play(cup, "cluster", shared.address, audience)
    assert is_whole(outcome, audience)
    end(worker)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_workers_of_nannies_play_and_their_death_and_that_of_a_nanny_cost_no_match(
    tmp_path, shared
):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=20)
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
    assert gone_soon(below)


class Network:
    """A network between the processes of a cluster on this machine, which may be slow, break or
    fall silent.
    """

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


def far(network: Network, shared: Machines) -> str:
    """Return the code for a worker all of whose connections go through the network: to the
    scheduler, and to itself.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    way, scheduler = network.way_to(f"tcp://127.0.0.1:{port}"), network.way_to(shared.address)
    return (
        f"start.Worker = lambda address, **more: Worker(address, port={port}, "
        f"contact_address={way!r}, **more)\n"
        f"wish['address'] = {scheduler!r}"
    )


@pytest.mark.soak
def test_a_worker_that_loses_its_connections_changes_no_table(tmp_path, shared):
    naps = slow(LAST)  # so that the machine is at a parcel when it happens
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": naps}, repeats=2)
    folder = cup / "bots" / "d"
    folder.mkdir()
    (folder / "bot.toml").write_text(BUILT)
    (folder / "build.sh").write_text("cp bot.sh built.sh\n")
    (folder / "bot.sh").write_text(FIRST)
    run(cup, "local")
    with Network() as network:
        # A daemonic process, as below dask's nanny, which may have no children by multiprocessing.
        worker = shared.worker("far", daemon=True, compiles=True, before=far(network, shared))
        audience = Acts(after_1=network.cut)
        outcome, lines = play(cup, "cluster", shared.address, audience)
        assert is_whole(outcome, audience), lines
        assert tables(cup / "cluster") == tables(cup / "local")
        with Archive.open(cup / "cluster") as archive:
            aborts = archive.aborts()
        # Why, the first to know says: the future of a parcel, a connection, the list of workers, a
        # worker that is back.
        assert any(abort.cause.startswith("far was lost: ") for abort in aborts), aborts
        assert any("far was lost" in line and "played again" in line for line in lines), lines
        assert {abort.match for abort in aborts} <= {record.match.id for record in audience.records}
        assert "referee-1 INFO match" in (cup / "cluster" / "logs" / "machine-far.log").read_text()
        end(worker)


@pytest.mark.soak
def test_the_matches_of_a_machine_whose_connections_fall_silent_are_played_again(
    tmp_path, shared, monkeypatch
):
    monkeypatch.setattr("arena.extras.cluster.driver.SILENT_S", 6.0)
    monkeypatch.setattr("arena.extras.cluster.machine.BEAT_S", 0.3)
    naps = slow(LAST)  # so that the machine is at a parcel when it happens
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": naps}, repeats=2)
    run(cup, "local", 2)
    with Network() as network:
        workers = [shared.worker("far", before=far(network, shared))]

        class Silences(Audience):
            def finished(self, record: Record) -> None:
                super().finished(record)
                if len(workers) == 1:
                    network.fall_silent()
                    workers.append(shared.worker("near"))

        audience = Silences()
        outcome, lines = play(cup, "cluster", shared.address, audience)
        assert is_whole(outcome, audience), lines
        assert any("far was lost" in line and "played again" in line for line in lines), lines
        assert tables(cup / "cluster") == tables(cup / "local")
        network.cut()
        end(*workers)


@pytest.mark.soak
def test_a_slow_network_between_scheduler_workers_and_run_costs_time_and_no_match(tmp_path, shared):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=10)
    run(cup, "local", 2)
    with Network(delay=0.2) as network:
        address = network.way_to(shared.address)
        workers = [
            shared.worker(name, before=f"wish['address'] = {address!r}") for name in ("one", "two")
        ]
        audience = Audience()
        outcome, lines = play(cup, "cluster", address, audience)
        assert is_whole(outcome, audience), lines
        assert audience.aborts == []
        assert tables(cup / "cluster") == tables(cup / "local")
        end(*workers)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_twenty_random_kills_of_workers_nannies_hosts_and_the_run_change_no_table(tmp_path, shared):
    """Workers come back; runs are killed and begun again; whatever is hit, the tables are those of
    one machine.
    """
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, repeats=60)
    draws, workers, nannies = (
        random.Random(20),
        [shared.worker("one"), shared.worker("two")],
        [shared.nanny()],
    )
    main = playing(begun(cup, shared.address))
    for _ in range(20):
        time.sleep(draws.uniform(0.5, 4))
        victim = draws.choice(["worker", "nanny", "nanny's worker", "host", "lane", "run"])
        if victim == "run" or main.returncode is not None:
            main.signal(signal.SIGKILL)
            main.wait()
            main = playing(begun(cup, shared.address))
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
            hosts = [host for pid in all_workers for host in children(pid)]
            lanes = [lane for host in hosts for lane in children(host)]
            if hit := (hosts if victim == "host" else lanes):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draws.choice(hit), signal.SIGKILL)
    main.signal(signal.SIGKILL)
    main.wait()
    outcome, _ = play(cup, "results/cup", shared.address, Audience())
    assert outcome.complete
    run(cup, "local", 2)
    assert tables(cup / "results" / "cup") == tables(cup / "local")
    below = [child for pid in (*workers, *nannies) for child in descendants(pid)]
    end(*workers, *nannies)
    assert gone_soon(below)
