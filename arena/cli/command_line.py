"""The command line of this process, for a user who is to type it again."""

import shlex
import shutil
import sys
from pathlib import Path

from arena.cli import paths


def command_line() -> str:
    """Return the command line of this process; the same run or duel goes on by it."""
    words = [*program(), *sys.argv[1:]]
    return shlex.join(words)


def program() -> list[str]:
    """Return the words that start arena here; of a program that is not on the PATH, its path."""
    script = Path(sys.argv[0])
    if script.name == "__main__.py":
        return ["python", "-m", "arena"]
    if shutil.which(script.name) or not script.is_file():
        return [script.name]
    return [paths.displayed(script)]
