"""One message to a webhook at the end of a run: JSON that Slack, Discord and ntfy take.

It names no bot and no person, since whoever reads a channel is not whoever may read the results; and no secret is in
it. It follows no redirect, and without `private` it sends nothing to an address inside a network.
"""

import http.client
import ipaddress
import json
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.version import __version__

TIMEOUT_S = 10.0


def post(url: str, text: str, *, private: bool = False) -> None:
    """Send a text to a webhook; ArenaError, which does not repeat the address, if it is not taken.

    The path of such an address mostly is a secret: who knows it may write to the channel.
    """
    where = urlsplit(url)
    host = where.hostname or ""
    # ntfy shows the body as it is where it is no JSON that it knows; Slack reads `text`, Discord `content`.
    body = json.dumps({"text": text, "content": text, "message": text})
    kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
    connection = kind(host, where.port, timeout=TIMEOUT_S)
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
