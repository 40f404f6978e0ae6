"""`arena worker`: a dask worker that joins again when its scheduler restarts."""

import asyncio
import logging
import signal
from collections.abc import Callable

import dask
from distributed import Worker

from arena import signals
from arena.errors import ArenaError, counted
from arena.extras.cluster import session, wire
from arena.extras.cluster.machine import PARCELS_A_LANE


async def serve(
    address: str,
    *,
    lanes: int,
    name: str | None,
    folder: str | None,
    notice: Callable[[str], None],
) -> int:
    """Work for the scheduler at this address until a signal comes; return the number of the signal.

    No nanny: it would count its own memory and not that of bots, and what it restarts loses its
    session anyhow. No limit of memory for the same reasons, and no dashboard, because a dashboard
    is an open port. dask opens the port of the dashboard in any case, so it is open to this machine
    only and has no page.
    """
    # No page behind the port of the dashboard.
    dask.config.set({"distributed.worker.http.routes": []})
    dask.config.set(wire.MESSAGES_KEPT)
    # The profiler looks at all stacks 100 times a second.
    dask.config.set({"distributed.worker.profile.enabled": False})
    # By default the worker wakes 50 times a second, beside bots.
    dask.config.set({"distributed.admin.tick.interval": "1s"})
    # dask logs a line for each beat of a driver.
    dask_log = logging.getLogger("distributed")
    dask_log.setLevel(logging.WARNING)

    loop = asyncio.get_running_loop()
    stop_signal: asyncio.Future[int] = loop.create_future()

    def ask(number: int) -> None:
        if not stop_signal.done():
            stop_signal.set_result(number)

    for number in signals.ENDING_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            loop.add_signal_handler(number, ask, number)
    notice(f"joining {address}")
    while not stop_signal.done():
        worker = Worker(
            address,
            nthreads=PARCELS_A_LANE * lanes,  # so that each lane always has a parcel that waits
            resources={"lanes": lanes},
            memory_limit=0,
            dashboard=False,
            dashboard_address="127.0.0.1:0",
            local_directory=folder,
        )
        # Two workers could not share the name if it were dask's own.
        setattr(worker, session.NAME, name or "")
        started = asyncio.ensure_future(worker)
        await asyncio.wait([started, stop_signal], return_when=asyncio.FIRST_COMPLETED)
        if started.done():
            try:
                started.result()
            except RuntimeError as error:  # dask's "failed to start", whose cause says why
                raise ArenaError(
                    f"{address}: this worker cannot join: {error.__cause__ or error}; look at the "
                    "address and, with "
                    "tls://, at the certificates (`arena docs cluster`)"
                ) from error
            notice(f"{worker.address} works for {address}: {counted(lanes, 'lane')}")
            finished = asyncio.ensure_future(worker.finished())
            await asyncio.wait([finished, stop_signal], return_when=asyncio.FIRST_COMPLETED)
            if not stop_signal.done():
                notice(f"the scheduler {address} is gone; joining it again when it is back")
            else:
                # What is cut off now would be in the log with a traceback for each parcel.
                dask_log.setLevel(logging.CRITICAL)
        await session.close_any(worker)
        await worker.close(timeout=1, nanny=False)
    return stop_signal.result()
