"""Why a bot gave no answer, in words for its author: what was expected, what came, and what to look at.

Pure: from what was seen of the bot to a sentence. Everything that the bot itself printed is shown harmless.
"""

from arena import protocol
from arena.clock import Spent
from arena.match import Limits
from arena.protocol import Ask
from arena.sandbox.door import Exit
from arena.sandbox.watchdog import size

OUT_OF_MEMORY = (b"memoryerror", b"out of memory", b"cannot allocate", b"bad_alloc", b"heap", b"failed to map")
SMALL = 64_000_000  # bytes: what Python, Node and Java want before their first line is 32, 64 and 128 MB
NEAR = 0.75


def time_loss(ask: Ask, spent: Spent, inbox: bytes) -> str:
    """No answer by the deadline, with all that it took; `inbox` is what stands there without a newline."""
    wanted = "`ready`" if ask.ready else "answer"
    told = "" if ask.told is None else f" in {round(ask.told * 1000)} ms"
    passed, used = round(spent.wall * 1000), round(spent.cpu * 1000)
    figures = f"{passed} ms passed, of which it used {used} ms of CPU"
    forgiven = round((spent.wall - spent.fair) * 1000)
    excused = [f"{forgiven} ms in which it had no core, or the referee was late, are not charged"] if forgiven else []
    return "; ".join([f"no {wanted}{told}", figures, *excused, *_half_line(inbox)])


def overload(name: str, spent: Spent) -> str:
    """No answer, and no fault of this bot's: there was hardly a core for it."""
    return (
        f"{name} had no answer after {spent.wall:.1f} s, of which it waited {spent.waited:.1f} s for "
        "a core: the machine is overloaded; run fewer workers, or less beside them"
    )


def crash(how: Exit, stderr: bytes, inbox: bytes) -> str:
    """Its output ended before an answer."""
    status = "it closed its output, still running" if how.killed else f"it ended before its answer: {how}"
    last = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()][-1:]
    said = [f"its last stderr line: {protocol.clean(line)}" for line in last]
    return "; ".join([status, *said, *_half_line(inbox)])


def starved(how: Exit, limits: Limits, stderr: bytes, starting: bool) -> str:
    """Whether a bot that crashed may have died of its memory limit: its peak and the limit, in words, or nothing."""
    if limits.memory is None:
        return ""
    complained = any(word in stderr.lower() for word in OUT_OF_MEMORY)
    hint = too_little(limits, starting)
    if not complained and not hint and how.memory < limits.memory * NEAR:
        return ""
    return f"; its memory peaked at {how.memory / 1e6:.0f} MB, its limit is {size(limits.memory)}{hint}"


def too_little(limits: Limits, starting: bool) -> str:
    """A hint, when a bot fails before it is ready with less memory than interpreters want."""
    small = starting and limits.memory is not None and limits.memory < SMALL
    return ", which may be too little for its interpreter to start" if small else ""


def thrown_away(line: bytes, when: str) -> str:
    """A line that was no answer to anything."""
    shown = protocol.clean(line[:1024].decode("utf-8", "backslashreplace"))
    return f'thrown away, printed {when}: "{shown}"'


def _half_line(inbox: bytes) -> list[str]:
    if not inbox:
        return []
    return [f"{len(inbox)} bytes without a newline were there: does it end its line and flush?"]
