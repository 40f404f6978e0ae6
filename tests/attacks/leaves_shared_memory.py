"""Makes System V shared memory, which outlives it."""

from attack import attack, call, target


@attack
def _():
    call("shmget", target.key, 4096, 0o1666)
