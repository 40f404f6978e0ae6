"""Which files are programs, by their names: how each is run, how it is built first, and why others are no programs.

A bot.toml may say otherwise; this module knows none. Nothing here runs a program.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from arena.event.discovery.commands import RUN_PYTHON
from arena.event.discovery.files import shown

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
