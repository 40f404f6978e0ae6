"""Listens on a TCP port."""

import socket

from attack import attack, held, target


@attack
def _():
    held.append(socket.create_server(("127.0.0.1", target.free)))
