"""Sends a signal to the referee by a descriptor of its process (pidfd_send_signal)."""

import signal

from attack import attack, call, target


@attack
def _():
    call("pidfd_send_signal", call("pidfd_open", target.referee, 0), signal.SIGRTMIN + 2, None, 0)
