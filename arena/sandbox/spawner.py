"""The spawner: a small single-threaded process that starts, ends and reaps the bots of one referee process.

A small process, so that a start costs one fork of it however large the referee is. It is told what to do over the Unix
socket FD, one JSON message each way. It was started as Python bots are, so that a fork of it can be one (`warm.py`).

Its law: when the socket ends, for whatever reason, everything that it started dies, FOLDER is removed, and so does it.
Every descriptor of its own closes on exec, so that a bot has its three pipes and nothing else.
It is a subreaper: what a bot forks becomes its child when the bot dies, whatever session it fled to: `sweep` finds it.
"""

import array
import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import time
from functools import cache
from typing import Any, NoReturn

from arena.sandbox import bubblewrap, landlock, none, procfs, rlimits, seccomp, users, warm
from arena.sandbox.plan import Plan

PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 1, 15, 36
MESSAGE = 1 << 18  # bytes; a start message is a command and an environment of our own making
LEVELS = {
    "landlock": landlock.confine,
    "bubblewrap": bubblewrap.confine,
    "rlimits": rlimits.confine,
    "none": none.confine,
}
NAME = os.path.basename(sys.executable).encode()[:15]
"""What a cold start of this interpreter is called in process lists."""
REMOVE = 'chmod -R u+rwx -- "$1"; exec rm -rf -- "$1"'
"""For a shell: copes with any depth, and with folders that their owner may not list."""
UNHEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
"""Signals that mean nothing here: the referee decides when it is over, and its end is ours."""
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
    try:
        serve(door)
    finally:
        sweep()
        os.execv("/bin/sh", ["sh", "-c", REMOVE, "sh", sys.argv[2]])  # noqa: S606 (the folder is an argument)


def serve(door: socket.socket) -> None:
    """Answer each message; the operations are the functions below."""
    while True:
        try:
            text, ancillary, _, _ = door.recvmsg(MESSAGE, socket.CMSG_SPACE(3 * 4), socket.MSG_CMSG_CLOEXEC)
        except ConnectionError:
            return
        if not text:
            return
        request = json.loads(text)
        operation = request.pop("op")
        if operation == "start":
            answer = start(descriptors(ancillary), **request)
        elif operation == "preload":
            warm.preload(**request)
            answer = {}
        elif operation == "end":
            answer = end(**request)
        elif operation == "can_read":
            answer = {"can": users.can_read(**request)}
        else:
            answer = {"swept": sweep()}
        try:
            door.send(json.dumps(answer).encode())
        except ConnectionError:
            return


def descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    """The file descriptors that came with a message."""
    found = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return list(found)


def start(pipes: list[int], argv: list[str], env: dict[str, str], plan: list[Any]) -> dict[str, Any]:
    """Start a program on three pipes, in a session of its own, confined.

    `{"pid", "resident"}`, with the bytes that it has from us; `{"error"}` when it can't be run; `{"failed"}` when it
    can't be confined, which is no fault of a bot.
    """
    planned = Plan(*plan)
    resident = 0
    if planned.warm:
        resident, data = warm.footprint()
        planned = planned._replace(limits=rlimits.beside(planned.limits, data))
    try:
        prepare(planned)
    except OSError as error:
        for descriptor in pipes:
            os.close(descriptor)
        return {"failed": error.strerror}
    told, tell = os.pipe()  # close-on-exec: it ends silently when exec succeeds
    us = os.getpid()
    pid = os.fork()
    if pid == 0:
        become(us, pipes, argv, env, planned, tell)
    os.close(tell)
    for descriptor in pipes:
        os.close(descriptor)
    answer = os.read(told, 4096)
    os.close(told)
    if not answer:
        return {"pid": pid, "resident": resident}
    os.waitpid(pid, 0)
    found: dict[str, Any] = json.loads(answer)
    return found


@cache
def ignored() -> list[int]:
    """The signals that exec would hand on as ignored; what is caught, it sets back by itself."""
    return [number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN]


def prepare(plan: Plan) -> None:
    """What costs time and serves every child is done here, once."""
    ignored()
    if plan.level == "landlock":
        landlock.prepare(plan)
    if plan.level in ("landlock", "bubblewrap"):
        seccomp.filter_for(plan.processes)
    if plan.level == "bubblewrap":
        bubblewrap.prepare(plan)


def become(parent: int, pipes: list[int], argv: list[str], env: dict[str, str], plan: Plan, tell: int) -> NoReturn:
    """In the child: confine it and run the program; never returns."""
    stage = "failed"
    try:
        os.setsid()
        if plan.level != "none":
            users.become(plan.user)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # after that: a change of user clears it
        prctl(PR_SET_NAME, NAME, 0, 0, 0)
        if os.getppid() != parent:  # it died before that call: nobody would end us
            os._exit(127)
        for number in ignored():
            signal.signal(number, signal.SIG_DFL)
        for target, descriptor in enumerate(pipes):  # these are larger than 2: ours are open
            os.dup2(descriptor, target)
        os.umask(0o077)
        os.chdir(plan.home)
        argv = LEVELS[plan.level](plan, argv)
        if plan.warm:
            os.closerange(3, 1 << 16)  # `tell` too, which says that all went well
            warm.run(argv, env, (*landlock.PROGRAMS, *plan.read, plan.home))
        stage = "error"
        os.execvpe(argv[0], argv, env)  # noqa: S606 (no shell is wanted)
    except OSError as error:
        said = f"{argv[0]}: {error.strerror}" if stage == "error" else str(error.strerror)
        os.write(tell, json.dumps({stage: said}).encode())
    except BaseException as error:  # noqa: BLE001 (the child has nobody else to tell)
        os.write(tell, json.dumps({"failed": repr(error)[:1000]}).encode())
    finally:
        os._exit(127)  # whatever happens: a child must never get to the spawner's own end


def end(pid: int, grace: float) -> dict[str, Any]:
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


def sweep() -> int:
    """Kill and reap every process below us until there is none; returns how many there were."""
    swept = 0
    while True:
        for child in procfs.children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            reaped, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return swept
        if reaped:
            swept += 1
        else:
            time.sleep(0.0002)  # not a blocking wait: what a dying child leaves is adopted late, and must be killed too
