"""From the fork to the bot's own program: what a child of the spawner does.

A child waits until the spawner names an operation. It then takes its message out of the spawner's
socket itself, so the spawner never holds what concerns one bot (`spawner.py`). It becomes the bot's
user, confines itself, and runs the program: in this very process for a warm start, otherwise by
exec. An error before that goes to the spawner over a pipe, never to the bot's stderr. The pipe
closes by itself when the bot's program begins, and this shows that all went well.

The order matters. The cgroup comes first, because only arena's user may enter it. The user comes
before the level: a confined process can no longer change it. Within a level the filter comes last,
because it refuses the other steps.
"""

import _signal  # type: ignore[import-not-found]  # signal and socket make enums, in 12 ms of CPU
import _socket
import marshal
import os
import struct
import sys
import warnings  # noqa: F401  os.execvpe imports it where no file of Python can be read any more
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from arena.errors import refusal
from arena.sandbox import landlock, leftovers, levels, own_network, rlimits, seccomp, users, warm
from arena.sandbox.level import TEMPORARY, LaunchSpec, prctl

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME = 1, 4, 15
MESSAGE_BYTES = 1 << 18
"""A start message holds a command and an environment that arena made."""
TEXT_LENGTH = 1000
"""The most characters of an error that are passed on."""
NAME = os.path.basename(sys.executable).encode()[:15]
"""The name in process lists that a cold start of this interpreter has."""
BLOCKED_SIGNALS = (_signal.SIGCONT,)
SPARE_NAME = b"arena-spare"
"""The name in process lists of a child that waits."""


def failed(error: OSError) -> dict[str, Any]:
    """Return the answer for a step that failed; `passing` means that it may succeed later."""
    text = str(refusal(error) or error.strerror)
    return {"failed": text[:TEXT_LENGTH], "passing": error.errno in TEMPORARY}


def wait(
    launcher: _socket.socket,
    parent: int,
    order: int,
    reply: int,
) -> NoReturn:
    """Wait for an operation from the pipe `order`, and do it.

    The child is in a session of its own, with default signals. SIGCONT is blocked, which keeps no
    process from being woken by it, but without that Linux (6.18) leaves a child stopped whose fork
    met a SIGSTOP and a SIGCONT to the group: the child begins with the stop of its parent, and a
    SIGCONT that is neither blocked nor handled is dropped before it takes that stop away.
    """
    try:
        os.setsid()
        prctl(PR_SET_NAME, SPARE_NAME, 0, 0, 0)
        for number in ignored_signals():
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, BLOCKED_SIGNALS)
        os.umask(0o077)
        die_with(parent)
        operation = OPERATIONS[os.read(order, 1)]
        operation(launcher, parent, order, reply)
    finally:
        os._exit(127)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; end now when the parent has ended."""
    prctl(PR_SET_PDEATHSIG, _signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before that call, so the kernel would never kill us
        os._exit(127)


def begin(
    launcher: _socket.socket,
    parent: int,
    order: int,
    reply: int,
) -> NoReturn:
    """Take the message, and become the program that it names."""
    confined = False
    answer: dict[str, Any]
    argv = [""]
    try:
        pipes, (argv, env, values) = message(launcher)
        spec = LaunchSpec(*values)
        level = levels.TABLE[spec.level]
        if spec.cgroup:
            procs = os.open(f"{spec.cgroup}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
            os.write(procs, b"0")  # this process
            os.close(procs)
        note = leftovers.note(spec.scratch)
        # Root in a network of its own is an ordinary user inside, and exec takes its capabilities.
        # Without them it could not enter.
        if level.restricts and not (spec.networked and spec.user is None):
            users.become(spec.user)
        if spec.user is not None:
            # An exec would do this: otherwise a warm bot could not look at itself.
            prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
            die_with(parent)  # again, because a change of user clears it
        prctl(PR_SET_NAME, NAME, 0, 0, 0)
        for target, descriptor in enumerate(pipes):  # these are larger than 2: ours are open
            os.dup2(descriptor, target)
        if spec.networked:
            os.write(note, f"\n{own_network.separate()}".encode())
            pass_on(launcher, ENDPOINT, own_network.furnish(spec))
            die_with(parent)  # again, because new namespaces may clear it
        os.close(note)
        os.chdir(spec.place(spec.home))
        if spec.warm:
            limits = rlimits.with_data(spec.limits, warm.inherited.data)
            spec = spec._replace(limits=limits)
        if spec.counts_forks and not spec.watched:  # otherwise one filter asks about both
            pass_on_forks(launcher)
        argv = level.confine(spec, argv)
        if spec.watched:
            # The filter refuses to send a descriptor, so the spawner takes a copy of this one.
            os.write(reply, marshal.dumps({"listener": seccomp.listener}))
            os.read(order, 1)
            os.close(seccomp.listener)  # otherwise the bot could answer for itself
        if spec.warm:
            os.closerange(3, 1 << 16)  # `reply` is among these
            warm.run(argv, env)
        confined = True
        os.execvpe(argv[0], argv, env)  # noqa: S606 (no shell is wanted)
    except OSError as error:
        if confined:
            text = f"{argv[0]}: {error.strerror}"[:TEXT_LENGTH]
            answer = {"error": text, "errno": error.errno}
        else:
            answer = failed(error)
        os.write(reply, marshal.dumps(answer))
    except BaseException as error:  # noqa: BLE001 (the child can report it to nobody else)
        text = repr(error)[:TEXT_LENGTH]
        passing = isinstance(error, MemoryError)
        answer = {"failed": text, "passing": passing}
        os.write(reply, marshal.dumps(answer))
    finally:
        os._exit(127)  # whatever happens: a child must never run the spawner's own end


def pass_on_forks(launcher: _socket.socket) -> None:
    """Have the kernel ask before each fork of this bot, and send the listener to the referee.

    Where the kernel cannot ask, nothing is sent. This must come before the level's own filter,
    which refuses to send descriptors.
    """
    rlimits.no_new_privs()
    try:
        listener = seccomp.ask_before_forks()
    except OSError:
        return
    pass_on(launcher, LISTENER, listener)  # closed here: the bot could answer for itself


def pass_on(launcher: _socket.socket, kind: bytes, descriptor: int) -> None:
    """Send a descriptor to the referee, and close it here."""
    descriptor_bytes = struct.pack("i", descriptor)
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptor_bytes)
    launcher.sendmsg([kind], [rights])
    os.close(descriptor)


# All operations have these arguments.
def check_user(
    launcher: _socket.socket,
    parent: int,  # noqa: ARG001
    order: int,  # noqa: ARG001
    reply: int,
) -> NoReturn:
    """Take the message; reply with the first file that a user may not read.

    The reply has `why` when this process cannot become that user.
    """
    try:
        _, question = message(launcher)
        try:
            unreadable = users.unreadable(*question)
            first_unreadable = [path[:TEXT_LENGTH] for path in unreadable[:1]]
            answer: dict[str, Any] = {"unreadable": first_unreadable, "why": ""}
        except OSError as error:
            # Root of a user namespace is root in name, and has few users or one.
            if error.errno in TEMPORARY:
                answer = failed(error)
            else:
                answer = {"unreadable": [], "why": str(error.strerror)}
        os.write(reply, marshal.dumps(answer))
    finally:
        os._exit(127)


def message(launcher: _socket.socket) -> tuple[list[int], Any]:
    """Return the descriptors and the values of the message that is waiting."""
    space = _socket.CMSG_SPACE(3 * 4)  # three ints
    text, ancillary, _, _ = launcher.recvmsg(
        MESSAGE_BYTES,
        space,
        _socket.MSG_CMSG_CLOEXEC,
    )
    descriptors: list[int] = []
    for _, _, data in ancillary:
        descriptors += struct.unpack(f"{len(data) // 4}i", data)
    return descriptors, marshal.loads(text[1:])  # noqa: S302 (the referee's)


START, CHECK_USER = b"s", b"a"
LISTENER = b"l"
"""The message of a child to the referee, with the descriptor at which the kernel asks; the
spawner's answer follows."""
ENDPOINT = b"e"
"""The same with the socket that listens in the program's own network."""
OPERATIONS: dict[bytes, Callable[[_socket.socket, int, int, int], NoReturn]] = {
    START: begin,
    CHECK_USER: check_user,
}


def learn() -> None:
    """Compute and cache in the spawner what is the same for every child."""
    ignored_signals()
    rlimits.own_limits()
    landlock.version()
    leftovers.numbering()


@cache
def ignored_signals() -> list[int]:
    """Return the signals that stay ignored after exec; exec itself resets those that are caught."""
    numbers = _signal.valid_signals()
    return [number for number in numbers if _signal.getsignal(number) == _signal.SIG_IGN]
