"""Writes to /proc/sys."""

from attack import attack, target, write


@attack
def _():
    write(target.setting, "11")
