"""The pipes of one bot: raw descriptors, non-blocking, with one poll over all of them.

It owns the descriptors and the bytes that are still to be written. It knows no line, no clock and
no fault.
"""

import fcntl
import os
import select
import struct
import termios
from collections.abc import Iterable

from arena.sandbox import timed_pipe
from arena.sandbox.procfs import PAGE_BYTES

C_INT = struct.Struct("i")
CHUNK_BYTES = 64 * 1024
"""The size of one read: a pipe holds no more."""


class Wire:
    """Our ends of a bot's stdin, stdout and stderr, and the lifeline of its spawner."""

    def __init__(
        self,
        stdin: int,
        stdout: int,
        stderr: int,
        lifeline: int,
    ) -> None:
        self.stdin: int | None = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.lifeline = lifeline
        self.stdout_open = self.stderr_open = True
        self._open = True
        self.is_timed = timed_pipe.is_timed(stdout)
        """Whether the kernel notes when the bot gets a question, and when it writes an answer."""
        self._last_read = 0
        """The size of the last read of its stdout."""
        self.only_output = [(stdout, select.POLLIN)]
        """The result of `wait` when there is output to read, and nothing else has happened."""
        self._outbox = b""
        self._poll = select.poll()
        self._poll.register(stdout, select.POLLIN)
        self._poll.register(stderr, select.POLLIN)
        self._poll.register(lifeline, 0)  # reports only that the spawner has ended
        self.wait = self._poll.poll
        """Wait for a number of milliseconds, and return the descriptors that are ready, each with
        its events."""

    def write(self, text: bytes) -> None:
        """Write as much as the pipe takes now.

        `flush` writes the remaining bytes when the descriptor is ready.
        """
        if self.stdin is None:
            return
        if not self._outbox:
            try:
                written = os.write(self.stdin, text)
            except BlockingIOError:
                written = 0
            except OSError:
                # The bot has closed its input; its output will show whether that is a fault.
                self.close_stdin()
                return
            if written == len(text):
                return
            text = text[written:]
            self._poll.register(self.stdin, select.POLLOUT)
        self._outbox += text

    def flush(self) -> None:
        """Write more of the bytes that the pipe did not take yet."""
        text = self._outbox
        self._outbox = b""
        if self.stdin is not None:
            self._poll.unregister(self.stdin)
            self.write(text)

    def unread(self) -> int:
        """Return how many of the bytes in its stdin the bot has not read yet."""
        if self.stdin is None:
            return 0
        answer = fcntl.ioctl(self.stdin, termios.FIONREAD, bytes(C_INT.size))
        (waiting,) = C_INT.unpack(answer)
        return int(waiting)

    def read(self, size: int = CHUNK_BYTES) -> bytes | None:
        """Return bytes of its stdout: `b""` at end of file, None when there are none yet."""
        try:
            data = os.read(self.stdout, size)
        except BlockingIOError:
            return None
        self._last_read = len(data)
        if not data and self.stdout_open:
            self.stdout_open = False
            self._poll.unregister(self.stdout)
        return data

    def came_by(self, now: float) -> float:
        """Return the latest moment at which what was read last can have come.

        That is `now` (monotonic) where nobody knows better. Where the pipe was full, the write may
        not have ended, and an earlier one may have been noted.
        """
        if not self.is_timed:
            return now
        capacity = fcntl.fcntl(self.stdout, fcntl.F_GETPIPE_SZ)
        if self._last_read > capacity - PAGE_BYTES:
            return now
        _, latest = timed_pipe.last_write(self.stdout)
        return min(now, latest)

    def written_at(self) -> float | None:
        """Return the earliest moment (monotonic) at which the last text was written to it.

        Return None if nobody knows.
        """
        if not self.is_timed or self.stdin is None:
            return None
        earliest, _ = timed_pipe.last_write(self.stdin)
        return earliest

    def read_log(self) -> bytes | None:
        """Return bytes of its stderr: `b""` at end of file, None when there are none yet."""
        try:
            data = os.read(self.stderr, CHUNK_BYTES)
        except BlockingIOError:
            return None
        if not data and self.stderr_open:
            self.stderr_open = False
            self._poll.unregister(self.stderr)
        return data

    def close_stdin(self) -> None:
        """Close the bot's input; bytes that are not written yet are dropped."""
        if self.stdin is not None:
            if self._outbox:
                self._poll.unregister(self.stdin)
                self._outbox = b""
            os.close(self.stdin)
            self.stdin = None

    def close(self) -> None:
        """Close all three pipes; a second call does nothing."""
        self.close_stdin()
        if self._open:
            os.close(self.stdout)
            os.close(self.stderr)
        self._open = self.stdout_open = self.stderr_open = False

    def watch(self, poll: "select.poll") -> Iterable[int]:
        """Register the open descriptors with a poll over several bots, and return them."""
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
