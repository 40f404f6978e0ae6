"""A recorded match, its game, its dialogue, and the copies of its bots."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena import shared_folders
from arena.author.submissions.copy_untrusted import Allowance, ExcessError, copy_entry
from arena.cli import paths
from arena.errors import ArenaError
from arena.event import bot_folder
from arena.event.discovery.files import DIGEST
from arena.game import Game, Role
from arena.games import rulebook
from arena.replay.fork import Fork, forked
from arena.replay.reconstruct import Retraced, confirmed, disagreements, retrace
from arena.values import Board, Match, Record


def load_record(name: str) -> Record:
    """Return the record of the match that `name` names: `ID`, `EVENT/ID`, their digits, a file."""
    from arena.results.archive import Archive

    if is_file(name):
        return read_record(Path(name))
    folder = paths.event_folder(event_of(name))
    with Archive.open(folder, writing=False) as archive:
        try:
            return archive.record(name.rpartition("/")[2])
        except ArenaError:
            if "/" in name:
                raise
            named_folder = paths.results_folder(Path(), name)
            if not (named_folder / paths.EVENT_FILE).is_file():
                raise
            raise ArenaError(
                f"{name}: this is an event and no match; `arena replay {name}/` lists its matches"
            ) from None


def event_of(name: str) -> str | None:
    """Return the event that the name of a match begins with; None stands for the one here."""
    if is_file(name):
        return None
    event = name.rpartition("/")[0]
    return event or None


def is_file(name: str) -> bool:
    """Return True when the name of a match names a file."""
    if "." in name.rpartition("/")[2]:  # an id has no dot
        return True
    return "/" in name and Path(name).is_file()


def read_fork(name: str | None, turn: int | None) -> Fork | None:
    """Return the fork that `--from` and `--turn` name; None when they name none."""
    if name is None:
        if turn is not None:
            raise ArenaError("--turn: name the match too, by --from MATCH")
        return None
    if turn is None:
        raise ArenaError(f"--from {name}: name the turn too, by --turn N; 0 is the start")
    record = load_record(name)
    return forked(record, board_of(record.match), turn)


def read_record(path: Path) -> Record:
    """Return the match in a file of `arena export --match`.

    ArenaError unless the rules known here confirm it.
    """
    from arena.replay import notation

    record = notation.read(path)
    try:
        return confirmed(record, board_of(record.match))
    except ArenaError as error:
        raise ArenaError(f"{path}: {error}") from error


def game_of(match: Match) -> Game[Any]:
    """Return the game that a match was played by, from the rules that are known here."""
    return rulebook.game_of(board_of(match))


def board_of(match: Match) -> Board:
    """Return the board that a match was played on, from the rules that are known here."""
    from arena.event import config  # slow to import

    return config.board_of(match, paths.tournament_file(None))


def rules_paths() -> list[str]:
    """Return the paths of rules that a record may choose from here."""
    from arena.event import config  # slow to import

    paths_here = [str(file) for file in rulebook.rules_files(Path())]
    return paths_here + list(config.named_rules(paths.tournament_file(None)))


def confirmed_game(record: Record) -> Game[Any]:
    """Return the game of anybody's record; ArenaError when it contradicts the rules."""
    game = game_of(record.match)
    for disagreement in disagreements(game, record):
        raise ArenaError(
            f"match {record.match.id} does not agree with the rules: {disagreement}; `arena "
            "verify` tells more"
        )
    return game


def dialogue_of(record: Record) -> Retraced:
    """Return the dialogue of a recorded match; ArenaError when it contradicts the rules."""
    return retrace(confirmed_game(record), record)


def roles_of(record: Record, role: str | None) -> tuple[Role, ...]:
    """Return the roles that `--role` names; None = all."""
    roles = tuple(seat.role for seat in record.match.seats)
    if role is None:
        return roles
    if role not in roles:
        raise ArenaError(f"--role {role}: match {record.match.id} has the roles {', '.join(roles)}")
    return (role,)


MOST_BOT_BYTES = 2_000_000_000
"""The most bytes of the bots of one archive; each may be larger than a submission."""
MOST_BOT_ENTRIES = 500_000
"""The most files and folders of these bots: an empty one takes a block of a disk, too."""


def copy_bots(
    source: Path,
    digests: Iterable[str],
    target: Path,
) -> tuple[dict[str, Path], dict[str, str]]:
    """Copy the bots of these digests from the results `source` into `target`, once each.

    Return the copies, and for what reason others were refused; a bot that is not there is in
    neither. ArenaError where they are more than one archive may have.
    """
    allowance = Allowance(
        size=MOST_BOT_BYTES,
        entries=MOST_BOT_ENTRIES,
        left_out=(),
    )
    copies: dict[str, Path] = {}
    refused: dict[str, str] = {}
    for digest in digests:
        copy = target / digest
        if not DIGEST.fullmatch(digest) or copy.exists():
            continue
        try:
            copies[digest] = copy_bot(source, digest, copy, allowance)
        except FileNotFoundError:
            pass
        except ExcessError as error:
            most = f"{MOST_BOT_BYTES // 1_000_000} MB, or {MOST_BOT_ENTRIES} files,"
            raise ArenaError(
                f"{source / 'bots'}: has more than {most} of bots; move some away"
            ) from error
        except ArenaError as error:
            refused[digest] = str(error)
            bot_folder.remove(copy)
        except OSError as error:
            refused[digest] = str(error.strerror)
            bot_folder.remove(copy)
    return copies, refused


def copy_bot(
    source: Path,
    digest: str,
    target: Path,
    allowance: Allowance,
) -> Path:
    """Copy the bot of this digest from the results `source` to `target`, and return its path.

    ArenaError or OSError if it is not that bot, or refused; then there may be a part of it.
    """
    with shared_folders.opened(source, "bots", digest) as folder:
        names = os.listdir(folder)  # noqa: PTH208 (of a descriptor)
        if len(names) != 1:
            raise ArenaError("it is not one bot")
        (name,) = names
        target.mkdir()
        copy = target / name
        copy_entry(folder, name, copy, allowance)
    if not bot_folder.is_whole(copy, digest):
        raise ArenaError("its files have another digest")
    return copy
