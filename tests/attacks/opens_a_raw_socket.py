"""Opens raw sockets and packet sockets."""

import socket

from attack import attack, held


@attack
def _():
    for family, kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW)):
        try:
            held.append(socket.socket(family, kind, 1))
        except OSError:
            continue
