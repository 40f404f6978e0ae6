"""A bot's process with its pipes and its meter: what can outlive a match.

It knows no question and no answer; those are of one match, and the live bot's.
"""

import select
from pathlib import Path
from typing import NamedTuple

from arena import cores
from arena.bot.wire import Wire
from arena.match import Bot, Conditions
from arena.sandbox.child import Child
from arena.sandbox.door import Door
from arena.sandbox.meter import Meter


class Process(NamedTuple):
    """What of a bot can outlive a match: it waits frozen for the next."""

    child: Child
    wire: Wire
    meter: Meter
    matches: int
    """How many it has played."""

    def alive(self) -> bool:
        """Whether it has neither closed its pipes nor ended."""
        return self.wire.stdin is not None and not any(
            events & (select.POLLHUP | select.POLLERR) for _, events in self.wire.wait(0)
        )


def started(door: Door, bot: Bot, conditions: Conditions, rules: Path) -> Process:
    """A new one."""
    child = door.start(bot, conditions, rules)
    if bot.threads > 1 and child.pid:  # what it starts from now on has the choice
        cores.move(child.pid, door.cores)
    return Process(child, Wire(child.stdin, child.stdout, child.stderr, door.lifeline), door.meter(child), 0)
