"""Sends a signal to a thread of the referee (tkill)."""

import signal

from attack import attack, call, target


@attack
def _():
    call("tkill", target.referee, signal.SIGUSR2)
