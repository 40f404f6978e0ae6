"""How programs are started: the words of a command, and which files are programs, by their names.

It says how each is run and built, and why others are no programs. A bot.toml may say otherwise; this module knows none.
Nothing here runs a program.
"""

import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from arena.errors import ArenaError
from arena.event.discovery.files import shown
from arena.sandbox.file_policy import public
from arena.sandbox.toolchain import PYTHON

RUN_PYTHON = (PYTHON, "-s", "-B", "-u")
"""No user site, no byte code beside the bot, no buffer to flush."""
LONGEST_COMMAND = 32 * 1024  # characters: a command must fit into one message to the spawner
MOST_WORDS = 1000  # for the same reason: an empty word takes room too
SHOWN_LETTERS = 80  # of a wrong command that a message repeats
TAKEN_MODULES = frozenset({"arena", *sys.stdlib_module_names})
MAIN = ("bot", "main")
"""The names, without ending, by which the program of a folder without a bot.toml is recognised."""
ENDINGS = {".py": RUN_PYTHON, ".js": ("node",), ".sh": ("bash",), ".pl": ("perl",), ".rb": ("ruby",)}
"""The command that runs a file as it is, by its ending."""
BUILDS = {
    ".c": ("cc", "-O2", "-o", "bot", "*", "-lm"),
    **dict.fromkeys((".cpp", ".cc", ".cxx"), ("c++", "-O2", "-o", "bot", "*")),
    ".rs": ("rustc", "--edition", "2021", "-O", "-o", "bot", "."),
    ".go": ("go", "build", "-o", "bot", "*"),
}
"""The command that makes the program `bot` of sources. `.` stands for the file that begins, `*` for all of its kind."""
JAVA = ("java", "-Xmx64m", "-XX:-UsePerfData", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
SOURCES = {*ENDINGS, *BUILDS, ".java"}
NO_PROGRAMS = {
    ".ipynb": "a notebook is no program: save it as a .py file (Jupyter: File, Save and Export As, Executable Script)",
    **dict.fromkeys(
        (".txt", ".md", ".rtf", ".html"), "a text is no program: give it the ending of its language, such as bot.py"
    ),
    **dict.fromkeys((".pdf", ".doc", ".docx", ".odt"), "a document is no program: hand in the program's own file"),
    **dict.fromkeys((".exe", ".dll", ".msi"), "it was made for Windows: hand in its source"),
    **dict.fromkeys((".class", ".jar", ".pyc", ".o"), "it was compiled: hand in its source"),
    **dict.fromkeys((".rar", ".7z", ".gz"), "arena cannot unpack it: make a .zip or a .tar.gz of the bot's folder"),
}
"""What to do with files that are often taken for programs, by their ending."""


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
    """Return whether a folder with a file of this name is a bot: a program called `bot` or `main`, or a bot.toml."""
    path = PurePosixPath(name)
    return name == "bot.toml" or (path.stem.lower() in MAIN and is_source(name))


def is_runnable(path: Path) -> bool:
    """Return whether a file is a program, by its ending or because it may be executed."""
    return os.path.isfile(path) and (is_source(path.name) or (not path.suffix and os.access(path, os.X_OK)))  # noqa: PTH113 (bears long names)


def is_main(path: Path) -> bool:
    """Return whether a file is the program of its folder."""
    return path.stem.lower() in MAIN and is_runnable(path)


def program_of(path: Path, neighbours: Iterable[Path] | None = None) -> BotProgram:
    """Return how a file is run: alone, or in a folder with its neighbours."""
    ending, name = path.suffix, path.name
    if ending in ENDINGS:
        return BotProgram((*ENDINGS[ending], name))
    if ending == ".java":
        if neighbours is None:  # java compiles a file of any name itself; javac wants that of its public class
            return BotProgram((*JAVA, name))
        return BotProgram((*JAVA, path.stem), ("javac", name))
    if ending in BUILDS:
        kind = sorted(each.name for each in neighbours or (path,) if each.suffix == ending)
        build = [
            name_ for word in BUILDS[ending] for name_ in (kind if word == "*" else [name] if word == "." else [word])
        ]
        return BotProgram(("./bot",), tuple(build))
    return BotProgram((f"./{name}",))


def why_not(path: Path) -> str:
    """Return why a file is no bot, with what to do."""
    advice = NO_PROGRAMS.get(path.suffix.lower())
    if path.suffix not in SOURCES and path.suffix.lower() in SOURCES:
        advice = f"an ending is in small letters: rename it to {shown(path.stem)}{path.suffix.lower()}"
    known = f"neither executable nor one of {', '.join(sorted(SOURCES))}"
    return f"{shown(path)}: not a bot: {advice or known}"


def refuse_hiding(command: tuple[str, ...], files: Iterable[tuple[str, Path]]) -> None:
    """Raise ArenaError when a file beside a Python program has the name of a standard module or of arena.

    Python looks for modules in the folder of the program first. A bot called `random.py` that imports `random` imports
    itself, and its author gets a message about a missing attribute.
    """
    if command[:1] != RUN_PYTHON[:1]:
        return
    program = next((word for word in command if word.endswith(".py")), ".py")
    folder = PurePosixPath(program).parent.as_posix()
    prefix = "" if folder == "." else f"{folder}/"
    for name, path in files:
        if not name.endswith(".py") or not name.startswith(prefix):
            continue
        module = name.removeprefix(prefix).partition("/")[0].removesuffix(".py")
        if module in TAKEN_MODULES:
            owner = "arena's own package" if module == "arena" else f"Python's own module {module!r}"
            raise ArenaError(f"{shown(path)}: hides {owner} from the bot; give it another name")


def words_of(command: object) -> tuple[str, ...]:
    """Return the words of a command, with arena's interpreter for `python`; ValueError with a message for a mistake."""
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"{str(error).lower()}: {_short(command)}; close the quotation") from error
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
    return (*RUN_PYTHON, *words[1:]) if words[0] in {"python", "python3"} else tuple(words)


def refuse_outside(command: tuple[str, ...]) -> None:
    """Raise ValueError for a stranger's command that names a file of the organiser's.

    It may name the bot's own files and the system's programs. arena lets a bot read what its command names in full, so
    that a tournament.toml can name a program that stands anywhere.
    """
    for word in command:
        if word.startswith("/") and not public(os.path.normpath(word)):
            raise ValueError(f"{_short(word)} is outside the bot's folder; name a file by its path within it")


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python prints
        return "a number of thousands of digits"
    return text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 3]}..."
