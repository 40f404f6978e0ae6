"""`arena check`: each sin is named in words with its cure, and a sound bot is told that it is."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import cup
import pytest

from arena import roster, rulebook
from arena.checkup import Checkup, Sitting, Weight, _tight, checkup, cures, twists
from arena.checkup.finding import Finding, gathered
from arena.clock import TimeControl
from arena.match import Bot, Conditions, Ending, Limits, SeatReport
from arena.sandbox import levels
from arena.sandbox.door import Door

HERE = Path(__file__).parent
SINS = HERE / "bad_bots"
NO_PROCESS = "a bot starts no other process"
WAITS = "does not read its input, or waits for more of it"
FAULTS = {
    "answers_and_exits": "left by itself: read on until `end`",
    "answers_without_reading": "answered before the whole question was there",
    "chatty_for_ever": "remarks (`# ...`) are no answer",
    "closes_stdin": "closed its own input",
    "closes_stdout": "keep stdout open",
    "daemon": NO_PROCESS,
    "debug_print": "begin the line with `# `",
    "dies_of_a_large_file": "write less into $TMPDIR",
    "drips_too_slowly": "end every answer with a newline, and flush",
    "drips_without_newline": "end every answer with a newline, and flush",
    "eats_cpu": "it computes all the time",
    "eats_cpu_before_ready": "compute less",
    "eats_memory": "use less memory",
    "eats_memory_in_small_pieces": "use less memory",
    "eats_shared_memory": "use less memory",
    "exits_3_with_traceback": "KeyError: 'the missing key'",
    "exits_after_ready": "left by itself: read on until `end`",
    "exits_before_ready": "no game today",
    "exits_in_the_shell": "exit 7; its last stderr line: no idea",
    "fills_scratch": "write less into $TMPDIR",
    "fork_crowd": NO_PROCESS,
    "forks_grandchildren": NO_PROCESS,
    "gives_up": "I give up",
    "holds_pipes_after_end": NO_PROCESS,
    "hostile_words": "without colours, escapes",
    "illegal_move": 'printed "move: nrth", expected one of: `move1 north`',
    "invalid_utf8": "print plain text: UTF-8",
    "late_answer": "the answer came after 1.",
    "late_ready": "`ready` came after 3.",
    "line_of_100_mb": "is there a newline at the end of each line?",
    "line_of_70000_bytes": "is there a newline at the end of each line?",
    "line_separator": "\\u2028",
    "missing_program": "is the program on this machine",
    "never_answers": WAITS,
    "never_reads_stdin": WAITS,
    "newline_flood": NO_PROCESS,
    "no_newline_then_exit": "11 bytes without a newline",
    "no_newline_then_waits": "11 bytes without a newline",
    "not_executable": "chmod +x",
    "notes_to_itself": "write into the folder $TMPDIR",
    "nul_bytes": "NUL bytes",
    "remark_flood": "a loop that prints for ever",
    "segfault": "outside its memory",
    "silent": WAITS,
    "sleeps_after_answering": WAITS,
    "stderr_garbage": "\\x1b[31mred",
    "stderr_without_end": "write less to stderr",
    "stops_itself": "is stopped",
    "syntax_error": "not valid Python",
    "thread_crowd": "start fewer threads",
    "throws": "Error: not in JavaScript either",
    "words_without_newline": "exit 4; its last stderr line: last words",
    "writes_a_large_file": "write less",
    "writes_files": "make fewer files",
    "wrong_case": "case matters",
    "wrong_ready": 'print exactly `ready` and a newline: it printed "Ready"',
}
ADVICE = {
    "answers_before_asked": 'printed before `ready`: "move1 north"',
    "answers_twice": "print one line to each `go`",
    "banner": '"SuperBot 3000 (c)"',
    "carriage_returns": "its lines end with CR LF",
    "floods_stderr": "write less to stderr",
    "huge_remarks": "its remarks are cut",
    "ignores_sigterm": "it is still there 1 s after `end`",
    "lives_on_after_end": "it is still there 1 s after `end`",
}
NOT_READY = {"silent": 0.8, "wrong_ready": 0.8, "late_ready": 1.5}
"""Seconds to say `ready` for those that don't; the others have plenty, so that a busy machine changes nothing."""
NO_ANSWER = {
    *("chatty_for_ever", "closes_stdin", "drips_too_slowly", "drips_without_newline", "eats_cpu", "late_answer"),
    *("never_answers", "never_reads_stdin", "no_newline_then_waits", "sleeps_after_answering", "stops_itself"),
}
SOON = 0.5  # seconds for a move of those that make none


@pytest.fixture(scope="module")
def door():
    with Door() as door:
        yield door


def examined(path, door, *, start=10.0, move=10.0, cpu=20.0, boards="mummy_maze/duel", roles=()):
    """A checkup at a board, with limits that suit the test."""
    bot = replace(roster.from_path(path), roles=roles)
    conditions = Conditions(
        time=TimeControl(start=start, move=move, margin=0.0),
        limits=Limits(memory=200_000_000, cpu=cpu, stderr=16_000_000),
        sandbox=levels.choose("auto", unsafe=False),
    )
    return checkup(bot, rulebook.find(boards), conditions, door)


def told(found) -> str:
    return "\n".join(" ".join((one.words, *one.log, one.cure)) for one in found.findings)


def sin_named(name: str) -> Path:
    path = next(path for path in SINS.iterdir() if path.stem == name)
    if path.suffix == ".js" and shutil.which("node") is None:
        pytest.skip("node is not on this machine")
    return path


def test_every_sin_has_a_finding():
    sins = {path.stem for path in SINS.iterdir() if path.suffix in roster.ENDINGS or (path / "bot.toml").exists()}
    assert sins == {*FAULTS, *ADVICE}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_sin_that_loses_matches_is_named_with_its_cure(name, door):
    start, move = NOT_READY.get(name, 10.0), SOON if name in NO_ANSWER else 10.0
    cpu = 1.0 if name == "eats_cpu_before_ready" else 20.0
    found = examined(sin_named(name), door, start=start, move=move, cpu=cpu, roles=("explorer",))
    assert not found.sound
    assert FAULTS[name] in told(found)
    assert not any(ord(char) < 32 for char in told(found).replace("\n", ""))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ADVICE))
def test_a_sin_that_loses_nothing_is_named_all_the_same(name, door):
    found = examined(sin_named(name), door, roles=("explorer",))
    assert found.sound, told(found)
    assert ADVICE[name] in told(found)
    assert {one.weight for one in found.findings} == {Weight.ADVICE}


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["dice.py", "walker"])
def test_a_sound_bot_passes_every_twist_without_a_word(bot, door):
    found = examined(HERE.parent / "bots" / bot, door)
    assert found.findings == ()
    assert {one.twist for one in found.sittings} >= {"", *twists.TWISTS}
    assert {one.role for one in found.sittings} == {"explorer", "mummy"}
    assert found.ready is not None
    assert found.wall(0.5) <= found.wall(0.99) <= found.wall(1.0)
    assert found.memory > 1_000_000
    assert found.skipped == 0


def written(folder, body, name="mine.py"):
    """A bot that plays its first legal move but for what `body` does at each line."""
    text = (
        "import os, sys, time\nlegal, turns = [], 0\n"
        "for line in sys.stdin:\n"
        "    word, _, rest = line.strip().partition(' ')\n"
        f"{body}"
        "    if word == 'ready?': print('ready', flush=True)\n"
        "    elif word == 'turn': legal.clear()\n"
        "    elif word == 'legal': legal.append(rest)\n"
        "    elif word == 'go': print(legal[0], flush=True)\n"
    )
    (folder / name).write_text(text)
    return folder / name


KNOWN = "arena match game roles role seed time board ready? turn last state legal go score end"
BODIES = {
    "prints a word before": ("if word == 'go': print('Move:', legal[0], flush=True); continue", "the move alone"),
    "prints nothing": ("if word == 'go': print(flush=True); continue", "it printed an empty line"),
    "two blanks": ("if word == 'go': print(legal[0].replace(' ', '  '), flush=True); continue", "by one space"),
    "ready for everything": ("if word == 'go': print('ready', flush=True); continue", "answers `ready?` only"),
    "new words": (f"if word not in '{KNOWN}'.split(): raise ValueError(word)", "ValueError: weather"),
    "wants a clock": ("if word == 'go': int(rest)", "ValueError: invalid literal for int"),
}
READS_WHAT_IS_THERE = """\
import os
while text := os.read(0, 65536).decode():
    moves = [line[6:] for line in text.splitlines() if line.startswith("legal ")]
    print(moves[0] if moves else "ready", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(BODIES))
def test_a_misunderstanding_of_the_protocol_is_explained(kind, tmp_path, door):
    body, words = BODIES[kind]
    found = examined(written(tmp_path, f"    {body}\n"), door, roles=("mummy",))
    assert not found.sound
    assert words in told(found)


@pytest.mark.slow
def test_a_bot_that_takes_what_arrives_for_a_question_is_found_out(tmp_path, door):
    (tmp_path / "mine.py").write_text(READS_WHAT_IS_THERE)
    found = examined(tmp_path / "mine.py", door, roles=("explorer",))
    assert not found.sound
    assert "it answered before the whole question was there" in told(found)


@pytest.mark.slow
def test_a_bot_that_fails_in_one_role_only_is_examined_in_the_others(tmp_path, door):
    found = examined(written(tmp_path, "    if line == 'role mummy\\n': raise SystemExit(9)\n"), door)
    assert {one.role: one.sound for one in found.sittings if not one.twist} == {"explorer": True, "mummy": False}


@pytest.mark.slow
def test_a_bot_that_never_gets_ready_is_tried_once(tmp_path, door):
    found = examined(written(tmp_path, "    sys.exit('no')\n"), door, boards="mummy_maze")
    assert len(found.sittings) == 1
    assert found.skipped == 7


@pytest.mark.slow
def test_unseeded_dice_are_pointed_out(tmp_path, door):
    body = "    if word == 'go': print(legal[int.from_bytes(os.urandom(2)) % len(legal)], flush=True); continue\n"
    found = examined(written(tmp_path, body), door)
    assert found.sound
    assert "seed your dice" in told(found)


def test_what_is_close_to_its_limit_is_pointed_out():
    report = SeatReport(role="mummy", bot="mine", digest="", ready=3.0, memory=200_000_000, cpu=31.0)
    sitting = Sitting(
        board="", role="mummy", twist="", greeted=True, moves=(), walls=(0.1, 0.6), report=report, findings=()
    )
    bot = Bot(name="mine", command=(), digest="")
    found = Checkup(bot=bot, conditions=Conditions(), sittings=(sitting,), findings=(), skipped=0)
    assert [one.words for one in _tight(found)] == [
        "1 answer of 100 takes 0.6 of the 1 s that it may",
        "`ready` takes 3 of the 5 s that it may",
        "a match takes 31 of the 60 s of CPU that it may",
        "it needs 200 of the 256 MB of memory that it may",
    ]
    assert list(_tight(replace(found, sittings=()))) == []


def test_a_twist_keeps_every_line_that_was_there():
    question = b"turn 3\nstate at mummy 1 1\nlegal move1 north\ngo 500\n"
    assert b"".join(twists.in_pieces(question)) == question
    assert all(not piece.endswith(b"go 500\n") for piece in twists.in_pieces(question))
    (new,) = twists.new_words(question)
    assert [line for line in new.split(b"\n") if line in question.split(b"\n")] == question.split(b"\n")
    assert new.endswith(b"\ngo 500\n")
    assert twists.no_clock(question) == (question.replace(b"go 500", b"go"),)
    assert twists.no_clock(b"time start 5000 move 1000 bank 0\nready?\n") == (b"time bank 0\nready?\n",)
    assert twists.carriage_returns(b"go\n") == (b"go\r\n",)


def test_the_same_trouble_elsewhere_is_told_once():
    one = Finding(weight=Weight.ADVICE, where="here", words="a", cure="do")
    fault = replace(one, weight=Weight.FAULT, where="there")
    assert gathered([one, replace(one, where="else"), one, fault]) == (fault, replace(one, again=("else",)))


def test_a_move_of_an_earlier_turn_is_recognised():
    assert "forget the old `legal` lines" in cures.of_illegal("go 1", ("go 2", "go 3"), {"go 1"}, ())


def test_a_signal_without_words_has_a_cure_too():
    assert cures.of_failure(Ending.CRASHED, "signal SIGUSR1") == "look at its stderr"
    assert "for want of memory" in cures.of_failure(Ending.CRASHED, "it ended before its answer: signal SIGKILL")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = cup.make(tmp_path_factory.mktemp("check") / "ws")
    shutil.copy(SINS / "wrong_case.py", folder / "bots" / "shouts.py")
    (folder / "bots" / "_folder").mkdir()
    (folder / "bots" / "_folder" / "bot.toml").write_text("comand = 'python bot.py'")
    return folder


@pytest.mark.slow
def test_check_says_that_a_bot_is_fit_and_in_what_time_it_answers(workspace):
    done = cup.arena(workspace, "check", "bots/first.py", "--board", "duel")
    assert (done.returncode, done.stderr) == (0, "")
    assert "mummy_maze/duel as explorer: " in done.stdout
    assert "(median)" in done.stdout
    assert done.stdout.rstrip().endswith("first is fit to play")


@pytest.mark.slow
def test_check_says_what_a_bot_printed_what_was_expected_and_what_to_do(workspace):
    done = cup.arena(workspace, "check", "shouts")
    assert done.returncode == 1
    assert 'printed "MOVE1 NORTH", expected one of: `move1 north`' in done.stdout
    assert "-> case matters" in done.stdout
    assert "would lose matches" in done.stdout


@pytest.mark.slow
def test_check_as_json_has_everything(workspace):
    done = cup.arena(workspace, "check", "shouts", "--json")
    (found,) = json.loads(done.stdout)
    assert (done.returncode, found["bot"], found["sound"]) == (1, "shouts", False)
    assert found["findings"][0]["weight"] == "fault"
    assert {"ready", "wall_p50", "wall_p99", "wall_max", "memory", "cpu", "sittings"} <= set(found)


def test_what_is_no_bot_at_all_is_a_no_and_what_is_not_there_a_mistake(workspace):
    broken = cup.arena(workspace, "check", "bots/_folder")
    assert broken.returncode == 1
    assert "did you mean 'command'?" in broken.stdout
    assert not json.loads(cup.arena(workspace, "check", "bots/_folder", "--json").stdout)[0]["sound"]
    absent = cup.arena(workspace, "check", "nobody")
    assert (absent.returncode, absent.stdout) == (2, "")
    assert "there is no bot 'nobody'" in absent.stderr


def test_a_bot_that_plays_none_of_the_boards_is_told_so(workspace, tmp_path):
    (tmp_path / "bot.toml").write_text("command = 'python bot.py'\ngames = ['chess']")
    done = cup.arena(workspace, "check", str(tmp_path))
    assert done.returncode == 2
    assert "its bot.toml says chess" in done.stderr
