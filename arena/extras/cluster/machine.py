"""The driver's side of one worker.

A thread has the worker admitted, keeps its session, and notices when it is gone.

The thread speaks with the worker only by `Client.run`, outside dask's tasks, so it needs no free
thread there. What it learns it puts into a queue that the main thread reads.
"""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from arena.errors import ArenaError
from arena.event.director import Work
from arena.event.workers import Lane
from arena.extras.cluster import admission, session
from arena.extras.cluster.calibration import Speed
from arena.extras.cluster.host import Report
from arena.extras.cluster.session import Facts, Session
from arena.values import Event

if TYPE_CHECKING:
    from distributed import Client, Future

PARCEL_S = 1.0  # of work in a parcel
MOST_ITEMS = 500  # in a parcel, so that no message is large
PARCELS_A_LANE = 2  # one that is played and one that waits
BEAT_S = 2.0  # between two renewals of a session, a quarter of its lease
LATE_S = 5.0  # a machine that is silent for longer is shown as one that does not answer
POLL_S = 0.1  # between two looks whether a host is ready
BUSY_S = 1.0  # between two questions to a worker that plays for another driver


@dataclass(frozen=True)
class Task:
    """All that workers are asked to do for one event, and how they are judged."""

    key: str
    """The session's name."""
    event: Event
    """As `wire.packed_event` returns it, and without its seed."""
    pin: bool | None
    contents: Mapping[str, bytes]
    facts: Facts
    """Of the driver."""
    speed: Speed
    """Of the driver's machine."""
    scale_time: bool


class MachineState(Enum):
    """What a machine does for the run. The value says why it plays nothing; empty when it plays."""

    JOINING = "makes ready"
    READY = ""
    BUSY = "plays for another run"
    REFUSED = "is given nothing"
    LOST = "is gone"


@dataclass
class Parcel:
    """A task of dask's, and the items in it."""

    number: int
    machine: "Machine"
    items: list[Work]
    future: "Future | None" = None

    @property
    def is_given_out(self) -> bool:
        """True while it was not given up."""
        return self.machine.parcels.get(self.number) is self


@dataclass(eq=False)
class Machine:
    """One worker of dask."""

    address: str
    client: "Client"
    task: Task
    report: "Callable[[Machine, MachineState, str], object]"
    """Tells the main thread that the machine is in another state, and why."""
    name: str = ""
    lanes: int = 0
    scale: float = 1.0
    state: MachineState = MachineState.JOINING
    """Only the main thread sets it."""
    parcels: dict[int, Parcel] = field(default_factory=dict)
    _seconds: dict[bool, float] = field(default_factory=dict)
    """The mean time of the last matches on it: by False of those that were played, by True of
    forfeits."""
    _measured: Counter[bool] = field(default_factory=Counter)
    """How many of both came back."""
    begun: float = field(default_factory=time.monotonic)
    """The monotonic time at which its worker was seen."""
    heard: float = field(default_factory=time.monotonic)
    """The monotonic time at which it last answered."""
    _working: Mapping[str, Lane] = field(default_factory=dict)
    """The lanes that were at work at the last beat, by name."""
    _closing: threading.Event = field(default_factory=threading.Event)

    def start(self, name: str) -> None:
        """Begin to have it admitted, under this name until it says its own."""
        self.name = name
        thread = threading.Thread(
            target=self._serve,
            name=f"arena-{self.address}",
            daemon=True,
        )
        thread.start()

    def lanes_at_work(self) -> list[Lane]:
        """Return its lanes with their work as of the last beat.

        A machine that does not play yet has a single row.
        """
        state = self.idle_reason()
        if self.state in {MachineState.JOINING, MachineState.REFUSED}:
            return [Lane(self.address, machine=self.name, state=state)]
        working = self._working
        lanes = []
        for number in range(1, self.lanes + 1):
            name = self.lane_name(f"referee-{number}")
            idle = Lane(name, machine=self.name, state=state)
            lanes.append(working.get(name, idle))
        return lanes

    def idle_reason(self) -> str:
        """Return in words why it plays nothing now; empty when it plays."""
        if self.state is MachineState.JOINING and time.monotonic() - self.heard > LATE_S:
            return "does not answer"  # it is frozen, cut off or very busy
        return self.state.value

    def lane_name(self, lane: str) -> str:
        """Return the name of a lane of its host.

        The address is with it, because two workers may have the same name.
        """
        return f"{self.address} {lane}"

    def learn(self, seconds: Sequence[float], *, forfeits: bool) -> None:
        """Take note of the seconds that each match, or each forfeit, of a parcel took."""
        if not seconds:
            return
        count = len(seconds)
        mean = sum(seconds) / count
        mean_before = self._seconds.get(forfeits, mean)
        self._seconds[forfeits] = 0.7 * mean_before + 0.3 * mean
        self._measured[forfeits] += count

    def is_enough(self, matches: int, forfeits: int) -> bool:
        """Return whether a parcel with this number of items is large enough for it."""
        if matches + forfeits >= MOST_ITEMS:
            return True
        seconds = 0.0
        for kind, count in ((False, matches), (True, forfeits)):
            # One short match may be an accident, so a parcel has at most twice as many of a kind as
            # were measured.
            if count and count >= 2 * self._measured[kind]:
                return True
            seconds += count * self._seconds.get(kind, 0.0)
        return seconds >= PARCEL_S

    def leave(self) -> None:
        """End its thread; its session then ends by itself."""
        self._closing.set()

    def close(self) -> None:
        """End its session at once, if it can be reached; wait for that."""
        self._closing.set()
        with contextlib.suppress(Exception):
            self.client.run(
                session.in_session,
                self.task.key,
                Session.end,
                "its driver ended it",
                workers=[self.address],
                on_error="ignore",
            )

    def _serve(self) -> None:
        try:
            self._admit()
            self.report(self, MachineState.READY, "")
            while not self._closing.wait(BEAT_S):
                _, lanes = self._ask_session(Session.renew)
                self._show(lanes)
        except ArenaError as error:
            self.report(self, MachineState.REFUSED, str(error))
        except Exception as error:  # noqa: BLE001
            # Whatever the engine raises, this worker is of no use any more.
            if not self._closing.is_set():
                self.report(self, MachineState.LOST, f"{type(error).__name__}: {error}")

    def _show(self, lanes: Sequence[Lane]) -> None:
        """Keep what the lanes work on, but for those whose parcel is over meanwhile."""
        now = time.monotonic()
        working = {}
        for lane in lanes:
            number, index = lane.item
            parcel = self.parcels.get(number)
            if parcel is not None:
                name = self.lane_name(lane.name)
                item = parcel.items[index]
                since = now - lane.since
                working[name] = Lane(name, item, since, self.name)
        self._working = working

    def _ask(self, function: Callable[..., Any], *arguments: object) -> Any:
        answers = self.client.run(
            function,
            *arguments,
            workers=[self.address],
        )
        if self.address not in answers:
            raise session.SessionLostError("the worker is gone")
        self.heard = time.monotonic()
        return answers[self.address]

    def _ask_session(self, method: Callable[..., Any], *arguments: object) -> Any:
        return self._ask(session.in_session, self.task.key, method, *arguments)

    def _admit(self) -> None:
        """Have the worker make ready; ArenaError if it is refused."""
        task = self.task
        try:
            facts: Facts = self._ask(session.facts)
        except (ImportError, AttributeError) as error:
            remedy = "install botarena[dask] of this version there"
            raise ArenaError(f"it has no arena {task.facts.arena} ({error}): {remedy}") from error
        self.name = facts.machine
        self.lanes = facts.lanes
        admission.refuse_other_software(task.facts, facts)
        for digest in self._missing_contents():
            try:
                self._ask_session(Session.store, digest, task.contents[digest])
            except OSError as error:
                if error.errno is None:  # a connection that broke
                    raise
                raise ArenaError(
                    f"it cannot keep the bots' files: {error}; make room there, or give it "
                    "another --folder"
                ) from error
        self._ask_session(Session.prepare, task.event, facts.lanes, task.pin)
        report: Report | None = None
        while report is None:
            self._wait(POLL_S)
            report, _ = self._ask_session(Session.renew)
        self.lanes = report.lanes
        conditions = task.event.conditions
        self.scale = admission.scale(
            report.speed, task.speed, conditions, scale_time=task.scale_time
        )

    def _missing_contents(self) -> list[str]:
        """Open a session; return the digests of the contents that the worker does not have.

        Wait as long as it plays for another run.
        """
        reported_busy = False
        digests = list(self.task.contents)
        missing: list[str] | None
        while True:
            missing = self._ask(session.open_session, self.task.key, digests)
            if missing is not None:
                return missing
            if not reported_busy:
                reported_busy = True
                reason = "it plays for another run; it is asked again every second"
                self.report(self, MachineState.BUSY, reason)
            self._wait(BUSY_S)

    def _wait(self, seconds: float) -> None:
        if self._closing.wait(seconds):
            raise ArenaError("the run is over")
