"""One message to a webhook at the end of a run: JSON that Slack, Discord and ntfy take.

It names no bot and no person, since whoever reads a channel is not whoever may read the results; and no secret is in
it. It follows no redirect, and without `private` it sends nothing to an address inside a network.
"""

import http.client
import ipaddress
import json
import threading
from queue import Empty, Queue
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.version import __version__

TIMEOUT_S = 10.0
DEADLINE_S = 20.0
"""The time for all of it: a server that sends a byte now and then never meets the timeout of a socket."""


def post(url: str, text: str, *, private: bool = False) -> None:
    """Send a text to a webhook; ArenaError, which does not repeat the address, if it is not taken.

    The path of such an address mostly is a secret: who knows it may write to the channel.
    """
    failures: Queue[ArenaError | None] = Queue()

    def send() -> None:
        try:
            _send(url, text, private=private)
        except ArenaError as error:
            failures.put(error)
        else:
            failures.put(None)

    threading.Thread(target=send, daemon=True).start()  # nothing else ends a look-up of a name, either
    try:
        failure = failures.get(timeout=DEADLINE_S)
    except Empty:
        failure = ArenaError(f"notify.url: {urlsplit(url).hostname} was not told: no answer in {DEADLINE_S:.0f} s")
    if failure is not None:
        raise failure


def _send(url: str, text: str, *, private: bool) -> None:
    where = urlsplit(url)
    host = where.hostname or ""
    # ntfy shows the body as it is where it is no JSON that it knows; Slack reads `text`, Discord `content`.
    body = json.dumps({"text": text, "content": text, "message": text})
    kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
    # With its port, since http.client takes the end of a bare IPv6 address for one.
    connection = kind(host, where.port or kind.default_port, timeout=TIMEOUT_S)
    try:
        connection.connect()
        # Asked of the socket and not of the name, which may lead elsewhere the next time.
        if not (private or ipaddress.ip_address(connection.sock.getpeername()[0]).is_global):
            raise ArenaError(f"notify.url: {host} is inside a network; `private = true` allows that")
        path = f"{where.path or '/'}{'?' if where.query else ''}{where.query}"
        headers = {"Content-Type": "application/json", "User-Agent": f"botarena/{__version__}"}
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ArenaError(f"notify.url: {host} was not told: {reason}") from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise ArenaError(f"notify.url: {host} answered {status}, and was not told")
