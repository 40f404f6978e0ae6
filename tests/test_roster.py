"""Bots on disk: what is one, what it is called, how it is started, what its digest covers."""

import os
import shutil

import pytest

from arena import roster
from arena.errors import ArenaError

PYTHON = ("{python}", "-s", "-B", "-u")


@pytest.fixture
def bots(tmp_path):
    folder = tmp_path / "bots"
    folder.mkdir()
    return folder


def script(folder, name, text="print()\n", mode=0o644):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def folder_bot(folder, name, toml='command = "python bot.py"\n', **files):
    home = script(folder, f"{name}/bot.toml", toml).parent
    for stem, text in files.items():
        script(home, f"{stem}.py", text)
    return home


def mistake(call, *args):
    with pytest.raises(ArenaError) as caught:
        call(*args)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_bots_are_files_with_a_known_ending_executables_and_folders_with_a_bot_toml(bots):
    script(bots, "walk.py")
    script(bots, "jump.js")
    script(bots, "fly", "#!/bin/sh\n", 0o755)
    folder_bot(bots, "deep")
    assert [(bot.name, bot.command) for bot in roster.gather(bots)] == [
        ("deep", (*PYTHON, "bot.py")),
        ("fly", ("./fly",)),
        ("jump", ("node", "jump.js")),
        ("walk", (*PYTHON, "walk.py")),
    ]


def test_readme_and_names_that_begin_with_a_dot_or_an_underscore_are_skipped(bots):
    for name in ("README.md", ".hidden.py", "_draft.py", "__pycache__/x.pyc", ".git/config"):
        script(bots, name)
    script(bots, "only.py")
    assert [bot.name for bot in roster.gather(bots)] == ["only"]


@pytest.mark.parametrize("name", ["notes.txt", "walk.cpp", "folder/bot.py"])
def test_anything_else_is_told_and_not_left_out_in_silence(bots, name):
    script(bots, name)
    told = mistake(roster.gather, bots)
    assert str(bots / name.split("/")[0]) in told
    assert "not a bot" in told
    assert "begin its name with _" in told


def test_a_folder_that_is_missing_is_told(tmp_path):
    assert "there is no folder" in mistake(roster.gather, tmp_path / "nowhere")


def test_a_bot_that_is_missing_is_told(tmp_path):
    assert "there is no such bot" in mistake(roster.from_path, tmp_path / "none.py")


def test_the_files_of_a_bot_are_named_so_that_they_are_found_from_anywhere(bots, monkeypatch):
    script(bots, "walk.py")
    monkeypatch.chdir(bots.parent)
    assert roster.from_path(bots.relative_to(bots.parent) / "walk.py").files == str(bots / "walk.py")


@pytest.mark.parametrize("name", ["no blank", "-dash", "ünlaut", "x" * 41, "a\x1b[2J"])
def test_a_name_that_a_bot_cannot_have_is_refused_with_its_file(bots, name):
    path = script(bots, f"{name}.py")
    told = mistake(roster.from_path, path)
    assert "cannot be a bot's name" in told
    assert "\x1b" not in told


def test_names_that_differ_only_in_case_are_refused_and_both_files_told(bots):
    script(bots, "Walk.py")
    script(bots, "walk.js")
    told = mistake(roster.gather, bots)
    assert "Walk.py" in told
    assert "walk.js" in told


def test_the_digest_does_not_know_where_a_bot_is(bots, tmp_path):
    home = folder_bot(bots, "deep", bot="x = 1\n")
    copy = shutil.copytree(home, tmp_path / "elsewhere")
    assert roster.from_path(home).digest == roster.from_path(copy, "deep").digest


def edited(home):
    script(home, "bot.py", "x = 2\n")


def added(home):
    script(home, "sub/more.py")


def renamed(home):
    (home / "help.py").rename(home / "aid.py")


def made_executable(home):
    (home / "bot.py").chmod(0o755)


def started_otherwise(home):
    script(home, "bot.toml", 'command = "python bot.py --fast"\n')


def moved_between_files(home):
    script(home, "bot.py", "x = 1\ny")
    script(home, "help.py", " = 1\n")


@pytest.mark.parametrize(
    "change",
    [edited, added, renamed, made_executable, started_otherwise, moved_between_files],
    ids=lambda f: f.__name__,
)
def test_the_digest_covers_names_modes_and_bytes_of_all_files_and_the_command(bots, change):
    home = folder_bot(bots, "deep", bot="x = 1\n", help="y = 1\n")
    before = roster.from_path(home).digest
    change(home)
    assert roster.from_path(home).digest != before


def test_what_python_leaves_beside_a_bot_is_not_in_its_digest(bots):
    home = folder_bot(bots, "deep", bot="x = 1\n")
    before = roster.from_path(home).digest
    script(home, "__pycache__/bot.cpython-311.pyc")
    assert roster.from_path(home).digest == before


def test_a_bare_file_is_digested_alone(bots):
    path = script(bots, "walk.py")
    before = roster.from_path(path).digest
    script(bots, "other.py")
    assert roster.from_path(path).digest == before


def test_a_bot_toml_says_all_there_is_to_say(bots):
    home = folder_bot(
        bots,
        "deep",
        'command = ["python3", "bot.py", "a b"]\nlanguage = "Python"\nauthor = "Ann"\n'
        'games = ["pacman"]\nroles = ["pacman"]\n[limits]\nmemory = "64 MB"\ncpu = 5\nprocesses = 2\n'
        'scratch = "1 MB"\nfiles = 9\n',
    )
    bot = roster.from_path(home)
    assert bot.command == (*PYTHON, "bot.py", "a b")
    assert (bot.games, bot.roles) == (("pacman",), ("pacman",))
    assert bot.limits is not None
    assert {key: value for key, value in vars(bot.limits).items() if value is not None} == {
        "memory": 64_000_000, "cpu": 5, "processes": 2, "scratch": 1_000_000, "files": 9,
    }  # fmt: skip


MISTAKES = {
    "bad TOML": ("command = = 1\n", ["line 1"]),
    "no command": ('language = "C"\n', ["command: missing"]),
    "an empty command": ('command = ""\n', ["command: "]),
    "an open quotation": ('command = "python \'bot.py"\n', ["command: ", "quotation"]),
    "a command of numbers": ("command = [1]\n", ["command: ", "list of words"]),
    "an unknown key": ('command = "x"\nautor = "Ann"\n', ["autor: unknown key", "'author'"]),
    "games that are no list": ('command = "x"\ngames = "pacman"\n', ["games: expected a list"]),
    "an unknown limit": ('command = "x"\nlimits = {memroy = 1}\n', ["limits: memroy: unknown key", "'memory'"]),
    "limits that are no table": ('command = "x"\nlimits = 3\n', ["limits: expected a table"]),
    "a size that is none": ('command = "x"\nlimits = {memory = "lots"}\n', ["limits.memory: ", "'256 MB'", "'lots'"]),
    "a limit below zero": ('command = "x"\nlimits = {cpu = -1.0}\n', ["limits.cpu: expected a number above 0"]),
    "an endless limit": ('command = "x"\nlimits = {cpu = inf}\n', ["limits.cpu: expected a number above 0"]),
    "half a process": ('command = "x"\nlimits = {processes = 1.5}\n', ["limits.processes: expected a whole number"]),
    "a build that wants a shell": ('command = "x"\nbuild = "mkdir a && make"\n', ["build: '&&' wants a shell"]),
    "an empty build": ('command = "x"\nbuild = ""\n', ["build: it is empty"]),
    "an author who is no text": ('command = "x"\nauthor = 7\n', ["author: expected a text"]),
    "a file of the organiser's": ('command = "python /etc/passwd"\n', ["command: '/etc/passwd' is outside"]),
    "a way around": ('command = "/usr/bin/../../etc/passwd"\n', ["command: ", "is outside the bot's folder"]),
    "a build of somebody else's file": ('command = "x"\nbuild = "cc /home/ann/bot.c"\n', ["build: ", "is outside"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_bot_toml_is_one_line_that_names_file_and_key(bots, name):
    toml, told = MISTAKES[name]
    text = mistake(roster.from_path, folder_bot(bots, "deep", toml))
    assert text.startswith(f"{bots}/deep/bot.toml: ")
    for words in told:
        assert words in text


def test_a_program_that_is_not_built_yet_is_a_bot_with_a_build_command(bots):
    bot = roster.from_path(folder_bot(bots, "deep", 'command = "./bot"\nbuild = "make -s"\nlanguage = "c"\n'))
    said = roster.said_of(bot)
    assert (bot.command, said.build, said.language, said.author) == (("./bot",), ("make", "-s"), "c", "")


def test_a_bare_file_says_its_command_only(bots):
    bot = roster.from_path(script(bots, "one.py"))
    assert roster.said_of(bot) == roster.Said(command=bot.command)


def test_links_in_a_circle_are_no_way_out(bots):
    home = folder_bot(bots, "deep")
    (home / "a").symlink_to("b")
    (home / "b").symlink_to("a")
    assert roster.from_path(home).name == "deep"


@pytest.mark.parametrize("target", ["../secret", "/etc/hostname"])
def test_a_link_that_leaves_the_bots_folder_is_refused(bots, target):
    script(bots, "secret")
    home = folder_bot(bots, "deep")
    (home / "link").symlink_to(target)
    assert f"{home / 'link'}: this link leaves" in mistake(roster.from_path, home)


def test_a_linked_folder_that_leaves_the_bots_folder_is_refused(bots, tmp_path):
    script(tmp_path, "outside/x.py")
    home = folder_bot(bots, "deep")
    (home / "lib").symlink_to(tmp_path / "outside")
    assert "this link leaves" in mistake(roster.from_path, home)


def test_a_bare_file_that_is_a_link_to_elsewhere_is_refused(bots, tmp_path):
    (bots / "walk.py").symlink_to(script(tmp_path, "outside.py"))
    assert "this link leaves" in mistake(roster.gather, bots)


def test_a_link_within_a_bots_folder_is_a_file_like_any_other(bots):
    home = folder_bot(bots, "deep", bot="x = 1\n")
    before = roster.from_path(home).digest
    (home / "again.py").symlink_to("bot.py")
    assert roster.from_path(home).digest != before


def test_a_link_to_a_neighbour_keeps_its_own_name(bots):
    script(bots, "walk.py")
    (bots / "twin.py").symlink_to("walk.py")
    twin, _ = roster.gather(bots)
    assert (twin.name, twin.command[-1], twin.files) == ("twin", "twin.py", str(bots / "twin.py"))


def test_the_files_that_a_command_names_are_its_own(tmp_path):
    script(tmp_path, "mine/bot.py")
    bot = roster.from_command("mine", "python mine/bot.py --depth 3", tmp_path)
    assert bot.command == (*PYTHON, str(tmp_path / "mine/bot.py"), "--depth", "3")
    script(tmp_path, "mine/bot.py", "other\n")
    assert roster.from_command("mine", "python mine/bot.py --depth 3", tmp_path).digest != bot.digest


def test_a_command_has_the_same_digest_in_another_workspace(tmp_path):
    digests = set()
    for name in ("one", "two"):
        script(tmp_path, f"{name}/bot.py")
        digests.add(roster.from_command("mine", ["python", "bot.py"], tmp_path / name).digest)
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("size", "count"),
    [("256 MB", 256_000_000), ("1 GiB", 2**30), ("1.5kb", 1500), ("7", 7), (12, 12), ("64 MiB", 64 * 2**20)],
)
def test_sizes_are_read_as_people_write_them(size, count):
    assert roster.bytes_of(size) == count


@pytest.mark.parametrize("size", ["", "MB", "1 XB", "-1 MB", "1 MB more"])
def test_what_is_no_size_is_refused_with_an_example(size):
    with pytest.raises(ValueError, match="256 MB"):
        roster.bytes_of(size)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('command = "x"\nlimits = {memory = "' + "9" * 400 + '"}\n', id="an endless size"),
        pytest.param('command = "x"\ngames = ' + "[" * 5000 + "\n", id="nested too deep"),
        pytest.param('command = "x"\ngames = ' + "9" * 5000 + "\n", id="an endless number"),
        pytest.param(f'command = "{"x" * 120_000}"\n', id="an endless command"),
    ],
)
def test_a_bot_toml_made_to_break_the_reader_is_one_line(tmp_path, text):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").write_text(text)
    with pytest.raises(ArenaError, match=r"bot\.toml: ") as caught:
        roster.gather(tmp_path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("name", ["pipe", "bot.toml"])
def test_a_named_pipe_in_a_bots_folder_is_refused_and_hangs_nobody(tmp_path, name):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").write_text('command = "x"\n')
    (tmp_path / "bot" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "bot" / name)
    with pytest.raises(ArenaError, match=f"{name}: is "):
        roster.gather(tmp_path)
