"""Makes its /proc entries unreadable (PR_SET_DUMPABLE)."""

from attack import attack, call


@attack
def _():
    call("prctl", 4, 0, 0, 0, 0)
