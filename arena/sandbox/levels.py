"""The table of the levels."""

from arena.sandbox.bubblewrap import Bubblewrap
from arena.sandbox.landlock import Landlock
from arena.sandbox.level import LaunchSpec, Level
from arena.sandbox.rlimits import Rlimits


class Unconfined(Level):
    """The level `none`: a bot is a process of its own that ends with its match.

    Nothing else is done.
    """

    name = "none"
    leaves_open = "bots can do whatever you can do, without any limit"
    restricts = False

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:  # noqa: ARG002 (as all do)
        """Do nothing; return the command."""
        return argv


_LEVELS = (Landlock(), Bubblewrap(), Rlimits(), Unconfined())
TABLE: dict[str, Level] = {level.name: level for level in _LEVELS}
"""Every level by its name, in the order in which `auto` tries them."""
CONFINING = tuple(level.name for level in _LEVELS if level.confines)
UNSAFE = tuple(level.name for level in _LEVELS if not level.confines)
