"""The way into a cluster: refuse what could not join it, and open its lanes for a run."""

import functools
import socket
import ssl
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena import system
from arena.errors import ArenaError
from arena.event.elsewhere import Elsewhere
from arena.extras.cluster.keys import keys_of

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.event.workers import OpenLanes

HANDSHAKE_S = 10.0


def lanes_of(tournament: "Tournament") -> Elsewhere | None:
    """Return the cluster that a tournament is played on; None = this machine."""
    keys = keys_of(tournament)
    if keys.cluster is None:
        return None
    opened = functools.partial(opener, keys.cluster, scale_time=keys.scale_time)
    return Elsewhere(where=f"on {keys.cluster}", opened=opened)


def opener(
    address: str,
    notice: Callable[[str], None],
    *,
    scale_time: bool,
) -> "OpenLanes":
    """Return what opens the lanes of this cluster for a run.

    Raise ArenaError without dask or with bad certificates.
    """
    refuse_without_dask()
    refuse_without_certificates(address, "client")
    from arena.extras.cluster.driver import Cluster

    return functools.partial(Cluster, address, scale_time=scale_time, notice=notice)


def refuse_without_dask() -> None:
    """Raise ArenaError when this machine cannot have the lanes of a cluster.

    The package `distributed` may be missing, or this is no system for such lanes.
    """
    if not system.LINUX:
        raise ArenaError(
            f"clusters need Linux on each machine, and this is {sys.platform}; `arena docs laptops`"
        )
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ArenaError(f"clusters need dask ({error}): pip install 'botarena[dask]'") from error


def refuse_without_certificates(address: str, role: str) -> None:
    """Raise ArenaError when this address asks for TLS, and dask has no certificate for this role.

    `role`: `client` or `worker`. Without this check dask raises exceptions of several kinds, and
    long after the start.
    """
    if not address.startswith("tls://"):
        return
    from distributed.security import Security

    reason = f"dask has no certificate of a {role}"
    try:
        security = Security()  # type: ignore[no-untyped-call]
        arguments = security.get_connection_args(role)  # type: ignore[no-untyped-call]
        context: ssl.SSLContext | None = arguments["ssl_context"]
    except (OSError, ValueError, TypeError) as error:  # an SSLError is an OSError
        context = None
        reason = f"the certificates cannot be read: {error}"
    if context is None:
        raise ArenaError(
            f"{address}: {reason}; set the variables that `arena docs cluster` lists for TLS, or "
            "use tcp://"
        )
    _refuse_stranger(address, role, context)


def _refuse_stranger(address: str, role: str, context: ssl.SSLContext) -> None:
    """Raise ArenaError when this process and the scheduler do not accept each other's certificates.

    dask's worker would try again for ever without a word, and its client would say that no
    scheduler answers. A scheduler that is not there yet is no reason: a worker waits for it.
    """
    host, _, port = address.removeprefix("tls://").rpartition(":")
    peer = (host.strip("[]"), int(port))
    try:
        with socket.create_connection(peer, HANDSHAKE_S) as plain:
            with context.wrap_socket(plain) as connection:
                # With TLS 1.3 a client has shaken hands before the server looks at its certificate.
                # The first bytes of the scheduler, which speaks first, say that it did.
                connection.recv(1)
            return
    except ssl.SSLCertVerificationError as error:
        reason = (
            f"the certificate of the scheduler is not signed by the CA of this {role} "
            f"({error.verify_message}): both "
            "need the same ca-file"
        )
    except ssl.SSLEOFError:  # it went away meanwhile
        return
    except ssl.SSLError as error:
        reason = (
            f"the scheduler refuses the certificate of this {role} ({error.reason}): its CA must "
            "have signed it"
        )
        if error.reason == "WRONG_VERSION_NUMBER":
            reason = "the scheduler does not speak TLS: start it with --protocol tls, or use tcp://"
    except (OSError, UnicodeError):
        # A UnicodeError of a host name such as `a..b`: dask says that it cannot be found.
        return
    raise ArenaError(f"{address}: {reason}; `arena docs cluster` has the commands for TLS")
