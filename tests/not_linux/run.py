"""Runs a command as on a system that is neither Linux nor has its calls: `python run.py PROGRAM
ARGUMENT ...`.

The kernel kills the process, or any that it starts, at the first system call that only Linux has (a
seccomp filter). What is Linux's only by its arguments or its name in Python is refused by
`sitecustomize.py` beside this file, which every Python started here imports first. So a test
asserts that nothing of Linux was touched by an exit code of 0.
"""

import os
import sys
from pathlib import Path

from arena.sandbox import rlimits, seccomp
from arena.sandbox.seccomp import _laid as laid
from arena.sandbox.syscalls import numbers

HERE = Path(__file__).parent
KILLED = """
landlock_create_ruleset landlock_add_rule landlock_restrict_self sched_setaffinity sched_setattr sched_setscheduler
pidfd_open pidfd_getfd pidfd_send_signal unshare setns memfd_create eventfd eventfd2 signalfd signalfd4 epoll_create
epoll_create1 timerfd_create inotify_init inotify_init1 renameat2 seccomp bpf ptrace process_vm_readv kcmp splice tee
vmsplice copy_file_range io_uring_setup name_to_handle_at mount umount2 pivot_root chroot syncfs openat2 fanotify_init
userfaultfd perf_event_open add_key keyctl setresuid setresgid capset execveat
"""
ABSENT = "sched_getaffinity"
"""What libraries in C ask for, such as OpenBLAS does at its import; they do without. Python has no
name for it."""
O_PATH, O_TMPFILE = 0o10000000, 0o20000000
PR_SET_NAME, PR_SET_VMA = 15, 0x53564D41
"""What libraries in C ask of `prctl`: names for threads and memory. arena finds no `prctl`
(sitecustomize.py)."""
SEQPACKET, SOCK_TYPE = 5, 0xF
ENOSYS, JUMP_IF_SET = 38, 0x45


def program() -> bytes:
    """Return the filter: a block for each call, which the others jump over."""
    machine = seccomp.arch()
    known = numbers(machine)
    kill, allow = laid(seccomp.ANSWER, seccomp.KILL_PROCESS), laid(seccomp.ANSWER, seccomp.ALLOW)
    absent = laid(seccomp.ANSWER, seccomp.REFUSE | ENOSYS)

    def argument(number: int) -> bytes:
        return laid(seccomp.LOAD, seccomp.ARGUMENTS + 8 * number)

    blocks = dict.fromkeys(KILLED.split(), kill) | {ABSENT: absent}
    blocks["prctl"] = (
        argument(0)
        + b"".join(laid(seccomp.EQUAL, name, 0, 1) + absent for name in (PR_SET_NAME, PR_SET_VMA))
        + kill
    )
    blocks["prlimit64"] = (
        argument(0) + laid(seccomp.EQUAL, 0, 0, 1) + allow + kill
    )  # of another process
    blocks["openat"] = argument(2) + laid(JUMP_IF_SET, O_PATH | O_TMPFILE, 0, 1) + kill + allow
    seqpacket = (
        argument(1)
        + laid(seccomp.MASK, SOCK_TYPE)
        + laid(seccomp.EQUAL, SEQPACKET, 0, 1)
        + kill
        + allow
    )
    blocks["socketpair"] = blocks["socket"] = seqpacket
    code = laid(seccomp.LOAD, seccomp.NUMBER)
    for name, block in blocks.items():
        if name in known:
            code += (
                laid(seccomp.EQUAL, known[name], 0, len(block) // seccomp.INSTRUCTION.size) + block
            )
    return code + allow


if __name__ == "__main__":
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    os.environ["PYTHONPATH"] = path
    rlimits.no_new_privs()
    seccomp.install(program())
    os.execvp(sys.argv[1], sys.argv[1:])
