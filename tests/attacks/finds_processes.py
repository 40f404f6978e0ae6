"""Tries every process number, without /proc: finds the process with an odd priority."""

import os

from attack import attack, target, tell


@attack
def _():
    for pid in range(target.near, target.near + 500):
        try:
            if os.getpriority(os.PRIO_PROCESS, pid) == target.priority:
                tell("found", pid)
        except OSError:
            continue
