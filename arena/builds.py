"""The bots that have a build command, built: once for each digest, and kept.

It owns the folder of what was built: `DIGEST/` is a whole bot, its files with what the build made of them. How a build
is confined, sandbox/building.py knows.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from arena import roster
from arena.errors import ArenaError
from arena.match import Bot
from arena.protocol import clean
from arena.roster.files import files_of
from arena.sandbox.building import build
from arena.sandbox.door import Door
from arena.sandbox.folder import discard

BYTES = 250_000_000
"""That a built bot may have."""
DEPTH = 64
LINES = 6
"""Of what the compiler said, the last ones that are shown."""


def built(bots: Iterable[Bot], folder: Path, level: str) -> tuple[Bot, ...]:
    """The bots, those with a build command with their files as built; ArenaError for one whose build fails.

    `folder` keeps what is built; `level` is the level of confinement, resolved.
    """
    return tuple(_built(bot, folder, level) for bot in bots)


def _built(bot: Bot, folder: Path, level: str) -> Bot:
    said = roster.said_of(bot)
    if not said.build:
        return bot
    target = folder / bot.digest
    if not target.exists():
        with _alone(folder):
            if not target.exists():  # nobody built it while we waited
                _build(bot, said.build, target, level)
    return replace(bot, files=str(target.absolute()))


def _build(bot: Bot, command: tuple[str, ...], target: Path, level: str) -> None:
    """What stands under the final name is whole: it is moved there when all is done."""
    making = target.with_suffix(".part")
    _remove(making)  # of a build that was killed
    with Door() as door:
        try:
            done = build(door, bot, (_compiler(command[0]), *command[1:]), level, making)
            failure, log = done.failure, done.said
            if not failure:
                _judge(making)
                making.rename(target)
        except (OSError, shutil.Error, ArenaError, RecursionError) as error:
            failure, log = f"what it made cannot be kept: {error}", ""
    if failure:
        _remove(making)
        lines = [clean(line) for line in log.splitlines() if line.strip()][-LINES:]
        said = "".join(f"\n  {line}" for line in lines)
        raise ArenaError(f"{bot.name}: its build failed: {clean(' '.join(command))}: {clean(failure)}{said}")


def _judge(folder: Path) -> None:
    """What a build made is a stranger's too: no link that leaves, nothing but files, not too much or too deep."""
    for root, _, _ in os.walk(folder):
        if len(Path(root).relative_to(folder).parts) > DEPTH:
            raise ArenaError(f"folders more than {DEPTH} deep")
    if sum(path.lstat().st_size for _, path in files_of(folder)) > BYTES:
        raise ArenaError(f"more than {BYTES // 1_000_000} MB; remove what the bot does not need")


def _remove(making: Path) -> None:
    if making.exists():
        discard(making)


def _compiler(program: str) -> str:
    """Where rustup's own shim leads to: it looks into the home folder, and a build has another one."""
    found = shutil.which(program)
    if found is None or Path(found).resolve().name != "rustup":
        return program
    rustup = str(Path(found).with_name("rustup"))
    try:
        where = subprocess.run([rustup, "which", program], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return program  # it will say itself what is wrong with it
    return where or program


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One build at a time in this folder, whoever asks; the lock ends with its process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise ArenaError(f"{folder}: cannot be written: {error.strerror}; builds are kept there") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
