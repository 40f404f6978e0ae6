"""From the fork to the bot's own program: what a child of the spawner does with itself. It never returns from here.

It takes its message out of the socket, becomes whom it shall be, confines itself, and runs the program, in this very
process or by exec. What goes wrong before that is told to the spawner over a pipe, never on the bot's stderr.
"""

import _signal  # type: ignore[import-not-found]  # the module signal makes enums of all, which costs
import ctypes
import marshal
import os
import socket
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from arena.sandbox import bubblewrap, landlock, none, rlimits, users, warm
from arena.sandbox.plan import Plan

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME = 1, 4, 15
LEVELS = {
    "landlock": landlock.confine,
    "bubblewrap": bubblewrap.confine,
    "rlimits": rlimits.confine,
    "none": none.confine,
}
MESSAGE = 1 << 18  # bytes; a start message is a command and an environment of our own making
NAME = os.path.basename(sys.executable).encode()[:15]
"""What a cold start of this interpreter is called in process lists."""
SPARE = b"arena-spare"
"""What a child is called that waits to be asked."""
prctl = ctypes.CDLL(None, use_errno=True).prctl


def wait(door: socket.socket, parent: int, asked: int, tell: int) -> NoReturn:
    """A process of its own, with nothing of our signals, that does nothing before it is asked to."""
    try:
        os.setsid()
        prctl(PR_SET_NAME, SPARE, 0, 0, 0)
        for number in ignored():
            _signal.signal(number, _signal.SIG_DFL)
        os.umask(0o077)
        die_with(parent)
        OPERATIONS[os.read(asked, 1)](door, parent, tell)
    finally:
        os._exit(127)


def die_with(parent: int) -> None:
    """End when it ends; now, when it has."""
    prctl(PR_SET_PDEATHSIG, _signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before that call: nobody would end us
        os._exit(127)


def begin(door: socket.socket, parent: int, tell: int) -> NoReturn:
    """Take the message, and be the program that it names."""
    stage, argv = "failed", [""]
    try:
        pipes, (argv, env, planned) = message(door)
        plan = Plan(*planned)
        become(plan, parent, pipes)
        if plan.warm:
            plan = plan._replace(limits=rlimits.beside(plan.limits, warm.inherited.data))
        argv = LEVELS[plan.level](plan, argv)
        if plan.warm:
            os.closerange(3, 1 << 16)  # `tell` too, which says that all went well
            warm.run(argv, env)
        stage = "error"
        os.execvpe(argv[0], argv, env)  # noqa: S606 (no shell is wanted)
    except OSError as error:
        said = f"{argv[0]}: {error.strerror}" if stage == "error" else str(error.strerror)
        os.write(tell, marshal.dumps({stage: said[:1000]}))
    except BaseException as error:  # noqa: BLE001 (the child has nobody else to tell)
        os.write(tell, marshal.dumps({"failed": repr(error)[:1000]}))
    finally:
        os._exit(127)  # whatever happens: a child must never get to the spawner's own end


def answer(door: socket.socket, _: int, tell: int) -> NoReturn:
    """Take the message, and tell whether a user may read what it names."""
    try:
        os.write(tell, marshal.dumps({"can": users.can_read(*message(door)[1])}))
    finally:
        os._exit(127)


def message(door: socket.socket) -> tuple[list[int], Any]:
    """The descriptors and the values of the message that is waiting."""
    text, ancillary, _, _ = door.recvmsg(MESSAGE, socket.CMSG_SPACE(3 * 4), socket.MSG_CMSG_CLOEXEC)
    descriptors = [number for _, _, data in ancillary for (number,) in struct.iter_unpack("i", data)]
    return descriptors, marshal.loads(text[1:])  # noqa: S302 (the referee's)


def become(plan: Plan, parent: int, pipes: list[int]) -> None:
    """Its user, its three pipes, its folder."""
    if plan.level != "none":
        users.become(plan.user)
    if plan.user is not None:
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # what exec would do: else a warm bot could not look at itself
        die_with(parent)  # again: a change of user clears it
    prctl(PR_SET_NAME, NAME, 0, 0, 0)
    for target, descriptor in enumerate(pipes):  # these are larger than 2: ours are open
        os.dup2(descriptor, target)
    os.chdir(plan.home)


START, ASK = b"s", b"a"
OPERATIONS: dict[bytes, Callable[[socket.socket, int, int], NoReturn]] = {START: begin, ASK: answer}
"""What a child can be asked for."""


def learn() -> None:
    """In the spawner: what is the same for every child, so that none has to find it out."""
    ignored()
    rlimits.tops()
    landlock.version()


@cache
def ignored() -> list[int]:
    """The signals that exec would hand on as ignored; what is caught, it sets back by itself."""
    return [number for number in _signal.valid_signals() if _signal.getsignal(number) == _signal.SIG_IGN]
