"""A network of its own for a program: a loopback that leads nowhere, where arena listens.

A child of the spawner calls `separate` and `furnish` before its level confines it. It gets a user,
a network and a mount namespace. The listening socket is made inside and sent to arena, which
accepts the program's connections from outside: no process of arena is inside, and nothing that the
program does reaches another port, or an abstract socket, of the machine.

The mount namespace has three purposes. The folders of the program lie at the same paths in every
run, so whatever it writes about them is the same. Everything else is read-only, whatever its
modes, so the program may change modes and times. And its terminals are those of a new devpts, so
it finds no terminal of anybody else.

Source: user_namespaces(7), network_namespaces(7), mount_setattr(2), netdevice(7).
"""

import _socket
import ctypes
import fcntl
import os
import struct
from collections.abc import Iterable

from arena.sandbox.level import LaunchSpec, checked, prctl

FOLDER = "/mnt"
"""The folder below which a program finds its folders; every system has it."""
PORT = 8000
ADDRESS = "127.0.0.1"
BACKLOG = 64
VARIABLES = {
    "OPENAI_BASE_URL": f"http://{ADDRESS}:{PORT}/v1",
    "OPENAI_API_BASE": f"http://{ADDRESS}:{PORT}/v1",
    "OPENAI_API_KEY": "arena",
    "ANTHROPIC_BASE_URL": f"http://{ADDRESS}:{PORT}",
    "ANTHROPIC_API_KEY": "arena",
}
"""The variables by which programs find who listens. The key is worth nothing."""
TERMINALS = "/dev/pts"
INSIDE_USER = 1000
"""The user that root is inside: an exec by it has no capabilities."""

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000  # the same number on every architecture
ATTR_RDONLY, ATTR_NOSUID = 1, 2
MOUNT_ATTRIBUTES = struct.Struct("=QQQQ")
"""struct mount_attr: set, cleared, propagation, namespace of users."""
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
INTERFACE = struct.Struct("16sh22x")
"""struct ifreq: the name of an interface, and its flags."""
PR_SET_DUMPABLE = 4

libc = ctypes.CDLL(None, use_errno=True)


def separate() -> str:
    """Enter new namespaces; return the name of the network. Raise OSError where that is refused."""
    user, group = os.getuid(), os.getgid()
    flags = ctypes.c_int(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS)
    checked(libc.unshare(flags), "a network of its own")
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # otherwise our files in /proc are root's
    _write("setgroups", "deny")
    _write("uid_map", f"{user or INSIDE_USER} {user} 1")
    _write("gid_map", f"{group or INSIDE_USER} {group} 1")
    return network(os.getpid())


def network(pid: int) -> str:
    """Return the name of the network of a process; raise OSError if nobody may know it."""
    return os.readlink(f"/proc/{pid}/ns/net")


def furnish(spec: LaunchSpec) -> int:
    """Put the folders of the spec in place, and raise the loopback; return the listening socket.

    Raise OSError, with the name of the step, where the system refuses one of them.
    """
    writable = (spec.place(spec.home), spec.place(spec.scratch))
    _lay_out(spec.places, writable)
    _raise_loopback()
    listening = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    listening.bind((ADDRESS, PORT))
    listening.listen(BACKLOG)
    return listening.detach()


def refusal() -> str:
    """Return why this system gives an ordinary user no network of its own; empty where it does."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            separate()
            _lay_out((), ())
            _raise_loopback()
        except OSError as error:
            os.write(write_end, str(error.strerror).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, errors="replace") as pipe:
        reason = pipe.read()
    os.waitpid(pid, 0)
    return reason


def _write(name: str, text: str) -> None:
    try:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, f"{name} of a user namespace: {error.strerror}") from error


def _lay_out(places: Iterable[tuple[str, str]], writable: Iterable[str]) -> None:
    """Put the program's folders where it finds them, and make everything else read-only."""
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    _mount("tmpfs", FOLDER, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=64,mode=711")
    for folder, place in places:
        os.mkdir(place)  # whatever is mounted there has its own mode
        _mount(folder, place, None, MS_BIND)
    _set_attributes("/", AT_RECURSIVE, ATTR_RDONLY | ATTR_NOSUID, 0)
    for place in (*writable, "/proc"):  # bwrap writes to its own files in /proc
        _set_attributes(place, 0, 0, ATTR_RDONLY)
    _mount("devpts", TERMINALS, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666")
    _mount(f"{TERMINALS}/ptmx", "/dev/ptmx", None, MS_BIND)


def _mount(
    source: str | None,
    target: str,
    kind: str | None,
    flags: int,
    data: str = "",
) -> None:
    result = libc.mount(
        _encoded(source),
        _encoded(target),
        _encoded(kind),
        ctypes.c_ulong(flags),
        _encoded(data or None),
    )
    checked(result, f"mount {target}")


def _encoded(text: str | None) -> bytes | None:
    if text is None:
        return None
    return os.fsencode(text)


def _set_attributes(
    path: str,
    flags: int,
    added: int,
    cleared: int,
) -> None:
    attributes = MOUNT_ATTRIBUTES.pack(added, cleared, 0, 0)
    size = ctypes.c_size_t(MOUNT_ATTRIBUTES.size)
    folder = ctypes.c_int(AT_FDCWD)
    number = ctypes.c_long(MOUNT_SETATTR)
    result = libc.syscall(
        number,
        folder,
        os.fsencode(path),
        flags,
        attributes,
        size,
    )
    checked(result, f"mount_setattr {path}")


def _raise_loopback() -> None:
    with_flags = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        question = INTERFACE.pack(b"lo", 0)
        answer = fcntl.ioctl(with_flags.fileno(), SIOCGIFFLAGS, question)
        _, flags = INTERFACE.unpack(answer)
        raised = INTERFACE.pack(b"lo", flags | IFF_UP)
        fcntl.ioctl(with_flags.fileno(), SIOCSIFFLAGS, raised)
    except OSError as error:
        raise OSError(error.errno, f"loopback: {error.strerror}") from error
    finally:
        with_flags.close()
