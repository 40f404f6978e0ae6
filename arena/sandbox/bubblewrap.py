"""The level `bubblewrap`: namespaces of its own, set up by the external program `bwrap`, and the seccomp filter.

A bot sees a file system that holds only what it may read, no other process and no network. This
needs a kernel that lets ordinary users make namespaces, which many containers forbid. Namespaces
alone leak (keyrings, vsock, file locks); the seccomp filter closes that. The arguments are
explained in bubblewrap's manual page; comments below explain the unusual ones.

bwrap stays: arena starts and reaps bwrap, bwrap has a child that is process 1 of the namespace, and
the bot is a child of that. So the bot's CPU time, its memory and its end are read from outside
while it lives (`program`, `exit_code`).
"""

import _signal  # type: ignore[import-not-found]  # signal makes enums, in 5 ms of CPU
import errno
import os

from arena.sandbox import procfs, rlimits, seccomp, users
from arena.sandbox.file_policy import DEVICES, PROGRAMS, SETTINGS
from arena.sandbox.level import TEMPORARY, BotKind, LaunchSpec, Level

PROGRAM = "bwrap"
PRLIMIT = "/usr/bin/prlimit"  # of util-linux, which nearly every distribution has
NAMESPACES = [f"--unshare-{kind}" for kind in ("user", "ipc", "pid", "net", "uts", "cgroup-try")]
IDENTITY = [
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--hostname",
    "bot",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
]
# No --new-session: the bot is in the session that the spawner made, so that its group can be killed
# and stopped whole.
NO_NAMESPACES_BELOW = [
    "--disable-userns"
]  # some systems refuse it; the filter refuses new namespaces anyway
PROC = [
    "--proc",
    "/proc",
    "--remount-ro",
    "/proc",
]  # Java needs it; a container that masks /proc refuses it
VARIANTS: tuple[list[str], ...] = ([*NO_NAMESPACES_BELOW, *PROC], PROC, NO_NAMESPACES_BELOW, [])
MESSAGE_BYTES = 4096


class BubblewrapError(OSError):
    """bwrap cannot be used here; carries its own message."""


class Bubblewrap(Level):
    """The level `bubblewrap`."""

    name = "bubblewrap"
    confines = True
    needs = "it needs the program bwrap (package bubblewrap), and a system where users may make namespaces"
    wrapped = True

    def prepare(self, kind: BotKind) -> None:
        """Make the filter, and find out which arguments of bwrap work here."""
        seccomp.program_for(kind.processes, kind.syscalls)
        if kind.other_user not in _working:
            _working[kind.other_user] = working_command(
                users.uids()[0] if kind.other_user else None
            )

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:
        """Set the limits; return the command that makes the namespaces and runs the bot in them."""
        command = _working[spec.user is not None]
        rlimits.apply(spec)
        rlimits.no_new_privs()
        read_end, write_end = (
            os.pipe()
        )  # bwrap reads the filter from it; a pipe holds a whole filter
        os.write(write_end, seccomp.program_for(spec.processes, spec.syscalls))
        os.close(write_end)
        os.set_inheritable(read_end, True)
        return [
            *command,
            *(argument for path in spec.read for argument in ("--ro-bind", path, path)),
            *("--bind" if spec.builds else "--ro-bind", spec.home, spec.home),
            *(("--size", str(spec.scratch_bytes)) if spec.scratch_bytes else ()),
            *("--tmpfs", spec.scratch),
            *("--remount-ro", "/"),  # otherwise a bot could write to the root, which is a tmpfs
            *("--chdir", spec.home),
            *("--seccomp", str(read_end), "--"),
            *_bound_tasks(spec),
            *argv,
        ]

    def program(self, pid: int) -> int | None:
        """Return the child of the child of bwrap; None while there is none."""
        for _ in range(2):
            children = procfs.children(pid)
            if not children:
                return None
            pid = children[0]
        return pid

    def helpers(self, pid: int) -> set[int]:
        """Return bwrap and its child."""
        return {pid, *procfs.children(pid)}

    def exit_code(self, code: int) -> int:
        """Return minus a signal's number for 128 and more. A bot can exit with such a code, too."""
        number = code - 128
        return -number if 0 < number < _signal.NSIG else code


_working: dict[bool, list[str]] = {}
"""In the spawner: the part of the command that is the same for every bot, for another user (True)
and for ours."""


def working_command(user: int | None) -> list[str]:
    """Return the beginning of the command with the strictest arguments that work here, as this user."""
    from shutil import (
        which,
    )  # here, because it imports what unpacks archives, and most spawners do without

    bwrap = which(PROGRAM, path=os.environ.get("PATH", os.defpath) + ":/usr/bin:/usr/local/bin")
    if bwrap is None:
        raise BubblewrapError(0, "bwrap is not installed")
    system = ["--ro-bind", PROGRAMS[0], PROGRAMS[0]]
    for path in PROGRAMS[1:]:
        if os.path.islink(path):
            system += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            system += ["--ro-bind", path, path]
    system += [argument for path in SETTINGS for argument in ("--ro-bind-try", path, path)]
    system += [
        argument for path in DEVICES for argument in ("--dev-bind", path, path)
    ]  # --dev has a big /dev/shm
    first_error = ""
    for variant in VARIANTS:
        command = [bwrap, *NAMESPACES, *IDENTITY, *variant, *system]
        error = _try([*command, "--remount-ro", "/", "--", "/usr/bin/true"], user)
        if not error:
            return command
        first_error = first_error or error
    passing = next((number for number in TEMPORARY if first_error.endswith(os.strerror(number))), 0)
    raise BubblewrapError(passing, first_error)


def _try(command: list[str], user: int | None) -> str:
    """Run a command as this user; return the first line of its complaint, empty when it works.

    BubblewrapError, as for what passes, when it fails without a complaint: then somebody has killed
    it.
    """
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            users.become(user)
            os.dup2(write_end, 2)
            os.dup2(write_end, 1)
            os.execv(command[0], command)  # noqa: S606 (no shell is wanted)
        finally:
            os._exit(127)
    os.close(write_end)
    with os.fdopen(read_end, errors="replace") as pipe:
        output = pipe.read(MESSAGE_BYTES).strip()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != 0 and not output:
        raise BubblewrapError(errno.EINTR, f"bwrap ended with {code}")
    return "" if code == 0 else output.partition("\n")[0]


def _bound_tasks(spec: LaunchSpec) -> list[str]:
    """Return the beginning of a command that bounds the processes and threads of a bot that may have several.

    It runs inside, where RLIMIT_NPROC counts the processes of this user namespace only; set outside
    it would count every process of our user. For a user that is the bot alone, the row is among the
    limits of the spec.
    """
    if not spec.tasks or spec.user is not None or not os.access(PRLIMIT, os.X_OK):
        return []
    return [PRLIMIT, f"--nproc={spec.tasks + rlimits.HELPERS}", "--"]
