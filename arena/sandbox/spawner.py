"""The spawner: a small process that forks, ends and reaps the bots of one referee process.

Theory of operation
-------------------

Purpose. A fork copies the page tables of its parent, so it costs more the larger the parent is. The
spawner is little more than an interpreter, so a start costs the fork of a small process, however
large the referee is. It has one thread, so a fork of it is safe. It was started as Python bots are
started, so a fork of it can also be a Python bot without an exec (`warm.py`). And its death is a
clear event: every bot has asked the kernel to kill it then (PR_SET_PDEATHSIG).

Requests. `spawner_process.py` is the other end of the Unix socket. Each request is one message:
a letter, then marshalled values, with the three pipes of a new bot as descriptors. Each has one
answer, and the next request comes after it.

Spares. While no request comes for IDLE_S, the spawner forks up to SPARES children ahead. A spare
has left the session, reset its signals, and waits at a pipe for an operation. It knows what the
spawner knew when it forked, so `prepare` ends the spares, because the spawner learns something. A
request without a spare forks then.

Secrecy. A fork of it has its memory, and a warm bot can read all its own memory. So the spawner
must not hold what concerns one bot: a command, a path, a seed of another match. It only peeks at
the letter of a START message. The child takes the message out of the socket, and tells over a pipe
what came of it. Where the child is killed before it took the message, `discard_request` removes it,
so the next child does not take it for its own.

End. When the socket ends, for whatever reason, the spawner kills everything that it started,
removes the private folder and ends. A referee that ends in order says LEAVE first, and removes the
folder itself: that saves the start of a shell. The spawner is a subreaper: what a bot forked
becomes its child when the bot dies, whatever session it fled to, and `sweep` finds it there. Each
of its descriptors closes on exec, so a bot has three pipes and nothing else.

Loss. When the spawner itself is killed, the kernel kills the bots that it forked; what those forked
becomes a child of init, and so does a bot that called exec in another thread than its first, which
the kernel forgets to kill. The referee sees the socket end, kills these processes (`leftovers.py`),
removes the folder, and plays the match again. If the referee is killed, too, the next start of
arena does that.
"""

import _signal  # type: ignore[import-not-found]  # signal and socket make enums, in 12 ms of CPU
import _socket
import contextlib
import marshal
import os
import select
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from arena.sandbox import child_setup, descriptors, levels, procfs, seccomp, warm
from arena.sandbox.level import BotKind, prctl
from arena.system import MAXRSS_BYTES

PREPARE, END, LEAVE = b"p", b"e", b"q"
SPARES = 2
"""As many bots as most matches have."""
IDLE_S = 0.003
"""The time without a request after which the spawner forks ahead."""
IMPORT_S = 10.0
"""The kit and the rules are imported within this number of seconds, or left to the bots."""
END_POLL_S, SWEEP_POLL_S = 0.0005, 0.0002
"""The time between two looks at whether a process has ended."""
PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 15, 36
REQUEST_BYTES = 1 << 16
"""The most bytes of a message that is not for a child."""
REPLY_BYTES = 4096
REMOVE = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwx -- "$1"; exec rm -rf -- "$1"; }'
"""For a shell: removes a folder of any depth, with folders that their owner may not list. Root
needs no `chmod`."""
IGNORED_SIGNALS = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGPIPE)
"""The referee decides when it is over, and the spawner ends with it."""
Answer = dict[str, Any]


def main() -> None:
    """Serve the socket until it ends, then leave nothing behind."""
    descriptors.keep_standard_open()
    launcher = _socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(launcher.fileno(), False)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_NAME, b"arena-spawner", 0, 0, 0)
    # A stopped spawner must go on when its referee dies: it would not see that the socket ends.
    prctl(child_setup.PR_SET_PDEATHSIG, _signal.SIGCONT, 0, 0, 0)
    # Our parent may have ignored this signal, and then the kernel would reap the children.
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    for number in IGNORED_SIGNALS:
        _signal.signal(number, _signal.SIG_IGN)
    child_setup.learn()
    leaves_folder = False
    try:
        leaves_folder = serve(launcher)
    finally:
        spares.clear()  # `sweep` ends them with all the others
        sweep()
        if leaves_folder:
            os._exit(0)
        command = ["sh", "-c", REMOVE, "sh", sys.argv[2]]
        os.execv("/bin/sh", command)  # noqa: S606


def serve(launcher: _socket.socket) -> bool:
    """Answer each request until the socket ends.

    A function of this module or one of a child answers. Return whether the referee said that it
    will remove the folder itself.
    """
    operation = b""
    with contextlib.suppress(ConnectionError):
        operation = peek(launcher)
        while operation not in (b"", LEAVE):
            respond(launcher, operation)
            operation = peek(launcher)
    return operation == LEAVE


def respond(launcher: _socket.socket, operation: bytes) -> None:
    """Answer one request.

    Its values end with this call, so that no bot that is forked later finds them in a frame.
    """
    if operation in child_setup.OPERATIONS:
        answer = in_a_child(launcher, operation)
    else:
        values = marshal.loads(launcher.recv(REQUEST_BYTES)[1:])  # noqa: S302 (of our referee)
        answer = OPERATIONS[operation](*values)
    listener = answer.pop("listener", None)
    if listener is None:
        launcher.send(marshal.dumps(answer))
    else:
        descriptor_bytes = struct.pack("i", listener)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptor_bytes)
        launcher.sendmsg([marshal.dumps(answer)], [rights])
        os.close(listener)


def peek(launcher: _socket.socket) -> bytes:
    """Return the operation of the next request, and leave the request in the socket.

    It is empty at the end of the socket. Children are forked ahead meanwhile.
    """
    while may_fork_ahead():
        has_request, _, _ = select.select([launcher], [], [], IDLE_S)
        if has_request:
            break
        try:
            spares.append(fork(launcher))
        except OSError:  # there is no process or descriptor for it, perhaps for one that is needed
            break
    return launcher.recv(1, _socket.MSG_PEEK)


def may_fork_ahead() -> bool:
    """Return whether another child may be forked ahead.

    On one core it may not, because some bot is thinking on it meanwhile. Before the first `prepare`
    it may not either: that would end the spares.
    """
    if len(spares) >= SPARES or not warm.inherited.resident:
        return False
    return len(os.sched_getaffinity(0)) > 1


class Spare(NamedTuple):
    """A child that waits for an operation."""

    pid: int
    order: int
    """The end of a pipe to which the operation is written, a byte."""
    reply: int
    """The end of a pipe from which the result is read; it ends without a byte when the child became
    a bot."""


spares: list[Spare] = []
"""Children that were forked ahead."""


def fork(launcher: _socket.socket) -> Spare:
    """Fork a child that knows what the spawner knows now. OSError when the system refuses that."""
    pipes: list[int] = []  # all of them close on exec
    parent = os.getpid()
    try:
        pipes += os.pipe()
        pipes += os.pipe()
        pid = os.fork()
    except OSError:
        for descriptor in pipes:
            os.close(descriptor)
        raise
    order_read, order_write, reply_read, reply_write = pipes
    if pid == 0:
        child_setup.wait(launcher, parent, order_read, reply_write)
    os.close(order_read)
    os.close(reply_write)
    return Spare(pid, order_write, reply_read)


def in_a_child(launcher: _socket.socket, operation: bytes) -> Answer:
    """Let a child take the request and do it.

    Return `{"pid", "resident"}` when the child became a program; `resident` are the bytes that it
    has from us. Otherwise return the child's reply: `{"error"}` when the program can't be run,
    `{"failed"}` when the child can't be confined, which is no fault of a bot.
    """
    try:
        if spares:
            child = spares.pop(0)
        else:
            child = fork(launcher)
    except OSError as error:
        discard_request(launcher)
        return child_setup.failed(error)
    reply = b""
    with contextlib.suppress(BrokenPipeError):
        os.write(child.order, operation)
        reply = os.read(child.reply, REPLY_BYTES)
    watched: Answer = {}
    descriptor = None
    if reply:
        descriptor = marshal.loads(reply).get("listener")  # noqa: S302 (it is no bot yet)
    if descriptor is not None:
        try:
            watched = {"listener": seccomp.copy_listener(child.pid, descriptor)}
            os.write(child.order, b"\0")
            reply = os.read(child.reply, REPLY_BYTES)
        except OSError as error:
            os.kill(child.pid, _signal.SIGKILL)
            reply = marshal.dumps({"unwatched": error.strerror})
    os.close(child.order)
    os.close(child.reply)
    request_taken = bool(reply) or not discard_request(launcher)
    if request_taken and not reply and operation == child_setup.START:
        return {"pid": child.pid, "resident": warm.inherited.resident} | watched
    for listener in watched.values():
        os.close(listener)
    os.waitpid(child.pid, 0)
    if not reply:
        return {"failed": "its process was ended before it could answer", "passing": True}
    answer: Answer = marshal.loads(reply)  # noqa: S302 (it is no bot yet)
    return answer


def discard_request(launcher: _socket.socket) -> bool:
    """Discard a request that is still there because its child died before it took it.

    Return whether there was one.
    """
    try:
        return bool(launcher.recv(1, _socket.MSG_DONTWAIT))
    except BlockingIOError:
        return False


def prepare(*values: Any) -> Answer:
    """Do once what takes time and serves every bot of this kind.

    `values` are those of a BotKind.
    """
    kind = BotKind(*values)
    end_spares()
    try:
        levels.TABLE[kind.level].prepare(kind)
    except OSError as error:
        return child_setup.failed(error)
    failure = warm.preload(kind.modules)
    if failure:
        return {"failed": f"preload: {failure}"}
    if kind.kit:
        # The kit is arena's own and starts no thread, so it needs no trial; and the trial of the
        # rules finds it there. If it cannot be imported here, bots import it themselves.
        with contextlib.suppress(OSError, MemoryError):
            warm.import_kit(kind.kit)
        if can_import(kind.kit, kind.rules):
            warm.import_kit(kind.kit, kind.rules)
    warm.prepare_to_fork(kind.readable)
    return {}


def can_import(kit: str, rules: str) -> bool:
    """Return whether the kit can import these rules without a thread that stays; a fork tries."""
    parent = os.getpid()
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            child_setup.die_with(parent)
            warm.import_kit(kit, rules)
            if len(os.listdir("/proc/self/task")) == 1:
                os.write(write_end, b"1")
        finally:
            os._exit(0)
    os.close(write_end)
    ready, _, _ = select.select([read_end], [], [], IMPORT_S)
    answered = bool(ready) and bool(os.read(read_end, 1))
    os.close(read_end)
    os.kill(pid, _signal.SIGKILL)
    os.waitpid(pid, 0)
    return answered


def end(
    bots: tuple[tuple[int, float], ...],
    living: tuple[int, ...] | None,
) -> Answer:
    """Reap bots, each with the seconds that it has to end by itself.

    Then sweep, unless `living` is None.
    """
    # All seconds begin now, so bots that take their time to end take it together.
    now = time.monotonic()
    exits = [reap(pid, now + grace) for pid, grace in bots]
    swept = 0
    if living is not None:
        swept = sweep(living)
    return {"exits": exits, "swept": swept}


def reap(pid: int, until: float) -> Answer:
    """Reap a bot; kill its process group if it has not ended by itself by `until` (monotonic)."""
    reaped, status, usage = os.wait4(pid, os.WNOHANG)
    while not reaped and time.monotonic() < until:
        time.sleep(END_POLL_S)
        reaped, status, usage = os.wait4(pid, os.WNOHANG)
    # For a group that has ended, macOS raises the second error.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, _signal.SIGKILL)
    killed = not reaped
    if killed:
        _, status, usage = os.wait4(pid, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "killed": killed,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * MAXRSS_BYTES,
    }


def sweep(living: tuple[int, ...] = ()) -> int:
    """Kill and reap every process below us but the spares and these `living` bots.

    Return how many there were. A wait never blocks: a dying child's own children are adopted late,
    and must be killed too. And it is never a wait for any child (-1): a living bot that ends
    meanwhile is reaped by `end`, which returns its exit code.
    """
    swept = 0
    spared = {spare.pid for spare in spares} | set(living)
    below = set(procfs.children(os.getpid())) - spared
    while below:
        for child in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, _signal.SIGKILL)
        gone = 0
        for child in below:
            reaped, _ = os.waitpid(child, os.WNOHANG)
            if reaped:
                gone += 1
        swept += gone
        if not gone:
            time.sleep(SWEEP_POLL_S)
        below = set(procfs.children(os.getpid())) - spared
    return swept


def end_spares() -> None:
    """End the spares, because the spawner has learned something that they don't know."""
    while spares:
        spare = spares.pop()
        os.close(spare.order)
        os.close(spare.reply)
        os.kill(spare.pid, _signal.SIGKILL)
        os.waitpid(spare.pid, 0)


OPERATIONS: dict[bytes, Callable[..., Answer]] = {PREPARE: prepare, END: end}
"""The operations that the spawner does itself."""
