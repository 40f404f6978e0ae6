"""The system calls that the filter refused to a bot, by name; `arena check` reports them.

The filter of a watched bot does not refuse by itself. The kernel stops the thread that makes such a
call, and asks a listener (`notifications.py`). The listener notes the call, and answers with the
error that the filter would have given, so a watched bot behaves like any other. A notification
costs two switches of process, so no match is watched. The bot cannot answer for itself: its own
copy of the listener is closed before its first line runs.
"""

import errno
import socket
from collections import Counter

from arena.sandbox import call_policy, notifications
from arena.sandbox.forks import Forks
from arena.sandbox.syscalls import NEWEST, numbers

ARGUMENT = 0xFFFFFFFF
"""The bits of an int in an argument."""
NAMES = 1000
"""The most different calls that are counted: fewer have a name, and a bot could try 2**30 numbers
without one."""


class RefusedCalls:
    """Answers for the filters of watched bots, in a thread, and counts the refused calls.

    A socket with a path is not counted. The C library opens one, to ask a daemon, when a program
    asks for the name of its user: Bash and Java do so at each start, and do without an answer. A
    bot cannot reach a network by it.
    """

    def __init__(self, arch: str) -> None:
        self._numbers = numbers(arch)
        self._names = {number: name for name, number in self._numbers.items()}
        self._errnos = call_policy.refusals(arch)
        self._allowed = call_policy.allowed()
        self.counts: Counter[str] = Counter()
        """How often each call was refused since `start_anew`; by name, or by number for one that
        has no name yet."""

    def start_anew(self) -> None:
        """Forget the counts."""
        self.counts = Counter()

    def answer_for(self, listener: int, forks: Forks | None) -> None:
        """Answer for one bot, until all its processes are gone; close the listener then.

        `forks` counts those of a bot whose filter asks before a fork; None = its filter asks only
        about calls that it refuses.
        """

        def answer(number: int, first: int) -> int:
            if forks is not None and self._names.get(number) in call_policy.FORKS:
                return forks.allow(number, first)
            return self._note(number, first)

        notifications.answer_for(listener, answer, "refused-calls")

    def failing(self) -> list[str]:
        """Return the refused calls that programs cannot be expected to do without.

        Their names are in the order of their frequency, the most frequent first.
        """
        names = []
        for name, _ in self.counts.most_common():
            if self._error(name) == errno.EPERM:
                names.append(name)
        return names

    def _error(self, name: str) -> int:
        """Return the errno with which the filter refuses a call."""
        number = self._numbers.get(name, NEWEST + 1)
        if number > NEWEST:
            return errno.ENOSYS
        if name in self._allowed:  # its arguments are refused
            return errno.EPERM
        return self._errnos[number]

    def _note(self, number: int, first: int) -> int:
        """Count a call with this first argument.

        Return the errno with which the filter would have refused it.
        """
        name = self._names.get(number, f"number {number}")
        is_expected = name == "socket" and first & ARGUMENT == socket.AF_UNIX
        is_counted = name in self.counts or len(self.counts) < NAMES
        if is_counted and not is_expected:
            self.counts[name] += 1
        return self._error(name)
