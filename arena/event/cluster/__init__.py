"""Many machines: the matches of an event, played by the workers of a dask cluster.

`driver.py` takes the place of workers.py in a run, with `machine.py` for each worker and `admission.py` for who may
play. `session.py` and `host.py` are at the worker's side; `start.py` starts a worker. `content.py` and `wire.py` say
how files and values travel. The package `distributed` is imported only when a cluster is used.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.event.tournament import OpenCluster


def opener(address: str, *, scale_time: bool, notice: Callable[[str], None]) -> "OpenCluster":
    """Return what opens the lanes of this cluster for a run; ArenaError when dask is not installed."""
    refuse_without_dask()
    from arena.event.cluster.driver import Cluster

    return functools.partial(Cluster, address, scale_time=scale_time, notice=notice)


def refuse_without_dask() -> None:
    """Raise ArenaError when the package `distributed` is missing."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ArenaError(f"clusters need dask ({error}): pip install 'botarena[dask]'") from error
