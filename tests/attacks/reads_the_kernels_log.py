"""Reads the kernel's log by system call."""

import ctypes

from attack import attack, call, tell


@attack
def _():
    text = ctypes.create_string_buffer(4000)
    tell("log of", call("syslog", 3, text, 4000), "bytes:", text.value[:200])
