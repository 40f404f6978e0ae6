"""Connects to a TCP port of this machine."""

import socket

from attack import attack, target


@attack
def _():
    socket.create_connection(("127.0.0.1", target.tcp), 1)
