"""What every attack leans on: its targets, a voice, raw system calls, an innocent end. Copied in beside each attack."""

import os
import sys
import time


class Target:
    """What an attack is told of its aims; see `Scene._aims`."""


target = Target()
with open("target.json") as file:  # read without json and with ctypes only where it is used: each costs half a start
    target.__dict__.update(eval(file.read(), {"null": None, "true": True, "false": False}))
scratch = os.environ.get("TMPDIR", "/tmp")
LINGER = 0.3
"""Seconds; the watchdog looks every 0.025."""
kept = []
"""What must not be thrown away while the bot lives."""


def __getattr__(name):
    """`libc`, when an attack asks for it."""
    if name != "libc":
        raise AttributeError(name)
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = libc.mmap.restype = ctypes.c_long
    globals()[name] = libc
    return libc


def tell(*words):
    """Say what was got; whoever judges looks for the secret in it."""
    print(*words, file=sys.stderr, flush=True)


def read(path):
    """All that is in a file."""
    with open(path, "rb") as file:
        return file.read().decode(errors="replace")


def write(path, text):
    """Write at the end of a file, which is made if need be."""
    with open(path, "a") as file:
        file.write(text)


def checked(answer):
    """The answer of a C function. OSError when it is -1."""
    if answer == -1:
        import ctypes

        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def call(name, *arguments):
    """A system call by its name; numbers are passed as longs, the rest as it is. OSError when it is refused."""
    import ctypes

    from attack import libc

    longs = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return checked(libc.syscall(ctypes.c_long(target.numbers[name]), *longs))


def new_user_namespace(more=0):
    """What opens mounts and the like to an ordinary user."""
    call("unshare", 0x10000000 | more)


def attack(attempt, linger=0.0):
    """Make the attempt, whatever comes of it; then be a bot that is ready, and stay until the end of input."""
    try:
        attempt()
    except BaseException as error:  # noqa: BLE001 (an attack that fails is a bot all the same)
        tell("refused:", repr(error))
    time.sleep(linger)
    print("ready", flush=True)
    while os.read(0, 4096):
        pass


def bomb(attempt):
    """The same, and awake with what it took for long enough to be seen with it."""
    attack(attempt, LINGER)
