"""Has the kernel compute for it (AF_ALG)."""

import socket

from attack import attack, kept


@attack
def _():
    kept.append(socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
