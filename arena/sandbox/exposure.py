"""Refuse to play where files that bots must not see lie in a folder that a bot may read.

A rule grants a folder with everything below it (`file_policy.py`). `toolchain.py` grants only the
parts of an interpreter's folder that bots need, so a workspace beside those parts stays private. A
workspace or TMPDIR inside such a part is refused here, before anything is played.
"""

import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from arena import rulefile
from arena.errors import ArenaError
from arena.sandbox import file_policy, levels, toolchain
from arena.values import Bot


def refuse_exposed(private: Iterable[Path], bots: Iterable[Bot], level: str) -> None:
    """Raise ArenaError when one of these private folders, or the files of a bot, lie in a folder that a bot may read.

    Bots that come with arena are no secret, and may lie among the packages of the interpreter.
    """
    if not levels.TABLE[level].confines:
        return  # nothing is hidden at all, and every run warns of that
    bots, known = tuple(bots), rulefile.shipped().parent / "bots"
    of_bots = [Path(bot.files) for bot in bots if bot.files is not None]
    # Each readable folder with the files of the bots that may read it. None = every Python bot.
    readers: dict[str, set[str | None]] = {path: {None} for path in toolchain.needs(sys.executable)}
    for bot in bots:
        # A person has none.
        for readable in toolchain.resolved(bot.command)[1] if bot.command else ():
            readers.setdefault(readable, set()).add(bot.files)
    for path in (*private, *(path for path in of_bots if not path.is_relative_to(known))):
        # A bot may read its own folder.
        readable_by_others = [
            readable for readable, files in readers.items() if files != {str(path)}
        ]
        if (folder := _enclosing(path, readable_by_others)) is not None:
            raise ArenaError(
                f"{path.resolve()}: lies in {folder}, which bots may read with everything in it, so they could read "
                "each other's files and the results: move the workspace, or the bot, elsewhere"
            )


@cache
def refuse_exposed_copies(folder: Path, readable: tuple[str, ...]) -> None:
    """Raise ArenaError when the private folder, with the copies of all bots, lies where a bot may read."""
    if (path := _enclosing(folder, readable)) is not None:
        raise ArenaError(
            f"TMPDIR: {folder.parent} lies in {path}, which bots may read with everything in it, so "
            "they could read the copies of each other's files there: set TMPDIR to a folder elsewhere"
        )


def _enclosing(path: Path, readable: Iterable[str]) -> str | None:
    """Return the first folder, of these and of those that every bot may read, in which a path lies, links followed."""
    real = os.path.realpath(path) + "/"
    folders = (*file_policy.PROGRAMS, *file_policy.SETTINGS, *file_policy.DEVICES, *readable)
    return next((folder for folder in folders if real.startswith(_real(folder))), None)


@cache
def _real(path: str) -> str:
    """Return a folder with links followed, with a slash at its end.

    Texts, because a thousand bots are compared.
    """
    return os.path.realpath(path).rstrip("/") + "/"
