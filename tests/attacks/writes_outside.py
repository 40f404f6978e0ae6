"""Writes to a file of the organiser's."""

from attack import attack, target, write


@attack
def _():
    write(target.canary, "spoilt")
