"""Sleeps until its opponent has used so much CPU time, for one amount after another: only what is
used ends at once.
"""

import signal
import struct

from attack import attack, call, target, tell

TIMER_ABSTIME = 1


def has_used(nanoseconds):
    signal.setitimer(
        signal.ITIMER_REAL, 0.002, 0.002
    )  # again and again: the first may come before the sleep
    try:
        moment = struct.pack("qq", *divmod(nanoseconds, 10**9))
        call("clock_nanosleep", ~target.opponent << 3 | 2, TIMER_ABSTIME, moment, None)
    except InterruptedError:
        return False
    return True


@attack
def _():
    signal.signal(signal.SIGALRM, lambda *_: None)
    used = 0
    for bit in reversed(range(35)):
        used += (1 << bit) * has_used(used + (1 << bit))
    signal.setitimer(signal.ITIMER_REAL, 0)
    tell("used", used)
