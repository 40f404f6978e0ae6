"""Reads a file by way of /proc/self/root."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(f"/proc/self/root{target.canary}"))
