"""The door: start a bot's process, end it, learn how it went.

It owns the spawner process of this referee process and the folder its bots live in. It does not read or write what
bots say.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from arena.match import Bot, Limits
from arena.sandbox import orphans, rlimits, spawner
from arena.sandbox.folder import Folder, Room

PYTHON = "{python}"
"""The word in a command that stands for the interpreter that runs arena."""
PATIENCE = 30.0
"""Seconds until a spawner that does not answer counts as lost: a bot may have stopped it."""


class SpawnerLostError(RuntimeError):
    """The spawner process is gone: arena's own failure, so the match must be played again."""


@dataclass(frozen=True)
class Exit:
    """How a process ended."""

    code: int
    """Exit code, or minus the number of the signal."""
    killed: bool
    """True when arena killed it."""
    cpu: float
    """Seconds, with those of its reaped children."""
    memory: int
    """Peak resident bytes."""

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exit {self.code}"
        try:
            return f"signal {signal.Signals(-self.code).name}"
        except ValueError:
            return f"signal {-self.code}"


@dataclass(frozen=True)
class Child:
    """A bot's process: its three pipes are ours to read, write and close; non-blocking."""

    pid: int
    """0 when it could not be started."""
    stdin: int
    stdout: int
    stderr: int
    room: Room
    error: str = ""
    """Why it could not be started."""


class Door:
    """Starts and ends bots. A context manager: at its end nothing that it started is left."""

    def __init__(self) -> None:
        self.folder = Folder()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._spawner = subprocess.Popen(
                [sys.executable, "-I", "-S", spawner.__file__, str(theirs.fileno()), str(self.folder.path)],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={},
                start_new_session=True,  # Ctrl-C in the terminal is for the referee, which then ends the spawner
            )
        self._socket = ours
        self._socket.settimeout(PATIENCE)

    def start(self, bot: Bot, limits: Limits, rules: Path) -> Child:
        """Start the bot in a folder with nothing but its files; `Child.error` says why when it can't be run."""
        room = self.folder.room(bot)
        argv = [sys.executable if word == PYTHON else word for word in bot.command]
        argv[0] = shutil.which(argv[0]) or argv[0]  # by the organiser's PATH; the bot itself gets a plain one
        message = {
            "op": "start",
            "argv": argv,
            "env": _environment(room.scratch, self.folder.kit(rules)),
            "cwd": str(room.home),
            "limits": rlimits.table(limits),
        }
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ours_err, theirs_err = os.pipe()
        theirs = (theirs_in, theirs_out, theirs_err)
        try:
            answer = self._request(message, theirs)
        except BaseException:
            _close(ours_in, ours_out, ours_err)
            raise
        finally:
            _close(*theirs)
        for descriptor in (ours_in, ours_out, ours_err):
            os.set_blocking(descriptor, False)
        return Child(answer.get("pid", 0), ours_in, ours_out, ours_err, room, answer.get("error", ""))

    def end(self, child: Child, grace: float = 0.0) -> Exit:
        """Reap a child and its process group, killing what does not end by itself within `grace` seconds."""
        how: dict[str, Any] = {"code": 127, "killed": False, "cpu": 0.0, "memory": 0}
        if child.pid:
            how = self._request({"op": "end", "pid": child.pid, "grace": grace})
        child.room.discard()
        return Exit(**how)

    def sweep(self) -> int:
        """Kill whatever bots left behind, in whatever session it hides; returns how many processes that were."""
        swept: int = self._request({"op": "sweep"})["swept"]
        return swept

    def close(self) -> None:
        """End the spawner and with it everything it started; remove the folder."""
        self._socket.close()
        self._spawner.send_signal(signal.SIGCONT)  # a bot may have stopped it
        try:
            self._spawner.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._spawner.kill()
        if self._spawner.wait() != 0:
            orphans.kill(self.folder.path)
        self.folder.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> dict[str, Any]:
        try:
            socket.send_fds(self._socket, [json.dumps(message).encode()], descriptors)
            text = self._socket.recv(spawner.MESSAGE)
        except (ConnectionError, TimeoutError) as error:
            self._spawner.kill()  # its bots die with it, and nobody waits for it again
            raise SpawnerLostError("the spawner process is gone, or does not answer") from error
        if not text:
            raise SpawnerLostError("the spawner process is gone")
        answer: dict[str, Any] = json.loads(text)
        return answer


def _environment(scratch: Path, kit: Path) -> dict[str, str]:
    """All that a bot is told by its environment: nothing of the user's own."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "PYTHONHASHSEED": "0",  # so that a bot that iterates over sets plays the same each time
        "PYTHONPATH": str(kit),
    }


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
