"""What a command needs to run: the files and folders of its interpreter that a confined bot may read.

What stands under /usr is everybody's and not listed here. Asked once a command, outside the sandbox, and remembered.
"""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from arena.sandbox.landlock import PROGRAMS

JAVA = "/etc/java-*"  # where Debian keeps what a JVM cannot start without
PYTHON_NAME = re.compile(r"python(\d(\.\d+)?)?t?")
ASK = (
    "import json, os, sys;"
    "print(json.dumps([os.path.realpath(sys.executable), sys.prefix, sys.base_prefix, sys.exec_prefix]))"
)
PATIENCE = 20  # seconds, for a shim on a busy machine


@cache
def needs(program: str) -> tuple[str, ...]:
    """What the program (an absolute path) may read beside what is public: its prefix, or itself alone."""
    path = Path(program)
    found = _python(program) if PYTHON_NAME.fullmatch(path.name) else _prefix(path)
    return tuple(dict.fromkeys(place for place in found if not public(place)))


def public(place: str) -> bool:
    """Whether every bot may read this anyway."""
    return place.startswith(tuple(f"{one}/" for one in PROGRAMS)) or place in PROGRAMS


def _python(program: str) -> list[str]:
    """An interpreter tells where it lives; also through a shim, which is a shell script."""
    if os.path.abspath(program) == os.path.abspath(sys.executable):
        told = [os.path.realpath(sys.executable), sys.prefix, sys.base_prefix, sys.exec_prefix]
    else:
        try:
            answer = subprocess.run(
                [program, "-I", "-c", ASK], capture_output=True, text=True, timeout=PATIENCE, check=True
            ).stdout
            told = json.loads(answer)
        except (OSError, subprocess.SubprocessError, ValueError):
            return [program]  # it will say itself what is wrong with it
    return [place for place in dict.fromkeys([os.path.abspath(program), *told]) if _bounded(Path(place))]


def _prefix(path: Path) -> list[str]:
    """`X/bin/node` needs `X`; a program that stands elsewhere needs itself alone."""
    real = path.resolve()
    java = [str(one) for one in Path("/").glob(JAVA.lstrip("/"))] if "java" in path.name else []
    near = real.parent.parent
    if real.parent.name == "bin" and _bounded(near) and ((near / "lib").is_dir() or (near / "include").is_dir()):
        return [str(path), str(near), *java]
    return [str(path), str(real), *java]


def _bounded(place: Path) -> bool:
    """Whether a place is a toolchain's own, and not somebody's home or the whole disk."""
    home = Path(os.path.expanduser("~"))  # which does not fail where a user has none
    shared = {Path(path) for path in ("/", "/home", "/opt", "/var", "/tmp")}  # noqa: S108
    return place not in {*shared, home / ".local"} and not home.is_relative_to(place)
