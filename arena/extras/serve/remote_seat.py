"""A remote seat: a bot on its author's machine, which is asked through the server of the site.

It carries questions and answers by a socket of this machine, and owns the clock of such a seat: how
long the connection was lost, and when an answer is too late. It knows nothing of the network behind
the socket. Like a live bot, it raises no error for a fault that is not arena's.
"""

# Theory of operation
#
# Both sides may lose each other at any moment: the author's machine loses the server, and the
# server may be killed and started again. So every question has a number within its session, which
# is one match of one seat, and is asked again whenever the bot is there again. A bot that has
# answered it sends the same answer; a bot that still thinks about it goes on.
#
# Time counts only while the connection lasts. The seconds without one are added up over a match. If
# they are more than the grace, the bot loses on time. So an author who cuts the connection wins no
# more time to think than the grace, once.

import contextlib
import json
import secrets
import select
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena import protocol, shared_folders
from arena.clock import TimeUsed
from arena.failure import Cause, Failure
from arena.match.bot.output import REMARKS_KEPT
from arena.match.seat import Resources, SingleSeat
from arena.protocol import Ask, Reply
from arena.values import Ending, Seat, SeatReport

LOOK_S = 0.2
"""The time between two attempts to reach the server."""
MOST_BYTES = 10 * protocol.LINE_LIMIT
"""Of a message; JSON escapes letters."""
MOST_REMARKS, MOST_LETTERS = 100, 200
"""The remarks of an answer that the server takes, and the letters of each."""
MOST_LINES = 3
"""Lines that answer nothing of which the author's machine sends the beginning, while no answer has
come."""
SHORT_S = 0.5
"""A loss of the connection that no author needs to be told."""


class RemoteSeat:
    """One seat of one match whose bot is elsewhere."""

    def __init__(self, seat: Seat, grace: float) -> None:
        self._seat = seat
        self._grace = grace
        self._session = secrets.token_hex(16)
        self._number = 0
        self._socket: socket.socket | None = None
        self._received = b""
        self._question: dict[str, object] = {}
        self._lost_since: float | None = None
        """Time (monotonic) since which the bot is not there; None while it is."""
        self._lost = 0.0
        """Seconds that it was not there before that."""
        self._ready: float | None = None
        self._instead: list[str] = []
        """Lines that the bot has printed in place of an answer to the last question, quoted."""

    def ask(self, ask: Ask) -> Reply:
        """Ask it, and wait for the answer until the time is over."""
        begun = time.monotonic()
        if self._number == 0:
            self._lost_since = begun
        lost_before = self._lost_at(begun)
        self._number += 1
        self._instead = []

        text = ask.text.decode("utf-8", "replace")
        self._question = {
            "session": self._session,
            "number": self._number,
            "text": text,
            "ready": ask.ready,
        }
        if self._lost_since is None:
            self._send(self._question)

        while True:
            now = time.monotonic()
            lost = self._lost_at(now)
            lost_meanwhile = lost - lost_before
            spent = TimeUsed(wall=now - begun - lost_meanwhile)
            if lost > self._grace:
                words = (
                    "the connection to its author's machine was lost for more than the grace of "
                    f"{self._grace:g} s"
                )
                return _late(words, spent)
            if ask.deadline is not None and spent.wall > ask.deadline:
                awaited = "answer"
                if ask.ready:
                    awaited = "`ready`"
                words = f"no {awaited} from its author's machine in {ask.announced or 0:g} s"
                return _late(words + self._printed(), spent)
            # All that came is read before an answer among it is returned: that the bot has gone may
            # stand behind it.
            replies = [self._reply(message, spent) for message in self._messages()]
            for reply in filter(None, replies):
                if ask.ready and reply.ending is None:
                    self._ready = spent.wall
                return reply

    def end(self, text: bytes) -> None:
        """Send the last lines, once."""
        if self._socket is not None:
            last_lines = text.decode("utf-8", "replace")
            self._send({"session": self._session, "end": last_lines})
        self._disconnect()

    def close(self) -> None:
        """Leave the connection to the server."""
        self._disconnect()

    def report(self) -> SeatReport:
        """Return what is known of the bot."""
        lost = self._lost
        if self._ready is not None:
            lost = self._lost_at(time.monotonic())
        warnings: tuple[str, ...] = ()
        if lost > SHORT_S:
            warnings = (f"the connection was lost for {lost:.1f} s",)
        return SeatReport(
            role=self._seat.role,
            bot=self._seat.bot.name,
            digest=self._seat.bot.digest,
            confined="remote",
            ready=self._ready,
            warnings=warnings,
        )

    def _lost_at(self, now: float) -> float:
        """Return for how many seconds of this match the bot was not there."""
        if self._lost_since is None:
            return self._lost
        return self._lost + (now - self._lost_since)

    def _messages(self) -> list[dict[str, Any]]:
        """Wait for a moment, and return what came."""
        if self._socket is None and not self._connect():
            time.sleep(LOOK_S / 4)
            return []
        if self._socket is None:
            return []
        readable, _, _ = select.select([self._socket], [], [], LOOK_S)
        if not readable:
            return []
        try:
            data = self._socket.recv(65536)
        except OSError:
            data = b""
        self._received += data
        if not data or len(self._received) > MOST_BYTES:
            self._disconnect()
            return []
        *lines, self._received = self._received.split(b"\n")
        messages = []
        for line in lines:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                messages.append(message)
        return messages

    def _reply(self, message: dict[str, Any], spent: TimeUsed) -> Reply | None:
        """Return the reply that a message is; None for other messages."""
        if "here" in message:
            self._take_presence(here=message["here"] is True)
        if message.get("session") != self._session:
            return None
        if message.get("number") != self._number:
            return None
        instead = message.get("instead")
        if isinstance(instead, str) and len(self._instead) < MOST_LINES:
            self._instead.append(protocol.quoted(instead, MOST_LETTERS // 2))
        failed = message.get("failed")
        if isinstance(failed, str):
            cause = protocol.clean(failed, MOST_LETTERS)
            words = f"on its author's machine: {cause}{self._printed()}"
            return Reply(ending=Ending.CRASHED, words=words, spent=spent)
        line = message.get("line")
        if not isinstance(line, str):
            return None
        remarks = message.get("remarks")
        texts: list[str] = []
        if isinstance(remarks, list):
            texts = [text for text in remarks if isinstance(text, str)]
        cleaned = [protocol.clean(text, MOST_LETTERS) for text in texts[:REMARKS_KEPT]]
        first_line, _, _ = line.partition("\n")
        content = first_line.encode("utf-8", "replace")
        answer = content[: protocol.LINE_LIMIT]
        return Reply(answer, spent=spent, remarks=tuple(cleaned))

    def _printed(self) -> str:
        """Return what the bot has printed in place of an answer, as more of a sentence."""
        if not self._instead:
            return ""
        return f"; it printed {', '.join(self._instead)} instead"

    def _take_presence(self, *, here: bool) -> None:
        now = time.monotonic()
        if here and self._lost_since is not None:
            self._lost = self._lost_at(now)
            self._lost_since = None
            self._send(self._question)
        elif not here and self._lost_since is None:
            self._lost_since = now

    def _connect(self) -> bool:
        path = Path(self._seat.bot.remote)
        connection = socket.socket(socket.AF_UNIX)
        try:
            with shared_folders.socket_path(path) as address:
                connection.connect(address)
        except OSError:  # there is no server now
            connection.close()
            return False
        self._socket = connection
        self._received = b""
        message: dict[str, object] = {
            "bot": self._seat.bot.name,
            "session": self._session,
        }
        self._send(message)
        return True

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._take_presence(here=False)

    def _send(self, message: dict[str, object]) -> None:
        if self._socket is None:
            return
        line = json.dumps(message).encode() + b"\n"
        with contextlib.suppress(OSError):  # the next read tells that it is closed
            self._socket.sendall(line)


def remote_seats(seats: Sequence[Seat], resources: Resources) -> list[SingleSeat]:
    """Return the seats whose bots stay on their authors' machines: a `Kind`.

    Only an event with remote seats has any.
    """
    remote = resources.match.conditions.remote
    if remote is None:
        return []
    remote_seats: list[SingleSeat] = []
    for seat in seats:
        if seat.bot.remote:
            remote_seat = RemoteSeat(seat, remote.grace)
            remote_seats.append(SingleSeat(seat.role, remote_seat))
    return remote_seats


def _late(words: str, spent: TimeUsed) -> Reply:
    failure = Failure(cause=Cause.NO_ANSWER, words=words, spent=spent)
    return Reply(
        ending=Ending.TIMEOUT,
        words=words,
        spent=spent,
        failure=failure,
    )
