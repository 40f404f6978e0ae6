"""Who sits where in one match that is named on the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from arena.cli import known
from arena.errors import ArenaError
from arena.event import Board, Event
from arena.game import Role
from arena.match import Bot, Conditions, Limits, Match

UNLIMITED: dict[str, object] = {
    "time.start": "none",
    "time.move": "none",
    "time.clock": "wall",
    "freeze": False,
    **{f"limits.{one.name}": "none" for one in fields(Limits)},
    "limits.processes": 64,
}
"""What `--no-limits` changes: nothing runs out, and nothing stops a bot that a debugger holds."""


def one_board(words: str, option: str) -> Board:
    """The one board that the words mean."""
    from arena import rulebook

    found = rulebook.find(words, Path())
    if len(found) > 1:
        raise ArenaError(f"{option} {words}: one of {', '.join(board.label for board in found)}, please")
    return found[0]


def holders(board: Board, roles: Sequence[Role], bots: Sequence[Bot]) -> dict[Role, Bot]:
    """The bot of each of these roles: one was named for each role, or one for each side, or one for all."""
    sides = [held for side in board.sides if (held := [role for role in side if role in roles])]
    if len(bots) == len(roles):
        holder = dict(zip(roles, bots, strict=True))
    elif len(bots) == len(sides):
        holder = {role: bot for side, bot in zip(sides, bots, strict=True) for role in side}
    else:
        raise ArenaError(
            f"{board.label}: {len(bots)} bots named, but it is played by {' '.join(roles)}: name one bot for each"
        )
    for role, bot in holder.items():
        if not bot.plays(board.game, board.name, role):
            raise ArenaError(f"{bot.name} does not play {role} on {board.label}: its bot.toml says what it plays")
    return holder


def planned(board: Board, holder: Mapping[Role, Bot], seed: int, conditions: Conditions) -> Match:
    """The match of these bots; no event knows of it."""
    bots = known.ready((holder[role] for role in board.roles), conditions.sandbox)
    event = Event(name="match", seed=seed, boards=(board,), bots=bots, conditions=conditions)
    return event.match(board, bots, 0)


def unlimited(bot: Bot) -> Bot:
    """A bot without the limits that it set itself."""
    return replace(bot, limits=None)
