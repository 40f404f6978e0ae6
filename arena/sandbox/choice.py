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
    """Return why a level does not work here, as the tool that fails says; None if it works."""
    if not levels.TABLE[name].confines:
        return None
    return selftest.failure(name)


def choose(name: str, *, unsafe: bool, by_hand: bool = False) -> str:
    """Return the level that is played at.

    `by_hand` means that the user named each bot, as for a single match. Only Linux can confine
    bots; on another system, bots that were named by hand play unconfined.

    Raise ArenaError when the level does not work here, or when it is unsafe and `unsafe` is False.
    """
    if not system.LINUX:
        return _choose_elsewhere(name, trusted=unsafe or by_hand)
    trouble = procfs.trouble()
    if trouble is not None:
        raise ArenaError(
            f"sandbox: {trouble}, and arena watches bots through it: mount it "
            "(`mount -t proc proc /proc`; in a container, let its runtime do so), and run the "
            "same command again"
        )
    if name == "auto":
        return _choose_automatically(unsafe=unsafe)
    if name not in levels.TABLE:
        known = known_are(name, ("auto", *levels.TABLE))
        raise ArenaError(f"sandbox: there is no level {name!r}; {known}")
    level = levels.TABLE[name]
    if not level.confines and not unsafe:
        raise ArenaError(f"sandbox: {name!r} does not confine: {level.leaves_open}; {HOW_TO_TRUST}")
    cause = failure(name)
    if cause is not None:
        raise ArenaError(f"sandbox: {name!r} cannot be had here: {cause}; {level.needs}")
    return name


def _choose_elsewhere(name: str, *, trusted: bool) -> str:
    """Return the level on a system that is not Linux: bots run unconfined, if they are trusted."""
    if name not in {"auto", "none"}:
        raise ArenaError(f"sandbox: {name!r} is for Linux, and this is {sys.platform}; {ELSEWHERE}")
    if not trusted:
        raise ArenaError(
            f"sandbox: bots are confined on Linux only, and this is {sys.platform}; {ELSEWHERE}"
        )
    return "none"


def _choose_automatically(*, unsafe: bool) -> str:
    """Return the first level that works here; with `unsafe`, one that does not confine if none."""
    failures = []
    for candidate in levels.CONFINING:
        cause = failure(candidate)
        if cause is None:
            return candidate
        failures.append(f"{candidate}: {cause}: {levels.TABLE[candidate].needs}")
    if unsafe:
        return "rlimits"
    tried = "; ".join(failures)
    raise ArenaError(
        f"sandbox: bots cannot be confined here. {tried}. "
        f"Or play at the level rlimits: {HOW_TO_TRUST}"
    )


def resolved(
    conditions: Conditions,
    *,
    unsafe: bool = False,
    by_hand: bool = False,
) -> Conditions:
    """Return the conditions with the level that is played at here.

    `choose` finds the level; it starts processes to try it.
    """
    if conditions.time.clock == "cpu" and not system.LINUX:
        raise ArenaError(
            'time.clock: "cpu" needs Linux, which measures it, '
            f'and this is {sys.platform}; say "wall"'
        )
    level = choose(conditions.sandbox, unsafe=unsafe, by_hand=by_hand)
    return replace(conditions, sandbox=level)


def warning(conditions: Conditions) -> str | None:
    """Return the warning of a run whose conditions do not confine, or confine less."""
    level = levels.TABLE[conditions.sandbox]
    if not level.confines:
        text = f"bots are not confined (sandbox {level.name!r}): {level.leaves_open}"
        if not system.LINUX:
            text += f", and on {sys.platform} only the time on the wall counts"
        return text
    if conditions.syscalls:
        allowed = ", ".join(conditions.syscalls)
        return (
            f"bots may call {allowed}: what `arena docs confinement` says "
            "does not hold for what these can do"
        )
    return None
