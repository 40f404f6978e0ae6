"""Opens the kernel's log, the memory, the disk: whatever device lets it."""

import os

from attack import attack, kept


@attack
def _():
    for name in ("kmsg", "mem", "vda", "sda", "fuse", "kvm", "net/tun", "ptmx", "hwrng"):
        try:
            kept.append(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK))
        except OSError:
            continue
