"""Confinement from the outside: the choice of a level, what starts under it, limits that are seen,
frozen bots.
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from arena import play_match, rulefile
from arena.clock import TimeControl
from arena.errors import ArenaError, MachineError
from arena.event import discovery
from arena.match.bot import LiveBot, postmortem
from arena.match.play import play
from arena.match.polling import ask_all
from arena.sandbox import (
    bubblewrap,
    building,
    choice,
    exposure,
    file_policy,
    landlock,
    procfs,
    rlimits,
    seccomp,
    selftest,
    selftest_bot,
    syscalls,
    toolchain,
    users,
    watchdog,
)
from arena.sandbox import launcher as launcher_module
from arena.sandbox.child import Exit
from arena.sandbox.copying import Copier
from arena.sandbox.folder import Room, discard
from arena.sandbox.launcher import ConfinementError, Launcher, SpawnerLostError
from arena.sandbox.level import TEMPORARY
from arena.sandbox.levels import CONFINING, TABLE
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot, Conditions, Ending, Limits, Match
from tests.sandbox.test_sandbox import dig
from tests.support import cup, live, packages, sprint, workspaces
from tests.support.live import GO, READY, RULES
from tests.support.processes import (
    OURS,
    alive,
    descendants,
    descriptors,
    free_descriptors,
    gone_soon,
    until,
)
from tests.support.programs import python

ANSWERS = python("say('x')")
STEADY = python("say(legal[-1])")
SHELL = (
    "while read -r word rest; do case $word in ready?) echo ready;; legal) move=$rest;; go) "
    'echo "$move";; esac; done\n'
)
NODE = (
    "let move, text = '';\nprocess.stdin.on('data', data => {\n"
    "  const lines = (text + data).split('\\n');\n"
    "  text = lines.pop();\n  for (const line of lines) {\n"
    "    if (line === 'ready?') console.log('ready');\n"
    "    else if (line.startsWith('legal ')) move = line.slice(6);\n"
    "    else if (line.startsWith('go')) console.log(move);\n  }\n});\n"
)
JAVA = (
    "import java.util.*;\npublic class Bot {\n  public static void main(String[] a) {\n"
    "    Scanner in = new Scanner(System.in);\n"
    '    String move = "";\n    while (in.hasNextLine()) {\n      String line = in.nextLine();\n'
    '      if (line.equals("ready?")) System.out.println("ready");\n'
    '      else if (line.startsWith("legal ")) move = line.substring(6);\n'
    '      else if (line.startsWith("go")) System.out.println(move);\n    }\n  }\n}\n'
)


PUBLIC_PYTHON = "/usr/bin/python3"
"""An interpreter that every user can read, as bubblewrap wants it of root."""


@cache
def failure(level: str, interpreter: str) -> str | None:
    """Return why a level does not work here with this interpreter; None when it does."""
    return choice.failure(level) if interpreter == PYTHON else selftest.failure(level, interpreter)


def offered(level: str) -> str:
    """Return the level, or skip and say why this machine does not have it."""
    if (why := failure(level, interpreter_at(level))) is not None:
        pytest.skip(f"{level}: {why}")
    return level


def interpreter_at(level: str) -> str:
    """Return the interpreter for a bot at this level."""
    return (
        PUBLIC_PYTHON
        if level == "bubblewrap" and os.getuid() == 0 and failure(level, PYTHON)
        else PYTHON
    )


def bot_of(path: Path, text: str, level: str = "landlock") -> Bot:
    return replace(
        live.bot_of(path, text), command=(interpreter_at(level), "-s", "-B", "-u", path.name)
    )


@pytest.fixture
def steady(tmp_path) -> Bot:
    return bot_of(tmp_path / "steady.py", STEADY)


def match_of(*bots: Bot, **conditions: object) -> Match:
    patient = Conditions(time=TimeControl(start=30.0, move=20.0), **conditions)
    return live.match_of("duel", *bots, conditions=patient)


# The choice of a level


def test_the_probe_finds_what_a_level_that_confines_nothing_leaves_open():
    assert selftest_bot.ATTEMPTS[0] in (selftest.failure("rlimits") or "")
    assert selftest.failure("none") == f"a bot could {', '.join(selftest_bot.ATTEMPTS)}"


def test_auto_takes_the_first_level_that_holds(monkeypatch):
    fails: dict[str, str | None] = {"landlock": None, "bubblewrap": None}
    monkeypatch.setattr(choice, "failure", fails.get)
    assert choice.choose("auto", unsafe=False) == "landlock"
    fails["landlock"] = "this kernel has no Landlock"
    assert choice.choose("auto", unsafe=True) == "bubblewrap"


def test_where_no_level_holds_the_event_is_refused_with_what_failed_and_what_to_do(monkeypatch):
    fails = {
        "landlock": "this kernel has no Landlock",
        "bubblewrap": "bwrap: No permissions to create new namespace",
    }
    monkeypatch.setattr(choice, "failure", fails.get)
    with pytest.raises(ArenaError) as refused:
        choice.choose("auto", unsafe=False)
    words = str(refused.value)
    assert all(
        part in words for part in (*fails.values(), "Linux 5.13", "package bubblewrap", "--unsafe")
    )
    assert choice.choose("auto", unsafe=True) == "rlimits"


@pytest.mark.parametrize("level", ["rlimits", "none"])
def test_a_level_that_does_not_confine_must_be_asked_for_twice_and_warns(level):
    with pytest.raises(ArenaError, match=r"does not confine: .*--unsafe"):
        choice.choose(level, unsafe=False)
    assert choice.choose(level, unsafe=True) == level
    assert "bots are not confined" in (choice.warning(Conditions(sandbox=level)) or "")
    assert choice.warning(Conditions(sandbox="landlock")) is None
    allowed = Conditions(sandbox="landlock", syscalls=("memfd_create",))
    assert "bots may call memfd_create" in (choice.warning(allowed) or "")


def test_a_level_that_does_not_exist_is_refused_with_the_known_ones():
    with pytest.raises(
        ArenaError, match=r"no level 'landlok'; did you mean 'landlock'\? Known: auto, landlock"
    ):
        choice.choose("landlok", unsafe=False)


def test_a_level_that_cannot_be_had_is_refused_in_the_tools_own_words(monkeypatch):
    monkeypatch.setattr(choice, "failure", lambda _: "bwrap is not installed")
    with pytest.raises(
        ArenaError,
        match=r"'bubblewrap' cannot be had here: bwrap is not installed; it needs the program",
    ):
        choice.choose("bubblewrap", unsafe=False)


def disturb(monkeypatch, kill, times: int) -> list[int]:
    """Have the self-test's first starts end by a kill of what `kill` names; return a list with the
    spawner of each.

    A probe may have answered before it is killed; then the next start of the same spawner is the
    one that is disturbed.
    """
    killed: list[int] = []

    class Disturbed(Launcher):
        def start(self, *words, **named):
            child = super().start(*words, **named)
            if len(killed) < times:
                killed.append(self._spawner.pid)
                os.kill(kill(self, child), signal.SIGKILL)
            return child

    monkeypatch.setattr(selftest, "Launcher", Disturbed)
    return killed


KILLS = {
    "the spawner": lambda launcher, _: launcher._spawner.pid,
    "the probe": lambda _, child: child.pid,
}


@pytest.mark.parametrize(
    ("level", "kill"), [*zip(CONFINING, KILLS.values(), strict=True)], ids=KILLS
)
def test_a_self_test_that_is_disturbed_once_is_tried_again(monkeypatch, level, kill):
    interpreter = interpreter_at(offered(level))
    killed = disturb(monkeypatch, kill, times=1)
    assert selftest.failure(level, interpreter) is None
    assert len(killed) == 1


def test_a_self_test_that_is_disturbed_each_time_never_lowers_the_level(monkeypatch):
    choice.failure.cache_clear()
    killed = disturb(monkeypatch, KILLS["the spawner"], times=100)
    with pytest.raises(
        ArenaError, match=r"self-test of 'landlock' was disturbed 3 times \(.*run the same"
    ) as refused:
        choice.choose("auto", unsafe=True)
    assert "Linux 5.13" not in str(refused.value)
    assert len(set(killed)) == 3


PROBED = "".join(f"{name}: no\n" for name in selftest_bot.ATTEMPTS)
CUT_SHORT = {
    "killed between two lines": PROBED[:60],
    "killed after a line that says yes": PROBED[:60] + "connect to us: yes\n",
    "killed before its last line": PROBED,
    "killed in the middle of its last line": PROBED + "play: ye",
    "without a file to spare": PROBED + f"play: {errno.ENFILE} Too many open files in system\n",
}


def probe_that_says(monkeypatch, tmp_path, text: str) -> None:
    """Have the self-test run a probe that prints this text, and is killed then."""
    probe = tmp_path / "selftest_bot.py"
    probe.write_text(
        f"import os, sys\nsys.stdout.write({text!r})\nsys.stdout.flush()\n"
        "os.kill(os.getpid(), 15)\n"
    )
    monkeypatch.setattr(selftest_bot, "__file__", str(probe))
    choice.failure.cache_clear()


def test_a_probe_that_is_killed_each_time_never_lowers_the_level(monkeypatch, tmp_path):
    probe_that_says(monkeypatch, tmp_path, PROBED)
    for _ in range(2):  # what was not found out is not remembered
        with pytest.raises(ArenaError, match="self-test of 'landlock' was disturbed 3 times"):
            choice.choose("auto", unsafe=True)


@pytest.mark.parametrize("text", CUT_SHORT.values(), ids=CUT_SHORT)
def test_a_probe_that_did_not_come_back_whole_has_no_result(text):
    with pytest.raises(selftest.DisturbedError):
        selftest._judgement(text, "killed")
    assert selftest._judgement(PROBED + "play: yes\n", "killed") is None


def test_a_disk_full_in_the_self_test_is_named_and_never_lowers_the_level(monkeypatch, tmp_path):
    probe_that_says(
        monkeypatch, tmp_path, PROBED + f"play: {errno.ENOSPC} No space left on device\n"
    )
    with pytest.raises(
        MachineError, match=r": cannot be written: No space left on device; bots get their scratch"
    ):
        choice.choose("auto", unsafe=True)


def test_a_bwrap_that_is_killed_while_it_is_tried_says_nothing_of_the_level(monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\nkill -9 $$\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(bubblewrap.BubblewrapError) as failure:
        bubblewrap.working_command(None)
    assert failure.value.errno in TEMPORARY


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="with one core no child is forked ahead"
)
def test_a_child_that_is_killed_before_it_is_a_bot_says_nothing_of_the_level(steady):
    level = offered("landlock")

    def waiting(launcher: Launcher) -> set[int]:
        return {
            pid
            for pid in procfs.children(launcher._spawner.pid)
            if Path(f"/proc/{pid}/comm").read_text() in OURS
        }

    with Launcher() as launcher:
        launcher.end(launcher.start(steady, Conditions(sandbox=level), None))
        assert until(lambda: len(waiting(launcher)) == 2)
        for pid in waiting(launcher):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(ConfinementError, match="was ended before it could answer") as failure:
            launcher.start(steady, Conditions(sandbox=level), None)
        assert failure.value.passing


def test_a_tool_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(bubblewrap.BubblewrapError, match="bwrap is not installed"):
        bubblewrap.working_command(None)


# What starts


def toolchains() -> dict[str, tuple[str, ...]]:
    return {
        "this interpreter": ("{python}", "-s", "-B", "-u", "bot.py"),
        "the system's python3": ("/usr/bin/python3", "-u", "bot.py"),
        "a venv": ("VENV/bin/python", "-u", "bot.py"),
        "node": ("node", "bot.js"),
        "java": ("java", "-Xmx64m", "-Xshare:auto", "-cp", ".", "Bot"),
        "bash": ("bash", "./bot.sh"),
    }


@cache
def compiled(source: str) -> bytes:
    """Return the class file of a Java program."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Bot.java").write_text(source)
        subprocess.run(
            ["javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "Bot.java"],
            cwd=folder,
            check=True,
        )
        return Path(folder, "Bot.class").read_bytes()


@pytest.fixture(scope="module")
def venv():
    """A virtual environment that every user can read, with a package in it and a workspace beside
    that.
    """
    if not Path(PUBLIC_PYTHON).exists():
        pytest.skip(f"there is no {PUBLIC_PYTHON}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        subprocess.run([PUBLIC_PYTHON, "-m", "venv", "--without-pip", folder], check=True)
        (packages,) = folder.glob("lib/python3*/site-packages")
        (packages / "helper.py").write_text("")
        (folder / "cup" / "bots").mkdir(parents=True)
        (folder / "cup" / "bots" / "rival.py").write_text("secret")
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("level", CONFINING)
@pytest.mark.parametrize("name", toolchains())
def test_what_is_on_this_machine_starts_and_plays_confined(
    request, tmp_path, launcher, level, name
):
    command = toolchains()[name]
    home = tmp_path / "bot"
    home.mkdir()
    if name == "a venv":
        command = (str(request.getfixturevalue("venv") / "bin/python"), *command[1:])
    if shutil.which(command[0]) is None and command[0] != "{python}":
        pytest.skip(f"{command[0]} is not on this machine")
    offered(level)
    (home / "bot.py").write_text(STEADY)
    (home / "bot.js").write_text(NODE)
    (home / "bot.sh").write_text(SHELL)
    if name == "java":
        if shutil.which("javac") is None:
            pytest.skip("javac is not on this machine")
        (home / "Bot.class").write_bytes(compiled(JAVA))
    bot = Bot(name="b", command=command, digest=f"{name} at {level}", files=str(home))
    shell = Bot(
        name="shell",
        command=("/bin/sh", "bot.sh"),
        digest=f"shell, {name} at {level}",
        files=str(home),
    )
    limits = Limits(memory=400_000_000, cpu=60.0)
    try:
        record = play(match_of(bot, shell, sandbox=level, limits=limits), launcher=launcher)
    except ConfinementError as error:
        if os.getuid() != 0 or level != "bubblewrap":
            raise
        pytest.skip(
            str(error)
        )  # root, and an interpreter in a private folder: what landlock is for
    assert record.verdict.faults == (), record.verdict
    assert record.seats[0].confined.startswith(level)


def test_a_child_opens_no_descriptor_twice_and_reads_only_what_is_its_own(tmp_path):
    script = (
        "import os, sys\n"
        "from arena.sandbox import landlock\nfrom arena.sandbox.level import BotKind, LaunchSpec\n"
        "rule, opened = landlock._rule, []\n"
        "landlock._rule = lambda path, rights: opened.append(path) or rule(path, rights)\n"
        "kit, python, own, home, scratch = sys.argv[1:]\n"
        "level = landlock.Landlock()\n"
        "level.prepare(BotKind('landlock', 1, (), False, (kit, python)))\n"
        "def confine(*read):\n"
        "    if pid := os.fork():\n"
        "        return os.waitpid(pid, 0)\n"
        "    opened.clear()\n"
        "    sizes = (), 1, 0, 0\n"
        "    spec = LaunchSpec('landlock', home, scratch, read, *sizes, *(False, False, (), False, "
        "False), '', None)\n"
        "    level.confine(spec, [])\n"
        "    may_list = []\n"
        "    for folder in (kit, python, own):\n"
        "        try: may_list += os.listdir(folder)\n"
        "        except PermissionError: pass\n"
        "    print([os.path.basename(path) for path in opened], may_list, flush=True)\n"
        "    os._exit(0)\n"
        "confine(kit, python), confine(kit), confine(kit, own)\n"
    )
    folders = [tmp_path / name for name in ("kit", "python", "own", "home", "scratch")]
    for folder in folders:
        folder.mkdir()
        (folder / folder.name[0]).touch()
    if landlock.version() == 0:
        pytest.skip("this kernel has no Landlock")
    printed = subprocess.run(
        [sys.executable, "-c", script, *folders], capture_output=True, text=True, check=True
    ).stdout
    assert printed.splitlines() == [
        "['home', 'scratch'] ['k', 'p']",
        "['home', 'scratch'] ['k']",
        "['own', 'home', 'scratch'] ['k', 'o']",
    ]


@packages.OWN
def test_an_interpreter_tells_what_it_needs_and_a_home_folder_is_never_given_away(tmp_path):
    mine = toolchain.needs(sys.executable)
    for file in (os.__file__, pytest.__file__, sys.executable, os.path.realpath(sys.executable)):
        assert file_policy.public(file) or any(Path(file).is_relative_to(place) for place in mine)
    assert not {str(Path.home()), "/", "/tmp", sys.prefix, sys.base_prefix} & set(mine)
    program = tmp_path / "bin" / "tool"
    program.parent.mkdir()
    program.write_text("")
    assert toolchain.needs(str(program)) == (str(program),)
    (tmp_path / "lib").mkdir()
    toolchain.needs.cache_clear()
    assert toolchain.needs(str(program)) == (str(program), str(tmp_path))


@pytest.mark.parametrize("level", CONFINING)
def test_a_bot_reads_its_interpreters_packages_and_no_workspace_beside_them(launcher, venv, level):
    tries = (
        "sys, time\nimport helper\n"
        f"for read in (lambda: open({str(venv / 'cup/bots/rival.py')!r}), lambda: "
        f"os.listdir({str(venv / 'cup')!r}),\n"
        f"             lambda: os.listdir({str(venv / 'cup/bots')!r})):\n"
        "    try: read()\n    except OSError: pass\n    else: sys.exit('read')\n"
    )
    spy = bot_of(venv / "cup/bots/spy.py", STEADY.replace("sys, time\n", tries), offered(level))
    spy = replace(spy, command=(str(venv / "bin/python"), *spy.command[1:]))
    assert play(match_of(spy, spy, sandbox=level), launcher=launcher).verdict.faults == ()


def test_a_workspace_that_bots_could_read_is_refused_before_anything_is_played(tmp_path):
    """Of a program that is no Python the whole prefix is granted: who knows what it reads there."""
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin/tool").write_text("")
    tool = {"name": "tool", "command": [str(tmp_path / "bin/tool")]}
    folder = workspaces.make(tmp_path / "cup", boards="duel", bot=[tool])
    words = f"lies in {tmp_path}, which bots may read with everything in it"
    for command in (["run"], ["match", "tool", "first", "--board", "duel"], ["check", "tool"]):
        refused = cup.arena(folder, *command)
        assert (refused.returncode, words in refused.stderr) == (2, True), refused
        assert "move the workspace, or the bot, elsewhere" in refused.stderr
    assert cup.stored(folder) == 0
    exposure.refuse_exposed([folder], [discovery.from_path(folder / "bots/first.py")], "landlock")


@pytest.fixture
def public(monkeypatch):
    """Make a folder public to every bot; what was remembered of programs before and meanwhile is
    forgotten.
    """
    caches = (
        toolchain.needs,
        toolchain.resolved,
        exposure.refuse_exposed_copies,
        landlock._public_rules,
    )

    def forget():
        for remembered in caches:
            remembered.cache_clear()

    def add(folder, table="PROGRAMS"):
        monkeypatch.setattr(file_policy, table, (*getattr(file_policy, table), str(folder)))
        forget()

    yield add
    monkeypatch.undo()
    forget()


def test_a_workspace_and_a_private_folder_among_the_systems_programs_are_refused(
    tmp_path, monkeypatch, public, steady
):
    public(tmp_path / "usr")
    folder = workspaces.make(tmp_path / "usr/src/cup", boards="duel")
    (tmp_path / "new.py").write_text(cup.FIRST)
    for command in (
        ["run"],
        ["match", "first", "last", "--board", "duel"],
        ["submit", str(tmp_path / "new.py")],
    ):
        refused = cup.arena(folder, *command)
        assert (
            refused.returncode,
            f"lies in {tmp_path}/usr, which bots may read" in refused.stderr,
        ) == (2, True)
    assert not (folder / "bots/_refused").exists()
    monkeypatch.setattr(file_policy, "PROGRAMS", file_policy.PROGRAMS[:-1])
    monkeypatch.setattr(
        toolchain, "needs", lambda _: (str(tmp_path / "usr"),)
    )  # an interpreter's own folder
    refused = cup.arena(folder, "submit", str(tmp_path / "new.py"))
    assert (
        refused.returncode,
        f"lies in {tmp_path}/usr, which bots may read" in refused.stderr,
    ) == (2, True)
    assert not (folder / "bots/_refused").exists()
    public(tmp_path / "usr")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with (
        Launcher() as launcher,
        pytest.raises(ArenaError, match=r"^TMPDIR: .* lies in .*/usr, which bots may read"),
    ):
        launcher.start(steady, Conditions(sandbox="landlock"), None)


@pytest.mark.parametrize("inside_a_workspace", [True, False])
def test_bots_by_path_in_a_folder_that_every_bot_may_read_are_refused(
    tmp_path, public, inside_a_workspace
):
    public(tmp_path / "usr")
    here = workspaces.make(tmp_path / "cup", boards="duel") if inside_a_workspace else tmp_path
    (tmp_path / "usr").mkdir()
    exposed, hidden = str(tmp_path / "usr/new.py"), str(tmp_path / "old.py")
    for path in (exposed, hidden):
        Path(path).write_text(cup.FIRST)
    words = f"{exposed}: lies in {tmp_path}/usr, which bots may read with everything in it"
    for command in (
        ["match", hidden, exposed, "--board", "duel"],
        ["play", "duel", "mummy", "--against", exposed],
    ):
        refused = cup.arena(here, *command, typed="q\n")
        assert (refused.returncode, words in refused.stderr) == (2, True), refused
    with pytest.raises(ArenaError, match=f"^{words}"):
        play_match("mummy_maze/duel", {"explorer": hidden, "mummy": exposed})
    exposure.refuse_exposed(
        (), [discovery.from_path(Path(exposed))], "none"
    )  # nothing is hidden there at all


def test_bots_that_come_with_arena_play_although_every_bot_may_read_them(public):
    shipped = rulefile.shipped().parent
    public(shipped)
    exposure.refuse_exposed((), discovery.gather(shipped / "bots"), "landlock")


@pytest.mark.parametrize("table", ["PROGRAMS", "SETTINGS", "DEVICES"])
def test_a_workspace_in_any_folder_that_every_bot_may_read_is_refused(tmp_path, public, table):
    exposure.refuse_exposed([tmp_path / "shared/cup"], (), "landlock")
    public(tmp_path / "shared", table)
    with pytest.raises(ArenaError, match=f"lies in {tmp_path}/shared, which bots may read"):
        exposure.refuse_exposed([tmp_path / "shared/cup"], (), "landlock")


# Limits, as arena sees them


def test_a_bot_that_dies_of_its_memory_limit_is_told_peak_and_limit(launcher, tmp_path, steady):
    eater = bot_of(tmp_path / "eater.py", python("kept = [bytes(10**6) for _ in range(10**4)]"))
    (fault,) = play(
        match_of(eater, steady, limits=Limits(memory=100_000_000)), launcher=launcher
    ).verdict.faults
    assert fault.ending == "crashed"
    assert "MemoryError" in fault.words
    assert "MB, its limit is 100 MB" in fault.words


def test_a_limit_that_is_too_low_for_an_interpreter_is_said_as_such(launcher, tmp_path):
    slow = python(ready="time.sleep(0.1); say('ready')")  # so long that the watchdog looks
    bot = bot_of(tmp_path / "slow.py", slow)
    one, *_ = play(
        match_of(bot, bot, limits=Limits(memory=3_000_000)), launcher=launcher
    ).verdict.faults
    assert one.ending in {
        "crashed",
        "limit_exceeded",
    }  # whichever is faster: the system's limit or our look
    assert "3 MB, which may be too little for its interpreter to start" in one.words


@pytest.mark.parametrize("level", CONFINING)
def test_more_processes_than_allowed_are_seen_and_all_of_them_ended(launcher, tmp_path, level):
    offered(level)
    crowd = bot_of(
        tmp_path / "crowd.py",
        python("for _ in range(6):\n    if os.fork() == 0: time.sleep(600)\ntime.sleep(600)"),
        level,
    )
    steady = bot_of(tmp_path / "steady.py", STEADY, level)
    record = play(
        match_of(crowd, steady, sandbox=level, limits=Limits(processes=3)), launcher=launcher
    )
    assert launcher.sweep() == 0
    (fault,) = record.verdict.faults
    assert (fault.ending, fault.words) == ("limit_exceeded", "processes: more than 3 at once")


def test_waits_are_excused_where_the_level_allows_a_bot_one_process(launcher, tmp_path, steady):
    offered("landlock")
    for processes, complete in ((None, True), (1, True), (2, False)):
        conditions = Conditions(sandbox="landlock", limits=Limits(processes=processes))
        with live.started(steady, conditions, launcher) as bot:
            assert bot._meter.complete is complete


SPENDS = """
import sys, time
held = bytearray(40_000_000)
until = time.process_time() + 0.05
while time.process_time() < until: pass
print("ready", flush=True)
for line in sys.stdin: {after}
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", ["pass", "time.sleep(60)"], ids=["leaves by itself", "is killed"])
@pytest.mark.parametrize("level", CONFINING)
def test_the_record_has_the_cpu_time_and_the_memory_of_the_bot_alone(
    launcher, tmp_path, level, after
):
    spender = bot_of(tmp_path / "spender.py", SPENDS.format(after=after), offered(level))
    with live.ready(spender, Conditions(sandbox=level), launcher) as bot:
        live.say_goodbye(bot, b"end x\n")
        report = bot.report()
    assert 0.05 <= report.cpu < 5.0
    assert 40_000_000 < report.memory < 200_000_000


@pytest.mark.parametrize("level", CONFINING)
def test_the_memory_of_a_cold_bot_has_nothing_to_do_with_that_of_the_spawner(tmp_path, level):
    offered(level)
    (tmp_path / "sh").mkdir()
    (tmp_path / "sh" / "bot.sh").write_text("echo ready; while read line; do :; done\n")
    small = Bot(
        name="small", command=("/bin/sh", "bot.sh"), digest="small", files=str(tmp_path / "sh")
    )
    with Launcher() as launcher:
        with live.ready(
            live.bot_of(tmp_path / "warm.py", STEADY), Conditions(sandbox="none"), launcher
        ) as bot:
            live.say_goodbye(bot, b"end x\n")
        assert bot.report().warm
        with live.ready(small, Conditions(sandbox=level), launcher) as bot:
            live.say_goodbye(bot, b"end x\n")
            report = bot.report()
    assert not report.warm
    assert 500_000 < report.memory < 4_000_000


# a second is the least that the kernel counts; the parts of it have tests of their own
@pytest.mark.soak
@pytest.mark.parametrize("level", CONFINING)
def test_cpu_time_over_the_limit_of_a_match_is_said_as_such(launcher, tmp_path, level):
    spinner = bot_of(tmp_path / "spinner.py", "while True: pass\n", offered(level))
    with live.started(spinner, Conditions(sandbox=level, limits=Limits(cpu=1.0)), launcher) as bot:
        bot._watchdog._limits = Limits(cpu=None)  # so that it is the kernel that ends it
        heard = live.ask(bot, READY)
    assert (heard.ending, heard.words.partition(":")[0]) == ("limit_exceeded", "cpu")


def test_the_signal_of_the_kernels_limit_on_cpu_is_known_at_every_level():
    spent = Exit(
        TABLE["bubblewrap"].exit_code(128 + signal.SIGXCPU), killed=False, cpu=0.96, memory=0
    )
    assert spent == replace(spent, code=TABLE["landlock"].exit_code(-signal.SIGXCPU))
    failure = postmortem.limit_exceeded(spent, Limits(cpu=1.0), starting=False)
    assert (failure.ending, failure.words.partition(":")[0]) == ("limit_exceeded", "cpu")
    assert (
        postmortem.limit_exceeded(replace(spent, cpu=0.1), Limits(cpu=1.0), starting=False) is None
    )  # it sent that


FORKS_ON = """
import os, time
born = 0
try:
    while born < 1000:
        if os.fork() == 0: time.sleep(60)
        born += 1
except OSError: pass
print("#", born, flush=True)
print("ready", flush=True)
time.sleep(60)
"""


def assert_the_kernel_bounds_a_fork_bomb(folder: Path, level: str) -> None:
    """Have a bot that may be four processes make as many as it can, while nobody looks."""
    bomb = bot_of(folder / "bomb.py", FORKS_ON, offered(level))
    with live.started(bomb, Conditions(sandbox=level, limits=Limits(processes=4))) as bot:
        if level == "landlock" and bot.child.spec.user is None and bot.child.cgroup is None:
            pytest.skip("no other user can read this interpreter, so that a bot stays root by name")
        live.nobody_looks(bot)
        assert 4 <= int(live.ask(bot, READY).remarks[0]) <= 4 * watchdog.THREADS + rlimits.HELPERS


@pytest.mark.slow
@pytest.mark.parametrize("level", CONFINING)
def test_the_kernel_ends_a_fork_bomb_before_anybody_looks(tmp_path, level):
    """The kernel can count a bot's processes in a namespace, or for a user that is the bot
    alone.
    """
    if level == "landlock" and os.getuid() != 0:
        pytest.skip(
            "without root a bot is the user that runs it, of whom the kernel counts all processes"
        )
    assert_the_kernel_bounds_a_fork_bomb(tmp_path, level)


def test_as_many_processes_as_allowed_are_no_fault(launcher, tmp_path, steady):
    forks = STEADY.replace("sys, time\n", "sys, time\nif os.fork() == 0: time.sleep(600)\n")
    pair = bot_of(tmp_path / "pair.py", forks)
    assert (
        play(match_of(pair, steady, limits=Limits(processes=2)), launcher=launcher).verdict.faults
        == ()
    )


@pytest.mark.parametrize("level", [*CONFINING, "rlimits"])
def test_one_bot_may_be_two_processes_and_its_opponent_may_not(launcher, tmp_path, level):
    offered(level)
    forks = python(
        "say(legal[-1])", ready="if not os.fork(): time.sleep(600)\ntime.sleep(0.1); say('ready')"
    )
    one = bot_of(tmp_path / "pair.py", forks, level)
    two = replace(one, name="two", processes=2)
    (fault,) = play(match_of(two, one, sandbox=level), launcher=launcher).verdict.faults
    assert fault.role == "mummy"
    refusal = (
        "processes: more than 1 at once"
        if level == "rlimits"
        else "ask the organiser for processes = 2 in its"
    )
    assert refusal in fault.words
    assert launcher.sweep() == 0


# Builds


@pytest.mark.slow
@pytest.mark.parametrize("level", CONFINING)
def test_a_build_runs_many_processes_on_a_copy_and_leaves_what_it_made(tmp_path, level):
    offered(level)
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on this machine")
    home = tmp_path / "bot"
    home.mkdir()
    (home / "bot.c").write_text('#include <stdio.h>\nint main(void) { puts("ready"); return 0; }\n')
    bot = Bot(name="b", command=("./bot",), digest="b", files=str(home))
    with Launcher() as launcher:
        words = ("bash", "-c", "gcc -o bot bot.c && ls && echo made >> $HOME/note")
        built = building.build(launcher, bot, words, level, tmp_path / "out")
        launcher.sweep()
        assert descendants(launcher._spawner.pid) == set()
    assert (built.failed, built.output) == (False, b"bot\nbot.c\n")
    assert sorted(os.listdir(home)) == ["bot.c"]
    assert sorted(os.listdir(tmp_path / "out")) == ["bot", "bot.c"]
    assert (
        subprocess.run([tmp_path / "out" / "bot"], capture_output=True, check=True).stdout
        == b"ready\n"
    )


@pytest.mark.parametrize("level", CONFINING)
def test_a_build_that_fails_or_reaches_out_says_so_and_leaves_nothing(launcher, tmp_path, level):
    offered(level)
    (tmp_path / "secret").write_text("secret")
    home = tmp_path / "bot"
    home.mkdir()
    bot = Bot(name="b", command=("./bot",), digest=f"fails at {level}", files=str(home))
    words = ("bash", "-c", f"cat {tmp_path / 'secret'}; exit 3")
    built = building.build(launcher, bot, words, level, tmp_path / "out")
    assert built.exit.code == 3
    assert built.output.count(b"secret") == 1  # the name, in what cat complains of
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["false", "true"])
def test_a_build_on_a_full_disk_is_no_fault_of_its_bot(tmp_path, launcher, monkeypatch, command):
    """It fails for want of room, or what it made finds none."""
    bot = live.bot_of(tmp_path / "bot.py", "")
    disk = os.statvfs(tmp_path)
    full = os.statvfs_result((*disk[:3], 0, 0, *disk[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)

    def copy(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    started = launcher.start

    def start(*arguments: object, **options: object):
        child = started(*arguments, **options)
        monkeypatch.setattr(Copier, "copy", copy)
        return child

    monkeypatch.setattr(launcher, "start", start)
    with pytest.raises(MachineError):
        building.build(launcher, bot, (command,), offered("landlock"), tmp_path / "out")


# Where this machine is another: what a container takes away, a filter takes away here


def without(*names: str):
    """For `preexec_fn`: these system calls are refused from now on, as a container or an old kernel
    would.
    """
    known = {
        **syscalls.numbers(seccomp.arch() or ""),
        "landlock_create_ruleset": landlock.CREATE_RULESET,
    }
    program = seccomp._laid(seccomp.LOAD, seccomp.NUMBER)
    for name in names:
        missing = errno.ENOSYS if name.startswith("landlock") else errno.EPERM
        program += seccomp._laid(seccomp.EQUAL, known[name], 0, 1)
        program += seccomp._laid(seccomp.ANSWER, seccomp.REFUSE | missing)
    program += seccomp._laid(seccomp.ANSWER, seccomp.ALLOW)

    def take() -> None:
        rlimits.no_new_privs()
        seccomp.install(program)

    return take


NAMESPACES = ("unshare", "mount", "pivot_root", "setns")
LANDLOCK = ("landlock_create_ruleset",)
CHOOSE = """
import sys; sys.path.append(sys.argv[1])
from arena.errors import ArenaError
from arena.sandbox import choice
for level in sys.argv[2:]:
    try:
        print(choice.choose(level, unsafe=level == "none"))
    except ArenaError as refused:
        print(refused)
"""
PLAY = """
from arena import play_match
from arena.sandbox import users
users.CLAIMS = ("/nowhere/claims",)  # as if a file of another user were there
print(play_match("mummy_maze/hunt", dict.fromkeys(("explorer", "mummy"), "steady.py")).verdict.faults)
"""


def here() -> str:
    """Return the folder of the package arena."""
    return str(Path(rulefile.__file__).parents[1])


def chosen(*taken: str) -> str:
    """Return the level that `auto` takes where these calls are taken away, or what it says."""
    words = [PUBLIC_PYTHON, "-B", "-c", CHOOSE, here(), "auto"]
    run = subprocess.run(
        words, capture_output=True, text=True, preexec_fn=without(*taken), timeout=60, check=True
    )
    return run.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path(PUBLIC_PYTHON).exists(), reason=f"there is no {PUBLIC_PYTHON}")
def test_auto_takes_landlock_and_bubblewrap_where_there_is_no_landlock():
    offered("landlock")
    assert chosen(*NAMESPACES) == "landlock\n"  # which a probe has tried: it could play there
    both_gone = chosen(*NAMESPACES, *LANDLOCK)
    assert "bots cannot be confined here" in both_gone
    assert "this kernel has no Landlock" in both_gone
    offered("bubblewrap")
    assert chosen(*LANDLOCK) == "bubblewrap\n"
    assert "bwrap: " in both_gone  # its own line


CONTAINER = ("unshare", "--user", "--map-root-user")


def in_a_rootless_container() -> None:
    """Or a skip, where ordinary users may make no namespace."""
    if (
        shutil.which("unshare") is None
        or subprocess.run([*CONTAINER, "true"], check=False).returncode != 0
    ):
        pytest.skip("no user namespace can be made here")


@pytest.mark.slow
def test_a_match_is_played_confined_by_root_of_a_rootless_container(tmp_path):
    """Its root is root in name only, and can become no other user."""
    in_a_rootless_container()
    offered("landlock")
    (tmp_path / "steady.py").write_text(STEADY)
    words = [*CONTAINER, sys.executable, "-B", "-c", CHOOSE + PLAY, here(), "auto", "bubblewrap"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    level, refused, faults = done.stdout.splitlines()
    assert (level, faults) == ("landlock", "()")
    assert "use the level landlock" in refused or "bwrap is not installed" in refused


@pytest.mark.parametrize(
    ("around", "words"),
    [
        (
            ("--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"),
            "/proc is not mounted here",
        ),
        (("--pid", "--fork"), "/proc here is that of another process namespace"),
    ],
)
def test_without_a_proc_of_this_system_every_level_is_refused_in_words(around, words):
    in_a_rootless_container()
    command = [*CONTAINER, *around, sys.executable, "-B", "-c", CHOOSE, here(), "auto", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert [line.startswith(f"sandbox: {words}") for line in done.stdout.splitlines()] == [True] * 2
    assert "5.13" not in done.stdout


REOPENS = """
import os
print("ready", flush=True)
asked = b""
while b"go\\n" not in asked:
    again = os.open("/dev/stdin", os.O_RDONLY)
    asked += os.read(again, 999)
    os.close(again)
with open("/dev/stdout", "w") as again: again.write("x\\n")
"""


@pytest.mark.parametrize("level", ["landlock", "none"])
def test_a_bot_may_open_its_input_and_output_again(launcher, tmp_path, level):
    reopens = bot_of(tmp_path / "bot.py", REOPENS, offered(level))
    with live.ready(
        replace(reopens, limits=Limits(processes=1)), Conditions(sandbox=level), launcher
    ) as bot:
        if bot._child.spec.user is not None:
            pytest.skip("a pipe of root is opened again by nobody else")
        assert live.ask(bot).line == b"x"


BORN = (
    "import json, os, sys; from pathlib import Path; from arena.values import Bot, Conditions\n"
    "from arena.sandbox.launcher import Launcher\n"
    "def links(pid): return {n: os.readlink(f'/proc/{pid}/fd/{n}') for n in "
    "os.listdir(f'/proc/{pid}/fd')}\n"
    "def pipes(pid): return [Path(f'/proc/{pid}/fd/{n}').is_fifo() for n in links(pid)]\n"
    "report, level, python, files = sys.argv[1:]\n"
    "bot = Bot(name='b', command=(python, '-s', '-B', '-u', 'bot.py'), digest='b', files=files)\n"
    "with Launcher() as door:\n"
    "    child = door.start(bot, Conditions(sandbox=level), None)\n"
    "    said = os.set_blocking(child.stdout, True), os.read(child.stdout, 9).decode()\n"
    "    bot = (links(child.program()), pipes(child.program())) if child.pid else ({}, [])\n"
    "    found = *bot, links(door._spawner.pid), said[1], child.error\n"
    "    door.end(child)\n"
    "Path(report).write_text(json.dumps(found))\n"
)


@pytest.mark.parametrize(
    ("level", "closed"), [*zip(CONFINING, ["2>&-", "<&- >&- 2>&-"], strict=True)]
)
def test_a_referee_without_standard_descriptors_starts_bots_with_three_pipes(
    tmp_path, level, closed
):
    offered(level)
    (tmp_path / "bot.py").write_text("import os\nos.write(1, b'born\\n')\ninput()\n")
    words = [
        sys.executable,
        "-c",
        BORN,
        tmp_path / "report",
        level,
        interpreter_at(level),
        tmp_path / "bot.py",
    ]
    subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *words], cwd=tmp_path, check=True, timeout=60
    )
    bot, pipes, spawner, said, error = json.loads((tmp_path / "report").read_text())
    assert (said, error) == ("born\n", "")
    assert sorted(bot) == ["0", "1", "2"]
    assert pipes == [True] * 3, bot
    assert {spawner[number] for number in "01"} == {"/dev/null"}
    assert not spawner["2"].startswith(("socket:", "/usr")), spawner


@pytest.mark.parametrize("level", CONFINING)
def test_an_exit_status_that_a_bot_can_invent_is_no_kill_by_somebody_else(
    tmp_path, launcher, level
):
    path = tmp_path / "invents"
    path.write_text("#!/bin/sh\nread -r line; echo ready; read -r line; exit 137\n")
    path.chmod(0o755)
    conditions = Conditions(sandbox=offered(level))
    bot = LiveBot(launcher, "a", discovery.from_path(path), conditions, None, blameless=True)
    assert [ask_all({"a": bot}, {"a": question})["a"].ending for question in (READY, GO)] == [
        None,
        Ending.CRASHED,
    ]


# The event and the command line


def test_an_event_that_was_begun_at_one_level_is_not_gone_on_with_at_another(tmp_path):
    workspaces.make(tmp_path / "cup", {"first": sprint.FIRST, "last": sprint.LAST})
    assert cup.run_event(tmp_path / "cup").returncode == 0
    other = cup.arena(tmp_path / "cup", "run", "--sandbox", "rlimits", "--unsafe")
    assert other.returncode == 2
    level = choice.choose("auto", unsafe=False)
    assert f"was played at the level {level!r}, and this run would be at 'rlimits'" in other.stderr
    assert f"say --sandbox {level}, or play under another --name" in other.stderr


def test_a_run_that_does_not_confine_is_refused_without_unsafe_and_warns_with_it(tmp_path):
    workspaces.make(tmp_path / "cup", {"first": sprint.FIRST, "last": sprint.LAST})
    words = ("match", "first", "last", "--board", "sprint", "--no-draw", "--sandbox", "rlimits")
    refused = cup.arena(tmp_path / "cup", *words)
    assert refused.returncode == 2
    assert "'rlimits' does not confine: bots can read and change your files" in refused.stderr
    allowed = cup.arena(tmp_path / "cup", *words, "--unsafe")
    assert allowed.returncode == 0
    assert allowed.stderr.startswith("warning: bots are not confined (sandbox 'rlimits'): ")


# Frozen out of turn


def stopped(pid: int) -> bool:
    """Return whether every thread of a process is stopped: they stop one by one."""
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return {stat.rpartition(")")[2].split()[0] for stat in stats} == {"T"}


SPINS = (
    "import threading\nthreading.Thread(target=lambda: sum(0 for _ in iter(int, 1)), "
    "daemon=True).start()"
)
SPINNER = python("say('x')", ready="pass", first=f"say('ready')\n{SPINS}")


WAKES_ITSELF = """
import ctypes, os, sys, threading
wake, me = ctypes.CDLL(None).kill, os.getpid()  # by ctypes, so that no thread waits for another's turn
def insist():
    while True: wake(me, 18)
def by_threads():
    for _ in range(3): threading.Thread(target=insist, daemon=True).start()
def by_a_sibling():
    if os.fork() == 0: insist()
"""


@pytest.mark.alone  # a thread that has no core sees the signal to stop only when it gets one
@pytest.mark.parametrize("way", ["by_threads", "by_a_sibling"])
def test_a_bot_that_sends_itself_sigcont_without_end_stays_frozen_all_the_same(
    launcher, tmp_path, way
):
    """At the level rlimits, where no filter refuses it the signal."""
    conditions = Conditions(sandbox="rlimits", limits=Limits(processes=4), warm=False)
    text = WAKES_ITSELF + f"{way}()\n" + ANSWERS
    with live.ready(bot_of(tmp_path / "restless.py", text), conditions, launcher) as bot:
        for _ in range(10):
            assert live.ask(bot).line == b"x"
            assert all(stopped(pid) for pid in list(bot.child.processes()))


@pytest.mark.alone  # as above
def test_a_bot_of_one_process_that_wakes_itself_is_found_out_by_its_next_answer(launcher, tmp_path):
    """It is not looked at after each stop, until its CPU clock shows that it ran on."""
    conditions, text = (
        Conditions(sandbox="rlimits", warm=False),
        WAKES_ITSELF + "by_threads()\n" + ANSWERS,
    )
    with live.ready(bot_of(tmp_path / "restless.py", text), conditions, launcher) as bot:
        # A stop that is not verified holds by luck, about one time in two, and beside other load a
        # bot that woke up may get no core to show it.
        for _ in range(300):
            assert live.ask(bot).line == b"x"
            if until(lambda: bot._meter.since_read() > 0.01, 0.02):  # it ran on
                break
        else:
            pytest.fail("it never ran on")
        for _ in range(5):
            assert live.ask(bot).line == b"x"
            assert stopped(bot.program)


def test_a_bot_that_woke_up_is_frozen_again_while_others_think(launcher, tmp_path):
    conditions = Conditions(sandbox="landlock")
    thinks = python("time.sleep(0.1); say('x')")
    spinner = bot_of(tmp_path / "spinner.py", SPINNER, offered("landlock"))
    bots = {"r": LiveBot(launcher, "r", spinner, conditions, None)}
    bots["q"] = LiveBot(launcher, "q", bot_of(tmp_path / "thinks.py", thinks), conditions, None)
    ask_all(bots, {"r": READY, "q": READY})
    program = bots["r"].program
    assert until(lambda: stopped(program))
    bots["r"].child.thaw()  # as by a signal that nobody foresaw
    assert until(
        lambda: bots["r"]._meter.since_read() > 0.01
    )  # on a busy machine it may not have had a core before
    assert ask_all(bots, {"q": GO})["q"].line == b"x"
    assert until(lambda: stopped(program))  # each thread stops when it next has a core
    for bot in bots.values():
        bot.end()


def test_a_bot_that_ran_while_frozen_is_looked_at_after_each_stop_since(launcher, tmp_path):
    spinner = bot_of(tmp_path / "spinner.py", SPINNER, offered("landlock"))
    with live.ready(spinner, Conditions(sandbox="landlock"), launcher) as bot:
        assert until(lambda: stopped(bot.program))
        bot._freezer.doubted = False
        bot.child.thaw()  # as by a signal that nobody foresaw
        assert until(lambda: bot._meter.since_read() > 0.01)
        assert live.ask(bot).line == b"x"
        assert bot._freezer.doubted
        assert until(lambda: stopped(bot.program))  # each thread stops when it next has a core


def test_a_process_that_is_doubted_in_one_match_is_doubted_in_its_next(launcher, tmp_path):
    """It could otherwise run on once in every match."""
    bot, conditions = (
        bot_of(tmp_path / "bot.py", python("say('x')", first=WOKEN), offered("landlock")),
        Conditions(sandbox="landlock"),
    )
    with live.ready(bot, conditions, launcher) as first:
        first.child.thaw()  # as by a signal that nobody foresaw
        assert until(lambda: first._meter.since_read() > 0.01)
        assert live.ask(first).line == b"x"
        second = LiveBot(launcher, "r", bot, conditions, None, first.stay(b"end\n"))
        assert live.ask(second, live.READY).ending is None
        assert ask_all({"r": second}, {"r": GO}, freeze_late=True)["r"].line == b"x"
        assert until(lambda: stopped(second.program))
        second.end()


WOKEN = """
import signal
def run_on(*_):
    signal.signal(signal.SIGCONT, signal.SIG_DFL)
    until = time.process_time() + 0.02
    while time.process_time() < until: pass
signal.signal(signal.SIGCONT, run_on)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCONT})
"""


def test_a_bot_runs_on_where_the_event_does_not_freeze(launcher, tmp_path):
    spinner = bot_of(tmp_path / "spinner.py", SPINNER)
    with live.ready(spinner, Conditions(sandbox="rlimits", freeze=False), launcher) as bot:
        used = bot.cpu()
        assert until(lambda: bot.cpu() > used)


# Whoever is killed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "processes"), [("landlock", 1), ("landlock", 4), ("bubblewrap", 4)]
)
def test_a_killed_spawner_is_noticed_in_a_turn_and_leaves_no_process(tmp_path, level, processes):
    offered(level)
    vanish = (
        "os.execve('/bin/sleep', ['sleep', '600'], {})"  # with an environment that names nothing
    )
    if processes > 1:
        leave = f"for _ in range(2):\n    if os.fork() == 0: {vanish}"
    else:  # a thread that calls exec takes the place of the first, and does not die with its parent
        leave = f"import threading\nthreading.Thread(target=lambda: {vanish}).start()"
    thinker = bot_of(tmp_path / "thinker.py", python(f"{leave}\ntime.sleep(600)"), level)
    conditions = Conditions(sandbox=level, limits=Limits(processes=processes))
    with Launcher() as launcher:
        bot = LiveBot(launcher, "r", thinker, conditions, None)
        ask_all({"r": bot}, {"r": READY})
        bot.begin(GO)
        if processes > 1:
            assert until(lambda: len(set(bot.child.processes())) == 3)
        else:
            assert until(lambda: procfs.environment(bot.child.program() or 0) == b"")
        members = set(bot.child.processes())
        os.kill(launcher._spawner.pid, signal.SIGKILL)
        with pytest.raises(SpawnerLostError):
            ask_all({"r": bot}, {"r": GO})
        with pytest.raises(SpawnerLostError):
            bot.end()
    assert members
    assert gone_soon(members)
    assert not any(alive(pid) for pid in members)


REACHES = """
import os, sys
paths = sys.stdin.buffer.read().split(b"\\0")
print([path for path in paths if os.access(path, os.R_OK) or os.access(path, os.W_OK) or os.access(path, os.X_OK)])
"""


@pytest.mark.skipif(
    os.getuid() != 0,
    reason="only root's bots have a private folder that other users must pass through",
)
def test_another_user_reaches_nothing_of_what_root_plays_and_no_bot_may_change_it(
    launcher, tmp_path
):
    (tmp_path / "rules").mkdir()
    rules = Path(shutil.copy(RULES, tmp_path / "rules/open.py"))
    bot = bot_of(tmp_path / "open_bot.py", ANSWERS)
    for open_to_all in (rules, Path(bot.files or "")):
        open_to_all.chmod(0o666)
    public = replace(bot, command=(PUBLIC_PYTHON, "open_bot.py"))
    live_bot = LiveBot(launcher, "r", public, Conditions(sandbox=offered("landlock")), rules)
    try:
        assert live.ask(live_bot, READY).ending is None  # it reaches its own files
        assert live_bot.child.spec.user is not None
        paths = [launcher.folder.path, *launcher.folder.path.rglob("*")]
        assert {"open.py", "open_bot.py", live_bot.child.room.scratch.name} <= {
            path.name for path in paths
        }
        stranger = subprocess.run(
            [PUBLIC_PYTHON, "-c", REACHES],
            input=b"\0".join(
                map(os.fsencode, paths)
            ),  # files of other bots may have names that are not UTF-8
            capture_output=True,
            user=60600,
            group=60600,
            extra_groups=[],
            check=True,
        )
    finally:
        live_bot.end()
    assert stranger.stdout == b"[]\n"
    assert [path for path in paths if path.exists() and path.stat().st_mode & 0o022] == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_no_two_bots_on_this_machine_are_one_user_and_users_are_given_back(tmp_path):
    (tmp_path / "bot.py").write_text("input()\n")
    bot = Bot(
        name="b",
        command=(PUBLIC_PYTHON, "-u", "bot.py"),
        digest="b",
        files=str(tmp_path / "bot.py"),
    )
    conditions = Conditions(sandbox=offered("landlock"))
    with Launcher() as one, Launcher() as other:
        children = [launcher.start(bot, conditions, None) for launcher in (one, other, other)]
        taken = [child.spec.user for child in children]
        assert len({*taken}) == 3
        assert (
            taken[2] != taken[1] + 1
        )  # a bot that knew how many played before it could know its opponent
        for child in children:
            lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
            status = {
                name: words.split() for name, _, words in (line.partition(":") for line in lines)
            }
            assert status["Uid"] == status["Gid"] == [str(child.spec.user)] * 4
            assert status["Groups"] == [str(users.GROUP)]
            assert {status[name][0] for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {
                "0" * 16
            }
        one.end(children[0])
        assert free(taken[0])
        other.reap(children[1])
        assert other.sweep((children[2].pid,)) == 0
        assert [free(user) for user in taken] == [True, True, False]
        other.end(children[2])


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("processes", [1, 2])
def test_a_user_is_nobody_elses_while_the_room_of_its_bot_is_there(
    monkeypatch, tmp_path, processes
):
    taken_at_discard = []

    def discard_room(room: Room) -> None:
        taken_at_discard.append(not free(room.scratch.stat().st_uid))
        discard_really(room)

    discard_really = Room.discard
    monkeypatch.setattr(Room, "discard", discard_room)
    (tmp_path / "bot.py").write_text("input()\n")
    bot = Bot(
        name="b",
        command=(PUBLIC_PYTHON, "-u", "bot.py"),
        digest="b",
        files=str(tmp_path / "bot.py"),
    )
    conditions = Conditions(sandbox=offered("landlock"), limits=Limits(processes=processes))
    with Launcher() as launcher:
        child = launcher.start(bot, conditions, None)
        launcher.end_all([(child, 0.0)], ())
        assert (taken_at_discard, free(child.spec.user)) == ([True], True)


def free(user: int) -> bool:
    """Return whether no bot on this machine is this user."""
    claimed, claim = users.claim(user - users.uids()[0]) or (0, 0)
    os.close(claim)
    return claimed == user


CLAIM = """
import sys, time
from arena.sandbox import users
users.CLAIMS = sys.argv[1],
print(users.claim(0)[0], flush=True)
time.sleep(60)
"""


@pytest.fixture
def few_users(monkeypatch, tmp_path) -> list[int]:
    """Two users that bots become, and a file of claims that no other test has."""
    monkeypatch.setattr(users, "CLAIMS", (str(tmp_path / "claims"),))
    monkeypatch.setattr(users, "uids", lambda: users.MANY[:2])
    return [*users.MANY[:2]]


def test_a_user_that_a_killed_referee_process_had_is_free_again(few_users):
    first, second = few_users
    script = [sys.executable, "-c", CLAIM, *users.CLAIMS]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as referee:
        assert referee.stdout is not None
        claimed = int(referee.stdout.readline())
        assert claimed in (first, users.FEW[0])  # the process knows nothing of `few_users`
        assert (free(first), free(second)) == (claimed != first, True)
        referee.kill()
    assert free(first)


@pytest.mark.parametrize(
    ("rows", "uids", "files"),
    [
        (users.WHOLE_MACHINE, users.MANY, users.CLAIMS),
        ([(0, 1001, 1)], range(0), ("/run/arena-users-1001", "/dev/shm/arena-users-1001")),
        (
            [(0, 1001, 1), (1, 100_000, 65_536)],
            users.FEW,
            ("/run/arena-users-1001", "/dev/shm/arena-users-1001"),
        ),
    ],
    ids=["the machine", "root alone", "a rootless container"],
)
def test_a_container_has_no_users_that_it_cannot_become_and_claims_of_its_own(
    monkeypatch, rows, uids, files
):
    monkeypatch.setattr(users, "uid_map", lambda: rows)
    assert (users.uids(), users.claim_files()) == (uids, [*files])


def test_nobody_else_can_claim_a_user_nor_is_an_open_file_believed(monkeypatch, tmp_path):
    names = [tmp_path / name for name in ("pipe", "link", "others", "folder", "foreign", "private")]
    os.mkfifo(names[0])
    names[1].symlink_to(tmp_path / "elsewhere")
    names[2].touch(0o644)
    names[3].mkdir()
    names[4].touch(0o600)
    if os.getuid() == 0:
        os.chown(names[4], 1, 1)
    else:
        names[4].chmod(0o040)  # as it is for an ordinary user: another's file cannot be opened
    monkeypatch.setattr(users, "CLAIMS", tuple(map(str, names)))
    user, claim = users.claim(0) or (0, 0)
    os.close(claim)
    assert user == users.uids()[0]
    assert names[5].stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "elsewhere").exists()
    monkeypatch.setattr(users, "CLAIMS", tuple(map(str, names[:5])))
    refused = (
        r"pipe: others can open it; .*link: .*; .*others: others can open it; .*folder: .*; "
        r".*foreign: "
    )
    with pytest.raises(OSError, match=refused):
        users.claim(0)


@pytest.mark.skipif(os.getuid() != 0, reason="only root's bots become other users")
def test_without_a_free_user_a_match_waits_until_there_are_enough(few_users, tmp_path):
    steady = replace(
        bot_of(tmp_path / "steady.py", STEADY), command=(PUBLIC_PYTHON, "-u", "steady.py")
    )
    taken = users.claim(0)
    assert taken is not None
    ends = threading.Timer(0.5, os.close, (taken[1],))
    ends.start()
    record = play(match_of(steady, steady, sandbox=offered("landlock"), keep=True))
    ends.join()
    assert record.verdict.faults == ()
    assert {seat.confined for seat in record.seats} == {
        f"landlock, as user {user}" for user in few_users
    }


@pytest.mark.skipif(os.getuid() != 0, reason="only root's bots become other users")
def test_when_the_second_of_two_users_is_refused_the_first_is_free_again(few_users, launcher):
    with (
        free_descriptors(1),
        pytest.raises(MachineError, match=r"no bot can become a user of its own: .*open files"),
        launcher.users_for(2, "landlock", lambda: None),
    ):
        pass
    assert all(map(free, few_users))


def test_a_claim_that_the_kernel_refuses_leaves_no_file_open(monkeypatch, few_users):
    monkeypatch.setattr(users, "uids", lambda: range(-2, 0))  # no byte of a file has such a number
    before = descriptors()
    with pytest.raises(OSError, match="Invalid argument"):
        users.claim(0)
    assert descriptors() == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root's bots become other users")
def test_a_bot_without_a_room_gives_its_user_back(few_users, launcher, tmp_path):
    bot = Bot(
        name="gone",
        command=(PUBLIC_PYTHON, "-u", "steady.py"),
        digest="of a bot that is gone",
        files=str(tmp_path / "gone"),
    )
    with pytest.raises(FileNotFoundError):
        launcher.start(bot, Conditions(sandbox=offered("landlock")), None)
    assert all(map(free, few_users))


@pytest.mark.skipif(os.getuid() != 0, reason="only root's bots become other users")
def test_a_run_or_a_self_test_that_waits_too_long_for_a_user_ends_with_one_line(
    monkeypatch, few_users
):
    monkeypatch.setattr(launcher_module, "USERS_WAIT_S", 0.1)
    claims = [users.claim(0) for _ in few_users]
    with pytest.raises(
        MachineError,
        match=r"all 2 users .* are taken by other runs of root; wait for these, or use few",
    ):
        selftest.failure("landlock", PUBLIC_PYTHON)
    for _, claim in filter(None, claims):
        os.close(claim)


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root has capabilities to lose")
def test_run_by_root_with_a_private_interpreter_a_bot_has_no_capability(launcher, tmp_path, steady):
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    subprocess.run(
        ["/usr/bin/python3", "-m", "venv", "--without-pip", "--copies", private / "venv"],
        check=True,
    )
    told = python(
        "print(os.getuid(), file=sys.stderr)\n"
        "try: os.chown(os.environ['TMPDIR'], 1, 1)\n"
        "except OSError: print('no power', file=sys.stderr)\n"
        "sys.exit(1)"
    )
    command = (str(private / "venv/bin/python"), "-u", "teller.py")
    teller = replace(bot_of(tmp_path / "teller.py", told), command=command)
    record = play(match_of(teller, steady, sandbox=offered("landlock")), launcher=launcher)
    assert record.seats[0].confined == "landlock, as root without capabilities"
    assert record.seats[0].stderr.split() == ["0", "no", "power"]


# What a stranger's program leaves for us to copy


def test_a_copy_has_no_set_uid_bits_pipes_or_devices_and_follows_no_link(tmp_path):
    source = tmp_path / "source"
    (source / "inner" / ".git").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    program = source / "program"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o6773)
    source.chmod(0o777)
    (source / "link\nwith a newline").symlink_to(tmp_path / "secret")
    (source / "inner" / "folder").symlink_to(tmp_path)
    Copier(leave_out=(".git",)).copy(source, tmp_path / "out")
    assert (
        tmp_path / "out/program"
    ).stat().st_mode & 0o7777 == 0o751  # nobody but its owner may write to it
    assert (tmp_path / "out").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "out/link\nwith a newline").readlink() == tmp_path / "secret"
    assert [entry.name for entry in (tmp_path / "out/inner").iterdir()] == ["folder"]
    assert (tmp_path / "out/inner/folder").is_symlink()
    os.mkfifo(source / "pipe")  # an open that waits for a writer would never come back
    with pytest.raises(OSError, match="'pipe' is neither a file nor a folder"):
        Copier().copy(source, tmp_path / "other")


def test_a_link_in_the_place_of_a_scratch_folder_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/file").write_text("x" * 5000)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert watchdog.in_folders([str(tmp_path / "elsewhere")], 10)[1] == 1
    assert watchdog.in_folders([str(tmp_path / "link")], 10) == (0, 0)


def test_a_name_that_vanishes_while_files_are_counted_hides_no_other(tmp_path):
    for number in range(100):
        (tmp_path / f"file{number}").touch()
        (tmp_path / f"folder{number}").mkdir()
    last = [entry for entry in os.scandir(tmp_path) if entry.is_dir()][-1]
    (tmp_path / last.name / "large").write_bytes(bytes(3_000_000))
    moves = (
        "import os, sys\nos.chdir(sys.argv[1])\nwhile True:\n"
        "    os.rename('file1', 'file'); os.rename('file', 'file1')"
    )
    with subprocess.Popen([sys.executable, "-c", moves, tmp_path]) as mover:
        counts = [
            watchdog.in_folders([str(tmp_path)], 1000)[0] for _ in range(60)
        ]  # a wrong count is seen in 7 % of them
        mover.kill()
    assert min(counts) >= 3_000_000


def test_a_bot_stands_still_while_its_files_are_counted(launcher, tmp_path, monkeypatch):
    path = tmp_path / "writes.py"
    path.write_text(
        "import os, threading\nopen(os.environ['TMPDIR'] + '/file', 'w').close()\n"
        "def spin():\n    while True: os.stat(os.environ['TMPDIR'])\n"
        f"threading.Thread(target=spin, daemon=True).start()\n{STEADY}"
    )
    seen = []
    count = watchdog.in_folders
    with live.ready(discovery.from_path(path), Conditions(sandbox="rlimits"), launcher) as bot:

        def counted(folders, most):
            seen.append(set(procfs.states(bot.child.pid)))
            return count(folders, most)

        monkeypatch.setattr(watchdog, "in_folders", counted)
        bot._thaw()
        while {b"T"} not in seen and len(seen) < 1000:
            # On a busy machine it may have no core to stop on in the time that it is given.
            watchdog.stored_by(bot.child)
    assert {b"T"} in seen


@pytest.mark.skipif(choice.failure("landlock") is not None, reason="tried at the level landlock")
def test_a_parent_that_waits_in_vfork_is_as_good_as_stopped(launcher, tmp_path):
    path = tmp_path / "parent.py"
    number = (
        56 if os.uname().machine == "x86_64" else 220
    )  # clone, with CLONE_VM, CLONE_VFORK and SIGCHLD
    vfork = f"import ctypes\nctypes.CDLL(None).syscall({number}, 0x4111, 0, 0, 0, 0)\n"
    path.write_text(vfork + STEADY)
    conditions = Conditions(sandbox="landlock", limits=Limits(processes=2), warm=False)
    with live.ready(discovery.from_path(path), conditions, launcher) as bot:
        assert procfs.states(bot.child.pid) == [b"D"]
        assert bot._freezer._stopped()


@pytest.fixture
def shallow() -> Iterator[int]:
    """A depth to which Python does not recurse."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    yield 300
    sys.setrecursionlimit(before)


def test_a_copy_is_as_deep_as_paths_may_be(tmp_path, shallow):
    dig(tmp_path / "source", shallow)
    Copier().copy(tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target" / "/".join("d" * shallow) / "file").read_text() == "x"
    for name in ("source", "target"):
        discard(tmp_path / name)


def test_what_a_build_leaves_too_much_of_too_late_to_be_seen_is_not_copied(launcher, tmp_path):
    """Files that are only long cost nothing to make, and a disk to copy."""
    home = tmp_path / "bot"
    home.mkdir()
    (home / "make.py").write_text(
        "for n in range(9): open(f'{n}', 'w').truncate(10**9)\nopen('s', 'w').close()\n"
    )
    bot = Bot(name="b", command=("./bot",), digest="makes long files", files=str(home))
    built = building.build(
        launcher, bot, (PYTHON, "make.py"), offered("landlock"), tmp_path / "out"
    )
    assert "scratch: more than 1 GB" in built.excess.words
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("level", CONFINING)
def test_an_organiser_may_allow_a_call_and_the_record_says_so(launcher, level, tmp_path):
    if (why := choice.failure(level)) is not None:
        pytest.skip(f"{level}: {why}")
    path = tmp_path / "needs.py"
    path.write_text("import os\nos.memfd_create('x')\nprint('ready', flush=True)\ninput()")
    for calls, ending in (((), Ending.CRASHED), (("memfd_create",), None)):
        with live.started(
            discovery.from_path(path), Conditions(sandbox=level, syscalls=calls), launcher
        ) as bot:
            try:
                heard = live.ask(bot, READY)
            except (
                ConfinementError
            ) as error:  # root's bubblewrap, with an interpreter in a private home
                pytest.skip(str(error))
        assert heard.ending is ending, heard.words
        assert ("with memfd_create allowed" in bot.report().confined) == bool(calls)
