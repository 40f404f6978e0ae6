"""Asks how much CPU time its opponent has used: any process may read the clock of any other."""

import time

from attack import attack, target, tell


@attack
def _():
    tell("used", time.clock_gettime_ns(~target.opponent << 3 | 2))  # clock_getcpuclockid(3)
