"""`arena match`: play one match between named bots, and show it while it is played."""

import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from arena import signals, workspace
from arena.cli import match_text, options, output, stored_match, writers
from arena.cli.live import terminal
from arena.cli.live.layout import Story
from arena.cli.live.viewer import LeftEarlyError, Playback, Viewer
from arena.errors import ArenaError
from arena.game import Game, Role
from arena.games import rulebook
from arena.match import play
from arena.match.referee import Referee
from arena.replay.replayer import Replayer, scenes
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Limits, Match, OpeningMoves, Record

UNLIMITED: dict[str, object] = {
    "time.start": "none",
    "time.move": "none",
    "time.clock": "wall",
    "freeze": False,
    **{f"limits.{field.name}": "none" for field in fields(Limits)},
    "limits.processes": 64,
}
"""The settings of `--no-limits`: nothing stops a bot that a debugger holds."""


def match(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT...",
            help=(
                "Names or paths of bots, in role order; default with --from: the bots of that "
                "match."
            ),
        ),
    ] = None,
    board: Annotated[
        str | None,
        typer.Option("--board", "-b", metavar="BOARD", help="The board; not with --from."),
    ] = None,
    from_match: options.FromMatch = None,
    turn: options.FromTurn = None,
    seed: Annotated[int, typer.Option(help="Fixes all chance.")] = 0,
    watch: Annotated[
        bool, typer.Option("--watch", help="Wait for a key, or for Enter, after each turn.")
    ] = False,
    pace: Annotated[
        float, typer.Option(min=0.0, help="Seconds to wait after each turn that is printed.")
    ] = 0.0,
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="No clock, no limits, no freezing: for a debugger.")
    ] = False,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    draw: options.Draw = True,
    json: options.Json = False,
) -> None:
    """Play one match between named bots, and show it turn by turn. Nothing is stored.

    With --from it goes on from a turn of a recorded match.
    """
    overrides = options.overrides(sandbox=sandbox, unsafe=unsafe)
    if no_limits:
        overrides |= UNLIMITED
    tournament = workspace.tournament(overrides)
    if no_limits:  # those of its [[bot]] tables, too
        tables = [table.model_copy(update={"processes": None}) for table in tournament.bot]
        tournament = tournament.model_copy(update={"bot": tuple(tables)})

    begun = stored_match.read_fork(from_match, turn)
    opening: OpeningMoves = ()
    if begun is not None:
        if board is not None:
            raise ArenaError(
                f"--board {board}: with --from the board is that of the match, {begun.board.label}"
            )
        chosen = begun.board
        opening = begun.moves
    elif bots and board:
        chosen = board_named(board, "--board")
    else:
        raise ArenaError(
            "name the bots and the board: arena match BOT... --board BOARD; or a match, by --from"
        )

    named = [workspace.bot_named(bot) for bot in bots or ()]
    if begun is not None and not named:
        named = bots_of(begun.record, chosen.roles)
    if no_limits:
        named = [replace(bot, limits=None) for bot in named]

    players = workspace.assign_roles(chosen, chosen.roles, named)
    conditions = workspace.conditions_here(tournament, by_hand=True)
    planned = workspace.make_match(
        tournament,
        chosen,
        players,
        seed,
        conditions,
        opening,
    )
    workspace.warn_about_confinement(planned.conditions)
    writers.warn([chosen])
    game = rulebook.game_of(planned)
    opened: type[Launcher] = Launcher
    if no_limits:
        opened = NamingLauncher
    with playing(), workspace.asking(tournament) as services, opened() as launcher:
        if json:
            record = play.play(planned, launcher=launcher, services=services)
            output.print_json([_row(game, record)])
        elif draw and terminal.is_usable():
            _show_on_screen(game, planned, launcher, services, watch=watch)
        else:
            _show_as_text(
                game,
                planned,
                launcher,
                services,
                draw=draw,
                watch=watch,
                pace=pace,
            )


def _row(game: Game[Any], record: Record) -> dict[str, object]:
    """Return a match with its turns as JSON values."""
    turns: list[dict[str, object]] = []
    for scene in scenes(game, record.turns):
        turns += match_text.turn_rows(record.match, scene)
    row = match_text.match_row(record)
    row["turns"] = turns
    return row


@contextmanager
def playing() -> Iterator[None]:
    """Let a signal, or the user who leaves before the end of a match, end the command."""
    with signals.listening() as interrupt, interrupt.aborting():
        try:
            yield
        except LeftEarlyError as error:
            output.notice("left before its end; nothing is stored")
            raise typer.Exit(1) from error
    if interrupt:
        raise typer.Exit(interrupt.code)


class NamingLauncher(Launcher):
    """Prints the process number of each bot, for a debugger."""

    def start(self, bot: Any, *args: Any, **options: Any) -> Any:
        """Part of `Launcher`."""
        child = super().start(bot, *args, **options)
        output.notice(f"{output.safe_line(bot.name)}: process {child.pid}")
        return child


def _show_as_text(
    game: Game[Any],
    planned: Match,
    launcher: Launcher,
    services: Mapping[str, object],
    *,
    draw: bool,
    watch: bool,
    pace: float,
) -> None:
    """Print the lines of each turn when it is played."""
    replayer = Replayer(game)

    def print_turns(referee: Referee) -> None:
        for scene in replayer.go_on(referee.turns):
            match_text.print_scene(game, planned, scene, draw=draw)
            sys.stdout.flush()
            time.sleep(pace)
            if watch and not match_text.goes_on():
                raise LeftEarlyError

    print(match_text.heading(planned))
    match_text.print_scene(game, planned, replayer.opening, draw=draw)
    record = play.play(
        planned,
        launcher=launcher,
        observer=print_turns,
        services=services,
    )
    # The referee plays the last turns when no bot is asked any more.
    for scene in replayer.go_on(record.turns):
        match_text.print_scene(game, planned, scene, draw=draw)
    print("\n".join(match_text.verdict(record)))


def _show_on_screen(
    game: Game[Any],
    planned: Match,
    launcher: Launcher,
    services: Mapping[str, object],
    *,
    watch: bool,
) -> None:
    """Draw the match on the terminal as a moving picture; with `watch` a key plays each turn."""
    replayer = Replayer(game)
    story = Story(
        game=game,
        match=planned,
        names=match_text.names_of(planned),
        colour=output.wants_colour(),
        scenes=[replayer.opening],
        movers=game.to_move(game.start()),
    )

    def show_turns(referee: Referee) -> None:
        story.scenes += replayer.go_on(referee.turns)
        story.movers = game.to_move(referee.state)
        viewer.follow()
        viewer.run_until_next_turn()

    playback = Playback(over=False, playing=not watch)
    with terminal.full_screen() as screen:
        viewer = Viewer(screen, story, playback)
        viewer.draw()
        record = play.play(
            planned,
            launcher=launcher,
            observer=show_turns,
            services=services,
        )
        story.record = record
        story.scenes += replayer.go_on(record.turns)
        viewer.follow()
        viewer.run_until_left()
    # These lines stay on the terminal.
    print(match_text.heading(planned))
    print(f"\n{match_text.drawing(game, story.scenes[-1])}\n")
    print("\n".join(match_text.verdict(record)))


def board_named(name: str, option: str) -> Board:
    """Return the board of this name; ArenaError, which names the option, when several have it."""
    boards = rulebook.find(name, Path())
    if len(boards) > 1:
        labels = ", ".join(board.label for board in boards)
        raise ArenaError(f"{option} {name}: name one of {labels}")
    return boards[0]


def bots_of(record: Record, roles: Collection[Role]) -> list[Bot]:
    """Return the bots that played these roles of a match, as they are now."""
    bots: list[Bot] = []
    for seat in record.match.seats:
        if seat.role in roles:
            bots.append(workspace.entrant_named(seat.bot.name))
    return bots
