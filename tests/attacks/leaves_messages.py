"""Makes a System V message queue, which outlives it."""

from attack import attack, call, target


@attack
def _():
    call("msgget", target.key, 0o1666)
