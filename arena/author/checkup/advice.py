"""Advice for the author of a bot: from a failure and the bot's own output to one sentence.

It goes by the causes and figures of a failure, never by a message of arena. crashes.py has the rows
for a bot that crashed, and bot_files.py reads the bot's files for it.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from signal import Signals

from arena import system
from arena.author.checkup import crashes
from arena.author.checkup.bot_files import NO_FILES, BotFiles
from arena.author.checkup.crashes import FAILED, FLUSH, LESS_MEMORY
from arena.clock import TimeUsed
from arena.failure import Cause, Failure
from arena.match.bot.program_file import script_fault
from arena.protocol import quoted
from arena.values import Ending, Fault, Record, SeatReport

SHOWN_MOVES = 6  # legal moves that a finding lists
IDLE = 0.2  # a bot that uses less than this share of the time only waits
NEAR_LIMIT = 0.75  # the part of a limit from which on a bot may have been stopped for it

EMPTY = "its file is empty: `arena new` makes a bot to start from"
DEBUG = "stdout is for answers only: print debug output to stderr, or begin the line with `# `"
TOO_LONG = "print one move and a newline: is there a newline at the end of each line?"
NOT_TEXT = "print plain text: UTF-8, without colours, escapes, NUL bytes or a byte order mark"
NOT_LEGAL = (
    "print one of the lines that came after `legal` since the last `turn`, without the word `legal`"
)
NEVER_RAN = (
    "type `arena check`, which says why: it never said `ready`, so that its matches were lost "
    "without being played"
)
GO_ALONE = (
    f"{FAILED}. This event limits no answer, so `go` stands alone: does the bot read a number "
    "after it?"
)
NOT_STARTED = "look at `command`: is it the program that starts the bot?"
SOME_LIMIT = "use less of what this sentence names: `arena docs endings` explains the limits"

LIMIT_ADVICE = {
    Cause.OUTPUT: "print one line to each question: is there a loop that prints for ever?",
    Cause.CPU: "compute less, also before `ready`: the limit is for the whole match",
    Cause.MEMORY: LESS_MEMORY,
    Cause.THREADS: "start fewer threads; one for each core is enough",
    Cause.PROCESSES: (
        "start fewer processes; for more of them, ask the organiser for `processes = N` in the "
        "bot's [[bot]] table in tournament.toml"
    ),
    Cause.SCRATCH: "write less into $TMPDIR",
    Cause.FILES: "make fewer files in $TMPDIR, and remove them",
    Cause.MODEL: (
        "read the answer to a `model` line before the next one: its `error` says what is wrong"
    ),
    Cause.STDERR: "write less to stderr: only its end is kept anyway",
}


def of_failure(
    failure: Failure,
    stderr: str = "",
    files: BotFiles = NO_FILES,
) -> str:
    """Return advice for any failure except silence and an illegal move."""
    if failure.cause is Cause.NOT_STARTED:
        return failure.cure or NOT_STARTED
    if failure.cause is Cause.LINE_TOO_LONG:
        return TOO_LONG
    if failure.cause in LIMIT_ADVICE:
        return LIMIT_ADVICE[failure.cause]
    return crashes.advice(failure, stderr, files)


def of_silence(
    failure: Failure,
    remarks: Iterable[str],
    *,
    ready: bool,
    late: float | None,
    discarded: Iterable[str],
    stderr: str = "",
    expected: Collection[str] = ("ready",),
    files: BotFiles = NO_FILES,
) -> str:
    """Return advice for no answer in time.

    `late` is the time in seconds at which the answer came after all; `remarks` and `discarded` are
    lines that the bot printed instead; `expected` are the answers that would have been right.
    """
    answer = "the answer"
    if ready:
        answer = "`ready`"
    if late is not None:
        return (
            f"{answer} came after {late:.1f} s: be quicker, or answer with the best move so far "
            "before time runs out"
        )
    if failure.is_utf16:
        return NOT_TEXT
    if failure.unfinished:
        return FLUSH
    line = next(iter(discarded), None)
    if ready and line is not None:
        return f'print exactly `ready` and a newline: it printed "{line}" instead'
    if any(remarks):
        expected_line = "a move"
        if ready:
            expected_line = "`ready`"
        return f"remarks (`# ...`) are no answer: print {expected_line} after them, once"
    script = script_fault(files.bot) if files.bot else None
    if script is not None:
        return f"{script.words}: {script.cure}"
    spent = failure.spent
    charged_s = spent.wall - spent.excused(failure.threads)
    if spent.cpu > charged_s * IDLE:
        return (
            "it computes all the time: is there an endless loop, or a search that does not look "
            "at the clock?"
        )
    last_line = stderr.strip().rpartition("\n")[2].strip()
    if last_line and last_line in expected:
        return f"it printed {answer} to stderr: print answers to stdout"
    cause = _cause_of_silence(files)
    if cause:
        return cause
    computes = ""
    if not system.LINUX:  # its CPU time is not known there
        computes = "computes, "
    holds_back = ""
    if not files.flushes_itself:
        holds_back = "holds its lines back (flush each line), "
    question = "`go ...`"
    if ready:
        question = "`ready?`"
    return (
        f"it said nothing; it must answer as soon as it reads the line {question}. Perhaps it "
        f"{computes}sleeps, is stopped, {holds_back}does not read its input, or waits for another "
        "line: no other line comes before its answer"
    )


def _cause_of_silence(files: BotFiles) -> str:
    """Return advice for a silent bot if its program shows the cause; otherwise an empty text."""
    if files.reads_all:
        return f"{files.reads_all}, which waits for the end of the input: read one line at a time"
    if files.never_flushes:
        return (
            "its source never flushes, and its language holds lines back for a pipe: "
            f"{files.never_flushes}"
        )
    return ""


def of_illegal(
    line: str,
    legal: tuple[str, ...],
    earlier: Collection[str],
    after: Iterable[str],
) -> str:
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
    if len(legal) > SHOWN_MOVES:
        listed += f" and {len(legal) - SHOWN_MOVES} more"
    return f"printed {quoted(line)}, expected one of: {listed}"


def of_record(record: Record, fault: Fault) -> str:
    """Return advice for a fault in a recorded match.

    It goes by the figures of the record, and by the stderr of the bot.

    A record has fewer signs than a checkup: neither the refused line nor the time of the answer
    that never came.
    """
    seat = next(seat for seat in record.seats if seat.role == fault.role)
    limits = record.match.conditions.limits
    move_s = record.match.conditions.time.move
    short_of_memory = limits.memory is not None and seat.memory >= limits.memory * NEAR_LIMIT
    if seat.ready is None and not seat.exit:
        return NEVER_RAN
    match fault.ending:
        case Ending.ILLEGAL_MOVE:
            return NOT_LEGAL
        case Ending.GARBLED:
            return f"{NOT_TEXT}; {TOO_LONG}"
        case Ending.TIMEOUT:
            # The CPU time that is in no answer is that of its start and of the answer that never
            # came.
            turns = [turn for turn in record.turns if turn.role == fault.role]
            answers_cpu = sum(turn.cpu for turn in turns)
            cpu = max(0.0, seat.cpu - answers_cpu)
            spent = TimeUsed(wall=move_s or cpu, cpu=cpu)
            failure = Failure(
                cause=Cause.NO_ANSWER,
                words=fault.words,
                spent=spent,
            )
            return of_silence(
                failure,
                (),
                ready=fault.turn == 0,
                late=None,
                discarded=(),
            )
        case Ending.LIMIT_EXCEEDED:
            if short_of_memory:
                return LIMIT_ADVICE[Cause.MEMORY]
            if limits.cpu is not None and seat.cpu >= limits.cpu * NEAR_LIMIT:
                return LIMIT_ADVICE[Cause.CPU]
            return SOME_LIMIT
        case Ending.CRASHED:
            failure = Failure(
                cause=Cause.ENDED,
                words=fault.words,
                exit_code=_exit_code(seat),
                short_of_memory=short_of_memory,
            )
            if seat.killed:
                failure = replace(failure, cause=Cause.OUTPUT_CLOSED, exit_code=None)
            return of_failure(failure, seat.stderr)


def _exit_code(seat: SeatReport) -> int | None:
    """Return the exit code of a seat's process; minus the number of a signal; None for neither."""
    kind, _, value = seat.exit.partition(" ")
    if kind == "exit" and value.isdecimal():
        return int(value)
    if kind == "signal" and value in Signals.__members__:
        return -Signals[value].value
    if kind == "signal" and value.isdecimal():
        return -int(value)
    return None
