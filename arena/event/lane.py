"""What a lane does with a piece of work: it has one bot say `ready`, or plays one match.

It knows no plan, no archive and no audience, and it imports little, because lanes on other machines
import it at their start.
"""

import contextlib
import logging
import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING

from arena.event.director import Work
from arena.event.workers import NotBegun
from arena.match.play import play, roll_call
from arena.match.process_reuse import reused_bots_of
from arena.sandbox.launcher import Launcher, SpawnerLostError
from arena.values import Fault, Record

if TYPE_CHECKING:
    from arena.event.broadcast import Broadcast
    from arena.event.service import Opened


def perform(
    launcher: Launcher, work: Work, services: "Opened | None" = None, watched: Path | None = None
) -> Fault | Record | NotBegun | None:
    """Have one bot say `ready`, or play one match, in a lane; `watched` is the folder by which it may be watched."""
    if work.until is not None and work.until.is_over():
        return NotBegun()
    match = work.match
    if work.called is not None:
        return roll_call(match, work.called, launcher, blameless=work.excused)
    watching: contextlib.AbstractContextManager[Broadcast | None] = contextlib.nullcontext()
    if watched is not None:
        from arena.event.broadcast import broadcast  # here, because nobody watches a lane elsewhere

        watching = broadcast(watched, multiprocessing.current_process().name)
    try:
        with watching as observer:
            record = play(
                match,
                launcher=launcher,
                earlier_faults=work.absent,
                observer=observer,
                observer_is_quick=True,
                blameless=work.excused,
                services=services or {},
            )
    except BaseException:
        with contextlib.suppress(SpawnerLostError):  # which has ended them already
            reused_bots_of(
                launcher
            ).close()  # the bots that stay are its launcher's, which is about to be closed
        raise
    logging.info(
        "match %s %s: %s %s",
        match.id,
        match.label,
        record.verdict.reason,
        dict(record.verdict.scores),
    )
    return record
