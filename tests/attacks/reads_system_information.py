"""Reads what /proc tells of the machine."""

from attack import attack, read, tell


@attack
def _():
    tell(read("/proc/version"))
