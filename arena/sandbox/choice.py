"""The choice of the level that is played at.

No setting of the system and no version shows whether a level works here, so the choice tries it
(`selftest.py`).
"""

import sys
from dataclasses import replace
from functools import cache

from arena import system
from arena.errors import ArenaError, known_are
from arena.sandbox import levels, procfs, selftest
from arena.values import Conditions

ELSEWHERE = "add --unsafe (or unsafe = true) if you trust every bot; see `arena docs laptops`"
HOW_TO_TRUST = "say --unsafe (or unsafe = true) if you trust every bot"


@cache
def failure(name: str) -> str | None:
    """Return why a level does not work here, in the words of the tool that fails.

    Return None when it works.
    """
    return selftest.failure(name) if levels.TABLE[name].confines else None


def choose(name: str, *, unsafe: bool, by_hand: bool = False) -> str:
    """Return the level that is played at.

    Raise ArenaError when it does not work here, or is unsafe without `unsafe`.

    `by_hand`: each bot was named by the user, as for a single match. Only Linux can confine one, so
    elsewhere it plays.
    """
    if not system.LINUX:
        if name not in {"auto", "none"}:
            raise ArenaError(
                f"sandbox: {name!r} is for Linux, and this is {sys.platform}; {ELSEWHERE}"
            )
        if not (unsafe or by_hand):
            raise ArenaError(
                f"sandbox: bots are confined on Linux only, and this is {sys.platform}; {ELSEWHERE}"
            )
        return "none"
    if (trouble := procfs.trouble()) is not None:
        raise ArenaError(
            f"sandbox: {trouble}, and arena watches bots through it: mount it (`mount -t proc proc /proc`; in a "
            "container, let its runtime do so), and run the same command again"
        )
    if name == "auto":
        for candidate in levels.CONFINING:
            if failure(candidate) is None:
                return candidate
        if unsafe:
            return "rlimits"
        tried = "; ".join(
            f"{candidate}: {failure(candidate)}: {levels.TABLE[candidate].needs}"
            for candidate in levels.CONFINING
        )
        raise ArenaError(
            f"sandbox: bots cannot be confined here. {tried}. Or play at the level rlimits: {HOW_TO_TRUST}"
        )
    if name not in levels.TABLE:
        raise ArenaError(
            f"sandbox: there is no level {name!r}; {known_are(name, ('auto', *levels.TABLE))}"
        )
    level = levels.TABLE[name]
    if not level.confines and not unsafe:
        raise ArenaError(f"sandbox: {name!r} does not confine: {level.leaves_open}; {HOW_TO_TRUST}")
    if (cause := failure(name)) is not None:
        raise ArenaError(f"sandbox: {name!r} cannot be had here: {cause}; {level.needs}")
    return name


def resolved(conditions: Conditions, *, unsafe: bool = False, by_hand: bool = False) -> Conditions:
    """Return the conditions with the level that is played at here, as `choose` finds it, which starts processes."""
    if conditions.time.clock == "cpu" and not system.LINUX:
        raise ArenaError(
            f'time.clock: "cpu" needs Linux, which measures it, and this is {sys.platform}; say "wall"'
        )
    return replace(conditions, sandbox=choose(conditions.sandbox, unsafe=unsafe, by_hand=by_hand))


def warning(conditions: Conditions) -> str | None:
    """Return the warning of every run whose conditions do not confine, or confine less.

    Return None for all others.
    """
    level = levels.TABLE[conditions.sandbox]
    if not level.confines:
        elsewhere = (
            "" if system.LINUX else f", and on {sys.platform} only the time on the wall counts"
        )
        return f"bots are not confined (sandbox {level.name!r}): {level.leaves_open}{elsewhere}"
    if conditions.syscalls:
        allowed = ", ".join(conditions.syscalls)
        return f"bots may call {allowed}: what `arena docs confinement` says does not hold for what these can do"
    return None
