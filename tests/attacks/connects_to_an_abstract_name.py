"""Connects to a Unix socket by its abstract name."""

import socket

from attack import attack, target


@attack
def _():
    socket.socket(socket.AF_UNIX).connect(f"\0{target.abstract}")
