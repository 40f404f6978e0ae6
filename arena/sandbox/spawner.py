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
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from arena.sandbox import birth, bubblewrap, landlock, procfs, seccomp, warm
from arena.sandbox.plan import CONFINING

START, ASK, PREPARE, PRELOAD, END, SWEEP = (letter.encode() for letter in "saplew")
IN_A_CHILD = {START: birth.begin, ASK: birth.answer}
"""What is about one bot: handled by a fork, of the same shape, which never returns."""
PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 15, 36
REMOVE = 'chmod -R u+rwx -- "$1"; exec rm -rf -- "$1"'
"""For a shell: copes with any depth, and with folders that their owner may not list."""
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
        sweep()
        os.execv("/bin/sh", ["sh", "-c", REMOVE, "sh", sys.argv[2]])  # noqa: S606 (the folder is an argument)


def serve(door: socket.socket) -> None:
    """Answer each message; the operations are the functions below."""
    with contextlib.suppress(ConnectionError):
        while operation := door.recv(1, socket.MSG_PEEK):
            if operation in IN_A_CHILD:
                answer = in_a_child(door, operation)
            else:
                answer = HERE[operation](*marshal.loads(door.recv(birth.MESSAGE)[1:]))  # noqa: S302 (of our referee's)
            door.send(marshal.dumps(answer))


def in_a_child(door: socket.socket, operation: bytes) -> Answer:
    """Let a fork take the message and do what it says.

    `{"pid", "resident"}`, with the bytes that it has from us, when it became a program; else what it tells, such as
    `{"error"}` when that can't be run and `{"failed"}` when it can't be confined, which is no fault of a bot.
    """
    told, tell = os.pipe()  # close-on-exec: it ends silently when all went well
    us = os.getpid()
    pid = os.fork()
    if pid == 0:
        IN_A_CHILD[operation](door, us, tell)
    os.close(tell)
    said = os.read(told, 4096)
    os.close(told)
    if said:
        os.waitpid(pid, 0)
        found: Answer = marshal.loads(said)  # noqa: S302 (it was no bot yet)
        return found
    if left_alone(door):
        os.waitpid(pid, 0)
        return {"failed": "it died before it was born"}
    return {"pid": pid, "resident": warm.inherited.resident}


def left_alone(door: socket.socket) -> bool:
    """Whether a message is still there, because the child that was to take it died; taken away."""
    try:
        return bool(door.recv(1, socket.MSG_DONTWAIT))
    except BlockingIOError:
        return False


def prepare(level: str, processes: int, other_user: bool, places: tuple[str, ...]) -> Answer:
    """What costs time and serves every bot is done here, once; `places` are those that all of them may read."""
    try:
        if level == "landlock":
            landlock.prepare(places)
        if level in CONFINING:
            seccomp.filter_for(processes)
        if level == "bubblewrap":
            bubblewrap.prepare(other_user=other_user)
    except OSError as error:
        return {"failed": error.strerror}
    warm.settle()
    return {}


def preload(modules: tuple[str, ...]) -> Answer:
    """Import what bots would import."""
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


def sweep() -> Answer:
    """Kill and reap every process below us until there is none; how many there were."""
    swept = 0
    while True:
        for child in procfs.children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            reaped, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return {"swept": swept}
        if reaped:
            swept += 1
        else:
            time.sleep(0.0002)  # not a blocking wait: what a dying child leaves is adopted late, and must be killed too


HERE: dict[bytes, Callable[..., Answer]] = {PREPARE: prepare, PRELOAD: preload, END: end, SWEEP: sweep}
"""What the spawner does itself."""
