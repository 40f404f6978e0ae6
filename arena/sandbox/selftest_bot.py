"""The probe of the self-test: a bot that tries to get out in every way that a level must close, and prints the result.

Run as a script with one argument, the JSON list [a secret file, the referee's process id, a listening port]. Stdlib
only, and nothing of arena: it sees what a bot sees.
"""

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable

PTRACE_SEIZE, CLONE_NEWUSER = 0x4206, 0x10000000  # seize: to attach would stop the referee where it works
ATTEMPTS = (
    *("read a file of ours", "list the folder of another bot", "write outside its scratch folder", "connect to us"),
    *("see our process", "signal us", "trace us", "make a namespace", "start a process"),
)


def main() -> None:
    """Try everything; print which attempts worked."""
    secret, referee, port = json.loads(sys.argv[1])
    libc = ctypes.CDLL(None)
    attempts: list[Callable[[], object]] = [
        lambda: open(secret).read(),  # noqa: SIM115 (a probe)
        lambda: os.listdir(os.path.dirname(secret)).index(os.path.basename(secret)),
        lambda: open(os.path.join(os.path.dirname(secret), "written"), "w"),  # noqa: SIM115
        lambda: socket.create_connection(("127.0.0.1", port), 1),
        lambda: open(f"/proc/{referee}/stat").read(),  # noqa: SIM115
        lambda: os.kill(referee, 0),
        lambda: _checked(libc.ptrace(PTRACE_SEIZE, referee, 0, 0)),
        lambda: _checked(libc.unshare(CLONE_NEWUSER)),
        lambda: os.fork() or os._exit(0),
    ]
    results: dict[str, object] = {}
    for name, attempt in zip(ATTEMPTS, attempts, strict=True):
        try:
            attempt()
            results[name] = True
        except (OSError, ValueError):
            results[name] = False
    try:
        with open(os.path.join(os.environ["TMPDIR"], "note"), "w") as note:
            note.write("x")
        results["plays"] = True
    except OSError as error:
        results["why"] = str(error)
    print(json.dumps(results))


def _checked(result: int) -> None:
    if result != 0:
        raise OSError("refused")


if __name__ == "__main__":
    main()
