"""Connects to a Unix socket by its path."""

import socket

from attack import attack, target


@attack
def _():
    socket.socket(socket.AF_UNIX).connect(target.unix)
