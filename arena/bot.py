"""A live bot: ask a line, get a line or a fault by the deadline. Never raises for a bot's fault.

It owns one bot's pipes and what an answer cost. It knows no rules: whether a line is a legal move is the referee's
business. Nothing here blocks but the end; `converse.py` waits, for every bot that is asked at once.
"""

import os
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from arena import postmortem, protocol
from arena.game import Role
from arena.inbox import Inbox
from arena.match import Bot, Conditions, Ending, SeatReport
from arena.protocol import Ask, Heard
from arena.sandbox.door import Door, Exit, SpawnerLostError
from arena.sandbox.meter import Meter, Usage
from arena.sandbox.watchdog import CPU, size

CHUNK = 64 * 1024  # what a pipe holds: one read empties it
STDERR_KEPT = 16 * 1024
SAMPLED = (
    0.5  # of its CPU limit must have been used for SIGXCPU to be believed: the kernel's clock for it is a coarse one
)
EXIT_GRACE = 0.1  # seconds between end of file and the exit status: an interpreter closes its output, then leaves


class LiveBot:
    """One bot process in one seat of one match."""

    def __init__(self, door: Door, role: Role, bot: Bot, conditions: Conditions, rules: Path) -> None:
        self.role = role
        self.heard: Heard | None = None
        """The answer to the last question; None while it is awaited."""
        self._bot = bot
        self._door = door
        self._started = self._begun = time.monotonic()
        self._child = door.start(bot, conditions, rules)
        self._freezes = conditions.freeze
        self._frozen = False
        self._watchdog = door.watchdog(self._child)
        self._meter = Meter(self._child.program)
        self._exit: Exit | None = None
        self._ready: float | None = None
        self._stdin: int | None = self._child.stdin
        self._pipes_open = self._stdout_open = self._stderr_open = True
        self._outbox = b""
        self._inbox = Inbox(self._child.limits.output)
        self._stderr = bytearray()
        self._stderr_size = 0
        self._ask = Ask(text=b"", told=None, deadline=None)
        self._used = Usage()

    def begin(self, ask: Ask) -> None:
        """Throw away what was said too early, wake it, write the question, start its clock."""
        if not ask.ready:  # a bot that is quick to say `ready` has said it
            self._discard_early()
        self._ask, self.heard = ask, None
        self._outbox += ask.text
        self._used = self._meter.read()
        self._thaw()
        self.write()
        self._begun = time.monotonic()
        if self._child.error:
            self._fail(Ending.CRASHED, f"could not be started: {protocol.clean(self._child.error)}")
        else:
            self.inspect(self._begun)

    @property
    def due(self) -> float | None:
        """The moment (monotonic) at which the answer is too late; None = never."""
        return None if self._ask.deadline is None else self._begun + self._ask.deadline

    @property
    def gone(self) -> bool:
        """Whether its output has ended."""
        return not self._stdout_open

    @property
    def awaited(self) -> bool:
        """Whether an answer may still come."""
        return self.heard is None and not self.gone

    def inspect(self, now: float) -> None:
        """Have a look, if one is due, at whether it uses more than it may."""
        if self.heard is None and self._exit is None and (excess := self._watchdog.look(now)) is not None:
            self._fail(Ending.LIMIT_EXCEEDED, excess + postmortem.too_little(self._child.limits, self._ready is None))
            self.end()  # at once: it may be eating on

    def events(self) -> Iterator[tuple[int, int]]:
        """The descriptors to poll for this bot, with the events that matter."""
        if self._stdin is not None and self._outbox:
            yield self._stdin, select.POLLOUT
        if self._stdout_open:
            yield self._child.stdout, select.POLLIN
        if self._stderr_open:
            yield self._child.stderr, select.POLLIN
        yield self._door.lifeline, 0  # hangs up with the spawner

    def attend(self, descriptor: int) -> None:
        """One of its descriptors is ready."""
        if descriptor == self._door.lifeline:
            raise SpawnerLostError("the spawner process is gone")
        if descriptor == self._stdin:
            self.write()
        elif descriptor == self._child.stderr:
            self._read_stderr()
        elif self.heard is None:
            self._read_answer()
        else:
            self._read_stdout()  # nobody asked: it goes nowhere

    def write(self) -> None:
        """Write what its pipe takes."""
        try:
            while self._outbox and self._stdin is not None:
                self._outbox = self._outbox[os.write(self._stdin, self._outbox) :]
        except BlockingIOError:
            pass
        except OSError:  # it closed its input; its output tells the rest
            self._close_stdin()

    def expire(self) -> None:
        """The deadline is over: what is in the pipe by now still counts, then it is a time loss."""
        self._read_answer()
        if self.awaited:
            wall, used = time.monotonic() - self._begun, self._meter.read().since(self._used)
            self._fail(Ending.TIMEOUT, postmortem.time_loss(self._ask, wall, used, self._inbox.rest))

    def bury(self) -> None:
        """Its output ended before an answer: learn how it went, and say it with its own last words."""
        how = self.end(EXIT_GRACE)
        limits = self._child.limits
        if how.code == -signal.SIGXCPU and limits.cpu is not None and how.cpu >= limits.cpu * SAMPLED:
            self._fail(Ending.LIMIT_EXCEEDED, CPU.format(limits.cpu))
        elif how.code == -signal.SIGXFSZ:
            self._fail(Ending.LIMIT_EXCEEDED, "scratch: it wrote a file that is larger than its scratch folder may be")
        else:
            words = postmortem.crash(how, bytes(self._stderr), self._inbox.rest)
            self._fail(
                Ending.CRASHED, words + postmortem.starved(how, limits, bytes(self._stderr), self._ready is None)
            )

    def tell(self, text: bytes) -> None:
        """The last words to it; its input ends after them."""
        self._outbox += text
        self._thaw()
        self.write()
        self._close_stdin()

    def end(self, grace: float = 0.0) -> Exit:
        """Make sure that its process is gone; how it went."""
        if self._exit is not None:
            return self._exit
        self._close_stdin()
        try:
            self._exit = self._door.end(self._child, grace)
            for _ in range(STDERR_KEPT // 4096):  # bounded: a grandchild may hold the pipe and go on writing
                if not (self._stderr_open and self._read_stderr()):
                    break
        finally:
            self._close_pipes()
        return self._exit

    def report(self) -> SeatReport:
        """What became of it, once it has ended."""
        if self._exit is None:
            raise RuntimeError("a bot that still runs has no report")
        return SeatReport(
            role=self.role,
            bot=self._bot.name,
            digest=self._bot.digest,
            warm=self._child.plan.warm,
            confined=self._child.confined if self._child.pid else "",
            ready=self._ready,
            exit=str(self._exit),
            killed=self._exit.killed,
            memory=self._exit.memory,
            cpu=self._exit.cpu,
            warnings=self._inbox.warnings(),
            stderr=self._stderr.decode("utf-8", "replace"),
        )

    def _read_stdout(self) -> bytes | None:
        """What is there; `b""` at end of file, None when there is nothing yet."""
        try:
            data = os.read(self._child.stdout, CHUNK)
        except BlockingIOError:
            return None
        self._stdout_open = bool(data)
        return data

    def _read_stderr(self) -> bool:
        """Keep the end of its log; whether there was anything."""
        try:
            data = os.read(self._child.stderr, CHUNK)
        except BlockingIOError:
            return False
        self._stderr_open = bool(data)
        self._stderr += data
        del self._stderr[:-STDERR_KEPT]
        self._stderr_size += len(data)
        most = self._child.limits.stderr
        if most is not None and self._stderr_size > most and self.heard is None:
            self._fail(Ending.LIMIT_EXCEEDED, f"stderr: more than {size(most)} in a match")
        return bool(data)

    def _discard_early(self) -> None:
        """Lines that are there before it is asked are no answers; a flood of them is left to the deadline."""
        self._inbox.renew()
        self._inbox.throw_away()
        while self._stdout_open and self._inbox.excess() is None and (data := self._read_stdout()):
            self._inbox.take(data)
            self._inbox.throw_away()
        self._inbox.renew()

    def _read_answer(self) -> None:
        """Read what is there and look for the answer in it."""
        self._inbox.take((self._read_stdout() or b"") if self._stdout_open else b"")
        line = self._inbox.answer(ready=self._ask.ready)
        if line is not None:
            self._answer(line)
        elif (excess := self._inbox.excess()) is not None:
            self._fail(*excess)

    def _answer(self, line: bytes) -> None:
        now, used = time.monotonic(), self._meter.read().since(self._used)
        if self._ask.ready:
            self._ready = now - self._started
        self.heard = Heard(
            line=line, wall=now - self._begun, cpu=used.cpu, waited=used.waited, remarks=self._inbox.remarks()
        )
        if self._freezes:
            self._child.freeze()
            self._frozen = True

    def _fail(self, ending: Ending, words: str) -> None:
        self.heard = Heard(ending=ending, words=words)

    def _thaw(self) -> None:
        if self._frozen and self._exit is None:  # once it is reaped, its number may be somebody else's
            self._child.thaw()
        self._frozen = False

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def _close_pipes(self) -> None:
        """Once only, also when its end failed and is tried again."""
        if self._pipes_open:
            os.close(self._child.stdout)
            os.close(self._child.stderr)
            self._meter.close()
        self._pipes_open = self._stdout_open = self._stderr_open = False
