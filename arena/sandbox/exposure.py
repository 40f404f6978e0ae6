"""Refuse to play where files that bots must not see lie in a folder that a bot may read.

A rule grants a folder with everything below it (`file_policy.py`). `toolchain.py` grants only the
parts of an interpreter's folder that bots need, so a workspace beside those parts stays private. A
workspace or TMPDIR inside such a part is refused here, before anything is played.
"""

import ctypes
import itertools
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from arena import rulefile, system
from arena.errors import ArenaError
from arena.sandbox import file_policy, levels, toolchain
from arena.values import Bot


def refuse_exposed(
    private: Iterable[Path],
    bots: Iterable[Bot],
    level: str,
) -> None:
    """Raise ArenaError when private folders, or files of bots, lie in a folder that a bot may read.

    Bots that come with arena are no secret, and may lie among the packages of the interpreter.
    """
    if not levels.TABLE[level].confines:
        return  # nothing is hidden at all, and every run warns of that
    bots = tuple(bots)
    shipped_bots = rulefile.shipped().parent / "bots"
    secret_bots = []
    for bot in bots:
        if bot.files is None:
            continue
        files_of_bot = Path(bot.files)
        if not files_of_bot.is_relative_to(shipped_bots):
            secret_bots.append(files_of_bot)

    readers = _readers(bots)
    for path in itertools.chain(private, secret_bots):
        owner = {str(path)}  # a bot may read its own folder
        readable_by_others = [folder for folder, files in readers.items() if files != owner]
        folder = _enclosing(path, readable_by_others)
        if folder is not None:
            raise ArenaError(
                f"{path.resolve()}: lies in {folder}, which bots may read with everything in it, "
                "so they could read each other's files and the results: move the workspace, or "
                "the bot, elsewhere"
            )


def _readers(bots: Iterable[Bot]) -> dict[str, set[str | None]]:
    """Return each folder that bots may read, with the files of these bots; None is every bot."""
    readers: dict[str, set[str | None]] = {}
    for path in toolchain.needs(sys.executable):
        readers[path] = {None}
    for bot in bots:
        if not bot.command:  # a person has none
            continue
        _, readable = toolchain.resolved(bot.command)
        for path in readable:
            files_of_readers = readers.setdefault(path, set())
            files_of_readers.add(bot.files)
    return readers


@cache
def refuse_exposed_copies(folder: Path, readable: tuple[str, ...]) -> None:
    """Raise ArenaError when the folder with the copies of all bots lies where a bot may read."""
    path = _enclosing(folder, readable)
    if path is not None:
        raise ArenaError(
            f"TMPDIR: {folder.parent} lies in {path}, which bots may read with everything in it, "
            "so they could read the copies of each other's files there: set TMPDIR to a folder "
            "elsewhere"
        )


def _enclosing(path: Path, readable: Iterable[str]) -> str | None:
    """Return the first folder that bots may read in which a path lies, links followed; else None.

    Bots may read these folders, and those that every bot may read.
    """
    real = os.path.realpath(path) + "/"
    public = file_policy.PROGRAMS + file_policy.SETTINGS + file_policy.DEVICES
    for folder in itertools.chain(public, readable):
        if real.startswith(_real(folder)):
            return folder
    return None


@cache
def _real(path: str) -> str:
    """Return a folder with links followed, with a slash at its end.

    Folders are texts here, because a thousand bots are compared.
    """
    return os.path.realpath(path).rstrip("/") + "/"


def forget(variable: str) -> None:
    """Remove a variable from this process.

    It is removed also from the memory that process lists show of it and of its forks.
    """
    if os.environ.pop(variable, None) is None or not system.LINUX:
        return
    with open("/proc/self/stat") as file:
        _, _, fields = file.read().rpartition(")")
    env_start, env_end = fields.split()[47:49]  # proc_pid_stat(5)
    begin = int(env_start)
    end = int(env_end)
    text = b"\0" + ctypes.string_at(begin, end - begin)
    name = b"\0" + os.fsencode(variable) + b"="
    at = text.find(name)
    if at >= 0:
        value = at + len(name)
        length = text.index(b"\0", value) - value
        ctypes.memset(begin + value - 1, ord("x"), length)
