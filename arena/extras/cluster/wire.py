"""What travels between the driver and the machines, as bytes: files by digest, and work.

The files are the bots of an event and the rules of its boards. A machine keeps what it got until
its worker ends, so each content travels once. Bots travel as source; each machine builds those that
have a build command.

A machine has paths of its own for bots and rules, which it puts into the matches that it gets. So
the driver puts the very match that was given out into the record that comes back.
"""

import hashlib
import io
import pickle
import shutil
import tarfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena import rulefile
from arena.errors import ArenaError
from arena.event import bot_folder
from arena.event.director import Work
from arena.game import Role
from arena.games import boards, rulebook
from arena.values import Event, Seat

PROTOCOL = 5
MESSAGES_KEPT = {"distributed.admin.low-level-log-length": 10}
"""A setting of dask: how many of the last messages of a connection stay in memory, whole.

They are for dask's own developers. By default it is 1,000, and with a parcel in each the driver
grew by 60 MB. A scheduler that a user starts has the default, unless its environment says otherwise
(docs/extras/cluster.md).
"""


def packed_event(event: Event) -> tuple[Event, dict[str, bytes]]:
    """Return an event that names files by digest, and the contents by their digests.

    Its copied bots and its rules have the path `DIGEST/NAME`.
    """
    contents: dict[str, bytes] = {}

    def packed(name: str, files: Mapping[str, Path]) -> str:
        data = _tar(files)
        digest = hashlib.sha256(data).hexdigest()[:32]
        contents[digest] = data
        return f"{digest}/{name}"

    bots = []
    for bot in event.bots:
        if bot.files is not None:
            files = Path(bot.files)
            packed_path = packed(files.name, {files.name: files})
            bot = replace(bot, files=packed_path)
        bots.append(bot)

    rules = {}
    paths = [Path(board.rules) for board in event.boards]
    for path in dict.fromkeys(paths):
        # The worker's own arena has the files that were shipped with it: its admission compares
        # them.
        resolved = path.resolve()
        folder = resolved.parent
        sources = {file.resolve() for file in rulefile.sources(path)}
        sources.add(resolved)
        files_of_rules = {}
        for source in sorted(sources):
            if source.is_relative_to(folder):
                name = source.relative_to(folder)
                files_of_rules[str(name)] = source
        tables = path.with_suffix(".toml")
        if tables.exists():
            files_of_rules[f"{resolved.stem}.toml"] = tables
        rules[path] = packed(resolved.name, files_of_rules)
    boards = []
    for board in event.boards:
        packed_rules = rules[Path(board.rules)]
        boards.append(replace(board, rules=packed_rules))
    return replace(event, bots=tuple(bots), boards=tuple(boards)), contents


def unpack(folder: Path, digest: str, data: bytes) -> None:
    """Keep a content in this folder; OSError when that fails."""
    target = folder / digest
    if target.exists():
        return
    part = folder / f"{digest}.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            # As it was packed, with every mode: it comes from the driver, which may run anything
            # here. Python 3.11.2 has no argument `filter` yet, and later ones would change modes
            # without one.
            archive.extraction_filter = lambda member, _: member
            archive.extractall(part)  # noqa: S202
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def located(event: Event, folder: Path) -> Event:
    """Return an event of `packed` with its files where `unpack` put them.

    Raise ArenaError if one is not what it was.
    """
    located_boards = []
    for board in event.boards:
        path = folder / board.rules
        if board.sampled:  # the event has the boards, so the generator stays where it is
            here = boards.board_of(path, board.name, board.sampled)
        else:
            (here,) = rulebook.find(f"{path}/{board.name}")
        if here.digest != board.digest:
            raise ArenaError(
                f"{board.label}: its rules are another version there, though the files are the "
                "same: install the same "
                "version of arena on both machines"
            )
        located_boards.append(here)

    bots = []
    for bot in event.bots:
        if bot.files is not None:
            files = folder / bot.files
            if not bot_folder.is_whole(files, bot.digest):
                raise ArenaError(
                    f"{bot.name}: its files did not arrive as they are: look at the disk of that "
                    "machine"
                )
            bot = replace(bot, files=str(files))
        bots.append(bot)
    return replace(event, boards=tuple(located_boards), bots=tuple(bots))


def _tar(files: Mapping[str, Path]) -> bytes:
    """Return files and folders as a tar file that depends on names, modes, links and bytes only."""

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.mtime = 0
        info.uid = 0
        info.gid = 0
        info.uname = ""
        info.gname = ""
        return info

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, path in sorted(files.items()):
            archive.add(path, name, filter=plain)
    return data.getvalue()


def parcel(
    function: Callable[..., object],
    items: Sequence[Work],
    scale: float,
) -> bytes:
    """Pack a function and its work for a machine whose bots get `scale` times the time.

    The items have much in common: 500 of them take 12 kB instead of 476. That matters because
    dask's scheduler remembers messages (MESSAGES_KEPT).
    """
    packed = pickle.dumps((function, items, scale), PROTOCOL)
    return zlib.compress(packed, 1)


def unpacked(parcel: bytes, event: Event) -> tuple[Callable[..., object], list[Work]]:
    """Return the function and the work of a parcel, as this machine plays them.

    They have the bots and rules of this machine, and their time is scaled.
    """
    rules = {board.label: board.rules for board in event.boards}
    bots = {bot.name: bot for bot in event.bots}
    packed = zlib.decompress(parcel)
    # The driver of the parcel may run any program here.
    function, items, scale = pickle.loads(packed)  # noqa: S301

    works = []
    for work in items:
        seats: dict[Role, Seat] = {}
        for seat in work.match.seats:
            bot = bots[seat.bot.name]
            seats[seat.role] = Seat(seat.role, bot)
        match = replace(
            work.match,
            rules=rules[work.match.label],
            seats=tuple(seats.values()),
            conditions=work.match.conditions.scaled(scale),
        )
        called = work.called
        if called is not None:
            called = seats[called.role]
        works.append(replace(work, match=match, called=called))
    return function, works
