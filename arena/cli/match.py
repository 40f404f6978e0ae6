"""`arena match`: play one match between named bots, and show it while it is played."""

import sys
import time
from typing import Annotated, Any, NoReturn

import typer

from arena.cli import match_text, options, output, seating, signals, stored_match, workspace
from arena.cli.live import terminal
from arena.cli.live.layout import Story
from arena.cli.live.viewer import LeftEarlyError, Playback, Viewer
from arena.errors import ArenaError
from arena.game import Game
from arena.games import rulebook
from arena.match import play
from arena.match.referee import Referee
from arena.replay.replayer import Replayer, scenes
from arena.sandbox.launcher import Launcher
from arena.values import Match


def match(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT...", help="Names or paths of bots, in role order; default with --from: the bots of that match."
        ),
    ] = None,
    board: Annotated[
        str | None, typer.Option("--board", "-b", help="A board: game/board, or its name; not with --from.")
    ] = None,
    from_match: options.FromMatch = None,
    turn: options.FromTurn = None,
    seed: Annotated[int, typer.Option(help="Fixes all chance.")] = 0,
    watch: Annotated[bool, typer.Option("--watch", help="Wait for a key, or for Enter, after each turn.")] = False,
    pace: Annotated[float, typer.Option(min=0.0, help="Seconds to wait after each turn that is printed.")] = 0.0,
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
    tournament = workspace.tournament(overrides | (seating.UNLIMITED if no_limits else {}))
    begun = stored_match.read_fork(from_match, turn)
    if begun is not None and board is not None:
        raise ArenaError(f"--board {board}: with --from the board is that of the match, {begun.board.label}")
    if begun is None and not (bots and board):
        raise ArenaError("name the bots and the board: arena match BOT... --board BOARD; or a match, by --from")
    chosen = begun.board if begun is not None else seating.board_named(board or "", "--board")
    named = [workspace.bot_named(bot) for bot in bots or ()]
    if begun is not None and not named:
        played = seating.bots_of(begun.record)
        named = [played[role] for role in chosen.roles]
    players = seating.assign_roles(
        chosen, chosen.roles, list(map(seating.without_limits, named)) if no_limits else named
    )
    opening = begun.moves if begun is not None else ()
    planned = seating.make_match(chosen, players, seed, workspace.conditions_here(tournament), opening)
    output.warn_about_confinement(planned.conditions)
    game = rulebook.game_of(planned)
    with signals.listening() as interrupt, _naming_launcher() if no_limits else Launcher() as launcher:
        interrupt.at_once()
        if json:
            record = play.play(planned, launcher=launcher)
            turns = [row for scene in scenes(game, record.turns) for row in match_text.turn_rows(planned, scene)]
            output.print_json([match_text.match_row(record) | {"turns": turns}])
        elif draw and terminal.is_usable():
            _show_on_screen(game, planned, launcher, watch=watch)
        else:
            _show_as_text(game, planned, launcher, draw=draw, watch=watch, pace=pace)
    if interrupt:
        raise typer.Exit(interrupt.code)


def _naming_launcher() -> Launcher:
    """Return a launcher that prints the process number of each bot, for a debugger."""

    class NamingLauncher(Launcher):
        def start(self, bot: Any, *args: Any, **options: Any) -> Any:
            child = super().start(bot, *args, **options)
            output.notice(f"{output.safe_line(bot.name)}: process {child.pid}")
            return child

    return NamingLauncher()


def _show_as_text(game: Game[Any], planned: Match, launcher: Launcher, *, draw: bool, watch: bool, pace: float) -> None:
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
    match_text.print_scene(game, planned, replayer.opening(), draw=draw)
    try:
        record = play.play(planned, launcher=launcher, observer=print_turns)
    except LeftEarlyError:
        left_early()
    for scene in replayer.go_on(record.turns):  # the referee plays the last turns when no bot is asked any more
        match_text.print_scene(game, planned, scene, draw=draw)
    print("\n".join(match_text.verdict(record)))


def _show_on_screen(game: Game[Any], planned: Match, launcher: Launcher, *, watch: bool) -> None:
    """Draw the match on the terminal as a moving picture; with `watch` a key plays each turn."""
    replayer = Replayer(game)
    story = Story(game, planned, match_text.names_of(planned), output.wants_colour(), [replayer.opening()])
    story.movers = game.to_move(game.start())

    def show_turns(referee: Referee) -> None:
        story.scenes += replayer.go_on(referee.turns)
        story.movers = game.to_move(referee.state)
        viewer.follow()
        viewer.run_until_next_turn()

    try:
        with terminal.full_screen() as screen:
            viewer = Viewer(screen, story, Playback(over=False, playing=not watch))
            viewer.draw()
            story.record = play.play(planned, launcher=launcher, observer=show_turns)
            story.scenes += replayer.go_on(story.record.turns)
            viewer.follow()
            viewer.run_until_left()
    except LeftEarlyError:
        if story.record is None:
            left_early()
    if story.record is not None:  # these lines stay on the terminal
        print(match_text.heading(planned))
        print(f"\n{match_text.drawing(game, list(scenes(game, story.record.turns))[-1])}\n")
        print("\n".join(match_text.verdict(story.record)))


def left_early() -> NoReturn:
    """End the command because the user left before the end of the match."""
    output.notice("left before its end; nothing is stored")
    raise typer.Exit(1)
