"""The spawner: a small single-threaded process that starts, ends and reaps the bots of one referee process.

A small process, so that a start costs one fork of it however large the referee is. It is told what to do over the Unix
socket FD, one message each way: a letter and marshalled values. It was started as Python bots are, so that a fork of it
can be one (`warm.py`); therefore it never reads what concerns one bot only: the child that it forks takes that message
out of the socket itself, and finds in its memory nothing of the bots before it.

Its law: when the socket ends, for whatever reason, everything that it started dies, FOLDER is removed, and so does it.
Every descriptor of its own closes on exec, so that a bot has its three pipes and nothing else.
It is a subreaper: what a bot forks becomes its child when the bot dies, whatever session it fled to: `sweep` finds it.
"""

import contextlib
import ctypes
import marshal
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from arena.sandbox import birth, bubblewrap, landlock, procfs, seccomp, warm
from arena.sandbox.plan import CONFINING

PREPARE, PRELOAD, END, SWEEP = (letter.encode() for letter in "plew")
SPARES, IDLE = 2, 0.003  # as many bots as most matches have; seconds in which nobody has asked for anything
PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 15, 36
SHORT = 1 << 16  # bytes of a message that is not for a child
REMOVE = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwx -- "$1"; exec rm -rf -- "$1"; }'
"""For a shell: copes with any depth, and with folders that their owner may not list; root needs no `chmod` for that."""
UNHEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
"""Signals that mean nothing here: the referee decides when it is over, and its end is ours."""
Answer = dict[str, Any]
prctl = ctypes.CDLL(None, use_errno=True).prctl


def main() -> None:
    """Serve the socket until it ends, then leave nothing behind."""
    door = socket.socket(fileno=int(sys.argv[1]))
    door.set_inheritable(False)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_NAME, b"arena-spawner", 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started us may have ignored it: children would be lost
    for number in UNHEARD:
        signal.signal(number, signal.SIG_IGN)
    birth.learn()
    warm.settle()
    try:
        serve(door)
    finally:
        spares.clear()  # they go with all the others
        sweep()
        os.execv("/bin/sh", ["sh", "-c", REMOVE, "sh", sys.argv[2]])  # noqa: S606 (the folder is an argument)


def serve(door: socket.socket) -> None:
    """Answer each message; the operations are the functions below, or those of a child."""
    with contextlib.suppress(ConnectionError):
        while operation := peek(door):
            if operation in birth.OPERATIONS:
                answer = in_a_child(door, operation)
            else:
                answer = HERE[operation](*marshal.loads(door.recv(SHORT)[1:]))  # noqa: S302 (of our referee's)
            door.send(marshal.dumps(answer))


def peek(door: socket.socket) -> bytes:
    """The operation of the next message, which stays where it is; empty at the end. While none comes, fork ahead.

    Not on the only core of a lane, where some bot is thinking meanwhile.
    """
    while len(spares) < SPARES and len(os.sched_getaffinity(0)) > 1 and not select.select([door], [], [], IDLE)[0]:
        spares.append(fork(door))
    return door.recv(1, socket.MSG_PEEK)


class Unborn(NamedTuple):
    """A child that waits to be told what to do."""

    pid: int
    tell: int
    """Where it is told the operation, a byte."""
    told: int
    """Where it says what came of it; it ends silently when it became a bot."""


spares: list[Unborn] = []
"""Forked when there was time, for bots to come."""


def fork(door: socket.socket) -> Unborn:
    """A child that knows what we know now."""
    (asked, tell), (told, say) = os.pipe(), os.pipe()  # all of them close on exec
    us = os.getpid()
    pid = os.fork()
    if pid == 0:
        birth.wait(door, us, asked, say)
    os.close(asked)
    os.close(say)
    return Unborn(pid, tell, told)


def in_a_child(door: socket.socket, operation: bytes) -> Answer:
    """Let a fork take the message and do what it says.

    `{"pid", "resident"}`, with the bytes that it has from us, when it became a program; else what it tells, such as
    `{"error"}` when that can't be run and `{"failed"}` when it can't be confined, which is no fault of a bot.
    """
    child = spares.pop(0) if spares else fork(door)
    said = b""
    with contextlib.suppress(BrokenPipeError):
        os.write(child.tell, operation)
        said = os.read(child.told, 4096)
    os.close(child.tell)
    os.close(child.told)
    if not said and not left_alone(door):
        return {"pid": child.pid, "resident": warm.inherited.resident}
    os.waitpid(child.pid, 0)
    found: Answer = marshal.loads(said) if said else {"failed": "it died before it was born"}  # noqa: S302 (no bot yet)
    return found


def left_alone(door: socket.socket) -> bool:
    """Whether a message is still there, because the child that was to take it died; taken away."""
    try:
        return bool(door.recv(1, socket.MSG_DONTWAIT))
    except BlockingIOError:
        return False


def prepare(level: str, processes: int, other_user: bool, places: tuple[str, ...]) -> Answer:
    """What costs time and serves every bot is done here, once; `places` are those that all of them may read."""
    dismiss()
    try:
        if level == "landlock":
            landlock.prepare(places)
        if level in CONFINING:
            seccomp.filter_for(processes)
        if level == "bubblewrap":
            bubblewrap.prepare(other_user=other_user)
    except OSError as error:
        return {"failed": error.strerror}
    warm.settle(places)
    return {}


def preload(modules: tuple[str, ...]) -> Answer:
    """Import what bots would import."""
    dismiss()
    failure = warm.preload(modules)
    return {"failed": failure} if failure else {}


def end(pid: int, grace: float) -> Answer:
    """Reap a bot, killing its process group when it does not end by itself within `grace` seconds."""
    until = time.monotonic() + grace
    reaped, status, usage = os.wait4(pid, os.WNOHANG)
    while not reaped and time.monotonic() < until:
        time.sleep(0.0005)
        reaped, status, usage = os.wait4(pid, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    killed = not reaped
    if killed:
        _, status, usage = os.wait4(pid, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "killed": killed,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * 1024,
    }


def sweep(*kept: int) -> Answer:
    """Kill and reap every process below us but the spares and the kept, until there is none; how many there were."""
    swept = 0
    while below := set(procfs.children(os.getpid())) - {spare.pid for spare in spares} - set(kept):
        for child in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        gone = [child for child in below if os.waitpid(child, os.WNOHANG)[0]]  # not -1: a kept one is reaped by `end`
        swept += len(gone)
        if not gone:
            time.sleep(0.0002)  # not a blocking wait: what a dying child leaves is adopted late, and must be killed too
    return {"swept": swept}


def dismiss() -> None:
    """Let the spares go: we have learned something that they don't know."""
    while spares:
        spare = spares.pop()
        os.close(spare.tell)
        os.close(spare.told)
        os.kill(spare.pid, signal.SIGKILL)
        os.waitpid(spare.pid, 0)


HERE: dict[bytes, Callable[..., Answer]] = {PREPARE: prepare, PRELOAD: preload, END: end, SWEEP: sweep}
"""What the spawner does itself."""
