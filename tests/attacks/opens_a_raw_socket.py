"""Opens raw sockets and packet sockets."""

import socket

from attack import attack, kept


@attack
def _():
    for family, kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW)):
        try:
            kept.append(socket.socket(family, kind, 1))
        except OSError:
            continue
