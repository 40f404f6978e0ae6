"""The door and the spawner behind it: whoever is killed, no bot, no process and no folder is
left.
"""

import contextlib
import fcntl
import importlib.util
import os
import py_compile
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena import rulefile
from arena.author.checkup import conversation
from arena.cli import stored_match
from arena.event import discovery
from arena.games import rulebook
from arena.match.human import HUMAN
from arena.match.play import play
from arena.match.referee import Referee
from arena.replay.rerun import feed
from arena.sandbox import child_setup, choice, leftovers, procfs, rlimits, spawner, spawner_process
from arena.sandbox.folder import Folder, discard, private
from arena.sandbox.launcher import ConfinementError, Launcher, SpawnerLostError
from arena.sandbox.spawner import SPARES
from arena.sandbox.spawner_process import SpawnerProcess
from arena.sandbox.watchdog import WATCHDOG_INTERVAL_S, stored_by
from arena.signals import InterruptedNow
from arena.values import Bot, Conditions, Limits, Match
from tests.support import live
from tests.support.live import close
from tests.support.processes import alive, descriptors, gone_soon, run_in, until
from tests.support.programs import python

OPEN = Conditions(sandbox="rlimits", limits=Limits(processes=None))
SLEEPER = (
    "import os, sys, time\nsys.stdin.readline()\nos.fork()\nprint('ready', flush=True)\n"
    "time.sleep(600)\n"
)


@pytest.fixture
def sleeper(tmp_path) -> Bot:
    return live.bot_of(tmp_path / "sleeper.py", SLEEPER)


@pytest.fixture
def steady(tmp_path) -> Bot:
    return live.bot_of(
        tmp_path / "steady.py",
        python(
            "say(legal[-1])",
            first="pid = os.fork()\nif pid == 0:\n    os.setsid(); time.sleep(600)\n"
            "while os.getsid(pid) != pid: time.sleep(0.001)",
        ),
    )


def match_of(bot: Bot) -> Match:
    return live.match_of(
        "duel", bot, conditions=replace(OPEN, warm=False)
    )  # to start warm, a spawner imports the kit


def test_a_killed_spawner_is_our_failure_and_takes_its_bots_with_it(sleeper):
    before = descriptors()
    launcher = Launcher()
    child = launcher.start(sleeper, OPEN, None)
    os.kill(launcher._spawner.pid, signal.SIGKILL)
    with pytest.raises(SpawnerLostError):
        play(match_of(sleeper), launcher=launcher)
    assert gone_soon([child.pid])
    close(child)
    launcher.close()
    assert descriptors() == before
    assert not launcher.folder.path.exists()


def interrupted(launcher: Launcher) -> None:
    """Lose the spawner, and then be told to end."""
    os.kill(launcher._spawner.pid, signal.SIGKILL)
    raise InterruptedNow


@pytest.mark.parametrize("alone", [True, False])
def test_a_match_that_is_to_end_after_its_spawner_was_killed_has_no_other_error(
    steady, monkeypatch, alone
):
    """A person thinks meanwhile, so nobody has noticed the loss; it hid why the match ended, as a
    traceback.
    """
    match = match_of(steady)
    match = replace(match, seats=(match.seats[0], replace(match.seats[1], bot=HUMAN)))
    with Launcher() as launcher:
        if alone:
            monkeypatch.setattr(
                "arena.match.play.Launcher", lambda: contextlib.nullcontext(launcher)
            )
        with pytest.raises(InterruptedNow):
            play(
                match, launcher=None if alone else launcher, choose=lambda *_: interrupted(launcher)
            )


def test_a_check_or_a_rerun_that_is_to_end_after_its_spawner_was_killed_ends_so(
    steady, monkeypatch
):
    match = match_of(steady)
    record = play(match)
    exchanges = stored_match.dialogue_of(record).of(match.seats[0].role)
    with Launcher() as launcher, pytest.raises(InterruptedNow):
        feed(
            exchanges,
            match,
            rulebook.game_of(match),
            steady,
            launcher,
            lambda _: interrupted(launcher),
        )
    monkeypatch.setattr(conversation.Conversation, "hold", lambda *_, **__: interrupted(launcher))
    with Launcher() as launcher, pytest.raises(InterruptedNow):
        conversation.run_check(match, match.seats[0].role, launcher, "")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_spawner_lost_in_a_match_leaves_nothing_and_the_next_one_works(
    steady, monkeypatch, number
):
    monkeypatch.setattr(spawner_process, "ANSWER_TIMEOUT_S", 0.5)
    before = descriptors()
    launcher = Launcher()

    def lose(referee: Referee) -> None:
        if len(referee.turns) == 4:
            os.kill(launcher._spawner.pid, number)

    with pytest.raises(SpawnerLostError):
        play(match_of(steady), launcher=launcher, observer=lose)
    left = run_in(launcher.folder.path)
    assert left  # the daemons: nobody else can end them
    launcher.close()
    assert gone_soon(left)
    assert run_in(launcher.folder.path) == []
    assert descriptors() == before
    assert not launcher.folder.path.exists()
    monkeypatch.undo()  # half a second is too short for a spawner on a busy machine
    with live.ready(steady, OPEN):
        pass


def test_a_spawner_that_gets_no_descriptor_says_so_and_starts_the_next_bot(sleeper):
    with Launcher() as launcher:
        close(launcher.start(sleeper, OPEN, None))
        spawner = launcher._spawner.pid
        limits = resource.prlimit(spawner, resource.RLIMIT_NOFILE)
        resource.prlimit(spawner, resource.RLIMIT_NOFILE, (0, limits[1]))
        with pytest.raises(ConfinementError, match=r"no more open files .*`ulimit -n`") as refused:
            _ = [close(launcher.start(sleeper, OPEN, None)) for _ in range(SPARES + 1)]
        assert refused.value.passing
        resource.prlimit(spawner, resource.RLIMIT_NOFILE, limits)
        close(launcher.start(sleeper, OPEN, None))


def test_a_child_without_memory_before_it_is_a_bot_says_nothing_of_the_level(sleeper):
    with Launcher() as launcher:
        close(launcher.start(sleeper, OPEN, None))
        spawner = launcher._spawner.pid
        limits = resource.prlimit(spawner, resource.RLIMIT_AS)
        size = int(Path(f"/proc/{spawner}/statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(spawner, resource.RLIMIT_AS, (size, limits[1]))
        with pytest.raises(ConfinementError) as refused:
            _ = [close(launcher.start(sleeper, OPEN, None)) for _ in range(SPARES + 1)]
        assert refused.value.passing


def test_closing_a_door_twice_is_closing_it_once(sleeper):
    launcher = Launcher()
    close(launcher.start(sleeper, OPEN, None))
    launcher.close()
    launcher.close()
    assert not launcher.folder.path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
def test_a_killed_referee_leaves_no_bot_no_spawner_and_no_folder(sleeper, tmp_path, stopped):
    script = (
        "import sys; from pathlib import Path; from arena.event import discovery; from "
        "arena.values import Conditions\n"
        "from arena.sandbox.launcher import Launcher\n"
        "launcher = Launcher()\n"
        "open = Conditions(sandbox='rlimits')\n"
        "child = launcher.start(discovery.from_path(Path(sys.argv[1])), open, None)\n"
        "print(launcher._spawner.pid, child.pid, launcher.folder.path, flush=True)\n"
        "import time; time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, sleeper.files or ""]
    referee = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert referee.stdout is not None
    with referee.stdout:
        spawner, bot, folder = referee.stdout.readline().split()
    if stopped:
        os.kill(int(spawner), signal.SIGSTOP)
    referee.kill()
    referee.wait()
    assert gone_soon([int(bot)])
    assert gone_soon([int(spawner)])
    assert not Path(folder).exists()


VANISHING = """
import os, time
input()
for _ in range(2):
    if os.fork() == 0:
        for descriptor in range(3): os.close(descriptor)
        os.execve("/bin/sleep", ["sleep", "600"], {})
print("ready", flush=True)
time.sleep(600)
"""
REFEREE = """
import os, signal, sys, time
from pathlib import Path
from arena.event import discovery
from arena.sandbox import procfs
from arena.sandbox.launcher import Launcher
from arena.values import Conditions, Limits
launcher = Launcher()
conditions = Conditions(sandbox="landlock", limits=Limits(processes=4))
child = launcher.start(discovery.from_path(Path(sys.argv[1])), conditions, None)
os.write(child.stdin, b"begin\\n")
while len(pids := list(procfs.of_group(child.pid, launcher._spawner.pid))) < 3: time.sleep(0.01)
print(*pids, launcher.folder.path, flush=True)
os.kill(launcher._spawner.pid, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(choice.failure("landlock") is not None, reason="tried at the level landlock")
def test_the_next_start_ends_what_a_killed_spawner_and_referee_left_and_nobody_else(
    tmp_path, monkeypatch
):
    monkeypatch.setenv(
        "TMPDIR", str(tmp_path)
    )  # elsewhere another test that starts would be the next one
    monkeypatch.setattr(tempfile, "tempdir", None)
    bot = live.bot_of(tmp_path / "vanishing.py", VANISHING)
    command = [sys.executable, "-c", REFEREE, bot.files or ""]
    *pids, folder = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=False
    ).stdout.split()
    left = [int(pid) for pid in pids if alive(int(pid))]
    assert len(left) >= 2  # the kernel ends the bot alone
    (note,) = Path(folder).glob(f"*{leftovers.NOTE}")
    start, where = note.read_text().split(" ", 2)[1:]
    with running("sleep", "600") as user, confined() as other:
        for number, (innocent, begun) in enumerate(
            [(user, procfs.start(user.pid)), (other, int(start))]
        ):
            (Path(folder) / f"room{number}a{leftovers.NOTE}").write_text(
                f"{innocent.pid} {begun} {where}"
            )
        Folder().remove()
        assert gone_soon(left)
        assert not Path(folder).exists()
        assert user.poll() is None  # it may gain privileges
        assert (
            other.poll() is None
        )  # it has the number of a session that was noted, and began at another time


def test_processes_that_are_gone_whenever_they_are_looked_at_end_with_their_group(
    tmp_path, monkeypatch
):
    with confined() as bot:
        note = f"{bot.pid} {procfs.start(bot.pid)} {leftovers.numbering()}"
        (tmp_path / f"room1{leftovers.NOTE}").write_text(note)
        seen = procfs.all_processes
        monkeypatch.setattr(
            procfs, "all_processes", lambda: [pid for pid in seen() if pid != bot.pid]
        )
        leftovers.end(str(tmp_path))
        assert until(lambda: bot.poll() is not None)


@contextlib.contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process in a session of its own, and kill it at the end, also when an assertion
    fails.
    """
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def confined() -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    """Run a process that has given up new privileges."""
    return running("setpriv", "--no-new-privs", "sleep", "600")


def test_a_program_that_does_not_exist_is_told_in_words(launcher, tmp_path):
    child = launcher.start(Bot(name="x", command=("no-such-program",), digest="x"), OPEN, None)
    assert child.pid == 0
    assert child.error == "no-such-program: No such file or directory"
    assert str(launcher.end(child)) == "exit 127"
    close(child)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("raise SystemExit(3)", "exit 3"),
        ("import os; os.abort()", "signal SIGABRT"),
        ("", "exit 0"),
    ],
)
def test_an_exit_is_told_in_words(launcher, tmp_path, script, words):
    path = tmp_path / "bot.py"
    path.write_text(script)
    child = launcher.start(discovery.from_path(path), OPEN, None)
    assert str(launcher.end(child, grace=5.0)) == words
    close(child)


CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
TAKE_CORES = '#!/bin/sh\ncat > /dev/null\ntouch "${0%/*}/$1"\n'
RESTORE = 'cat > /dev/null; printf %s "$1" > "$2"'


@pytest.fixture
def cores():
    """A folder with an entry for each name of a process whose core the kernel piped to a
    program.
    """
    if os.getuid() != 0 or not os.access(CORE_PATTERN, os.W_OK):
        pytest.skip("only root can set core_pattern, where it can be set at all")
    before = CORE_PATTERN.read_text()
    # A process of its own sets it back when its input ends, so that it does also when the tests are
    # killed.
    words = ["sh", "-c", RESTORE, "sh", before, CORE_PATTERN]
    with (
        subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True),
        tempfile.TemporaryDirectory() as name,
    ):
        program = Path(name) / "take"
        program.write_text(TAKE_CORES)
        program.chmod(0o755)
        CORE_PATTERN.write_text(f"|{program} %e")
        yield Path(name)
    assert CORE_PATTERN.read_text() == before


@pytest.mark.alone
@pytest.mark.slow
def test_no_core_of_a_bot_is_piped_to_a_program(cores, tmp_path):
    def without_cores() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    (tmp_path / "bot.py").write_text(
        "import ctypes, os, sys\nctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)\n"
        "os.abort()\n"
    )
    command = ("/usr/bin/python3", "bot.py")
    subprocess.run([*command, "an-other"], cwd=tmp_path, preexec_fn=without_cores, check=False)
    if not until((cores / "an-other").exists, 0.5):
        pytest.skip(
            "no core reaches a program here, not even that of a process that no limit keeps from it"
        )
    aborts = Bot(name="b", command=(*command, "a-bot"), digest="b", files=str(tmp_path / "bot.py"))
    with Launcher() as launcher:
        for level in ("landlock", "bubblewrap", "rlimits"):
            child = launcher.start(aborts, replace(OPEN, sandbox=level), None)
            ended = launcher.end(child, grace=5.0)
            close(child)
            assert str(ended) == "signal SIGABRT"
    assert not until((cores / "a-bot").exists, 0.5)


def test_limits_become_rlimits_and_no_limit_none():
    rows = {row[0]: row[1:] for row in rlimits.table(Limits(memory=1000, cpu=2.5))}
    assert rows[resource.RLIMIT_DATA] == (1000, 1000)
    assert rows[resource.RLIMIT_CPU] == (3, 4)
    assert rows[resource.RLIMIT_CORE] == (1, 1)
    free = {row[0] for row in rlimits.table(Limits(memory=None, cpu=None))}
    assert not free & {resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_AS}


def test_a_tighter_limit_of_the_bots_own_wins():
    mine, its = Limits(memory=100, cpu=5.0), Limits(memory=None, cpu=9.0, processes=None)
    assert mine.tightened(its) == Limits(memory=100, cpu=5.0)
    assert mine.tightened(Limits(memory=50, cpu=None, processes=None)).memory == 50
    assert mine.tightened(None) is mine


def dig(top: Path, depth: int) -> None:
    """Make folders in folders, and a file in the last. Step by step: the kernel walks every step of
    a long path.
    """
    home = Path.cwd()
    top.mkdir()
    os.chdir(top)
    try:
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("file").write_text("x")
    finally:
        os.chdir(home)


def test_a_folder_thousands_deep_is_removed(tmp_path):
    top = tmp_path / "top"
    dig(top, 2050)  # deeper than a path can say, or Python recurses
    discard(top)
    assert not top.exists()


@pytest.mark.alone
@pytest.mark.slow
def test_a_large_referee_starts_its_bots_as_fast_as_a_small_one(steady):
    def start(launcher: Launcher) -> float:
        child = launcher.start(steady, OPEN, None)
        began = time.monotonic()
        for _ in range(10):
            close(child)
            launcher.end(child)
            child = launcher.start(steady, OPEN, None)
        close(child)
        launcher.end(child)
        return time.monotonic() - began

    with Launcher() as launcher:
        start(launcher)
        small = start(launcher)
        ballast = bytearray(b"x") * (300 << 20)  # not zeros, which no page of memory holds
        large = start(launcher)
    assert len(ballast) == 300 << 20
    assert large < 2 * small + 0.1


def test_a_bot_takes_its_limits_with_it_and_none_of_our_signals_or_descriptors(launcher, tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(
        "import os, resource, signal\n"
        "print(*resource.getrlimit(resource.RLIMIT_DATA), "
        "*resource.getrlimit(resource.RLIMIT_CORE),\n"
        "      signal.getsignal(signal.SIGTERM) == 0, oct(os.umask(0)), "
        "len(os.listdir('/proc/self/fd')))\n"
    )
    child = launcher.start(
        discovery.from_path(path),
        replace(OPEN, warm=False, limits=Limits(memory=300_000_000)),
        None,
    )
    assert str(launcher.end(child, grace=10.0)) == "exit 0"
    printed = os.read(child.stdout, 1000).decode().split()
    close(child)
    assert printed == ["300000000", "300000000", "1", "1", "True", "0o77", "4"]


def test_what_a_bot_leaves_behind_is_swept_in_whatever_session_it_hides(steady):
    with Launcher() as launcher:
        child = launcher.start(steady, OPEN, None)
        os.write(child.stdin, b"ready?\n")
        os.set_blocking(child.stdout, True)
        assert os.read(child.stdout, 100).startswith(b"ready")  # its newline is a write of its own
        close(child)
        launcher.end(child, grace=10.0)
        (hidden,) = run_in(launcher.folder.path)
        assert alive(hidden)
        assert launcher.sweep() == 1
        assert not alive(hidden)
        assert launcher.sweep() == 0


def test_bots_that_end_together_have_each_its_own_exit_also_one_that_never_started(
    launcher, tmp_path
):
    waits, missing, leaves = (
        launcher.start(Bot(name="b", command=command, digest="b"), OPEN, None)
        for command in (
            ("/bin/sh", "-c", "read line"),
            ("no-such-program",),
            ("/bin/sh", "-c", "exit 3"),
        )
    )
    exits = launcher.end_all([(waits, 0.0), (missing, 0.0), (leaves, 10.0)], ())
    for child in (waits, missing, leaves):
        close(child)
    assert [str(how) for how in exits] == ["signal SIGKILL", "exit 127", "exit 3"]
    assert [how.killed for how in exits] == [True, False, False]


def test_one_request_ends_all_bots_of_a_match_and_sweeps_what_they_left(
    launcher, steady, monkeypatch
):
    requests = []

    def request(
        self: SpawnerProcess, operation: bytes, *message: object, **subject: object
    ) -> object:
        requests.append(operation)
        return sends(self, operation, *message, **subject)

    sends = SpawnerProcess.request
    play(match_of(steady), launcher=launcher)
    monkeypatch.setattr(SpawnerProcess, "request", request)
    record = play(match_of(steady), launcher=launcher)
    assert not record.verdict.faults
    assert requests == [child_setup.START, child_setup.START, spawner.END]
    assert {seat.exit for seat in record.seats} == {"exit 0"}
    assert run_in(launcher.folder.path) == []


def test_a_program_with_a_name_that_is_no_text_harms_nobody_else(launcher, tmp_path):
    path = tmp_path / os.fsdecode(b"evil\xff.sh")
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    bot = Bot(name="evil", command=(f"./{path.name}",), digest="evil", files=str(path))
    child = launcher.start(bot, OPEN, None)
    assert (child.room.home / path.name).exists()
    assert child.pid == 0
    assert child.error
    close(child)
    launcher.end(child)
    assert launcher.folder.path.exists()
    assert launcher.sweep() == 0


def test_the_kit_has_compiled_code_of_its_very_sources_which_names_no_other_folder(tmp_path):
    rules = tmp_path / "rules"
    rules.mkdir()
    for name in ("taken", "of_another_size", "cut_off", "never_checked"):
        source = rules / f"{name}.py"
        source.write_text("VALUE = 'old'\ndef f():\n    return lambda: VALUE\n")
        unchecked = (
            py_compile.PycInvalidationMode.UNCHECKED_HASH if name == "never_checked" else None
        )
        compiled = Path(py_compile.compile(str(source), doraise=True, invalidation_mode=unchecked))
        if name == "cut_off":
            compiled.write_bytes(compiled.read_bytes()[:40])
        elif name != "taken":
            times = source.stat()
            source.write_text(source.read_text().replace("old", "as it is now"))
            os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    folder = Folder()
    try:
        kit = folder.kit(rules / "taken.py")
        for path in kit.rglob("*.pyc"):
            source, data = Path(importlib.util.source_from_cache(path)), path.read_bytes()
            assert struct.unpack("<LLL", data[4:16]) == (
                0,
                int(source.stat().st_mtime),
                source.stat().st_size,
            )
            assert os.fsencode(path.parents[1]) in data
            assert not any(
                os.fsencode(there) in data for there in (rules, Path(rulefile.__file__).parent)
            )
        show = "import taken, of_another_size as size, cut_off as cut, never_checked as never; "
        show += "print(taken.VALUE, size.VALUE, cut.VALUE, never.VALUE, sep=',')"
        command = [sys.executable, "-B", "-c", show]
        shown = subprocess.run(
            command,
            env={"PYTHONPATH": str(kit / "rules")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout == "old,as it is now,old,as it is now\n"
    finally:
        folder.remove()


def test_the_kit_is_made_whatever_the_rules_are_and_wherever_python_keeps_code(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(
        sys, "pycache_prefix", str(tmp_path / "elsewhere")
    )  # as PYTHONPYCACHEPREFIX does
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "good.py").write_text("VALUE = 1\n")
    (rules / "too_deep.py").write_text("VALUE = " + "-" * 100_000 + "1\n")
    (rules / "too_long.py").write_text("VALUE = " + "1 + " * 20_000 + "1\n")
    folder = Folder()
    try:
        kit = folder.kit(rules / "good.py")
        code = {path.name.partition(".")[0] for path in kit.rglob("__pycache__/*.pyc")}
        assert {"kit", "good"} <= code
        assert not {"too_deep", "too_long"} & code
        assert not (tmp_path / "elsewhere").exists()
    finally:
        folder.remove()


def test_the_kit_has_the_code_of_every_file_of_each_game_that_was_played(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"from .help_{name} import VALUE\n")
        (tmp_path / f"help_{name}.py").write_text("VALUE = 1\n")
    (tmp_path / "three.py").write_text("VALUE = 1\n")
    for name in ("one", "two"):
        rulefile.module(tmp_path / f"{name}.py")
    folder = Folder()
    try:
        assert folder.kit(tmp_path / "one.py") == folder.kit(tmp_path / "two.py")
        code = {
            path.name.partition(".")[0]
            for path in (folder.kit(tmp_path / "one.py") / "rules").rglob("*.pyc")
        }
        assert code == {"one", "help_one", "two", "help_two"}
    finally:
        folder.remove()


def test_the_kit_takes_the_content_of_rules_and_none_of_their_rights(tmp_path):
    rules = tmp_path / "rules.py"
    rules.write_text("VALUE = 1\n")
    rules.chmod(0o6777)
    with contextlib.suppress(OSError):  # a file system without attributes
        os.setxattr(rules, "user.note", b"mine")
    folder = Folder()
    try:
        copies = [path for path in (folder.kit(rules) / "rules").rglob("rules*") if path.is_file()]
        assert len(copies) == 2  # with its code
        assert [path for path in copies if path.stat().st_mode & 0o7133] == []
        assert [path for path in copies if "user.note" in os.listxattr(path)] == []
    finally:
        folder.remove()


def test_the_path_of_a_scratch_folder_tells_no_number_of_matches(tmp_path):
    bot = live.bot_of(tmp_path / "bot.py", "input()\n")
    names: list[list[str]] = []
    for _ in range(2):
        with Launcher() as launcher:
            children = [launcher.start(bot, Conditions(sandbox="landlock"), None) for _ in range(3)]
            names.append([child.room.scratch.name for child in children])
            launcher.end_all([(child, 0.0) for child in children])
            for child in children:
                close(child)
    assert not {*names[0]} & {*names[1]}
    assert len({*names[0], *names[1]}) == 6


@pytest.mark.parametrize("allowed", [(), ("utimensat",)])
def test_a_bot_that_sets_the_times_of_its_folder_back_hides_no_file(tmp_path, allowed):
    hide = (
        "input(); folder = os.environ['TMPDIR']; open(folder + '/x', 'w').write('hello'); "
        "os.utime(folder, (0, 0))"
    )
    bot = live.bot_of(tmp_path / "bot.py", f"import os\n{hide}\n")
    with Launcher() as launcher:
        child = launcher.start(bot, Conditions(sandbox="landlock", syscalls=allowed), None)
        assert child.has_no_files is not bool(allowed)
        assert stored_by(child) == (0, 0)
        os.write(child.stdin, b"\n")
        assert gone_soon([child.pid])
        assert child.room.untouched is bool(allowed)
        assert stored_by(child) == (5, 1)
        launcher.end(child)
        close(child)
        assert not child.room.scratch.exists()


def test_a_scratch_folder_that_somebody_else_removes_is_no_error(tmp_path):
    with Launcher() as launcher:
        child = launcher.start(
            live.bot_of(tmp_path / "bot.py", "input()\n"), Conditions(sandbox="landlock"), None
        )
        child.room.scratch.rmdir()
        assert stored_by(child) == (0, 0)
        launcher.end(child)
        close(child)


def test_the_watchdog_looks_first_an_interval_after_the_start(launcher, tmp_path):
    with live.started(
        live.bot_of(tmp_path / "bot.py", "input()\n"), Conditions(sandbox="rlimits"), launcher
    ) as bot:
        assert bot._watchdog.due - bot._started >= WATCHDOG_INTERVAL_S


def test_a_start_sweeps_what_killed_processes_left_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "arena-older").mkdir()  # of an arena that took no lock; it may be at work
    (tmp_path / "arena-run-link").symlink_to(tmp_path / "arena-older")
    (tmp_path / ".arena-run-made").mkdir()  # it is not locked yet
    (tmp_path / ".arena-run-left").mkdir()
    os.utime(tmp_path / ".arena-run-left", (0, 0))
    living, killed = Folder(), Folder()
    os.close(killed._lock)  # as when its process is killed
    sleep = ("sleep", "60")
    mine = subprocess.Popen(
        sleep, env={"HOME": str(living.path / "room1"), "PWD": str(killed.path / "room1")}
    )
    orphan = subprocess.Popen(sleep, env={"HOME": str(killed.path / "room1")})
    later = Folder()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        living.path.name,
        later.path.name,
        "arena-older",
        "arena-run-link",
        ".arena-run-made",
    }
    assert (mine.poll(), orphan.wait(60)) == (None, -signal.SIGKILL)
    mine.kill()
    mine.wait()
    for folder in (living, later):
        folder.remove()


def test_a_launcher_without_its_spawner_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    with pytest.raises(FileNotFoundError):
        Launcher()
    assert list(tmp_path.iterdir()) == []


def test_a_launcher_is_closed_as_a_whole_whatever_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupted(spawner: SpawnerProcess) -> None:
        close_spawner(spawner)
        raise KeyboardInterrupt

    close_spawner = SpawnerProcess.close
    monkeypatch.setattr(SpawnerProcess, "close", interrupted)
    with pytest.raises(KeyboardInterrupt), Launcher():
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_private_folder_is_not_left_when_ctrl_c_comes_while_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        private()
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_leaves_the_kept_and_what_died_of_them_can_still_be_ended(tmp_path):
    (tmp_path / "bot.py").write_text("input()\n")
    with Launcher() as launcher:
        kept, dead, left = (
            launcher.start(discovery.from_path(tmp_path / "bot.py"), OPEN, None) for _ in range(3)
        )
        os.write(dead.stdin, b"\n")
        assert gone_soon([dead.pid])
        assert launcher.sweep((kept.pid, dead.pid)) == 1
        assert alive(kept.pid)
        assert not alive(left.pid)
        assert str(launcher.end(dead)) == "exit 0"
        assert str(launcher.end(kept)) == "signal SIGKILL"
        for child in (kept, dead, left):
            close(child)
