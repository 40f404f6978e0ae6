"""The table of bad_bots/: the ending of each sinner's match, and the finding of `arena check`."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena import extensions
from arena.event.discovery import programs

FOLDER = Path(__file__).parents[1] / "bad_bots"
START_S, MOVE_S = 2.0, 0.6
"""The times of a match whose sinner is never ready, or ready too late; and of any move."""
PLENTY_S = 10.0
"""A time so long that a busy machine changes nothing."""
SOON_S = 0.2
"""The time in a checkup of a bot that makes no move, or never gets ready."""
PRELOAD = ("dataclasses", "hashlib", "importlib.util", "pathlib", "tomllib", "typing")
"""The slowest imports of the kit: the spawner makes them once, instead of every sinner."""
NO_FAULT = None
STARVED = ("exit 1", "its memory peaked at ", "its limit is 200 MB")
"""Parts of our own sentence: CPython 3.13 prints no MemoryError when no memory is left to print it
with."""
NO_PROCESS = "a bot starts no other process"
WAITS = "does not read its input, or waits for another line"
UNENDED = "end every answer with a newline, and flush"


@dataclass(frozen=True)
class Sin:
    """The promises for a file of bad_bots/."""

    ending: str | None
    """The ending of its match."""
    words: tuple[str, ...]
    """Parts of the sentence of its fault; without an ending, parts of the warnings."""
    finding: str
    """Part of the output of `arena check`."""
    sound: bool = False
    """True when the finding is advice only."""
    start: float = PLENTY_S
    """Longer than any bot takes that does start, on a machine however busy."""
    move: float = PLENTY_S
    """So long that only a fault of time is one of time, on a machine however busy."""
    waits: float = MOVE_S
    """Seconds within which a match must notice its fault."""
    cpu: float = 20.0
    """Seconds of CPU that it may use, in a match and in a checkup."""
    forks: bool = False
    """True when it starts processes. Confined it dies of the attempt; at the level rlimits its
    other sins show."""
    check_start: float = PLENTY_S
    check_move: float = PLENTY_S


SINS = {
    "answers_and_exits": Sin(
        "crashed", ("it ended before its answer: exit 0",), "left by itself: read on until `end`"
    ),
    "answers_before_asked": Sin(
        NO_FAULT,
        ('thrown away, printed before `ready`: "move1 north"',),
        'printed before `ready`: "move1 north"',
        sound=True,
    ),
    "answers_twice": Sin(
        NO_FAULT, ("before it was asked",), "print one line to each `go`", sound=True
    ),
    "answers_without_reading": Sin(
        NO_FAULT, (), "answered before the whole question was there", sound=True
    ),
    "banner": Sin(
        NO_FAULT,
        ('printed before `ready`: "SuperBot 3000 (c)"',),
        '"SuperBot 3000 (c)"',
        sound=True,
    ),
    "carriage_returns": Sin(NO_FAULT, (), "its lines end with CR LF", sound=True),
    "chatty_for_ever": Sin(
        "timeout",
        ("no answer in 600 ms",),
        "remarks (`# ...`) are no answer",
        check_move=SOON_S,
        move=MOVE_S,
    ),
    "closes_stdin": Sin(
        "timeout", ("no answer",), "closed its own input", check_move=SOON_S, move=MOVE_S
    ),
    "closes_stdout": Sin("crashed", ("it closed its output, still running",), "keep stdout open"),
    "daemon": Sin(NO_FAULT, (), NO_PROCESS, forks=True),
    "debug_print": Sin(
        "illegal_move", ('printed "thinking about 5 moves"',), "begin the line with `# `"
    ),
    "dies_of_a_large_file": Sin(
        "limit_exceeded",
        ("scratch: it wrote a file that is larger",),
        "write less into $TMPDIR",
        waits=PLENTY_S,
    ),
    "drips_too_slowly": Sin(
        "timeout", ("bytes without a newline were there",), UNENDED, check_move=SOON_S, move=MOVE_S
    ),
    "drips_without_newline": Sin(
        "timeout", ("bytes without a newline were there",), UNENDED, check_move=SOON_S, move=MOVE_S
    ),
    "eats_cpu": Sin(
        "timeout", ("ms of CPU",), "it computes all the time", move=SOON_S, check_move=SOON_S
    ),
    "eats_cpu_before_ready": Sin(
        "limit_exceeded",
        ("cpu: it used more than the 0.3 seconds",),
        "compute less",
        waits=PLENTY_S,
        cpu=0.3,
    ),
    "eats_memory": Sin("crashed", STARVED, "use less memory", waits=PLENTY_S),
    "eats_memory_in_small_pieces": Sin("crashed", STARVED, "use less memory", waits=PLENTY_S),
    "eats_shared_memory": Sin(
        "crashed", ("Operation not permitted",), "no network, no shared memory", waits=PLENTY_S
    ),
    "exits_3_with_traceback": Sin(
        "crashed", ("exit 3", "KeyError: 'the missing key'"), "KeyError: 'the missing key'"
    ),
    "exits_after_ready": Sin("crashed", ("exit 0",), "left by itself: read on until `end`"),
    "exits_before_ready": Sin("crashed", ("exit 1", "no game today"), "no game today"),
    "exits_in_the_shell": Sin(
        "crashed", ("exit 7", "no idea"), "exit 7; its last stderr line: no idea"
    ),
    "fills_scratch": Sin(
        "limit_exceeded",
        ("scratch: more than 16 MB in its scratch folder",),
        "write less into $TMPDIR",
        waits=PLENTY_S,
    ),
    "floods_stderr": Sin(NO_FAULT, (), "write less to stderr", sound=True),
    "fork_crowd": Sin(NO_FAULT, (), NO_PROCESS, forks=True),
    "forks_grandchildren": Sin("timeout", ("no answer",), NO_PROCESS, forks=True, move=MOVE_S),
    "gives_up": Sin("crashed", ("exit 1", "I give up"), "I give up"),
    "holds_pipes_after_end": Sin(NO_FAULT, (), NO_PROCESS, forks=True),
    "hostile_words": Sin("garbled", ("\\x1b[2J",), "without colours, escapes"),
    "huge_remarks": Sin(NO_FAULT, (), "its remarks are cut", sound=True),
    "ignores_sigterm": Sin(NO_FAULT, (), "it is still there 1 s after `end`", sound=True),
    "illegal_move": Sin(
        "illegal_move",
        ('printed "move: nrth"', "expected one of 5", "the nearest is"),
        'printed "move: nrth", expected one of: `move1 north`',
    ),
    "invalid_utf8": Sin(
        "garbled", ("move1 \\xff\\xfe", "not clean UTF-8"), "print plain text: UTF-8"
    ),
    "late_answer": Sin(
        "timeout",
        ("no answer in 600 ms",),
        "the answer came after ",
        check_move=MOVE_S,
        move=MOVE_S,
    ),
    "late_ready": Sin(
        "timeout",
        ("no `ready`",),
        "`ready` came after ",
        start=START_S,
        waits=START_S,
        check_start=1.5,
    ),
    "line_of_100_mb": Sin(
        "garbled",
        ("a line of more than 65536 bytes",),
        "is there a newline at the end of each line?",
    ),
    "line_of_70000_bytes": Sin(
        "garbled",
        ("a line of more than 65536 bytes",),
        "is there a newline at the end of each line?",
    ),
    "line_separator": Sin("garbled", ("\\u2028",), "\\u2028"),
    "lives_on_after_end": Sin(NO_FAULT, (), "it is still there 1 s after `end`", sound=True),
    "missing_program": Sin(
        "crashed",
        ("could not be started", "no-such-program-anywhere"),
        "no-such-program-anywhere is not on this machine",
    ),
    "never_answers": Sin(
        "timeout", ("no answer in 600 ms",), WAITS, check_move=SOON_S, move=MOVE_S
    ),
    "never_reads_stdin": Sin(
        "timeout", ("no answer in 600 ms", "ms of CPU"), WAITS, check_move=SOON_S, move=MOVE_S
    ),
    "newline_flood": Sin("illegal_move", ('printed ""',), NO_PROCESS, forks=True),
    "no_newline_then_exit": Sin(
        "crashed", ("11 bytes without a newline were there",), "11 bytes without a newline"
    ),
    "no_newline_then_waits": Sin(
        "timeout",
        ("11 bytes without a newline were there: does it end its line",),
        "11 bytes without a newline",
        check_move=SOON_S,
        move=MOVE_S,
    ),
    "not_executable": Sin("crashed", ("could not be started", "Permission denied"), "chmod +x"),
    "notes_to_itself": Sin(
        "crashed", ("Permission denied: 'note.txt'",), "write into the folder $TMPDIR"
    ),
    "nul_bytes": Sin("garbled", ("\\x00",), "NUL bytes"),
    "remark_flood": Sin(
        "limit_exceeded", ("output: more than 4000000 bytes",), "a loop that prints for ever"
    ),
    "segfault": Sin("crashed", ("signal SIGSEGV",), "outside its memory"),
    "silent": Sin(
        "timeout",
        ("no `ready` in 2000 ms",),
        WAITS,
        start=START_S,
        waits=START_S,
        check_start=SOON_S,
    ),
    "sleeps_after_answering": Sin("timeout", ("no answer",), WAITS, check_move=SOON_S, move=MOVE_S),
    "stderr_garbage": Sin("crashed", ("\\x1b[31mred",), "\\x1b[31mred"),
    "stderr_without_end": Sin(
        "limit_exceeded",
        ("stderr: more than 16 MB in a match",),
        "write less to stderr",
        waits=PLENTY_S,
    ),
    "stops_itself": Sin("crashed", ("Operation not permitted",), "arena refused something"),
    "syntax_error": Sin("crashed", ("exit 1", "SyntaxError"), "not valid Python"),
    "thread_crowd": Sin(
        "limit_exceeded", ("threads: more than 128 at once",), "start fewer threads", waits=PLENTY_S
    ),
    "throws": Sin("crashed", ("exit 1",), "Error: not in JavaScript either"),
    "words_without_newline": Sin(
        "crashed", ("exit 4", "last words"), "exit 4; its last stderr line: last words"
    ),
    "writes_a_large_file": Sin("crashed", ("File too large",), "write less", waits=PLENTY_S),
    "writes_files": Sin(
        "limit_exceeded",
        ("files: more than 1000 in its scratch folder",),
        "make fewer files",
        waits=PLENTY_S,
    ),
    "wrong_case": Sin("illegal_move", ('printed "MOVE1 NORTH"',), "case matters"),
    "wrong_ready": Sin(
        "timeout",
        ("no `ready`",),
        'print exactly `ready` and a newline: it printed "Ready"',
        start=START_S,
        waits=START_S,
        check_start=0.8,
    ),
}
OF_EXTRAS = {"model_flood": "models"}
"""Sins that only an extra knows to be such."""
if "models" in extensions.extras():
    SINS["model_flood"] = Sin(
        "limit_exceeded",
        ("model: more than 20 requests in one turn",),
        "its `error` says what is wrong",
    )


def on_disk() -> set[str]:
    """Return the names of the bots in the folder."""
    names = {
        path.stem
        for path in FOLDER.iterdir()
        if path.suffix in programs.ENDINGS or (path / "bot.toml").exists()
    }
    return {name for name in names if OF_EXTRAS.get(name) in {None, *extensions.extras()}}


def path_of(name: str) -> Path:
    """Return the file or folder of a sin; skip the test where its language is not on this
    machine.
    """
    path = next(path for path in FOLDER.iterdir() if path.stem == name)
    if path.suffix == ".js" and shutil.which("node") is None:
        pytest.skip("node is not on this machine")
    return path
