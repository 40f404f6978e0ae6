"""Sends a signal with a message of its own to the referee (rt_sigqueueinfo)."""

import signal
import struct

from attack import attack, call, target


@attack
def _():
    number = signal.SIGRTMIN + 1
    call(
        "rt_sigqueueinfo",
        target.referee,
        number,
        struct.pack("iii", number, 0, -1).ljust(128, b"\0"),
    )
