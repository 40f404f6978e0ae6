"""The kernel's questions about system calls: receives and answers them (seccomp_unotify(2)).

A filter may say that the kernel asks before a call. The kernel then stops the thread that makes
the call, and asks at a listener, a descriptor that we hold. That costs two switches of process. A
signal to the thread takes the question back, and the thread asks anew when it has run its handler
or was woken from a stop.
"""

import fcntl
import os
import select
import struct
import threading
from collections.abc import Callable

NOTIFICATION = struct.Struct("=QIIiIQ6Q")
"""struct seccomp_notif: id, pid, flags; the call's number, architecture, instruction pointer and
arguments."""
RESPONSE = struct.Struct("=QqiI")
"""struct seccomp_notif_resp: id, value, error, flags."""
RECEIVE = 0xC0002100 | NOTIFICATION.size << 16
SEND = 0xC0002101 | RESPONSE.size << 16
CONTINUE = 1
"""The flag SECCOMP_USER_NOTIF_FLAG_CONTINUE, since Linux 5.5: the kernel does the call."""
POLL_MS = 100


def answer_for(
    listener: int,
    answer: Callable[[int, int], int],
    name: str,
) -> None:
    """Answer for one bot, in a thread of this name, until all its processes are gone.

    Close the listener then.

    `answer` gets the number of the call and its first argument. It returns the errno with which the
    call fails; 0 = the kernel does the call.
    """
    threading.Thread(
        target=_serve,
        args=(listener, answer),
        name=name,
        daemon=True,
    ).start()


def _serve(listener: int, answer: Callable[[int, int], int]) -> None:
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    try:
        while True:
            for _, events in poll.poll(POLL_MS):
                if events & select.POLLIN:
                    _answer(listener, answer)
                elif events & select.POLLHUP:
                    # No process is left under that filter. POLLERR says only that a signal to this
                    # thread kept the kernel from looking.
                    return
    finally:
        os.close(listener)


def _answer(listener: int, answer: Callable[[int, int], int]) -> None:
    question = bytearray(NOTIFICATION.size)  # the kernel insists on zeros
    try:
        _control(listener, RECEIVE, question)
        unique, _, _, number, _, _, first, _, _, _, _, _ = NOTIFICATION.unpack(question)
        error = answer(number, first)
        flags = CONTINUE
        if error:
            flags = 0
        response = RESPONSE.pack(unique, 0, -error, flags)
        _control(listener, SEND, response)
    except FileNotFoundError:
        # The thread that asked was killed or stopped meanwhile.
        pass


def _control(listener: int, request: int, value: bytes | bytearray) -> None:
    """Call ioctl until no signal to this thread interrupts it.

    A question that is received and not answered would keep the bot waiting for ever.
    """
    while True:
        try:
            fcntl.ioctl(listener, request, value)
        except InterruptedError:
            continue
        return
