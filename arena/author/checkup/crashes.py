"""Advice for a bot that crashed: from the failure, the line of the error, and the bot's files.

Pure but for the files that it reads. The rows are ordered, the most certain sign first; new advice
is a new row. A row looks at the line that names the error and at nothing else that the bot printed:
a word in an earlier line is no cause. Two rows read the trace above it. What is certain is said as
a fact, and what is not, as a question or not at all.
"""

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from errno import ENOENT
from functools import cached_property
from signal import SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGSYS, SIGXCPU

from arena.author.checkup.bot_files import NO_FILES, BotFiles
from arena.failure import Cause, Failure
from arena.match.bot import program_file
from arena.match.bot.complaint import complaint
from arena.match.bot.postmortem import FORKS
from arena.match.bot.program_file import CHMOD, UNIX_LINE_ENDS, shown
from arena.sandbox.file_policy import KIT
from arena.sandbox.toolchain import PYTHON_HERE

FLUSH = (
    "end every answer with a newline, and flush it: most languages hold lines back when stdout is "
    "a pipe"
)
LESS_MEMORY = "use less memory, or set a smaller heap in `command`"
NETWORK = (
    "it uses the network, and a bot has none: hand in what it loads with the bot, and open that "
    "file"
)
FAILED = "the program failed: the last lines of its stderr say where"
ONE_PROCESS = "a bot starts no other process unless the organiser allows it one (threads are free)"
IN_BASH = (
    "in Bash `$(...)`, a pipe, `( ... )` and each program such as grep or cut are processes: use "
    "Bash's own words, such as `read` and ${line#legal }"
)
REFUSED = (
    "arena refused something: a bot starts no other process (threads are free), has no network, "
    "no shared memory"
)
ANOTHER_COMPUTER = (
    "it opens a file of another computer: hand it in with the bot, and open it by its path in the "
    "bot's folder"
)
NOTEBOOK = (
    "{} is a notebook and no program: save it as a program (Jupyter: File, Save and Export As, "
    "Executable Script)"
)
NO_INTERPRETER = (
    "the first line of a script names {1}, which is not on this machine: name another program there"
)
NO_REQUIRE = (
    "Node has `require` in scripts only, and this file is a module, by its `import`, its ending "
    "or package.json: use `import` everywhere, or call the file .cjs"
)
PROCESS_CALLS = FORKS | {"clone3", "execve"}
ON_WINDOWS_ONLY = frozenset({"msvcrt", "winreg", "winsound", "win32api", "win32com", "_winapi"})
PACKAGES = {
    "Crypto": "pycryptodome",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""The names by which pip knows modules of other names."""
ON_ANOTHER_COMPUTER = re.compile(r"(/(home|Users|content|mnt|media|root|kaggle)/|[A-Za-z]:[\\/])")
SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 (only compared)
"""Folders into which programs write on other machines."""
OUTSIDE = (
    "{} is no file of the bot: it may read its own folder and its libraries only; put its files "
    "there"
)
CARRIAGE_RETURN = re.compile(r"\r['\u2019]|\\r['\u2019]|\r$|^'$|\^M:", re.MULTILINE)
"""How shells and `env` show a carriage return: as it is, as \\r, or as ^M."""
SHELL_ERROR = re.compile(
    r"^\S+: ((line )?\d+: |fork: )|[Ss]yntax error|[Cc]annot fork|: \[: |: not a valid identifier"
)
"""How a shell begins the line of its own error, or of a program that it does not find."""
STARTS_PROCESS = re.compile(
    r"forkAndExec|/multiprocessing/|/subprocess\.py|_fork_exec|os\.fork\(|\bfork:|spawnSync|spawn "
)
"""How a trace shows that the bot was starting a process."""
STARTED_PROGRAM = re.compile(r'/subprocess\.py", line \d+, in _execute_child|\bspawn(Sync)? \S+ E')
"""How a trace shows that the error is of the program which the bot was starting."""
SHARED_MEMORY = re.compile(r"/multiprocessing/(synchronize|shared_memory|heap)\.py")
"""How a trace of Python shows that it wanted shared memory, or a semaphore."""
REFUSAL = re.compile(
    "not permitted|not implemented|EPERM|EAGAIN|temporarily "
    "unavailable|BlockingIOError|Permission denied$|Cannot run program|failed to fork|[Cc]annot "
    "fork"
)
"""How the line of an error shows that the system refused something."""
LINE_LETTERS = 1000
"""Letters of a hostile line that are searched."""
LONGEST_LINE = 60
"""Letters of a program's line that advice repeats."""


@dataclass(frozen=True)
class Crash:
    """What is known of a crash."""

    failure: Failure
    stderr: str = ""
    """The end of what the bot printed there."""
    files: BotFiles = NO_FILES

    @cached_property
    def line(self) -> str:
        """The line that names the error."""
        return (self.failure.complaint or complaint(self.stderr))[:LINE_LETTERS]

    @property
    def is_python(self) -> bool:
        """True when a Python interpreter printed the error."""
        return '  File "' in self.stderr or "SyntaxError: Non-UTF-8 code" in self.line

    @property
    def is_node(self) -> bool:
        """True when Node printed the error."""
        return "\nNode.js v" in self.stderr or "node:internal" in self.stderr

    def is_refused(self, *calls: str) -> bool:
        """Return whether the bot was refused one of these system calls."""
        return not frozenset(calls).isdisjoint(self.failure.refused_calls)

    @property
    def location(self) -> str:
        """The file and line of a Python error, for a sentence; empty if the trace has none."""
        frames = re.findall(r'  File "([^"]+)", line (\d+)', self.stderr)
        if not frames:
            return ""
        file, line = frames[-1]
        return f"{shown(file)}, line {line}, "


Row = Callable[[Crash], str]
"""Returns advice, or an empty text where the row does not fit."""


def advice(failure: Failure, stderr: str, files: BotFiles = NO_FILES) -> str:
    """Return advice for a bot that ended before its answer, or closed its output."""
    crash = Crash(failure, stderr, files)
    for row in ROWS:
        message = row(crash)
        if message:
            return message
    return "look at its stderr"


def _names(
    pattern: str,
    text: str | Callable[[Crash, re.Match[str]], str],
) -> Row:
    """Return a row for errors whose line fits a pattern.

    In a text, {1} is the pattern's first group.
    """
    compiled = re.compile(pattern)

    def row(crash: Crash) -> str:
        match = compiled.search(crash.line)
        if match is None:
            return ""
        if callable(text):
            return text(crash, match)
        groups = [shown(group or "") for group in match.groups()]
        return text.format("", *groups)

    return row


def _in_python(row: Row) -> Row:
    return lambda crash: row(crash) if crash.is_python else ""


def _in_node(row: Row) -> Row:
    return lambda crash: row(crash) if crash.is_node else ""


def _by_failure(text: str, fits: Callable[[Failure], bool]) -> Row:
    """Return a row that looks at what arena saw, and at nothing that the bot printed."""
    return lambda crash: text if fits(crash.failure) else ""


def _killed_by(text: str, *signals: int) -> Row:
    def is_killed(failure: Failure) -> bool:
        return failure.exit_code is not None and -failure.exit_code in signals

    return _by_failure(text, is_killed)


# What the files show.


def _first_line(crash: Crash) -> str:
    """Advise on a program that `env` could not run, by its first line."""
    if crash.failure.exit_code not in {126, 127} or crash.files.bot is None:
        return ""
    reason = program_file.explanation(crash.files.bot)
    if not reason:
        return ""
    return f"{reason.words}: {reason.cure}"


def _env_options(_: Crash, match: re.Match[str]) -> str:
    reason = program_file.env_with_options(match.group(1))
    return f"{reason.words}: {reason.cure}"


def _unreadable_script(crash: Crash) -> str:
    """Advise on a script that its shell, or Node, cannot read, where the error is of that."""
    if crash.files.bot is None:
        return ""
    is_of_shell = not crash.line or SHELL_ERROR.search(crash.line) is not None
    is_of_node = crash.is_node and "SyntaxError" in crash.line
    if not (is_of_shell or is_of_node):
        return ""
    reason = program_file.script_fault(crash.files.bot)
    if not reason:
        return ""
    return f"{reason.words}: {reason.cure}"


def _windows_line_ends(crash: Crash) -> str:
    """Advise on a script with Windows line ends.

    Its file shows them, or the shell names the CR in the line of the error.
    """
    if CARRIAGE_RETURN.search(crash.line) is None:
        return ""
    name = crash.files.with_windows_line_ends()
    if not name and crash.files.bot is not None:
        return ""
    script = shown(name) or "the script"
    cure = UNIX_LINE_ENDS.format(script) if name else "save it with Unix line ends (LF)"
    return (
        f"the lines of {script} end with CR LF (Windows), and the CR is a part of each command: "
        f"{cure}"
    )


def _program_of_command(crash: Crash) -> str:
    """Advise on a command that names a file which the bot does not have."""
    name = crash.files.missing_program
    if not name or crash.files.bot is None:
        return ""
    stem, _, _ = name.partition(".")
    if shown(name) not in crash.line and stem not in crash.line:
        return ""
    missing = f"`command` names {shown(name)}, and the bot has no such file: "
    return missing + program_file.missing_file(name, crash.files.bot)


def _texts(crash: Crash) -> str:
    """Advise on a program that is no text in UTF-8, or a notebook."""
    name = shown(crash.files.program)
    if crash.files.is_notebook:
        return NOTEBOOK.format(name)
    if crash.files.is_utf_16:
        return f"{name} is saved as UTF-16: save it as UTF-8"
    return ""


def _pointer_of_lfs(crash: Crash) -> str:
    """Advise on data that Git has not fetched, where a reader of data fails."""
    if not re.search(
        "Unpickling|JSONDecode|invalid load key|magic|BadZipFile|Header|Unexpected token",
        crash.line,
    ):
        return ""
    name = crash.files.pointer_of_lfs
    if not name:
        return ""
    return (
        f"{shown(name)} is no data, but a pointer of Git LFS: type `git lfs pull`, and hand it in "
        "again"
    )


# Python.


def _relative_import(crash: Crash, _: re.Match[str]) -> str:
    statement = re.search(r"from \.+(\w*)(?:\.\w+)* import (\w+)", crash.stderr)
    module = statement.group(1) if statement else ""
    advice = "a bot is a program and no package, so leave out the dot: write "
    if not module:
        return f"{advice}`import NAME`"
    return f"{advice}`from {shown(module)} import ...`{_one_folder(crash, f'{module}.py')}"


def _one_folder(crash: Crash, name: str) -> str:
    """Return what to do about a file that a bare bot needs."""
    if not crash.files.is_bare:
        return ""
    program = shown(crash.files.program)
    ending = program.rpartition(".")[2]
    beside = ""
    if name in crash.files.neighbours:
        beside = f"; {shown(name)} lies beside {program}, but a bare file is a bot alone"
    return (
        f"{beside}; hand in {shown(name)} with it: both in one folder, with {program} called "
        f"bot.{ending}"
    )


def _missing_module(crash: Crash, match: re.Match[str]) -> str:
    name = match.group(1)
    top = name.partition(".")[0]
    files = crash.files
    quoted = f"`{shown(top)}`"
    if match.group(2):
        return (
            f"a file or folder called {shown(match.group(2))} hides the package {quoted}: give it "
            "another name"
        )
    if top == "arena":
        modules = ", ".join(f"arena.{file.removesuffix('.py')}" for file in KIT)
        return f"of arena a bot may import {modules}, and nothing else"
    if top in ON_WINDOWS_ONLY:
        return f"the module {quoted} exists on Windows only: arena runs bots on Linux"
    if name != top:  # Python names the whole path only where it has found the module above it
        return _missing_part(crash, name)
    for neighbour in (f"{top}.py", top):
        if neighbour in files.neighbours:
            return f"the module {quoted} is no part of the bot{_one_folder(crash, neighbour)}"
    expected = f"{files.folder}{top}.py"
    similar = program_file.similar_file(expected, files.names)
    if similar.lower() == expected.lower():
        return (
            f"the file is called {shown(similar)}: capital letters count, so import it by that name"
        )
    if similar:
        return (
            f"the module {quoted} is {shown(similar)}, and Python looks in the folder of "
            f"{shown(files.program)}: move it there"
        )
    if top in sys.stdlib_module_names:
        return (
            f"the module {quoted} is a part of Python that this machine does not have: do without "
            "it, as a bot has no screen and answers on stdout"
        )
    package = shown(PACKAGES.get(top, top))
    environment = files.with_package(top)
    if environment:
        return (
            f"the module {quoted} is in {environment}, which is no part of a bot: copy the module "
            f"itself beside the program (pip install --target . {package})"
        )
    beside = "beside the program"
    if files.is_bare:
        beside = "and the program into one folder"
    return (
        f"it imports a module that is missing: {quoted} is not on this machine, and not in the "
        f"bot; copy it {beside} (a file {shown(top)}.py of your own as it is, a package by pip "
        f"install --target . {package}), or ask the organiser to install it"
    )


def _missing_part(crash: Crash, name: str) -> str:
    """Advise on a module that the package above it does not have."""
    files = crash.files
    above = name.rpartition(".")[0]
    words = f"`{shown(above)}` is there, and has no part `{shown(name)}`"
    top = name.partition(".")[0]
    package = f"{files.folder}{top}/"
    if not any(file.startswith(package) for file in files.names):
        if top in sys.stdlib_module_names:
            return f"{words}: correct the name, or is it a part of another version?"
        # Packages may share a first name: `google.protobuf` is of pip's protobuf.
        return (
            f"{words}: correct the name, or copy the package that brings this part beside the "
            "program (pip install --target . NAME)"
        )
    file = f"{files.folder}{name.replace('.', '/')}.py"
    similar = program_file.similar_file(file, files.names)
    if similar:
        return f"{words}: the file is {shown(similar)}; capital letters and folders count"
    return (
        f"{words}: hand in {shown(file)} with the bot, or the package that brings it, or correct "
        "the name"
    )


def _circular_import(crash: Crash, match: re.Match[str]) -> str:
    module = match.group(1)
    if module == crash.files.stem:
        return (
            f"{shown(crash.files.program)} has the name of the module that it imports: give it "
            "another name"
        )
    return (
        f"`{shown(module)}` and the module that it imports import each other: move what both need "
        "into a third file"
    )


def _syntax(crash: Crash, match: re.Match[str]) -> str:
    """Advise on a text that is no Python, or no JavaScript."""
    message = match.group(1)
    if crash.is_node:
        location = "a file"
        line = re.search(r"^(\S+\.[cm]?js:\d+)$", crash.stderr, re.MULTILINE)
        if line:
            location = shown(line.group(1))
        return f"{location} is no valid JavaScript: correct that line"
    if not crash.is_python:
        return ""
    quoted = re.search(r"^ {4}[ \t]*([!%]\w.*)$", crash.stderr, re.MULTILINE)
    if quoted:
        return f"`{shown(quoted.group(1))}` works in a notebook only: take such lines out"
    if re.search(
        "Missing parentheses in call to|multiple exception types|leading zeros in decimal", message
    ):
        return (
            f"{crash.location}is not valid Python here: it is Python 2, and bots run in "
            f"{PYTHON_HERE}; convert it"
        )
    if re.search("unknown encoding|encoding problem", message):
        return (
            "the first lines declare an encoding that Python does not know: take that line out, "
            "and save as UTF-8"
        )
    if re.search("no encoding declared|unicode error\\) 'utf-8'", message):
        return (
            "save the file as UTF-8, or name its encoding in the first line: # -*- coding: "
            "latin-1 -*-"
        )
    if "unicodeescape" in message:
        return (
            f"{crash.location}has a path with a backslash, which begins an escape in a text: "
            "write / or r'...'; and open no file of another computer"
        )
    if re.search(r"invalid (non-printable )?character", message):
        return (
            f"{crash.location}has a letter that no program has, perhaps a quotation mark of a "
            "word processor: replace it"
        )
    return (
        f"{crash.location}is not valid Python here ({PYTHON_HERE}): correct that line, or do "
        "without what is newer"
    )


def _variable(crash: Crash, match: re.Match[str]) -> str:
    if not re.search(r'File "(<frozen os>|[^"]*[/\\]os\.py)"', crash.stderr):
        return ""
    return (
        f"a bot has a plain environment without the variable {shown(match.group(1))}: give it a "
        "default in the program"
    )


# Files and permissions.


def _missing_path(crash: Crash, match: re.Match[str]) -> str:
    path = match.group(1)
    name = path.replace("\\\\", "\\")
    files = crash.files
    if crash.is_refused(*PROCESS_CALLS):
        return ""
    if ON_ANOTHER_COMPUTER.match(name):
        return ANOTHER_COMPUTER
    if STARTED_PROGRAM.search(crash.stderr):
        return _missing_program(crash, name)
    similar = program_file.similar_file(name, files.names)
    if similar:
        return (
            f"it opens {shown(name)}, and the file is {shown(similar)}: a path begins in the "
            "bot's folder, its parts have / between them, and capital letters count"
        )
    if name in files.neighbours:
        return f"it opens {shown(name)}, which is no part of the bot{_one_folder(crash, name)}"
    return (
        f"it opens a file that is not there: hand {shown(name)} in with the bot; a path begins in "
        "the bot's folder"
    )


def _missing_program(crash: Crash, name: str) -> str:
    """Advise on a program that the bot starts, and the system does not find.

    The system says the same of the folder in which the program was to start: Python then names the
    folder, and Node the program.
    """
    bot = crash.files.bot
    words = f"it starts the program {shown(name)}"
    missing = (
        f"it starts a program, and {shown(name)}, or the folder that `cwd` names, is not there"
    )
    own_name = os.path.normpath(name)
    if bot is not None and own_name in crash.files.names:
        started = replace(bot, command=(f"./{own_name}",))
        reason = program_file.explanation(started, ENOENT)
        if reason is not None:
            return f"{words}, and {reason.words}: {reason.cure}"
        return f"{words}, which is a file of the bot: such a name begins with ./"
    if "/" in name:
        return f"{missing}: hand {shown(name)} in with the bot; a path begins in the bot's folder"
    return (
        f"{missing}: hand it in with the bot, where a program starts as ./{shown(name)}, or ask "
        "the organiser to install the program"
    )


def _denied_path(crash: Crash, match: re.Match[str]) -> str:
    name = next(filter(None, match.groups()))
    if STARTED_PROGRAM.search(crash.stderr) and not name.startswith("/"):
        own_name = shown(os.path.normpath(name))
        return f"{own_name} may not be executed: {CHMOD.format(own_name)}"
    if name.startswith(SCRATCH):
        return (
            f"{shown(name)} is in a folder that no bot has: write into the folder $TMPDIR, which "
            "is empty at first"
        )
    if name.startswith("/"):
        return OUTSIDE.format(shown(name))
    return (
        f"it may not write {shown(name)} into its own folder: write into the folder $TMPDIR, "
        "which is empty at first"
    )


def _shared_memory(crash: Crash) -> str:
    """Advise on shared memory and semaphores of multiprocessing, which no bot has."""
    if "Permission denied" not in crash.line or not SHARED_MEMORY.search(crash.stderr):
        return ""
    return (
        "a bot has no shared memory, and so no locks, queues, pools and values that processes "
        "share: use threads (threading, multiprocessing.pool.ThreadPool), or, if it may be more "
        "than one process, subprocess.Popen and its pipes"
    )


def _processes(crash: Crash) -> str:
    """Advise on a process that arena refused, where the error is that refusal."""
    in_library = STARTS_PROCESS.search(crash.stderr)
    refusal = REFUSAL.search(crash.line)
    if refusal is None or not (in_library or crash.is_refused(*PROCESS_CALLS)):
        return ""
    if "/multiprocessing/" in crash.stderr:
        return (
            f"{ONE_PROCESS}: use threads (multiprocessing.pool.ThreadPool, "
            "concurrent.futures.ThreadPoolExecutor)"
        )
    if re.search(r"\bfork:", crash.line):
        return f"{ONE_PROCESS}: {_wrapper(crash) or IN_BASH}"
    return ONE_PROCESS


def _wrapper(crash: Crash) -> str:
    """Return advice for a script whose last line only starts the bot's own program."""
    last = ""
    for text in crash.files.read().splitlines():
        line = text.strip()
        if line and not line.startswith("#"):
            last = line
    is_command = re.fullmatch(r"[\w./-]+( [\w./=-]+)+", last) is not None
    if not is_command or last.split()[0] in {"echo", "exec"}:
        return ""
    return f"let the last line take the script's place: `exec {last[:LONGEST_LINE]}`"


def _network(crash: Crash) -> str:
    """Advise on the network, where the error is of the network."""
    if re.search(
        "gaierror|name "
        "resolution|getaddrinfo|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|URLError"
        "|ConnectionError|ConnectError"
        "|Network is unreachable|UnknownHostException|java.net.|Connection refused|fetch failed",
        crash.line,
    ):
        return NETWORK
    refused = re.search("not permitted|EPERM|SocketException", crash.line)
    uses_socket = crash.is_refused("socket") or "socket" in crash.stderr
    if refused and uses_socket:
        return NETWORK
    return ""


def _refused(crash: Crash) -> str:
    """Advise on any other system call that was refused, where the error is that refusal."""
    if not re.search("not permitted|EPERM", crash.line):
        return ""
    calls = ", ".join(crash.failure.refused_calls)
    if not calls and crash.failure.watched:
        return ""
    if not calls:
        return REFUSED
    return (
        f"arena refused it the system call {calls}: `arena docs attacks-machine` lists those "
        "that a bot may make"
    )


def _refused_before(crash: Crash) -> str:
    """Advise on a bot that died without a word after a process was refused to it."""
    if crash.line or not crash.is_refused(*PROCESS_CALLS):
        return ""
    return f"it ended after arena had refused it another process: {ONE_PROCESS}"


# Node and Java.


def _node_module(crash: Crash, match: re.Match[str]) -> str:
    name = match.group(1)
    if name.startswith((".", "/")):
        for ending in ("", ".js", ".mjs"):  # Node adds an ending
            similar = program_file.similar_file(f"{name}{ending}", crash.files.names)
            if similar:
                return (
                    f"it loads '{shown(name)}', and the file is {shown(similar)}: capital letters "
                    "and folders count"
                )
        return (
            f"it loads '{shown(name)}', which is not in the bot: hand in that file, in one folder "
            "with the program"
        )
    return (
        f"the package '{shown(name)}' is not in the bot: put the program into a folder, type there "
        f"`npm install {shown(name)}`, and hand in the folder with its node_modules"
    )


def _node_import(crash: Crash, _: re.Match[str]) -> str:
    name = shown(crash.files.stem or "bot")
    return (
        f"Node reads `import` in modules only: call the program {name}.mjs, or write "
        '{"type": "module"} in package.json'
    )


def _java_class(crash: Crash, match: re.Match[str]) -> str:
    """Advise on a main class that Java does not find.

    Its source has a package, or a class of another name.
    """
    name = match.group(1)
    source = crash.files.read(f"{name}.java")
    package = re.search(r"^\s*package\s+([\w.]+)\s*;", source, re.MULTILINE)
    if package:
        line = f"package {shown(package.group(1))};"
        return (
            f"{shown(name)}.java is in a package: take the line `{line}` out of each file, or "
            f"write a bot.toml with build = 'javac -d . {shown(name)}.java' and command = 'java "
            f"{shown(package.group(1))}.{shown(name)}'"
        )
    class_match = re.search(r"\bclass\s+(\w+)", source)
    if class_match and class_match.group(1) != name:
        return (
            f"{shown(name)}.java has the class {shown(class_match.group(1))}: "
            "a program's class has the name of its file"
        )
    return (
        f"Java finds no class {shown(name)}: the class with `main` has the name of the bot's file"
    )


QUOTES = "'\"`\u2018\u2019"
PATH = rf"[{QUOTES}]([^{QUOTES}]+)[{QUOTES}]"
ROWS: tuple[Row, ...] = (
    _by_failure(
        "keep stdout open until `end`: it is how a bot answers",
        lambda failure: failure.cause is Cause.OUTPUT_CLOSED,
    ),
    # The files.
    _unreadable_script,
    _windows_line_ends,
    _first_line,
    _texts,
    _program_of_command,
    _names(
        r"can't open file '(?:[^']*/)?([^'/]+)': \[Errno 2\]",
        "`command` names {1}, and the bot has no such file",
    ),
    _names(
        rf"\benv: [{QUOTES}](\w[^{QUOTES}]* [^{QUOTES}]+)[{QUOTES}]: No such file", _env_options
    ),
    _names(rf"\benv: [{QUOTES}]([^{QUOTES}]+)[{QUOTES}]: No such file", NO_INTERPRETER),
    _names(r"(\S+): bad interpreter", NO_INTERPRETER),
    _names(
        "can't find '__main__' module in '(?:[^']*/)?([^'/]+)'",
        "`command` names the folder {1}: name the program in it",
    ),
    # Modules.
    _in_python(_names("attempted relative import", _relative_import)),
    _in_python(
        _names(r"No module named '([^']+)'(?:; '([^']+)' is not a package)?", _missing_module)
    ),
    _names(
        "ModuleNotFoundError",
        "it imports a module that is missing: hand it in with the bot, in one folder",
    ),
    _in_python(
        _names(
            r"cannot import name .* from partially initialized module '([^']+)'", _circular_import
        )
    ),
    _in_python(
        _names(r"partially initialized module '([^']+)' has no attribute", _circular_import)
    ),
    _in_python(
        _names(
            r"cannot import name '([^']+)' from '([^']+)'",
            "the module {2} is there, and has no {1}: is it another version?",
        )
    ),
    _names(r"([\w.+-]+\.dll)\b", "{1} is a library for Windows: build it for Linux"),
    _names(
        r"([\w.+-]+): invalid ELF header", "{1} was built for another system: build it for Linux"
    ),
    _names(
        r"(\w[\w.+-]+): cannot open shared object file",
        "the library {1} is not on this machine: ask the organiser to install it, or link it "
        "statically",
    ),
    _names(
        r"version [`']([^']+)' not found",
        "it was built on a newer system ({1}): build it here, or link it statically",
    ),
    _in_node(_names(r"Cannot find (?:module|package) '([^']+)'", _node_module)),
    _in_node(_names("Cannot use import statement outside a module", _node_import)),
    _in_node(_names("require is not defined in ES module scope", NO_REQUIRE)),
    _names(
        r"cannot load such file -- (\S+)",
        "it imports a module that is missing: hand {1} in with the bot",
    ),
    _names(
        r"Can't locate (\S+) in @INC",
        "the Perl module {1} is not on this machine: hand it in, and `use lib '.'`",
    ),
    _names(
        r"(?:find or load main class|NoClassDefFoundError:|ClassNotFoundException:) ([\w$]+)",
        _java_class,
    ),
    _names(
        r"(?:method in class:|Main method not found in class) (\w+)",
        "the class {1} has no method `main`: hand in all classes in one folder, with the class "
        "Main in Main.java",
    ),
    _names(
        "UnsupportedClassVersionError",
        "it was compiled by a newer Java than runs here: hand in its source",
    ),
    # Texts.
    _names(
        "TabError",
        "it indents by tabs in some lines and by spaces in others: let your editor make all of "
        "them spaces",
    ),
    _names(r"(?:SyntaxError|IndentationError)(.*)", _syntax),
    _names(
        "get_ipython", "get_ipython() works in a notebook only: take such lines out of the program"
    ),
    _names(
        r"UnicodeDecodeError: '([\w-]+)' codec",
        "a file that it reads is no text in {1}: open it with the encoding that it has, such as "
        "encoding='latin-1'",
    ),
    # Limits, and what Python says of a bot's surroundings.
    _names(
        "can't start new thread|unable to create native thread|pthread_create",
        "start fewer threads; one is enough",
    ),
    lambda crash: LESS_MEMORY if crash.failure.short_of_memory else "",
    _names("MemoryError|[Oo]ut of memory|OutOfMemoryError|bad_alloc", LESS_MEMORY),
    _names(
        "RecursionError|Maximum call stack|StackOverflowError",
        "a function calls itself too often: use a loop, stop the search at a depth, or in Python "
        "raise the limit by sys.setrecursionlimit",
    ),
    _names("Too many open files", "close each file that it has read"),
    _names("File too large", "write less: the scratch folder has room for a few megabytes"),
    _pointer_of_lfs,
    _names(
        "Ran out of input",
        "a file that it loads ends too early: is it empty, or was it cut when it was handed in?",
    ),
    _in_python(_names(r"KeyError: '([^']+)'", _variable)),
    _names(
        "unsupported locale setting",
        "this machine does not have that locale: leave it as it is, or use 'C.UTF-8'",
    ),
    _names(
        r"No time zone found with key ([^\s']+)",
        "this machine has no time zone {1}: use UTC (datetime.timezone.utc)",
    ),
    _names(
        "readonly database|unable to open database file|database is locked",
        "a bot may only read a database in its folder: open file:NAME?mode=ro&nolock=1, or copy "
        "it to $TMPDIR",
    ),
    # What was refused.
    _shared_memory,
    _processes,
    _network,
    _names(r"\bspawn(?:Sync)? (\S+) ENOENT", _missing_path),
    _names(r"\bspawn(?:Sync)? (\S+) EACCES", _denied_path),
    _names(rf"(?:No such file or directory|ENOENT|FileNotFoundError)\b.*?{PATH}", _missing_path),
    _names(r"\bopen (\S+): no such file", _missing_path),
    _names(r"\bopen (\S+): permission denied", _denied_path),
    _names(r"(?:line \d+|: \d+): (\S+): No such file or directory", _missing_path),
    _names(
        r"java\.\S*(?:FileNotFoundException|NoSuchFileException): ([^\s(]++)(?! \(Perm)",
        _missing_path,
    ),
    _names(r"Could not find (?:file|a part of the path) '([^']+)'", _missing_path),
    _names(
        rf"(?:Permission denied|Read-only file system|EACCES|EROFS|AccessDenied)\b.*?{PATH}",
        _denied_path,
    ),
    _names(
        r"(?:AccessDeniedException): (\S+)|FileNotFoundException: (\S+) \(Permission", _denied_path
    ),
    _names(
        r"(\./[\w./-]+): Permission denied", f"{{1}} may not be executed: {CHMOD.format('{1}')}"
    ),
    _names(
        r"([\w./-]+): (?:command not found|not found)$",
        "the program {1} is not on this machine, or not in the bot's folder; a program of the "
        "bot's own begins with ./",
    ),
    _names(
        "No such file or directory|ENOENT",
        "it opens a file that is not there: a path begins in the bot's folder",
    ),
    _names(
        "Permission denied|Read-only file system|EACCES|EROFS",
        "it opens a file that it may not open: it may read its own folder and its libraries, and "
        "write into $TMPDIR",
    ),
    _refused,
    _refused_before,
    # How it ended.
    _by_failure(FLUSH, lambda failure: failure.unfinished > 0),
    _killed_by(
        "it reads or writes outside its memory: build with -g -fsanitize=address and run it by "
        "hand",
        SIGSEGV,
        SIGBUS,
    ),
    _killed_by("compute less: its CPU time is limited", SIGXCPU),
    _killed_by("the system killed it, perhaps because memory ran out: use less memory", SIGKILL),
    _killed_by("it divides by zero", SIGFPE),
    _killed_by("it ended itself (abort, assert): look at its stderr", SIGABRT),
    _killed_by(
        "it made a system call that no bot may make: look at `arena docs confinement`", SIGSYS
    ),
    _names("EOFError|NoSuchElementException: No line", "exit when the input ends"),
    _by_failure(
        "it left by itself: read on until `end`, in a loop", lambda failure: failure.exit_code == 0
    ),
    _by_failure(
        FAILED,
        lambda failure: failure.exit_code is not None and failure.exit_code > 0,
    ),
)
