"""The workspace here: its tournament.toml and its bots.

Outside a workspace, those that come with arena.
"""

import atexit
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena import rulefile, system
from arena.author import named_bots
from arena.author.submissions.bot_store import BotStore, Version
from arena.display_names import bot_shown
from arena.errors import ArenaError, OptionError, PublicError, known_are
from arena.event import builds, discovery, service
from arena.event.discovery import names
from arena.event.service import Opener
from arena.game import Role
from arena.results import folders
from arena.sandbox import choice, cores, exposure
from arena.sandbox import folder as scratch
from arena.streams import notice
from arena.values import Board, Bot, Conditions, Event, Match, OpeningMoves, Openings

if TYPE_CHECKING:
    from arena.author.checkup.screening import Screening
    from arena.event.config import Tournament
    from arena.event.service import Opened

FEWEST_DIGITS = 6
"""The fewest digits of a digest that name a version. Tables print as many."""


def tournament(overrides: Mapping[str, object] | None = None) -> "Tournament":
    """Load the tournament.toml here, or the one that comes with arena."""
    from arena.event import config

    return config.load(_root() / folders.TOURNAMENT_FILE, overrides)


def conditions_here(tournament: "Tournament", *, by_hand: bool = False) -> Conditions:
    """Return the conditions of the file, at the level of confinement that works here."""
    conditions = tournament.conditions()
    return choice.resolved(
        conditions,
        unsafe=tournament.unsafe,
        by_hand=by_hand,
    )


def warn_about_confinement(conditions: Conditions) -> None:
    """Print a warning if the confinement of the bots leaves something open.

    Every command that starts bots does so.
    """
    warning = choice.warning(conditions)
    if warning is not None:
        notice(f"warning: {warning}")


def screening(
    tournament: "Tournament",
    boards: Iterable[str] = (),
    *,
    by_hand: bool = False,
) -> "Screening":
    """Return what bots have to pass here, on these boards or on those of the file.

    Warn of a weak confinement.
    """
    from arena.author.checkup.screening import Screening

    conditions = conditions_here(tournament, by_hand=by_hand)
    refuse_exposed((), conditions.sandbox)  # the organiser's mistake, and no fault of a bot
    warn_about_confinement(conditions)
    return Screening(
        conditions=conditions,
        build=partial(built, tournament, level=conditions.sandbox),
        boards=tuple(boards),
        events=tournament.boards,
        opened=tournament.openings.used,
        report=notice,
    )


def event_of(
    tournament: "Tournament",
    path: Path,
    bots: Sequence[str] = (),
    boards: Sequence[str] = (),
) -> tuple[Event, tuple[Bot, ...]]:
    """Return the event of the file at this path, and all its bots.

    The event has only the named bots and boards, if any are named.
    """
    workspace = path.parent
    try:
        entrants = named_bots.entrants(tournament, workspace)
        event = tournament.event(
            workspace,
            bots=bots,
            boards=boards,
            entrants=entrants,
            sampled_boards=folders.results_folder(workspace, folders.SAMPLED_BOARDS),
        )
        conditions = conditions_here(tournament)
        return replace(event, conditions=conditions), entrants
    except OptionError:
        raise
    except ArenaError as error:
        raise ArenaError(f"{path}: {error}") from error


def matches_at_once(tournament: "Tournament", event: Event) -> int:
    """Return how many matches of an event are played at a time here."""
    count = tournament.workers.count
    if count != "auto":
        return count
    most = cores.matches_at_once(event, len(system.cores()))
    for known in service.known().values():
        served = known.matches_at_once(tournament)
        most = max(most, served)  # most of them wait for the service
    return most


def services(tournament: "Tournament", home: Path) -> dict[str, Opener]:
    """Return by name what opens the services of a tournament.toml; `home` is its workspace."""
    return service.openers(tournament, home)


def forget_secrets(tournament: "Tournament") -> None:
    """Remove the secrets of services from this process, which plays matches and serves nobody."""
    for known in service.known().values():
        known.forget_secrets(tournament)


def asking(tournament: "Tournament") -> "AbstractContextManager[Opened]":
    """Have the services of the workspace here serve bots of single matches.

    ArenaError where one could not.
    """
    return service.asking(tournament, Path())


def own_tournament(overrides: dict[str, object] | None = None) -> "Tournament":
    """Load the tournament.toml here; ArenaError where there is none."""
    if not _exists():
        raise ArenaError(
            f"there is no {folders.TOURNAMENT_FILE} here; "
            "`arena init DIR` makes a workspace with one"
        )
    return tournament(overrides)


def _exists() -> bool:
    return Path(folders.TOURNAMENT_FILE).is_file()


def _root() -> Path:
    if _exists():
        return Path()
    return rulefile.shipped().parent


def bot_store(tournament: "Tournament") -> BotStore:
    """Return the bots folder of the workspace here, with its versions."""
    if tournament.bots is None:
        raise ArenaError(
            f"{folders.TOURNAMENT_FILE}: bots: names no folder to take bots into; "
            'write bots = "bots", and make that folder'
        )
    folder = Path(tournament.bots)
    if not folder.is_dir():
        raise ArenaError(
            f"{folders.TOURNAMENT_FILE}: bots: there is no folder {tournament.bots}; make it"
        )
    return BotStore(folder)


def version_numbers() -> dict[str, int]:
    """Return the version number of each digest that was submitted here.

    There are none outside a workspace.
    """
    if not _exists():
        return {}
    folder = tournament().bots
    if folder is None or not Path(folder).is_dir():
        return {}
    store = BotStore(Path(folder))
    numbers: dict[str, int] = {}
    for name in store.names():
        for version in store.versions(name):
            numbers[version.digest] = version.number
    return numbers


def entrants() -> tuple[Bot, ...]:
    """Return every bot of the workspace here, or of the one that comes with arena."""
    return named_bots.entrants(tournament(), _root())


def bot_named(name: str) -> Bot:
    """Return a bot by its path, or by its name in the workspace or in tables.

    `ada@1` is the first version of `ada`.
    """
    if not os.path.lexists(name):  # this does not raise when the name is too long for a file
        return entrant_named(bot_shown(name, entrants()))
    path = Path(name)
    stem = path.stem
    if path.is_dir():
        stem = path.absolute().name
    called = None
    if not discovery.may_be_called(stem):
        called = names.safe(stem)
    return discovery.from_path(path, called)


def entrant_named(name: str) -> Bot:
    """Return a bot by its name in the workspace.

    `ada@` and a number, or the first digits of a digest, are a version of it. The name is never
    taken for a path. So it may come from a record, which may come from anybody.
    """
    bots = {bot.name: bot for bot in entrants()}
    if name in bots:
        return bots[name]
    if "@" not in name:
        known = known_are(name, bots)
        raise ArenaError(f"there is no bot {name!r}; name a file, a folder, or a bot; {known}")
    bot, _, number_or_digits = name.rpartition("@")
    versions: Sequence[Version] = ()
    if discovery.may_be_called(bot):
        versions = bot_store(own_tournament()).versions(bot)
    matching = [version for version in versions if str(version.number) == number_or_digits]
    if not matching and len(number_or_digits) >= FEWEST_DIGITS:
        matching = [version for version in versions if version.digest.startswith(number_or_digits)]
    if len(matching) != 1:
        if versions:
            known = ", ".join(f"{bot}@{version.number}" for version in versions)
            hint = f"it has {known}"
        else:
            hint = f"no version of {bot!r} was submitted"
        raise ArenaError(f"there is no bot {name!r}: {hint}; `arena bots --versions` lists them")

    (version,) = matching
    program = discovery.from_path(version.path, bot)
    if program.digest != version.digest:
        raise ArenaError(
            f"{version.path}: was edited or damaged since it was submitted; submit that bot again"
        )
    return replace(program, name=f"{bot}@{version.number}")


def built(
    tournament: "Tournament",
    bots: Iterable[Bot],
    level: str,
) -> tuple[Bot, ...]:
    """Return the bots as they play here: entered, and built where they have a build command.

    Every bot that plays outside of an event comes this way. A workspace keeps what was built for
    the next time.
    """
    entered: list[Bot] = []
    for bot in bots:
        is_human = not bot.digest
        if is_human:
            entered.append(bot)
        else:
            entered.append(tournament.as_entered(bot))
    refuse_exposed(entered, level)
    if not any(discovery.build_of(bot) for bot in entered):
        return tuple(entered)
    if _exists():
        folder = folders.results_folder(Path(), folders.BUILDS)
    else:
        folder = temporary_folder()
    return builds.built(entered, folder, level)


def refuse_exposed(bots: Iterable[Bot], level: str) -> None:
    """Raise ArenaError if a bot could read the workspace here, or another bot's files."""
    workspaces: list[Path] = []
    if _exists():
        workspaces.append(Path())
    exposure.refuse_exposed(workspaces, bots, level)


@cache
def temporary_folder() -> Path:
    """Make a folder that is removed when this process ends.

    Outside a workspace nothing may be left behind.
    """
    folder, _lock = scratch.private()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def assign_roles(
    board: Board,
    roles: Sequence[Role],
    bots: Sequence[Bot],
) -> dict[Role, Bot]:
    """Return the bot of each role; the bots stand for each role, or for each side, in order."""
    sides = []
    for side in board.sides:
        members = [role for role in side if role in roles]
        if members:
            sides.append(members)
    players: dict[Role, Bot] = {}
    if len(bots) == len(roles):
        players = dict(zip(roles, bots, strict=True))
    elif len(bots) == len(sides):
        for members, bot in zip(sides, bots, strict=True):
            players |= dict.fromkeys(members, bot)
    else:
        raise PublicError(
            f"{board.label}: {len(bots)} bots named, but it is played by {' '.join(roles)}: "
            "name one bot for each"
        )
    for role, bot in players.items():
        if not bot.plays(board.game, board.name, role):
            raise PublicError(
                f"{bot.name} does not play {role} on {board.label}: its bot.toml says what it plays"
            )
    return players


def make_match(
    tournament: "Tournament",
    board: Board,
    players: Mapping[Role, Bot],
    seed: int | str,
    conditions: Conditions,
    opening: OpeningMoves = (),
) -> Match:
    """Return a match of these bots, as `built` returns them; it belongs to no stored event."""
    seated = [players[role] for role in board.roles]
    bots = built(tournament, seated, conditions.sandbox)
    openings = Openings()
    if opening:
        openings_of_board = (board.label, (opening,))
        openings = Openings(listed=(openings_of_board,))
    event = Event(
        name="match",
        seed=seed,
        boards=(board,),
        bots=bots,
        conditions=conditions,
        openings=openings,
    )
    return event.match(board, bots, 0)
