"""Runs of an event with models that are killed while they pay for answers."""

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.event import tournament
from arena.event.service import Opener
from arena.values import Event
from tests.support import events
from tests.support.processes import descendants, gone_soon, until


def play(
    event: Event, results: Path, paid: Any, services: Mapping[str, Opener], kills: int
) -> None:
    """Begin a run of an event so many times, and kill each after eight more calls of a model.

    `paid` has the number of the calls that the provider has answered as its `value`.
    """
    for number in range(1, kills + 1):
        pid = os.fork()
        if pid == 0:
            try:
                audience = events.Audience()
                tournament.run(event, results, workers=2, audience=audience, services=services)
            finally:
                os._exit(0)
        assert until(lambda number=number: paid.value >= 8 * number, 60)
        below = descendants(pid)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert gone_soon(below)
