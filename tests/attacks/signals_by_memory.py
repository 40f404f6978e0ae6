"""Tells its accomplice something by System V shared memory."""

import ctypes

from attack import attack, call, libc, target, tell


@attack
def _():
    libc.shmat.restype = ctypes.c_void_p
    place = libc.shmat(call("shmget", target.common_key, 4096, 0o1666), None, 0)
    if target.message:
        ctypes.memmove(place, target.message.encode(), 16)
    else:
        tell(ctypes.string_at(place, 16))
