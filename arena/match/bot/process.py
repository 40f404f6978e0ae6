"""A bot's process with its pipes, meter and freezer: what can outlive a match.

It knows no question and no answer; those belong to one match, and to its live bot.
"""

import select
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError
from arena.match.bot.wire import Wire
from arena.sandbox import cores
from arena.sandbox.child import Child
from arena.sandbox.freezer import Freezer
from arena.sandbox.launcher import Launcher
from arena.sandbox.meter import Meter
from arena.values import Bot, Conditions


class Process(NamedTuple):
    """A bot's process. Between two matches it is frozen."""

    child: Child
    wire: Wire
    meter: Meter
    freezer: Freezer
    """It belongs to the process, so that a bot that ran on in one match is doubted in all its later
    matches."""
    matches: int
    """The number of matches that it has played."""

    @classmethod
    def start(
        cls,
        launcher: Launcher,
        bot: Bot,
        conditions: Conditions,
        rules: Path | None,
    ) -> "Process":
        """Start a bot's program."""
        if bot.remote:
            raise ArenaError(
                f"{bot.name}: stays on its author's machine, so that only a match of an event "
                "reaches it"
            )
        child = launcher.start(bot, conditions, rules)
        if bot.threads > 1 and child.pid:
            # The threads that it starts from now on may run on each of these cores.
            cores.move(child.pid, launcher.cores)
        wire = Wire(child.stdin, child.stdout, child.stderr, launcher.lifeline)
        meter = child.meter()
        return cls(child, wire, meter, Freezer(child, meter), 0)

    def alive(self) -> bool:
        """Return whether the process has neither closed its pipes nor ended."""
        if self.wire.stdin is None:
            return False
        for _, events in self.wire.wait(0):
            if events & (select.POLLHUP | select.POLLERR):
                return False
        return True

    def end(self, launcher: Launcher) -> None:
        """End the process, and close its pipes and its meter even if that fails."""
        with ExitStack() as closing:
            closing.callback(self.meter.close)
            closing.callback(self.wire.close)
            launcher.end(self.child)
