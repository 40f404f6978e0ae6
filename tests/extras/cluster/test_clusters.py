"""Many machines: the tables of a cluster are those of one machine, whatever happens to its
workers.
"""

import contextlib
import inspect
import os
import re
import shlex
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from arena import system
from arena.clock import TimeControl
from arena.errors import ArenaError, MachineError, NoUsersError
from arena.event import control, director, tournament
from arena.event.director import RunPhase
from arena.event.plan import placings
from arena.event.workers import Done, LostError, NotBegun, Workers
from arena.extras.cluster import admission, calibration, joining, machine, pairings, session, wire
from arena.extras.cluster.calibration import Sample, Speed
from arena.extras.cluster.command import worker as worker_command
from arena.games import rulebook
from arena.results.archive import Archive, schema
from arena.sandbox import cores
from arena.values import Conditions, Ending, Event, Record
from arena.version import __version__
from tests.extras.cluster.machines import opened
from tests.support import workspaces
from tests.support.cup import BOT, Command, arena, environment
from tests.support.events import Audience, event_of, run, tables
from tests.support.processes import alive, children, descendants, gone_soon, until
from tests.support.sprint import DICE, FIRST, LAST, slow

PROGRESS = re.compile(r"([0-9]+) of .* matches \(")

BUILT = 'command = "sh built.sh"\nbuild = "sh build.sh"\n'


class Acts(Audience):
    """An audience that does something after a number of matches."""

    def __init__(self, **at: Callable[[], object]) -> None:
        super().__init__()
        self._acts = {int(number.removeprefix("after_")): act for number, act in at.items()}

    def finished(self, record: Record) -> None:
        super().finished(record)
        self._acts.pop(len(self.records), lambda: None)()


def play(
    cup: Path, results: str, address: str, audience: Audience, **more: Any
) -> tuple[tournament.Progress, list[str]]:
    lines: list[str] = []
    lanes = opened(address, notice=lines.append, **more)
    try:
        outcome = tournament.run(
            event_of(cup), cup / results, workers=1, audience=audience, elsewhere=lanes
        )
    except ArenaError as error:
        error.add_note("\n".join(lines))  # a machine that is refused says why
        raise
    return outcome, lines


@pytest.fixture
def worker(shared) -> Iterator[int]:
    pid = shared.worker("one")
    yield pid
    os.kill(pid, signal.SIGTERM)
    assert gone_soon([pid])


def begun(cup: Path, address: str) -> Command:
    """Begin a run on the cluster in a process of its own."""
    return Command(cup, "run", "--no-charts", "--workers", address)


def playing(main: Command, stored: int = 0) -> Command:
    """Wait until a run is in the middle of its matches, and has stored more of them than so
    many.
    """
    assert until(lambda: any(int(done) > stored for done in PROGRESS.findall(main.said())), 60)
    return main


def test_a_worker_goes_on_when_its_terminal_closes_if_nohup_wants_that(shared):
    worker = shared.worker(
        before="import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)",
    )
    status = Path(f"/proc/{worker}/status")

    def signals(kind: str) -> int:
        (line,) = re.findall(rf"{kind}:\t(\w+)", status.read_text())
        return int(line, 16)

    assert until(lambda: signals("SigCgt") & 1 << signal.SIGTERM - 1)
    assert signals("SigIgn") & 1 << signal.SIGHUP - 1


@pytest.mark.soak
def test_a_run_on_a_local_cluster_that_is_ended_in_a_match_has_no_traceback_of_dask(tmp_path):
    naps = slow(FIRST)
    cup = workspaces.make(tmp_path, {"a": naps, "b": naps, "c": slow(LAST)}, repeats=4)
    main = playing(begun(cup, "local:2"))
    main.signal(signal.SIGTERM)
    done = main.end()
    assert done.returncode == 128 + signal.SIGTERM
    assert "distributed" not in done.stderr


@pytest.mark.soak
def test_a_run_that_is_killed_or_interrupted_leaves_no_bot_and_can_go_on(tmp_path, shared):
    worker = shared.worker("one", compiles=True)
    naps = slow(FIRST)  # so that the run is not over before it is killed
    cup = workspaces.make(tmp_path, {"a": naps, "b": naps, "c": slow(LAST)}, repeats=4)
    main = playing(begun(cup, shared.address))
    assert (below := descendants(worker))
    main.signal(signal.SIGKILL)
    main.wait()
    with Archive.open(cup / "results/cup") as archive:
        stored = archive.count()
    main = begun(cup, shared.address)
    assert until(
        lambda: not any(map(alive, below)), 30
    )  # after the lease of the killed run's session
    playing(main, stored)
    assert (below := descendants(worker))
    main.signal(signal.SIGINT)
    asked = time.monotonic()
    assert until(lambda: not any(map(alive, below)))
    # So it was the run that ended them, and not the lease, which began with the last beat.
    assert time.monotonic() - asked < session.LEASE_S - machine.BEAT_S
    done = main.end()
    assert done.returncode == 130
    assert "matches are stored; to go on" in done.stderr


@pytest.mark.slow
def test_an_exception_of_the_rules_ends_the_run_as_on_one_machine(tmp_path, shared, worker):
    """A dask worker has not imported the rules, so it can unpickle neither their classes nor what
    is made of them.
    """
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": LAST})
    rules = cup / "rules" / "sprint.py"
    text = rules.read_text()
    ending = 'return Outcome({"hare": 25 * hare, "tortoise": 25 * tortoise}, "rest")'
    assert ending in text
    text = text.replace(ending, 'raise KeyError(Odd) if hare else Odd("odd")')
    rules.write_text(
        text.replace("@dataclass", "class Odd(Exception):\n    pass\n\n\n@dataclass", 1)
    )
    outcome, _ = play(cup, "cluster", shared.address, Audience())
    assert not outcome.complete
    assert [abort.attempt for abort in outcome.failed] == [director.ATTEMPTS] * 2
    causes = " ".join(abort.cause for abort in outcome.failed)
    assert "Odd: odd" in causes
    assert "KeyError: <class" in causes


def listening(pid: int) -> set[tuple[str, int]]:
    """Return the IPv4 addresses and ports at which a process waits for connections."""
    sockets = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(os.readlink(descriptor))
    addresses = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *_, inode = line.split()[:10]
        if state == "0A" and f"socket:[{inode}]" in sockets:
            host, port = local.split(":")
            addresses.add((socket.inet_ntoa(bytes.fromhex(host)[::-1]), int(port, 16)))
    return addresses


def test_a_worker_has_one_port_for_its_cluster_and_shows_no_page_on_the_other(shared, worker):
    assert until(lambda: len(listening(worker)) == 2)
    ((host, port),) = {(host, port) for host, port in listening(worker) if host == "127.0.0.1"}
    with contextlib.closing(HTTPConnection(host, port, timeout=20)) as connection:
        connection.request("GET", "/health")
        assert connection.getresponse().status == 404


NO_CONFINEMENT = """
from arena.sandbox import choice
choice.failure = lambda name: "this kernel has no Landlock"
"""


@pytest.mark.soak
def test_the_status_has_each_lane_and_unfit_workers_are_given_nothing(
    tmp_path, shared, monkeypatch
):
    monkeypatch.setattr("arena.extras.cluster.machine.BEAT_S", 0.2)
    monkeypatch.setattr(control, "PUBLISH_S", 0.1)
    monkeypatch.setattr(control, "LOOK_S", 0)
    asleep = BOT.format(place=0, pause=0.4)
    cup = workspaces.make(tmp_path, {"a": asleep, "b": asleep}, repeats=200)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_CONFINEMENT)
    fit = shared.worker("fit", lanes=2)
    unfit = [
        shared.worker("open", before=f"os.environ['PYTHONPATH'] = {str(tmp_path / 'site')!r}"),
        shared.worker(
            "full", before="import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
        ),
    ]
    states: list[control.RunState] = []
    audience, lines = Audience(), list[str]()

    def look() -> bool:
        if (state := control.last_state(cup / "results")) is not None:
            states.append(state)
        at_work = (
            [lane for lane in states[-1].lanes if lane.match and lane.played] if states else []
        )
        refused = {
            line.partition(" is given nothing: ")[0]
            for line in lines
            if " is given nothing: " in line
        }
        return len(at_work) == 2 and refused == {"open", "full"}

    lanes = opened(shared.address, notice=lines.append)
    outcome = tournament.run(
        event_of(cup), cup / "results", workers=1, audience=audience, elsewhere=lanes, stopped=look
    )
    said = "\n".join(lines)
    assert outcome.phase is RunPhase.INTERRUPTED, said
    assert {record.machine for record in audience.records} == {"fit"}
    assert (
        "open is given nothing: its self-test of the level 'landlock' failed: this kernel has no "
        "Landlock"
    ) in said
    assert (
        "full is given nothing: it cannot keep the bots' files: [Errno 27] File too large" in said
    )
    state = next(
        state for state in reversed(states) if sum(bool(lane.match) for lane in state.lanes) == 2
    )
    rows = [lane for lane in state.lanes if lane.machine == "fit"]
    assert len({lane.match for lane in rows}) == 2
    # With the address: two workers may have the same name.
    assert all(
        re.fullmatch(rf"tcp://[0-9.:]+ referee-{row}", lane.lane)
        for row, lane in enumerate(rows, 1)
    )
    assert all((set(lane.bots), lane.board) == ({"a", "b"}, "sprint/default") for lane in rows)
    assert sum(lane.played for lane in rows) == state.played
    idle = {lane.machine: lane.state for lane in state.lanes if lane.machine != "fit"}
    assert set(idle) <= {"open", "full"}
    assert "is given nothing" in idle.values()
    for pid in (fit, *unfit):
        os.kill(pid, signal.SIGTERM)
    assert gone_soon([fit, *unfit])


@pytest.mark.slow
def test_a_cluster_without_a_worker_that_can_play_ends_the_run_with_one_line(
    tmp_path, shared, worker, monkeypatch
):
    monkeypatch.setattr("arena.extras.cluster.driver.REFUSED_S", 0.2)
    cup = workspaces.make(tmp_path, {"a": FIRST, "b": FIRST})
    said = []
    for speed in (Speed(python_s=1e-5, c_s=1e-5, spread=1.0), None):
        with pytest.raises(
            ArenaError, match="no worker of this cluster can play the event"
        ) as refusal:
            play(cup, "cluster", shared.address, Audience(), speed=speed)
        said += refusal.value.__notes__
        monkeypatch.setattr(session, "code_digest", lambda: "newer")  # here, and not at the worker
    assert "one is given nothing: it is too slow for matches that a clock decides" in said[0]
    assert (
        f"one is given nothing: its files of arena {__version__} are not those of the driver ("
        in said[1]
    )


@pytest.mark.soak
def test_a_swiss_on_a_slower_machine_gives_bots_more_time_in_the_same_matches(tmp_path, shared):
    """Meanwhile the worker's threads end: the kernel would end a lane with the thread that forked
    it.
    """
    from distributed import Client

    worker = shared.worker("no compiler")
    cup = workspaces.make(
        tmp_path, {"a": DICE, "b": FIRST, "c": LAST}, "sprint duel", schedule="swiss", repeats=2
    )
    lanes: list[list[int]] = []

    def now() -> list[int]:
        return [lane for host in children(worker) for lane in children(host)]

    def recycle(
        dask_worker: Any,
    ) -> int:  # in here, so that it travels as code: the worker cannot import this file
        """End all threads in which a worker runs tasks, and give it others; return how many there
        were.
        """
        before = dask_worker.executors["default"]
        dask_worker.executors["default"] = ThreadPoolExecutor(before._max_workers)
        before.shutdown(wait=False)
        return len(before._threads)

    def change() -> None:
        lanes.append(now())
        with Client(shared.address, set_as_default=False) as client:
            assert sum(client.run(recycle).values()) > 0

    tracer = sys.gettrace()
    sys.settrace(None)  # coverage would make this process three times slower than the worker
    measured = calibration.measure(calibration.compiled(tmp_path))
    sys.settrace(tracer)
    third = Speed(measured.python_s / 3, measured.c_s and measured.c_s / 3, measured.spread)
    audience = Acts(after_3=change, after_11=lambda: lanes.append(now()))
    outcome, _ = play(cup, "cluster", shared.address, audience, scale_time=True, speed=third)
    assert outcome.complete
    assert lanes[0] == lanes[1] != []
    run(cup, "local", 1)
    assert tables(cup / "cluster") == tables(cup / "local")
    places = []
    for name in ("cluster", "local"):
        with Archive.open(cup / name) as archive:
            places.append(placings(archive))
    assert places[0] == places[1]
    assert [row["game"] for row in places[0]] == ["sprint"] * 3 + ["mummy_maze"] * 3
    assert all(1.5 < record.scale < 6 for record in audience.records)
    with Archive.open(cup / "cluster") as archive:
        stored = {record.match.id: record for record in archive.records()}
        assert not archive.aborts()
    assert {record.match.id: record.scale for record in audience.records} == {
        match: record.scale for match, record in stored.items()
    }
    assert {record.match.conditions.time.start for record in stored.values()} == {
        event_of(cup).conditions.time.start
    }
    os.kill(worker, signal.SIGTERM)
    assert gone_soon([worker])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"python": "PyPy 3.11"},
            "it runs PyPy 3.11, and the driver CPython 3.11: start its worker with the same",
        ),
        (
            {"arena": "0.0.9"},
            f"it has arena 0.0.9, and the driver {__version__}: install the same version there",
        ),
        (
            {"code": "older"},
            (
                f"its files of arena {__version__} are not those of the driver (older, and here "
                "digest): install"
            ),
        ),
        ({"lanes": 0}, "it offers no lanes: start it with `arena worker --lanes 1` or more"),
    ],
)
def test_a_machine_with_other_software_or_without_lanes_is_refused(change, words):
    driver = session.Facts(
        python="CPython 3.11", arena=__version__, code="digest", machine="m", lanes=1
    )
    admission.refuse_other_software(driver, replace(driver, machine="n", lanes=4))
    with pytest.raises(ArenaError, match=f"^{re.escape(words)}"):
        admission.refuse_other_software(driver, replace(driver, **change))


def test_a_machine_is_judged_by_its_speed_where_a_clock_decides():
    reference, conditions = Speed(python_s=0.01, c_s=0.02, spread=1.1), Conditions()

    def judged(
        factor: float,
        spread: float = 1.1,
        conditions: Conditions = conditions,
        *,
        scale_time: bool = False,
    ):
        speed = Speed(python_s=0.01 * factor, c_s=0.02 * factor, spread=spread)
        return admission.scale(speed, reference, conditions, scale_time=scale_time)

    assert judged(1.9) == 1
    with pytest.raises(ArenaError) as refusal:
        judged(3)
    assert str(refusal.value) == (
        "it is too slow for matches that a clock decides: it takes 3.0 times as long as the "
        "driver's machine, and 2 is "
        "the limit: set scale_time = true in [workers], or leave it out"
    )
    assert judged(3, scale_time=True) == 3
    assert judged(0.5, scale_time=True) == 0.5
    assert judged(1.01, scale_time=True) == 1
    with pytest.raises(ArenaError, match="10 is the limit: leave it out"):
        judged(11, scale_time=True)
    with pytest.raises(ArenaError, match="it is too noisy for matches that a clock decides"):
        judged(1, spread=1.7)


def test_where_no_move_has_a_clock_a_slower_machine_has_more_time_to_start():
    # All matches of an event have the same conditions, so a machine that is too slow for one is too
    # slow for all.
    reference, unlimited = (
        Speed(python_s=0.01, c_s=0.02, spread=1.1),
        Conditions(time=TimeControl(move=None)),
    )

    def judged(factor: float, conditions: Conditions) -> float:
        speed = Speed(python_s=0.01 * factor, c_s=0.02 * factor, spread=9)
        return admission.scale(speed, reference, conditions, scale_time=False)

    assert judged(30, unlimited) == 30
    assert judged(1.01, unlimited) == judged(0.5, unlimited) == 1
    with pytest.raises(ArenaError):
        judged(30, Conditions())
    scaled = unlimited.scaled(30)
    assert (scaled.time.start, scaled.limits.cpu) == (150.0, 1800.0)
    assert replace(scaled, time=unlimited.time, limits=unlimited.limits) == unlimited


def test_the_speed_of_a_machine_is_compared_by_what_ran_on_both():
    with_c = calibration.speed_of([Sample(0.02, 0.08)] * 5)
    without = calibration.speed_of([Sample(0.01, None)] * 5)
    assert with_c.factor(without) == pytest.approx(2)
    assert with_c.factor(calibration.speed_of([Sample(0.01, 0.01)] * 5)) == pytest.approx(4)
    assert calibration.speed_of(
        [Sample(0.01, None)] * 9 + [Sample(0.05, None)] * 2
    ).spread == pytest.approx(5)


def test_a_batch_has_a_second_of_matches_and_forfeits_do_not_count_as_matches():
    mate = machine.Machine("tcp://h:1", client=None, task=None, report=print)  # type: ignore[arg-type]

    def size(*, forfeits: bool, at_most: int = 1000) -> int:
        return next(
            count
            for count in range(at_most)
            if mate.is_enough(*((0, count) if forfeits else (count, 0)))
        )

    assert size(forfeits=False) == size(forfeits=True) == 1
    mate.learn([0.001] * 4, forfeits=True)
    assert size(forfeits=True) == 8  # a few short ones may be an accident
    mate.learn([0.001] * 400, forfeits=True)
    assert size(forfeits=True) == machine.MOST_ITEMS
    assert size(forfeits=False) == 1
    mate.learn([0.125] * 100, forfeits=False)
    assert size(forfeits=False) == 8
    assert size(forfeits=True) == machine.MOST_ITEMS
    assert mate.is_enough(4, 500)
    assert not mate.is_enough(4, 400)


def test_the_legs_of_a_pairing_go_to_one_machine_while_it_is_there(tmp_path):
    event = event_of(workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST}))
    ab, ba, ac, ca = (
        director.Work(
            match=event.match(
                event.boards[0], tuple(event.bots["abc".index(bot)] for bot in pair), 0
            )
        )
        for pair in ("ab", "ba", "ac", "ca")
    )
    one, other = (
        machine.Machine(f"tcp://h:{n}", client=None, task=None, report=print) for n in "12"
    )  # type: ignore[arg-type]
    one.state = other.state = machine.MachineState.READY
    waiting = pairings.Pairings()

    def parcel(to: machine.Machine, *works: director.Work) -> list[director.Work]:
        return waiting.next_parcel(to, partial(next, iter(works), None))

    assert parcel(one, ab, ba, ac) == [ab, ba]
    assert parcel(other, ca) == [ac, ca]
    assert parcel(other, ab) == []  # it is played again, and waits for the machine of its pairing
    assert parcel(one) == [ab]
    assert parcel(one, ca) == []
    waiting.release(other)  # which was lost
    other.state = machine.MachineState.LOST
    assert (bool(waiting), parcel(one), bool(waiting)) == (True, [ca], False)


def test_a_parcel_travels_in_few_small_messages(tmp_path, shared):
    """dask remembers messages whole: 100,000 forfeits made driver and scheduler grow by 60 MB
    each.
    """
    event = event_of(workspaces.make(tmp_path, {"a": DICE, "b": FIRST}, repeats=100))
    works = [
        director.Work(match=event.match(event.boards[0], event.bots, number))
        for number in range(200)
    ]
    packed = wire.parcel(sorted, works, 1.0)
    assert wire.unpacked(packed, event) == (sorted, works)
    assert len(packed) < 30 * len(works)
    with opened(shared.address)(event, tmp_path) as lanes:
        assert lanes._client.scheduler_comm.recent_message_log.maxlen == 10  # its name in dask


def test_voided_matches_are_played_again_and_the_archive_has_the_reason(tmp_path, monkeypatch):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST, "c": LAST})
    results = cup / "results" / "cup"
    run(cup, "results/cup", 1)
    before = tables(results)
    with contextlib.closing(sqlite3.connect(results / "event.sqlite")) as connection, connection:
        connection.execute("update matches set machine = iif(number <= 4, 'pc7', 'pc8')")
        connection.execute(
            "update seats set ending = 'timeout' where position = 0 and match in (2, 3, 6)"
        )
        connection.execute(
            "update seats set ending = 'limit_exceeded' where position = 0 and match = 4"
        )
        connection.execute("delete from tallies")
        connection.execute(schema.COUNT, (0,))
    monkeypatch.chdir(cup)
    assert "Known: pc7, pc8" in arena(cup, "status", "cup", "--void", "pc9").stderr
    assert arena(cup, "status", "--void", "pc7", "--reason", "it swapped").stdout.startswith(
        "2 matches of pc7 v"
    )
    with Archive.open(results, writing=True) as archive:
        assert (
            sum(tally.seats for tally in archive.tallies() if tally.ending == Ending.TIMEOUT) == 1
        )
        aborts = archive.aborts()
        assert [abort.cause for abort in aborts] == ["voided, pc7: it swapped"] * 2
        archive.void("pc8", "it swapped too")
    outcome, audience = run(cup, "results/cup", 1)
    assert audience.counts == (6, 3)
    assert outcome.complete
    with Archive.open(results) as archive:
        assert [abort.cause for abort in archive.aborts()][2:] == ["it swapped too"]
        assert {abort.match for abort in archive.aborts()} == {
            record.match.id for record in audience.records
        }
        assert not any(tally.ending == Ending.TIMEOUT for tally in archive.tallies())
    with contextlib.closing(sqlite3.connect(results / "event.sqlite")) as connection, connection:
        connection.execute("update seats set ending = null where ending is not null")
        connection.execute("delete from tallies")
        connection.execute(schema.COUNT, (0,))
    assert tables(results) == before


def test_time_is_scaled_as_a_whole():
    control = TimeControl(start=4.0, move=1.0, bank=2.0, margin=0.1)
    assert control.scaled(1.5) == TimeControl(start=6.0, move=1.5, bank=3.0, margin=0.1 * 1.5)
    assert TimeControl(start=None, move=None).scaled(2) == TimeControl(
        start=None, move=None, margin=0.1
    )


def test_the_process_of_the_lanes_is_started_by_the_thread_of_the_event_loop():
    # The kernel would end it with the thread that started it. dask runs coroutines there, and other
    # functions, tasks among them, in threads that may end.
    assert inspect.iscoroutinefunction(session.open_session)


def test_sampled_boards_travel_as_they_were_drawn_and_without_their_generator(tmp_path):
    (board,) = rulebook.find("mummy_maze/random:2", seed=7)
    event = Event(name="drawn", seed=7, boards=(board,), bots=())
    sent, contents = wire.packed_event(event)
    for digest, data in contents.items():
        wire.unpack(tmp_path, digest, data)
    (located,) = wire.located(sent, tmp_path).boards
    assert located == replace(board, rules=located.rules)
    assert located.rules.startswith(str(tmp_path))
    assert not list(tmp_path.rglob("*random*"))
    other = replace(sent, boards=(replace(sent.boards[0], digest="another"),))
    with pytest.raises(ArenaError, match="its rules are another version there"):
        wire.located(other, tmp_path)


@pytest.mark.slow
def test_what_becomes_of_a_machine_by_the_failure_of_its_matches(tmp_path, monkeypatch):
    from arena.extras.cluster.driver import (
        Cluster,
    )  # here, so that tests of other files do not wait for dask
    from arena.extras.cluster.machine import Machine, MachineState, Parcel

    event = event_of(workspaces.make(tmp_path / "ws", {"a": DICE, "b": FIRST}))
    item = director.Work(match=event.match(event.boards[0], event.bots, 0))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where dask leaves a folder
    with contextlib.closing(Cluster("local:1", event, tmp_path)) as driver:
        for address, error, states in (
            (
                "tcp://no-users",
                NoUsersError("all users are taken"),
                ["LOST"] * 4 + ["REFUSED"],
            ),  # it is tried again
            ("tcp://no-memory", MachineError("no more memory"), ["REFUSED"]),
            (
                "tcp://bug",
                RuntimeError("a bug of ours"),
                ["READY"] * 5,
            ),  # is no fault of the machine
        ):
            seen = []
            while len(seen) < len(states):
                mate = Machine(address, driver._client, driver._task, driver._report)
                mate.state, driver._machines[address] = MachineState.READY, mate
                parcel = mate.parcels[7] = Parcel(7, mate, [item])
                (done,) = driver._take(parcel, [Done(None, None, "it failed", error)], "")
                assert (done.item, isinstance(done.error, LostError)) == (
                    item,
                    isinstance(error, MachineError),
                )
                seen.append(mate.state.name)
            assert seen == states


@pytest.mark.parametrize("rule", [{}, {"stop_after": 0.3}])
def test_a_run_without_any_worker_ends_when_it_is_asked_to_stop_or_its_time_is_over(
    tmp_path, shared, rule
):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST}, **rule)

    def ask() -> bool:
        if not rule:
            token = (cup / "results" / ".lock").read_text().split("\n")[1]
            control.request_halt(cup / "results", token)
        return False

    lanes = opened(shared.address)
    audience = Audience()
    outcome = tournament.run(
        event_of(cup), cup / "results", workers=1, audience=audience, elsewhere=lanes, stopped=ask
    )
    assert (outcome.finished, outcome.failed) == (0, ())
    assert outcome.phase is (RunPhase.LATE if rule else RunPhase.HALTED)
    assert (outcome.stop is not None) == bool(rule)


def altered(change: Callable[[Done[Any, Any]], Done[Any, Any]]) -> Any:
    """Lanes of this machine whose results are changed, as a cluster changes those that it loses."""

    class Altered(Workers):
        def map(self, function, items, **more):
            return map(change, super().map(function, items, **more))

    return lambda _event, _logs, _pin: Altered(1)


def test_a_worker_whose_clock_is_ahead_ends_a_run_with_stop_after(tmp_path):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST}, stop_after=600)
    lanes = altered(lambda done: Done(done.item, NotBegun()))
    outcome = tournament.run(
        event_of(cup), cup / "results", workers=1, audience=Audience(), elsewhere=lanes
    )
    assert outcome.stop is not None
    assert (outcome.stop.rule, outcome.finished, outcome.failed) == ("stop_after", 0, ())


def test_on_a_cluster_no_bot_reaches_a_language_model(tmp_path):
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST})
    with (cup / "tournament.toml").open("a") as file:
        file.write('[model]\nname = "m"\ncommand = "x"\n')
    refused = arena(cup, "run", "--workers", "local:2", "-q")
    assert refused.returncode == 2
    assert "only lanes of this machine reach the event's model" in refused.stderr


def test_a_file_that_changes_its_place_changes_the_digest_of_arenas_files(tmp_path):
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "c.py").write_text("x")
    before = session._files_in(tmp_path)
    (tmp_path / "ab").rename(tmp_path / "a")
    (tmp_path / "a" / "c.py").rename(tmp_path / "a" / "bc.py")
    assert session._files_in(tmp_path) != before


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ArenaError, match=r"clusters need dask .*: pip install 'botarena\[dask\]'"):
        joining.opener("tcp://host:8786", scale_time=False, notice=print)


@pytest.mark.parametrize("address", ["tcp://", "foo://x:1", "host:8786", "local:2", "tcp://host"])
def test_a_worker_wants_the_address_of_a_scheduler(address):
    with pytest.raises(
        ArenaError,
        match=f"^{address}: expected the address of a scheduler, such as tcp://host:8786",
    ):
        worker_command(address)


def test_tls_without_certificates_is_refused_with_the_page_that_helps(tmp_path):
    import dask
    import distributed  # noqa: F401  (a setting made before its import would hide its defaults)

    refusal = (
        r"^tls://h:1: dask has no certificate of a {}; set the variables that `arena docs "
        r"cluster` lists"
    )
    with pytest.raises(ArenaError, match=refusal.format("worker")):
        worker_command("tls://h:1", lanes="1")
    with pytest.raises(ArenaError, match=refusal.format("client")):
        joining.opener("tls://h:1", scale_time=False, notice=print)
    missing = {
        "distributed.comm.tls.ca-file": str(tmp_path / "ca"),
        "distributed.comm.tls.client.cert": "none.pem",
    }
    with (
        dask.config.set(missing),
        pytest.raises(ArenaError, match=r"certificates cannot be read: .*No such file"),
    ):
        joining.opener("tls://h:1", scale_time=False, notice=print)


def test_an_address_where_no_scheduler_is_ends_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.extras.cluster.driver.CONNECT_S", 0.3)
    with pytest.raises(
        ArenaError, match=r"tcp://127.0.0.1:9: no dask scheduler answers there .*start one with"
    ):
        play(
            workspaces.make(tmp_path, {"a": DICE, "b": FIRST}),
            "cluster",
            "tcp://127.0.0.1:9",
            Audience(),
        )


def test_workers_on_one_machine_share_out_its_cores():
    free = len(system.cores())
    claims = [claim for _ in range(free) if (claim := cores.claim(1)) is not None]
    try:
        assert len({*map(tuple, claims)}) == len(claims)
        assert cores.claim(1) is None
    finally:
        for claim in claims:
            for name in claim.values():
                name.close()


LAB = (Path(__file__).parents[3] / "docs/extras/cluster.md").read_text()


def lab_commands() -> list[str]:
    """Return the commands of the page for a lab: of the scheduler, of a worker and of the run."""
    lines = [line.strip() for line in LAB.splitlines() if line.startswith("    ")]
    (scheduler,) = {line for line in lines if line.startswith("dask scheduler --host")}
    (ssh,) = (line for line in lines if line.startswith("for host in"))
    (run,) = {line for line in lines if line.startswith("arena run --workers tcp")}
    return [scheduler, ssh.partition('"$host" ')[2].partition(";")[0], run]


def pod_commands() -> list[str]:
    """Return the commands of the page's pods: of the scheduler, of a worker and of the run."""
    import yaml  # here, because load tests only need it

    text = LAB.partition("## Kubernetes")[2].partition("\n## ")[0]
    lines = [
        line[4:] for line in text.splitlines() if line.startswith("    ") and "kubectl" not in line
    ]
    items = [item for item in yaml.safe_load_all("\n".join(lines)) if item["kind"] != "Service"]
    containers = [item["spec"]["template"]["spec"]["containers"][0] for item in items]
    return [shlex.join(container["command"]) for container in containers]


@pytest.mark.soak
@pytest.mark.parametrize("commands", [lab_commands, pod_commands])
def test_the_commands_of_the_page_play_an_event(commands, tmp_path):
    """This machine stands for all others; `local:2` is the comparison."""
    cup = workspaces.make(tmp_path, {"a": DICE, "b": FIRST})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    tools = Path(sys.executable).parent

    def here(line: str) -> list[str]:
        for name, value in {
            "lab1": "127.0.0.1",
            "arena-scheduler": "127.0.0.1",
            "8786": port,
        }.items():
            line = line.replace(name, value)
        program, *words = shlex.split(line)
        return [str(tools / program), *words]

    scheduler, worker, run = map(here, commands())
    variables = environment(TMPDIR=str(tmp_path))  # where dask leaves a folder
    started = [subprocess.Popen(command, env=variables) for command in (scheduler, worker)]
    try:
        local = [*here("arena run --workers local:2"), "--name", "try"]
        for argv in (run, local):
            done = subprocess.run(
                [*argv, "--no-charts"],
                cwd=cup,
                env=variables,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, done.stderr
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)
    assert started[1].returncode == 128 + signal.SIGTERM
    assert tables(cup / "results" / "cup") == tables(cup / "results" / "try")


def certified(folder: Path) -> Path:
    """Make a CA and a certificate in a folder with the commands of docs/extras/cluster.md; return
    the folder.
    """
    commands = [line.strip() for line in LAB.splitlines() if line.startswith("    openssl")]
    assert len(commands) == 3
    folder.mkdir(exist_ok=True)
    for command in commands:
        subprocess.run(shlex.split(command), cwd=folder, check=True, capture_output=True)
    return folder


@contextlib.contextmanager
def certificates(authority: Path, own: Path, role: str) -> Iterator[None]:
    """Have this process trust the CA of one folder, and show the certificate of another."""
    import dask  # here, so that tests of other files do not wait for it
    import distributed  # noqa: F401  (a setting made before its import would hide its defaults)

    names = {
        "ca-file": authority / "ca.pem",
        f"{role}.cert": own / "cert.pem",
        f"{role}.key": own / "key.pem",
    }
    with dask.config.set(
        {f"distributed.comm.tls.{name}": str(path) for name, path in names.items()}
    ):
        yield


@contextlib.contextmanager
def listener(context: ssl.SSLContext | None) -> Iterator[str]:
    """Yield the TLS address of a server that says one byte to all whom it accepts, as dask's
    scheduler speaks first.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    plain, _ = server.accept()
                    with contextlib.suppress(OSError), plain:
                        secure = (
                            plain
                            if context is None
                            else context.wrap_socket(plain, server_side=True)
                        )
                        secure.sendall(b"hello")
                        secure.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"tls://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.fixture(scope="module")
def authorities(tmp_path_factory) -> tuple[Path, Path]:
    """Return the folders of two CAs, each with a certificate."""
    return certified(tmp_path_factory.mktemp("ours")), certified(
        tmp_path_factory.mktemp("stranger")
    )


@pytest.mark.parametrize("role", ["client", "worker"])
def test_a_certificate_of_a_stranger_is_refused_in_one_line(authorities, role):
    ours, stranger = authorities
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(ours / "ca.pem"))
    context.load_cert_chain(ours / "cert.pem", ours / "key.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    with listener(context) as address:
        with certificates(ours, ours, role):
            joining.refuse_without_certificates(address, role)
        refusal = (
            f"^{address}: the scheduler refuses the certificate of this {role} .*: its CA must have"
        )
        with certificates(ours, stranger, role), pytest.raises(ArenaError, match=refusal):
            joining.refuse_without_certificates(address, role)
        refusal = (
            f"^{address}: the certificate of the scheduler is not signed by the CA of this {role} "
        )
        with certificates(stranger, ours, role), pytest.raises(ArenaError, match=refusal):
            joining.refuse_without_certificates(address, role)
    with certificates(ours, ours, role):
        joining.refuse_without_certificates(address, role)  # nobody is there yet
        joining.refuse_without_certificates(
            "tls://a..b:8786", role
        )  # no name of a host: dask says so
        with (
            listener(None) as plain,
            pytest.raises(ArenaError, match="the scheduler does not speak TLS: start it"),
        ):
            joining.refuse_without_certificates(plain, role)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_the_commands_for_tls_play_an_event_and_refuse_strangers(tmp_path):
    """A scheduler, a worker and a run as cluster.md has them for TLS, all in the folder of the
    certificates.
    """
    cup = certified(workspaces.make(tmp_path / "ours", {"a": DICE, "b": FIRST}))
    stranger = certified(workspaces.make(tmp_path / "stranger", {"a": DICE, "b": FIRST}))
    (stranger / "ca.pem").write_bytes((cup / "ca.pem").read_bytes())
    lines = [line.strip() for line in LAB.splitlines() if line.startswith("    ")]
    exports = "; ".join(line for line in lines if line.startswith("export DASK"))
    (scheduler,) = (line for line in lines if line.startswith("dask scheduler --protocol tls"))
    (worker,) = (line for line in lines if line.startswith("arena worker tls"))
    (starting,) = (line for line in lines if line.startswith("arena run --workers tls"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    def start(line: str, folder: Path, before: str = exports) -> "subprocess.Popen[str]":
        command = line.replace("lab1", "127.0.0.1").replace("8786", port)
        shell = f"{before}; exec {Path(sys.executable).parent}/{command}"
        return subprocess.Popen(["sh", "-c", shell], cwd=folder, stderr=subprocess.PIPE, text=True)

    started = [start(scheduler, cup), start(worker, cup)]
    try:
        played = start(f"{starting} --no-charts", cup)
        _, said = played.communicate(timeout=200)
        assert played.returncode == 0, said
        for line in (f"{starting} --no-charts", worker):
            refused = start(line, stranger)
            _, said = refused.communicate(timeout=200)
            assert refused.returncode != 0
            assert said.count("\n") == 1
            assert "the scheduler refuses the certificate of this" in said
            naked = start(line, cup, before="true")
            _, said = naked.communicate(timeout=200)
            assert naked.returncode != 0
            assert said.count("\n") == 1
            assert "dask has no certificate of a" in said
    finally:
        for process in reversed(started):
            process.terminate()
            process.communicate(timeout=60)
    run(cup, "local", 2)
    assert tables(cup / "results" / "cup") == tables(cup / "local")
