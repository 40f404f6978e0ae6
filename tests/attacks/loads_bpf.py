"""Makes a BPF map in the kernel."""

import struct

from attack import attack, call, held


@attack
def _():
    held.append(call("bpf", 0, struct.pack("IIII", 2, 4, 4, 1).ljust(128, b"\0"), 128))
