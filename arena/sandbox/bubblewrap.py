"""The level `bubblewrap`: namespaces that the program `bwrap` makes, and the seccomp filter.

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
from arena.sandbox.landlock import TERMINALS
from arena.sandbox.level import TEMPORARY, BotKind, LaunchSpec, Level

PROGRAM = "bwrap"
PRLIMIT = "/usr/bin/prlimit"  # of util-linux, which nearly every distribution has
NAMESPACES = [
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
]
IDENTITY = ["--uid", "1000", "--gid", "1000", "--hostname", "bot"]
RESTRICTIONS = ["--cap-drop", "ALL", "--die-with-parent"]
# No --new-session: the bot is in the session that the spawner made, so that its group can be killed
# and stopped whole.

NO_NAMESPACES_BELOW = ["--disable-userns"]
"""Some systems refuse this argument. The filter refuses new namespaces anyway."""
PROC = ["--proc", "/proc", "--remount-ro", "/proc"]
"""Java needs /proc. A container that masks /proc refuses these arguments."""
VARIANTS: tuple[list[str], ...] = (
    NO_NAMESPACES_BELOW + PROC,
    PROC,
    NO_NAMESPACES_BELOW,
    [],
)
"""The arguments that are tried, the strictest first."""
MESSAGE_BYTES = 4096


class BubblewrapError(OSError):
    """bwrap cannot be used here; carries its own message."""


class Bubblewrap(Level):
    """The level `bubblewrap`."""

    name = "bubblewrap"
    confines = True
    needs = (
        "it needs the program bwrap (package bubblewrap), "
        "and a system where users may make namespaces"
    )
    wrapped = True

    def prepare(self, kind: BotKind) -> None:
        """Make the filter, and find out which arguments of bwrap work here."""
        seccomp.program_for(kind.processes, kind.syscalls)
        if kind.other_user not in _working:
            user = None
            if kind.other_user:
                user = users.uids()[0]
            _working[kind.other_user] = working_command(user)

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:
        """Set the limits; return the command that makes the namespaces and runs the bot in them."""
        rlimits.apply(spec)
        rlimits.no_new_privs()
        # bwrap reads the filter from a pipe, which holds a whole filter.
        read_end, write_end = os.pipe()
        program = seccomp.program_for(
            spec.processes,
            spec.syscalls,
            networked=spec.networked,
        )
        os.write(write_end, program)
        os.close(write_end)
        os.set_inheritable(read_end, True)

        command = list(_working[spec.user is not None])
        home = spec.place(spec.home)
        scratch = spec.place(spec.scratch)
        for path in spec.read:
            command += ["--ro-bind", path, spec.place(path)]
        if spec.networked:
            command.remove("--unshare-net")  # it has one already
            for path in TERMINALS:
                command += ["--dev-bind", path, path]
        source = spec.home
        if spec.networked:
            source = home
        bind = "--ro-bind"
        if spec.builds:
            bind = "--bind"
        command += [bind, source, home]
        if spec.scratch_bytes:
            command += ["--size", str(spec.scratch_bytes)]
        command += ["--tmpfs", scratch]
        # Otherwise a bot could write to the root, which is a tmpfs.
        command += ["--remount-ro", "/"]
        command += ["--chdir", home]
        command += ["--seccomp", str(read_end), "--"]
        return command + _task_limit(spec) + argv

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
        if 0 < number < _signal.NSIG:
            return -number
        return code


_working: dict[bool, list[str]] = {}
"""In the spawner: the part of the command that is the same for every bot, for another user (True)
and for ours."""


def working_command(user: int | None) -> list[str]:
    """Return the beginning of the command, with the strictest arguments that work for this user."""
    # This import is here, because it imports modules for archives, which few spawners need.
    from shutil import which

    search_path = os.environ.get("PATH", os.defpath) + ":/usr/bin:/usr/local/bin"
    bwrap = which(PROGRAM, path=search_path)
    if bwrap is None:
        raise BubblewrapError(0, "bwrap is not installed")
    system = ["--ro-bind", PROGRAMS[0], PROGRAMS[0]]
    for path in PROGRAMS[1:]:
        if os.path.islink(path):
            system += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            system += ["--ro-bind", path, path]
    for path in SETTINGS:
        system += ["--ro-bind-try", path, path]
    for path in DEVICES:
        system += ["--dev-bind", path, path]  # --dev would add a big /dev/shm

    first_error = ""
    for variant in VARIANTS:
        command = [
            bwrap,
            *NAMESPACES,
            *IDENTITY,
            *RESTRICTIONS,
            *variant,
            *system,
        ]
        trial = [*command, "--remount-ro", "/", "--", "/usr/bin/true"]
        error = _try(trial, user)
        if not error:
            return command
        first_error = first_error or error
    for number in TEMPORARY:
        if first_error.endswith(os.strerror(number)):
            raise BubblewrapError(number, first_error)
    raise BubblewrapError(0, first_error)


def _try(command: list[str], user: int | None) -> str:
    """Run a command as this user; return the first line of its complaint, empty when it works.

    Raise BubblewrapError with a temporary errno when the command fails without a complaint:
    somebody has killed it then.
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
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return ""
    if not output:
        raise BubblewrapError(errno.EINTR, f"bwrap ended with {code}")
    return output.partition("\n")[0]


def _task_limit(spec: LaunchSpec) -> list[str]:
    """Return the beginning of a command that limits the number of a bot's processes and threads.

    The command runs inside, where RLIMIT_NPROC counts the processes of this user namespace only;
    outside, the kernel would count every process of our user. A bot that has a user of its own gets
    this limit from its spec.
    """
    if not spec.tasks or spec.user is not None:
        return []
    if not os.access(PRLIMIT, os.X_OK):
        return []
    return [PRLIMIT, f"--nproc={spec.tasks + rlimits.HELPERS}", "--"]
