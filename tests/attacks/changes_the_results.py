"""Writes to what is stored of the event."""

from attack import attack, target, write


@attack
def _():
    write(target.results, "spoilt")
