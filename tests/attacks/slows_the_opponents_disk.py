"""Gives its opponent the lowest priority at the disk."""

from attack import attack, call, target


@attack
def _():
    call("ioprio_set", 1, target.opponent, 3 << 13)
