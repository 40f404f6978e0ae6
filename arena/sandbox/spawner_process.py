"""The spawner process as its referee sees it: start it, send it requests, end it.

`spawner.py` explains why there is one. A spawner that is gone, or does not answer within
ANSWER_TIMEOUT_S because somebody stopped it, is lost. The kernel kills its bots with it. Nothing of
a match can be trusted then, so the caller gets SpawnerLostError, which is never a bot's fault, and
plays the match again with a new launcher.
"""

import contextlib
import marshal
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.sandbox import child_setup, leftovers, spawner, warm
from arena.sandbox.forks import Forks
from arena.sandbox.refused import RefusedCalls

SPAWN = (
    "import gc, sys; gc.disable(); sys.path[0] = sys.argv[3]; "
    "from arena.sandbox.spawner import main; main()"
)
"""The program of a spawner. The garbage collector would only look at new modules;
`warm.prepare_to_fork` enables it."""
ANSWER_TIMEOUT_S = 30.0
"""The spawner answers in milliseconds; the slowest request imports the modules of `preload` on a
busy machine."""
ANSWER_BYTES = 1 << 14
"""Room for the exits of a hundred bots. A larger buffer costs a map and an unmap at each
request."""
NO_INTERNED_TEXTS = 0
"""The version of marshal without them: Python keeps interned texts, so a spawner could keep some of
a message."""


class SpawnerLostError(RuntimeError):
    """The spawner process is gone: arena's own failure, so the match must be played again."""


class ConfinementError(RuntimeError):
    """A bot could not be confined: arena's own failure, so the match must be played again."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        """`passing`: the cause says nothing of the level, as want of memory or a killed process."""
        super().__init__(message)
        self.passing = passing


class SpawnerProcess:
    """The spawner of one referee process."""

    warms = True
    """Whether a bot can be a fork of it."""

    def __init__(
        self,
        folder: Path,
        environment: dict[str, str],
        refused: RefusedCalls | None,
    ) -> None:
        """The spawner removes `folder` at its end; `refused` answers for watched bots."""
        self._folder = folder
        self._refused = refused
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(ANSWER_TIMEOUT_S)
        with theirs:
            import_folder = str(Path(__file__).parents[2])
            arguments = [str(theirs.fileno()), str(folder), import_folder]
            self._process = subprocess.Popen(
                [sys.executable, *warm.FLAGS, "-c", SPAWN, *arguments],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                # Ctrl-C in the terminal is for the referee, which then ends the spawner.
                start_new_session=True,
            )
        self.pid = self._process.pid

    @property
    def lifeline(self) -> int:
        """A descriptor that hangs up when the spawner is gone."""
        return self._socket.fileno()

    def request(
        self,
        operation: bytes,
        message: Iterable[Any] = (),
        descriptors: tuple[int, ...] = (),
        *,
        subject: str = "",
        counts_forks: bool = False,
    ) -> dict[str, Any]:
        """Have the spawner do something, and return its answer.

        `counts_forks`: the kernel is to ask before each fork of a new bot. `forks` in the answer
        counts them; it is None where the kernel does not ask. `endpoint` is the socket that listens
        in a network of its own; None without one. Raise ConfinementError, about `subject`, when the
        spawner could not do it.
        """
        try:
            text = operation + marshal.dumps(tuple(message), NO_INTERNED_TEXTS)
            socket.send_fds(self._socket, [text], descriptors)
            forks = None
            endpoint = None
            reply, listeners = self._receive()
            if reply == child_setup.ENDPOINT:
                (endpoint,) = listeners
                reply, listeners = self._receive()
            if reply == child_setup.LISTENER:
                forks = Forks()
                forks.answer_for(listeners[0])
                reply, listeners = self._receive()
            if self._refused is not None and listeners:
                if counts_forks:
                    forks = Forks()
                self._refused.answer_for(listeners[0], forks)
        except (ConnectionError, TimeoutError) as error:
            self._process.kill()  # its bots die with it, and nobody waits for it again
            raise SpawnerLostError("the spawner process is gone, or does not answer") from error
        if not reply:
            raise SpawnerLostError("the spawner process is gone")
        # The reply is of our own process, and of no bot.
        answer: dict[str, Any] = marshal.loads(reply)  # noqa: S302
        if endpoint is not None and not answer.get("pid"):
            os.close(endpoint)
        if "failed" in answer:
            passing = answer.get("passing", False)
            raise ConfinementError(f"{subject}: {answer['failed']}", passing=passing)
        return answer | {"forks": forks, "endpoint": endpoint}

    def _receive(self) -> tuple[bytes, list[int]]:
        """Return the next message, and the descriptors that came with it: one at most."""
        text, descriptors, _, _ = socket.recv_fds(
            self._socket,
            ANSWER_BYTES,
            1,
            socket.MSG_CMSG_CLOEXEC,
        )
        return text, descriptors

    def close(self) -> None:
        """End the spawner, and with it everything that it started.

        The caller removes the folder.
        """
        with contextlib.suppress(OSError):  # it may be gone
            self._socket.send(spawner.LEAVE)
        self._socket.close()
        self._process.send_signal(signal.SIGCONT)  # a bot may have stopped it
        try:
            self._process.wait(ANSWER_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        if self._process.wait() != 0:
            # What the bots of a killed spawner forked has no living parent now.
            leftovers.end(os.fspath(self._folder))
