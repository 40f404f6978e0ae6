"""Builds in play: a bot with a build command is built once for each digest, confined, whole or not
at all.
"""

import contextlib
import os
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.author import starters
from arena.errors import ArenaError, MachineError
from arena.event import bot_folder, builds, discovery
from arena.event.discovery.files import folder_digest
from arena.failure import Cause, Failure
from arena.match.bot.postmortem import failed_build
from arena.sandbox import choice
from arena.sandbox.building import BUILD_LIMITS, Built, at_work
from arena.sandbox.launcher import Exit, Launcher
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot, Conditions
from tests.support import cup, workspaces

TOML = 'command = "python bot.py"\nbuild = "sh build.sh"\nlanguage = "python"\n'
STEPS = "cp source.txt bot.py\necho built >&2\n"


def bot_that_is_built(folder: Path, steps: str = STEPS, source: str = cup.FIRST):
    """A bot whose program is made by a script."""
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(TOML)
    (folder / "build.sh").write_text(steps)
    (folder / "source.txt").write_text(source)
    return discovery.from_path(folder)


def made(bot, folder: Path):
    (one,) = builds.built([bot], folder, choice.choose("auto", unsafe=False))
    return one


def test_a_bot_is_built_once_for_each_digest_and_its_own_folder_stays_as_it_is(tmp_path):
    bot = bot_that_is_built(tmp_path / "mine", STEPS + "date +%s%N > when\n")
    first = made(bot, tmp_path / "kept")
    when = (Path(first.files) / "when").read_text()
    assert first == replace(bot, files=str(tmp_path / "kept" / bot.digest))
    assert (Path(made(bot, tmp_path / "kept").files) / "when").read_text() == when
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "bot.toml",
        "build.sh",
        "source.txt",
    ]
    (tmp_path / "mine" / "source.txt").write_text(cup.LAST)
    edited = made(discovery.from_path(tmp_path / "mine"), tmp_path / "kept")
    assert edited.files != first.files


def test_a_built_bot_that_somebody_forged_is_built_again(tmp_path):
    bot = bot_that_is_built(tmp_path / "mine")
    first = Path(made(bot, tmp_path / "kept").files)
    (first / "bot.py").write_text("another program")
    note = first.with_suffix(".built")
    note.write_text(folder_digest((), first))
    assert (Path(made(bot, tmp_path / "kept").files) / "bot.py").read_text() == cup.FIRST


@pytest.mark.parametrize("program", ["python", "python3"])
def test_a_build_may_be_a_program_in_python(tmp_path, program):
    bot_that_is_built(tmp_path / "mine")
    (tmp_path / "mine" / "bot.toml").write_text(TOML.replace("sh build.sh", f"{program} build.py"))
    (tmp_path / "mine" / "build.py").write_text(
        'open("bot.py", "w").write(open("source.txt").read())\n'
    )
    bot = made(discovery.from_path(tmp_path / "mine"), tmp_path / "kept")
    assert (Path(bot.files) / "bot.py").read_text() == cup.FIRST
    (tmp_path / "mine" / "build.py").write_text("1 +\n")
    with pytest.raises(
        ArenaError,
        match=r"(?s)its build failed: python build\.py: it ended with exit 1\n.*SyntaxError",
    ):
        made(discovery.from_path(tmp_path / "mine"), tmp_path / "kept")


def test_a_bot_without_a_build_command_is_left_alone(tmp_path):
    (tmp_path / "one.py").write_text(cup.FIRST)
    bot = discovery.from_path(tmp_path / "one.py")
    assert made(bot, tmp_path / "kept") is bot
    assert not (tmp_path / "kept").exists()


def test_a_failed_build_ends_with_the_compilers_words_and_leaves_nothing(tmp_path):
    bot = bot_that_is_built(tmp_path / "mine", "echo 'bot.c:1: \x1b[31merror' >&2\nexit 3\n")
    with pytest.raises(
        ArenaError, match=r"^mine: its build failed: sh build.sh: it ended with exit 3\n  bot"
    ) as said:
        made(bot, tmp_path / "kept")
    assert "\x1b" not in str(said.value)
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [".lock"]


KILLED = Exit(code=-signal.SIGKILL, killed=False, cpu=1.0, memory=1_990_000_000)


@pytest.mark.parametrize(
    ("built", "words"),
    [
        (Built(replace(KILLED, code=0), b""), ""),
        (Built(replace(KILLED, code=3, memory=0), b""), "it ended with exit 3"),
        (
            Built(replace(KILLED, code=1), b"", error="No such file"),
            "could not be started: No such file",
        ),
        (Built(KILLED, b"", late=True), "it took more than 120 seconds"),
        (
            Built(KILLED, b""),
            "it ended with signal SIGKILL; its memory peaked at 1990 MB, its limit is 2 GB",
        ),
        (
            Built(replace(KILLED, out_of_memory=True), b""),
            "memory: the kernel counted more than its 2 GB",
        ),
        (
            Built(replace(KILLED, code=-signal.SIGXCPU, cpu=121.0), b""),
            "cpu: it used more than the 120 seconds of CPU that it may",
        ),
        (
            Built(
                replace(KILLED, memory=0), b"", excess=Failure(cause=Cause.FILES, words="files: 9")
            ),
            "files: 9",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_why_a_build_failed_is_said_as_of_a_bot(built, words):
    assert failed_build(built, BUILD_LIMITS) == words


def test_a_full_disk_is_not_blamed_on_the_bot(tmp_path, monkeypatch):
    def full(*_: object) -> Built:
        raise MachineError("/tmp: no space is left")

    monkeypatch.setattr(builds, "build", full)
    with pytest.raises(MachineError, match=r"^/tmp: no space is left"):
        made(bot_that_is_built(tmp_path / "mine"), tmp_path / "kept")


def test_a_build_that_was_killed_midway_is_never_taken_for_a_whole_one(tmp_path):
    bot = bot_that_is_built(tmp_path / "mine")
    half = tmp_path / "kept" / f"{bot.digest}.part"
    half.mkdir(parents=True)
    (half / "bot.py").write_text("half a pro")
    done = made(bot, tmp_path / "kept")
    assert (Path(done.files) / "bot.py").read_text() == cup.FIRST
    assert not half.exists()


def test_a_built_bot_that_was_damaged_is_built_again(tmp_path):
    bot = bot_that_is_built(tmp_path / "mine")
    built = Path(made(bot, tmp_path / "kept").files)
    for lost in ("bot.py", "source.txt", "bot.toml"):
        (built / lost).write_text(
            ""
        )  # as a power cut leaves a file that was renamed and never synced
        assert made(bot, tmp_path / "kept").files == str(built)
        assert (built / "bot.py").read_text() == (built / "source.txt").read_text() == cup.FIRST
        assert (built / "bot.toml").read_text() == TOML


def test_a_built_bot_whose_folder_is_gone_is_built_again_even_if_it_was_empty(tmp_path):
    bot = bot_that_is_built(tmp_path / "mine", "rm -r *")
    built = Path(made(bot, tmp_path / "kept").files)
    built.rmdir()
    assert made(bot, tmp_path / "kept").files == str(built)
    assert built.is_dir()


LEAVES = {
    "a link to the root": "ln -s /etc/passwd bot.py",
    "a link up": "ln -s ../../secret bot.py",
    "a fifo": "mkfifo bot.py",
    "folders without end": "mkdir -p $(printf 'd/%.0s' $(seq 100))",
    "3 MB, of at most 2": "truncate -s 3M bot.py",
}


@pytest.mark.parametrize("steps", LEAVES.values(), ids=LEAVES)
def test_a_build_that_leaves_what_no_bot_may_hold_has_failed(tmp_path, monkeypatch, steps):
    assert builds.LARGEST_BYTES == 250_000_000
    monkeypatch.setattr(builds, "LARGEST_BYTES", 2_000_000)  # so that the test writes less
    bot = bot_that_is_built(tmp_path / "mine", steps)
    with pytest.raises(ArenaError, match="its build failed"):
        made(bot, tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [".lock"]


LINKS = """\
mkdir __pycache__; ln -s /etc/passwd __pycache__/x; ln -s ../../.. __pycache__/up
mkdir -p deep/.git; ln -s / deep/.git/root
ln -s / .git; ln -s /etc deep/__pycache__
"""
"""Links out of the folder: in folders that no digest counts, and in their place."""


def test_a_build_that_makes_a_path_too_long_to_be_copied_elsewhere_has_failed(tmp_path):
    steps = f"{STEPS}for level in 1 2 3 4 5 6; do mkdir {'x' * 240}; cd {'x' * 240}; done\n"
    bot = bot_that_is_built(tmp_path / "mine", steps)
    with pytest.raises(ArenaError, match="cannot be kept: a path of more than 1000 bytes"):
        made(bot, tmp_path / "kept")
    assert not [*(tmp_path / "kept").glob("[!.]*")]


def test_a_build_leaves_no_link_out_of_its_folder_anywhere(tmp_path):
    done = made(bot_that_is_built(tmp_path / "mine", f"{STEPS}{LINKS}"), tmp_path / "kept")
    assert (Path(done.files) / "bot.py").read_text() == cup.FIRST
    assert [path for path in Path(done.files).rglob("*") if path.is_symlink()] == []


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = workspaces.make(tmp_path_factory.mktemp("builds") / "ws", {"first": cup.FIRST}, "duel")
    bot_that_is_built(folder / "bots" / "mine", source=cup.LAST)
    return folder


def test_run_match_and_rerun_play_what_was_built(workspace):
    assert cup.run_event(workspace).returncode == 0
    (one,) = [path for path in (workspace / "results" / ".builds").iterdir() if path.is_dir()]
    assert (one / "bot.py").read_text() == cup.LAST
    assert {row["forfeits"] for row in cup.leaderboard(workspace)} == {"0"}
    played = cup.arena(workspace, "match", "mine", "first", "--board", "duel", "--no-draw")
    assert (played.returncode, "forfeit" in played.stdout) == (0, False)
    match = (workspace / "results/cup/matches.csv").read_text().splitlines()[1].partition(",")[0]
    again = cup.arena(workspace, "rerun", match)
    assert "it went the same" in again.stdout, again.stderr


def test_run_names_a_bot_whose_build_fails(workspace):
    bot_that_is_built(workspace / "bots" / "torn", "cc nothing.c")
    done = cup.run_event(workspace)
    assert done.returncode == 2
    assert "torn: its build failed: sh build.sh" in done.stderr
    checked = cup.arena(workspace, "check", "torn")
    assert (checked.returncode, "its build failed" in checked.stdout) == (1, True)
    shutil.rmtree(workspace / "bots" / "torn")


def test_a_folder_has_its_name_when_it_is_complete_and_never_after_an_error(tmp_path):
    target = tmp_path / "0123"
    target.mkdir()
    (target / "damaged").touch()
    with contextlib.suppress(OSError), bot_folder.making(target) as part:
        part.mkdir()
        raise OSError("the disk is full")
    assert list(tmp_path.iterdir()) == []
    with bot_folder.making(target) as part:
        part.mkdir()
        (part / "bot.py").touch()
        assert not target.exists()
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == [
        "0123",
        "0123/bot.py",
    ]


def test_a_pipe_in_a_bot_is_not_copied_and_hangs_nobody(tmp_path):
    (tmp_path / "mine").mkdir()
    os.mkfifo(tmp_path / "mine" / "pipe")
    with pytest.raises(OSError, match="neither a file nor a folder"):
        bot_folder.copy(tmp_path / "mine", tmp_path / "copy")


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_program_in_c_is_built_and_plays_without_a_bot_toml(tmp_path):
    here = workspaces.make(tmp_path / "ws", {"last": cup.LAST}, "duel")
    starter = Path(starters.find("c").folder) / "bot.c"
    shutil.copy(starter, here / "bots" / "mine.c")
    done = cup.arena(here, "match", "mine", "last", "--board", "duel")
    assert (done.returncode, "crashed" in done.stdout) == (0, False), done.stderr


def test_a_build_whose_compiler_is_missing_says_so(tmp_path, monkeypatch):
    (tmp_path / "mine.go").write_text("package main\n")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(
        ArenaError,
        match=r"^mine: its build needs 'go', which is not on this machine: ask the organiser",
    ):
        made(discovery.from_path(tmp_path / "mine.go"), tmp_path / "kept")


THIEF = """\
import os
own = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
if not os.fork():
    while True:
        os.write(1, b"x")
        os.write(2, b"x")
while True:
    try:
        os.read(own, 65536)
    except OSError:
        pass
"""


def test_a_command_that_floods_and_steals_its_own_output_has_no_more_time(tmp_path):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "work.py").write_text(THIEF)
    bot = Bot(name="thief", command=(PYTHON, "work.py"), digest="0", files=str(tmp_path / "bot"))
    conditions = Conditions(sandbox=choice.choose("auto", unsafe=False), limits=BUILD_LIMITS)
    heard = []

    def hear(data: bytes) -> bytes:
        heard.append(data)
        time.sleep(0.05)
        return (
            b"" if len(heard) < 100 else Failure(cause=Cause.OUTPUT, words="it may go on for ever")
        )

    with Launcher() as launcher, at_work(launcher, bot, conditions, 1.0, hear=hear) as (built, _):
        assert heard, built
        assert built.late, built
