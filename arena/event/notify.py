"""One message to a webhook at the end of a run: JSON that Slack, Discord and ntfy take.

It names no bot and no person, because people who read a channel need not be people who may read the
results. It has no secret. It follows no redirect, and without `private` it sends nothing to an
address inside a network.
"""

import http.client
import ipaddress
import json
import socket
import ssl
import threading
from concurrent.futures import Future
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.version import __version__

TIMEOUT_S = 10.0
MOST_LETTERS = 2000
"""Discord takes no longer message."""
DEADLINE_S = 20.0
"""The time for all of it: a server that sends a byte now and then never meets the timeout of a socket."""


def post(url: str, text: str, *, private: bool = False) -> None:
    """Send a text to a webhook; ArenaError, which does not repeat the address, if it is not taken.

    The path of such an address mostly is a secret: who knows it may write to the channel.
    """
    done: Future[None] = Future()

    def send() -> None:
        try:
            _send(url, text, private=private)
        except ArenaError as error:
            done.set_exception(error)
        else:
            done.set_result(None)

    threading.Thread(
        target=send, daemon=True
    ).start()  # nothing else ends a look-up of a name, either
    try:
        done.result(DEADLINE_S)
    except TimeoutError as error:
        host = urlsplit(url).hostname
        raise ArenaError(
            f"notify.url: {host} was not told: no answer in {DEADLINE_S:.0f} s"
        ) from error


def _send(url: str, text: str, *, private: bool) -> None:
    where = urlsplit(url)
    host = where.hostname or ""
    kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
    port = where.port or kind.default_port
    connection = kind(
        host, port
    )  # with its port, since http.client takes the end of a bare IPv6 address for one
    # Slack reads `text`, Discord `content`, ntfy the template in the headers; all of them ignore
    # the rest.
    body = json.dumps(dict.fromkeys(("text", "content", "message"), text[:MOST_LETTERS]))
    headers = {"Content-Type": "application/json", "User-Agent": f"botarena/{__version__}"}
    headers |= {"X-Template": "yes", "X-Message": "{{.message}}"}
    try:
        connection.sock = _connected(host, port, private=private, secure=where.scheme == "https")
        if kind is http.client.HTTPSConnection:
            connection.sock = ssl.create_default_context().wrap_socket(
                connection.sock, server_hostname=host
            )
        path = f"{where.path or '/'}{'?' if where.query else ''}{where.query}"
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ArenaError(f"notify.url: {host} was not told: {reason}") from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise ArenaError(f"notify.url: {host} answered {status}, and was not told")


def _connected(host: str, port: int, *, private: bool, secure: bool) -> socket.socket:
    """Return a connection to an address of a host; ArenaError, and nobody hears of it, if one is inside a network.

    Without TLS it is an error if one is not, because whoever is on the way would read the path,
    which is a secret. The name is looked up once, and the very addresses that were judged are
    tried: asked again, it may lead elsewhere.
    """
    addresses = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not (private or all(ipaddress.ip_address(address).is_global for address in addresses)):
        raise ArenaError(f"notify.url: {host} is inside a network; `private = true` allows that")
    if not secure and any(ipaddress.ip_address(address).is_global for address in addresses):
        raise ArenaError(
            f"notify.url: {host} is outside this network, where others could read the address: use https"
        )
    failure: OSError | None = None
    for address in addresses:
        try:
            return socket.create_connection((address, port), TIMEOUT_S)
        except OSError as error:
            failure = failure or error
    raise failure or OSError("no address")
