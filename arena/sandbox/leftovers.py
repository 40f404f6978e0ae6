"""The processes that a killed spawner leaves, which its referee or the next arena ends.

The kernel ends the bots of a killed spawner. It ends neither what these forked, nor a bot of one
process in which another thread than the first called exec, because the kernel was asked to kill the
first only.
Such a process can empty its environment, close its descriptors and lose its parents, but the filter
keeps it in the session of its bot. So each bot writes its session into a file beside its scratch
folder before it is confined, and the note lasts as long as that.

The number of a session that has ended may belong to another session today. So the note has the
start of the bot too, and where its number counts: in which boot, among which processes. And
whatever is ended has given up new privileges, which a process cannot take back, and which hardly
anything else does.

A bot with a network of its own may make sessions: it is found by its network, which it cannot
leave. A bot of a level that does not confine can leave its session. Such a process is found if it
kept its environment.
"""

import contextlib
import os
from functools import cache

from arena.sandbox import procfs

NOTE = ".session"
"""The end of the name of a note."""
NOTE_BYTES = 200
ROUNDS = 20
"""A process that is forked during one round is found in the next."""


def note(scratch: str) -> int:
    """Write down the session of this process, which leads it and will be a bot.

    Return the note, open: a process with a network of its own adds a line with its name.
    """
    pid = os.getpid()
    # The file may exist: a bot may be started a second time.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(scratch + NOTE, flags, 0o600)
    text = f"{pid} {procfs.start(pid)} {numbering()}"
    os.write(descriptor, text.encode())
    return descriptor


@cache
def numbering() -> str:
    """Return where the numbers of processes count: in which boot, in which namespace.

    The text is empty if that is unknown.
    """
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id") as file:
        return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"
    return ""


def end(folder: str) -> None:
    """Kill every process of the bots that have a room in this private folder.

    A confined bot cannot leave the group that it leads, and a group is killed at once. Processes
    that fork and end all the time may be gone before they are looked at; so a group is killed, too,
    if no process was found in it or its session.
    """
    import signal  # here, because it makes enums, and the spawner does without

    noted, networks = _noted(folder)
    home = b"HOME=%s/" % os.fsencode(folder)
    for _ in range(ROUNDS):
        sessions = {pid: procfs.session(pid) for pid in procfs.all_processes()}
        leftovers = []
        for pid, session in sessions.items():
            is_noted = _belongs(pid, session, noted) or procfs.network(pid) in networks
            if is_noted or home in procfs.environment(pid):
                leftovers.append(pid)
        inhabited: set[int | None] = set(sessions.values())
        for pid, session in sessions.items():
            if session:
                inhabited.add(procfs.group(pid))
        sessions_of_leftovers = {sessions[pid] for pid in leftovers}
        unseen = noted.keys() - inhabited
        killed = False
        for group in (noted.keys() & sessions_of_leftovers) | unseen:
            with contextlib.suppress(OSError):  # it is gone
                os.killpg(group, signal.SIGKILL)
                killed = True
        for pid in leftovers:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                killed = True
        if not killed:
            return


def _noted(folder: str) -> tuple[dict[int, int], set[str]]:
    """Return the start of each bot that wrote a note, by its session, and networks of their own."""
    sessions: dict[int, int] = {}
    networks: set[str] = set()
    if not os.path.isdir(folder):  # closed before
        return sessions, networks
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for name in os.listdir(folder):
        if not name.endswith(NOTE):
            continue
        with contextlib.suppress(OSError, ValueError):  # it is gone, or only half of it was written
            descriptor = os.open(f"{folder}/{name}", flags)
            try:
                text = os.read(descriptor, NOTE_BYTES).decode()
            finally:
                os.close(descriptor)
            session_text, _, network = text.partition("\n")
            session, start, where = session_text.split(" ", 2)
            if where == numbering():
                sessions[int(session)] = int(start)
                if network and network != procfs.network(os.getpid()):
                    networks.add(network)
    return sessions, networks


def _belongs(pid: int, session: int, noted: dict[int, int]) -> bool:
    """Return whether a process is in a session that was noted, and that still is the same one."""
    if session not in noted:
        return False
    start = procfs.start(pid)
    if start < noted[session]:
        return False
    # A leader is looked at once: if a second look failed, nobody would know that it is there.
    leader_start = start
    if pid != session:
        leader_start = procfs.start(session)
    # The start of a leader that is gone is 0. No other process gets its number before the last
    # process of its session ends.
    is_same_session = leader_start in {0, noted[session]}
    return is_same_session and procfs.cannot_gain_privileges(pid)
