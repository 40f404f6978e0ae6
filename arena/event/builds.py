"""Build the bots that have a build command, once for each digest.

`FOLDER/DIGEST/` is a whole bot: its source and the files that the build made. `FOLDER/DIGEST.built`
has a seal (seals.py) of all these files: the folder's name is the digest of the source only, and a
stranger's folder may bring other programs under it.
sandbox/building.py knows how a build is confined.
"""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from arena import seals, whole_files
from arena.errors import ArenaError, BotError, MachineError, writing
from arena.event import bot_folder, discovery
from arena.event.discovery.files import files_of, folder_digest
from arena.event.discovery.programs import RUN_PYTHON
from arena.match.bot import program_file
from arena.match.bot.postmortem import failed_build
from arena.protocol import clean
from arena.sandbox.building import BUILD_LIMITS, build
from arena.sandbox.launcher import Launcher
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot

PURPOSE = "built bot"
LARGEST_BYTES = 250_000_000
"""The size of a built bot: the output of a compiler is larger than any source."""
DEEPEST = 64
"""The depth of folders in folders."""
LONGEST_PATH = 1000
"""The bytes of a path within the bot. The path of its folder is added to it, and is another one on
each machine; the system's limit is 4095."""
LOG_LINES = 6
"""The number of lines of its log that a message shows."""
CURES = (
    (
        r"fatal error: ([\w./+-]+): No such file",
        (
            "the header {} is neither in the bot nor on this machine: "
            "hand in one folder with it and the source"
        ),
    ),
    (
        r"class (\w+) is public, should be declared in a file named (\w+\.java)",
        (
            "a public class has the name of its file: "
            "call the file {1}, or the class by its file's name"
        ),
    ),
    (
        r"package ([\w.]+) does not exist",
        "the library {} is neither in the bot nor on this machine: hand in its source",
    ),
    (
        r"undefined reference to `main'",
        "no source has a function `main`: hand in the file that has it",
    ),
    (
        r"(?:can't find crate for|unresolved import) `(\w+)`",
        "rustc alone has no crates, so {} is not there: do without it",
    ),
    (
        r"multiple definition of `main'",
        "several sources have a function `main`: hand in those of one program only",
    ),
    (
        r"\r'?: command not found|\\r': command not found",
        "its lines end with CR LF (Windows): save it with LF",
    ),
)
"""Patterns of messages of compilers, each with the advice to the author.

Only messages are listed whose cause is certain."""


def built(bots: Iterable[Bot], folder: Path, level: str) -> tuple[Bot, ...]:
    """Return the bots; those with a build command have the files that the build made.

    Built bots are kept in `folder`. `level` is the level of confinement, resolved. BotError for a
    build that fails.
    """
    return tuple(_built(bot, folder, level) for bot in bots)


def _built(bot: Bot, folder: Path, level: str) -> Bot:
    """Return a bot with the files of its build, which is made if it is not there."""
    command = discovery.build_of(bot)
    if not command:
        return bot
    target = folder / bot.digest
    if not _is_whole(target):
        # One process builds at a time. The lock ends with its process.
        with contextlib.ExitStack() as lock:
            with writing(folder):
                whole_files.make_folder(folder)
                lock.enter_context(whole_files.locked(folder / ".lock"))
            # Another process may have built it while this process waited for the lock.
            if not _is_whole(target):
                _build(bot, command, target, level)
    return replace(bot, files=str(target.absolute()))


def _is_whole(target: Path) -> bool:
    """Return whether a built bot is there, and still has the files that its build made."""
    if not target.is_dir():  # it would have the digest of an empty folder
        return False
    try:
        return whole_files.read_cache(_note(target)) == _seal(target, target)
    except (OSError, ArenaError):
        return False


def _note(target: Path) -> Path:
    """Return the file that holds the seal of a built bot."""
    return target.with_suffix(".built")


def _seal(target: Path, folder: Path) -> bytes:
    """Return the seal, in hex, of the files in `folder` as the built bot `target`."""
    digest = folder_digest((), folder)
    content = f"{target.name} {digest}"
    seal = seals.seal(PURPOSE, content.encode("ascii"))
    return seal.hex().encode("ascii")


def _build(
    bot: Bot,
    command: tuple[str, ...],
    target: Path,
    level: str,
) -> None:
    """Build a bot, and keep the result under its final name; ArenaError when that fails."""
    program, *arguments = command
    if program != PYTHON and "/" not in program and shutil.which(program) is None:
        raise BotError(
            f"{bot.name}: its build needs {clean(program)!r}, which is not on this machine: "
            "ask the organiser to install it (`arena doctor` lists languages), "
            "or hand in a bot in another language",
            bot=bot.name,
            public=f"{bot.name}: its build needs what is not on this machine",
        )
    with Launcher() as launcher:
        try:
            with bot_folder.making(target) as part:
                build_command = (_compiler(program), *arguments)
                result = build(launcher, bot, build_command, level, part)
                failure = failed_build(result, BUILD_LIMITS)
                log = result.output
                if failure:
                    bot_folder.remove(part)  # so that nothing is published
                else:
                    _refuse_excess(part)
                    whole_files.write(_note(target), _seal(target, part))
        except MachineError:  # nobody's fault
            raise
        except (OSError, ArenaError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or error
            failure = f"what it made cannot be kept: {reason}"
            log = b""

    if failure:
        output = "".join(f"\n  {line}" for line in last_lines(log))
        cure = _cure(bot, command, log.decode("utf-8", "replace"))
        public = f"{bot.name}: its build failed"
        written = clean(_as_written(command))
        message = f"{public}: {written}: {clean(failure)}{output}{cure}"
        raise BotError(message, bot=bot.name, public=public)


def _cure(bot: Bot, command: tuple[str, ...], log: str) -> str:
    """Return the advice to the author of a failed build, as one more line.

    Return an empty text where the cause is not certain.
    """
    reason = program_file.explanation(replace(bot, command=command))
    if reason is not None:
        return f"\n-> {reason.words}: {reason.cure}"
    for pattern, cure in CURES:
        match = re.search(pattern, log)
        if match is not None:
            names = map(clean, match.groups())
            advice = cure.format(*names)
            return f"\n-> {advice}"
    return ""


def _as_written(command: tuple[str, ...]) -> str:
    """Return a build command as its author wrote it: `python` stands for arena's interpreter."""
    length = len(RUN_PYTHON)
    if command[:length] == RUN_PYTHON:
        command = ("python", *command[length:])
    return " ".join(command)


def last_lines(output: bytes) -> list[str]:
    """Return the last lines that a build, or an agent, printed; without control characters."""
    lines = output.decode("utf-8", "replace").splitlines()
    filled = [line for line in lines if line.strip()]
    return list(map(clean, filled[-LOG_LINES:]))


def _refuse_excess(folder: Path) -> None:
    """Raise ArenaError for a built bot that is too large or too deep, or has a link that leaves it.

    A stranger's build command made it, so it is no more trusted than the stranger's source.
    """
    for root, folders, names in os.walk(folder):
        subfolder = Path(root).relative_to(folder)
        if len(subfolder.parts) > DEEPEST:
            raise ArenaError(f"folders more than {DEEPEST} deep")
        longest_name = LONGEST_PATH - len(os.fsencode(subfolder)) - 1
        for name in folders + names:
            if len(os.fsencode(name)) > longest_name:
                raise ArenaError(f"a path of more than {LONGEST_PATH} bytes")

    size = sum(path.lstat().st_size for _, path in files_of(folder))
    if size > LARGEST_BYTES:
        megabytes = LARGEST_BYTES // 1_000_000
        raise ArenaError(f"more than {megabytes} MB; remove what the bot does not need")


def _compiler(program: str) -> str:
    """Return the program that rustup's shim would run, or `program` itself if it is no shim.

    The shim looks for its toolchains in the user's home folder, and a build has another one.
    """
    shim = shutil.which(program)
    if shim is None or Path(shim).resolve().name != "rustup":
        return program
    rustup = Path(shim).with_name("rustup")
    command = [str(rustup), "which", program]
    try:
        completed = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return program  # its own message will say what is wrong
    return completed.stdout.strip() or program
