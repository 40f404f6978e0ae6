"""The level `bubblewrap`: namespaces of its own, set up by the external program `bwrap`, and the seccomp filter.

A bot sees a file system with nothing in it but what it is given, no other process, no network. Needs a kernel that
lets ordinary users make namespaces, which many containers do not. Namespaces alone leak (keyrings, vsock, file locks):
the seccomp filter is the other half. Where each argument comes from: bubblewrap's manual page; the odd ones say why.
"""

import os
import shutil
import signal

from arena.sandbox import procfs, rlimits, seccomp, users
from arena.sandbox.landlock import DEVICES, PROGRAMS, SETTINGS
from arena.sandbox.plan import Plan

PROGRAM = "bwrap"
NAMESPACES = [f"--unshare-{kind}" for kind in ("user", "ipc", "pid", "net", "uts", "cgroup-try")]
IDENTITY = ["--uid", "1000", "--gid", "1000", "--hostname", "bot", "--cap-drop", "ALL", "--die-with-parent"]
# No --new-session: the bot is in the session that the spawner made, so that its group can be killed and stopped whole.
NO_NAMESPACES_BELOW = ["--disable-userns"]  # some systems refuse it; the filter refuses new namespaces anyway
PROC = ["--proc", "/proc", "--remount-ro", "/proc"]  # Java wants it; cannot be had where a container masks /proc
VARIANTS: tuple[list[str], ...] = ([*NO_NAMESPACES_BELOW, *PROC], PROC, NO_NAMESPACES_BELOW, [])


class BubblewrapError(OSError):
    """bwrap cannot be used here; carries its own line."""


def program() -> str | None:
    """Where bwrap is, if it is installed."""
    return shutil.which(PROGRAM, path=os.environ.get("PATH", os.defpath) + ":/usr/bin:/usr/local/bin")


def confine(plan: Plan, argv: list[str]) -> list[str]:
    """In the child: limits; returns the command that makes the namespaces and runs the bot in them."""
    command = _works[plan.user is not None]
    rlimits.apply(plan)
    rlimits.no_new_privs()
    filter_at = _hand_over(seccomp.filter_for(plan.processes).for_any_pid())
    folders = [word for path in plan.read for word in ("--ro-bind", path, path)]
    folders += ["--bind" if plan.builds else "--ro-bind", plan.home, plan.home]
    size = ["--size", str(plan.scratch_bytes)] if plan.scratch_bytes else []
    return [
        *command,
        *folders,
        *size,
        *("--tmpfs", plan.scratch),
        *("--remount-ro", "/"),  # else its root, a tmpfs, could be written
        *("--chdir", plan.home),
        *("--seccomp", str(filter_at), "--"),
        *argv,
    ]


def program_inside(pid: int) -> int | None:
    """The process of the bot itself, from that of bwrap: the child of its child; None while it is not there yet."""
    for _ in range(2):
        found = procfs.children(pid)
        if not found:
            return None
        pid = found[0]
    return pid


_works: dict[bool, list[str]] = {}
"""The part of the command that depends on no bot: the fullest variant that works here, for another user and for us."""


def prepare(*, other_user: bool) -> None:
    """In the spawner: find out which arguments work here, once; for `other_user`s than we are, with one of them."""
    if other_user not in _works:
        _works[other_user] = _fullest(users.FIRST if other_user else None)


def _fullest(user: int | None) -> list[str]:
    found = program()
    if found is None:
        raise BubblewrapError(0, "bwrap is not installed")
    said = ""
    for variant in VARIANTS:
        command = [found, *NAMESPACES, *IDENTITY, *variant, *_system()]
        error = _try([*command, "--remount-ro", "/", "--", "/usr/bin/true"], user)
        if not error:
            return command
        said = said or error
    raise BubblewrapError(0, said)


def _system() -> list[str]:
    """The system's own programs and the five devices."""
    words = ["--ro-bind", PROGRAMS[0], PROGRAMS[0]]
    for path in PROGRAMS[1:]:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    words += [word for path in SETTINGS for word in ("--ro-bind-try", path, path)]
    return words + [word for path in DEVICES for word in ("--dev-bind", path, path)]  # not --dev: it has a big /dev/shm


def _try(command: list[str], user: int | None) -> str:
    """Run it; what it complained of, or nothing."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            users.become(user)
            os.dup2(tell, 2)
            os.dup2(tell, 1)
            os.execv(command[0], command)  # noqa: S606 (no shell is wanted)
        finally:
            os._exit(127)
    os.close(tell)
    with os.fdopen(told, errors="replace") as pipe:
        said = pipe.read(4096).strip()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return "" if code == 0 else said.partition("\n")[0] or f"bwrap ended with {code}"


def _hand_over(program: bytes) -> int:
    """A descriptor at which bwrap can read the filter: it fits into a pipe."""
    take, give = os.pipe()
    os.write(give, program)
    os.close(give)
    os.set_inheritable(take, True)
    return take


def exit_code(code: int) -> int:
    """What bwrap's exit code says of the bot: 128 and more is a signal. A bot can say so too, of itself."""
    number = code - 128
    return -number if 0 < number < signal.NSIG else code
