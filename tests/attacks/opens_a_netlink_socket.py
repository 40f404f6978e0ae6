"""Asks the kernel for the network's set-up (AF_NETLINK)."""

import socket

from attack import attack, kept


@attack
def _():
    kept.append(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
