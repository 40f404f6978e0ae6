"""Many machines: the matches of an event, played by the workers of a dask cluster.

`driver.py` takes the place of workers.py in a run, with `machine.py` for each worker, `admission.py` for the decision
which machines play, and `blocks.py` for the matches that belong together. `session.py` and `host.py` are at the
worker's side, with `calibration.py` for its speed; `start.py` starts a worker. `content.py` and `wire.py` say how files
and values travel. The package `distributed` is imported only when a cluster is used.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.event.tournament import OpenCluster


def opener(address: str, *, scale_time: bool, notice: Callable[[str], None]) -> "OpenCluster":
    """Return what opens the lanes of this cluster for a run; ArenaError when dask or its certificates are missing."""
    refuse_without_dask()
    refuse_without_certificates(address, "client")
    from arena.event.cluster.driver import Cluster

    return functools.partial(Cluster, address, scale_time=scale_time, notice=notice)


def refuse_without_dask() -> None:
    """Raise ArenaError when the package `distributed` is missing."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ArenaError(f"clusters need dask ({error}): pip install 'botarena[dask]'") from error


def refuse_without_certificates(address: str, role: str) -> None:
    """Raise ArenaError when this address asks for TLS, and dask has no certificate for the role of this process.

    `role`: `client` or `worker`. Without this check dask raises exceptions of several kinds, and long after the start.
    """
    if not address.startswith("tls://"):
        return
    from distributed.security import Security

    try:
        if Security().get_connection_args(role)["ssl_context"] is not None:  # type: ignore[no-untyped-call]
            return
        reason = f"dask has no certificate of a {role}"
    except (OSError, ValueError, TypeError) as error:  # an SSLError is an OSError
        reason = f"the certificates cannot be read: {error}"
    raise ArenaError(f"{address}: {reason}; set the variables that docs/clusters.md lists for TLS, or use tcp://")
