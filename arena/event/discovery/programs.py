"""Programs: the words of a command, and which files are programs, by their names.

This module decides how a program is run and built, and why other files are no programs. A bot.toml,
which this module does not know, may decide otherwise. Nothing here runs a program.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from arena.errors import FileError
from arena.event.discovery.files import shown
from arena.match.bot.program_file import PYTHON_NAMES
from arena.sandbox.copying import ELF
from arena.sandbox.file_policy import public
from arena.sandbox.toolchain import PYTHON

RUN_PYTHON = (PYTHON, "-s", "-B", "-u")
"""No user site, no byte code beside the bot, no buffer to flush."""
LONGEST_COMMAND = 32 * 1024
"""The characters of a command, which must fit into one message to the spawner."""
MOST_WORDS = 1000
"""The words of a command: an empty word has a length in the message, too."""
SHOWN_LETTERS = 80
"""The letters of a wrong command that a message repeats."""
TAKEN_MODULES = sys.stdlib_module_names | {"arena"}
SHELL = frozenset({"&&", "||", ";", "|", ">", ">>", "<", "&"})
STEPS = frozenset({"&&", "||"})
"""The words of SHELL that are no argument of any program."""
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
IN_TOML = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}
"""Letters behind a backslash that TOML takes for another character, as in "python src\bot.py"."""
TOKEN = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\S+""")
"""A word of a command as it is written: quoted, with its quotation marks, or bare."""
WINDOWS_PATH = re.compile(r"(?:[A-Za-z]:)?[\w./-]*(?:\\[\w.-]+)+")
FILE_ENDING = re.compile(r".*[\w-]\.[A-Za-z]\w*")
EATEN_PATH = re.compile(r"[\w./-]*\w[\b][\w.][\w./-]*")
"""A path with a backslash that TOML has taken for the beginning of a control letter."""
BROKEN_PATH = re.compile(r"(?<= )(?![-.])([\w/-]+)[\t\n\r\f][\w.][\w./-]*\.\w+(?!\S)")
"""The same, if the control letter is a blank: a word without a point, then a word with an ending.
"""
STARTERS = frozenset(
    {"python", "python3", "sh", "bash", "node", "java", "perl", "ruby", "env", "exec", "nice"}
)
"""Words before the name of a program, where a command has several lines."""
LARGEST_LOOK = 1 << 20
MAIN = ("bot", "main")
"""The names, without ending, by which the program of a folder without a bot.toml is recognised."""
ENDINGS = {
    ".py": RUN_PYTHON,
    **dict.fromkeys((".js", ".mjs", ".cjs"), ("node",)),
    ".sh": ("bash",),
    ".pl": ("perl",),
    ".rb": ("ruby",),
}
"""The command that runs a file as it is, by its ending."""
BUILDS = {
    ".c": ("cc", "-O2", "-o", "bot", "*", "-lm"),
    **dict.fromkeys((".cpp", ".cc", ".cxx"), ("c++", "-O2", "-o", "bot", "*")),
    ".rs": ("rustc", "--edition", "2021", "-O", "-o", "bot", "."),
    ".go": ("go", "build", "-o", "bot", "*"),
}
"""The command that makes the program `bot` from sources, by their ending.

`.` stands for the file with the beginning of the program, `*` for all files with its ending."""
JAVA = ("java", "-Xmx64m", "-XX:-UsePerfData", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
SOURCES = ENDINGS.keys() | BUILDS.keys() | {".java"}
NO_PROGRAMS = {
    ".ipynb": (
        "a notebook is no program: save it as a .py file "
        "(Jupyter: File, Save and Export As, Executable Script)"
    ),
    **dict.fromkeys(
        (".txt", ".md", ".rtf", ".html"),
        "a text is no program: if it is code, give it the ending of its language, such as bot.py",
    ),
    **dict.fromkeys(
        (".pdf", ".doc", ".docx", ".odt"),
        "a document is no program: hand in the program's own file",
    ),
    **dict.fromkeys((".exe", ".dll", ".msi"), "it was made for Windows: hand in its source"),
    **dict.fromkeys(
        (".bat", ".cmd", ".ps1"),
        "it is a script for Windows: name the program itself in a bot.toml",
    ),
    **dict.fromkeys((".class", ".jar", ".pyc", ".o"), "it was compiled: hand in its source"),
    **dict.fromkeys(
        (".rar", ".7z", ".gz"),
        "arena cannot unpack it: make a .zip or a .tar.gz of the bot's folder",
    ),
}
"""The advice on files that are often taken for programs, by their ending."""
OTHER_LANGUAGES = {
    ".cs": "C#",
    ".d": "D",
    ".dart": "Dart",
    ".ex": "Elixir",
    ".exs": "Elixir",
    ".hs": "Haskell",
    ".jl": "Julia",
    ".kt": "Kotlin",
    ".lua": "Lua",
    ".ml": "OCaml",
    ".nim": "Nim",
    ".php": "PHP",
    ".r": "R",
    ".scala": "Scala",
    ".swift": "Swift",
    ".ts": "TypeScript",
    ".zig": "Zig",
}
"""Languages, by their ending, whose programs need a bot.toml."""
PACKED = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
"""The endings of archives that are unpacked."""
PROGRAM_HEADS = (b"#!", ELF)
"""The first bytes of a file that is surely a program."""


@dataclass(frozen=True)
class BotProgram:
    """How a program is run."""

    command: tuple[str, ...]
    build: tuple[str, ...] = ()
    """`()` = it runs as it is."""


def is_source(name: str) -> bool:
    """Return whether a file of this name is a program, by its ending."""
    return PurePosixPath(name).suffix in SOURCES


def begins(name: str) -> bool:
    """Return whether a folder with a file of this name is a bot.

    The file is a bot.toml, or a program called `bot` or `main`.
    """
    path = PurePosixPath(name)
    return name == "bot.toml" or (path.stem.lower() in MAIN and is_source(name))


def is_runnable(path: Path) -> bool:
    """Return whether a file is a program, by its ending or because it may be executed."""
    if not os.path.isfile(path):  # noqa: PTH113 (it returns False for a name that is too long)
        return False
    return is_source(path.name) or (not path.suffix and os.access(path, os.X_OK))


def is_main(path: Path) -> bool:
    """Return whether a file is the program of its folder."""
    return path.stem.lower() in MAIN and is_runnable(path)


def program_of(path: Path, neighbours: Iterable[Path] | None = None) -> BotProgram:
    """Return how a file is run: alone, or in a folder with its neighbours."""
    ending = path.suffix
    name = path.name
    if ending in ENDINGS:
        return BotProgram((*ENDINGS[ending], name))
    if ending == ".java":
        # java compiles a file of any name itself; javac needs the name of its public class.
        if neighbours is None:
            return BotProgram((*JAVA, name))
        return BotProgram(
            command=(*JAVA, path.stem),
            build=("javac", name),
        )
    if ending not in BUILDS:
        return BotProgram((f"./{name}",))

    sources = [file.name for file in neighbours or [path] if file.suffix == ending]
    build: list[str] = []
    for word in BUILDS[ending]:
        if word == "*":
            build += sorted(sources)
        elif word == ".":
            build.append(name)
        else:
            build.append(word)
    return BotProgram(
        command=("./bot",),
        build=tuple(build),
    )


def why_not(path: Path) -> str:
    """Return why a file is no bot, with advice, as the words of a FileError."""
    ending = path.suffix.lower()
    name = shown(path.name)
    advice = NO_PROGRAMS.get(ending)
    if path.suffix not in SOURCES and ending in SOURCES:
        advice = f"an ending is in small letters: rename it to {shown(path.stem)}{ending}"
    elif ending in OTHER_LANGUAGES:
        advice = (
            f"arena does not know how to start {OTHER_LANGUAGES[ending]}: "
            f"put {name} into a folder with a bot.toml, "
            "which has its `command`, and its `build` if it is compiled"
        )
    elif path.name.lower().endswith(PACKED):
        advice = f"it is packed: `arena submit {name}` unpacks it, or unpack it and name the folder"
    elif lacks_mode(path):
        advice = (
            f"{name} may not be executed: chmod +x {name} (a zip made on Windows loses that), "
            f"or give it the ending of its language, such as {name}.py"
        )
    if advice is None:
        endings = ", ".join(sorted(SOURCES))
        advice = f"neither executable nor one of {endings}"
    return f"not a bot: {advice}"


def lacks_mode(path: Path) -> bool:
    """Return whether a file is a program, by its first bytes, that may not be executed."""
    if os.access(path, os.X_OK) or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(PROGRAM_HEADS)
    except OSError:
        return False


def suspects(entries: Iterable[Path]) -> list[Path]:
    """Return the files of a folder without a program that its author may take for the program.

    The likeliest file comes first, and a file may come twice.
    """
    locked: list[Path] = []
    sources: list[Path] = []
    papers: list[Path] = []
    for path in entries:
        if not path.is_file():
            continue
        ending = path.suffix.lower()
        if lacks_mode(path):
            locked.append(path)
        if ending in OTHER_LANGUAGES or ending in SOURCES:
            sources.append(path)
        if ending in NO_PROGRAMS and path.stem.lower() != "readme":
            papers.append(path)
    papers.sort(key=lambda path: path.stem.lower() not in MAIN)
    return locked + sources + papers


def why_none(entries: Iterable[Path]) -> str:
    """Return why a folder without a bot.toml is no bot, with advice.

    It has no program, or several, and nothing shows which of them starts the bot.
    """
    runnable = [path for path in entries if is_runnable(path)]
    if not runnable:
        return (
            "it has no bot.toml; write one with a `command`, or call its program bot.py or main.py"
        )
    names = " and ".join(shown(path.name) for path in runnable[:2])
    unnamed = len(runnable) - 2
    more = ""
    if unnamed > 0:
        more = f" and {unnamed} more"
    ending = runnable[0].suffix
    call = f"bot{ending} or main{ending}"
    if ending == ".java":
        call = "Main.java, with the class Main"
        with_main = [path for path in runnable if _has_main(path)]
        if len(with_main) == 1:
            name = shown(with_main[0].stem)
            call += f" (now {name}, which has the method `main`)"
    return (
        f"it has no bot.toml; write one with a `command`, or call its program {call}: "
        f"it has {names}{more}"
    )


def _has_main(path: Path) -> bool:
    """Return whether a file has the method `main` of a program in Java."""
    try:
        content = path.read_bytes()[:LARGEST_LOOK]
    except OSError:
        return False
    return re.search(rb"\bstatic\s+void\s+main\s*\(", content) is not None


def refuse_hiding(command: tuple[str, ...], files: Iterable[tuple[str, Path]]) -> None:
    """Raise FileError for a file beside a Python program that hides a standard module or arena.

    Python looks for modules in the folder of the program first. A bot called `random.py` that
    imports `random` imports itself, and its author gets a message about a missing attribute.
    """
    if command[:1] != RUN_PYTHON[:1]:
        return
    folder = _folder_of_program(command)
    prefix = ""
    if folder != ".":
        prefix = f"{folder}/"
    for name, path in files:
        if not name.endswith(".py") or not name.startswith(prefix):
            continue
        first_name, _, _ = name.removeprefix(prefix).partition("/")
        module = first_name.removesuffix(".py")
        if module in TAKEN_MODULES:
            hidden = f"Python's own module {module!r}"
            if module == "arena":
                hidden = "arena's own package"
            raise FileError(path, f"hides {hidden} from the bot; give it another name")


def _folder_of_program(command: tuple[str, ...]) -> str:
    """Return the folder of the Python program that a command starts; `.` if it names none."""
    for word in command:
        if word.endswith(".py"):
            return PurePosixPath(word).parent.as_posix()
    return "."


def words_of(command: object) -> tuple[str, ...]:
    """Return the words of a command, with arena's interpreter for `python`.

    ValueError with a message for a mistake.
    """
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            reason = str(error).lower()
            raise ValueError(f"{reason}: {_short(command)}; close the quotation") from error
    elif isinstance(command, list | tuple) and all(isinstance(word, str) for word in command):
        words = list(command)
    else:
        raise ValueError(f"expected a text or a list of words, not {_short(command)}")

    if len(words) > MOST_WORDS:
        raise ValueError(f"more than {MOST_WORDS} words; put the rest into a file")
    if sum(map(len, words)) > LONGEST_COMMAND:
        raise ValueError(f"longer than {LONGEST_COMMAND} characters; put the rest into a file")
    if not words or not words[0] or "\0" in "".join(words):
        raise ValueError("it is empty, or has a NUL in it; write how the bot is started")
    _refuse_backslashes(command)
    _refuse_shell(command, words)

    if words[0] in {"python", "python3"}:
        return (*RUN_PYTHON, *words[1:])
    return tuple(words)


def _refuse_backslashes(command: object) -> None:
    """Raise ValueError for a path of Windows, whose backslashes a shell and TOML change.

    A backslash in any other text belongs to the program that gets it, such as sed's in a pattern.
    """
    for word in _words_as_written(command):
        text = _path_with_backslash(word)
        if not text:
            continue
        path = PureWindowsPath(text)
        if PYTHON_NAMES.fullmatch(path.name):
            corrected = "'python', which is arena's own"
        else:
            relative = path.relative_to(path.anchor)
            corrected = f"{relative.as_posix()!r}, with /"
        written: object = word[1:-1]
        if isinstance(command, str):
            written = command
        raise ValueError(f"{_short(written)} has a path with a backslash: write {corrected}")


def _words_as_written(command: object) -> list[str]:
    """Return the words of a command with their quotation marks and backslashes.

    A command that is a text is one more of them, because it shows where a blank was a backslash.
    """
    if isinstance(command, str):
        return [*TOKEN.findall(command), command]
    if isinstance(command, list | tuple):
        return [f"'{word}'" for word in command]
    return []


def _path_with_backslash(word: str) -> str:
    """Return the path of Windows that a word is, as its author typed it; empty if it is no path.

    A bare word loses its backslashes, so nobody writes a backslash there on purpose. In quotation
    marks only a text with the ending of a file is surely a path.
    """
    first = word[:1]
    is_quoted = first in {"'", '"'} and word[-1:] == first
    text = word
    if is_quoted:
        text = word[1:-1]

    may_be_path = not is_quoted or FILE_ENDING.fullmatch(text)
    if may_be_path and WINDOWS_PATH.fullmatch(text):
        return text
    path = EATEN_PATH.fullmatch(text)
    if path is None:
        if is_quoted:
            text = f" {text}"
        path = BROKEN_PATH.search(text)
        if path is None or path[1] in STARTERS:
            return ""

    return "".join(IN_TOML.get(letter, letter) for letter in path.group())


def _refuse_shell(command: object, words: list[str]) -> None:
    """Raise ValueError for a command that only a shell understands.

    A sign in quotation marks is a word for the program, as in `cut -d "|"`, and so is a sign in a
    list.
    """
    written = words
    signs = STEPS
    if isinstance(command, str):
        written = TOKEN.findall(command)
        signs = SHELL
    for word in written:
        if word in signs:
            raise ValueError(
                f"{word!r} wants a shell, and no shell reads this: "
                "put the steps into a script, 'sh run.sh'"
            )
    if ASSIGNMENT.match(words[0]):
        raise ValueError(
            f"{_short(words[0])} wants a shell, and no shell reads this: let env set it, as in "
            f"'env {words[0][:SHOWN_LETTERS]} ...'"
        )


def refuse_outside(command: tuple[str, ...]) -> None:
    """Raise ValueError for a stranger's command that names a file of the organiser.

    It may name the bot's own files and the system's programs. arena lets a bot read the files that
    its command names by a full path, so that a tournament.toml can name any program.
    """
    for word in command:
        if word.startswith("/") and not public(os.path.normpath(word)):
            raise ValueError(
                f"{_short(word)} is outside the bot's folder; name a file by its path within it"
            )


def _short(value: object) -> str:
    """Return a wrong value as a message repeats it."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python prints
        return "a number of thousands of digits"
    if len(text) <= SHOWN_LETTERS:
        return text
    return f"{text[: SHOWN_LETTERS - 3]}..."
