"""The pipes of one bot: raw descriptors, non-blocking, with one poll over all of them.

It owns the descriptors and what is still to be written. It knows no line, no clock and no bot's fault.
"""

import os
import select
from collections.abc import Iterable

CHUNK = 64 * 1024  # what a pipe holds: one read empties it


class Wire:
    """stdin, stdout and stderr of a bot, as seen from outside, and the lifeline of whoever started it."""

    def __init__(self, stdin: int, stdout: int, stderr: int, lifeline: int) -> None:
        self.stdin: int | None = stdin
        self.stdout, self.stderr, self.lifeline = stdout, stderr, lifeline
        self.stdout_open = self.stderr_open = True
        self._open = True
        self._outbox = b""
        self._poll = select.poll()
        self._poll.register(stdout, select.POLLIN)
        self._poll.register(stderr, select.POLLIN)
        self._poll.register(lifeline, 0)  # hangs up with the spawner
        self.wait = self._poll.poll
        """Wait so many milliseconds for any of it; the descriptors that are ready, with what they are ready for."""

    def write(self, text: bytes) -> None:
        """Write what the pipe takes now; the rest follows with `flush`, when the descriptor is ready."""
        if self.stdin is None:
            return
        if not self._outbox:
            try:
                written = os.write(self.stdin, text)
            except BlockingIOError:
                written = 0
            except OSError:  # it closed its input; its output tells the rest
                self.close_stdin()
                return
            if written == len(text):
                return
            text = text[written:]
            self._poll.register(self.stdin, select.POLLOUT)
        self._outbox += text

    def flush(self) -> None:
        """Go on with what is still to be written."""
        rest, self._outbox = self._outbox, b""
        if self.stdin is not None:
            self._poll.unregister(self.stdin)
            self.write(rest)

    def read(self, size: int = CHUNK) -> bytes | None:
        """What is on stdout; `b""` at end of file, None when there is nothing yet."""
        try:
            data = os.read(self.stdout, size)
        except BlockingIOError:
            return None
        if not data and self.stdout_open:
            self.stdout_open = False
            self._poll.unregister(self.stdout)
        return data

    def read_log(self) -> bytes | None:
        """The same of stderr."""
        try:
            data = os.read(self.stderr, CHUNK)
        except BlockingIOError:
            return None
        if not data and self.stderr_open:
            self.stderr_open = False
            self._poll.unregister(self.stderr)
        return data

    def close_stdin(self) -> None:
        """No more is written."""
        if self.stdin is not None:
            if self._outbox:
                self._poll.unregister(self.stdin)
                self._outbox = b""
            os.close(self.stdin)
            self.stdin = None

    def close(self) -> None:
        """Close all of it; once only."""
        self.close_stdin()
        if self._open:
            os.close(self.stdout)
            os.close(self.stderr)
        self._open = self.stdout_open = self.stderr_open = False

    def watch(self, poll: "select.poll") -> Iterable[int]:
        """Register with a poll over several bots what is to be waited for now; the descriptors."""
        watched = {self.lifeline: 0}
        if self._outbox and self.stdin is not None:
            watched[self.stdin] = select.POLLOUT
        if self.stdout_open:
            watched[self.stdout] = select.POLLIN
        if self.stderr_open:
            watched[self.stderr] = select.POLLIN
        for descriptor, events in watched.items():
            poll.register(descriptor, events)
        return watched
