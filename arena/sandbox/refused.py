"""The system calls that the filter refused to a bot, by name: `arena check` reports them, matches do not.

The filter of a watched bot does not refuse by itself. The kernel stops the thread that makes such a call, and asks a
listener (seccomp_unotify(2)). The listener notes the call, and answers with the error that the filter would have given,
so a watched bot behaves like any other. A notification costs two switches of process, so no match is watched. The bot
cannot answer for itself: its own copy of the listener is closed before its first line runs.
"""

import errno
import fcntl
import os
import select
import socket
import struct
import threading
from collections import Counter

from arena.sandbox import call_policy
from arena.sandbox.syscalls import NEWEST, numbers

NOTIFICATION = struct.Struct("=QIIiIQ6Q")
"""struct seccomp_notif: id, pid, flags; the call's number, architecture, instruction pointer and arguments."""
RESPONSE = struct.Struct("=QqiI")
"""struct seccomp_notif_resp: id, value, error, flags."""
RECEIVE = 0xC0002100 | NOTIFICATION.size << 16
SEND = 0xC0002101 | RESPONSE.size << 16
ARGUMENT = 0xFFFFFFFF
"""The bits of an int in an argument."""
POLL_MS = 100
NAMES = 1000
"""The most different calls that are counted: fewer have a name, and a bot could try 2**30 numbers without one."""


class RefusedCalls:
    """Answers for the filters of watched bots, in a thread, and counts the calls that they were refused.

    A socket with a path is not counted. The C library opens one, to ask a daemon, when a program asks for the name of
    its user: Bash and Java do so at each start, and do without an answer. A bot cannot reach a network by it.
    """

    def __init__(self, arch: str) -> None:
        self._numbers = numbers(arch)
        self._names = {number: name for name, number in self._numbers.items()}
        self._errnos = call_policy.refusals(arch)
        self._allowed = call_policy.allowed()
        self.counts: Counter[str] = Counter()
        """How often each call was refused since `start_anew`; by name, or by number for one that has no name yet."""

    def start_anew(self) -> None:
        """Forget the counts."""
        self.counts = Counter()

    def answer_for(self, listener: int) -> None:
        """Answer for one bot, in a thread of its own, until all its processes are gone; close the listener then."""
        threading.Thread(target=self._serve, args=(listener,), name="refused-calls", daemon=True).start()

    def failing(self) -> list[str]:
        """Return the names of the refused calls that programs cannot be expected to do without, the frequent first."""
        return [name for name, _ in self.counts.most_common() if self._error(name) == errno.EPERM]

    def _error(self, name: str) -> int:
        number = self._numbers.get(name, NEWEST + 1)
        return errno.ENOSYS if number > NEWEST else errno.EPERM if name in self._allowed else self._errnos[number]

    def _serve(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        try:
            while True:
                for _, events in poll.poll(POLL_MS):
                    if events & select.POLLIN:
                        self._answer(listener)
                    elif events & (select.POLLHUP | select.POLLERR):  # no process is left under that filter
                        return
        finally:
            os.close(listener)

    def _answer(self, listener: int) -> None:
        question = bytearray(NOTIFICATION.size)  # the kernel insists on zeros
        try:
            fcntl.ioctl(listener, RECEIVE, question)
            unique, _, _, number, _, _, first, *_ = NOTIFICATION.unpack(question)
            name = self._names.get(number, f"number {number}")
            is_expected = name == "socket" and first & ARGUMENT == socket.AF_UNIX
            if not is_expected and (name in self.counts or len(self.counts) < NAMES):
                self.counts[name] += 1
            fcntl.ioctl(listener, SEND, RESPONSE.pack(unique, 0, -self._error(name), 0))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINTR):  # the thread that asked was killed meanwhile
                raise
