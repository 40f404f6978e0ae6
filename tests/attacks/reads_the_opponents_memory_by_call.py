"""Reads its opponent's memory by process_vm_readv."""

import ctypes
import struct

from attack import attack, call, target, tell


@attack
def _():
    got = ctypes.create_string_buffer(64)
    here, there = (
        struct.pack("QQ", ctypes.addressof(got), 64),
        struct.pack("QQ", target.address, 64),
    )
    call("process_vm_readv", target.opponent, here, 1, there, 1, 0)
    tell(got.raw)
