"""What the author of a bot reads about a mistake names its cause, and no other: the table of
advice_cases.py.
"""

import os
import zipfile
from dataclasses import replace
from errno import EACCES, ENOENT

import pytest

from arena.author.checkup import advice, checkup
from arena.author.checkup.bot_files import BotFiles
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.event import builds, discovery
from arena.failure import Cause, Failure
from arena.games import rulebook
from arena.match.bot import postmortem, program_file
from arena.match.bot.complaint import complaint
from arena.sandbox import choice
from arena.sandbox.launcher import Exit, Launcher
from arena.values import Bot, Conditions, Limits
from tests.author import advice_cases
from tests.author.advice_cases import CASES, JAVA, PLAYS, RECORDED, crlf
from tests.support import cup, sins, workspaces

ENDED = Failure(cause=Cause.ENDED, words="", exit_code=1)
FAILED = advice.of_failure(ENDED)
SOAK = {"java in a package"}
"""The cases whose bots take a second to build."""


@pytest.fixture(scope="module")
def watching():
    """Yield a launcher as `arena check` has it, which sees the calls that are refused."""
    with Launcher(watches=True) as launcher:
        yield launcher


def read_by_author(case, path, launcher, builds_folder):
    """Return whether a bot is fit to play, and all that its author reads about it, as `arena check`
    finds it.
    """
    conditions = Conditions(
        time=TimeControl(start=case.answers_in, move=case.answers_in, margin=0.0),
        limits=Limits(memory=200_000_000, cpu=20, stderr=16_000_000, processes=case.processes),
        sandbox=choice.choose("auto", unsafe=False),
        preload=sins.PRELOAD,
    )
    try:
        (bot,) = builds.built([discovery.from_path(path)], builds_folder, conditions.sandbox)
        found = checkup(
            replace(bot, roles=("mummy",)), rulebook.find("mummy_maze/duel"), conditions, launcher
        )
    except ArenaError as error:
        return False, str(error)
    return found.sound, "\n".join(
        f"{finding.words}\n-> {finding.cure}" for finding in found.findings
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in SOAK)) for name in CASES]
)
def test_an_author_reads_the_cause_of_a_mistake_and_no_other(name, tmp_path, watching, monkeypatch):
    case = CASES[name]
    if missing := advice_cases.missing(case):
        pytest.skip(f"{missing[0]} is not on this machine")
    path = advice_cases.write(case, tmp_path / "home")
    if case.no_programs:
        monkeypatch.setenv("PATH", os.fspath(tmp_path))
    sound, text = read_by_author(case, path, watching, tmp_path / "builds")
    assert sound == case.sound, text
    text = text.replace(f"{tmp_path}/", "")
    assert [words for words in case.says if words not in text] == [], text
    assert [words for words in case.never if words in text] == [], text
    assert text.isprintable() or all(line.isprintable() for line in text.split("\n")), text


@pytest.mark.parametrize("name", RECORDED)
def test_the_line_that_names_the_error_is_found_behind_any_trace(name):
    case = RECORDED[name]
    assert case.line in complaint(case.stderr)
    assert case.advice in advice.of_failure(ENDED, case.stderr)
    if not case.advice:
        assert advice.of_failure(ENDED, case.stderr) == FAILED


def test_a_crash_without_a_word_has_no_line():
    assert complaint("") == complaint("\n \n") == ""
    assert complaint("\x1b[31m\n") == "\x1b[31m"


def test_a_java_class_of_another_name_is_named(tmp_path):
    (tmp_path / "Main.java").write_text((JAVA % "Rover").replace("public class", "class"))
    bot = Bot(name="mine", command=("java", "Main"), digest="", files=str(tmp_path))
    said = (
        "Error: Could not find or load main class Main\n"
        "Caused by: java.lang.ClassNotFoundException: Main\n"
    )
    assert "Main.java has the class Rover" in advice.of_failure(ENDED, said, BotFiles(bot))


def test_data_that_git_did_not_fetch_is_named(tmp_path):
    (tmp_path / "book.bin").write_text("version https://git-lfs.github.com/spec/v1\nsize 9\n")
    bot = Bot(name="mine", command=("{python}", "bot.py"), digest="", files=str(tmp_path))
    said = f"{advice_cases.TRACE}_pickle.UnpicklingError: invalid load key, 'v'.\n"
    assert "book.bin is no data, but a pointer of Git LFS" in advice.of_failure(
        ENDED, said, BotFiles(bot)
    )
    assert "LFS" not in advice.of_failure(
        ENDED, f"{advice_cases.TRACE}IndexError: x\n", BotFiles(bot)
    )


def test_a_link_out_of_the_bot_is_never_read_for_advice(tmp_path):
    (tmp_path / "secret.py").write_text("sys.stdin.read()\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").symlink_to(tmp_path / "secret.py")
    files = BotFiles(
        Bot(name="mine", command=("{python}", "bot.py"), digest="", files=str(tmp_path / "mine"))
    )
    assert (files.program, files.read(), files.reads_all) == ("bot.py", "", "")


@pytest.mark.parametrize("errno", [0, ENOENT, EACCES])
def test_no_author_learns_which_files_the_organiser_has_by_a_first_line(tmp_path, errno):
    """The words are the same whether the interpreter that a first line names is there or not."""
    (tmp_path / "there").write_text("")
    for folder in (f"{tmp_path}", f"/usr/..{tmp_path}"):
        said = []
        for name in ("there", "gone!"):
            (path := tmp_path / "run").write_text(f"#!{folder}/{name}\n")
            path.chmod(0o755)
            bot = Bot(name="mine", command=("./run",), digest="", files=str(tmp_path))
            said.append(
                str(program_file.explanation(bot, errno)).replace(
                    program_file.shown(f"{folder}/{name}"), ""
                )
            )
        assert said[0] == said[1]
        assert ("no bot may run it" in said[0]) == bool(errno)


@pytest.mark.parametrize(("watched", "refused"), [((), ""), (None, "arena refused something")])
def test_words_of_a_bot_are_no_refusal_where_arena_saw_every_call_and_refused_none(
    watched, refused
):
    ended = Exit(code=1, killed=False, cpu=0.0, memory=0)
    stderr = b"ValueError: Operation not permitted\n"
    nothing = postmortem.Printed()
    failure = postmortem.crash(
        ended, stderr, nothing, Limits(), starting=True, confined=True, syscalls=watched
    )
    said = advice.of_failure(failure, stderr.decode())
    assert refused in said
    assert ("refused" in said) == ("may not make" in failure.words) == bool(refused)


def test_refused_calls_stand_in_the_verdict_of_a_bot_that_may_have_died_of_them():
    def words(stderr, calls, code=1):
        ended = Exit(code=code, killed=False, cpu=0.0, memory=0)
        nothing = postmortem.Printed()
        return postmortem.crash(
            ended, stderr, nothing, Limits(), starting=True, confined=True, syscalls=calls
        ).words

    assert "refused" not in words(b"IndexError: x\n", ["socket"])
    assert "refused" not in words(b"", ["socket"], 0)
    assert "refused to it: socket" in words(b"", ["socket"])
    assert "refused to it: socket" in words(
        b"PermissionError: [Errno 1] Operation not permitted\n", ["socket"]
    )
    assert "refused another" in words(b"fork: Operation not permitted\n", ["clone"])
    assert "refused another" not in words(b"IndexError: x\n", ["clone"])


def test_a_command_that_leads_out_of_the_bot_tells_nothing_of_other_files(tmp_path):
    (tmp_path / "secret").write_text("#!/opt/secret/python\n")
    (tmp_path / "mine").mkdir()
    bot = Bot(name="mine", command=("./../secret",), digest="", files=str(tmp_path / "mine"))
    assert program_file.explanation(bot) is None
    (tmp_path / "mine" / "run").write_text("#!/opt/secret/python\n")
    own = program_file.explanation(replace(bot, command=("./run",)))
    assert own is not None
    assert "run may not be executed" in own.words


def test_a_command_of_any_words_is_looked_at_for_a_script_of_a_shell(tmp_path):
    words = ("bash", "x" * 5000, "/etc/hosts", "../secret", "run")
    bot = Bot(name="mine", command=words, digest="", files=str(tmp_path))
    assert program_file.script_fault(bot) is None
    (tmp_path / "run").write_bytes(b"echo ready\r\n")
    fault = program_file.script_fault(bot)
    assert fault is not None
    assert "the lines of run end with CR LF" in fault.words


@pytest.mark.parametrize(
    ("command", "is_fault"),
    [
        (("{python}", "run"), False),
        (("node", "run"), False),
        (("perl", "run"), True),
        (("sh", "run"), True),
        (("./run",), True),
    ],
)
def test_line_ends_of_an_old_mac_are_a_fault_where_the_reader_does_not_know_them(
    tmp_path, command, is_fault
):
    (tmp_path / "run").write_bytes(b"#!/usr/bin/env program\rprint(1)\r")
    bot = Bot(name="mine", command=command, digest="", files=str(tmp_path))
    fault = program_file.script_fault(bot)
    assert (fault is not None and "CR alone" in fault.words) == is_fault


def test_a_class_that_a_command_names_is_no_missing_file(tmp_path):
    bot = Bot(
        name="mine", command=("java", "-Xmx64m", "com.ada.Main"), digest="", files=str(tmp_path)
    )
    assert BotFiles(bot).missing_program == ""
    assert BotFiles(replace(bot, command=("java", "-jar", "bot.jar"))).missing_program == "bot.jar"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return workspaces.make(tmp_path_factory.mktemp("advice") / "ws", boards="duel")


@pytest.mark.slow
def test_what_is_left_out_of_a_submission_is_said_whether_it_is_taken_or_refused(here, tmp_path):
    path = advice_cases.write(CASES["a virtual environment"], tmp_path / "home")
    taken = cup.arena(here, "submit", str(path), "--as", "ann")
    assert "it is version 1; left out, as no part of a bot: .venv" in taken.stdout, (
        taken.stdout + taken.stderr
    )
    assert not (here / "bots/ann/.venv").exists()
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as packed:
        packed.writestr("bob/bot.py", "import no_such_package\n")
        packed.writestr("bob/._bot.py", b"\0\5\x16\7")
        packed.writestr("bob/venv/lib/python3.11/site-packages/no_such_package.py", "")
    refused = cup.arena(here, "submit", str(tmp_path / "bob.zip"))
    assert refused.returncode == 1
    assert "`no_such_package` is not on this machine" in refused.stdout
    assert "left out, as no part of a bot: bob/venv" in refused.stdout


@pytest.mark.slow
def test_a_run_says_why_the_system_cannot_start_an_absent_bot(here):
    bad = here / "bots" / "bad"
    bad.write_text(
        crlf("#!/usr/bin/env python3\n" + PLAYS).replace("/usr/bin/env python3", "/usr/bin/python3")
    )
    bad.chmod(0o755)
    try:
        done = cup.run_event(here)
    finally:
        bad.unlink()
    assert "the lines of bad end with CR LF (Windows)" in done.stderr, done.stderr
