"""Becomes its opponent's tracer."""

from attack import attack, call, target


@attack
def _():
    call("ptrace", 0x4206, target.opponent, 0, 0)
