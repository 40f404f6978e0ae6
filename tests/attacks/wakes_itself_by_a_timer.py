"""Sets timers whose signal is SIGCONT, to wake it while it spins in a thread."""

import ctypes
import signal
import struct
import threading

from attack import attack, call


@attack
def _():
    signal.signal(signal.SIGCONT, lambda *_: None)  # newer kernels drop a timer's signal that nobody handles
    for number in range(10):  # one whose signal waits when it is stopped is lost, but not all are
        timer, first, period = ctypes.c_int(), (number + 1) * 10**7, 10**8
        call("timer_create", 1, struct.pack("Qii", 0, signal.SIGCONT, 0).ljust(64, b"\0"), ctypes.byref(timer))
        call("timer_settime", timer.value, 0, struct.pack("QQQQ", 0, period, 0, first), None)
    threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()
