"""Writes into its opponent's memory by process_vm_writev."""

import ctypes
import struct

from attack import attack, call, target


@attack
def _():
    new = ctypes.create_string_buffer(b"spoilt", 6)
    here, there = struct.pack("QQ", ctypes.addressof(new), 6), struct.pack("QQ", target.address, 6)
    call("process_vm_writev", target.opponent, here, 1, there, 1, 0)
