"""Advice for a bot's author: from a failure and the bot's own output to one sentence.

Pure. The tables are ordered, the most reliable sign first; new advice is a new line. Signs are the causes and figures
of a failure. Only the bot's own stderr is searched for patterns, never a message of arena.
"""

import re
from collections.abc import Callable, Collection, Iterable
from errno import EACCES, ENOENT, ENOEXEC, ENOTDIR
from signal import SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGSYS, SIGXCPU, Signals

from arena import system
from arena.clock import TimeUsed
from arena.failure import Cause, Failure
from arena.protocol import quoted
from arena.values import Ending, Fault, Record, SeatReport

SHOWN_MOVES = 6  # legal moves that a finding lists
IDLE = 0.2  # a bot that uses less than this share of the time only waits
NEAR_LIMIT = 0.75  # the part of a limit from which on a bot may have been stopped for it

EMPTY = "its file is empty: `arena new` makes a bot to start from"
FLUSH = "end every answer with a newline, and flush it: most languages hold lines back when stdout is a pipe"
DEBUG = "stdout is for answers only: print debug output to stderr, or begin the line with `# `"
TOO_LONG = "print one move and a newline: is there a newline at the end of each line?"
NOT_TEXT = "print plain text: UTF-8, without colours, escapes or NUL bytes"
NOT_LEGAL = "print one of the lines that came after `legal` since the last `turn`, without the word `legal`"
NEVER_RAN = (
    "type `arena check`, which says why: it never said `ready`, so that its matches were lost without being played"
)
SOME_LIMIT = "use less of what this sentence names: `arena docs endings` explains the limits"

Sign = Callable[[Failure, str], bool]
"""Returns whether a failure and the end of the bot's stderr show the problem that some advice is for."""


def _printed(pattern: str) -> Sign:
    compiled = re.compile(pattern)
    return lambda _, stderr: compiled.search(stderr) is not None


def _killed_by(*signals: int) -> Sign:
    return lambda failure, _: failure.exit_code is not None and -failure.exit_code in signals


_NO_MEMORY = _printed("MemoryError|out of memory|bad_alloc")
_NO_FORK = _printed("fork|Resource temporarily unavailable|BlockingIOError|Operation not permitted")
_NO_NETWORK = _printed(
    "gaierror|name resolution|getaddrinfo|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|URLError|ConnectionError"
    "|Network is unreachable"
)
_SOCKET = _printed(r"\bsocket\b")
_REFUSED = _printed("Operation not permitted|EPERM")
FORKS = {"fork", "vfork"}
CRASHES: tuple[tuple[Sign, str], ...] = (
    (lambda failure, _: failure.cause is Cause.OUTPUT_CLOSED, "keep stdout open until `end`: it is how a bot answers"),
    (lambda failure, _: failure.unfinished > 0, FLUSH),
    (
        _printed("TabError"),
        "it indents by tabs in some lines and by spaces in others: let your editor make all of them spaces",
    ),
    (
        _printed("no encoding declared"),
        "save the file as UTF-8, or name its encoding in the first line: # -*- coding: latin-1 -*-",
    ),
    (
        _printed("SyntaxError|IndentationError"),
        "the program is not valid Python here: run it by hand, and correct that line first",
    ),
    (
        _printed("ModuleNotFoundError|ImportError|Cannot find module"),
        "it imports a module that is missing: a bot has its language's library, `arena.kit` in Python, and its folder",
    ),
    (
        lambda failure, stderr: failure.short_of_memory or _NO_MEMORY(failure, stderr),
        "use less memory, or set a smaller heap in `command`",
    ),
    (
        lambda failure, stderr: (
            _NO_NETWORK(failure, stderr)
            or (("socket" in failure.refused_calls or _SOCKET(failure, stderr)) and _REFUSED(failure, stderr))
        ),
        "it uses the network, and a bot has none: hand in what it loads with the bot, and open that file",
    ),
    (
        _printed(
            r"(No such file or directory|ENOENT)\b.*['\"`](/(home|Users|content|mnt|media|root|kaggle)/|[A-Za-z]:[\\/])"
        ),
        "it opens a file of another computer: hand it in with the bot, and open it by its path in the bot's folder",
    ),
    (
        _printed("No such file or directory|ENOENT"),
        "it opens a file that is not there: hand it in with the bot; a path begins in the bot's folder",
    ),
    (_printed("File too large"), "write less: the scratch folder has room for a few megabytes"),
    (
        lambda failure, stderr: not FORKS.isdisjoint(failure.refused_calls) or _NO_FORK(failure, stderr),
        "arena refused something: a bot starts no other process (threads are free), has no network, no shared memory",
    ),
    (
        _printed("Permission denied|Read-only file system|EACCES|EROFS"),
        "it may read its own folder and its libraries only: put its files there; write into the folder $TMPDIR",
    ),
    (
        _killed_by(SIGSEGV, SIGBUS),
        "it reads or writes outside its memory: build with -g -fsanitize=address and run it by hand",
    ),
    (_killed_by(SIGXCPU), "compute less: its CPU time is limited"),
    (_killed_by(SIGKILL), "the system killed it, perhaps because memory ran out: use less memory"),
    (_killed_by(SIGFPE), "it divides by zero"),
    (_killed_by(SIGABRT), "it ended itself (abort, assert): look at its stderr"),
    (_killed_by(SIGSYS), "it made a system call that no bot may make: look at `arena docs confinement`"),
    (_printed("EOFError"), "exit when the input ends"),
    (lambda failure, _: failure.exit_code == 0, "it left by itself: read on until `end`, in a loop"),
    (
        lambda failure, _: failure.exit_code is not None and failure.exit_code > 0,
        "the program failed: the last lines of its stderr say where",
    ),
)
NO_PROGRAM = "look at `command`: is the program on this machine, and the file in the bot's folder?"
NOT_STARTED = {
    EACCES: "make the file executable: chmod +x",
    ENOENT: NO_PROGRAM,
    ENOTDIR: NO_PROGRAM,
    ENOEXEC: "the program was made for another machine: build it here, or begin a script with #!",
}
"""Advice by the error number of the system."""
LIMIT_ADVICE = {
    Cause.OUTPUT: "print one line to each question: is there a loop that prints for ever?",
    Cause.CPU: "compute less, also before `ready`: the limit is for the whole match",
    Cause.MEMORY: "use less memory, or set a smaller heap in `command`",
    Cause.THREADS: "start fewer threads; one for each core is enough",
    Cause.PROCESSES: "start fewer processes; for more of them, ask the organiser for `processes = N` in the bot's "
    "[[bot]] table in tournament.toml",
    Cause.SCRATCH: "write less into $TMPDIR",
    Cause.FILES: "make fewer files in $TMPDIR, and remove them",
    Cause.MODEL: "read the answer to a `model` line before the next one: its `error` says what is wrong",
    Cause.STDERR: "write less to stderr: only its end is kept anyway",
}


def of_failure(failure: Failure, stderr: str = "") -> str:
    """Return advice for a bot that could not be started, crashed, hit a limit, or printed too long a line."""
    if failure.cause is Cause.NOT_STARTED:
        return NOT_STARTED.get(failure.errno, "look at `command` in bot.toml")
    if failure.cause is Cause.LINE_TOO_LONG:
        return TOO_LONG
    if failure.cause in LIMIT_ADVICE:
        return LIMIT_ADVICE[failure.cause]
    return next((advice for sign, advice in CRASHES if sign(failure, stderr)), "look at its stderr")


def of_silence(
    failure: Failure, remarks: Iterable[str], *, ready: bool, late: float | None, discarded: Iterable[str]
) -> str:
    """Return advice for no answer in time.

    `late` is the time in seconds at which the answer came after all; `remarks` and `discarded` are lines that the bot
    printed instead.
    """
    answer = "`ready`" if ready else "the answer"
    if late is not None:
        return f"{answer} came after {late:.1f} s: be quicker, or answer with the best move so far before time runs out"
    if failure.unfinished:
        return FLUSH
    line = next(iter(discarded), None)
    if ready and line is not None:
        return f'print exactly `ready` and a newline: it printed "{line}" instead'
    if any(remarks):
        return "remarks (`# ...`) are no answer: print a move after them, once"
    spent = failure.spent
    if spent.cpu > (spent.wall - spent.excused(failure.threads)) * IDLE:
        return "it computes all the time: is there an endless loop, or a search that does not look at the clock?"
    question = "`ready?`" if ready else "`go ...`"
    computes = "" if system.LINUX else "computes, "  # its CPU time is not known there
    return (
        f"it said nothing: it {computes}sleeps, is stopped, does not read its input, or waits for more of it; "
        f"{question} is the last line until it answers"
    )


def of_illegal(line: str, legal: tuple[str, ...], earlier: Collection[str], after: Iterable[str]) -> str:
    """Return advice for a line that is not a legal move.

    `earlier` moves were legal in an earlier turn; `after` are the next lines that the bot printed.
    """
    if not line:
        return "it printed an empty line: print a move"
    if line.casefold() in {move.casefold() for move in legal}:
        return "case matters: print the move exactly as it stood after `legal`"
    if " ".join(line.split()) in legal:
        return "separate words by one space, exactly as after `legal`"
    if not set(legal).isdisjoint(after):
        return DEBUG
    if any(move in line for move in legal):
        return "print the move alone, exactly as it stood after `legal`"
    if line.startswith("ready"):
        return "`ready` answers `ready?` only: at `go` print a move"
    if line in earlier:
        return "this was legal in an earlier turn: forget the old `legal` lines at each `turn`"
    return NOT_LEGAL


def refusal(line: str, legal: tuple[str, ...]) -> str:
    """Return a sentence that names a refused line and the legal moves."""
    listed = ", ".join(f"`{move}`" for move in legal[:SHOWN_MOVES])
    more = f" and {len(legal) - SHOWN_MOVES} more" if len(legal) > SHOWN_MOVES else ""
    return f"printed {quoted(line)}, expected one of: {listed}{more}"


def of_record(record: Record, fault: Fault) -> str:
    """Return advice for a fault in a recorded match: by the figures of the record, and the bot's own stderr.

    A record has fewer signs than a checkup: neither the refused line nor the time of the answer that never came.
    """
    seat = next(seat for seat in record.seats if seat.role == fault.role)
    limits, move_s = record.match.conditions.limits, record.match.conditions.time.move
    if seat.ready is None and not seat.exit:
        return NEVER_RAN
    match fault.ending:
        case Ending.ILLEGAL_MOVE:
            return NOT_LEGAL
        case Ending.GARBLED:
            return f"{NOT_TEXT}; {TOO_LONG}"
        case Ending.TIMEOUT:
            # The CPU time that is in no answer is that of its start and of the answer that never came.
            cpu = max(0.0, seat.cpu - sum(turn.cpu for turn in record.turns if turn.role == fault.role))
            wall = move_s or cpu
            failure = Failure(cause=Cause.NO_ANSWER, words=fault.words, spent=TimeUsed(wall=wall, cpu=cpu))
            return of_silence(failure, (), ready=fault.turn == 0, late=None, discarded=())
        case Ending.LIMIT_EXCEEDED:
            if limits.memory is not None and seat.memory >= limits.memory * NEAR_LIMIT:
                return LIMIT_ADVICE[Cause.MEMORY]
            if limits.cpu is not None and seat.cpu >= limits.cpu * NEAR_LIMIT:
                return LIMIT_ADVICE[Cause.CPU]
            return SOME_LIMIT
        case Ending.CRASHED:
            failure = Failure(
                cause=Cause.OUTPUT_CLOSED if seat.killed else Cause.ENDED,
                words=fault.words,
                exit_code=None if seat.killed else _exit_code(seat),
                short_of_memory=limits.memory is not None and seat.memory >= limits.memory * NEAR_LIMIT,
            )
            return of_failure(failure, seat.stderr)


def _exit_code(seat: SeatReport) -> int | None:
    """Return the exit code of a seat's process, or minus the number of the signal; None if it has none."""
    kind, _, value = seat.exit.partition(" ")
    if kind == "exit" and value.isdecimal():
        return int(value)
    if kind == "signal":
        return -Signals[value].value if value in Signals.__members__ else -int(value) if value.isdecimal() else None
    return None
