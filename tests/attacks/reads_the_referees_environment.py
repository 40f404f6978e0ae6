"""Reads the environment of the referee, where secrets of the organiser are."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(f"/proc/{target.referee}/environ"))
