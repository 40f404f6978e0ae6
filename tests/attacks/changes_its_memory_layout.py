"""Switches off the random addresses of what it runs (personality)."""

from attack import attack, call


@attack
def _():
    call("personality", 0x0040000)
