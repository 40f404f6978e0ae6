"""Reads what is stored of the event so far."""

from attack import attack, read, target, tell


@attack
def _():
    tell(read(target.results))
