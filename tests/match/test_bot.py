"""A live bot: its questions, the files that it may read, and the cost of its answers."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.event import discovery
from arena.match.bot import InterferenceError, LiveBot, OverloadedError
from arena.match.polling import ask_all
from arena.protocol import Ask
from arena.sandbox import choice
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Ending, Limits
from tests.support.live import RULES, bot_of, say_goodbye
from tests.support.processes import gone_soon, until
from tests.support.programs import python

OPEN = Conditions(sandbox="rlimits")
READY = Ask(text=b"ready?\n", announced=10.0, deadline=10.0, ready=True)
GO = Ask(text=b"turn 1\ngo\n", announced=None, deadline=None)
SOON = Ask(text=b"turn 1\ngo 5000\n", announced=5.0, deadline=5.0)


@pytest.fixture
def live(launcher, tmp_path):
    """Start bots from a text, and end them with the test."""
    bots: list[LiveBot] = []

    def start(
        answer: str = "say('x')",
        whole: str | None = None,
        rules: Path | None = None,
        conditions: Conditions = OPEN,
        blameless: bool = False,
        **parts: str,
    ) -> LiveBot:
        path = tmp_path / f"bot{len(bots)}.py"
        bot = bot_of(path, whole or python(answer, **parts))
        bots.append(LiveBot(launcher, path.stem, bot, conditions, rules, blameless=blameless))
        assert ask(bots[-1], READY).ending is None
        return bots[-1]

    yield start
    for bot in bots:
        bot.end()


def ending_of(bot: LiveBot, seconds: float = 5.0, hit: int = 0) -> str:
    """Ask a bot, and send it the signal `hit` meanwhile; return its ending, or what it is said to
    have suffered.
    """
    sender = threading.Timer(0.1 if hit else 0.0, os.kill, (bot.program, hit))
    sender.start()
    try:
        return ask(bot, seconds=seconds).ending or "no fault"
    except InterferenceError as error:
        return str(error).partition(": ")[2].partition(" by a signal that arena did not send")[0]
    finally:
        sender.join()
        bot.end()


def confined(**more: object) -> Conditions:
    """Conditions at the level that `auto` takes here."""
    return Conditions(sandbox=choice.choose("auto", unsafe=False), **more)


SIGNALS = {
    "SIGKILL": ("its process was killed", Ending.CRASHED),
    "SIGSTOP": ("its process was stopped", Ending.TIMEOUT),
}


@pytest.mark.parametrize("number", SIGNALS)
def test_a_blameless_bot_is_not_at_fault_for_a_signal_of_somebody_else(live, number):
    for blameless, expected in zip((True, False), SIGNALS[number], strict=True):
        bot = live("time.sleep(5)", conditions=confined(), blameless=blameless)
        assert ending_of(bot, 0.5, signal.Signals[number]) == expected


OWN_DOING = {
    "SIGKILL": ("os.kill(os.getpid(), 9)", Ending.CRASHED),
    "SIGKILL to its thread": ("signal.raise_signal(9)", Ending.CRASHED),
    "SIGSTOP": ("os.kill(os.getpid(), signal.SIGSTOP)", Ending.TIMEOUT),
    "SIGTSTP": (
        "os.kill(os.getpid(), signal.SIGTSTP)",
        "no fault",
    ),  # nobody could continue its group: no effect
    "its CPU limit": ("resource.setrlimit(0, (1, 1)); exec('while True: pass')", None),
}
"""Lines by which a bot is killed or stopped, and its ending where nothing confines it; None = that
takes a second."""


@pytest.mark.parametrize("name", OWN_DOING)
def test_a_bot_that_kills_or_stops_itself_is_refused_that_or_at_fault(live, name):
    line, ending = OWN_DOING[name]
    guarded = f"try: {line}\nexcept (OSError, ValueError): pass\nsay('x')"
    for conditions, expected in ((confined(), "no fault"), *([(OPEN, ending)] if ending else [])):
        bot = live(guarded, first="import resource, signal", conditions=conditions, blameless=True)
        assert ending_of(bot, 0.5 if expected == Ending.TIMEOUT else 5.0) == expected


def test_a_bot_killed_because_the_machine_lacks_memory_is_blameless(live, tmp_path):
    group = Path("/sys/fs/cgroup/memory") / tmp_path.name
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text("30000000")
    except OSError as error:
        pytest.skip(f"no cgroup of version 1 can be had here to take memory away: {error}")
    try:
        bot = live("a = bytearray(60_000_000)", blameless=True)
        (group / "cgroup.procs").write_text(str(bot.program))
        assert ending_of(bot) == "its process was killed"
    finally:
        assert until(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


def test_a_bot_that_is_killed_near_its_memory_limit_has_crashed(live):
    conditions = confined(limits=Limits(memory=70_000_000))
    bot = live(
        "time.sleep(5)", first="a = bytearray(60_000_000)", conditions=conditions, blameless=True
    )
    assert ending_of(bot, hit=signal.SIGKILL) is Ending.CRASHED
    assert "its memory peaked at" in bot.reply.words


def ask(bot: LiveBot, question: Ask | None = None, seconds: float = 5.0):
    question = question or Ask(text=b"turn 1\ngo 5000\n", announced=seconds, deadline=seconds)
    return ask_all({bot.role: bot}, {bot.role: question})[bot.role]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("print('move on', flush=True)", id="whole"),
        pytest.param(
            "[(print(c, end='', flush=True), time.sleep(0.002)) for c in 'move on\\n']",
            id="byte by byte",
        ),
        pytest.param("print('# a remark\\nmove on\\nmore', flush=True)", id="with more behind it"),
    ],
)
def test_an_answer_is_one_line_however_it_comes(live, answer):
    assert ask(live(answer)).line == b"move on"


# a bot that is not frozen must get a core within SETTLE_S to print its second line
@pytest.mark.alone
@pytest.mark.parametrize("freeze", [True, False])
@pytest.mark.parametrize("pause", [0, 0.005])
def test_a_second_line_for_one_question_never_answers_the_next_and_is_warned_of(
    live, freeze, pause
):
    again = (
        f"n = line.split()[1]; print(n, flush=True); time.sleep({pause}); print('again', n, "
        "flush=True)"
    )
    bot = live(again, conditions=replace(OPEN, freeze=freeze))
    questions = [
        Ask(text=b"turn 1\ngo %d\n" % number, announced=5.0, deadline=5.0) for number in range(12)
    ]
    assert [ask(bot, question).line for question in questions] == [
        b"%d" % number for number in range(12)
    ]
    say_goodbye(bot, b"end\n")
    warnings = bot.report().warnings
    assert warnings[:11] == tuple(
        f'thrown away, printed before it was asked: "again {n}"' for n in range(11)
    )
    assert warnings[11:] == ('thrown away, printed after its last answer: "again 11"',)


def test_ready_counts_however_early_it_is_said(launcher, tmp_path):
    path = tmp_path / "eager.py"
    path.write_text("import os\nos.write(1, b'Eager 1.0\\nready\\nearly\\n')\n")
    eager = LiveBot(launcher, "r", discovery.from_path(path), OPEN, None)
    assert gone_soon([eager._child.pid])
    assert ask(eager, READY).line == b"ready"
    assert ask(eager).ending is Ending.CRASHED
    said = eager.report().warnings
    assert [words.rpartition(", printed ")[2] for words in said] == [
        'before `ready`: "Eager 1.0"',
        'before it was asked: "early"',
    ]


def test_remarks_are_kept_with_the_answer_but_not_without_end(live):
    heard = ask(live("print(*(f'# {n}' for n in range(50)), 'x', sep='\\n', flush=True)"))
    assert heard.line == b"x"
    assert heard.remarks[:2] == ("0", "1")
    assert len(heard.remarks) == 20


@pytest.mark.slow
def test_cpu_time_stands_beside_wall_time(live):
    spin = (
        "t = time.monotonic() + 0.2; list(iter(lambda: time.monotonic() < t, False)); "
        "print('x', flush=True)"
    )
    busy = ask(live(spin))
    idle = ask(live("time.sleep(0.2); print('x', flush=True)"))
    assert (
        busy.spent.wall > 0.1
    )  # not 0.2: it may read its question before we have looked at the time
    assert idle.spent.wall > 0.1
    assert busy.spent.cpu > 5 * idle.spent.cpu


@pytest.mark.slow
def test_two_that_are_asked_at_once_think_at_once(live):
    bots = {
        bot.role: bot for bot in (live("time.sleep(0.5); print('x', flush=True)") for _ in range(2))
    }
    question = Ask(text=b"go\n", announced=None, deadline=None)
    heard = ask_all(bots, dict.fromkeys(bots, question))
    assert all(one.line == b"x" for one in heard.values())
    alone = sum(one.spent.wall for one in heard.values())
    assert max(one.spent.wall for one in heard.values()) < 0.75 * alone


@pytest.mark.slow
def test_the_end_of_one_does_not_count_as_the_others_time(live, monkeypatch):
    monkeypatch.setattr("arena.match.bot.EXIT_GRACE_S", 2.0)
    lost = live("os.close(1); time.sleep(600)")
    steady = live("time.sleep(0.1); print('x', flush=True)")
    heard = ask_all(
        {one.role: one for one in (lost, steady)}, dict.fromkeys((lost.role, steady.role), GO)
    )
    assert heard[lost.role].ending is Ending.CRASHED
    assert 0.05 < heard[steady.role].spent.wall < 2.0


def test_an_exit_just_before_the_deadline_is_a_crash_and_no_time_loss(live):
    leaver = live("os._exit(9)")
    leaver.begin(SOON)
    assert gone_soon([leaver._child.pid])
    leaver.look(leaver.stopwatch.due, 0.0)
    assert leaver.reply is None
    leaver.explain_exit()
    assert leaver.reply.ending is Ending.CRASHED


def test_an_answer_that_is_there_at_the_deadline_counts(live):
    quick = live("print('x', flush=True); os._exit(0)")
    quick.begin(SOON)
    assert gone_soon([quick._child.pid])
    quick.look(quick.stopwatch.due, 0.0)
    assert quick.reply.line == b"x"


def test_a_bot_that_does_not_read_blocks_nobody_though_its_pipe_is_full(live):
    deaf = live(
        whole="import sys, time\nsys.stdin.readline()\nprint('ready', flush=True)\ntime.sleep(60)\n"
    )
    question = Ask(text=b"state x\n" * 100_000 + b"go\n", announced=0.3, deadline=0.3)
    assert ask(deaf, question).ending is Ending.TIMEOUT


def test_a_long_question_is_read_to_its_end_by_a_bot_that_writes_meanwhile(live):
    chatty = live(each="if word == 'state': print('#', 'y' * 30, file=sys.stderr)")
    question = Ask(text=b"state x\n" * 20_000 + b"go\n", announced=20.0, deadline=20.0)
    assert ask(chatty, question).line == b"x"


IMPORTABLE = """
import json
def importable(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False
"""
LOOK = """
say(json.dumps({
    "files": sorted(os.listdir(".")), "scratch": os.listdir(os.environ["TMPDIR"]), "env": dict(os.environ),
    "modules": {name: importable(f"arena.{name}") for name in ("kit", "game", "referee", "archive")},
    "group": os.getpgid(0) == os.getpid(), "fds": sorted(os.listdir("/proc/self/fd"))[:-1],
    "session": os.getsid(0) == os.getpid(),
}))
"""


def test_what_a_bot_sees_is_its_own_file_the_kit_and_nothing_of_ours(live, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "hidden")
    (tmp_path / "neighbour.py").write_text("")
    bot = live(LOOK, rules=RULES, first=IMPORTABLE)
    seen = json.loads(ask(bot).line)
    assert seen["files"] == ["bot0.py"]
    assert seen["scratch"] == []
    names = {"PATH", "LANG", "HOME", "TMPDIR", "PYTHONHASHSEED", "PYTHONPATH"}
    assert {name for name in seen["env"] if not name.endswith("_NUM_THREADS")} - {
        "LC_CTYPE"
    } == names
    assert seen["env"]["PYTHONHASHSEED"] == "0"
    assert seen["modules"] == {"kit": True, "game": True, "referee": False, "archive": False}
    assert seen["group"]
    assert seen["session"]
    assert set(seen["fds"]) <= {"0", "1", "2", "3"}
    say_goodbye(bot, b"end\n")
    assert not Path(seen["env"]["TMPDIR"]).exists()


def test_a_folder_runs_with_all_of_its_files_on_a_copy(launcher, tmp_path):
    home = tmp_path / "team"
    home.mkdir()
    (home / "bot.toml").write_text('command = ["python", "main.py"]\n')
    (home / "helper.py").write_text("answer = 'from the helper'\n")
    (home / "main.py").write_text(
        python("print(answer, flush=True); open('x', 'w')", first="from helper import answer")
    )
    bot = LiveBot(launcher, "r", discovery.from_path(home), OPEN, None)
    assert ask(bot, READY).ending is None
    assert ask(bot).line == b"from the helper"
    say_goodbye(bot, b"end\n")
    assert sorted(path.name for path in home.iterdir()) == ["bot.toml", "helper.py", "main.py"]


def test_a_bot_finds_no_note_of_its_last_match(live):
    leaves = python("print(os.listdir('.'), flush=True); open('note', 'w')", first="import os")
    for _ in range(2):
        bot = live(whole=leaves)
        assert b"note" not in ask(bot).line
        say_goodbye(bot, b"end\n")


@pytest.mark.usefixtures("time_to_leave")
def test_an_executable_runs_as_it_is(launcher, tmp_path):
    path = tmp_path / "shell"
    path.write_text(
        "#!/bin/sh\nwhile read word rest; do case $word in ready?) echo ready;; go) echo from sh;; "
        "esac; done\n"
    )
    path.chmod(0o755)
    bot = LiveBot(launcher, "r", discovery.from_path(path), OPEN, None)
    assert ask(bot, READY).ending is None
    assert ask(bot).line == b"from sh"
    say_goodbye(bot, b"end\n")
    assert bot.report().exit == "exit 0"
    assert not bot.report().killed


def test_the_end_of_stderr_and_the_exit_status_are_reported(live):
    bot = live("print('z' * 100_000 + 'the end', file=sys.stderr); sys.exit(7)")
    heard = ask(bot)
    assert heard.ending is Ending.CRASHED
    assert "exit 7" in heard.words
    assert bot.report().stderr.endswith("the end\n")
    assert len(bot.report().stderr) <= 16 * 1024


@pytest.mark.usefixtures("time_to_leave")
def test_a_bot_that_leaves_at_the_end_is_not_killed(live):
    bot = live()
    say_goodbye(bot, b"score x 1\nend x\n")
    assert (bot.report().exit, bot.report().killed) == ("exit 0", False)
    assert bot.report().ready is not None
    assert bot.report().memory > 0


def test_a_bot_that_has_closed_its_output_has_a_moment_to_leave(live, monkeypatch):
    monkeypatch.setattr("arena.match.polling.FAREWELL_S", 5.0)
    bot = live(end="os.close(1); time.sleep(0.1); os._exit(3)")
    say_goodbye(bot, b"end x\n")
    assert (bot.report().exit, bot.report().killed) == ("exit 3", False)


def test_ending_a_bot_twice_is_ending_it_once(live):
    bot = live()
    bot.end()
    before = len(os.listdir("/proc/self/fd"))
    bot.end()
    assert len(os.listdir("/proc/self/fd")) == before


def read_late(bot: LiveBot, seconds: float) -> None:
    """Attend to a bot until it has answered, as a referee that slept for so long past its
    deadline.
    """
    now = bot.stopwatch.due + seconds
    while bot.reply is None:
        for descriptor, _ in bot.wire.wait(1000):
            bot.attend(descriptor, now, now - bot.stopwatch.begun)


def test_an_answer_found_by_a_late_referee_counts_with_its_cpu_time(live):
    bot = live("sys.stdout.write('x\\n'); sys.stdout.flush()")
    bot.begin(SOON)
    read_late(bot, 60.0)
    assert bot.reply.line == b"x"
    assert bot.reply.spent.wall > 60.0
    assert bot.reply.spent.fair() < 1.0


@pytest.mark.slow
def test_cpu_time_over_the_limit_is_a_time_loss_however_late_the_referee_was(live):
    bot = live(
        "exec('until = time.process_time() + 0.15\\nwhile time.process_time() < until: pass'); "
        "say('x')"
    )
    bot.begin(Ask(text=b"go\n", announced=0.05, deadline=0.05))
    read_late(bot, 60.0)
    assert bot.reply.ending is Ending.TIMEOUT
    assert "of CPU" in bot.reply.words


WORK = """
import hashlib, threading
def work():  # 0.04 s of CPU time however fast the machine is, in which other threads of Python may run
    begun = time.thread_time()
    while time.thread_time() - begun < 0.04: hashlib.pbkdf2_hmac("sha256", b"", b"", 3_000)
"""
SIDE_BY_SIDE = """
workers = [threading.Thread(target=work) for _ in range(8)]
for worker in workers: worker.start()
for worker in workers: worker.join()
say("x")
"""


@pytest.mark.slow
def test_threads_that_compute_side_by_side_use_up_the_time_of_their_bot_together(live):
    bot = live(SIDE_BY_SIDE, first=WORK)
    heard = ask(bot, Ask(text=b"go\n", announced=None, deadline=None))
    half = (
        heard.spent.cpu * 0.75
    )  # less than they use, and more than passes where they have two cores
    heard = ask(bot, seconds=half)
    assert heard.ending is Ending.TIMEOUT
    assert "of CPU" in heard.words


SPIN = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that nobody is told of the CPU time of its children
def spin(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until: pass
"""
CROWDS_OUT = """
until = time.monotonic() + 1.5
while time.monotonic() < until:
    for _ in range(10):
        if os.fork() == 0:
            spin(0.01)
            os._exit(0)
    spin(0.001)
say("x")
"""


@pytest.mark.slow
def test_a_bot_of_several_processes_is_excused_no_wait(tmp_path):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with Launcher() as launcher:
            path = tmp_path / "bot.py"
            path.write_text(python(CROWDS_OUT, first=SPIN))
            conditions = Conditions(sandbox="rlimits", limits=Limits(processes=500))
            bot = LiveBot(launcher, "r", discovery.from_path(path), conditions, None)
            assert ask(bot, READY).ending is None
            heard = ask(bot, seconds=0.3)
            bot.end()
    finally:
        os.sched_setaffinity(0, cores)
    assert heard.ending is Ending.TIMEOUT


def test_a_deadline_is_put_off_by_what_the_referee_slept_and_no_further(live):
    bot = live("time.sleep(600)")
    bot.begin(Ask(text=b"go\n", announced=0.1, deadline=0.1))
    first = bot.stopwatch.due
    bot.look(
        first + 0.49, 0.5
    )  # the kernel's clock of this process may lack some microseconds of that
    assert bot.reply is None
    assert first + 0.49 <= bot.stopwatch.due <= first + 0.6
    for _ in range(50):  # what this process really waits for a core meanwhile puts it off, too
        if bot.reply is None:
            bot.look(bot.stopwatch.due + 0.001, 0.0)
    assert bot.reply.ending is Ending.TIMEOUT
    assert "are not charged" in bot.reply.words


def test_a_machine_that_keeps_a_bot_waiting_for_too_long_is_arenas_own_failure(live):
    bot = live("time.sleep(600)")
    bot.begin(Ask(text=b"go\n", announced=0.1, deadline=0.1))
    # This process really waits for a core on a busy machine; that would be no standing still.
    bot.stopwatch._delay.since = lambda: 0.0
    with pytest.raises(OverloadedError, match=r"overloaded; run fewer workers"):
        bot.look(bot.stopwatch.due + 3.0, 3.0)


@pytest.mark.parametrize(
    ("answer", "ending"), [("time.sleep(60)", Ending.TIMEOUT), ("\n        while True: pass", None)]
)
def test_a_bot_ready_for_a_core_may_have_waited_and_a_sleeping_one_has_not(
    live, monkeypatch, answer, ending
):
    bot = live(answer)
    used = bot._meter.read()
    monkeypatch.setattr(
        bot._meter, "read", lambda: used
    )  # as if the kernel had not reported a wait yet
    if ending:
        assert ask(bot, seconds=0.1).ending is ending
    else:
        with pytest.raises(OverloadedError, match=r"after (\d\.\d) s, of which it waited \1 s"):
            ask(bot, seconds=0.02)


def test_a_bot_that_begins_to_think_when_its_time_is_over_has_lost(live):
    bot = live("\n        time.sleep(0.09)\n        while True: pass")
    assert ask(bot, seconds=0.1).ending is Ending.TIMEOUT


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_thread_that_becomes_the_program_brings_no_time_of_its_past_along(tmp_path):
    program = tmp_path / "bot"
    subprocess.run(
        ["cc", "-pthread", "-o", program, Path(__file__).parent / "brings_waits_along.c"],
        check=True,
    )
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with Launcher() as launcher:
            bot = LiveBot(launcher, "r", discovery.from_path(program), OPEN, None)
            assert ask(bot, READY).ending is None
            assert (
                ask(bot, seconds=0.01).ending is Ending.TIMEOUT
            )  # and the machine is not said to be overloaded
            bot.end()
    finally:
        os.sched_setaffinity(0, cores)


@pytest.mark.slow
def test_while_the_referee_is_busy_with_one_bot_no_others_time_runs_out(live):
    flooder = live("print('#\\n' * 2_000_000, flush=True)")
    quick = live("time.sleep(0.05); print('x', flush=True)")
    output = flooder._output
    answer_in = output.answer_in

    def slowly(data: bytes, *, ready: bool) -> bytes | None:
        time.sleep(0.4)
        return answer_in(data, ready=ready)

    output.answer_in = slowly
    question = Ask(text=b"go 300\n", announced=0.3, deadline=0.3)
    heard = ask_all(
        {one.role: one for one in (flooder, quick)},
        dict.fromkeys((flooder.role, quick.role), question),
    )
    assert heard[flooder.role].ending is not None
    assert heard[quick.role].line == b"x"


def test_a_flood_before_the_question_is_not_read_for_ever(live):
    bot = live("print('x', flush=True)")
    bot._output._most = None
    flood = bot.wire.read
    bot.wire.read = lambda: b"\n" * 100  # of a bot that is awake, and quicker than who reads it
    bot.wire.wait = lambda _: [(bot.wire.stdout, 1)]
    bot.begin(SOON)
    bot.wire.read = flood
    assert bot.reply is None
    assert "more" in bot._output.warnings()[-1]


@pytest.mark.skipif(
    choice.failure("landlock") is not None,
    reason="elsewhere every bot is looked at after each stop",
)
def test_a_bot_of_one_thread_is_not_doubted_for_what_it_used_before_it_was_asked(
    launcher, tmp_path
):
    """A check after each stop doubles the time of a turn."""
    path = tmp_path / "bot.py"
    path.write_text(python("print('x', flush=True)", first="import time\nsum(range(500_000))"))
    bot = LiveBot(launcher, "r", discovery.from_path(path), replace(OPEN, sandbox="landlock"), None)
    time.sleep(0.2)  # so that it has used its CPU time before the question
    assert ask(bot, READY).ending is None
    assert ask(bot).ending is None
    assert not bot._freezer.doubted
    bot.end()
