"""The files and folders that a command needs: those of its interpreter, and those that it names.

The tables are in `file_policy.py`; this module finds out what they mean for one command. It asks
the interpreter once for each command, outside the sandbox, and remembers the answer. Programs under
/usr are public and not listed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from arena import extensions
from arena.sandbox.file_policy import JAVA, PYTHON_PARTS, public

PYTHON = "{python}"
"""The word in a command that stands for the interpreter that runs arena."""
BRIDGE = "{{bridge:{}}}"
"""The word in a command that stands for the program of a bridge; two words behind it, the command
of the bot itself begins (event/discovery/bridged.py)."""
BRIDGE_NAME = re.compile(r"\{bridge:([A-Za-z0-9_-]{1,40})\}")
PYTHON_HERE = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
"""The version of that interpreter, for sentences."""
PYTHON_NAME = re.compile(r"python(\d(\.\d+)?)?t?")
PRINT_PREFIXES = (
    "import json, os, sys;"
    "print(json.dumps([os.path.realpath(sys.executable), os.path.dirname(os.__file__),"
    " sys.prefix, sys.base_prefix, sys.exec_prefix]))"
)
ANSWER_TIMEOUT_S = 20  # a shim on a busy machine is slow


@cache
def resolved(
    command: tuple[str, ...],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the command that is run, and the paths that it must read.

    These are the files that it names in full, and the parts of its interpreter.
    """
    argv = []
    for word in command:
        if word == PYTHON:
            argv.append(sys.executable)
        else:
            argv.append(word)
    # The program is looked for in the organiser's PATH; the bot itself gets a plain PATH.
    argv[0] = shutil.which(argv[0]) or argv[0]
    paths: list[str] = []
    if argv[0].startswith("/"):
        paths += needs(argv[0])

    bridge = bridge_of(command)
    if bridge:
        position = argv.index(BRIDGE.format(bridge))
        added_bridge = extensions.bridges()[bridge]
        program = extensions.file_beside(added_bridge.path)
        argv[position] = str(program)
        if not public(str(program)):
            paths.append(str(program.parent))
        engine = position + 2
        argv[engine] = shutil.which(argv[engine]) or argv[engine]
        if argv[engine].startswith("/"):
            paths += needs(argv[engine])

    for word in argv:
        is_file = word.startswith("/") and Path(word).is_file()
        if is_file and not public(word):
            paths.append(word)
    different_paths = tuple(dict.fromkeys(paths))
    return tuple(argv), different_paths


@cache
def bridge_of(command: tuple[str, ...]) -> str:
    """Return the name of the bridge that a command starts; empty if it starts none."""
    for word in command[:-2]:
        match = BRIDGE_NAME.fullmatch(word)
        if match is not None and match[1] in extensions.bridges():
            return match[1]
    return ""


@cache
def needs(program: str) -> tuple[str, ...]:
    """Return what a program (an absolute path) must read beside the public files and folders."""
    name = os.path.basename(program)
    if PYTHON_NAME.fullmatch(name):
        paths = _python(program)
    else:
        paths = _other(Path(program))
    private_paths = [path for path in paths if not public(path)]
    return tuple(dict.fromkeys(private_paths))


def _python(program: str) -> list[str]:
    """Return the parts of a Python's prefixes.

    The interpreter itself is asked, because a shim is a shell script.
    """
    own_program = os.path.abspath(sys.executable)
    if os.path.abspath(program) == own_program:
        real = os.path.realpath(sys.executable)
        library = os.path.dirname(os.__file__)
        prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    else:
        try:
            finished = subprocess.run(
                [program, "-I", "-c", PRINT_PREFIXES],
                capture_output=True,
                text=True,
                timeout=ANSWER_TIMEOUT_S,
                check=True,
            )
            real, library, *prefixes = json.loads(finished.stdout)
        except (OSError, subprocess.SubprocessError, ValueError):
            return [program]  # its own message will say what is wrong with it

    paths = [os.path.abspath(program), real]
    parts: list[str] = []
    for prefix in dict.fromkeys(prefixes):
        if _bounded(Path(prefix)):
            parts += [os.path.join(prefix, part) for part in PYTHON_PARTS]
    parts = [part for part in parts if os.path.exists(part)]
    paths += parts
    folders = tuple(f"{part}/" for part in parts)
    if not library.startswith(folders):  # as in an old PyPy
        paths.append(library)
    return paths


def _other(program: Path) -> list[str]:
    """Return the prefix of a program `PREFIX/bin/NAME` that has libraries beside it.

    For any other program, return the program alone.
    """
    real = program.resolve()
    prefix = real.parent.parent
    has_libraries = (prefix / "lib").is_dir() or (prefix / "include").is_dir()
    is_toolchain = real.parent.name == "bin" and has_libraries and _bounded(prefix)
    paths = [str(program)]
    if is_toolchain:
        paths.append(str(prefix))
    else:
        paths.append(str(real))
    if "java" in program.name:
        pattern = JAVA.lstrip("/")
        paths += map(str, Path("/").glob(pattern))
    return paths


def _bounded(prefix: Path) -> bool:
    """Return whether a folder belongs to a toolchain alone.

    Somebody's home or the whole disk does not.
    """
    home = Path(os.path.expanduser("~"))  # which does not fail where a user has none
    shared = [home / ".local"]
    shared += map(Path, ("/", "/home", "/opt", "/var", "/tmp"))  # noqa: S108
    return prefix not in shared and not home.is_relative_to(prefix)
