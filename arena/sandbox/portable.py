"""Bots as plain subprocesses, at the level `none`, where the system is not Linux.

It answers the requests that a spawner answers (`spawner_process.py`), in this process: `subprocess`
starts a bot in a session of its own, and its group is killed at its end. Nobody finds what left
that group. A bot's CPU time and memory are known at its end only, so its answers are timed by the
wall.

The guard. No kernel kills bots here when we are killed. So a small process knows the groups of all
bots that live. It sees the end of its input when we end, in whatever way, kills them, and removes
the folder.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.errors import refusal
from arena.sandbox import child_setup, spawner
from arena.sandbox.level import TEMPORARY, LaunchSpec
from arena.sandbox.spawner_process import ConfinementError

GUARD = """
import os, sys
groups = set()
for line in sys.stdin.buffer:
    if line == b"leave\\n":
        sys.exit()
    (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, 9)
    except OSError:
        pass
os.execv("/bin/sh", ["sh", "-c", sys.argv[1], "sh", sys.argv[2]])
"""


class Subprocesses:
    """The bots of one referee process, as its own children."""

    warms = False

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        """Start the guard, which removes `folder` if this process is killed."""
        self.pid = os.getpid()
        self._bots: dict[int, subprocess.Popen[bytes]] = {}
        theirs_in, self._notes = os.pipe()
        self.lifeline, theirs_out = os.pipe()
        command = [sys.executable, "-I", "-S", "-c", GUARD]
        command += [spawner.REMOVE, str(folder)]
        self._guard = subprocess.Popen(
            command,
            stdin=theirs_in,
            stdout=theirs_out,  # it writes nothing: the pipe hangs up at its end
            cwd="/",
            env=environment,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)

    def request(
        self,
        operation: bytes,
        message: Iterable[Any] = (),
        descriptors: tuple[int, ...] = (),
        *,
        subject: str = "",
        counts_forks: bool = False,  # noqa: ARG002 (no system but Linux can count them)
    ) -> dict[str, Any]:
        """Do what a spawner would do.

        Raise ConfinementError, about `subject`, when the system has no room for a process.
        """
        if operation == child_setup.START:
            argv, environment, values = message
            return self._start(argv, environment, LaunchSpec(*values), descriptors, subject)
        if operation == spawner.END:
            bots, living = message
            answer = spawner.end(bots, living)
            for (pid, _), report in zip(bots, answer["exits"], strict=True):
                bot = self._bots.pop(pid)
                bot.returncode = report["code"]  # otherwise Python would wait for it again
                self._tell_guard(f"-{pid}")
            return answer
        return {}  # PREPARE: each bot is a new program

    def _start(
        self,
        argv: list[str],
        environment: dict[str, str],
        spec: LaunchSpec,
        pipes: tuple[int, ...],
        subject: str,
    ) -> dict[str, Any]:
        stdin, stdout, stderr = pipes
        try:
            bot = subprocess.Popen(
                argv,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=spec.home,
                env=environment,
                start_new_session=True,
                umask=0o077,
            )
        except OSError as error:
            if error.errno in TEMPORARY:
                message = f"{subject}: {refusal(error) or error.strerror}"
                raise ConfinementError(message, passing=True) from error
            text = f"{argv[0]}: {error.strerror}"
            return {"error": text[: child_setup.TEXT_LENGTH], "errno": error.errno}
        self._bots[bot.pid] = bot
        self._tell_guard(f"+{bot.pid}")
        return {"pid": bot.pid}

    def _tell_guard(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # somebody killed it: the lifeline says so
            os.write(self._notes, f"{line}\n".encode())

    def close(self) -> None:
        """End everything that was started. The caller removes the folder."""
        for pid, bot in self._bots.items():
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
            bot.wait()
        self._bots.clear()
        self._tell_guard("leave")
        self._guard.wait()
        os.close(self._notes)
        os.close(self.lifeline)
