"""Sets timers whose signal is SIGCONT, to wake it while it spins in a thread."""

import ctypes
import signal
import struct
import threading

from attack import attack, call


def spin(timers):
    while True:  # a timer whose signal waits when it is stopped is lost, unless it is set again
        for number, timer in enumerate(timers, 1):
            call(
                "timer_settime",
                timer.value,
                0,
                struct.pack("QQQQ", 0, 10**8, 0, number * 10**7),
                None,
            )


@attack
def _():
    signal.signal(
        signal.SIGCONT, lambda *_: None
    )  # newer kernels drop a timer's signal that nobody handles
    timers = [ctypes.c_int() for _ in range(10)]
    for timer in timers:
        call(
            "timer_create",
            1,
            struct.pack("Qii", 0, signal.SIGCONT, 0).ljust(64, b"\0"),
            ctypes.byref(timer),
        )
    threading.Thread(target=spin, args=(timers,), daemon=True).start()
