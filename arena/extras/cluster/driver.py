"""The lanes of a cluster.

They take the work of one run to the machines of a dask cluster, and bring records back.

It has the interface of `workers.Workers`. It knows no schedule and no archive.
"""

# Theory of operation
#
# dask is the engine: it knows the workers, carries bytes to them and reports those that vanish.
# Every task is tied to one worker, which this process has chosen, because only it knows which
# machine was admitted, which pairing a match belongs to, and how fast each machine is. The
# alternative, to let the scheduler place tasks, would spread the legs of a pairing over machines
# and send work to workers that were refused.
#
# A parcel is one task: as many pairings (pairings.py) as take about a second (`Machine.is_enough`).
# The engine takes some milliseconds for a task, whatever is in it. A machine has at most
# PARCELS_A_LANE parcels for each of its lanes, one that is played and one that waits, so that
# nothing piles up in the scheduler, and little is lost with a machine.
#
# When a parcel fails, for whatever reason (KilledWorker, CancelledError, a closed connection, the
# end of a session), its items are reported with a LostError, which the tournament counts as aborts
# and plays again. Its late results are dropped: only parcels that are still listed are taken. So
# nothing is played twice in the tables.
#
# All calls that may wait for the network are made in other threads, so that Ctrl-C is heard at
# once.

import asyncio
import contextlib
import logging
import os
import pickle
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

import dask
from distributed import Client, Future, LocalCluster

from arena import whole_files
from arena.errors import ArenaError, MachineError, NoUsersError
from arena.event.director import Work
from arena.event.workers import LOOK_S, Done, Item, Lane, LostError, NotBegun, Result
from arena.extras.cluster import calibration, session, wire
from arena.extras.cluster.host import ItemOutcome
from arena.extras.cluster.machine import PARCELS_A_LANE, Machine, MachineState, Parcel, Task
from arena.extras.cluster.pairings import Pairings
from arena.sandbox import folder as scratch
from arena.sandbox.launcher import Launcher
from arena.values import Event, Record

WORKERS_S = 1.0  # between two looks at which workers there are
STOP_S = 2.0  # for the cluster to be freed
CLOSE_S = 0.1  # for the client to close: nothing is lost by leaving it
LOCAL_STOP_S = 10.0  # for a local cluster to end its processes, too
CONNECT_S = 10.0
MOST_LOSSES = 5  # of one worker without a parcel in between, before it is given nothing more
SILENT_S = session.LEASE_S + 2.0  # without an answer of a machine; its session has ended by then
FETCH_S = 60.0  # for the records of one parcel; a machine that needs longer is lost
REFUSED_S = 5.0  # for a fit worker to join, when all that are there were refused
NOTICE_S = 30.0  # between two notices that there is no machine
FIRST_NOTICE_S = 3.0  # before the first of them
LOCAL = "local:"

News = Callable[[], Iterator[Done[Any, Any]]]
"""What another thread has learnt: a call for the main thread, which yields the items that are done
or lost by it."""


class Cluster:
    """The lanes of a cluster for one run. A context manager: at its end the cluster is free."""

    def __init__(
        self,
        address: str,
        event: Event,
        logs: Path,
        pin: bool | None = None,
        *,
        scale_time: bool = False,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Take the address of a scheduler, or `local:N`.

        `local:N` is a cluster of N workers with one lane each on this machine.
        """
        self._address = address
        self._logs = logs
        self._notice = notice
        self._pairings = Pairings()
        packed, contents = wire.packed_event(event)
        with scratch.temporary() as folder:
            library = calibration.compiled(folder)
            speed = calibration.measure(library)
        self._task = Task(
            key=uuid.uuid4().hex[:12],
            event=replace(packed, seed=0),
            pin=pin,
            contents=contents,
            facts=session.facts(),
            speed=speed,
            scale_time=scale_time,
        )
        self._news: SimpleQueue[News] = SimpleQueue()
        self._machines: dict[str, Machine] = {}
        self._lost: dict[str, list[str]] = {}
        """The names of machines that were lost since their last parcel, by address: one that is
        frozen says none."""
        self._numbers = count()
        self._playable = time.monotonic()
        self._noticed = self._playable - NOTICE_S + FIRST_NOTICE_S
        self._closing = threading.Event()
        self._local = None
        dask.config.set(wire.MESSAGES_KEPT)
        try:
            if address.startswith(LOCAL):
                lanes = address.removeprefix(LOCAL)
                self._local = LocalCluster(
                    n_workers=int(lanes),
                    threads_per_worker=PARCELS_A_LANE,
                    resources={"lanes": 1},
                    memory_limit=0,
                    # A parcel that is cut off at the end would be in the log with a traceback.
                    silence_logs=logging.CRITICAL,
                    dashboard_address=None,
                    worker_dashboard_address=None,
                    # Without a dashboard dask opens its port 8787 all the same, and warns when
                    # another run has it.
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                )
            self._client = self._connected()
        except BaseException:
            self.close()
            raise
        _in_thread(self._look_for_workers)

    def map(
        self,
        function: Callable[[Launcher, Item], Result],
        items: Callable[[], Item | None],
        *,
        stopped: Callable[[], bool] = lambda: False,
        ending: Callable[[], bool] = lambda: False,
    ) -> Iterator[Done[Item, Result]]:
        """As `Workers.map`."""
        while not stopped():
            if ending():
                # The last first, so that the run can queue them in order.
                for item in reversed(self._pairings.hand_back()):
                    not_begun: Done[Any, Any] = Done(item, NotBegun())
                    yield not_begun
            else:
                self._give_out(function, items)
            given_out = any(machine.parcels for machine in self._machines.values())
            if not (given_out or self._pairings):
                return
            yield from self._lose_silent()
            self._complain()
            with contextlib.suppress(Empty):
                news = self._news.get(timeout=LOOK_S)
                while True:
                    yield from news()
                    news = self._news.get_nowait()

    def lanes(self) -> tuple[Lane, ...]:
        """Return the lanes of all machines with their recent work, or why they have none."""
        lanes: list[Lane] = []
        for machine in self._machines.values():
            lanes.extend(machine.lanes_at_work())
        return tuple(lanes)

    def close(self) -> None:
        """End the sessions on all machines within STOP_S, and then a local cluster."""
        self._closing.set()
        stop_s = STOP_S
        if self._local is not None:
            stop_s = LOCAL_STOP_S
        _in_thread(self._end).join(stop_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What goes out.

    def _give_out(self, function: Callable[..., Any], items: Callable[[], Any]) -> None:
        """Give parcels to machines in turn, until they have enough or there is no work."""
        ready = self._in_state(MachineState.READY)
        if not ready:
            self._pairings.take_next(items)
        while ready:
            for machine in ready[:]:
                parcel: list[Work] = []
                if len(machine.parcels) < PARCELS_A_LANE * machine.lanes:
                    parcel = self._pairings.next_parcel(machine, items)
                if parcel:
                    self._submit(machine, function, parcel)
                else:
                    ready.remove(machine)

    def _in_state(self, state: MachineState) -> list[Machine]:
        return [machine for machine in self._machines.values() if machine.state is state]

    def _submit(
        self,
        machine: Machine,
        function: Callable[..., Any],
        items: list[Work],
    ) -> None:
        number = next(self._numbers)
        parcel = Parcel(number, machine, items)
        machine.parcels[number] = parcel

        # In a thread of its own: dask calls back from one thread for all tasks, and a machine that
        # is frozen with a result on it would stop the results of all others.
        def fetch_in_thread(future: Future) -> None:
            _in_thread(lambda: self._fetch(parcel, future))

        try:
            parcel.future = self._client.submit(
                session.play,
                self._task.key,
                number,
                wire.parcel(function, items, machine.scale),
                key=f"arena-{self._task.key}-{number}",
                workers=[machine.address],
                pure=False,
                retries=0,
            )
            parcel.future.add_done_callback(fetch_in_thread)
        except Exception as error:  # noqa: BLE001 (the client is not connected at the moment)
            self._news.put(partial(self._fail, parcel, error))

    def _fetch(self, parcel: Parcel, future: Future) -> None:
        """In a thread: wait for the result of a task, or for the exception of it or of dask."""
        news: News
        try:
            outcomes, log = future.result(timeout=FETCH_S)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
            news = partial(self._fail, parcel, error)
        else:
            news = partial(self._take, parcel, outcomes, log)
        self._news.put(news)

    # What comes back: other threads have the main thread call these functions, which yield what is
    # done or lost.

    def _fail(self, parcel: Parcel, error: BaseException) -> Iterator[Done[Any, Any]]:
        """Take note that a parcel did not go out, or that its outcomes did not come back."""
        if parcel.is_given_out:
            yield from self._lose(parcel.machine, f"{type(error).__name__}: {error}")

    def _see_workers(self, addresses: frozenset[str]) -> Iterator[Done[Any, Any]]:
        """Forget the machines whose workers are gone, and have those of new workers admitted."""
        gone: list[Machine] = []
        for address in self._machines.keys() - addresses:
            gone.append(self._machines[address])
        for machine in gone:
            if machine.state is not MachineState.REFUSED:
                yield from self._lose(machine, "its worker is gone")
            self._machines.pop(machine.address, None)
            self._lost.pop(machine.address, None)

        for address in addresses - self._machines.keys():
            machine = Machine(address, self._client, self._task, self._report)
            self._machines[address] = machine
            names = self._lost.get(address, [address])
            machine.start(names[-1])

    def _report(
        self,
        machine: Machine,
        state: MachineState,
        reason: str,
    ) -> None:
        """In the thread of a machine: have its new state noted."""
        self._news.put(partial(self._change, machine, state, reason))

    def _take(
        self,
        parcel: Parcel,
        outcomes: Sequence[ItemOutcome],
        log: str,
    ) -> Iterator[Done[Any, Any]]:
        """Yield the items of a parcel that came back.

        Give its machine nothing more, or later, where it failed them.
        """
        if not parcel.is_given_out:
            return
        machine = parcel.machine
        del machine.parcels[parcel.number]
        self._write_log(machine, log)
        failure: MachineError | None = None
        seconds: dict[bool, list[float]] = {False: [], True: []}
        for item, outcome in zip(parcel.items, outcomes, strict=True):
            if isinstance(outcome.error, MachineError):
                failure = outcome.error
                loss = LostError(str(failure))
                yield Done(item, None, f"{machine.name}: {failure}", loss)
            elif outcome.result is None:
                words = f"{machine.name}: {outcome.failure}"
                yield Done(item, None, words, outcome.error)
            else:
                packed, seconds_of_item = outcome.result
                # dask has unpickled more of this machine.
                result = pickle.loads(packed)  # noqa: S301
                if isinstance(result, Record):
                    result = replace(
                        result,
                        match=item.match,
                        machine=machine.name,
                        scale=machine.scale,
                    )
                    # Roll calls, and matches that end without a turn, say nothing of the time that
                    # the next one takes.
                    if result.turns or item.absent:
                        is_forfeit = bool(item.absent)
                        seconds[is_forfeit].append(seconds_of_item)
                yield Done(item, result, lane=machine.lane_name(outcome.lane))

        machine.learn(seconds[False], forfeits=False)
        machine.learn(seconds[True], forfeits=True)
        if isinstance(failure, NoUsersError):
            # Others of root play there: it is admitted anew, and tries again.
            yield from self._lose(machine, str(failure))
        elif failure is not None:
            yield from self._change(machine, MachineState.REFUSED, str(failure))
        else:
            self._lost.pop(machine.address, None)

    def _change(
        self,
        machine: Machine,
        state: MachineState,
        reason: str,
    ) -> Iterator[Done[Any, Any]]:
        """Take note of the new state of a machine; yield the items that it loses by that."""
        is_known = self._machines.get(machine.address) is machine
        if not is_known or machine.state is MachineState.REFUSED:
            return
        if state is MachineState.LOST:
            yield from self._lose(machine, reason)
            return
        machine.state = state
        if state is MachineState.READY:
            scaled = ""
            if machine.scale != 1:
                scaled = f", its bots get {machine.scale:g} times the time"
            logging.info(
                "%s (%s) plays: %d lanes%s", machine.name, machine.address, machine.lanes, scaled
            )
            self._notice(f"{machine.name} plays {machine.lanes} at a time{scaled}")
        elif state is MachineState.BUSY:
            self._notice(f"{machine.name} waits: {reason}")
        else:
            logging.warning("%s (%s) is given nothing: %s", machine.name, machine.address, reason)
            self._notice(f"{machine.name} is given nothing: {reason}")
            _in_thread(machine.close)
            yield from self._give_up(machine, reason)

    def _lose(self, machine: Machine, reason: str) -> Iterator[Done[Any, Any]]:
        if self._machines.get(machine.address) is not machine:
            return
        machine.leave()
        names = self._lost.setdefault(machine.address, [])
        names.append(machine.name)
        parcels = machine.parcels.values()
        lost = sum(len(parcel.items) for parcel in parcels)
        logging.warning(
            "%s (%s) was lost with %d matches: %s", machine.name, machine.address, lost, reason
        )
        if lost:
            self._notice(f"{machine.name} was lost; {lost} matches are played again: {reason}")
        if len(names) < MOST_LOSSES:
            machine.state = MachineState.LOST
            del self._machines[machine.address]
        else:
            machine.state = MachineState.REFUSED
            self._notice(
                f"{machine.name} is given nothing: it was lost {len(names)} times, in the end "
                f"because: {reason}"
            )
        yield from self._give_up(machine, reason)

    def _lose_silent(self) -> Iterator[Done[Any, Any]]:
        """Forget the machines that have not answered for SILENT_S.

        Their sessions have ended by then.

        dask takes minutes to notice a machine that is frozen or cut off, and a call to such a
        machine waits for ever.
        """
        now = time.monotonic()
        for machine in self._in_state(MachineState.READY):
            if now - machine.heard > SILENT_S:
                yield from self._lose(machine, f"it has not answered for {SILENT_S:g} s")

    def _give_up(self, machine: Machine, reason: str) -> Iterator[Done[Any, Any]]:
        futures = self._futures([machine])
        if futures:
            _in_thread(lambda: self._cancel(futures))
        items: list[Work] = []
        for parcel in machine.parcels.values():
            items.extend(parcel.items)
        machine.parcels.clear()
        self._pairings.release(machine)
        words = f"{machine.name} was lost: {reason}"
        for item in items:
            yield Done(item, None, words, LostError(reason))

    @staticmethod
    def _futures(machines: Iterable[Machine]) -> list[Future]:
        futures = []
        for machine in machines:
            for parcel in machine.parcels.values():
                if parcel.future:
                    futures.append(parcel.future)
        return futures

    def _cancel(self, futures: list[Future]) -> None:
        with contextlib.suppress(Exception):
            self._client.cancel(futures, force=True)

    def _write_log(self, machine: Machine, lines: str) -> None:
        """Append the lines that a machine logged to its file.

        The prefix is there for a machine named `arena`.
        """
        if not lines:
            return
        safe = ""
        for letter in machine.name:
            if letter.isalnum() or letter in "-._":
                safe += letter
            else:
                safe += "-"
        path = self._logs / f"machine-{safe}.log"
        with (
            contextlib.suppress(OSError),
            os.fdopen(whole_files.open_to_append(path), "a", encoding="utf-8") as log,
        ):
            log.write(lines)

    def _complain(self) -> None:
        """Say that there is no machine; ArenaError when all that are there were refused."""
        states = [machine.state for machine in self._machines.values()]
        if not states or any(state is not MachineState.REFUSED for state in states):
            self._playable = time.monotonic()
        elif time.monotonic() - self._playable > REFUSED_S:
            raise ArenaError(
                f"{self._address}: no worker of this cluster can play the event; the lines above "
                "say why, and how to "
                "mend that; then run the same command again"
            )
        joining = self._in_state(MachineState.JOINING)
        if MachineState.READY in states or time.monotonic() - self._noticed < NOTICE_S:
            return
        if all(time.monotonic() - machine.begun > NOTICE_S for machine in joining):
            self._noticed = time.monotonic()
            text = f"{self._address}: waiting for workers"
            for machine in joining:
                text += f"; {machine.name} {machine.idle_reason()}"
            if self._local is None:
                text += f"; `arena worker {self._address}` starts one"
            self._notice(text)

    # The other threads.

    def _connected(self) -> Client:
        try:
            return Client(
                self._local or self._address,
                timeout=CONNECT_S,
                set_as_default=False,
                name="arena",
            )
        except (OSError, ValueError) as error:
            raise ArenaError(
                f"{self._address}: no dask scheduler answers there ({error}); start one with "
                "`dask scheduler`, and "
                "look at the address"
            ) from error

    def _look_for_workers(self) -> None:
        """In a thread: have each new worker admitted, and report each that is gone."""
        while True:
            pause = LOOK_S
            if self._machines:
                pause = WORKERS_S
            if self._closing.wait(pause):
                return
            try:
                if self._client.status == "closed":  # the scheduler was gone for too long
                    self._client = self._connected()
                scheduler = self._client.scheduler_info(n_workers=-1)
                addresses = frozenset(scheduler["workers"])
                self._news.put(partial(self._see_workers, addresses))
            except Exception as error:  # noqa: BLE001
                # The engine is between two states; the next look will tell.
                logging.info("the scheduler does not answer: %s", error)

    def _end(self) -> None:
        """In a thread: end all sessions, then the client and the local cluster."""
        machines = list(self._machines.values())
        self._cancel(self._futures(machines))
        threads = [_in_thread(machine.close) for machine in machines]
        for thread in threads:
            thread.join(STOP_S)
        with contextlib.suppress(Exception):
            self._client.close(timeout=CLOSE_S)
        if self._local is not None:
            with contextlib.suppress(Exception):
                self._local.close(timeout=LOCAL_STOP_S)


def _in_thread(function: Callable[[], object]) -> threading.Thread:
    """Call a function that may wait for the network; the main thread still hears Ctrl-C at once."""
    thread = threading.Thread(
        target=function,
        name="arena-cluster",
        daemon=True,
    )
    thread.start()
    return thread
