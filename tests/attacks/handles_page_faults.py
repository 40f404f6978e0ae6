"""Takes page faults into its own hands (userfaultfd), the first step of many exploits."""

from attack import attack, call, kept


@attack
def _():
    kept.append(call("userfaultfd", 1))
