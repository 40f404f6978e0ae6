"""The copies of bots beside an archive, which another user may have made, and may exchange for links meanwhile."""

import os
from pathlib import Path

from arena import shared_folders
from arena.author.submissions.copy_untrusted import Allowance, copy_entry
from arena.errors import ArenaError
from arena.event import bot_folder

MOST_BYTES = 2_000_000_000
"""Of the bots of one archive."""
MOST_ENTRIES = 100_000
"""Files and folders of a bot that is played again; who submits a bot may have fewer."""


def copy(source: Path, digest: str, target: Path, allowance: Allowance) -> Path:
    """Copy the bot of this digest from the results `source` into the new folder `target`, and return its path.

    ArenaError or OSError if it is not that bot, or refused; then there may be a part of it.
    """
    with shared_folders.opened(source, "bots", digest) as folder:
        name, *others = os.listdir(folder) or [""]  # noqa: PTH208 (of a descriptor)
        if others or not name:
            raise ArenaError("it is not one bot")
        target.mkdir()
        copy_entry(folder, name, target / name, allowance)
    if not bot_folder.is_whole(target / name, digest):
        raise ArenaError("its files have another digest")
    return target / name
