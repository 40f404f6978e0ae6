"""Sends descriptors of files that it removed through a pair of sockets and closes them: they are in
no table then.
"""

import os
import socket

from attack import attack, held, scratch


@attack
def _():
    held.extend(socket.socketpair())
    for _ in range(6):
        file = os.open(f"{scratch}/large", os.O_CREAT | os.O_RDWR)
        os.unlink(f"{scratch}/large")
        os.write(file, bytes(100_000))
        socket.send_fds(held[0], [b"x"], [file])
        os.close(file)
