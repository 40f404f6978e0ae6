"""Copy the bots of a run into the event's folder, as they are when the run begins.

An edit during a run changes nothing until the next run, and a bot that once played can be looked at later.
"""

from dataclasses import replace
from pathlib import Path

from arena.errors import ArenaError
from arena.event import bot_folder
from arena.sandbox.folder import LEFT_OUT
from arena.values import Bot, Event


def copy_bots(event: Event, folder: Path) -> Event:
    """Return the event with its bots' files in `folder`; ArenaError for a bot that somebody edits at this moment."""
    return replace(event, bots=tuple(_copy(bot, folder) for bot in event.bots))


def _copy(bot: Bot, folder: Path) -> Bot:
    if bot.files is None:
        return bot
    source = Path(bot.files)
    copy = folder / bot.digest / source.name
    try:
        if not bot_folder.is_whole(copy, bot.digest):
            with bot_folder.making(copy.parent) as part:
                part.mkdir()
                bot_folder.copy(source, part / source.name, LEFT_OUT)
                if not bot_folder.is_whole(part / source.name, bot.digest):
                    raise ArenaError(f"{source}: was edited while it was read; run the same command again")
    except OSError as error:
        raise ArenaError(f"{source}: cannot be copied to {folder}: {error}; run the same command again") from error
    return replace(bot, files=str(copy))
