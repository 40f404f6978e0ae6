"""What to do about it: from what was seen of a failing bot to a sentence for its author.

Pure. Ordered tables, the most telling sign first; a new cure is a line.
"""

import re
from collections.abc import Iterable

from arena.match import Ending
from arena.protocol import clean

SHOWN = 6
"""Legal moves that a finding lists."""
IDLE = 0.2
"""Share of the time that a bot which only waits does not use."""

FLUSH = "end every answer with a newline, and flush it: a pipe is not a terminal, most languages keep lines back"
DEBUG = "stdout is for answers only: print what you want to know to stderr, or begin the line with `# `"
STARTING: tuple[tuple[str, str], ...] = (
    (r"Permission denied|not executable", "make the file executable: chmod +x"),
    (r"No such file|not found", "look at `command`: is the program on this machine, and the file in the bot's folder?"),
    (r"Exec format error", "the program was made for another machine: build it here, or begin a script with #!"),
    ("", "look at `command` in bot.toml"),
)
CRASHES: tuple[tuple[str, str], ...] = (
    (r"it closed its output", "keep stdout open until `end`: it is how a bot answers"),
    (r"bytes without a newline", FLUSH),
    (r"SyntaxError|IndentationError", "the program is not valid Python here: run it by hand, and mend that line first"),
    (
        r"ModuleNotFoundError|ImportError|Cannot find module",
        "what it imports is not there: a bot has its language's own library, `arena.kit` in Python, and its folder",
    ),
    (r"memory peaked|MemoryError|out of memory|bad_alloc", "use less memory, or set a smaller heap in `command`"),
    (r"File too large", "write less: the scratch folder has room for a few megabytes"),
    (
        r"fork|Resource temporarily unavailable|BlockingIOError|Operation not permitted",
        "the system refused it something: a bot starts no other process (threads are free), and has no network",
    ),
    (
        r"Permission denied|Read-only file system|EACCES|EROFS",
        "its own folder can only be read, and other places not even that: write into the folder $TMPDIR",
    ),
    (r"SIGSEGV|SIGBUS", "it reads or writes outside its memory: build with -g -fsanitize=address and run it by hand"),
    (r"SIGXCPU", "compute less: its CPU time is limited"),
    (r"SIGKILL", "the system ended it, perhaps for want of memory: use less"),
    (r"SIGFPE", "it divides by zero"),
    (r"SIGABRT", "it gave up by itself (abort, assert): look at its stderr"),
    (r"SIGSYS", "it asked the system for something that no bot may do: look at docs/confinement.md"),
    (r"EOFError", "leave when the input ends"),
    (r"exit 0", "it left by itself: read on until `end`, in a loop"),
    (r"exit", "it failed by itself: its last words on stderr say where"),
    ("", "look at its stderr"),
)
LIMITS: tuple[tuple[str, str], ...] = (
    (r"^output", "print one line to each question: is there a loop that prints for ever?"),
    (r"^cpu", "compute less, also before `ready`: the limit is for the whole match"),
    (r"^memory", "use less memory, or set a smaller heap in `command`"),
    (r"^threads", "start fewer threads; one a core is plenty"),
    (r"^processes", "a bot is one process: start no other"),
    (r"^scratch", "write less into $TMPDIR"),
    (r"^files", "make fewer files in $TMPDIR, and remove them"),
    (r"^stderr", "write less to stderr: only its end is kept anyway"),
    ("", "use less"),
)
TABLES = {Ending.CRASHED: CRASHES, Ending.LIMIT_EXCEEDED: LIMITS}


def of_failure(ending: Ending, words: str, stderr: str = "") -> str:
    """The cure for a bot that crashed or hit a limit; `words` are what arena says of it."""
    table = STARTING if "could not be started" in words else TABLES[ending]
    return next(cure for sign, cure in table if re.search(sign, words) or (sign and re.search(sign, stderr)))


def of_silence(words: str, remarks: Iterable[str], *, ready: bool, late: float | None, thrown: Iterable[str]) -> str:
    """The cure for no answer in time.

    `late` is when it came after all, in seconds; `remarks` and `thrown` are what it said instead.
    """
    wanted = "`ready`" if ready else "the answer"
    if late is not None:
        return f"{wanted} came after {late:.1f} s: be quicker, or answer with what you have before the time is over"
    if "bytes without a newline" in words:
        return FLUSH
    said = next(iter(thrown), None)
    if ready and said is not None:
        return f"print exactly `ready` and a newline: it printed {said} instead"
    if any(remarks):
        return "remarks (`# ...`) are no answer: print a move after them, once"
    passed, used = (int(figure) for figure in re.findall(r"(\d+) ms (?:passed|of CPU)", words))
    if used > passed * IDLE:
        return "it computes all the time: is there an endless loop, or a search that does not look at the clock?"
    question = "`ready?`" if ready else "`go ...`"
    return (
        f"it said nothing: it sleeps, is stopped, does not read its input, or waits for more of it; {question} "
        "is the last line until it answers"
    )


def of_garbled(words: str) -> str:
    """The cure for a line that is no clean text."""
    if "a line of more than" in words:
        return "print one move and a newline: is there a newline at the end of each line?"
    return "print plain text: UTF-8, without colours, escapes or NUL bytes"


def of_illegal(said: str, legal: tuple[str, ...], earlier: Iterable[str], after: Iterable[str]) -> str:
    """The cure for a line that is not a legal move.

    `earlier` were legal in an earlier turn; `after` are the lines that it printed next.
    """
    if not said:
        return "it printed an empty line: print a move"
    if said.casefold() in {move.casefold() for move in legal}:
        return "case matters: print the move exactly as it stood after `legal`"
    if " ".join(said.split()) in legal:
        return "separate words by one space, exactly as after `legal`"
    if any(line in legal for line in after):
        return DEBUG
    if any(move in said for move in legal):
        return "print the move alone, exactly as it stood after `legal`"
    if said.startswith("ready"):
        return "`ready` answers `ready?` only: at `go` print a move"
    if said in earlier:
        return "this was legal in an earlier turn: forget the old `legal` lines at each `turn`"
    return "print one of the lines that came after `legal` since the last `turn`, without the word `legal`"


def refusal(said: str, legal: tuple[str, ...]) -> str:
    """What came and what was expected."""
    listed = ", ".join(f"`{move}`" for move in legal[:SHOWN])
    more = f" and {len(legal) - SHOWN} more" if len(legal) > SHOWN else ""
    return f'printed "{clean(said)}", expected one of: {listed}{more}'
