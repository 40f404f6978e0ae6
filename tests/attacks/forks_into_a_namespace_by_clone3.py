"""Forks a child into a new user namespace by clone3, whose flags a filter cannot see."""

import os
import struct
import time

from attack import attack, call


@attack
def _():
    if call("clone3", struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88) == 0:
        time.sleep(60)
        os._exit(0)
