"""Takes page faults into its own hands (userfaultfd), the first step of many exploits."""

from attack import attack, call, held


@attack
def _():
    held.append(call("userfaultfd", 1))
