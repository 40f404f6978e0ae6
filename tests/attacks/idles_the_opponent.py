"""Has its opponent scheduled only when nothing else runs (SCHED_IDLE)."""

import os

from attack import attack, target


@attack
def _():
    os.sched_setscheduler(target.opponent, os.SCHED_IDLE, os.sched_param(0))
