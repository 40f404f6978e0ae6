"""Tells its accomplice something by an abstract socket that both know."""

import socket

from attack import attack, held, target, tell


@attack
def _():
    one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    held.append(one)
    if target.message:
        for place, bit in enumerate(target.message):
            if bit == "1":
                held.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                held[-1].bind(f"\0{target.note}{place}")
    else:
        tell("".join("01"[one.connect_ex(f"\0{target.note}{place}") == 0] for place in range(16)))
