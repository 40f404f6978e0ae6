"""A live bot: ask a line, get a line or a fault by the deadline. Never raises for a bot's fault.

It owns one bot's process in one match. It knows no rules: whether a line is a legal move is the referee's business,
what an answer cost the stopwatch's. Nothing here blocks but the end; `converse.py` waits, for all that are asked.
"""

import signal
import time
from pathlib import Path

from arena import cores, protocol
from arena.bot import postmortem
from arena.bot.inbox import Inbox
from arena.bot.process import Process, started
from arena.bot.stopwatch import OverloadedError, Stopwatch
from arena.bot.wire import Wire
from arena.game import Role
from arena.match import Bot, Conditions, Ending, SeatReport
from arena.protocol import Ask, Heard
from arena.sandbox import procfs
from arena.sandbox.child import Exit
from arena.sandbox.door import Door, SpawnerLostError
from arena.sandbox.meter import Usage
from arena.sandbox.watchdog import CPU, size

__all__ = ["LiveBot", "OverloadedError"]

STDERR_KEPT = 16 * 1024
SAMPLED = (
    0.5  # of its CPU limit must have been used for SIGXCPU to be believed: the kernel's clock for it is a coarse one
)
EARLY = 32  # pipes full of lines that came too early; who writes on and on, awake, would be read for ever
EXIT_GRACE = 0.1  # seconds between end of file and the exit status: an interpreter closes its output, then leaves


class LiveBot:
    """One bot process in one seat of one match: a new one, or one that was `kept` from an earlier match."""

    def __init__(
        self, door: Door, role: Role, bot: Bot, conditions: Conditions, rules: Path, kept: Process | None = None
    ) -> None:
        self.role = role
        self.heard: Heard | None = None
        """The answer to the last question; None while it is awaited."""
        self._bot = bot
        self._door = door
        self._started = time.monotonic()
        self._child, self._wire, self._meter, self._before = kept or started(door, bot, conditions, rules)
        self._core: int | None = None
        self.wait = self._wire.wait
        self._freezes = conditions.freeze
        self._frozen = kept is not None
        self._first = self._meter.read() if kept else Usage()
        self._stopwatch = Stopwatch(bot.name, self._meter, conditions.time, self._first)
        self._watchdog = door.watchdog(self._child)
        if kept:
            self._watchdog.begin_again()
        self._keeps = conditions.keep and self._child.plan.level != "bubblewrap"  # whose scratch nobody else can empty
        self._stayed = False
        self.stays = False
        """Whether it wants to play another match, and may."""
        self._exit: Exit | None = None
        self._ready: float | None = None
        self._inbox = Inbox(self._child.limits.output)
        self._stderr = bytearray()
        self._stderr_size = 0
        self._ask = Ask(text=b"", told=None, deadline=None)

    def begin(self, ask: Ask) -> None:
        """Throw away what was said too early, write the question, start its clock, wake it."""
        if not ask.ready and (self.wait(0) or not self._inbox.empty):  # who is quick to say `ready` has said it
            self._discard_early()
        self._ask, self.heard = ask, None
        self._stopwatch.start(ask, anew=not self._freezes)
        self._wire.write(ask.text)
        if self._frozen:
            self._thaw()
        if self._child.error:
            self._fail(Ending.CRASHED, f"could not be started: {protocol.clean(self._child.error)}")
        elif self.begun >= self._watchdog.due:
            self._inspect(self.begun)

    def sit_on(self, core: int) -> None:
        """Keep it on another core than so far, so that it can think beside others."""
        if core != self._core and self._bot.threads == 1 and (pid := self._child.program()):
            cores.move(pid, (core,))
            self._core = core

    @property
    def begun(self) -> float:
        """The moment (monotonic) at which the last question was written."""
        return self._stopwatch.begun

    @property
    def due(self) -> float:
        """The moment (monotonic) at which the answer may be too late; inf = never."""
        return self._stopwatch.due

    @property
    def kept(self) -> bool:
        """Whether its process has played before."""
        return self._before > 0

    @property
    def gone(self) -> bool:
        """Whether its output has ended."""
        return not self._wire.stdout_open

    @property
    def awaited(self) -> bool:
        """Whether an answer may still come."""
        return self.heard is None and self._wire.stdout_open

    @property
    def wire(self) -> Wire:
        """Its pipes, to be waited for."""
        return self._wire

    def attend(self, descriptor: int, now: float, late: float) -> None:
        """One of its descriptors is ready at a moment (monotonic); it may have been for `late` seconds."""
        wire = self._wire
        if descriptor == wire.stdout:
            if self.heard is None:
                self._read_answer(now, late)
            else:
                wire.read()  # nobody asked: it goes nowhere
        elif descriptor == wire.stderr:
            self._read_stderr()
        elif descriptor == wire.stdin:
            wire.flush()
        elif descriptor == wire.lifeline:
            raise SpawnerLostError("the spawner process is gone")

    def look(self, now: float, late: float) -> None:
        """No answer yet, at a moment (monotonic) that is `late` seconds later than wanted: too late, or too much?"""
        self._stopwatch.excuse(late)
        if now >= self.due:
            self._expire(now)
        if self.heard is None and now >= self._watchdog.due:
            self._inspect(now)

    def excuse(self, seconds: float) -> None:
        """So long the referee was busy with others, and could not see its answer."""
        self._stopwatch.excuse(seconds)

    def _inspect(self, now: float) -> None:
        """Look whether it uses more than it may, and how many threads it has by now."""
        if self._exit is None and (excess := self._watchdog.look(now)) is not None:
            self._fail(Ending.LIMIT_EXCEEDED, excess + postmortem.too_little(self._child.limits, self._ready is None))
            self.end()  # at once: it may be eating on
        self._stopwatch.survey()

    def _expire(self, now: float) -> None:
        """The deadline is there: is it to be put off, because bot or referee were kept waiting?"""
        self._read_answer(now, now - self.begun)
        if not self.awaited:
            return
        if (spent := self._stopwatch.expire(now)) is not None:
            self._fail(Ending.TIMEOUT, postmortem.time_loss(self._ask, spent, self._inbox.rest))

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
        self._wire.write(text)
        self._thaw()
        self._wire.close_stdin()

    def stay(self, text: bytes) -> Process:
        """The last words of this match to it; what is to be kept of it. It hears them when it is asked again."""
        self._wire.write(text)
        if not self._frozen:
            self._child.freeze()
        self._exit = Exit(0, killed=False, cpu=self._meter.read().cpu - self._first.cpu, memory=self._peak())
        self._stayed = True
        self._stopwatch.close()
        return Process(self._child, self._wire, self._meter, self._before + 1)

    def _peak(self) -> int:
        return max(0, procfs.peak(self._child.pid) - self._child.inherited)

    def end(self, grace: float = 0.0) -> Exit:
        """Make sure that its process is gone; how it went."""
        if self._exit is not None:
            return self._exit
        self._wire.close_stdin()
        try:
            self._exit = self._door.end(self._child, grace)
            for _ in range(STDERR_KEPT // 4096):  # bounded: a grandchild may hold the pipe and go on writing
                if not (self._wire.stderr_open and self._read_stderr()):
                    break
        finally:  # also when its end failed and is tried again
            self._wire.close()
            self._meter.close()
            self._stopwatch.close()
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
            before=self._before,
            exit="stays for its next match" if self._stayed else str(self._exit),
            killed=self._exit.killed,
            memory=self._exit.memory,
            cpu=max(0.0, self._exit.cpu - (0.0 if self._stayed else self._first.cpu)),
            warnings=self._inbox.warnings(),
            stderr=self._stderr.decode("utf-8", "replace"),
        )

    def _read_stderr(self) -> bool:
        """Keep the end of its log; whether there was anything."""
        data = self._wire.read_log()
        if not data:
            return False
        self._stderr += data
        del self._stderr[:-STDERR_KEPT]
        self._stderr_size += len(data)
        most = self._child.limits.stderr
        if most is not None and self._stderr_size > most and self.heard is None:
            self._fail(Ending.LIMIT_EXCEEDED, f"stderr: more than {size(most)} in a match")
        return True

    def _discard_early(self) -> None:
        """Lines that are there before it is asked are no answers; a flood of them is left to the deadline."""
        self._inbox.throw_away()
        for _ in range(EARLY):
            if self.gone or self._inbox.excess() is not None or not (data := self._wire.read()):
                break
            self._inbox.take(data)
            self._inbox.throw_away()
        self._inbox.renew()

    def _read_answer(self, now: float, late: float) -> None:
        """Read what is there and look for the answer in it."""
        data = self._wire.read() if self._wire.stdout_open else b""
        line = self._inbox.answer_in(data or b"", ready=self._ask.ready)
        if line is not None:
            self._answer(line, now, late)
        elif (excess := self._inbox.excess()) is not None:
            self._fail(*excess)

    def _answer(self, line: bytes, now: float, late: float) -> None:
        spent = self._stopwatch.spent(now, late)
        if self._freezes:
            self._child.freeze()
            self._frozen = True
        if self._stopwatch.too_late(spent):
            self._fail(Ending.TIMEOUT, postmortem.time_loss(self._ask, spent, b""))
            return
        if self._ask.ready:
            self._ready = now - self._started
            self.stays = self._keeps and line.strip(b" \t\r") == protocol.AGAIN
        self.heard = Heard(line, None, "", spent, self._inbox.remarks())
        if self._freezes:  # else it is read when it is asked
            self._stopwatch.stop()

    def _fail(self, ending: Ending, words: str) -> None:
        self.heard = Heard(b"", ending, words)

    def _thaw(self) -> None:
        if self._frozen and self._exit is None:  # once it is reaped, its number may be somebody else's
            self._child.thaw()
        self._frozen = False
