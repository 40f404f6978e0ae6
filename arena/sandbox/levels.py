"""Which level of confinement is played at: what the organiser asked for, if it can be had here.

Whether it can is found out by trying (`trial.py`): no setting of the system, and no version, tells as much.
"""

import sys
from functools import cache

from arena.errors import ArenaError
from arena.sandbox import trial
from arena.sandbox.plan import CONFINING

LEVELS = (*CONFINING, "rlimits", "none")
NAMES = ("auto", *LEVELS)
REMEDIES = {
    "landlock": "it needs Linux 5.13 or newer with Landlock switched on (`lsm=` of the kernel's command line)",
    "bubblewrap": "it needs the program bwrap (package bubblewrap), and a system where users may make namespaces",
}
LEFT_OPEN = {
    "rlimits": "bots can read and change your files, use the network, and stop each other",
    "none": "bots can do whatever you can do, without any limit",
}
"""What the levels that confine nothing do not stop."""
UNSAFE = "say --unsafe (or unsafe = true) if you trust every bot"


@cache
def failure(level: str) -> str | None:
    """Why a level cannot be had here, in the failing tool's own words; None when it can."""
    return trial.failure(level) if level in CONFINING else None


def choose(wanted: str, *, unsafe: bool) -> str:
    """The level that is played at. ArenaError when it can't be had, or confines nothing and nobody said so."""
    if sys.platform != "linux":
        raise ArenaError(
            f"sandbox: on this system ({sys.platform}) there is neither Landlock nor a namespace to confine bots with, "
            "and arena starts bots on Linux only: use a Linux machine, a virtual machine or a container"
        )
    if wanted == "auto":
        return _first(unsafe=unsafe)
    if wanted in LEFT_OPEN and not unsafe:
        raise ArenaError(f"sandbox: {wanted!r} does not confine: {LEFT_OPEN[wanted]}; {UNSAFE}")
    if (why := failure(wanted)) is not None:
        raise ArenaError(f"sandbox: {wanted!r} cannot be had here: {why}; {REMEDIES[wanted]}")
    return wanted


def _first(*, unsafe: bool) -> str:
    """The first level that holds here."""
    for level in CONFINING:
        if failure(level) is None:
            return level
    if unsafe:
        return "rlimits"
    tried = "; ".join(f"{level}: {failure(level)}: {REMEDIES[level]}" for level in CONFINING)
    raise ArenaError(f"sandbox: bots cannot be confined here. {tried}. Or play at the level rlimits: {UNSAFE}")


def warning(level: str) -> str | None:
    """What is said on every run at a level that does not confine."""
    return f"bots are not confined (sandbox {level!r}): {LEFT_OPEN[level]}" if level in LEFT_OPEN else None
