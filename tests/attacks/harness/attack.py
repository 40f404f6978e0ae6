"""The library of all attacks: targets, a voice, raw system calls, an innocent end. Each is one file
behind it.
"""

import marshal
import os
import sys
import time


class Target:
    """The targets of an attack; see `Scene._aims`."""


target = (
    Target()
)  # read without json, and with ctypes only where it is used: each costs half a start
target.__dict__.update(marshal.loads(bytes.fromhex(sys.argv[1])))
sys.modules["attack"] = sys.modules[
    __name__
]  # the attack follows in the same file, and imports from it
scratch = os.environ.get("TMPDIR", "/tmp")
LINGER_S = 0.3
"""Long enough for several looks: the watchdog looks every 0.025."""
held = []
"""Objects that must not be thrown away while the bot lives."""


def __getattr__(name):
    """Load `libc` when an attack asks for it."""
    if name != "libc":
        raise AttributeError(name)
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = libc.mmap.restype = ctypes.c_long
    globals()[name] = libc
    return libc


def tell(*words):
    """Say what was got; the harness looks for the secret in it."""
    print(*words, file=sys.stderr, flush=True)


def read(path):
    """Return the text of a file."""
    with open(path, "rb") as file:
        return file.read().decode(errors="replace")


def write(path, text):
    """Write at the end of a file, which is made if need be."""
    with open(path, "a") as file:
        file.write(text)


def checked(answer):
    """Return the answer of a C function. OSError when it is -1."""
    if answer == -1:
        import ctypes

        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def call(name, *arguments):
    """A system call by its name; numbers are passed as longs, the rest as it is. OSError when it is
    refused.
    """
    import ctypes

    from attack import libc

    longs = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return checked(libc.syscall(ctypes.c_long(target.numbers[name]), *longs))


def new_user_namespace(more=0):
    """Enter a user namespace, which opens mounts and the like to an ordinary user."""
    call("unshare", 0x10000000 | more)


def attack(attempt, linger=0.0):
    """Make the attempt, whatever comes of it; then be a bot that is ready, and stay until the end
    of input.
    """
    try:
        attempt()
    except BaseException as error:  # noqa: BLE001 (an attack that fails is a bot all the same)
        tell("refused:", repr(error))
    time.sleep(linger)
    os.write(1, b"ready\n")  # whole, because a child whose attempt failed says it, too
    while os.read(0, 4096):
        pass


def bomb(attempt):
    """Make the attempt, and stay awake with what it took for long enough to be seen with it."""
    attack(attempt, LINGER_S)
