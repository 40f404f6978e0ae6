"""What is known here: the workspace's tournament, or the one that comes with arena, and its bots by name."""

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli import places
from arena.errors import ArenaError, known_are
from arena.match import Bot

if TYPE_CHECKING:
    from arena.config import Tournament


def tournament(changed: Mapping[str, object] | None = None) -> "Tournament":
    """The tournament.toml here, or the one that comes with arena."""
    from arena import config, rulefile

    here = Path(places.FILE)
    return config.load(here if here.is_file() else rulefile.shipped().parent / places.FILE, changed)


def entrants() -> tuple[Bot, ...]:
    """Every bot of the workspace here, or of the one that comes with arena."""
    from arena import rulefile

    return tournament().entrants(Path() if Path(places.FILE).is_file() else rulefile.shipped().parent)


def ready(bots: Iterable[Bot], level: str) -> tuple[Bot, ...]:
    """The bots, built where they have a build command; in a workspace what was built is kept for the next time."""
    from arena import builds, roster

    wanted = tuple(bots)
    if not any(roster.said_of(bot).build for bot in wanted):
        return wanted
    return builds.built(wanted, places.builds_folder(Path()) if Path(places.FILE).is_file() else _passing(), level)


@cache
def _passing() -> Path:
    """A folder that ends with this process: where there is no workspace, nothing is left."""
    folder = Path(tempfile.mkdtemp(prefix="arena-builds-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def bot_named(words: str) -> Bot:
    """A bot by its path, or by its name in the workspace."""
    from arena import roster

    if Path(words).exists():
        return roster.from_path(Path(words))
    bots = {bot.name: bot for bot in entrants()}
    if words in bots:
        return bots[words]
    raise ArenaError(f"there is no bot {words!r}; name a file, a folder, or a bot; {known_are(words, bots)}")
