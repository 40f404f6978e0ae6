"""Keep a bot's files by digest: copied completely or not at all, and verified whenever they are used.

Three stores keep bots, each where its user looks for them:

    bots/_versions/NAME/NUMBER/   every version that was submitted   (author/submissions/bot_store.py)
    results/.builds/DIGEST/       every bot with a build command      (builds.py)
    results/EVENT/bots/DIGEST/    the bots as they played             (copy_bots)

They share these steps. A copy is made under another name, put on disk, and only then renamed to its
own: a power cut or a kill leaves the whole copy or none. Nobody trusts a copy because it is there:
a disk may fail, a user may edit it, and before this rule existed a power cut could empty it. So it
is hashed each time it is used, and made again when its digest is another one. Hashing costs less
than a millisecond for most bots.

Rejected: hard links between the stores, because an edit in one of them would damage all; and one
store for the whole workspace, because a results folder must stay complete when somebody hands it to
another machine.

All bots of a run are copied before its first match, so that an edit changes nothing until the next
run, and a bot that once played can be looked at later. To copy a bot only when its first match
begins was rejected: a long event would have to end in the middle, or play a bot that nobody
entered. A thousand copies would be slow if each waited for the disk by itself, so all are put on
disk together.
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
    """Copy a bot, a file or a folder, to a free name; OSError for a pipe, a device, or what cannot be read."""
    # A bare file may be a link to its neighbour: its content is copied. In a folder links stay
    # links.
    content = source.resolve() if source.is_symlink() and not source.is_dir() else source
    Copier(leave_out=leave_out).copy(content, target)


def is_whole(path: Path, digest: str) -> bool:
    """Return whether the bot at this path has this digest."""
    try:
        return discovery.from_path(path, "copy").digest == digest
    except ArenaError:  # it is missing, or a power cut emptied its bot.toml
        return False


@contextlib.contextmanager
def making(target: Path, part: Path | None = None) -> Iterator[Path]:
    """Yield a free path, where the caller makes a folder; give that folder the name `target` at the end of the `with`.

    After an error, or when the caller made nothing, there is no `target`. `part` is the path to
    yield, on the same file system as `target`; the default stands beside it, so only one process at
    a time may make the same target.
    """
    part = part or target.with_suffix(".part")
    whole_files.make_folder(part.parent)
    try:
        for leftover in (part, target):  # of a killed process; or damaged
            remove(leftover)
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
    """Return the event with its bots' files in `folder`; ArenaError for a bot that somebody edits at this moment."""
    # Bots with the same digest are the same files and the same command: the first one's copy serves
    # all of them.
    sources = {bot.digest: Path(bot.files) for bot in reversed(event.bots) if bot.files is not None}
    copies = {digest: folder / digest / source.name for digest, source in sources.items()}
    missing = [digest for digest, path in copies.items() if not is_whole(path, digest)]
    if missing:
        part = folder / ".part"
        try:
            whole_files.make_folder(folder.parent, folder.name)
            remove(part)  # of a killed run
            part.mkdir()
            for digest in missing:
                _copy(sources[digest], part / digest, digest)
            for digest in missing:
                remove(folder / digest)  # damaged
            whole_files.publish_all({part / digest: folder / digest for digest in missing})
        except OSError as error:
            raise ArenaError(
                f"{folder}: cannot be written: {error}; run the same command again"
            ) from error
        finally:
            remove(part)
    bots = (
        bot if bot.files is None else replace(bot, files=str(copies[bot.digest]))
        for bot in event.bots
    )
    return replace(event, bots=tuple(bots))


def _copy(source: Path, folder: Path, digest: str) -> None:
    try:
        folder.mkdir(0o755)
        copy(source, folder / source.name, LEFT_OUT)
    except OSError as error:
        raise ArenaError(
            f"{source}: cannot be copied to {folder}: {error}; run the same command again"
        ) from error
    if not is_whole(folder / source.name, digest):
        raise ArenaError(f"{source}: was edited while it was read; run the same command again")
