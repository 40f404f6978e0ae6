"""Perform the work of a lane: have one bot say `ready`, or play one match.

This module knows no plan, no archive and no audience. It imports little, because lanes on other
machines import it at their start.
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
    launcher: Launcher,
    work: Work,
    services: "Opened | None" = None,
    watched: Path | None = None,
) -> Fault | Record | NotBegun | None:
    """Have one bot say `ready`, or play one match, in a lane.

    Return the fault of a bot that did not say `ready`, the record of a match, or NotBegun when the
    time of the run is over. `watched` is the folder by which another process may watch the match.
    """
    if work.until is not None and work.until.is_over():
        return NotBegun()
    match = work.match
    if work.called is not None:
        return roll_call(match, work.called, launcher, blameless=work.excused)

    watching: contextlib.AbstractContextManager[Broadcast | None] = contextlib.nullcontext()
    if watched is not None:
        # It is imported here, because nobody watches a lane on another machine.
        from arena.event.broadcast import broadcast

        lane = multiprocessing.current_process().name
        watching = broadcast(watched, lane)
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
        # The launcher is about to be closed, and the bots that stay for their next match are its
        # processes. A spawner that was lost has ended them already.
        with contextlib.suppress(SpawnerLostError):
            reused_bots_of(launcher).close()
        raise

    verdict = record.verdict
    scores = dict(verdict.scores)
    logging.info("match %s %s: %s %s", match.id, match.label, verdict.reason, scores)
    return record
