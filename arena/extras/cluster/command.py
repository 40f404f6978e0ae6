"""`arena worker`: play matches on this machine for the runs of a cluster."""

from typing import Annotated

import typer

from arena import system
from arena.cli import options, output
from arena.errors import ArenaError
from arena.extras.cluster import joining
from arena.extras.cluster.keys import SCHEDULER


def worker(
    scheduler: Annotated[
        str, typer.Argument(metavar="SCHEDULER", help="Its address, such as tcp://host:8786.")
    ],
    lanes: Annotated[
        str, typer.Option(help="Matches at once: a number, or auto for one a core.")
    ] = "auto",
    name: Annotated[
        str | None, typer.Option(help="The machine's name in the report; default: its host name.")
    ] = None,
    folder: Annotated[
        str | None, typer.Option(help="A folder on a local disk for its files; default: TMPDIR.")
    ] = None,
) -> None:
    """Play matches on this machine for the runs of a dask cluster, until Ctrl-C."""
    if not SCHEDULER.fullmatch(scheduler):
        raise ArenaError(
            f"{scheduler}: expected the address of a scheduler, such as tcp://host:8786 or "
            "tls://host:8786"
        )
    count = options.worker_count(lanes)
    joining.refuse_without_dask()
    joining.refuse_without_certificates(scheduler, "worker")
    import asyncio

    from arena.extras.cluster import start

    if not isinstance(count, int):
        count = len(system.cores())
    working = start.serve(
        scheduler,
        lanes=count,
        name=name,
        folder=folder,
        notice=output.notice,
    )
    signal_number = asyncio.run(working)
    raise typer.Exit(128 + signal_number)
