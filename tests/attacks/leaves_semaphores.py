"""Makes System V semaphores, which outlive it."""

from attack import attack, call, target


@attack
def _():
    call("semget", target.key, 1, 0o1666)
