"""Lowers a limit of the referee (prlimit)."""

import resource

from attack import attack, target


@attack
def _():
    resource.prlimit(target.referee, resource.RLIMIT_SIGPENDING, (77, target.pending))
