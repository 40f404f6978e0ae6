"""What is left when the spawner itself was killed: processes that bots forked, which are nobody's children now.

Their environment tells whose they are: a bot's HOME is in the private folder of its referee process. One that was
started warm has the command line of its spawner, which names that folder too.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

ROUNDS = 20  # what is forked while we look is found in the next round


def kill(folder: Path) -> None:
    """Kill every process whose environment names this folder."""
    for _ in range(ROUNDS):
        found = list(_living(folder))
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _living(folder: Path) -> Iterator[int]:
    mark = os.fsencode(folder)
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile, or not ours
            if mark in (process / "environ").read_bytes() + (process / "cmdline").read_bytes():
                yield int(process.name)
