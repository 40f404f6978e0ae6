"""Opens a counter of the processor (perf_event_open), a window on other processes."""

import struct

from attack import attack, call, held


@attack
def _():
    event = struct.pack("IIQQQQQ", 1, 128, 1, 0, 0, 0, 0x60).ljust(
        128, b"\0"
    )  # task clock, not in the kernel
    held.append(call("perf_event_open", event, 0, -1, -1, 0))
