"""Gaps in a CPU clock: how long the host of a virtual machine takes a core away, unseen by its
kernel.

`python benchmarks/gaps.py [SECONDS]` keeps one process on each core, for a minute. It does nothing
but read its own CPU clock: two readings are less than 0.01 ms apart, so a longer step is time in
which the host had the core, counted as work of the process. A bot that has such a step while it
thinks is charged with it. Beside each step stands the time that the kernel knows to be stolen
(`steal` of /proc/stat, which counts in steps of 10 ms), looked at every 5 ms.
"""

import os
import sys
import time

SHORTEST_MS = 4.0
"""A shorter step is no news: the kernel's own interrupts take up to 1 ms."""
LOOK_S = 0.005
JIFFY_MS = 1000 / os.sysconf("SC_CLK_TCK")


def steps(core: int, seconds: float) -> list[str]:
    """Return a line for each step of this process's CPU clock on this core."""
    os.sched_setaffinity(0, {core})
    stat = os.open("/proc/stat", os.O_RDONLY)

    def stolen() -> int:
        lines = os.pread(stat, 1 << 16, 0).decode().splitlines()
        return next(int(line.split()[8]) for line in lines if line.startswith(f"cpu{core} "))

    found: list[str] = []
    end = time.monotonic() + seconds
    known, looked = stolen(), time.monotonic()
    cpu = time.process_time()
    while looked < end:
        last, cpu = cpu, time.process_time()
        now = time.monotonic()
        if (step := 1000 * (cpu - last)) >= SHORTEST_MS:
            found.append(
                f"core {core}: {step:.1f} ms of CPU at once, {JIFFY_MS * (stolen() - known):.0f} "
                "ms known stolen"
            )
        if step >= SHORTEST_MS or now - looked > LOOK_S:
            known, looked = stolen(), now
            cpu = time.process_time()
    return found


def main() -> None:
    """Print the steps that one process on each core sees."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    children = []
    for core in sorted(os.sched_getaffinity(0)):
        if (child := os.fork()) == 0:
            print(
                "\n".join(
                    steps(core, seconds)
                    or [f"core {core}: no step of {SHORTEST_MS:.0f} ms or more"]
                ),
                flush=True,
            )
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
