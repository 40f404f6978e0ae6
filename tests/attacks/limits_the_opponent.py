"""Lowers a limit of its opponent (prlimit)."""

import resource

from attack import attack, target


@attack
def _():
    resource.prlimit(target.opponent, resource.RLIMIT_STACK, (77 * 4096, 77 * 4096))
