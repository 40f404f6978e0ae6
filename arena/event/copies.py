"""Copy the bots of a run into the event's folder, as they are when the run begins.

An edit during a run changes nothing until the next run, and a bot that once played can be looked at later.
"""

# All bots are copied before the first match. To copy a bot only when its first match begins was rejected: somebody may
# edit it before that, and a long event would have to end in the middle, or play a bot that nobody entered. Hard links
# were rejected, too, because an edit in place would change the copy. What made a thousand copies slow was not to copy,
# but to put each of them on disk; so all are put on disk together.

from dataclasses import replace
from pathlib import Path

from arena import whole_files
from arena.errors import ArenaError
from arena.event import bot_folder
from arena.sandbox.folder import LEFT_OUT
from arena.values import Event


def copy_bots(event: Event, folder: Path) -> Event:
    """Return the event with its bots' files in `folder`; ArenaError for a bot that somebody edits at this moment."""
    # Bots with the same digest are the same files and the same command: the first one's copy serves all of them.
    sources = {bot.digest: Path(bot.files) for bot in reversed(event.bots) if bot.files is not None}
    copies = {digest: folder / digest / source.name for digest, source in sources.items()}
    missing = [digest for digest, copy in copies.items() if not bot_folder.is_whole(copy, digest)]
    if missing:
        part = folder / ".part"
        try:
            whole_files.make_folder(folder.parent, folder.name)
            bot_folder.remove(part)  # of a killed run
            part.mkdir()
            for digest in missing:
                _copy(sources[digest], part / digest, digest)
            for digest in missing:
                bot_folder.remove(folder / digest)  # damaged
            whole_files.publish_all({part / digest: folder / digest for digest in missing})
        except OSError as error:
            raise ArenaError(f"{folder}: cannot be written: {error}; run the same command again") from error
        finally:
            bot_folder.remove(part)
    bots = (bot if bot.files is None else replace(bot, files=str(copies[bot.digest])) for bot in event.bots)
    return replace(event, bots=tuple(bots))


def _copy(source: Path, folder: Path, digest: str) -> None:
    """Copy a bot into a new folder; ArenaError if it is not the bot of this digest."""
    try:
        folder.mkdir()
        bot_folder.copy(source, folder / source.name, LEFT_OUT)
    except OSError as error:
        raise ArenaError(f"{source}: cannot be copied to {folder}: {error}; run the same command again") from error
    if not bot_folder.is_whole(folder / source.name, digest):
        raise ArenaError(f"{source}: was edited while it was read; run the same command again")
