"""Has the kernel compute for it (AF_ALG)."""

import socket

from attack import attack, held


@attack
def _():
    held.append(socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
