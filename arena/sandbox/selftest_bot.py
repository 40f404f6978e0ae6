"""The probe of the self-test: a bot that tries every way out that a level must close.

Run as a script with one argument: the referee's process id, a listening port of 127.0.0.1 and a
secret file, with spaces between them. (A file that is an argument of its own is one that the bot
may read.) It prints a line `ATTEMPT: yes` or `ATTEMPT: no` for each attempt, and last `play: yes`,
or `play: ERRNO WORDS` for the error that keeps a bot from its work. It imports nothing of arena,
because it sees what a bot sees; and little else, because every command that plays waits for it.
"""

import _socket  # the module socket takes 12 ms of CPU more
import ctypes
import os
import sys
from collections.abc import Callable

PTRACE_SEIZE = 0x4206
"""To seize a process does not stop it. To attach to it would stop the referee where a level
fails."""
CLONE_NEWUSER = 0x10000000
ATTEMPTS = (
    "read a file of ours",
    "list the folder of another bot",
    "write outside its scratch folder",
    "connect to us",
    "see our process",
    "signal us",
    "trace us",
    "make a namespace",
    "start a process",
)


def main() -> None:
    """Try everything; print which attempts worked."""
    process, server, secret = sys.argv[1].split(" ", 2)
    referee = int(process)
    port = int(server)
    folder, name_of_secret = os.path.split(secret)
    libc = ctypes.CDLL(None)
    attempts: list[Callable[[], object]] = [
        lambda: open(secret).read(),  # noqa: SIM115 (a probe)
        lambda: os.listdir(folder).index(name_of_secret),
        lambda: open(os.path.join(folder, "written"), "w"),  # noqa: SIM115
        lambda: _connect(port),
        lambda: open(f"/proc/{referee}/stat").read(),  # noqa: SIM115
        lambda: os.kill(referee, 0),
        lambda: _checked(libc.ptrace(PTRACE_SEIZE, referee, 0, 0)),
        lambda: _checked(libc.unshare(CLONE_NEWUSER)),
        lambda: os.fork() or os._exit(0),
    ]
    for name, attempt in zip(ATTEMPTS, attempts, strict=True):
        try:
            attempt()
            print(f"{name}: yes")
        except (OSError, ValueError):
            print(f"{name}: no")
    note_path = os.path.join(os.environ["TMPDIR"], "note")
    try:
        with open(note_path, "w") as note:
            note.write("x")
        print("play: yes")
    except OSError as error:
        print(f"play: {error.errno} {error.strerror}")


def _connect(port: int) -> None:
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.settimeout(1)
    connection.connect(("127.0.0.1", port))


def _checked(result: int) -> None:
    if result != 0:
        raise OSError("refused")


if __name__ == "__main__":
    main()
