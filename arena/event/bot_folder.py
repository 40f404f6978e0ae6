"""Keep a bot's files by digest: copied completely or not at all, and verified at each use.

Three stores keep bots, each where its user looks for them:

    bots/_versions/NAME/NUMBER/   every submitted version        (author/submissions/bot_store.py)
    results/.builds/DIGEST/       every bot with a build command (builds.py)
    results/EVENT/bots/DIGEST/    the bots as they played        (copy_bots)

They share these steps. A copy is made under a temporary name, put on disk, and only then renamed: a
power cut or a kill leaves the whole copy or no copy. The presence of a copy proves nothing: a disk
may fail, a user may edit it, and before this rule existed a power cut could empty it. So a copy is
hashed each time it is used, and made again when its digest differs. Hashing takes less than a
millisecond for most bots.

Rejected: hard links between the stores, because an edit in one of them would damage all; and one
store for the whole workspace, because a results folder must stay complete when somebody hands it to
another machine.

All bots of a run are copied before its first match, so that an edit changes nothing until the next
run, and a bot that once played can be looked at later. Rejected: copying a bot only when its first
match begins, because after an edit a long event would have to end in the middle, or play a bot that
nobody entered. A thousand copies would be slow if each waited for the disk separately, so all are
put on disk together.
"""

import contextlib
import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from arena import whole_files
from arena.errors import ArenaError
from arena.event import discovery
from arena.sandbox.copying import Copier
from arena.sandbox.folder import LEFT_OUT, discard
from arena.values import Event


def copy(source: Path, target: Path, leave_out: Collection[str] = ()) -> None:
    """Copy a bot, which is a file or a folder, to a path where nothing is.

    OSError for a pipe, for a device, or for a file that cannot be read.
    """
    # A bare file may be a link to its neighbour: its content is copied. In a folder links stay
    # links.
    if source.is_symlink() and not source.is_dir():
        source = source.resolve()
    Copier(leave_out=leave_out).copy(source, target)


def is_whole(path: Path, digest: str) -> bool:
    """Return whether the bot at this path has this digest."""
    try:
        return discovery.from_path(path, "copy").digest == digest
    except ArenaError:  # it is missing, or a power cut emptied its bot.toml
        return False


@contextlib.contextmanager
def making(target: Path, part: Path | None = None) -> Iterator[Path]:
    """Yield a path where the caller makes a folder, and rename that folder to `target` at the end.

    After an error, or when the caller made nothing, there is no `target`. `part` is the path to
    yield, on the same file system as `target`. The default for `part` stands beside `target`, so
    only one process at a time may make the same target.
    """
    part = part or target.with_suffix(".part")
    whole_files.make_folder(part.parent)
    try:
        remove(part)  # a killed process may have left it
        remove(target)  # it is damaged
        yield part
        if part.exists():
            whole_files.publish(part, target)
    finally:
        remove(part)


def remove(path: Path) -> None:
    """Remove a folder if it exists."""
    if os.path.lexists(path):
        discard(path)


def copy_bots(event: Event, folder: Path) -> Event:
    """Return the event with its bots' files in `folder`.

    ArenaError for a bot that somebody edits at this moment.
    """
    # Bots with the same digest have the same files and the same command: the copy of the first bot
    # serves all of them.
    sources: dict[str, Path] = {}
    copies: dict[str, Path] = {}
    bots = []
    for bot in event.bots:
        if bot.files is not None:
            source = sources.setdefault(bot.digest, Path(bot.files))
            files = folder / bot.digest / source.name
            copies[bot.digest] = files
            bot = replace(bot, files=str(files))
        bots.append(bot)

    missing = [digest for digest, path in copies.items() if not is_whole(path, digest)]
    if missing:
        part = folder / ".part"
        try:
            whole_files.make_folder(folder.parent, folder.name)
            remove(part)  # a killed run may have left it
            part.mkdir()
            for digest in missing:
                _copy(sources[digest], part / digest, digest)
            for digest in missing:
                remove(folder / digest)  # it is damaged, if it is there
            targets = {part / digest: folder / digest for digest in missing}
            whole_files.publish_all(targets)
        except OSError as error:
            raise ArenaError(
                f"{folder}: cannot be written: {error}; run the same command again"
            ) from error
        finally:
            remove(part)
    return replace(event, bots=tuple(bots))


def _copy(source: Path, folder: Path, digest: str) -> None:
    """Copy a bot into a new folder; ArenaError if the copy has another digest."""
    try:
        folder.mkdir(0o755)
        copy(source, folder / source.name, LEFT_OUT)
    except OSError as error:
        raise ArenaError(
            f"{source}: cannot be copied to {folder}: {error}; run the same command again"
        ) from error
    if not is_whole(folder / source.name, digest):
        raise ArenaError(f"{source}: was edited while it was read; run the same command again")
