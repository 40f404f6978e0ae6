"""The count of the forks of a bot of several processes: it rises before the kernel does each fork.

The kernel asks at a listener before each fork (`seccomp.py`), the count rises, and the kernel goes
on. So while the count stays as it is, no process of the bot can have been made,
whatever the bot does. A fork that was counted may fail, or be asked for again after a signal: the
count is never too low.
"""

from arena.sandbox import notifications


class Forks:
    """The forks of all processes of one bot."""

    def __init__(self) -> None:
        self.count = 0
        """Forks that the kernel was allowed to do, or a few more."""

    def answer_for(self, listener: int) -> None:
        """Count until all processes of the bot are gone; close the listener then."""
        notifications.answer_for(listener, self.allow, "forks")

    def allow(self, _number: int, _argument: int) -> int:
        """Count a fork; return the answer with which the kernel does it."""
        self.count += 1
        return 0
