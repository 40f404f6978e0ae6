"""`arena init`: a new workspace, copied from the one that comes with arena."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from arena import rulefile
from arena.errors import ArenaError

PARTS = ("tournament.toml", "rules", "bots", "results/README.md")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


def init(folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make; it may exist.")]) -> None:
    """Make a new workspace: a tournament.toml, rules and bots to start from."""
    source = rulefile.shipped().parent
    taken = [name for name in ("tournament.toml", "rules", "bots", "results") if (folder / name).exists()]
    if taken:
        raise ArenaError(f"{folder}: has {', '.join(taken)} already; name another folder, or move them away")
    try:
        for part in PARTS:
            _copy(source / part, folder / part)
    except OSError as error:
        raise ArenaError(f"{error.filename or folder}: {error.strerror}; name a folder that can be written") from error
    print(f"{folder} is a workspace now. Next:\n\n  cd {folder}\n  arena run\n  arena leaderboard")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT, symlinks=True)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
