"""Sets up io_uring, whose work no filter sees."""

import ctypes

from attack import attack, call, held


@attack
def _():
    held.append(call("io_uring_setup", 4, ctypes.create_string_buffer(120)))
