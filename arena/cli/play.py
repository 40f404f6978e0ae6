"""`arena play`: a person in one or more seats of a match, bots in the others. Nothing is stored."""

import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import known, options, screen, seating, signals, telling
from arena.cli.live import terminal
from arena.errors import ArenaError
from arena.event import Board
from arena.game import Role
from arena.match import Bot, Conditions, Match, Record

if TYPE_CHECKING:
    from arena.people import Choose, Watch

    Play = tuple[Choose, Watch]


def play(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A board: game/board, or its name.")],
    roles: Annotated[
        list[str] | None, typer.Argument(metavar="ROLE...", help="What you play: one role, or several.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against", "-a", metavar="BOT", help="Who plays the other roles, in role order, or all of them."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Fixes every draw; default: another one each time.")] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
) -> None:
    """Play a role yourself, by arrow keys or typed moves, against bots. You have no clock; nothing is stored."""
    one = seating.one_board(board, "BOARD")
    changed = options.overrides((), sandbox=sandbox, unsafe=unsafe or None)
    drawn = int(time.time()) if seed is None else seed
    conditions = known.tournament(changed).conditions()
    planned = _planned(one, tuple(dict.fromkeys(roles or ())), against or (), drawn, conditions)
    screen.warn_of(planned.conditions.sandbox)
    with signals.listening() as stop:
        stop.at_once()
        _play(planned)
    if stop:
        raise typer.Exit(stop.code)


def _planned(one: Board, mine: tuple[Role, ...], against: Sequence[str], seed: int, conditions: Conditions) -> Match:
    from arena.people import PERSON

    if not mine:
        raise ArenaError(f"{one.label}: name what you play: {' or '.join(one.roles)}")
    for role in mine:
        if role not in one.roles:
            raise ArenaError(f"{one.label} has no role {role!r}: it is played by {' '.join(one.roles)}")
    others = tuple(role for role in one.roles if role not in mine)
    bots = [known.bot_named(word) for word in against] or _opponents(one, others, seed)
    holder = dict.fromkeys(mine, PERSON)
    if others:
        wide = [bots[0]] * len(others) if len(bots) == 1 else bots
        holder |= seating.holders(one, others, wide)
    elif against:
        raise ArenaError(f"--against {' '.join(against)}: you play every role of {one.label} yourself")
    return seating.planned(one, holder, seed, conditions)


def _opponents(one: Board, roles: Sequence[Role], seed: int) -> list[Bot]:
    """A bot that plays all of these roles, another one with another seed."""
    if not roles:
        return []
    able = [bot for bot in known.entrants() if all(bot.plays(one.game, one.name, role) for role in roles)]
    if not able:
        raise ArenaError(f"no bot here plays {' and '.join(roles)} on {one.label}: name some by --against")
    return [random.Random(seed).choice(able)]


def _play(planned: Match) -> None:
    """On a terminal by keys, else by lines; then say how it ended."""
    from arena import people, rulebook
    from arena.cli.live.lines import Lines
    from arena.cli.live.table import Table
    from arena.cli.live.viewer import LeftEarlyError

    game = rulebook.game_of(planned)
    record: Record | None = None
    try:
        if terminal.able():
            with terminal.taken() as ours:
                table = Table(ours, game, planned, colour=screen.colourful())
                record = people.play(planned, table.choose, table.watch)
                table.look_back(record)
        else:
            lines = Lines(game, planned)
            record = people.play(planned, lines.choose, lines.watch)
    except LeftEarlyError:
        pass
    if record is None:
        screen.notice("left before its end; nothing is stored")
        raise typer.Exit(1)
    print(telling.heading(planned))
    print("\n".join(telling.verdict(record)))
