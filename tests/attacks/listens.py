"""Listens on a TCP port."""

import socket

from attack import attack, kept, target


@attack
def _():
    kept.append(socket.create_server(("127.0.0.1", target.free)))
