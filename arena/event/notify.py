"""Send one message to a webhook at the end of a run: JSON that Slack, Discord and ntfy take.

A message for each match is an observer of matches: audience.py; docs/extensions.md has one.

The message names no bot and no person, because the readers of a channel need not be people who may
read the results, and it has no secret. Redirects are not followed, and without `private` nothing is
sent to an address inside a network.
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
"""The time for the whole message: the timeout of a socket starts again with each byte."""


def post(url: str, text: str, *, private: bool = False) -> None:
    """Send a text to a webhook; ArenaError if the webhook does not take it.

    The error does not repeat the path, which mostly is a secret: whoever knows it may write to the
    channel.
    """
    done: Future[None] = Future()

    def send() -> None:
        try:
            _send(url, text, private=private)
        except ArenaError as error:
            done.set_exception(error)
        else:
            done.set_result(None)

    # It is a thread, because a look-up of a name cannot be ended in any other way.
    threading.Thread(target=send, daemon=True).start()
    try:
        done.result(DEADLINE_S)
    except TimeoutError as error:
        host = urlsplit(url).hostname
        raise ArenaError(
            f"notify.url: {host} was not told: no answer in {DEADLINE_S:.0f} s"
        ) from error


def _send(url: str, text: str, *, private: bool) -> None:
    """Send a text, as `post` does, but without a limit for the whole of it."""
    address = urlsplit(url)
    host = address.hostname or ""
    is_secure = address.scheme == "https"
    connection_class: type[http.client.HTTPConnection] = http.client.HTTPConnection
    if is_secure:
        connection_class = http.client.HTTPSConnection
    # The port is passed, since http.client takes the end of a bare IPv6 address for a port.
    port = address.port or connection_class.default_port
    connection = connection_class(host, port)
    # Slack reads `text`, Discord `content`, ntfy the template in the headers. Each of them ignores
    # the fields of the others.
    text = text[:MOST_LETTERS]
    body = json.dumps({"text": text, "content": text, "message": text})
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"botarena/{__version__}",
        "X-Template": "yes",
        "X-Message": "{{.message}}",
    }
    try:
        connection.sock = _connected(host, port, private=private, secure=is_secure)
        if is_secure:
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(connection.sock, server_hostname=host)
        path = address.path or "/"
        if address.query:
            path += f"?{address.query}"
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ArenaError(f"notify.url: {host} was not told: {reason}") from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise ArenaError(f"notify.url: {host} answered {status}, and was not told")


def _connected(
    host: str,
    port: int,
    *,
    private: bool,
    secure: bool,
) -> socket.socket:
    """Return a connection to an address of a host; OSError if none answers.

    ArenaError if one of its addresses is inside a network and this is not `private`; and, without
    TLS, if one of them is outside, because everybody on the way could read the path, which is a
    secret. The name is looked up once, and the addresses that were judged are those that are tried:
    a second look-up may give other addresses.
    """
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(row[4][0]) for row in rows]
    are_global = [ipaddress.ip_address(address).is_global for address in addresses]
    if not (private or all(are_global)):
        raise ArenaError(f"notify.url: {host} is inside a network; `private = true` allows that")
    if not secure and any(are_global):
        raise ArenaError(
            f"notify.url: {host} is outside this network, where others could read the address: "
            "use https"
        )
    failure: OSError | None = None
    for address in addresses:
        try:
            return socket.create_connection((address, port), TIMEOUT_S)
        except OSError as error:
            failure = failure or error  # the first one is reported
    raise failure or OSError("no address")
