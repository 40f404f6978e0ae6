"""Every way to misbehave is a file in bad_bots/: each ends as promised, costs little, and leaves nothing behind."""

import gc
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from processes import descendants, kept_by_the_kernel, run_in, stays_in_the_kernel

from arena import roster, rulebook
from arena.clock import TimeControl
from arena.event import Event
from arena.match import Bot, Conditions, Limits, Match
from arena.play import play
from arena.sandbox.door import Door

SINS = Path(__file__).parent / "bad_bots"
START, MOVE = 2.0, 0.6  # seconds: enough for the harmless bot on a busy machine
HUNGRY = 10.0  # seconds for a move that ends when the memory does
BACKLOG = 16_000_000  # bytes on stderr
SLACK = 3.0  # seconds over the limits that a sin may cost: a guard against hangs, not a measurement


@dataclass(frozen=True)
class Promise:
    """How a sinner's match must end."""

    ending: str | None
    words: tuple[str, ...] = ()
    """Parts of the fault's words; with no ending, of the warnings."""
    waits: float = MOVE
    """Seconds that its fault may take to be seen, before SLACK."""
    move: float = MOVE
    forks: bool = False
    """It starts processes: confined it dies of trying; what else it does is seen at the level rlimits."""


NO_FAULT = None
PROMISES = {
    "answers_without_reading": Promise(NO_FAULT),
    "eats_memory_in_small_pieces": Promise("crashed", ("MemoryError",), HUNGRY, HUNGRY),
    "exits_after_ready": Promise("crashed", ("exit 0",)),
    "exits_in_the_shell": Promise("crashed", ("exit 7", "no idea")),
    "gives_up": Promise("crashed", ("exit 1", "I give up")),
    "holds_pipes_after_end": Promise(NO_FAULT, forks=True),
    "huge_remarks": Promise(NO_FAULT),
    "newline_flood": Promise("illegal_move", ('printed ""',), forks=True),
    "not_executable": Promise("crashed", ("could not be started", "Permission denied")),
    "notes_to_itself": Promise("crashed", ("Permission denied: 'note.txt'",)),
    "sleeps_after_answering": Promise("timeout", ("no answer",)),
    "throws": Promise("crashed", ("exit 1",)),
    "words_without_newline": Promise("crashed", ("exit 4", "last words")),
    "silent": Promise("timeout", ("no `ready` in 2000 ms",), START),
    "never_answers": Promise("timeout", ("no answer in 600 ms",)),
    "chatty_for_ever": Promise("timeout", ("no answer in 600 ms",)),
    "remark_flood": Promise("limit_exceeded", ("output: more than 4000000 bytes",)),
    "drips_without_newline": Promise("timeout", ("bytes without a newline were there",)),
    "drips_too_slowly": Promise("timeout", ("bytes without a newline were there",)),
    "line_of_100_mb": Promise("garbled", ("a line of more than 65536 bytes",)),
    "line_of_70000_bytes": Promise("garbled", ("a line of more than 65536 bytes",)),
    "floods_stderr": Promise(NO_FAULT),
    "never_reads_stdin": Promise("timeout", ("no answer in 600 ms", "ms of CPU")),
    "answers_twice": Promise(NO_FAULT, ("before it was asked",)),
    "answers_before_asked": Promise(NO_FAULT, ('thrown away, printed before `ready`: "move1 north"',)),
    "answers_and_exits": Promise("crashed", ("it ended before its answer: exit 0",)),
    "late_answer": Promise("timeout", ("no answer in 600 ms",)),
    "late_ready": Promise("timeout", ("no `ready`",), START),
    "wrong_ready": Promise("timeout", ("no `ready`",), START),
    "closes_stdout": Promise("crashed", ("it closed its output, still running",)),
    "closes_stdin": Promise("timeout", ("no answer",)),
    "exits_3_with_traceback": Promise("crashed", ("exit 3", "KeyError: 'the missing key'")),
    "exits_before_ready": Promise("crashed", ("exit 1", "no game today")),
    "syntax_error": Promise("crashed", ("exit 1", "SyntaxError")),
    "segfault": Promise("crashed", ("signal SIGSEGV",)),
    "invalid_utf8": Promise("garbled", ("move1 \\xff\\xfe", "not clean UTF-8")),
    "nul_bytes": Promise("garbled", ("\\x00",)),
    "line_separator": Promise("garbled", ("\\u2028",)),
    "illegal_move": Promise("illegal_move", ('printed "move: nrth"', "expected one of 5", "the nearest is")),
    "wrong_case": Promise("illegal_move", ('printed "MOVE1 NORTH"',)),
    "debug_print": Promise("illegal_move", ('printed "thinking about 5 moves"',)),
    "no_newline_then_exit": Promise("crashed", ("11 bytes without a newline were there",)),
    "no_newline_then_waits": Promise("timeout", ("11 bytes without a newline were there: does it end its line",)),
    "forks_grandchildren": Promise("timeout", ("no answer",), forks=True),
    "fork_crowd": Promise(NO_FAULT, forks=True),
    "daemon": Promise(NO_FAULT, forks=True),
    "ignores_sigterm": Promise(NO_FAULT),
    "stops_itself": Promise("timeout", ("no answer",)),
    "eats_memory": Promise("crashed", ("MemoryError",), HUNGRY, HUNGRY),
    "fills_scratch": Promise("limit_exceeded", ("scratch: more than 16 MB in its scratch folder",), HUNGRY, HUNGRY),
    "writes_a_large_file": Promise("crashed", ("File too large",), HUNGRY, HUNGRY),
    "dies_of_a_large_file": Promise("limit_exceeded", ("scratch: it wrote a file that is larger",), HUNGRY, HUNGRY),
    "eats_shared_memory": Promise("limit_exceeded", ("memory: more was resident than its 200 MB",), HUNGRY, HUNGRY),
    "thread_crowd": Promise("limit_exceeded", ("threads: more than 128 at once",), HUNGRY, HUNGRY),
    "stderr_without_end": Promise("limit_exceeded", ("stderr: more than 16 MB in a match",), HUNGRY, HUNGRY),
    "eats_cpu": Promise("timeout", ("ms of CPU",)),
    "eats_cpu_before_ready": Promise("limit_exceeded", ("cpu: it used more than the 1 seconds",), HUNGRY),
    "banner": Promise(NO_FAULT, ('printed before `ready`: "SuperBot 3000 (c)"',)),
    "lives_on_after_end": Promise(NO_FAULT),
    "carriage_returns": Promise(NO_FAULT),
    "hostile_words": Promise("garbled", ("\\x1b[2J",)),
    "writes_files": Promise("limit_exceeded", ("files: more than 1000 in its scratch folder",), HUNGRY),
    "stderr_garbage": Promise("crashed", ("\\x1b[31mred",)),
    "missing_program": Promise("crashed", ("could not be started", "no-such-program-anywhere")),
}
TIMED = {"eats_cpu_before_ready"}  # a second of CPU, which may take a busy machine a while


@pytest.fixture(scope="module")
def harmless(tmp_path_factory) -> Bot:
    path = tmp_path_factory.mktemp("harmless") / "harmless.py"
    path.write_text(
        "import sys\n"
        "legal = []\n"
        "for line in sys.stdin:\n"
        "    word, _, rest = line.rstrip('\\n').partition(' ')\n"
        "    if word == 'ready?': print('ready', flush=True)\n"
        "    elif word == 'turn': legal = []\n"
        "    elif word == 'legal': legal.append(rest)\n"
        "    elif word == 'go': print(legal[-1], flush=True)\n"
    )
    return roster.from_path(path)


@pytest.fixture(scope="module")
def door():
    with Door() as door:
        yield door


def match_of(sinner: Bot, harmless: Bot, sin: str) -> Match:
    """The sinner explores, so that it is the first to be asked; the maze is long enough for no quick end."""
    (board,) = rulebook.find("mummy_maze/duel")
    forks = sin in PROMISES and PROMISES[sin].forks
    conditions = Conditions(
        time=TimeControl(
            start=HUNGRY if sin in TIMED else START, move=PROMISES[sin].move if sin in PROMISES else MOVE, margin=0.0
        ),
        limits=Limits(
            memory=200_000_000, cpu=1.0 if sin in TIMED else 20.0, processes=None if forks else 1, stderr=BACKLOG
        ),
        sandbox="rlimits" if forks else "auto",
    )
    event = Event(name="t", seed=1, boards=(board,), bots=(sinner, harmless), conditions=conditions)
    return event.match(board, (sinner, harmless), 0)


def open_descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


def sins() -> set[str]:
    return {path.stem for path in SINS.iterdir() if path.suffix in roster.ENDINGS or (path / "bot.toml").exists()}


def test_every_sin_has_a_promise_and_every_promise_a_sin():
    assert sins() == set(PROMISES)
    assert len(PROMISES) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("sin", sorted(PROMISES))
def test_a_sin_ends_as_promised_and_leaves_nothing_behind(sin, harmless, door):
    promise = PROMISES[sin]
    path = next(path for path in SINS.iterdir() if path.stem == sin)
    if path.suffix == ".js" and shutil.which("node") is None:
        pytest.skip("node is not on this machine")
    match = match_of(roster.from_path(path), harmless, sin)
    play(match_of(harmless, harmless, ""), door=door)  # the door, the kit and the rules are there: what is left is ours
    gc.collect()  # descriptors that other tests dropped are not ours to count
    descriptors, objects = open_descriptors(), kept_by_the_kernel()
    begun = time.monotonic()
    record = play(match, door=door)
    cost = time.monotonic() - begun

    fault = next((fault for fault in record.verdict.faults), None)
    report = record.seats[0]
    assert (fault.ending.value if fault else None) == promise.ending, (fault, report)
    assert record.verdict.ending("mummy") is None
    if fault is not None:
        assert fault.role == "explorer"
        assert record.verdict.scores == {"explorer": 0, "mummy": 100}
    said = fault.words if fault else "\n".join(report.warnings)
    assert all(words in said for words in promise.words), said
    assert not any(ord(char) < 32 for char in said.replace("\n", ""))

    playing = sum(turn.wall for turn in record.turns) + sum(seat.ready or 0 for seat in record.seats)
    assert cost < playing + promise.waits + SLACK
    assert descendants(door._spawner.pid) == set()
    assert run_in(door.folder.path) == []  # nor in a session of its own
    assert open_descriptors() - descriptors == set()
    assert stays_in_the_kernel(objects) == set()
    assert list(door.folder.path.glob("room*")) == []
    assert all(entry.name.startswith(("kit", "bots", "cell")) for entry in door.folder.path.iterdir())
    assert [*door.folder.path.glob("cell*/scratch/*")] == []  # a cell that nobody touched serves the next bot


@pytest.mark.slow
@pytest.mark.parametrize("sin", sorted(sin for sin, promise in PROMISES.items() if promise.forks))
def test_a_confined_bot_that_forks_dies_of_trying(sin, harmless, door):
    """One at a time is what it is allowed, so that the system refuses the second process."""
    match = match_of(roster.from_path(SINS / f"{sin}.py"), harmless, "")
    record = play(match, door=door)
    (fault,) = record.verdict.faults
    assert fault.ending == "crashed"
    assert "Operation not permitted" in fault.words
    assert descendants(door._spawner.pid) == set()
