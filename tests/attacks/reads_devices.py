"""Opens the kernel's log, the memory, the disk: whatever device lets it."""

import os

from attack import attack, held


@attack
def _():
    for name in ("kmsg", "mem", "vda", "sda", "fuse", "kvm", "net/tun", "ptmx", "hwrng"):
        try:
            held.append(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK))
        except OSError:
            continue
