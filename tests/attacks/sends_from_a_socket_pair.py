"""Sends a datagram to a path from one end of a pair of sockets."""

import socket

from attack import attack, target


@attack
def _():
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(
        target.tag.encode(), target.datagrams
    )
