"""The bots of a run as they were when it began.

Copies by digest in the event's folder: an edit during a run changes nothing until the next one, and what once played is
still there to look at. It owns the copies; what a bot is, roster/ knows.
"""

import shutil
from dataclasses import replace
from pathlib import Path

from arena import roster
from arena.errors import ArenaError
from arena.event import Event
from arena.match import Bot
from arena.sandbox.folder import LEFT_OUT


def taken(event: Event, folder: Path) -> Event:
    """The event with the files of its bots in `folder`; ArenaError for a bot that is edited at this very moment."""
    return replace(event, bots=tuple(_taken(bot, folder) for bot in event.bots))


def _taken(bot: Bot, folder: Path) -> Bot:
    if bot.files is None:
        return bot
    source = Path(bot.files)
    copy = folder / bot.digest / source.name
    try:
        if not copy.exists():
            _copy(source, copy)
    except OSError as error:
        raise ArenaError(f"{source}: cannot be copied to {folder}: {error}; run the same command again") from error
    if roster.from_path(copy, bot.name).digest != bot.digest:
        shutil.rmtree(copy.parent)
        raise ArenaError(f"{source}: was edited while it was read; run the same command again")
    return replace(bot, files=str(copy))


def _copy(source: Path, copy: Path) -> None:
    """Copy so that what stands under the final name is whole."""
    making = copy.parent.with_suffix(".part")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, making / source.name, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    else:
        shutil.copy(source, making)
    making.rename(copy.parent)
