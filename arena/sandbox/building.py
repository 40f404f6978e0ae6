"""Builds: run the build command of a bot on a copy of its files, confined by a profile of its own.

A compiler wants many processes, memory and a folder to write; it wants no network and nobody else's files either. What
it leaves is the bot that plays. It can change no modes: programs that it links are made executable when it has ended.
"""

import math
import os
import select
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from arena.match import Bot, Conditions, Limits
from arena.sandbox.copying import Copier
from arena.sandbox.door import Child, Door
from arena.sandbox.folder import discard
from arena.sandbox.watchdog import LOOK

PROFILE = Limits(
    memory=2_000_000_000,
    cpu=120.0,
    processes=64,
    scratch=1_000_000_000,
    files=50_000,
    open_files=1024,
)
PATIENCE = 120.0  # seconds of wall time
SAID = 8 * 1024  # bytes of what it printed that are kept, the last ones


@dataclass(frozen=True)
class Built:
    """What came of a build."""

    failure: str
    """Why it failed, in words; empty when it did not."""
    said: str
    """The end of what it printed."""


def build(door: Door, bot: Bot, command: Iterable[str], level: str, target: Path) -> Built:
    """Run the command where the bot's files are; when it succeeds, they stand in `target` with what it made of them.

    `target` is a folder that does not exist yet.
    """
    conditions = Conditions(sandbox=level, limits=PROFILE)
    builder = replace(bot, command=tuple(command), limits=None)
    child = door.start(builder, conditions, None, builds=True)
    said = b""
    try:
        os.close(child.stdin)
        excess, said = _wait(door, child)
        how = door.finish(child, 0.0 if excess else 1.0)
        door.sweep()  # whoever is left could change what is copied
        excess = excess or door.watchdog(child).look(math.inf) or ""  # it may have grown since the last look
        failure = child.error or excess or ("" if how.code == 0 else f"it ended with {how}")
        if not failure:
            failure = _copied(child.room.home, target)
    finally:
        os.close(child.stdout)
        os.close(child.stderr)
        child.room.discard()
    return Built(failure, said.decode("utf-8", "replace"))


def _copied(home: Path, target: Path) -> str:
    """Copy what it made; why that cannot be done, if it cannot."""
    try:
        Copier(programs=True).copy(home, target)
    except OSError as error:
        discard(target)
        return f"what it made cannot be copied: {error.strerror}"
    return ""


def _wait(door: Door, child: Child) -> tuple[str, bytes]:
    """Until its output ends; which limit it passed, and the end of what it printed."""
    watchdog, until = door.watchdog(child), time.monotonic() + PATIENCE
    reading, said = {child.stdout, child.stderr}, b""
    while reading and child.pid:
        for descriptor in select.select(list(reading), [], [], LOOK)[0]:
            data = os.read(descriptor, 65536)
            said = (said + data)[-SAID:]
            if not data:
                reading.discard(descriptor)
        now = time.monotonic()
        if (excess := watchdog.look(now)) is not None:
            return excess, said
        if now > until:
            return f"it took more than {PATIENCE:g} seconds", said
    return "", said
