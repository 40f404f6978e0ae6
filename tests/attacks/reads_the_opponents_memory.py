"""Reads its opponent's memory through /proc/PID/mem."""

import os

from attack import attack, target, tell


@attack
def _():
    memory = os.open(f"/proc/{target.opponent}/mem", os.O_RDONLY)
    tell(os.pread(memory, 64, target.address))
