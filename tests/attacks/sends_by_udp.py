"""Sends a datagram to this machine."""

import socket

from attack import attack, target


@attack
def _():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
        target.tag.encode(), ("127.0.0.1", target.udp)
    )
