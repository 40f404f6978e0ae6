"""What `ada@1..ada@9` and `history/1..history/9` mean: versions in order of time.

It finds bots, and knows no search.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena import workspace
from arena.errors import ArenaError
from arena.event import discovery
from arena.values import Bot

BETWEEN = re.compile(r"(?<=[^/.])\.\.(?=.)")
"""The dots of a range; those of a path such as `../ada` stand behind nothing, a dot or a slash."""
FEWEST = 2


@dataclass(frozen=True)
class BotVersion:
    """A version of a bot that may be the culprit."""

    bot: Bot
    path: Path
    """Its file or folder."""


@dataclass(frozen=True)
class VersionRange:
    """The versions of a range, the oldest first."""

    versions: tuple[BotVersion, ...]
    omissions: tuple[str, ...] = ()
    """Why others are left out, a line each."""


def history_of(text: str) -> VersionRange:
    """Return the versions of a range; ArenaError if it is none, or has less than two versions."""
    dots = BETWEEN.search(text)
    if dots is None:
        raise ArenaError(f"--bisect {text}: name the oldest and the newest version: ada@1..ada@9")
    first = text[: dots.start()]
    last = text[dots.end() :]
    if os.path.lexists(first) and os.path.lexists(last):  # no error if a name is too long
        paths_by_name = _of_paths(text, Path(first), Path(last))
    else:
        paths_by_name = _of_submissions(text, first, last)
    versions: list[BotVersion] = []
    omissions: list[str] = []
    for name, path in paths_by_name:
        try:
            version = BotVersion(workspace.bot_named(name), path)
        except ArenaError as error:
            omissions.append(f"{name} is left out: {error}")
            continue
        if versions and versions[-1].bot.digest == version.bot.digest:
            omissions.append(f"{name} is left out: it is the version before it, file by file")
        else:
            versions.append(version)
    if len(versions) < FEWEST:
        lines = [f"--bisect {text}: needs two versions"]
        lines += omissions
        raise ArenaError("\n".join(lines))
    if versions[0].bot.digest == versions[-1].bot.digest:
        raise ArenaError(f"--bisect {text}: both ends are the same bot, file by file")
    return VersionRange(tuple(versions), tuple(omissions))


def _of_submissions(
    text: str,
    first: str,
    last: str,
) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of the submitted versions of a bot between two of them."""
    oldest = workspace.entrant_named(first).name
    newest = workspace.entrant_named(last).name
    bot, at, low = oldest.rpartition("@")
    other, _, high = newest.rpartition("@")
    if not at or bot != other:
        raise ArenaError(
            f"--bisect {text}: name two versions of one bot, such as ada@1..ada@9; "
            "`arena bots --versions` lists them"
        )
    _refuse_order(text, int(low) < int(high))
    store = workspace.bot_store(workspace.own_tournament())
    for version in store.versions(bot):
        if int(low) <= version.number <= int(high):
            yield f"{bot}@{version.number}", version.path


def _of_paths(
    text: str,
    first: Path,
    last: Path,
) -> Iterator[tuple[str, Path]]:
    """Yield the bots of a folder between two of them, by the numbers in their names."""
    folder = first.absolute().parent
    if folder != last.absolute().parent:
        raise ArenaError(f"--bisect {text}: both must be in one folder, with the versions between")
    try:
        paths = list(folder.iterdir())
    except OSError as error:
        raise ArenaError(f"--bisect {text}: {folder}: {error.strerror}") from error
    entries = [path for path in paths if not discovery.is_skipped(path.name)]
    entries.sort(key=lambda path: _by_numbers(path.name))
    names = [path.name for path in entries]
    if first.name not in names or last.name not in names:
        raise ArenaError(f"--bisect {text}: name the files or folders of two bots")
    low = names.index(first.name)
    high = names.index(last.name)
    _refuse_order(text, low < high)
    for path in entries[low : high + 1]:
        yield str(path), path


def _refuse_order(text: str, is_right: bool) -> None:
    if not is_right:
        raise ArenaError(f"--bisect {text}: name the older version first")


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """Return a key by which `v10` comes behind `v9`."""
    key: list[tuple[int, str]] = []
    for part in re.findall(r"\d+|\D+", name):
        if part.isdecimal():
            key.append((int(part), ""))
        else:
            key.append((-1, part))
    return key
