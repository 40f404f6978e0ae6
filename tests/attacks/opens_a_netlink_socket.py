"""Asks the kernel for the network's set-up (AF_NETLINK)."""

import socket

from attack import attack, held


@attack
def _():
    held.append(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
