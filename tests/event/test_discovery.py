"""Bots on disk: what is one, what it is called, how it is started, what its digest covers."""

import os
import shutil
import tracemalloc

import pytest

from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery import programs
from arena.event.tables import BotLimits

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
    assert [(bot.name, bot.command) for bot in discovery.gather(bots)] == [
        ("deep", (*PYTHON, "bot.py")),
        ("fly", ("./fly",)),
        ("jump", ("node", "jump.js")),
        ("walk", (*PYTHON, "walk.py")),
    ]


def test_readme_and_names_that_begin_with_a_dot_or_an_underscore_are_skipped(bots):
    for name in ("README.md", ".hidden.py", "_draft.py", "__pycache__/x.pyc", ".git/config"):
        script(bots, name)
    script(bots, "only.py")
    assert [bot.name for bot in discovery.gather(bots)] == ["only"]


@pytest.mark.parametrize("name", ["notes.txt", "walk.lua", "walk.ipynb", "folder/notes.txt"])
def test_anything_else_is_told_and_not_left_out_in_silence(bots, name):
    script(bots, name)
    told = mistake(discovery.gather, bots)
    assert str(bots / name.split("/")[0]) in told
    assert "not a bot" in told
    assert "begin its name with _" in told


def test_a_folder_that_is_missing_is_told(tmp_path):
    assert "there is no folder" in mistake(discovery.gather, tmp_path / "nowhere")


def test_a_bot_that_is_missing_is_told(tmp_path):
    assert "there is no such bot" in mistake(discovery.from_path, tmp_path / "none.py")


def test_the_files_of_a_bot_are_named_so_that_they_are_found_from_anywhere(bots, monkeypatch):
    script(bots, "walk.py")
    monkeypatch.chdir(bots.parent)
    assert discovery.from_path(bots.relative_to(bots.parent) / "walk.py").files == str(
        bots / "walk.py"
    )


@pytest.mark.parametrize("name", ["no blank", "-dash", "ünlaut", "x" * 41, "a\x1b[2J"])
def test_a_name_that_a_bot_cannot_have_is_refused_with_its_file(bots, name):
    path = script(bots, f"{name}.py")
    told = mistake(discovery.from_path, path)
    assert "cannot be a bot's name" in told
    assert "\x1b" not in told


def test_names_that_differ_only_in_case_are_refused_and_both_files_told(bots):
    script(bots, "Walk.py")
    script(bots, "walk.js")
    told = mistake(discovery.gather, bots)
    assert "Walk.py" in told
    assert "walk.js" in told


def test_the_digest_does_not_know_where_a_bot_is(bots, tmp_path):
    home = folder_bot(bots, "deep", bot="x = 1\n")
    copy = shutil.copytree(home, tmp_path / "elsewhere")
    assert discovery.from_path(home).digest == discovery.from_path(copy, "deep").digest


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
    before = discovery.from_path(home).digest
    change(home)
    assert discovery.from_path(home).digest != before


def test_a_large_file_of_a_bot_is_never_in_memory_as_a_whole(bots):
    home = folder_bot(bots, "ann", bot="print()\n")
    with (home / "weights").open("wb") as file:
        file.truncate(60_000_000)
    tracemalloc.start()
    try:
        discovery.from_path(home)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10_000_000


def test_what_python_leaves_beside_a_bot_is_not_in_its_digest(bots):
    home = folder_bot(bots, "deep", bot="x = 1\n")
    before = discovery.from_path(home).digest
    script(home, "__pycache__/bot.cpython-311.pyc")
    assert discovery.from_path(home).digest == before


def test_a_bare_file_is_digested_alone(bots):
    path = script(bots, "walk.py")
    before = discovery.from_path(path).digest
    script(bots, "other.py")
    assert discovery.from_path(path).digest == before


def test_a_bot_toml_says_all_there_is_to_say(bots):
    home = folder_bot(
        bots,
        "deep",
        'command = ["python3", "bot.py", "a b"]\nlanguage = "Python"\nauthor = "Ann"\n'
        'games = ["pacman"]\nroles = ["pacman"]\n[limits]\nmemory = "64 MB"\ncpu = 5\n'
        "processes = 2\n"
        'scratch = "1 MB"\nfiles = 9\n',
    )
    bot = discovery.from_path(home)
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
    "games that are no list": (
        'command = "x"\ngames = "pacman"\n',
        ['games: expected a list, not "pacman"'],
    ),
    "an unknown limit": (
        'command = "x"\nlimits = {memroy = 1}\n',
        ["limits.memroy: unknown key", "'memory'"],
    ),
    "limits that are no table": ('command = "x"\nlimits = 3\n', ["limits: expected a table"]),
    "a size that is none": (
        'command = "x"\nlimits = {memory = "lots"}\n',
        ["limits.memory: ", '"256 MB"', '"lots"'],
    ),
    "a limit below zero": (
        'command = "x"\nlimits = {cpu = -1.0}\n',
        ["limits.cpu: expected more than 0, not -1.0"],
    ),
    "an endless limit": (
        'command = "x"\nlimits = {cpu = inf}\n',
        ['limits.cpu: expected a number of seconds, or "none", not inf'],
    ),
    "half a process": (
        'command = "x"\nlimits = {processes = 1.5}\n',
        ["limits.processes: expected a whole number, not 1.5"],
    ),
    "a build that wants a shell": (
        'command = "x"\nbuild = "mkdir a && make"\n',
        ["build: '&&' wants a shell"],
    ),
    "an empty build": ('command = "x"\nbuild = ""\n', ["build: it is empty"]),
    "an author who is no text": ('command = "x"\nauthor = 7\n', ["author: expected a text"]),
    "a file of the organiser's": (
        'command = "python /etc/passwd"\n',
        ["command: '/etc/passwd' is outside"],
    ),
    "a way around": (
        'command = "/usr/bin/../../etc/passwd"\n',
        ["command: ", "is outside the bot's folder"],
    ),
    "more threads than a bot may have": (
        'command = "x"\nthreads = 1_000_000_000\n',
        ["threads: expected 128 or less, not 1000000000"],
    ),
    "a number that Python does not print": (
        f'command = "x"\nthreads = 0x{"f" * 9000}\n',
        ["threads: expected 128 or less, not a number"],
    ),
    "such a number for a text": (
        f'command = "x"\nauthor = 0x{"f" * 9000}\n',
        ["author: expected a text, not"],
    ),
    "such a number in a list": (
        f'command = "x"\ngames = [0x{"f" * 9000}]\n',
        ["games 1: expected a text, not"],
    ),
    "such a number for a limit": (
        f'command = "x"\nlimits.memory = 0x{"f" * 9000}\n',
        ["limits.memory: expected 1000000000000000 or less"],
    ),
    "a limit that no system call takes": (
        'command = "x"\nlimits = {memory = "99999999 GB"}\n',
        ["limits.memory: expected 1000000000000000 or less"],
    ),
    "more seconds than a clock has": (
        'command = "x"\nlimits = {cpu = 1e300}\n',
        ["limits.cpu: expected 1000000000000000 or less"],
    ),
    "memory that is none": (
        'command = "x"\nlimits = {memory = true}\n',
        ["limits.memory: expected a size such as"],
    ),
    "a date in a list": ('command = "x"\ngames = [2026-01-01]\n', ["games 1: expected a text"]),
    "no threads": ('command = "x"\nthreads = 0\n', ["threads: expected 1 or more, not 0"]),
    "a long author": (
        f'command = "x"\nauthor = "{"a" * 5000}"\n',
        ["author: expected at most 200 characters"],
    ),
    "a long language": (
        f'command = "x"\nlanguage = "{"a" * 201}"\n',
        ["language: expected at most 200 characters"],
    ),
    "many games": (
        f'command = "x"\ngames = {["g"] * 101}\n',
        ["games: expected at most 100 entries"],
    ),
    "a long role": (
        f'command = "x"\nroles = ["{"r" * 201}"]\n',
        ["roles 1: expected at most 200 characters"],
    ),
    "an unknown key like a type": (
        'command = "x"\nstr = 1\n',
        ["str: unknown key; known: command, "],
    ),
    "unknown keys like types": (
        (
            'command = "x"\n[limits]\nint = 1\nfloat = 2\n"constrained-int" = 3\n"tuple[str]" = 4\n'
            '"literal[1]" = 5\n'
        ),
        ["limits.int: unknown key; known: memory, "],
    ),
    "a long unknown key": (f'command = "x"\n{"k" * 5000} = 1\n', ["unknown key"]),
    "a long command of the wrong kind": (
        f'command = {{a = "{"k" * 5000}"}}\n',
        ["command: expected a text or a list"],
    ),
    "a long path": (f'command = "/{"k" * 5000}"\n', ["is outside the bot's folder"]),
    "a command of empty words": (
        f"command = {['x'] + [''] * 1000}\n",
        ["command: more than 1000 words"],
    ),
    "a long size": (
        f'command = "x"\nlimits.memory = "{"m" * 5000}"\n',
        ["limits.memory: expected a size such as"],
    ),
    "a key of many parts": (
        f"""command = "x"\n"a\\"".{"a." * 60_000}b = 1\n""",
        ["more than 40 parts (at line 2"],
    ),
    "a file of megabytes": (f'command = "x"\n# {"x" * 5_000_000}\n', ["it is larger than 128 kB"]),
    "a build of somebody else's file": (
        'command = "x"\nbuild = "cc /home/ann/bot.c"\n',
        ["build: ", "is outside"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_bot_toml_is_one_line_that_names_file_and_key(bots, name):
    toml, told = MISTAKES[name]
    text = mistake(discovery.from_path, folder_bot(bots, "deep", toml))
    assert text.startswith(f"{bots}/deep/bot.toml: ")
    assert len(text) < len(str(bots)) + 500
    for words in told:
        assert words in text


def test_a_program_that_is_not_built_yet_is_a_bot_with_a_build_command(bots):
    bot = discovery.from_path(
        folder_bot(bots, "deep", 'command = "./bot"\nbuild = "make -s"\nlanguage = "c"\n')
    )
    settings = discovery.settings_of(bot)
    assert (bot.command, settings.build, settings.language, settings.author) == (
        ("./bot",),
        ("make", "-s"),
        "c",
        "",
    )


def test_a_bare_file_says_its_command_only(bots):
    bot = discovery.from_path(script(bots, "one.py"))
    settings = discovery.settings_of(bot)
    assert (settings.command, settings.build, settings.threads) == (bot.command, (), 1)


def test_links_in_a_circle_are_no_way_out(bots):
    home = folder_bot(bots, "deep")
    (home / "a").symlink_to("b")
    (home / "b").symlink_to("a")
    assert discovery.from_path(home).name == "deep"


@pytest.mark.parametrize("target", ["../secret", "/etc/hostname"])
def test_a_link_that_leaves_the_bots_folder_is_refused(bots, target):
    script(bots, "secret")
    home = folder_bot(bots, "deep")
    (home / "link").symlink_to(target)
    assert f"{home / 'link'}: this link leaves" in mistake(discovery.from_path, home)


def test_a_linked_folder_that_leaves_the_bots_folder_is_refused(bots, tmp_path):
    script(tmp_path, "outside/x.py")
    home = folder_bot(bots, "deep")
    (home / "lib").symlink_to(tmp_path / "outside")
    assert "this link leaves" in mistake(discovery.from_path, home)


def test_a_bare_file_that_is_a_link_to_elsewhere_is_refused(bots, tmp_path):
    (bots / "walk.py").symlink_to(script(tmp_path, "outside.py"))
    assert "this link leaves" in mistake(discovery.gather, bots)


def test_a_link_within_a_bots_folder_is_a_file_like_any_other(bots):
    home = folder_bot(bots, "deep", bot="x = 1\n")
    before = discovery.from_path(home).digest
    (home / "again.py").symlink_to("bot.py")
    assert discovery.from_path(home).digest != before


def test_a_link_to_a_neighbour_keeps_its_own_name(bots):
    script(bots, "walk.py")
    (bots / "twin.py").symlink_to("walk.py")
    twin, _ = discovery.gather(bots)
    assert (twin.name, twin.command[-1], twin.files) == ("twin", "twin.py", str(bots / "twin.py"))


def test_the_files_that_a_command_names_are_its_own(tmp_path):
    script(tmp_path, "mine/bot.py")
    bot = discovery.from_command("mine", "python mine/bot.py --depth 3", tmp_path)
    assert bot.command == (*PYTHON, str(tmp_path / "mine/bot.py"), "--depth", "3")
    script(tmp_path, "mine/bot.py", "other\n")
    assert (
        discovery.from_command("mine", "python mine/bot.py --depth 3", tmp_path).digest
        != bot.digest
    )


def test_a_command_has_the_same_digest_in_another_workspace(tmp_path):
    digests = set()
    for name in ("one", "two"):
        script(tmp_path, f"{name}/bot.py")
        digests.add(discovery.from_command("mine", ["python", "bot.py"], tmp_path / name).digest)
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ("256 MB", 256_000_000),
        ("1 GiB", 2**30),
        ("1.5kb", 1500),
        ("7", 7),
        (12, 12),
        ("64 MiB", 64 * 2**20),
    ],
)
def test_sizes_are_read_as_people_write_them(size, count):
    assert BotLimits.model_validate({"memory": size}).memory == count


@pytest.mark.parametrize("size", ["", "MB", "1 XB", "-1 MB", "1 MB more"])
def test_what_is_no_size_is_refused_with_an_example(size):
    with pytest.raises(ValueError, match="256 MB"):
        BotLimits.model_validate({"memory": size})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            'command = "x"\nlimits = {memory = "' + "9" * 400 + '"}\n', id="an endless size"
        ),
        pytest.param('command = "x"\ngames = ' + "[" * 5000 + "\n", id="nested too deep"),
        pytest.param('command = "x"\ngames = ' + "9" * 5000 + "\n", id="an endless number"),
        pytest.param(f'command = "{"x" * 120_000}"\n', id="an endless command"),
    ],
)
def test_a_bot_toml_made_to_break_the_reader_is_one_line(tmp_path, text):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").write_text(text)
    with pytest.raises(ArenaError, match=r"bot\.toml: ") as caught:
        discovery.gather(tmp_path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("name", ["pipe", "bot.toml"])
def test_a_named_pipe_in_a_bots_folder_is_refused_and_hangs_nobody(tmp_path, name):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").write_text('command = "x"\n')
    (tmp_path / "bot" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "bot" / name)
    with pytest.raises(ArenaError, match=f"{name}: is "):
        discovery.gather(tmp_path)


def test_a_limit_of_a_bots_own_that_is_none_tightens_nothing(bots):
    bot = discovery.from_path(
        folder_bot(bots, "deep", 'command = "x"\nlimits = {memory = "none", cpu = 5}\n')
    )
    assert bot.limits is not None
    assert {key for key, value in vars(bot.limits).items() if value is not None} == {"cpu"}


SHAPES = {
    "a program in C": (["walk.c"], ("./bot",), ("cc", "-O2", "-o", "bot", "walk.c", "-lm")),
    "a program in Java": (["Walk.java"], ("java", "Walk.java"), ()),
    "a folder of C++": (
        ["mine/main.cpp", "mine/help.cpp"],
        ("./bot",),
        ("c++", "-O2", "-o", "bot", "help.cpp", "main.cpp"),
    ),
    "a folder of Java": (
        ["mine/Bot.java", "mine/Help.java"],
        ("java", "Bot"),
        ("javac", "Bot.java"),
    ),
    "a source beside its program": (["mine/bot", "mine/bot.c"], ("./bot",), ()),
    "a folder of one program": (["mine/agent.py", "mine/weights.txt"], (*PYTHON, "agent.py"), ()),
    "a folder in a folder": (
        ["mine/report.pdf", "mine/src/bot.py", "mine/src/help.py"],
        (*PYTHON, "bot.py"),
        (),
    ),
    "a bot.toml without a command": (
        ["mine/bot.toml", "mine/bot.py", "mine/help.py"],
        (*PYTHON, "bot.py"),
        (),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_program_of_a_bot_is_found_and_how_it_is_built(bots, name):
    files, command, build = SHAPES[name]
    for file in files:
        mode = 0o755 if file.endswith("/bot") else 0o644
        script(bots, file, 'author = "Ann"\n' if file.endswith(".toml") else "", mode)
    (bot,) = discovery.gather(bots)
    if command[0] == "java":
        command = (*programs.JAVA, *command[1:])
    assert (bot.command, discovery.build_of(bot)) == (command, build)


NO_SHAPES = {
    "a notebook": (
        ["walk.ipynb"],
        "walk.ipynb: not a bot: a notebook is no program: save it as a .py file",
    ),
    "a text": (
        ["mine/bot.txt", "mine/help.md"],
        "mine/bot.txt: not a bot: a text is no program: if it is code, give it the ending",
    ),
    "an ending in capitals": (
        ["WALK.PY"],
        "WALK.PY: not a bot: an ending is in small letters: rename it to WALK.py",
    ),
    "an ending in capitals, in a folder": (
        ["mine/BOT.PY"],
        "mine/BOT.PY: not a bot: an ending is in small letters",
    ),
    "a program for Windows": (["walk.exe"], "it was made for Windows: hand in its source"),
    "two folders": (
        ["mine/a/bot.py", "mine/b/c/bot.py"],
        "mine: has bots in a and b/c: move one of them up",
    ),
    "two programs": (
        ["mine/a.py", "mine/b.py"],
        "it has no bot.toml; write one with a `command`, or call its program",
    ),
    "a bot.toml alone": (["mine/bot.toml"], "mine/bot.toml: command: missing; for example"),
}


@pytest.mark.parametrize("name", NO_SHAPES)
def test_what_is_no_bot_is_told_with_what_to_do(bots, name):
    files, told = NO_SHAPES[name]
    for file in files:
        script(bots, file).write_text("")
    assert told in mistake(discovery.gather, bots)


def test_a_byte_order_mark_at_the_beginning_of_a_toml_file_is_no_mistake(bots):
    folder = folder_bot(bots, "mine", '\ufeffcommand = "x"\nauthor = "Ann"\n')
    assert discovery.settings_of(discovery.from_path(folder)).author == "Ann"


@pytest.mark.parametrize(
    "command",
    [
        ["bash", "-c", r"while read -r line; do printf 'north\n'; done"],
        r"perl -ne 'print qq{a\nb}'",
        ["perl", "-ne", r"print if /go\b/"],
        r"sed -u 's/a\.b/c/'",
        r"grep -E 'foo\w+'",
        r"python my\ bot.py",
        "python bot.py\nmore",
        "nice python -u\nbot.py",
        "wrapper\nbot.py",
        ["cut", "-d", "|"],
        'python bot.py "<"',
    ],
)
def test_a_command_may_have_backslashes_signs_and_lines_that_are_no_mistake(command):
    assert programs.words_of(command)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        (r"python src\bot.py", "src/bot.py"),
        ("python src\bot.py", "src/bot.py"),
        ("python src\table.py", "src/table.py"),
        ("python src\nemesis.py", "src/nemesis.py"),
        ("python src\foo.py", "src/foo.py"),
        (r".\bot", "bot"),
        (r"python C:\me\bot.py", "me/bot.py"),
        ([r"python", r"src\sub\bot.py"], "src/sub/bot.py"),
        (["python", "src\table.py"], "src/table.py"),
        (r'python "src\bot.py"', "src/bot.py"),
    ],
)
def test_a_path_of_windows_in_a_command_is_refused_with_the_right_one(command, path):
    with pytest.raises(ValueError, match=f"has a path with a backslash: write '{path}', with /"):
        programs.words_of(command)


@pytest.mark.parametrize(
    "command", ["cd src && python bot.py", "cat | python bot.py", ["cd", "src", "&&", "./bot"]]
)
def test_a_command_for_a_shell_is_refused(command):
    with pytest.raises(ValueError, match="wants a shell"):
        programs.words_of(command)
