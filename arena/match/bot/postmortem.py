"""Explains to its author why a bot gave no answer, or was not built.

This file is pure: observations go in, sentences come out. No code reads these sentences back,
because the figures are in the Failure. output.py and watchdog.py have the sentences for the limits
that they check. Text that the bot itself printed is cleaned, so that it
is harmless to show.
"""

import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from arena import protocol, system
from arena.clock import TimeUsed
from arena.failure import Cause, Failure
from arena.match.bot.complaint import complaint
from arena.match.bot.program_file import Explanation
from arena.protocol import Ask
from arena.sandbox.building import TIMEOUT_S, Built
from arena.sandbox.launcher import Exit
from arena.sandbox.watchdog import MORE_CPU, size
from arena.values import Limits

OUT_OF_MEMORY = (
    b"memoryerror",
    b"outofmemoryerror",
    b"out of memory",
    b"cannot allocate memory",
    b"bad_alloc",
    b"heap space",
    b"object heap",
    b"failed to map",
)
"""How interpreters complain on stderr that they have no memory, in lower case."""
REFUSED = (b"operation not permitted", b"function not implemented", b"eperm", b"enosys")
"""How programs complain on stderr of a system call that the filter refuses, in lower case."""
FORKS = frozenset({"clone", "fork", "vfork"})
"""The system calls that start a process."""
STARTS_PROGRAM = (
    b"fork",
    b"spawn",
    b"subprocess",
    b"multiprocessing",
    b"popen",
    b"processbuilder",
    b"cannot run program",
)
"""How programs show on stderr that they were starting another one, in lower case."""
ONE_PROCESS = (
    "it may be one process, and was refused another: ask the organiser for processes = 2 "
    "in its [[bot]] table in tournament.toml"
)
UTF_16 = "this is UTF-16, and arena reads UTF-8"
QUOTED_LETTERS = 80
"""The most of a bot's line that a sentence quotes."""
SMALL_MEMORY_BYTES = 64_000_000
"""With a lower limit the interpreter may not start: Python, Node and Java want 32, 64 and 128 MB
before their first line."""
NEAR_LIMIT = 0.75
"""The part of its memory limit from which on a bot that died may have died of it."""
CPU_SAMPLED = 0.5
"""The part of its CPU limit that makes SIGXCPU believable: the kernel's clock for it is a coarse
one."""
KILLED = (
    "its process was killed by a signal that arena did not send: "
    "by somebody, or by a machine out of memory"
)
STOPPED = "its process was stopped by a signal that arena did not send"


class Printed(NamedTuple):
    """What a bot has printed since its last answer, none of which is an answer."""

    lines: int = 0
    """The number of lines, without remarks."""
    first: tuple[bytes, ...] = ()
    """The beginnings of the first ones that are not blank."""
    last: bytes = b""
    """The beginning of the last one that is not blank."""
    remark: bytes | None = None
    """The beginning of its first remark."""
    unfinished: bytes = b""
    """The bytes that no newline follows."""

    @property
    def unfinished_bytes(self) -> int:
        """The number of bytes that no newline follows.

        It is 0 for half a remark, which a newline makes no answer.
        """
        if self.unfinished.startswith(b"#"):
            return 0
        return len(self.unfinished)

    @property
    def is_utf16(self) -> bool:
        """True when one of these lines looks like UTF-16."""
        lines = (*self.first, self.last, self.unfinished)
        return any(map(protocol.is_utf16, lines))


def not_started(
    error: str,
    errno: int,
    reason: Explanation | None = None,
) -> Failure:
    """Return the failure of a bot whose command the system could not run.

    `reason` is why, where its files show that.
    """
    message = f"could not be started: {protocol.clean(error)}"
    cure = ""
    if reason is not None:
        message += f"; {reason.words}"
        cure = reason.cure
    return Failure(
        cause=Cause.NOT_STARTED,
        words=message,
        errno=errno,
        cure=cure,
    )


def time_loss(
    ask: Ask,
    spent: TimeUsed,
    printed: Printed,
    threads: int = 1,
) -> Failure:
    """Return the failure of a bot that gave no answer by the deadline.

    `printed` is what came instead.
    """
    missing = "no `ready`" if ask.ready else "no answer"
    if ask.announced is not None:
        missing += f" in {_ms(ask.announced)} ms"
    parts = [missing]
    parts += _instead(printed, ready=ask.ready)
    parts += _unfinished_line(printed)
    passed = f"{_ms(spent.wall)} ms passed"
    if system.LINUX:
        passed += f", and it used {_ms(spent.cpu)} ms of CPU"
    parts.append(passed)
    if spent.cpu > spent.wall and spent.fair(threads) > spent.wall:
        parts.append(
            f"CPU time of all its threads counts, and its bot.toml says `threads = {threads}`"
        )
    excused_ms = _ms(spent.excused(threads))
    if excused_ms:
        parts.append(
            f"{excused_ms} ms are not charged: it had no core then, or the referee was late"
        )
    return Failure(
        cause=Cause.NO_ANSWER,
        words="; ".join(parts),
        spent=spent,
        threads=threads,
        unfinished=printed.unfinished_bytes,
        is_utf16=printed.is_utf16,
    )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def flooded(failure: Failure, printed: Printed) -> Failure:
    """Return the failure of a bot that has printed too much, with the beginning of its output."""
    beginning = f"it begins {_quoted(printed.unfinished)}"
    parts = [failure.words]
    if failure.cause is Cause.LINE_TOO_LONG:
        parts.append(beginning)
    else:
        parts += _instead(printed, ready=True) or [beginning]
    return replace(failure, words="; ".join(parts))


def overload(name: str, spent: TimeUsed) -> str:
    """Return why a match cannot go on though no bot is at fault: this bot had hardly a core."""
    return (
        f"{name} had no answer after {spent.wall:.1f} s, of which it waited {spent.waited:.1f} s "
        "for a core: the machine is overloaded; run fewer workers, or less beside them"
    )


def killed_by_signal(end: Exit, limits: Limits) -> bool:
    """Return whether a process was killed neither by arena nor for what it used.

    It may have killed itself.
    """
    if end.code != -signal.SIGKILL or end.killed:
        return False
    if limits.memory is not None:
        nearly_all = limits.memory * NEAR_LIMIT
        if end.memory >= nearly_all:
            return False
    # The kernel also kills a process that ignores SIGXCPU.
    used_up_cpu = limits.cpu is not None and end.cpu >= limits.cpu
    return not used_up_cpu


def crash(
    end: Exit,
    stderr: bytes,
    printed: Printed,
    limits: Limits,
    *,
    starting: bool,
    confined: bool = False,
    syscalls: Sequence[str] | None = None,
    script: Explanation | None = None,
) -> Failure:
    """Return the failure of a bot whose output ended before an answer.

    `syscalls` are those that it was refused; None = nobody watched. `script` is why its shell
    cannot read it: then it wanted no process of its own.
    """
    if end.killed:
        cause = Cause.OUTPUT_CLOSED
        exit_code = None
        status = "it closed its output, still running"
    else:
        cause = Cause.ENDED
        exit_code = end.code
        status = f"it ended before its answer: {end}"
        if end.code == -signal.SIGKILL:
            status += ", which arena did not send"
    error_line = complaint(stderr.decode("utf-8", "replace"))
    memory = _memory_figures(end, limits, stderr, starting=starting)
    parts = [status]
    parts += _stderr_line(error_line, stderr)
    parts += _instead(printed, ready=starting)
    parts += _unfinished_line(printed)
    text = "; ".join(parts) + memory
    nothing_refused = syscalls is not None and not syscalls and end.code != -signal.SIGSYS
    if confined and not nothing_refused:
        text += _refused_calls(end, error_line, stderr, syscalls or (), limits, script)
    return Failure(
        cause=cause,
        words=text,
        exit_code=exit_code,
        complaint=error_line,
        unfinished=printed.unfinished_bytes,
        short_of_memory=bool(memory),
        refused_calls=tuple(syscalls or ()),
        watched=syscalls is not None,
    )


def _refused_calls(
    end: Exit,
    error_line: str,
    stderr: bytes,
    syscalls: Sequence[str],
    limits: Limits,
    script: Explanation | None,
) -> str:
    """Return what a crash has to do with refused system calls, as more of its sentence.

    The text is empty where the crash shows none. `error_line` is the line of its stderr that names
    its error: a refusal that it had survived before is not the cause. Java tries a socket at each
    start, and does without.
    """
    complains = _has_sign(error_line.encode(), REFUSED)
    was_refused_fork = not FORKS.isdisjoint(syscalls)
    died_silently = bool(syscalls) and not error_line and end.code != 0
    is_cause = complains or died_silently or end.code == -signal.SIGSYS
    if not was_refused_fork and not is_cause:
        return ""
    if syscalls:
        wanted_process = was_refused_fork and (complains or not error_line)
        text = f"; system calls that were refused to it: {', '.join(syscalls)}"
    else:
        wanted_process = complains and _has_sign(stderr, STARTS_PROGRAM)
        text = ""
    if wanted_process and script is not None:
        return f"; {script.words}{text}"
    if wanted_process and limits.processes == 1:
        return f"; {ONE_PROCESS}{text}"
    if text:
        return text
    return (
        "; a bot may not make every system call: `arena check` names those that were refused to it"
    )


def _has_sign(text: bytes, signs: Sequence[bytes]) -> bool:
    """Return whether a text has one of these signs, in whatever case."""
    lower = text.lower()
    return any(sign in lower for sign in signs)


def limit_exceeded(
    end: Exit,
    limits: Limits,
    *,
    starting: bool,
) -> Failure | None:
    """Return the failure of a bot that the kernel ended for what it used.

    Return None when it ended for another reason.
    """
    if end.out_of_memory and limits.memory is not None:
        text = f"memory: the kernel counted more than its {size(limits.memory)}"
        failure = Failure(cause=Cause.MEMORY, words=text)
        return hinted(failure, limits, starting=starting)
    is_cpu_signal = end.code == -signal.SIGXCPU
    if is_cpu_signal and limits.cpu is not None and end.cpu >= limits.cpu * CPU_SAMPLED:
        text = f"cpu: {MORE_CPU.format(limits.cpu)}"
        return Failure(cause=Cause.CPU, words=text)
    if end.code == -signal.SIGXFSZ:
        text = "scratch: it wrote a file that is larger than its scratch folder may be"
        return Failure(cause=Cause.SCRATCH, words=text)
    return None


def failed_build(
    built: Built,
    limits: Limits,
    seconds: float = TIMEOUT_S,
) -> str:
    """Return why a build failed, or other work that may take these seconds; empty if it did not."""
    if built.error:
        return not_started(built.error, 0).words
    if built.late:
        return f"it took more than {seconds:g} seconds"
    if not built.failed:
        return ""
    exceeded = built.excess or limit_exceeded(built.exit, limits, starting=False)
    if exceeded is not None:
        return exceeded.words
    memory = _memory_figures(built.exit, limits, built.output, starting=False)
    return f"it ended with {built.exit}{memory}"


def hinted(failure: Failure, limits: Limits, *, starting: bool) -> Failure:
    """Return the failure with a hint, when the interpreter may have had too little memory."""
    hint = _too_little(limits, starting=starting)
    return replace(failure, words=failure.words + hint)


def _memory_figures(
    end: Exit,
    limits: Limits,
    stderr: bytes,
    *,
    starting: bool,
) -> str:
    """Return the peak of memory and its limit in a sentence, when a bot may have died of it.

    Otherwise the text is empty.
    """
    if limits.memory is None:
        return ""
    complained = _has_sign(stderr, OUT_OF_MEMORY)
    hint = _too_little(limits, starting=starting)
    if not complained and not hint and end.memory < limits.memory * NEAR_LIMIT:
        return ""
    peak = f"{end.memory / 1e6:.0f} MB"
    return f"; its memory peaked at {peak}, its limit is {size(limits.memory)}{hint}"


def _too_little(limits: Limits, *, starting: bool) -> str:
    """Return a hint, when a bot fails at its start with less memory than interpreters want."""
    if not starting or limits.memory is None:
        return ""
    if limits.memory >= SMALL_MEMORY_BYTES:
        return ""
    return ", which may be too little for its interpreter to start"


def _instead(printed: Printed, *, ready: bool) -> list[str]:
    """Return what a bot has printed in place of an answer, or of `ready`.

    The list is empty if it has printed no whole line.
    """
    if printed.lines == 0:
        if printed.remark is None:
            return []
        return [f"it printed only remarks, such as {_quoted(printed.remark)}"]
    if printed.first:
        text = _listed(printed)
    elif printed.lines == 1:
        text = "an empty line"
    else:
        text = f"{printed.lines} empty lines"
    if ready:
        return [f"it printed {text} instead"]
    return [f"it had printed {text} before it was asked"]


def _listed(printed: Printed) -> str:
    """Return the first lines that a bot printed, and how many more there were.

    The last line that is not blank follows, if it is not among the first.
    """
    text = ", ".join(map(_quoted, printed.first))
    more = printed.lines - len(printed.first)
    if more == 0:
        return text
    noun = "line" if more == 1 else "lines"
    text += f" and {more} more {noun}"
    if printed.last == printed.first[-1]:
        return text
    return f"{text}, at last {_quoted(printed.last)},"


def _stderr_line(line: str, stderr: bytes) -> list[str]:
    """Return the words for the line of a bot's stderr that names its error."""
    if not line:
        return []
    cleaned = protocol.clean(line)
    ending = line.strip().encode()
    if stderr.rstrip().endswith(ending):
        return [f"its last stderr line: {cleaned}"]
    return [f"its stderr says: {cleaned}"]


def _unfinished_line(printed: Printed) -> list[str]:
    """Return the words for bytes without a newline; in UTF-16 half of a newline is left over."""
    if printed.is_utf16 and printed.first:
        return [UTF_16]
    if not printed.unfinished:
        return []
    count = len(printed.unfinished)
    quoted = _quoted(printed.unfinished)
    sentence = (
        f"{count} bytes without a newline were there: does it end its line and flush? "
        f"They are {quoted}"
    )
    words = [sentence]
    if printed.is_utf16:
        words.append(UTF_16)
    return words


def _quoted(line: bytes) -> str:
    text = line[: 2 * QUOTED_LETTERS].decode("utf-8", "backslashreplace")
    return protocol.quoted(text, QUOTED_LETTERS)
