"""A live bot: ask a line, get a line or a fault by the deadline. It never raises for a bot's fault.

It owns one bot's process in one match. It knows no rules: the referee decides whether a line is a
legal move, the stopwatch measures what an answer cost. `polling.py` waits for all bots at once; the
methods here wait for a moment at most: `short_answer` 1 ms, `begin` 25 ms (early_lines.py),
`freeze` 100 ms (freezer.py), the end as long as its grace.
"""

# Theory of a short answer
# ------------------------
# Most questions go to one bot alone, and it answers in microseconds, by one whole line.
# `short_answer` is the fast path for this case, because the normal path (begin, poll, attend, look)
# costs more than the bot's own work:
#
#   - It is taken only if nothing is unusual before the question (`may_take_fast_path`): the bot is
#     one process, no output of it is there, no part of the question must be written ahead
#     (early_lines.py), the watchdog is not due.
#   - It waits SHORT_ANSWER_S at most, and nobody else is asked meanwhile. If in this time one whole
#     line has come, and neither the wall time nor the CPU time is longer than that, then no clock
#     decides anything: a short answer is in time, and takes nothing from the bank (clock.py). So
#     nobody reads when the answer was written, or how long the referee had no core.
#   - In every other case the normal path goes on from this moment with the same question: bytes
#     that were read are in BotOutput, and the clock runs since the question was written.

import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from arena import protocol
from arena.clock import SHORT_ANSWER_S, TimeUsed, lateness
from arena.failure import Failure
from arena.game import Role
from arena.match.bot import postmortem
from arena.match.bot.consumption import Consumption
from arena.match.bot.early_lines import EarlyLines
from arena.match.bot.output import LOG_BYTES, BotLog, BotOutput
from arena.match.bot.process import Process
from arena.match.bot.program_file import explanation, script_fault
from arena.match.bot.stopwatch import OverloadedError, Stopwatch
from arena.protocol import Ask, Reply
from arena.sandbox import cores, procfs
from arena.sandbox.child import Child, Exit
from arena.sandbox.freezer import RESTLESS_S
from arena.sandbox.launcher import Launcher, SpawnerLostError
from arena.sandbox.watchdog import Watchdog
from arena.values import Bot, Conditions, SeatReport

__all__ = ["InterferenceError", "LiveBot", "OverloadedError"]

EXIT_GRACE_S = 0.1
"""The time between end of file and the exit status: an interpreter closes its output, then
leaves."""
SHORT_ANSWER_MS = round(SHORT_ANSWER_S * 1000)
LONG_WRITE_S = 0.001
"""If it takes longer to write a question, the referee may have lost its core just before."""
STOPPED = b"T"
"""The state of a thread after SIGSTOP: proc_pid_stat(5)."""


class InterferenceError(Exception):
    """Somebody else killed or stopped a bot's process: the match must be played again."""

    def __init__(self, bot: str, reason: str) -> None:
        super().__init__(bot, reason)  # so that it can cross to another process
        self.bot = bot
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.bot}: {self.reason}"


class LiveBot:
    """One bot process in one seat of one match. The process is new, or reused."""

    def __init__(
        self,
        launcher: Launcher,
        role: Role,
        bot: Bot,
        conditions: Conditions,
        rules: Path | None,
        reused: Process | None = None,
        *,
        blameless: bool = False,
    ) -> None:
        """Start the bot, or take the process `reused` from an earlier match.

        With `blameless`, an end that is surely somebody else's doing raises InterferenceError and
        is no fault.
        """
        self.role = role
        self.reused = reused is not None
        """True when its process has played before."""
        self.reply: Reply | None = None
        """The reply to the last question; None while it is awaited."""
        self.stays = False
        """True when the bot has asked for another match, and may have one."""
        self.grace = 0.0
        """Seconds that it has to leave by itself when it is ended."""
        self._bot = bot
        self._launcher = launcher
        self._blameless = blameless
        self._started = time.monotonic()
        process = reused or Process.start(launcher, bot, conditions, rules)
        self._child = process.child
        self.wire = process.wire
        self._meter = process.meter
        self._freezer = process.freezer
        self._matches_before = process.matches
        self._kills_for_memory = 0 if self._exit_is_certain else procfs.kills_for_memory()
        """The number of such kills on this machine when its match began."""
        self._watchdog = Watchdog(self._child)
        if reused:
            self._watchdog.begin_again()
        self._consumption = Consumption(
            self._child,
            self._meter,
            self._watchdog,
            reused=self.reused,
        )
        self.stopwatch = Stopwatch(
            bot,
            self._meter,
            conditions.time,
            self._consumption.before,
            is_timed=self.wire.is_timed,
        )
        self._freezes = conditions.freeze
        self._frozen = self.reused
        is_one_process = self._meter.of_one_process
        self._forgives_short_answers = is_one_process and conditions.time.forgives_short_answers
        self._output = BotOutput(self._child.limits.output)
        self._log = BotLog(self._child.limits.stderr)
        self._early_lines = EarlyLines(self.wire, self._output)
        # A scratch folder that is inside a namespace cannot be emptied from outside.
        self._may_stay = conditions.keep and not self._child.level.wrapped
        self._core: int | None = None
        self._ask = Ask(text=b"", announced=None, deadline=None)
        self._ready: float | None = None
        """Seconds from its start until it was ready; None until then."""
        self._exit: Exit | None = None
        """How it ended, or what it used if it stays; None while it plays."""
        self._stayed = False

    @property
    def awaited(self) -> bool:
        """True while a reply may still come."""
        return self.reply is None and self.wire.stdout_open

    @property
    def output_ended(self) -> bool:
        """True when its output has ended."""
        return not self.wire.stdout_open

    @property
    def of_one_process(self) -> bool:
        """Return whether it is one process for certain.

        Then its own clock shows all its CPU time, and its waits count.
        """
        return self._child.cannot_fork and self._meter.of_one_process

    @property
    def child(self) -> Child:
        """Its process, for those who look at it from outside."""
        return self._child

    @property
    def program(self) -> int | None:
        """The process that runs the bot's own program.

        It is None while there is none, and once it has been ended.
        """
        if self._exit is not None:
            return None
        return self._child.program()

    def cpu(self) -> float:
        """Return the CPU seconds that its process has used so far."""
        return self._meter.read().cpu

    def begin(self, ask: Ask) -> None:
        """Throw away earlier output, start the clock, write the question and wake the bot."""
        text = ask.text
        if ask.resumes:
            self._early_lines.discard()
        elif not ask.ready:  # a bot that prints `ready` before `ready?` is ready
            text = self._early_lines.before_question(text, self._thaw)
        self._pose(ask, text)
        if self._child.error:
            errno = self._child.errno
            reason = explanation(self._bot, errno)
            failure = postmortem.not_started(self._child.error, errno, reason)
            self._fail(failure)
        elif self.stopwatch.begun >= self._watchdog.due:
            self._inspect(self.stopwatch.begun)

    def may_take_fast_path(self, ask: Ask) -> bool:
        """Return whether nothing is unusual, so that a question to this bot alone may be short."""
        if (
            not self._forgives_short_answers
            or ask.ready
            or ask.resumes
            or self._early_lines.expected
        ):
            return False
        return time.monotonic() < self._watchdog.due and not self.wire.wait(0)

    def short_answer(self, ask: Ask, *, stays_awake: bool = False) -> Reply | None:
        """Ask a bot alone, and return its reply.

        Return None when no short answer came, and the normal path goes on. With `stays_awake`, the
        bot is not frozen afterwards, unless it is doubted or has several threads.
        """
        wire = self.wire
        stopwatch = self.stopwatch
        wait_began = self._pose(ask, ask.text, short=True)
        ready = wire.wait(SHORT_ANSWER_MS)
        now = time.monotonic()
        line = self._read_line() if ready == wire.only_output else None
        spent = None if line is None else stopwatch.short(now)
        if line is not None and spent is not None:
            if not stays_awake or self._freezer.doubted or self._meter.has_threads:
                self.freeze()
            self.reply = Reply(line, None, "", spent, self._output.remarks())
            return self.reply
        stopwatch.expect_longer()
        if line is not None:
            is_late = lateness(now, wait_began + SHORT_ANSWER_S) > 0
            self._accept(line, now, now - wait_began if is_late else 0.0)
        return self.reply

    def move_to(self, core: int) -> None:
        """Move it to another core, so that it can think beside other bots."""
        if core == self._core or self._bot.threads > 1:
            return
        pid = self._child.program()
        if pid:
            cores.move(pid, (core,))
            self._core = core

    def attend(self, descriptor: int, now: float, late: float) -> None:
        """Read or write a descriptor that is ready at `now` (monotonic).

        It may have been ready for `late` seconds.
        """
        wire = self.wire
        if descriptor == wire.stdout:
            if self.reply is None:
                self._read_answer(now, late)
            else:
                self._early_lines.after_last(self.reply)
        elif descriptor == wire.stderr:
            self._read_log()
        elif descriptor == wire.stdin:
            wire.flush()
        elif descriptor == wire.lifeline:
            raise SpawnerLostError("the spawner process is gone")

    def look(self, now: float, late: float) -> None:
        """Check deadline and limits while there is no answer, at `now` (monotonic).

        This look comes `late` seconds after it was planned.
        """
        self.stopwatch.excuse_late_look(late)
        if now >= self.stopwatch.due:
            self._read_answer(now, now - self.stopwatch.begun)
            if self.awaited:
                self._expire(now)
        if self.reply is None and now >= self._watchdog.due:
            self._inspect(now)

    def _expire(self, now: float) -> None:
        """Let the bot lose if its time is over at `now` (monotonic)."""
        spent = self.stopwatch.expire(now)
        if spent is None:
            return
        if self._blameless and self._is_stopped_by_others():
            raise InterferenceError(self._bot.name, postmortem.STOPPED)
        self._fail_late(spent, self._output.printed())

    def freeze(self) -> None:
        """Freeze it until it is asked again, where the event freezes bots."""
        if self._freezes and not self._frozen and self._exit is None:
            self._freezer.freeze()
            self._frozen = True

    def freeze_again(self) -> None:
        """Freeze it again if it has been frozen and is awake, while other bots think."""
        if self._frozen and self._exit is None:
            self._freezer.look()

    def explain_exit(self) -> None:
        """End a bot whose output ended before an answer, and set the reply that says why.

        Raise MachineError where its scratch folder may not have had the room that it was promised.
        """
        self.grace = EXIT_GRACE_S
        end = self.end()
        limits = self._child.limits
        starting = self._ready is None
        failure = postmortem.limit_exceeded(end, limits, starting=starting)
        if failure is not None:
            self._fail(failure)
            return
        is_killed = self._blameless and postmortem.killed_by_signal(end, limits)
        if is_killed and self._is_killed_by_others():
            raise InterferenceError(self._bot.name, postmortem.KILLED)
        self._launcher.refuse_full_disk(self._child.level, limits)
        confined = self._child.level.confines
        refused = None
        if confined and self._launcher.refused is not None:
            refused = self._launcher.refused.failing()
        # Its author does not know the path of its folder.
        folder = f"{self._child.room.home}/"
        log = bytes(self._log).replace(folder.encode(), b"")
        failure = postmortem.crash(
            end,
            log,
            self._output.printed(),
            limits,
            starting=starting,
            confined=confined,
            syscalls=refused,
            script=script_fault(self._bot),
        )
        self._fail(failure)

    def close_input(self, text: bytes) -> None:
        """Write the last lines to it, and close its input behind them."""
        self._early_lines.after_last(self.reply)
        self.wire.write(text)
        self._consumption.note()
        self._thaw()
        self.wire.close_stdin()

    def stay(self, text: bytes) -> Process:
        """Write the last lines of this match, which it reads when it is woken.

        Return its process for the next match.
        """
        self._early_lines.after_last(self.reply)
        self.wire.write(text)
        if not self._frozen:
            self._freezer.freeze()
        # The stop is verified, because the bot has all the time until its next match to wake up.
        self._freezer.insist()
        self._exit = self._consumption.at_stay()
        self._stayed = True
        self.stopwatch.close()
        return Process(
            child=self._child,
            wire=self.wire,
            meter=self._meter,
            freezer=self._freezer,
            matches=self._matches_before + 1,
        )

    def end(self) -> Exit:
        """Make sure that its process is gone, once its grace is over; return how it ended."""
        if self._exit is not None:
            return self._exit
        with ExitStack() as closing:
            self._prepare_to_end(closing)
            end = self._launcher.end(self._child, self.grace)
            return self._take_exit(end)

    @staticmethod
    def end_all(
        launcher: Launcher,
        bots: Iterable["LiveBot"],
        living: tuple[int, ...],
    ) -> None:
        """End several bots in one request; kill what all bots left but the `living`."""
        ending = [bot for bot in bots if bot._exit is None]
        with ExitStack() as closing:
            for bot in ending:
                bot._prepare_to_end(closing)
            children = [(bot._child, bot.grace) for bot in ending]
            exits = launcher.end_all(children, living)
            for bot, end in zip(ending, exits, strict=True):
                bot._take_exit(end)

    def report(self) -> SeatReport:
        """Return what became of the bot in this match; RuntimeError while it runs."""
        if self._exit is None:
            raise RuntimeError("a bot that still runs has no report")
        confined = ""
        if self._child.pid:
            confined = self._child.confined
        ending = str(self._exit)
        if self._stayed:
            ending = "stays for its next match"
        return SeatReport(
            role=self.role,
            bot=self._bot.name,
            digest=self._bot.digest,
            warm=self._child.spec.warm,
            confined=confined,
            ready=self._ready,
            before=self._matches_before,
            exit=ending,
            killed=self._exit.killed,
            memory=self._exit.memory,
            cpu=self._consumption.cpu(self._exit),
            warnings=self._output.warnings(),
            stderr=self._log.text,
        )

    def _pose(self, ask: Ask, text: bytes, *, short: bool = False) -> float:
        """Start the clock, and write the question, or its last part.

        Return the moment after that (monotonic). A frozen bot is woken first, since the kernel
        notes when a question is written, but not when a bot is woken.
        """
        self._ask = ask
        self.reply = None
        if self._frozen:
            self._thaw()
        stopwatch = self.stopwatch
        stopwatch.start(ask, anew=not self._freezes, short=short)
        self.wire.write(text)
        now = time.monotonic()
        if now - stopwatch.begun > LONG_WRITE_S:
            moment = self.wire.written_at()
            if moment is not None:
                stopwatch.begin_later(moment)
        return now

    def _prepare_to_end(self, closing: ExitStack) -> None:
        """Close its input.

        `closing` closes the rest, also when the end fails and is tried again.
        """
        closing.callback(self.stopwatch.close)
        closing.callback(self._meter.close)
        closing.callback(self.wire.close)
        self.wire.close_stdin()
        self._consumption.note()

    def _take_exit(self, end: Exit) -> Exit:
        """Note how it ended, and read the last that it wrote to stderr."""
        self._exit = self._consumption.at_exit(end)
        # The reads are limited: a grandchild may hold the pipe and go on writing.
        for _ in range(LOG_BYTES // 4096):
            if not (self.wire.stderr_open and self._read_log()):
                break
        return self._exit

    def _read_answer(self, now: float, late: float) -> None:
        line = self._read_line()
        if line is not None:
            self._accept(line, now, late)

    def _read_line(self) -> bytes | None:
        """Read its output, and return the line that answers.

        Return None when there is none. It is a fault if the output is too long.
        """
        data = self.wire.read() if self.wire.stdout_open else b""
        line = self._output.answer_in(data or b"", ready=self._ask.ready)
        if line is None:
            excess = self._output.excess()
            if excess is not None:
                printed = self._output.printed()
                self._fail(postmortem.flooded(excess, printed))
        return line

    def _accept(self, line: bytes, now: float, late: float = 0.0) -> None:
        """Make a reply of an answer that was read at `now` (monotonic), if it is in time."""
        spent = self.stopwatch.spent(now, late, self.wire.came_by(now))
        if self._freezes:
            # A bot that used more CPU time than passed was awake before its question, as all are
            # before `ready?`.
            if not self._ask.ready and spent.cpu > spent.wall + RESTLESS_S:
                self._freezer.doubted = True
            self.freeze()
        if self.stopwatch.too_late(spent):
            self._fail_late(spent, postmortem.Printed())
            return
        if self._ask.ready:
            self._ready = now - self._started
            self.stays = self._may_stay and line.strip(b" \t\r") == protocol.AGAIN
        self.reply = Reply(line, None, "", spent, self._output.remarks())
        if self._freezes:  # otherwise its CPU time counts from its next question on
            self.stopwatch.stop()

    def _read_log(self) -> bool:
        """Read its stderr; return whether there was anything."""
        data = self.wire.read_log()
        if not data:
            return False
        excess = self._log.take(data)
        if excess is not None and self.reply is None:
            self._fail(excess)
        return True

    def _inspect(self, now: float) -> None:
        """Look whether the bot exceeds a limit, and read the waits of its threads."""
        # What the first look finds may be there since the start.
        never_seen = not self._watchdog.peak
        excess = None
        if self._exit is None:
            excess = self._watchdog.look(now)
        if excess is not None:
            starting = self._ready is None or never_seen
            failure = postmortem.hinted(excess, self._child.limits, starting=starting)
            self._fail(failure)
            self.end()
        self.stopwatch.survey()

    @property
    def _exit_is_certain(self) -> bool:
        """Return whether an exit by SIGKILL proves that somebody else killed it."""
        return self._child.cannot_kill_itself and not self._child.level.wrapped

    def _is_killed_by_others(self) -> bool:
        """Return whether a bot that ended by SIGKILL can neither have done nor faked that itself.

        In doubt it has, unless the kernel has killed processes to free memory meanwhile.
        """
        return self._exit_is_certain or procfs.kills_for_memory() > self._kills_for_memory

    def _is_stopped_by_others(self) -> bool:
        """Return whether it stands still by a signal that it cannot have sent itself."""
        if not self._child.cannot_kill_itself:
            return False
        pid = self._child.program()
        if pid is None:
            return False
        return set(procfs.states(pid)) == {STOPPED}

    def _fail(self, failure: Failure) -> None:
        self.reply = Reply(b"", failure.ending, failure.words, failure=failure)

    def _fail_late(self, spent: TimeUsed, printed: postmortem.Printed) -> None:
        """Let the bot lose by its time."""
        failure = postmortem.time_loss(self._ask, spent, printed, self._bot.threads)
        self._fail(failure)

    def _thaw(self) -> None:
        # Once it is reaped, its number may belong to another process.
        if self._frozen and self._exit is None:
            self._freezer.thaw()
        self._frozen = False
