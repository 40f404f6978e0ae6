"""One match that a command line names: its board, its bots in their roles, and its conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from arena.cli import workspace
from arena.errors import ArenaError
from arena.game import Role
from arena.games import rulebook
from arena.values import Board, Bot, Conditions, Event, Limits, Match, OpeningMoves, Openings, Record

UNLIMITED: dict[str, object] = {
    "time.start": "none",
    "time.move": "none",
    "time.clock": "wall",
    "freeze": False,
    **{f"limits.{field.name}": "none" for field in fields(Limits)},
    "limits.processes": 64,
}
"""The settings of `--no-limits`: nothing runs out, and nothing stops a bot that a debugger holds."""


def board_named(name: str, option: str) -> Board:
    """Return the board of this name; ArenaError, which names the option, when several have it."""
    boards = rulebook.find(name, Path())
    if len(boards) > 1:
        raise ArenaError(f"{option} {name}: name one of {', '.join(board.label for board in boards)}")
    return boards[0]


def bots_of(record: Record) -> dict[Role, Bot]:
    """Return the bots that played a match, as they are now, by role."""
    return {seat.role: workspace.entrant_named(seat.bot.name) for seat in record.match.seats}


def assign_roles(board: Board, roles: Sequence[Role], bots: Sequence[Bot]) -> dict[Role, Bot]:
    """Return the bot of each role; the bots stand for each role, or for each side, in order."""
    sides = [members for side in board.sides if (members := [role for role in side if role in roles])]
    if len(bots) == len(roles):
        players = dict(zip(roles, bots, strict=True))
    elif len(bots) == len(sides):
        players = {role: bot for side, bot in zip(sides, bots, strict=True) for role in side}
    else:
        raise ArenaError(
            f"{board.label}: {len(bots)} bots named, but it is played by {' '.join(roles)}: name one bot for each"
        )
    for role, bot in players.items():
        if not bot.plays(board.game, board.name, role):
            raise ArenaError(f"{bot.name} does not play {role} on {board.label}: its bot.toml says what it plays")
    return players


def make_match(
    board: Board, players: Mapping[Role, Bot], seed: int, conditions: Conditions, opening: OpeningMoves = ()
) -> Match:
    """Return a match of these bots, built where they have a build command; it belongs to no stored event."""
    bots = workspace.built((players[role] for role in board.roles), conditions.sandbox)
    listed = Openings(listed=((board.label, (opening,)),)) if opening else Openings()
    event = Event(name="match", seed=seed, boards=(board,), bots=bots, conditions=conditions, openings=listed)
    return event.match(board, bots, 0)


def without_limits(bot: Bot) -> Bot:
    """Return the bot without the limits that its bot.toml sets."""
    return replace(bot, limits=None)
