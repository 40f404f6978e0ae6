"""Why the system cannot run a bot's program, where its file shows it for certain.

The system says "No such file or directory" of a script that is there, when it means the interpreter
in its first line. This module looks at the first bytes, the first line and the mode of one file,
and runs nothing. Names and first lines are a stranger's, so they are cleaned.
"""

import os
import re
import shutil
import struct
import sys
from dataclasses import dataclass
from errno import EACCES, ENOENT
from pathlib import Path, PurePosixPath

from arena import system
from arena.protocol import clean
from arena.sandbox.copying import ELF
from arena.sandbox.file_policy import public
from arena.sandbox.folder import ENVIRONMENTS, LEFT_OUT
from arena.sandbox.toolchain import PYTHON, PYTHON_HERE
from arena.values import Bot

HEAD_BYTES = 4096
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NAME_LETTERS = 80
FEW_FILES = 3
"""Files of a bot that advice lists."""
MOST_FILES = 2000
"""Files of a bot that are compared with a name."""
PYTHON_NAMES = re.compile(r"(py|python[\d.]*)(\.exe)?")
SHELL_WORDS = frozenset(
    {"cd", "source", ".", "export", "set", "alias", "exec", "if", "for", "while"}
)
SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
ENV = frozenset({"/usr/bin/env", "/bin/env"})
_FORMATS = (
    (b"MZ", "a program for Windows"),
    (b"\xcf\xfa\xed\xfe", "a program for a Mac"),
    (b"\xca\xfe\xba\xbe", "compiled Java, or a program for a Mac"),
    (b"\xff\xfe", "a text in UTF-16"),
    (b"\xfe\xff", "a text in UTF-16"),
    (b"PK\3\4", "an archive"),
)
_MACHINE = struct.Struct("<18xH")
"""The field e_machine of an ELF header: elf(5)."""
CHMOD = "chmod +x {} (a zip made on Windows loses that)"
UNIX_LINE_ENDS = (
    "save it with Unix line ends (LF): most editors have a setting for it, "
    "or type `sed -i 's/\\r$//' {}`"
)


@dataclass(frozen=True)
class Explanation:
    """What is wrong with a program's file."""

    words: str
    """The cause."""
    cure: str
    """What the author can do."""


def explanation(bot: Bot, errno: int = 0) -> Explanation | None:
    """Return why the system cannot run the bot's command, after the system's `errno`.

    Return None where no file shows it.
    """
    if not bot.command or bot.command[0] == PYTHON:
        return None
    program = bot.command[0]
    if "/" not in program:
        if shutil.which(program):
            return None
        return _no_such_program(program, bot)
    home = _home(Path(bot.files or ""))
    path = home / program
    normal_name = os.path.normpath(program)
    name = shown(normal_name)

    is_absolute = program.startswith("/") or not bot.files
    if not is_absolute:
        for folder in Path(normal_name).parts:
            if folder in ENVIRONMENTS:
                return _of_environment(name, folder)
        if not path.resolve().is_relative_to(home.resolve()):
            return None  # nobody learns of files of the organiser's by a command
    if not path.exists():
        return Explanation(f"the bot has no file {name}", missing_file(normal_name, bot))

    of_mode = _of_mode(path, name, errno)
    if of_mode is not None:
        return of_mode
    return _of_head(_head(path), name, errno)


def script_fault(bot: Bot) -> Explanation | None:
    """Return why a shell, Perl or Node cannot read the bot's script.

    Before its #! stands a byte order mark, or its lines end as on Windows or an old Mac. Return
    None for a script that shows neither, and for languages that accept both. Perl, too, takes a
    script of an old Mac for one line, which its #! makes a comment.
    """
    if not bot.command or not bot.files:
        return None
    home = _home(Path(bot.files))
    reader = PurePosixPath(bot.command[0]).name
    real_home = os.path.realpath(home)
    for word in bot.command:
        path = Path(os.path.realpath(home / word))  # realpath survives a word of any length
        if not path.is_relative_to(real_home) or not os.path.isfile(path):  # noqa: PTH113
            continue
        head = _head(path)
        interpreter = PurePosixPath(_interpreter(head)).name
        is_shell = reader in SHELLS or interpreter in SHELLS
        name = shown(os.path.normpath(word))
        knows_no_mark = is_shell or reader == "node"
        if knows_no_mark and head.startswith(BYTE_ORDER_MARK + b"#!"):
            return _byte_order_mark(name)
        needs_first_line = word == bot.command[0] or reader == "perl"
        loses_its_lines = is_shell or (needs_first_line and head.startswith(b"#!"))
        if loses_its_lines and _has_cr_alone(head):
            return _cr_alone(name)
        if b"\r\n" in head and is_shell:
            return Explanation(
                f"the lines of {name} end with CR LF (Windows), and the CR is a part of each "
                "command",
                UNIX_LINE_ENDS.format(name),
            )
        return None
    return None


def _home(files: Path) -> Path:
    """Return the folder of a bot whose files are a folder, or a single file."""
    if files.is_dir():
        return files
    return files.parent


def missing_file(name: str, bot: Bot) -> str:
    """Return advice for a command that names a file which the bot does not have.

    It names the file that was perhaps meant.
    """
    names = file_names(bot)
    similar = similar_file(name, names)
    if similar:
        return (
            f"write {shown(similar)} in `command`, which the bot has; "
            "capital letters and folders count"
        )
    advice = f"hand in {shown(name)} with the bot, or name another of its files in `command`"
    ending = PurePosixPath(name).suffix
    programs = [candidate for candidate in names if PurePosixPath(candidate).suffix == ending]
    if programs:
        first_programs = ", ".join(map(shown, programs[:FEW_FILES]))
        advice += f"; it has {first_programs}"
    return advice


def similar_file(name: str, names: list[str]) -> str:
    """Return the file among `names` that somebody may mean who writes `name`.

    It has the name in another case or in another folder. The text is empty if there is none.
    """
    meant = name.replace("\\", "/").removeprefix("./")
    candidates = [candidate for candidate in names if candidate != name]
    for part in (_whole, str.lower, _last_part, _last_part_in_lower_case):
        part_of_meant = part(meant)
        for candidate in candidates:
            if part(candidate) == part_of_meant:
                return candidate
    return ""


def _whole(name: str) -> str:
    return name


def _last_part(name: str) -> str:
    return name.rpartition("/")[2]


def _last_part_in_lower_case(name: str) -> str:
    return _last_part(name).lower()


def file_names(bot: Bot) -> list[str]:
    """Return the paths of a bot's files within it, the first MOST_FILES of them.

    Files of outer folders come first.
    """
    if not bot.files:
        return []
    files = Path(bot.files)
    if not files.is_dir():
        return [files.name]
    names: list[str] = []
    for root, folders, inner in os.walk(files):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        folder = Path(root).relative_to(files)
        for name in sorted(inner):
            path = folder / name
            names.append(path.as_posix())
        if len(names) >= MOST_FILES:
            break
    first_names = names[:MOST_FILES]
    return sorted(first_names, key=lambda name: name.count("/"))


def shown(name: str) -> str:
    """Return a stranger's name of a file or program for a message."""
    return clean(name, NAME_LETTERS)


def _no_such_program(program: str, bot: Bot) -> Explanation:
    """Explain a program without a folder in its name that is not on this machine."""
    name = shown(program)
    message = f"{name} is not on this machine"
    if PYTHON_NAMES.fullmatch(program):
        cure = f"call the interpreter `python` in `command`: it is {PYTHON_HERE} here"
        return Explanation(message, cure)
    if program in SHELL_WORDS:
        return Explanation(
            f"{name} is a word of a shell",
            f"no shell reads `command`: begin it with a program, without {name}",
        )
    if program in file_names(bot):
        return Explanation(message, f"write ./{name} in `command`, which is the bot's own file")
    return Explanation(
        message,
        "ask the organiser to install it (`arena doctor` lists languages), or use another language",
    )


def _of_environment(name: str, environment: str) -> Explanation:
    """Explain a program in a virtual environment, which is no part of a bot."""
    cure = "name a program of the bot, or one of this machine, in `command`"
    if PYTHON_NAMES.fullmatch(name.rpartition("/")[2]):
        cure = (
            f"write `python` in `command`: it is {PYTHON_HERE} here, without the packages of the "
            "environment; copy those that the bot needs beside the program (pip install --target "
            ". NAME)"
        )
    return Explanation(
        f"{name} is in the virtual environment {environment}, which is left out, as no part of a "
        "bot",
        cure,
    )


def _of_mode(path: Path, name: str, errno: int) -> Explanation | None:
    """Explain a file that may not be executed."""
    if errno not in {0, EACCES} or os.access(path, os.X_OK) or not path.is_file():
        return None
    cure = f"make it executable: {CHMOD.format(name)}"
    interpreter = _interpreter(_head(path))
    if interpreter:
        cure += f", or write `{interpreter} {name}` in `command`"
    return Explanation(f"{name} may not be executed", cure)


def _of_head(head: bytes, name: str, errno: int) -> Explanation | None:
    """Explain a file that the system cannot run, by its first bytes."""
    if head.startswith(BYTE_ORDER_MARK + b"#!"):
        return _byte_order_mark(name)
    for magic, kind in _FORMATS:
        if head.startswith(magic):
            return Explanation(f"{name} is {kind}", "hand in its source, or build it on Linux")
    if head.startswith(ELF):
        return _of_elf(head, name, errno)
    if not head.startswith(b"#!"):
        return Explanation(
            f"{name} has no #! in its first line, and is no program",
            "write in the first line how it is run, such as #!/usr/bin/env python3, "
            f"or give {name} the ending of its language",
        )
    return _of_first_line(head, name, errno)


def _byte_order_mark(name: str) -> Explanation:
    return Explanation(
        f"a byte order mark stands before the #! of {name}",
        f"save {name} as UTF-8 without a byte order mark (BOM)",
    )


def _has_cr_alone(head: bytes) -> bool:
    """Return whether the lines of a text end as on an old Mac."""
    return b"\r" in head and b"\n" not in head


def _cr_alone(name: str) -> Explanation:
    return Explanation(
        f"the lines of {name} end with CR alone (old Mac), so it is one line to the system",
        "save it with Unix line ends (LF): most editors have a setting for it, or type "
        f"`tr '\\r' '\\n' < {name} > new`",
    )


def _of_first_line(head: bytes, name: str, errno: int) -> Explanation | None:
    """Explain a script that the system cannot run, by the interpreter in its first line."""
    first_line, _, _ = head.partition(b"\n")
    interpreter = _interpreter(head)
    if _has_cr_alone(head):
        return _cr_alone(name)
    if first_line.endswith(b"\r"):
        return Explanation(
            f"the lines of {name} end with CR LF (Windows), "
            f"so the system looks for a program `{interpreter}\\r`",
            UNIX_LINE_ENDS.format(name),
        )
    if not interpreter.startswith("/"):
        if shutil.which(interpreter, path=system.PATH) is None:
            return _no_interpreter(interpreter, name)
        words = first_line[2:].decode("utf-8", "replace").split()
        if words[0] not in ENV:
            return Explanation(
                f"the first line of {name} names {interpreter} without its folder",
                f"begin {name} with #!/usr/bin/env {interpreter}",
            )
        if len(words) > 2 and not words[1].startswith("-"):
            program_and_options = " ".join(words[1:])
            return env_with_options(program_and_options, f"the first line of {name}")
        return None
    if not public(os.path.normpath(interpreter)):
        if not errno:
            return None
        # Nobody learns by these words whether the organiser has such a file.
        return _not_public(interpreter, name)
    if Path(interpreter).exists():
        return None
    return _no_interpreter(interpreter, name)


def _no_interpreter(interpreter: str, name: str) -> Explanation:
    message = f"the first line of {name} names {interpreter}, which is not on this machine"
    if PYTHON_NAMES.fullmatch(interpreter.rpartition("/")[2]):
        return Explanation(
            message, f"begin {name} with #!/usr/bin/env python3, or call it {name}.py"
        )
    return Explanation(
        message,
        "name a program in /usr/bin, or #!/usr/bin/env and its name; "
        "`arena doctor` lists languages",
    )


def env_with_options(words: str, line: str = "the first line of a script") -> Explanation:
    """Explain a first line that gives env a program with its options, which env takes for one name.

    `words` are the program and its options; `line` is the beginning of the sentence.
    """
    program = shown(words.partition(" ")[0])
    return Explanation(
        f"{line} gives env `{shown(words)}`, which env takes for the name of one program",
        f"write #!/usr/bin/env -S {shown(words)}, or #!/usr/bin/env {program} without options",
    )


def _not_public(interpreter: str, name: str) -> Explanation:
    return Explanation(
        f"the first line of {name} names {interpreter}, which is not on this machine, "
        "or no bot may run it",
        f"begin {name} with #!/usr/bin/env and the name of a program, or name one in /usr/bin",
    )


def _of_elf(head: bytes, name: str, errno: int) -> Explanation | None:
    """Explain a program of Linux that was built for another machine."""
    ours = _head(Path(sys.executable))
    size = _MACHINE.size
    if len(head) < size or _MACHINE.unpack_from(head) != _MACHINE.unpack_from(ours):
        return Explanation(
            f"{name} was made for another machine, with another kind of processor",
            "build it here, or hand in its source",
        )
    if errno == ENOENT:
        return Explanation(
            f"{name} was built for another Linux",
            "link it statically, build it here, or hand in its source",
        )
    return None


def _interpreter(head: bytes) -> str:
    """Return the program that a first line names, or the program that it lets `env` find.

    The text is empty if there is no #!.
    """
    without_mark = head.removeprefix(BYTE_ORDER_MARK)
    first_line, _, _ = without_mark.partition(b"\n")
    if not first_line.startswith(b"#!"):
        return ""
    text = first_line[2:].decode("utf-8", "replace")
    words = text.split()
    if words and words[0] in ENV:
        words = [word for word in words[1:] if not word.startswith("-")]
    if not words:
        return ""
    return shown(words[0])


def _head(path: Path) -> bytes:
    """Return the first bytes of a file; empty for what cannot be read, or is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(descriptor, HEAD_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        return b""
