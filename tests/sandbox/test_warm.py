"""Warm starts: a bot that was forked from a running interpreter finds everything as after a start
of its own.
"""

import json
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena import rulefile
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.event import discovery
from arena.games import rulebook
from arena.match.play import play
from arena.sandbox import choice, levels, spawner_process, warm
from arena.sandbox.launcher import ConfinementError, Launcher
from arena.values import Bot, Conditions, Event, Limits, Record
from tests.support import packages
from tests.support.live import bot_of, close

RULES = rulefile.shipped() / "pacman.py"
LOOK = """
import builtins, io, json, os, random, signal, sys, time
main = sys.modules["__main__"]
told = {
    "argv": sys.argv, "orig_argv": sys.orig_argv, "path": sys.path, "flags": list(sys.flags),
    "main": [main.__name__, main.__file__, main.__doc__, main.__package__, main.__spec__, main.__cached__],
    "names": list(vars(main))[:9], "loader": type(main.__loader__).__name__, "builtins": main.__builtins__ is builtins,
    "hash": hash("arena"), "environment": sorted(os.environ.items()), "cwd": os.getcwd(),
    "handlers": {int(n): str(signal.getsignal(n)) for n in sorted(signal.valid_signals())},
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "streams": [[s.encoding, s.errors, s.line_buffering, s.write_through, s.isatty(), s.fileno()]
                for s in (sys.stdin, sys.stdout, sys.stderr)],
    "seek": [[s.seekable(), s.name, s.mode] for s in (sys.stdin, sys.stdout, sys.stderr)],
    "newlines": sys.stdout.reconfigure(newline="\\n"),
    "buffers": [type(s.buffer).__name__ for s in (sys.stdin, sys.stdout, sys.stderr)],
    "hooks": [sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.gettrace()],
    "limits": [sys.getrecursionlimit(), sys.getswitchinterval()], "frames": sys._getframe().f_code.co_name,
    "umask": os.umask(0), "group": os.getpgid(0) == os.getpid(), "session": os.getsid(0) == os.getpid(),
    "kit": __import__("arena.kit").__file__.rsplit("/", 2)[1:],
    "arena": sorted(n for n in sys.modules if n.startswith("arena.")),
    "tempdir": __import__("tempfile").gettempdir(),
    "exits": __import__("atexit")._ncallbacks(), "threads": len(sys._current_frames()),
    "timers": signal.getitimer(signal.ITIMER_REAL), "waker": signal.set_wakeup_fd(-1),
    "collector": [__import__("gc").isenabled(), __import__("gc").get_threshold(), __import__("gc").get_debug()],
    "traced": [sys.gettrace(), sys.getprofile()], "spawned": __import__("time").process_time() < 5,
}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def launcher():
    """Yield a launcher whose spawner has imported nothing for the bots of other tests."""
    with Launcher() as launcher:
        yield launcher


def printed(
    launcher: Launcher, bot: Bot, *, is_warm: bool, rules: Path | None = RULES, **conditions: object
) -> tuple[str, str, str]:
    """Return what a bot prints on stdout and stderr until it ends, and how it ends."""
    level = choice.choose("auto", unsafe=False)
    child = launcher.start(bot, Conditions(sandbox=level, warm=is_warm, **conditions), rules)
    assert child.spec.warm == (is_warm and not levels.TABLE[level].wrapped)
    os.close(child.stdin)
    try:
        out, err = (all_of(descriptor) for descriptor in (child.stdout, child.stderr))
        return out, err, str(launcher.end(child, grace=10.0))
    finally:
        os.close(child.stdout)
        os.close(child.stderr)


def all_of(descriptor: int) -> str:
    os.set_blocking(descriptor, True)
    data = b""
    while more := os.read(descriptor, 65536):
        data += more
    return data.decode()


def plain(text: str) -> str:
    """Without what differs from start to start, the number of the room, and from one Python to the
    next.
    """
    return re.sub(r"room[0-9a-f]+", "room", text).replace("/./", "/")


def test_a_warm_bot_finds_everything_as_after_a_cold_start(tmp_path, launcher):
    bot = bot_of(tmp_path / "bot.py", LOOK)
    cold, complaint, _ = printed(launcher, bot, is_warm=False)
    for _ in range(2):
        hot, no_other, _ = printed(launcher, bot, is_warm=True)
        assert complaint == no_other == ""
        assert json.loads(plain(cold)) == json.loads(plain(hot))


def test_a_warm_script_behind_links_finds_its_neighbours_as_a_cold_one(tmp_path, launcher):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/main.py").write_text(
        "import sys, helper\nprint(sys.path[0], __file__, sys.argv, helper.__file__)\n"
    )
    (tmp_path / "real/helper.py").touch()
    (tmp_path / "short").symlink_to("real")
    (tmp_path / "link.py").symlink_to("real/main.py")
    for script in ("real/main.py", "./real/main.py", "short/main.py", "link.py", "./link.py"):
        (tmp_path / "bot.toml").write_text(f'command = "python {script} word"\n')
        bot = discovery.from_path(tmp_path)
        cold, hot = (
            tuple(map(plain, printed(launcher, bot, is_warm=is_warm))) for is_warm in (False, True)
        )
        assert cold == hot
        assert cold[1:] == ("", "exit 0")


def test_what_is_random_differs_from_start_to_start_in_warm_bots_too(tmp_path, launcher):
    bot = bot_of(
        tmp_path / "bot.py",
        "import random, uuid, tempfile\nprint(random.random(), uuid.uuid4(), tempfile.mktemp())\n",
    )
    told = [printed(launcher, bot, is_warm=True)[0].split() for _ in range(3)]
    assert all(len({one[place] for one in told}) == 3 for place in range(3))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(): raise KeyError('x')\nf()\n", id="an exception"),
        pytest.param("def broken(:\n", id="a syntax error"),
        pytest.param("raise SystemExit\n", id="an exit"),
        pytest.param("raise SystemExit(3)\n", id="an exit with a number"),
        pytest.param("raise SystemExit('no more')\n", id="an exit with words"),
        pytest.param("import os; os._exit(7)\n", id="an exit at once"),
        pytest.param("import os; os.abort()\n", id="an abort"),
        pytest.param("import sys; sys.stdout.close(); sys.exit(0)\n", id="a closed stdout"),
        pytest.param(
            "import atexit\natexit.register(print, 'last')\nprint('first')\n",
            id="what is registered",
        ),
        pytest.param(
            (
                "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), "
                "print('late'))).start()\n"
            ),
            id="a thread that is waited for",
        ),
        pytest.param(
            "import sys; print('x' * 9, end=''); sys.stderr.write('y')\n",
            id="words without newline",
        ),
        pytest.param("import nosuchmodule\n", id="a missing module"),
        pytest.param(b"# \xe9\nprint(1)\n", id="an encoding that is not named"),
        pytest.param("# -*- coding: latin-1 -*-\nprint(len('\xe9'))\n", id="another encoding"),
        pytest.param("import arena.sandbox\n", id="what a bot may not import"),
        pytest.param("import signal, os; signal.raise_signal(signal.SIGTERM)\n", id="a signal"),
    ],
)
def test_a_warm_bot_ends_as_a_cold_one(tmp_path, launcher, text):
    bot = bot_of(tmp_path / "bot.py", text)
    cold, hot = (
        tuple(map(plain, printed(launcher, bot, is_warm=is_warm))) for is_warm in (False, True)
    )
    assert cold == hot


def test_a_script_that_is_not_there_is_told_as_in_a_cold_start(tmp_path, launcher):
    bot = replace(
        bot_of(tmp_path / "bot.py", ""), command=("{python}", "-s", "-B", "-u", "other.py")
    )
    (_, cold, code), (_, hot, same) = (
        printed(launcher, bot, is_warm=is_warm) for is_warm in (False, True)
    )
    assert (hot.partition(": ")[2], same) == (cold.partition(": ")[2], code)


@pytest.mark.parametrize(
    "command", [("{python}", "bot.py"), ("{python}", "-s", "-B", "-u", "-c", "0"), ("/bin/true",)]
)
def test_what_is_started_in_another_way_starts_cold(command):
    assert not warm.fits([sys.executable if word == "{python}" else word for word in command])


def test_a_match_of_warm_bots_goes_as_one_of_cold_bots_and_the_record_says_which(launcher):
    (board,) = rulebook.find("duel")
    bots = tuple(
        discovery.from_path(rulefile.shipped().parent / "bots" / name)
        for name in ("dice.py", "walker")
    )

    def played(*, is_warm: bool, own: bool = True) -> Record:
        conditions = Conditions(time=TimeControl(start=20.0, move=20.0), warm=is_warm)
        event = Event(name="t", seed=1, boards=(board,), bots=bots, conditions=conditions)
        seated = tuple(replace(bot, warm=own) for bot in bots)
        return play(event.match(board, seated, 0), launcher=launcher)

    cold, hot, unwilling = (
        played(is_warm=False),
        played(is_warm=True),
        played(is_warm=True, own=False),
    )
    assert [turn.move for turn in cold.turns] == [turn.move for turn in hot.turns]
    assert [seat.warm for record in (cold, hot, unwilling) for seat in record.seats] == [
        False
    ] * 2 + [True] * 2 + [False] * 2


def test_memory_counts_from_the_fork(tmp_path, launcher):
    """A warm bot has as much for itself as a cold one, and no more."""
    eats = (
        "kept = []\ntry:\n    while True: kept.append(bytearray(10**6))\n"
        "except MemoryError: count = len(kept); kept.clear(); print(count)\n"
    )
    bot = bot_of(tmp_path / "bot.py", eats)
    counts = [
        int(printed(launcher, bot, is_warm=is_warm, limits=Limits(memory=100_000_000))[0])
        for is_warm in (False, True)
    ]
    assert abs(counts[0] - counts[1]) <= 15, counts


@pytest.mark.parametrize("is_warm", [False, True])
def test_a_low_limit_on_open_files_counts_those_of_the_bot_only(tmp_path, launcher, is_warm):
    bot = bot_of(
        tmp_path / "bot.py", "import os\nprint(sum(1 for _ in iter(lambda: os.dup(0), 11)))\n"
    )
    assert printed(launcher, bot, is_warm=is_warm, limits=Limits(open_files=12)) == (
        "8\n",
        "",
        "exit 0",
    )


@packages.OWN
def test_a_preloaded_module_is_there_already_and_throws_other_dice_in_each_bot(tmp_path):
    pytest.importorskip("numpy")
    bot = bot_of(
        tmp_path / "bot.py",
        "import sys\nprint('numpy' in sys.modules)\nimport numpy\nprint(numpy.random.random())\n",
    )
    with Launcher() as launcher:
        (one, _, _), (other, _, _) = (
            printed(launcher, bot, is_warm=True, preload=("numpy",)) for _ in range(2)
        )
    assert one.split()[0] == other.split()[0] == "True"
    assert one.split()[1] != other.split()[1]


SEARCH = """
import sys
before = set(sys.modules)
from arena import kit, rulefile
game = rulefile.load(rulefile.shipped() / "{rules}", "{board}")
print(*sorted(sys.modules.keys() - before))
print(len(game.roles), *(hasattr(module, "mark") for module in (kit, rulefile, sys.modules[type(game).__module__])))
kit.mark = rulefile.mark = sys.modules[type(game).__module__].mark = True
"""


def test_kit_and_rules_are_there_and_untouched(tmp_path):
    pacman = bot_of(tmp_path / "bot.py", SEARCH.format(rules="pacman.py", board="classic"))
    maze = bot_of(tmp_path / "other.py", SEARCH.format(rules="mummy_maze.py", board="duel"))
    with Launcher() as launcher:
        out = [printed(launcher, pacman, is_warm=True) for _ in range(2)]
        out += [printed(launcher, maze, is_warm=True, rules=RULES.with_name("mummy_maze.py"))]
    imported = [text.splitlines()[0].split() for text, _, _ in out]
    assert imported == [[], [], []]
    assert [text.splitlines()[1] for text, _, _ in out] == [
        *["3 False False False"] * 2,
        "2 False False False",
    ]


@pytest.mark.parametrize(
    "text",
    [
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), "
            "daemon=True).start()\n"
        ),
        "import os\nos._exit(0)\n",
        "raise ImportError('not here')\n",
    ],
    ids=["a thread", "an end", "an error"],
)
def test_rules_that_no_fork_can_have_imported_are_left_to_the_bots(tmp_path, launcher, text):
    (tmp_path / "rules").mkdir()
    rules = tmp_path / "rules/odd.py"
    rules.write_text(text)
    bot = bot_of(tmp_path / "bot.py", "from arena import kit\nprint('plays')\n")
    for _ in range(2):
        assert printed(launcher, bot, is_warm=True, rules=rules) == ("plays\n", "", "exit 0")


def test_no_later_bot_sees_that_calls_of_one_before_it_were_watched(tmp_path):
    look = (
        "import sys\nprint([name for name in sys.modules if name.startswith('arena')], "
        "list(sys.path_importer_cache))\n"
    )
    bot = bot_of(tmp_path / "bot.py", look)
    with Launcher(watches=True) as launcher:
        first, second = (printed(launcher, bot, is_warm=True) for _ in range(2))
    assert "refused" not in first[0]
    assert second == first


def test_a_warm_bot_cannot_see_what_the_spawner_sees(tmp_path, launcher):
    tries = (
        "import os, sys\nprint(sorted(set(sys.path_importer_cache) - set(sys.path)))\n"
        "print([n for n in range(3, 100) if os.path.exists(f'/dev/fd/{n}')])\n"
        "for n in range(3, 1000):\n    try: os.fstat(n)\n    except OSError: continue\n"
        "    print('open', n)\n"
    )
    out, err, _ = printed(launcher, bot_of(tmp_path / "bot.py", tries), is_warm=True)
    assert err == ""
    assert "open" not in out


def test_a_warm_bot_finds_in_no_frame_what_was_asked_of_the_spawner_before(tmp_path, launcher):
    frames = (
        "import sys\nframe = sys._getframe()\n"
        "while frame:\n    print(frame.f_code.co_name, *frame.f_locals)\n    frame = frame.f_back\n"
    )
    bot = bot_of(tmp_path / "bot.py", frames)
    for _ in range(4):  # the first was not forked ahead, the others were, after the end of one
        found = [line.split() for line in printed(launcher, bot, is_warm=True)[0].splitlines()]
        spawners = {
            name for function, *names in found if function in {"serve", "respond"} for name in names
        }
        assert spawners == {"launcher", "operation"}, found


def test_a_bot_that_wants_no_warm_start_says_so_in_its_bot_toml(tmp_path, launcher):
    (tmp_path / "bot.py").write_text("print('x')")
    starts = []
    for line in ("", "warm = true", "warm = false"):
        (tmp_path / "bot.toml").write_text(f'command = "python bot.py"\n{line}\n')
        child = launcher.start(discovery.from_path(tmp_path), Conditions(sandbox="landlock"), RULES)
        launcher.end(child, grace=10.0)
        close(child)
        starts.append(child.spec.warm)
    assert starts == [True, True, False]


def test_process_lists_show_a_warm_bot_as_itself(tmp_path, launcher):
    (tmp_path / "hanging.py").write_text("import time\ntime.sleep(60)\n")
    shown = []
    for is_warm in (False, True):
        child = launcher.start(
            discovery.from_path(tmp_path / "hanging.py"),
            Conditions(sandbox="landlock", warm=is_warm),
            None,
        )
        process, until = Path(f"/proc/{child.pid}"), time.monotonic() + 60
        while time.monotonic() < until and (
            b"hanging.py" not in (process / "cmdline").read_bytes()
            or b"-----" in (process / "environ").read_bytes()
        ):
            time.sleep(0.005)
        words = [
            (process / name).read_bytes().rstrip(b"\0").split(b"\0")
            for name in ("cmdline", "environ")
        ]
        shown.append((words[0], sorted(words[1]), (process / "comm").read_text()))
        launcher.end(child)
        close(child)
    assert [re.sub(rb"room[0-9a-f]+", b"", b" ".join(words)) for words in shown[0][:2]] == [
        re.sub(rb"room[0-9a-f]+", b"", b" ".join(words)) for words in shown[1][:2]
    ]
    assert shown[0][2] == shown[1][2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            (
                "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), "
                "daemon=True).start()\n"
            ),
            "threads",
        ),
        ("raise ValueError('not today')\n", "not today"),
    ],
)
def test_a_module_that_cannot_be_preloaded_is_our_failure_and_says_which(
    tmp_path, monkeypatch, text, words
):
    (tmp_path / "odd_module.py").write_text(text)
    monkeypatch.setattr(
        spawner_process,
        "SPAWN",
        spawner_process.SPAWN.replace(
            "from arena", f"sys.path.append({str(tmp_path)!r}); from arena"
        ),
    )
    bot = bot_of(tmp_path / "bot.py", "print('x')")
    with (
        Launcher() as launcher,
        pytest.raises(ConfinementError, match=f"preload: odd_module: .*{words}"),
    ):
        printed(launcher, bot, is_warm=True, preload=("odd_module",))


def test_modules_to_preload_must_be_there():
    from arena.event.config import Tournament

    wanted = Tournament.model_validate(
        {"name": "t", "boards": ("duel",), "preload": ("no_such_module",)}
    )
    with pytest.raises(
        ArenaError, match="preload: arena's environment has no module 'no_such_module'"
    ):
        wanted.conditions()
