"""Takes its opponent's output (pidfd_getfd) and says something there."""

import os

from attack import attack, call, target


@attack
def _():
    process = call("pidfd_open", target.opponent, 0)
    os.write(call("pidfd_getfd", process, 1, 0), f"{target.tag}\n".encode())
