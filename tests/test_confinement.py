"""Confinement from the outside: the choice of a level, what starts under it, limits that are seen, frozen bots."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import cup
import pytest
from processes import alive, descendants, gone_soon

from arena import roster, rulebook, rulefile
from arena.bot import LiveBot
from arena.clock import TimeControl
from arena.converse import converse
from arena.errors import ArenaError
from arena.event import Event
from arena.match import Bot, Conditions, Limits, Match
from arena.play import play
from arena.protocol import Ask
from arena.sandbox import (
    bpf,
    bubblewrap,
    building,
    landlock,
    levels,
    probe,
    rlimits,
    seccomp,
    syscalls,
    toolchain,
    trial,
    watchdog,
)
from arena.sandbox.copying import Copier
from arena.sandbox.door import PYTHON, ConfinementError, Door, SpawnerLostError
from arena.sandbox.folder import discard
from arena.sandbox.plan import CONFINING

RULES = rulefile.shipped() / "pacman.py"
READY = Ask(text=b"ready?\n", told=20.0, deadline=20.0, ready=True)
GO = Ask(text=b"go\n", told=20.0, deadline=20.0)
LINES = "import os, sys, time\nfor line in sys.stdin:\n    if line == 'ready?\\n': print('ready', flush=True)\n"
STEADY = LINES + (
    "    elif line.startswith('legal'): move = line.split(' ', 1)[1]\n"
    "    elif line.startswith('go'): print(move, end='', flush=True)\n"
)
SHELL = (
    'while read -r word rest; do case $word in ready?) echo ready;; legal) move=$rest;; go) echo "$move";; esac; done\n'
)
NODE = (
    "let move, text = '';\nprocess.stdin.on('data', data => {\n  const lines = (text + data).split('\\n');\n"
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
failure = cache(trial.failure)


def offered(level: str) -> str:
    """The level, or a skip that says why this machine has it not."""
    if (why := failure(level, python(level))) is not None:
        pytest.skip(f"{level}: {why}")
    return level


def python(level: str) -> str:
    """The interpreter for a bot at this level."""
    return PUBLIC_PYTHON if level == "bubblewrap" and os.getuid() == 0 and failure(level, PYTHON) else PYTHON


def bot_of(path: Path, text: str, level: str = "landlock") -> Bot:
    path.write_text(text)
    return replace(roster.from_path(path), command=(python(level), "-s", "-B", "-u", path.name))


@pytest.fixture
def steady(tmp_path) -> Bot:
    return bot_of(tmp_path / "steady.py", STEADY)


def match_of(*bots: Bot, **conditions: object) -> Match:
    (board,) = rulebook.find("duel")
    time_control = TimeControl(start=30.0, move=20.0)
    event = Event(name="t", seed=1, boards=(board,), bots=bots, conditions=Conditions(time=time_control, **conditions))
    return event.match(board, bots, 0)


# The choice of a level


def test_the_probe_finds_what_a_level_that_confines_nothing_leaves_open():
    assert probe.ATTEMPTS[0] in (trial.failure("rlimits") or "")
    assert trial.failure("none") == f"a bot could {', '.join(probe.ATTEMPTS)}"


def test_auto_takes_the_first_level_that_holds(monkeypatch):
    fails: dict[str, str | None] = {"landlock": None, "bubblewrap": None}
    monkeypatch.setattr(levels, "failure", fails.get)
    assert levels.choose("auto", unsafe=False) == "landlock"
    fails["landlock"] = "this kernel has no Landlock"
    assert levels.choose("auto", unsafe=True) == "bubblewrap"


def test_where_no_level_holds_the_event_is_refused_with_what_failed_and_what_to_do(monkeypatch):
    fails = {"landlock": "this kernel has no Landlock", "bubblewrap": "bwrap: No permissions to create new namespace"}
    monkeypatch.setattr(levels, "failure", fails.get)
    with pytest.raises(ArenaError) as refused:
        levels.choose("auto", unsafe=False)
    words = str(refused.value)
    assert all(part in words for part in (*fails.values(), "Linux 5.13", "package bubblewrap", "--unsafe"))
    assert levels.choose("auto", unsafe=True) == "rlimits"


@pytest.mark.parametrize("level", ["rlimits", "none"])
def test_a_level_that_does_not_confine_must_be_asked_for_twice_and_warns(level):
    with pytest.raises(ArenaError, match=r"does not confine: .*--unsafe"):
        levels.choose(level, unsafe=False)
    assert levels.choose(level, unsafe=True) == level
    assert "bots are not confined" in (levels.warning(level) or "")
    assert levels.warning("landlock") is None


def test_a_level_that_cannot_be_had_is_refused_in_the_tools_own_words(monkeypatch):
    monkeypatch.setattr(levels, "failure", lambda _: "bwrap is not installed")
    with pytest.raises(
        ArenaError, match=r"'bubblewrap' cannot be had here: bwrap is not installed; it needs the program"
    ):
        levels.choose("bubblewrap", unsafe=False)


def test_another_system_is_told_plainly_what_is_missing(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ArenaError, match=r"\(darwin\) there is neither Landlock nor a namespace .* Linux only"):
        levels.choose("rlimits", unsafe=True)


def test_a_tool_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(bubblewrap.BubblewrapError, match="bwrap is not installed"):
        bubblewrap._fullest(None)


# What starts


def toolchains() -> dict[str, tuple[str, ...]]:
    return {
        "this interpreter": ("{python}", "-s", "-B", "-u", "bot.py"),
        "the system's python3": ("/usr/bin/python3", "-u", "bot.py"),
        "a venv": ("VENV/bin/python", "-u", "bot.py"),
        "node": ("node", "bot.js"),
        "java": ("java", "-Xmx64m", "-Xshare:auto", "-cp", ".", "Bot"),
        "bash": ("bash", "bot.sh"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("level", CONFINING)
@pytest.mark.parametrize("name", toolchains())
def test_what_is_on_this_machine_starts_and_plays_confined(tmp_path, level, name):
    command = toolchains()[name]
    home = tmp_path / "bot"
    home.mkdir()
    if name == "a venv":
        if not Path("/usr/bin/python3").exists():
            pytest.skip("there is no /usr/bin/python3 to make one of")
        tmp_path.chmod(0o755)
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
        command = (str(tmp_path / "venv/bin/python"), *command[1:])
    if shutil.which(command[0]) is None and command[0] != "{python}":
        pytest.skip(f"{command[0]} is not on this machine")
    offered(level)
    (home / "bot.py").write_text(STEADY)
    (home / "bot.js").write_text(NODE)
    (home / "bot.sh").write_text(SHELL)
    if name == "java":
        if shutil.which("javac") is None:
            pytest.skip("javac is not on this machine")
        (home / "Bot.java").write_text(JAVA)
        subprocess.run(["javac", "Bot.java"], cwd=home, check=True)
    bot = Bot(name="b", command=command, digest=name, files=str(home))
    try:
        record = play(match_of(bot, bot, sandbox=level, limits=Limits(memory=400_000_000, cpu=60.0)))
    except ConfinementError as error:
        if os.getuid() != 0 or level != "bubblewrap":
            raise
        pytest.skip(str(error))  # root, and an interpreter in a private folder: what landlock is for
    assert record.verdict.faults == (), record.verdict
    assert record.seats[0].confined.startswith(level)


def test_an_interpreter_tells_what_it_needs_and_a_home_folder_is_never_given_away(tmp_path):
    mine = toolchain.needs(sys.executable)
    assert any(
        Path(sys.base_prefix).is_relative_to(place) or toolchain.public(sys.base_prefix) for place in (*mine, "/")
    )
    assert not {str(Path.home()), "/", "/tmp"} & set(mine)
    program = tmp_path / "bin" / "tool"
    program.parent.mkdir()
    program.write_text("")
    assert toolchain.needs(str(program)) == (str(program),)
    (tmp_path / "lib").mkdir()
    toolchain.needs.cache_clear()
    assert toolchain.needs(str(program)) == (str(program), str(tmp_path))


# Limits, as arena sees them


def test_a_bot_that_dies_of_its_memory_limit_is_told_peak_and_limit(tmp_path, steady):
    eater = bot_of(
        tmp_path / "eater.py", LINES + "    elif line.startswith('go'): kept = [bytes(10**6) for _ in range(10**4)]\n"
    )
    (fault,) = play(match_of(eater, steady, limits=Limits(memory=100_000_000))).verdict.faults
    assert fault.ending == "crashed"
    assert "MemoryError" in fault.words
    assert "MB, its limit is 100 MB" in fault.words


def test_a_limit_that_is_too_low_for_an_interpreter_is_said_as_such(steady):
    (one, _) = play(match_of(steady, steady, limits=Limits(memory=3_000_000))).verdict.faults
    assert one.ending in {"crashed", "limit_exceeded"}  # whichever is faster: the system's limit or our look
    assert "3 MB, which may be too little for its interpreter to start" in one.words


@pytest.mark.parametrize("level", CONFINING)
def test_more_processes_than_allowed_are_seen_and_all_of_them_ended(tmp_path, level):
    offered(level)
    crowd = bot_of(
        tmp_path / "crowd.py",
        LINES + "    elif line.startswith('go'):\n        for _ in range(6):\n"
        "            if os.fork() == 0: time.sleep(600)\n"
        "        time.sleep(600)\n",
        level,
    )
    steady = bot_of(tmp_path / "steady.py", STEADY, level)
    with Door() as door:
        record = play(match_of(crowd, steady, sandbox=level, limits=Limits(processes=3)), door=door)
        assert door.sweep() == 0
    (fault,) = record.verdict.faults
    assert (fault.ending, fault.words) == ("limit_exceeded", "processes: more than 3 at once")


def test_as_many_processes_as_allowed_are_no_fault(tmp_path, steady):
    forks = STEADY.replace("sys, time\n", "sys, time\nif os.fork() == 0: time.sleep(600)\n")
    pair = bot_of(tmp_path / "pair.py", forks)
    assert play(match_of(pair, steady, limits=Limits(processes=2))).verdict.faults == ()


def test_what_lies_beside_a_bot_and_in_its_home_folder_is_out_of_reach(tmp_path, steady):
    (tmp_path / "secret.txt").write_text("secret")
    tries = f"sys, time\ntry: open({str(tmp_path / 'secret.txt')!r})\nexcept OSError: pass\nelse: sys.exit('read')\n"
    spy = bot_of(tmp_path / "spy.py", STEADY.replace("sys, time\n", tries))
    assert play(match_of(spy, steady)).verdict.faults == ()


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
    with Door() as door:
        words = ("bash", "-c", "gcc -o bot bot.c && ls && echo made >> $HOME/note")
        built = building.build(door, bot, words, level, tmp_path / "out")
        door.sweep()
        assert descendants(door._spawner.pid) == set()
    assert (built.failure, built.said) == ("", "bot\nbot.c\n")
    assert sorted(os.listdir(home)) == ["bot.c"]
    assert sorted(os.listdir(tmp_path / "out")) == ["bot", "bot.c"]
    assert subprocess.run([tmp_path / "out" / "bot"], capture_output=True, check=True).stdout == b"ready\n"


@pytest.mark.parametrize("level", CONFINING)
def test_a_build_that_fails_or_reaches_out_says_so_and_leaves_nothing(tmp_path, level):
    offered(level)
    (tmp_path / "secret").write_text("secret")
    home = tmp_path / "bot"
    home.mkdir()
    bot = Bot(name="b", command=("./bot",), digest="b", files=str(home))
    with Door() as door:
        words = ("bash", "-c", f"cat {tmp_path / 'secret'}; exit 3")
        built = building.build(door, bot, words, level, tmp_path / "out")
    assert built.failure == "it ended with exit 3"
    assert "secret" in built.said  # the name, in what cat complains of
    assert built.said.count("secret") == 1
    assert not (tmp_path / "out").exists()


# Where this machine is another: what a container takes away, a filter takes away here


def without(*names: str):
    """For `preexec_fn`: these system calls are refused from now on, as a container or an old kernel would."""
    known = {**syscalls.numbers(seccomp.arch() or ""), "landlock_create_ruleset": landlock.CREATE_RULESET}
    code = bpf.Code()
    allow, refuse, absent = code.answer(bpf.ALLOW), code.answer(bpf.refuse(1)), code.answer(bpf.refuse(38))
    place = allow
    for name in names:
        place = code.decide(bpf.EQUAL, known[name], absent if name.startswith("landlock") else refuse, place)
    program = code.program(code.load(bpf.NUMBER, place))

    def take() -> None:
        rlimits.no_new_privs()
        seccomp.install(program)

    return take


NAMESPACES = ("unshare", "mount", "pivot_root", "setns")
LANDLOCK = ("landlock_create_ruleset",)
CHOOSE = (
    "import sys; sys.path.append(sys.argv[1]); from arena.sandbox import levels\n"
    "print(levels.choose('auto', unsafe=False))"
)


def chosen(*taken: str) -> subprocess.CompletedProcess[str]:
    """What `auto` comes to where these calls are taken away."""
    here = str(Path(rulefile.__file__).parents[1])
    words = [PUBLIC_PYTHON, "-B", "-c", CHOOSE, here]
    return subprocess.run(words, capture_output=True, text=True, preexec_fn=without(*taken), timeout=60, check=False)


@pytest.mark.slow
@pytest.mark.skipif(not Path(PUBLIC_PYTHON).exists(), reason=f"there is no {PUBLIC_PYTHON}")
def test_a_container_without_namespaces_gets_landlock_and_a_kernel_without_landlock_bubblewrap():
    offered("landlock")
    assert chosen(*NAMESPACES).stdout == "landlock\n"
    both_gone = chosen(*NAMESPACES, *LANDLOCK)
    assert "bots cannot be confined here" in both_gone.stderr
    assert "this kernel has no Landlock" in both_gone.stderr
    offered("bubblewrap")
    assert chosen(*LANDLOCK).stdout == "bubblewrap\n"
    assert "bwrap: " in both_gone.stderr  # its own line


@pytest.mark.slow
def test_a_match_is_played_confined_where_no_namespace_can_be_made(tmp_path):
    offered("landlock")
    words = [sys.executable, "-m", "arena", "match", "dice", "dice", "--board", "hunt", "--json"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, preexec_fn=without(*NAMESPACES), timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


# The event and the command line


def test_an_event_that_was_begun_at_one_level_is_not_gone_on_with_at_another(tmp_path):
    cup.make(tmp_path / "cup", boards="hunt")
    assert cup.arena(tmp_path / "cup", "run", "--no-charts", "--bots", "first,last").returncode == 0
    other = cup.arena(tmp_path / "cup", "run", "--sandbox", "rlimits", "--unsafe")
    assert other.returncode == 2
    level = levels.choose("auto", unsafe=False)
    assert f"was played at the level {level!r}, and this run would be at 'rlimits'" in other.stderr
    assert f"say --sandbox {level}, or play under another --name" in other.stderr


def test_a_run_that_does_not_confine_is_refused_without_unsafe_and_warns_with_it(tmp_path):
    cup.make(tmp_path / "cup", boards="hunt")
    words = ("match", "first", "last", "--board", "hunt", "--no-draw", "--sandbox", "rlimits")
    refused = cup.arena(tmp_path / "cup", *words)
    assert refused.returncode == 2
    assert "'rlimits' does not confine: bots can read and change your files" in refused.stderr
    allowed = cup.arena(tmp_path / "cup", *words, "--unsafe")
    assert allowed.returncode == 0
    assert allowed.stderr.startswith("warning: bots are not confined (sandbox 'rlimits'): ")


# Frozen out of turn


def stopped(pid: int) -> bool:
    """Whether every thread of a process is: they stop one by one."""
    stats = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return {stat.rpartition(")")[2].split()[0] for stat in stats} == {"T"}


def until(condition, seconds: float = 10.0) -> bool:
    """Whether it comes true; a guard against hangs."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return bool(condition())


SPINNER = (
    "import os, sys, threading\nprint('ready', flush=True)\n"
    "threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()\n"
    "for line in sys.stdin:\n    if line.startswith('go'): print('x', flush=True)\n"
)


@pytest.mark.parametrize("level", CONFINING)
def test_a_bot_does_not_run_while_it_is_not_asked(tmp_path, level):
    with Door() as door:
        spinner = bot_of(tmp_path / "spinner.py", SPINNER, offered(level))
        bot = LiveBot(door, "r", spinner, Conditions(sandbox=level), RULES)
        converse({"r": bot}, {"r": READY})
        program = bot._child.program()
        assert program is not None
        assert until(lambda: stopped(program))
        used = bot._meter.read().cpu
        time.sleep(0.1)
        assert bot._meter.read().cpu == used
        heard = converse({"r": bot}, {"r": GO})["r"]
        assert heard.line == b"x"
        bot.end()


def test_a_bot_runs_on_where_the_event_does_not_freeze(tmp_path):
    spinner = bot_of(tmp_path / "spinner.py", SPINNER)
    with Door() as door:
        bot = LiveBot(door, "r", spinner, Conditions(sandbox="rlimits", freeze=False), RULES)
        converse({"r": bot}, {"r": READY})
        used = bot._meter.read().cpu
        assert until(lambda: bot._meter.read().cpu > used)
        bot.end()


# Whoever is killed


@pytest.mark.slow
@pytest.mark.parametrize("level", CONFINING)
@pytest.mark.parametrize("processes", [1, 4])
def test_a_killed_spawner_is_noticed_while_a_bot_thinks_and_no_process_of_it_is_left(tmp_path, level, processes):
    offered(level)
    fork = "        for _ in range(2):\n            if os.fork() == 0: time.sleep(600)\n" if processes > 1 else ""
    think = LINES + f"    elif line.startswith('go'):\n{fork}        time.sleep(600)\n"
    thinker = bot_of(tmp_path / "thinker.py", think, level)
    conditions = Conditions(sandbox=level, limits=Limits(processes=processes))
    with Door() as door:
        bot = LiveBot(door, "r", thinker, conditions, RULES)
        converse({"r": bot}, {"r": READY})
        bot.begin(GO)
        members = set(door._group(bot._child)) if processes > 1 else {bot._child.program()}
        assert until(lambda: processes == 1 or len(set(door._group(bot._child))) == 3)
        members = set(door._group(bot._child))
        os.kill(door._spawner.pid, signal.SIGKILL)
        with pytest.raises(SpawnerLostError):
            converse({"r": bot}, {"r": GO})
        with pytest.raises(SpawnerLostError):
            bot.end()
    assert members
    assert gone_soon(members)
    assert not any(alive(pid) for pid in members)


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_run_by_root_a_bot_is_an_unprivileged_user_wherever_that_user_can_read_its_interpreter(tmp_path, steady):
    public = replace(steady, command=(PUBLIC_PYTHON, "-u", "steady.py"))
    record = play(match_of(public, public, sandbox=offered("landlock")))
    assert record.verdict.faults == ()
    assert record.seats[0].confined.startswith("landlock, as user 6")
    assert record.seats[0].confined != record.seats[1].confined


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root has capabilities to lose")
def test_run_by_root_where_no_other_user_can_read_the_interpreter_a_bot_keeps_no_capability(tmp_path, steady):
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", "--copies", private / "venv"], check=True)
    told = LINES + (
        "    elif line.startswith('go'):\n        print(os.getuid(), file=sys.stderr)\n"
        "        try: os.chown(os.environ['TMPDIR'], 1, 1)\n"
        "        except OSError: print('no power', file=sys.stderr)\n"
        "        sys.exit(1)\n"
    )
    command = (str(private / "venv/bin/python"), "-u", "teller.py")
    teller = replace(bot_of(tmp_path / "teller.py", told), command=command)
    record = play(match_of(teller, steady, sandbox=offered("landlock")))
    assert record.seats[0].confined == "landlock, as root without capabilities"
    assert record.seats[0].stderr.split() == ["0", "no", "power"]


# What a stranger's program leaves for us to copy


def test_a_copy_has_no_set_uid_bits_pipes_or_devices_and_follows_no_link(tmp_path):
    source = tmp_path / "source"
    (source / "inner" / ".git").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    program = source / "program"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o6751)
    (source / "link\nwith a newline").symlink_to(tmp_path / "secret")
    (source / "inner" / "folder").symlink_to(tmp_path)
    Copier(leave_out=(".git",)).copy(source, tmp_path / "out")
    assert (tmp_path / "out/program").stat().st_mode & 0o7777 == 0o751
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
    assert watchdog.in_folder(str(tmp_path / "elsewhere"), 10)[1] == 1
    assert watchdog.in_folder(str(tmp_path / "link"), 10) == (0, 0)


def test_a_copy_is_as_deep_as_paths_may_be(tmp_path):
    deep = tmp_path / "source"
    deep.mkdir()
    for _ in range(1500):
        deep /= "d"
        deep.mkdir()
    (deep / "file").write_text("x")
    Copier().copy(tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target" / "/".join("d" * 1500) / "file").read_text() == "x"
    for name in ("source", "target"):
        discard(tmp_path / name)


def test_what_a_build_leaves_too_much_of_too_late_to_be_seen_is_not_copied(tmp_path):
    """Files that are only long cost nothing to make, and a disk to copy."""
    home = tmp_path / "bot"
    home.mkdir()
    (home / "make.py").write_text("for n in range(9): open(f'{n}', 'w').truncate(10**9)\nopen('s', 'w').close()\n")
    bot = Bot(name="b", command=("./bot",), digest="b", files=str(home))
    with Door() as door:
        built = building.build(door, bot, (PYTHON, "make.py"), offered("landlock"), tmp_path / "out")
    assert "scratch: more than 1 GB" in built.failure
    assert not (tmp_path / "out").exists()
