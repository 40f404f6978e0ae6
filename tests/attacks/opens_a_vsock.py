"""Opens a socket to the host of a virtual machine (AF_VSOCK)."""

import socket

from attack import attack, held


@attack
def _():
    held.append(socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
