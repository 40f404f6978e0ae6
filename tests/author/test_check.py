"""`arena check`: each sin is named in words with its cure, and a sound bot is told that it is."""

import json
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

import arena.author.checkup as check_module
from arena.author.checkup import (
    CheckRun,
    Checkup,
    Weight,
    _near_limits,
    advice,
    checkup,
    conversation,
    variations,
)
from arena.author.checkup.findings import Finding, merge
from arena.clock import TimeControl, TimeUsed
from arena.event import discovery
from arena.failure import Cause, Failure
from arena.games import rulebook
from arena.sandbox import choice, refused
from arena.sandbox.launcher import Launcher
from arena.values import Bot, Conditions, Limits, SeatReport
from tests.support import cup, live, sins, workspaces
from tests.support.programs import python
from tests.support.sins import SINS

ROOT = Path(__file__).parents[2]


def examined(
    path, launcher, *, start=10.0, move=10.0, cpu=20.0, boards="mummy_maze/duel", roles=()
):
    """A checkup at a board, with limits that suit the test."""
    bot = replace(discovery.from_path(path), roles=roles)
    conditions = Conditions(
        time=TimeControl(start=start, move=move, margin=0.0),
        limits=Limits(memory=200_000_000, cpu=cpu, stderr=16_000_000),
        sandbox=choice.choose("auto", unsafe=False),
        preload=sins.PRELOAD,
    )
    return checkup(bot, rulebook.find(boards), conditions, launcher)


@pytest.fixture
def hurried(monkeypatch):
    """Let the pieces of a question come soon after each other, for bots that wait for all of them
    anyway.
    """
    monkeypatch.setattr(conversation, "PAUSE_S", 0.002)


def text_of(found) -> str:
    return "\n".join(" ".join((one.words, *one.log, one.cure)) for one in found.findings)


def checked(name, launcher, boards="mummy_maze/duel", role="explorer"):
    """What is said of a sin."""
    sin = SINS[name]
    limits = {"start": sin.check_start, "move": sin.check_move, "cpu": sin.cpu}
    return examined(sins.path_of(name), launcher, **limits, boards=boards, roles=(role,))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, sin in SINS.items() if not sin.sound))
def test_a_sin_that_loses_matches_is_named_with_its_cure(name, launcher):
    found = checked(name, launcher)
    assert not found.sound
    assert SINS[name].finding in text_of(found)
    assert not any(ord(char) < 32 for char in text_of(found).replace("\n", ""))


@pytest.mark.usefixtures("hurried")
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, sin in SINS.items() if sin.sound))
def test_a_sin_that_loses_nothing_is_named_all_the_same(name, launcher):
    found = checked(name, launcher)
    assert found.sound, text_of(found)
    assert SINS[name].finding in text_of(found)
    assert {one.weight for one in found.findings} == {Weight.ADVICE}


@pytest.mark.usefixtures("hurried")
@pytest.mark.slow
@pytest.mark.parametrize("bot", ["dice.py", "walker"])
def test_a_sound_bot_passes_every_variation_without_a_finding(bot, launcher):
    found = examined(ROOT / "bots" / bot, launcher)
    assert found.findings == ()
    assert {one.variation for one in found.runs} >= {"", *variations.VARIATIONS}
    assert {one.role for one in found.runs} == {"explorer", "mummy"}
    assert found.ready is not None
    assert found.wall(0.5) <= found.wall(0.99) <= found.wall(1.0)
    assert found.memory > 1_000_000
    assert found.skipped == 0


def written(folder, body, name="mine.py"):
    """A bot that plays its first legal move but for what `body` does at each line."""
    (folder / name).write_text(python(each=body))
    return folder / name


KNOWN = "arena match game roles role seed time board ready? turn last state legal go score end"
BODIES = {
    "prints a word before": (
        "if word == 'go': print('Move:', legal[0], flush=True); continue",
        "the move alone",
    ),
    "prints nothing": ("if word == 'go': print(flush=True); continue", "it printed an empty line"),
    "two blanks": (
        "if word == 'go': print(legal[0].replace(' ', '  '), flush=True); continue",
        "by one space",
    ),
    "ready for everything": (
        "if word == 'go': print('ready', flush=True); continue",
        "answers `ready?` only",
    ),
}
NEVER_SENT = {
    "new words": (
        f"if word not in '{KNOWN}'.split(): raise ValueError(word)",
        "ValueError: weather",
    ),
    "a number after `go`": ("if word == 'go': int(rest)", "ValueError: invalid literal for int"),
    "plain line ends": (
        "if line.endswith('\\r\\n'): raise ValueError(line)",
        "ValueError: arena 1",
    ),
}
SPLITS_WHAT_IS_THERE = """\
import os
while text := os.read(0, 65536).decode():
    if "ready?" in text: print("ready", flush=True)
    moves = [line[6:] for line in text.split("\\n") if line.startswith("legal ")]
    if moves: print(moves[0], flush=True)
"""
READS_WHAT_IS_THERE = """\
import os
while text := os.read(0, 65536).decode():
    moves = [line[6:] for line in text.splitlines() if line.startswith("legal ")]
    print(moves[0] if moves else "ready", flush=True)
"""


@pytest.mark.usefixtures("hurried")
@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(BODIES))
def test_a_misunderstanding_of_the_protocol_is_explained(kind, tmp_path, launcher):
    body, words = BODIES[kind]
    found = examined(written(tmp_path, f"    {body}\n"), launcher, roles=("mummy",))
    assert not found.sound
    assert words in text_of(found)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("kind", sorted(NEVER_SENT))
def test_a_bot_that_needs_lines_as_its_event_has_them_is_fit_and_reads_of_others(
    kind, tmp_path, launcher
):
    body, words = NEVER_SENT[kind]
    found = examined(
        written(tmp_path, f"    {body}\n"), launcher, boards="connect_four/standard", roles=("red",)
    )
    assert found.sound, text_of(found)
    (finding,) = found.findings
    assert finding.weight is Weight.ADVICE
    assert finding.cure.startswith("it loses no match by this")
    assert words in text_of(found)


def test_a_bot_that_reads_the_number_after_go_is_refused_where_none_is_sent(tmp_path, launcher):
    path = written(tmp_path, "    if word == 'go': int(rest)\n")
    found = examined(path, launcher, move=None, boards="connect_four/standard", roles=("red",))
    assert not found.sound
    assert "ValueError: invalid literal for int" in text_of(found)
    assert "`go` stands alone: does the bot read a number" in text_of(found)
    assert [one.variation for one in found.runs] == [""]


LOAD_S = 1.1
SLOW = python(
    go=f"""
if turns == 1: time.sleep({LOAD_S})
say(legal[0])
""",
    ready=f"time.sleep({LOAD_S}); say('ready')",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [variations.PIECES, variations.NEW_WORDS])
def test_a_variation_leaves_a_bot_the_time_that_it_needs(tmp_path, launcher, name):
    bot = live.bot_of(tmp_path / "slow.py", SLOW)
    conditions = Conditions(
        time=TimeControl(start=9.0, move=9.0), sandbox=choice.choose("auto", unsafe=False)
    )
    match = live.match_of("connect_four/standard", bot, conditions=conditions)
    run = conversation.run_check(match, match.seats[0].role, launcher, name, usual=LOAD_S)
    assert run.findings == ()
    assert max(run.walls) >= LOAD_S
    assert not run.shortened


def test_a_bot_that_is_silent_at_lines_that_no_match_has_is_not_waited_for(tmp_path, launcher):
    bot = live.bot_of(
        tmp_path / "strict.py", python(ready="if not line.endswith('\\r\\n'): say('ready')")
    )
    conditions = Conditions(
        time=TimeControl(start=None, move=None), sandbox=choice.choose("auto", unsafe=False)
    )
    match = live.match_of("connect_four/standard", bot, conditions=conditions)
    run = conversation.run_check(
        match, match.seats[0].role, launcher, variations.WINDOWS, usual=0.0
    )
    (finding,) = run.findings
    assert (finding.weight, finding.words) == (
        Weight.ADVICE,
        "no `ready`, where the plain question had one",
    )


@pytest.mark.slow
@pytest.mark.parametrize("said", ["`ready`", "answer"])
def test_a_check_ends_where_an_event_would_wait_for_ever(tmp_path, launcher, monkeypatch, said):
    monkeypatch.setattr(conversation, "PATIENCE_S", 0.5)
    sleeps = "time.sleep(99)"
    text = python(ready=sleeps) if said == "`ready`" else python(go=sleeps)
    bot = live.bot_of(tmp_path / "sleeps.py", text)
    conditions = Conditions(
        time=TimeControl(start=None, move=None), sandbox=choice.choose("auto", unsafe=False)
    )
    found = checkup(bot, rulebook.find("connect_four/standard"), conditions, launcher)
    assert (found.sound, found.skipped, len(found.runs)) == (False, 1, 1)
    assert f"no {said}: the check waited 0.5 s; the event would wait for ever" in text_of(found)


@pytest.mark.usefixtures("hurried")
def test_a_slow_bot_plays_its_first_match_whole_and_of_others_the_beginning(
    tmp_path, launcher, monkeypatch
):
    monkeypatch.setattr(check_module, "WHOLE_MATCHES_S", 0.0)
    numbers = []
    (tmp_path / "mine.py").write_text(cup.FIRST)
    conditions = Conditions(
        time=TimeControl(start=9.0, move=9.0), sandbox=choice.choose("auto", unsafe=False)
    )
    bot = discovery.from_path(tmp_path / "mine.py")
    found = checkup(
        bot,
        rulebook.find("connect_four/standard"),
        conditions,
        launcher,
        lambda _, at_most: numbers.append(at_most),
    )
    assert found.sound, text_of(found)
    first, *others = found.runs
    assert not first.shortened
    assert len(first.moves) > conversation.BEGINNING
    assert {len(run.moves) for run in others if run.shortened} == {conversation.BEGINNING}
    assert found.shortened == len(others) - 1  # one run ends after two answers anyway
    assert numbers == [len(found.runs)] * len(found.runs)


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_what_the_event_forgives_is_advice(tmp_path, launcher):
    path = written(tmp_path, "    if word == 'go' and turns <= 2: say('pass'); continue\n")
    bot = replace(discovery.from_path(path), roles=("red",))
    time, level = TimeControl(start=9.0, move=9.0), choice.choose("auto", unsafe=False)
    for strikes, sound in ((1, False), (2, True)):
        conditions = Conditions(time=time, strikes=strikes, sandbox=level)
        found = checkup(bot, rulebook.find("connect_four/standard"), conditions, launcher)
        assert found.sound == sound, text_of(found)
        assert f"strike 1 of {strikes}, which the event forgives" in text_of(found)


@pytest.mark.slow
def test_a_bot_that_takes_what_arrives_for_a_question_is_found_out(tmp_path, launcher):
    (tmp_path / "mine.py").write_text(READS_WHAT_IS_THERE)
    words = "it answered before the whole question was there"
    for _ in range(
        6
        # a question may reach it in two parts already in a plain match, which ends there:
        # early_lines.py
    ):
        found = examined(tmp_path / "mine.py", launcher, roles=("explorer",))
        if words in text_of(found):
            break
    (finding,) = [finding for finding in found.findings if finding.words.startswith(words)]
    assert finding.weight is Weight.ADVICE


def test_a_bot_that_splits_what_arrives_is_fit_as_no_match_cuts_a_line(tmp_path, launcher):
    (tmp_path / "mine.py").write_text(SPLITS_WHAT_IS_THERE)
    found = examined(tmp_path / "mine.py", launcher, boards="connect_four/standard", roles=("red",))
    assert found.sound, text_of(found)
    assert "a match writes a question whole, or its first line" in text_of(found)


@pytest.mark.usefixtures("hurried")
@pytest.mark.slow
def test_a_bot_that_fails_in_one_role_only_is_examined_in_the_others(tmp_path, launcher):
    found = examined(
        written(tmp_path, "    if line == 'role mummy\\n': raise SystemExit(9)\n"), launcher
    )
    assert {one.role: one.sound for one in found.runs if not one.variation} == {
        "explorer": True,
        "mummy": False,
    }


@pytest.mark.slow
def test_a_bot_that_never_gets_ready_is_tried_once(tmp_path, launcher):
    found = examined(written(tmp_path, "    sys.exit('no')\n"), launcher, boards="mummy_maze")
    assert len(found.runs) == 1
    assert found.skipped == 7


@pytest.mark.usefixtures("hurried")
@pytest.mark.slow
def test_unseeded_dice_are_pointed_out(tmp_path, launcher):
    body = (
        "    if word == 'go': print(legal[int.from_bytes(os.urandom(2)) % len(legal)], "
        "flush=True); continue\n"
    )
    found = examined(written(tmp_path, body), launcher)
    assert found.sound
    assert "seed your random numbers" in text_of(found)


def test_what_is_close_to_its_limit_is_pointed_out():
    report = SeatReport(
        role="mummy", bot="mine", digest="", ready=3.0, memory=200_000_000, cpu=31.0
    )
    run = CheckRun(
        board="",
        role="mummy",
        variation="",
        greeted=True,
        moves=(),
        walls=(0.1, 0.6),
        report=report,
        findings=(),
    )
    bot = Bot(name="mine", command=(), digest="")
    found = Checkup(bot=bot, conditions=Conditions(), runs=(run,), findings=(), skipped=0)
    assert [one.words for one in _near_limits(found)] == [
        "1 answer of 100 takes at least 0.6 s, and the limit is 1 s",
        "`ready` takes 3 s, and the limit is 5 s",
        "a match takes 31 s of CPU, and the limit is 60 s of CPU",
        "it needs 200 MB of memory, and the limit is 256 MB of memory",
    ]
    assert list(_near_limits(replace(found, runs=()))) == []


def test_an_answer_may_use_the_bank_before_it_is_close_to_a_limit():
    report = SeatReport(role="mummy", bot="mine", digest="")
    run = CheckRun(
        board="",
        role="mummy",
        variation="",
        greeted=True,
        moves=(),
        walls=(0.9, 1.6),
        report=report,
        findings=(),
    )
    bot = Bot(name="mine", command=(), digest="")
    for time, words in (
        (TimeControl(move=1.0, bank=9.0), []),
        (
            TimeControl(move=1.0, bank=2.0),
            ["1 answer of 100 takes at least 1.6 s, and the limit is 3 s"],
        ),
        (
            TimeControl(move=1.0, bank=0.5),
            ["each answer takes at least 0.9 s, and the limit is 1.5 s"],
        ),
        (TimeControl(move=1.0, clock="cpu"), []),
    ):
        found = Checkup(
            bot=bot, conditions=Conditions(time=time), runs=(run,), findings=(), skipped=0
        )
        assert [one.words for one in _near_limits(found)] == words


def test_a_variation_keeps_every_line_of_the_question():
    question = b"turn 3\nstate at mummy 1 1\nlegal move1 north\ngo 500\n"
    assert b"".join(variations.in_pieces(question)) == question
    assert all(not piece.endswith(b"go 500\n") for piece in variations.in_pieces(question))
    (new,) = variations.new_words(question)
    assert [line for line in new.split(b"\n") if line in question.split(b"\n")] == question.split(
        b"\n"
    )
    assert new.endswith(b"\ngo 500\n")
    assert variations.no_clock(question) == (question.replace(b"go 500", b"go"),)
    assert variations.no_clock(b"time start 5000 move 1000 bank 0\nready?\n") == (
        b"time bank 0\nready?\n",
    )
    assert variations.carriage_returns(b"go\n") == (b"go\r\n",)


def test_the_same_trouble_elsewhere_is_told_once():
    one = Finding(weight=Weight.ADVICE, where="here", words="a", cure="do")
    fault = replace(one, weight=Weight.FAULT, where="there")
    assert merge([one, replace(one, where="else"), one, fault]) == (
        fault,
        replace(one, again=("else",)),
    )


def test_a_move_of_an_earlier_turn_is_recognised():
    assert "forget the old `legal` lines" in advice.of_illegal(
        "go 1", ("go 2", "go 3"), {"go 1"}, ()
    )


def test_a_signal_without_words_has_a_cure_too():
    killed = Failure(
        cause=Cause.ENDED, words="it ended before its answer", exit_code=-signal.SIGKILL
    )
    assert "perhaps because memory ran out" in advice.of_failure(killed)
    assert advice.of_failure(replace(killed, exit_code=-signal.SIGUSR1)) == "look at its stderr"


def test_a_cure_goes_by_what_arena_saw_and_not_by_its_words_in_the_mouth_of_a_bot():
    ended = Failure(cause=Cause.ENDED, words="it ended before its answer: exit 3", exit_code=3)
    words = (
        "could not be started; it closed its output; 9 bytes without a newline; signal "
        "SIGSEGV; exit 0"
    )
    assert advice.of_failure(replace(ended, words=words), words) == advice.of_failure(ended)
    waited = Failure(
        cause=Cause.NO_ANSWER,
        words="1000 ms passed, 0 ms of CPU",
        spent=TimeUsed(wall=1.0, cpu=0.3, waited=0.2),
    )
    in_utf16 = replace(waited, unfinished=1, is_utf16=True)
    cure = advice.of_silence(in_utf16, (), ready=True, late=None, discarded=())
    assert cure.startswith("print plain text: UTF-8")
    for cpu, cure in ((0.3, "it computes all the time"), (0.1, "it said nothing")):
        failure = replace(waited, spent=waited.spent._replace(cpu=cpu))
        assert cure in advice.of_silence(failure, (), ready=False, late=None, discarded=())


def test_half_a_remark_is_a_remark_and_no_answer_without_its_newline(tmp_path, launcher):
    go = "print('# still thi', end='', flush=True); time.sleep(60)"
    (tmp_path / "mine.py").write_text(python(go))
    text = text_of(examined(tmp_path / "mine.py", launcher, move=sins.SOON_S / 2))
    assert "remarks (`# ...`) are no answer: print a move after them" in text


def test_a_bot_that_dies_in_the_middle_of_a_remark_is_told_why_it_died(tmp_path, launcher):
    (tmp_path / "mine.py").write_text(
        "print('# still thi', end='', flush=True)\nraise SystemExit(3)\n"
    )
    assert advice.FLUSH not in text_of(examined(tmp_path / "mine.py", launcher))


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("", "its file is empty"),
        (
            "if 1:\n\tx = 1\n        y = 2\n",
            "indents by tabs in some lines and by spaces in others",
        ),
        ("# \udce9\n", "save the file as UTF-8"),
        (
            "raise PermissionError(13, 'Permission denied', '/home/ada/.profile')",
            "put its files there",
        ),
    ],
)
def test_a_file_that_cannot_run_has_a_cure_of_its_own(tmp_path, launcher, text, cure):
    path = tmp_path / "mine.py"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert cure in text_of(examined(path, launcher))


def test_a_traceback_names_the_bots_file_and_keeps_its_quotation_marks(tmp_path, launcher):
    (tmp_path / "mine.py").write_text('raise KeyError({"a": 1}["b"])\n')
    (finding,) = examined(tmp_path / "mine.py", launcher).findings
    assert '  File "mine.py", line 1, in <module>' in finding.log
    assert any('{"a": 1}["b"]' in line for line in finding.log)
    assert not any("/tmp" in line for line in finding.log)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = workspaces.make(tmp_path_factory.mktemp("check") / "ws", boards="duel")
    shutil.copy(sins.path_of("wrong_case"), folder / "bots" / "shouts.py")
    (folder / "bots" / "_folder").mkdir()
    (folder / "bots" / "_folder" / "bot.toml").write_text("comand = 'python bot.py'")
    return folder


@pytest.mark.usefixtures("hurried")
@pytest.mark.slow
def test_check_says_that_a_bot_is_fit_and_in_what_time_it_answers(workspace):
    done = cup.arena(workspace, "check", "bots/first.py", "--board", "duel")
    assert (done.returncode, done.stderr) == (0, "")
    assert "mummy_maze/duel as explorer: " in done.stdout
    assert re.search(r"answers: the slowest after [\d.]+ ms \(limit [\d.]+ ms\)", done.stdout)
    situations = len(re.findall(r"^  ok ", done.stdout, re.MULTILINE))
    end = f"first is fit to play: no fault in {situations} situations"
    assert done.stdout.rstrip().endswith(end)


@pytest.mark.slow
def test_check_says_what_a_bot_printed_what_was_expected_and_what_to_do(workspace):
    done = cup.arena(workspace, "check", "shouts")
    assert done.returncode == 1
    assert 'printed "MOVE1 NORTH", expected one of: `move1 north`' in done.stdout
    assert "-> case matters" in done.stdout
    assert "shouts would lose matches as it is: tried 2 situations of at most 8" in done.stdout
    fault, _, figures = done.stdout.partition("it may import Python 3.")
    assert "FAULT   mummy_maze/duel as " in fault  # what to mend comes before figures
    assert "FAULT" not in figures


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
    assert not json.loads(cup.arena(workspace, "check", "bots/_folder", "--json").stdout)[0][
        "sound"
    ]
    absent = cup.arena(workspace, "check", "nobody")
    assert (absent.returncode, absent.stdout) == (2, "")
    assert "there is no bot 'nobody'" in absent.stderr


def test_a_bot_that_plays_none_of_the_boards_is_told_so(workspace, tmp_path):
    (tmp_path / "bot.toml").write_text("command = 'python bot.py'\ngames = ['chess']")
    done = cup.arena(workspace, "check", str(tmp_path))
    assert done.returncode == 2
    assert "its bot.toml says chess" in done.stderr


def test_a_check_says_that_the_event_leaves_out_a_bot_that_plays_none_of_its_boards(
    workspace, tmp_path
):
    (tmp_path / "bot.toml").write_text("command = 'python bot.py'\ngames = ['kuhn_poker']")
    (tmp_path / "bot.py").write_text("")
    done = cup.arena(workspace, "check", str(tmp_path))
    assert (
        "on other boards than the event's: it plays none of these, and is left out" in done.stdout
    )
    named = cup.arena(workspace, "check", str(tmp_path), "--board", "kuhn_poker")
    assert "left out" not in named.stdout


NEEDS = python(
    'mmap.mmap(-1, 4096); os.memfd_create("x")',
    first="import mmap\ntry: os.chmod(__file__, 0o700)\nexcept OSError: pass",
)
TRIES = python(
    first=(
        "import ctypes\ncall = ctypes.CDLL(None).syscall\n"
        "for number in range(10_000, 11_100): call(number)"
    )
)


@pytest.mark.skipif(
    choice.failure("landlock") is not None, reason="calls are counted at the level landlock only"
)
def test_a_bot_that_tries_every_number_of_a_call_takes_no_memory_of_ours(tmp_path):
    path = tmp_path / "tries.py"
    path.write_text(TRIES)
    conditions = Conditions(time=TimeControl(start=10.0, move=sins.SOON_S), sandbox="landlock")
    with Launcher(watches=True) as watching:
        checkup(discovery.from_path(path), rulebook.find("duel"), conditions, watching)
    if watching.refused is None:
        pytest.skip("this system does not let us look at our own children")
    assert 0 < len(watching.refused.counts) <= refused.NAMES


@pytest.mark.skipif(
    choice.failure("landlock") is not None, reason="calls are named at the level landlock only"
)
@pytest.mark.parametrize("warm", [True, False])
def test_the_system_calls_that_were_refused_to_a_bot_are_named(tmp_path, launcher, warm):
    path = tmp_path / "needs.py"
    path.write_text(NEEDS)
    conditions = Conditions(sandbox="landlock", warm=warm)
    with Launcher(watches=True) as watching:
        found = checkup(discovery.from_path(path), rulebook.find("duel"), conditions, watching)
    if watching.refused is None:
        pytest.skip("this system does not let us look at our own children")
    assert found.refused == ("chmod", "mmap")
    (fault,) = (one for one in found.findings if one.weight is Weight.FAULT)
    assert "PermissionError" in fault.words
    assert "system calls that were refused to it: " in fault.words
    found = checkup(discovery.from_path(path), rulebook.find("duel"), conditions, launcher)
    (fault,) = (one for one in found.findings if one.weight is Weight.FAULT)
    assert "PermissionError" in fault.words
    assert "`arena check` names those" in fault.words


@pytest.mark.parametrize(
    ("line", "cure"),
    [
        (
            "import urllib.request as r; r.urlopen('http://x.example/')",
            "it uses the network, and a bot has none",
        ),
        ("import socket; socket.socket()", "it uses the network, and a bot has none"),
        ("open('/home/ann/weights.txt')", "it opens a file of another computer"),
        (r"open('C:\\Users\\ann\\weights.txt')", "it opens a file of another computer"),
        ("open('weights.txt')", "it opens a file that is not there"),
    ],
)
def test_what_works_on_the_authors_computer_only_has_a_cure_of_its_own(
    line, cure, tmp_path, launcher
):
    (tmp_path / "mine.py").write_text(f"{line}\n{cup.FIRST}")
    found = examined(tmp_path / "mine.py", launcher, roles=("explorer",))
    assert found.findings[0].cure.startswith(cure), found.findings[0]
