"""A commitment: digests of everything that decides an event, published before its first match.

When the seed is published after the event, anybody can compute the digests again from the files. A
secret seed is hidden by its digest until then. Ids and short digests are made for honest files:
with much work somebody can make another bot that has the same one. So all digests here are whole
SHA-256.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path

from pydantic import BaseModel, JsonValue

from arena import file_formats, rulefile, shared_folders
from arena.errors import ArenaError
from arena.event import discovery
from arena.event.discovery.files import digest_of, folder_digest
from arena.games import boards, rulebook
from arena.identity import digest_of as values_digest
from arena.identity import file_digest, plain, stated
from arena.results.folders import COMMITMENT_FILE
from arena.values import DISGUISED, Board, Bot, Event
from arena.version import __version__

MOST_BYTES = 10_000_000
WHOLE = 64
"""The hex digits of a SHA-256."""
NOT_SETTINGS = ("seed", "boards", "bots", "conditions", "openings")
BOT_SETTINGS = (
    "display",
    "games",
    "roles",
    "limits",
    "threads",
    "processes",
    "model",
    "model_alias",
)
"""The values of a bot in the event, beside its files."""


class Commitment(BaseModel):
    """The digests and settings that are published before an event."""

    format: int
    """The number of the rules by which the digests are made."""
    arena: str
    """The version of arena that wrote it."""
    seed: str
    settings: dict[str, JsonValue]
    conditions: dict[str, JsonValue]
    boards: dict[str, str]
    """The digest of each `game/board`."""
    bots: dict[str, str]
    """The digest of the files and the BOT_SETTINGS of each bot, by its name."""

    @property
    def digest(self) -> str:
        """The digest of the whole commitment."""
        return values_digest(self.model_dump(), length=WHOLE)


def commitment(event: Event, files: Mapping[str, Path]) -> Commitment:
    """Return the commitment of an event whose rules are trusted; `files` are the bots by name."""
    names: list[str] = []
    for field in fields(event):
        if field.name not in NOT_SETTINGS:
            names.append(field.name)
    settings = stated(event, names)
    settings["openings"] = (event.openings.plies, event.openings.listed)
    settings["boards"] = [board.label for board in event.boards]  # in the order of play
    board_digests: dict[str, str] = {}
    for board in event.boards:
        board_digests[board.label] = _board_digest(board)
    bot_digests: dict[str, str] = {}
    for bot in event.bots:
        path = files[bot.name]
        bot_digests[bot.name] = _bot_digest(bot, path)
    values = {
        "format": file_formats.COMMITMENT.number,
        "arena": __version__,
        "seed": values_digest("the seed of an event", event.seed, length=WHOLE),
        "settings": settings,
        "conditions": plain(event.conditions),
        "boards": board_digests,
        "bots": bot_digests,
    }
    text = json.dumps(values)
    return Commitment.model_validate_json(text)  # tuples are lists, as in the file


class UnreadableError(Exception):
    """The file is no commitment that this arena can read; its text says why."""


def read(folder: Path) -> Commitment:
    """Return the commitment in a folder of results.

    Raise UnreadableError, or ArenaError if there is none.
    """
    try:
        table = json.loads(shared_folders.read(folder / COMMITMENT_FILE, MOST_BYTES))
        reason = file_formats.COMMITMENT.refusal(_format_of(table))
        if reason is not None:
            raise UnreadableError(f"{COMMITMENT_FILE}: its format {reason}")
        return Commitment.model_validate(table)
    except FileNotFoundError:
        raise ArenaError(
            f"{folder}: has no {COMMITMENT_FILE}; `arena commit` writes it before an event"
        ) from None
    except (OSError, ValueError, RecursionError):
        raise UnreadableError(f"{COMMITMENT_FILE}: is not as `arena commit` writes it") from None


def problems(
    published: Commitment,
    event: Event,
    digest: str | None,
    copies: Mapping[str, Path],
    refused: Mapping[str, str],
) -> Iterator[str]:
    """Yield the differences of an event from its commitment, by the rules known here.

    `copies` has a whole copy of each bot by its digest, and `refused` the reason why there is none.
    """
    if digest is not None and digest.lower() != published.digest:
        yield f"{COMMITMENT_FILE}: its digest is {published.digest}, and another one was published"
    names = [bot.name for bot in event.bots]
    if names != sorted(set(names)):
        yield "its bots are not each there once, in order of name"
    files: dict[str, Path] = {}
    trusted: list[Board] = []
    for bot in event.bots:
        if bot.digest in copies:
            files[bot.name] = copies[bot.digest]
        else:
            published.bots.pop(bot.name, None)
            why = refused.get(bot.digest, "there is none")
            yield f"bot {bot.name}: the results have no whole copy of it: {why}"
    for board in event.boards:
        try:
            known_board = rulebook.of_record(board)
            trusted.append(replace(board, rules=known_board.rules))
        except ArenaError as error:
            yield f"board {board.label}: its rules cannot be had: {error}"
    bots = tuple(bot for bot in event.bots if bot.name in files)
    known = replace(event, boards=tuple(trusted), bots=bots)
    computed = commitment(known, files)
    yield from differences(published, computed)
    for board in trusted:
        if board.sampled and not _is_drawn_by(event.seed, board):
            yield f"board {board.label}: was not drawn by the seed"


def _is_drawn_by(seed: int | str, board: Board) -> bool:
    """Return whether a seed draws the variants of a sampled board.

    Keys of matches are checked with their plan.
    """
    count = len(board.sampled)
    try:
        board_sample = boards.sampled_board(Path(board.rules), board.name, count, seed)
    except ArenaError:  # such as a hostile number of variants
        return False
    return board_sample.sampled == board.sampled


def _format_of(table: object) -> object:
    """Return the format of a commitment, as JSON; 1 for JSON that is no commitment."""
    if not isinstance(table, dict):
        return 1
    if "format" in table:
        return table["format"]
    older = Commitment.model_fields.keys() - {"format"}
    if older <= table.keys():
        return 0
    return 1


def differences(published: Commitment, computed: Commitment) -> Iterator[str]:
    """Yield the differences between a commitment and another, made of the files after the event."""
    if published.seed != computed.seed:
        yield "the seed is not the one that was committed"
    yield from _changed_values(published.settings, computed.settings)
    yield from _changed_values(published.conditions, computed.conditions)
    yield from _changed_digests("board", published.boards, computed.boards)
    yield from _changed_digests("bot", published.bots, computed.bots)


def _changed_values(
    published: Mapping[str, JsonValue], computed: Mapping[str, JsonValue]
) -> Iterator[str]:
    """Yield the settings that are not as they were committed."""
    for name in {**published, **computed}:
        then = published.get(name)
        now = computed.get(name)
        if then != now:
            yield f"{name}: {json.dumps(then)} was committed, and the event has {json.dumps(now)}"


def _changed_digests(
    noun: str,
    published: Mapping[str, str],
    computed: Mapping[str, str],
) -> Iterator[str]:
    """Yield the boards or the bots that are not as they were committed."""
    for name in {**published, **computed}:
        if name not in computed:
            yield f"{noun} {name} was committed, and is not in the event"
        elif name not in published:
            yield f"{noun} {name} is in the event, and was not committed"
        elif published[name] != computed[name]:
            yield f"{noun} {name} is not as it was committed"


def _board_digest(board: Board) -> str:
    """Return the digest of a board and its rules."""
    path = Path(board.rules)
    rules: list[tuple[str, str]] = []
    for name, source in rulefile.named_sources(path).items():
        digest = file_digest(source)
        rules.append((name, digest))
    name_in_rules = board.name.removesuffix(DISGUISED)
    boards = board.sampled or rulefile.parameters_on(path, name_in_rules)
    return values_digest(
        board.roles,
        board.sides,
        boards,
        rules,
        length=WHOLE,
    )


def _bot_digest(bot: Bot, path: Path) -> str:
    """Return the digest of the files of a bot and of its BOT_SETTINGS."""
    program = discovery.from_path(path, bot.name)
    if path.is_dir():
        files = folder_digest(program.command, path, WHOLE)
    else:
        files = digest_of(program.command, [(path.name, path)], WHOLE)
    settings = stated(bot, BOT_SETTINGS)
    settings["limits"] = bot.limits and plain(bot.limits)
    is_remote = bool(bot.remote)
    return values_digest(files, settings, is_remote, length=WHOLE)
