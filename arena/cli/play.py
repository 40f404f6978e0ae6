"""`arena play`: a person in one or more seats of a match, bots in the others. Nothing is stored."""

import random
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena import workspace
from arena.cli import match_text, options, stored_match, writers
from arena.cli.live import terminal
from arena.cli.live.human_seat import ScreenSeat, TextSeat
from arena.cli.match import board_named, bots_of, playing
from arena.errors import ArenaError
from arena.game import Role
from arena.games import rulebook
from arena.match.human import HUMAN
from arena.replay.fork import Fork
from arena.replay.replayer import Replayer, Scene
from arena.values import Board, Bot, Match, OpeningMoves, Record

if TYPE_CHECKING:
    from arena.event.config import Tournament


def play(
    board: Annotated[
        str | None, typer.Argument(metavar="BOARD", help="The board; not with --from.")
    ] = None,
    roles: Annotated[
        list[str] | None, typer.Argument(metavar="ROLE...", help="The roles that you play.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            metavar="BOT",
            help="A bot for each of the other roles, in role order, or one for all.",
        ),
    ] = None,
    from_match: options.FromMatch = None,
    turn: options.FromTurn = None,
    seed: Annotated[
        int | None, typer.Option(help="Fixes all chance; default: another one each time.")
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
) -> None:
    """Play a role yourself, by arrow keys or typed moves, against bots.

    You have no clock, and nothing is stored.

    With --from you take over a role of a recorded match, by default the one that moves next.
    """
    own_roles = tuple(dict.fromkeys(roles or ()))
    begun = stored_match.read_fork(from_match, turn)
    if begun is not None:
        chosen = begun.board
        if board is None:
            own_roles = (begun.next_role,)
        else:  # with --from the first word is a role, too
            own_roles = (board, *own_roles)
    elif board is not None:
        chosen = board_named(board, "BOARD")
    else:
        raise ArenaError("name a board and your role: arena play BOARD ROLE; or a match, by --from")

    overrides = options.overrides(sandbox=sandbox, unsafe=unsafe)
    tournament = workspace.tournament(overrides)
    if seed is None:
        seed = int(time.time())
    planned = _plan(chosen, own_roles, against or (), seed, tournament, begun)
    workspace.warn_about_confinement(planned.conditions)
    writers.warn([chosen])
    with playing(), workspace.asking(tournament) as services:
        _play(planned, services)


def _plan(
    board: Board,
    own_roles: tuple[Role, ...],
    against: Sequence[str],
    seed: int,
    tournament: "Tournament",
    begun: Fork | None,
) -> Match:
    """Return the match: the person in the roles `own_roles`, the named bots in the others.

    Where none are named, these are the bots of the match that is forked, or one bot drawn by the
    seed.
    """
    if not own_roles:
        raise ArenaError(f"{board.label}: name what you play: {' or '.join(board.roles)}")
    for role in own_roles:
        if role not in board.roles:
            raise ArenaError(
                f"{board.label} has no role {role!r}: it is played by {' '.join(board.roles)}"
            )
    bot_roles = tuple(role for role in board.roles if role not in own_roles)
    if against and not bot_roles:
        raise ArenaError(
            f"--against {' '.join(against)}: you play every role of {board.label} yourself"
        )

    conditions = workspace.conditions_here(tournament, by_hand=True)
    bots = [workspace.bot_named(name) for name in against]
    if begun is not None and not bots:
        bots = bots_of(begun.record, bot_roles)
    elif bot_roles and not bots:
        bots = [_drawn_bot(board, bot_roles, tournament, seed)]
    if len(bots) == 1:
        bots *= len(bot_roles)

    players = dict.fromkeys(own_roles, HUMAN)
    players |= workspace.assign_roles(board, bot_roles, bots)
    opening: OpeningMoves = ()
    if begun is not None:
        opening = begun.moves
    return workspace.make_match(tournament, board, players, seed, conditions, opening)


def _drawn_bot(
    board: Board,
    roles: Sequence[Role],
    tournament: "Tournament",
    seed: int,
) -> Bot:
    """Return a bot of the workspace that plays all of these roles, drawn by the seed."""
    able: list[Bot] = []
    for bot in workspace.entrants():
        plays_roles = all(bot.plays(board.game, board.name, role) for role in roles)
        if plays_roles and not tournament.left_out(bot):
            able.append(bot)
    if not able:
        raise ArenaError(
            f"no bot here plays {' and '.join(roles)} on {board.label}: name some by --against"
        )
    return random.Random(seed).choice(able)


def _play(planned: Match, services: Mapping[str, object]) -> None:
    """Play on a terminal by keys, elsewhere by lines; then print how the match ended."""
    from arena.match.play import play

    game = rulebook.game_of(planned)
    if terminal.is_usable():
        with terminal.full_screen() as screen:
            seat = ScreenSeat(screen, game, planned)
            record = play(
                planned,
                choose=seat.choose,
                observer=seat.watch,
                services=services,
            )
            seat.look_back(record)
    else:
        lines = TextSeat(game, planned)
        record = play(
            planned,
            choose=lines.choose,
            observer=lines.watch,
            services=services,
        )

    print(match_text.heading(planned))
    own_roles = [seat.role for seat in planned.seats if seat.bot == HUMAN]
    visible = _last_scene(Replayer(game, own_roles[0]), record)
    complete = _last_scene(Replayer(game), record)
    if complete.facts != visible.facts:  # the match is over: the person may see what was hidden
        print(f"\n{match_text.drawing(game, complete)}\n")
    print("\n".join(match_text.verdict(record)))


def _last_scene(replayer: Replayer, record: Record) -> Scene:
    """Return the state in which a match ended."""
    last = replayer.opening
    for scene in replayer.go_on(record.turns):
        last = scene
    return last
