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

from arena.sandbox.file_policy import JAVA, PYTHON_PARTS, public

PYTHON = "{python}"
"""The word in a command that stands for the interpreter that runs arena."""
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
def resolved(command: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the command that is run, and what it must read: files that it names in full, parts of its interpreter."""
    argv = [sys.executable if word == PYTHON else word for word in command]
    # By the organiser's PATH; the bot itself gets a plain one.
    argv[0] = shutil.which(argv[0]) or argv[0]
    named = [
        word for word in argv if word.startswith("/") and Path(word).is_file() and not public(word)
    ]
    needed = needs(argv[0]) if argv[0].startswith("/") else ()
    return tuple(argv), tuple(dict.fromkeys((*needed, *named)))


@cache
def needs(program: str) -> tuple[str, ...]:
    """Return the files and folders that a program (an absolute path) must read beside the public ones."""
    name = os.path.basename(program)
    paths = _python(program) if PYTHON_NAME.fullmatch(name) else _other(Path(program))
    return tuple(dict.fromkeys(path for path in paths if not public(path)))


def _python(program: str) -> list[str]:
    """Return the parts of a Python's prefixes.

    The interpreter itself is asked, because a shim is a shell script.
    """
    if os.path.abspath(program) == os.path.abspath(sys.executable):
        library = os.path.dirname(os.__file__)
        real, *prefixes = [
            os.path.realpath(sys.executable),
            sys.prefix,
            sys.base_prefix,
            sys.exec_prefix,
        ]
    else:
        try:
            answer = subprocess.run(
                [program, "-I", "-c", PRINT_PREFIXES],
                capture_output=True,
                text=True,
                timeout=ANSWER_TIMEOUT_S,
                check=True,
            ).stdout
            real, library, *prefixes = json.loads(answer)
        except (OSError, subprocess.SubprocessError, ValueError):
            return [program]  # its own message will say what is wrong with it
    parts = [
        os.path.join(prefix, part)
        for prefix in prefixes
        if _bounded(Path(prefix))
        for part in PYTHON_PARTS
    ]
    parts = [part for part in dict.fromkeys(parts) if os.path.exists(part)]
    # As in an old PyPy.
    outside = [] if library.startswith(tuple(f"{part}/" for part in parts)) else [library]
    return [os.path.abspath(program), real, *parts, *outside]


def _other(program: Path) -> list[str]:
    """Return the prefix of a program `PREFIX/bin/NAME` that has libraries beside it.

    Else the program alone.
    """
    real = program.resolve()
    java = (
        [str(path) for path in Path("/").glob(JAVA.lstrip("/"))] if "java" in program.name else []
    )
    prefix = real.parent.parent
    if (
        real.parent.name == "bin"
        and _bounded(prefix)
        and ((prefix / "lib").is_dir() or (prefix / "include").is_dir())
    ):
        return [str(program), str(prefix), *java]
    return [str(program), str(real), *java]


def _bounded(prefix: Path) -> bool:
    """Return whether a folder belongs to a toolchain alone, and is not somebody's home or the whole disk."""
    home = Path(os.path.expanduser("~"))  # which does not fail where a user has none
    shared = {Path(path) for path in ("/", "/home", "/opt", "/var", "/tmp")}  # noqa: S108
    return prefix not in {*shared, home / ".local"} and not home.is_relative_to(prefix)
