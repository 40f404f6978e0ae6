"""`arena match`: one match between bots that are named, shown while it is played."""

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import known, options, screen, seating, signals, telling
from arena.cli.live import terminal
from arena.game import Game
from arena.match import Match, Record
from arena.scenes import Retelling, scenes

if TYPE_CHECKING:
    from arena.cli.doors import TellingDoor
    from arena.referee import Referee


def match(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="Names or paths of bots, in role order.")],
    board: Annotated[str, typer.Option("--board", "-b", help="A board: game/board, or its name.")],
    seed: Annotated[int, typer.Option(help="Fixes every draw.")] = 0,
    watch: Annotated[bool, typer.Option("--watch", help="Wait for a key, or for Enter, after each turn.")] = False,
    pace: Annotated[float, typer.Option(min=0.0, help="Seconds to wait after each turn that is printed.")] = 0.0,
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="No clock, no limits, no freezing: for a debugger.")
    ] = False,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    draw: Annotated[bool, typer.Option("--draw/--no-draw", help="Draw the board, or print the moves only.")] = True,
    json: options.Json = False,
) -> None:
    """Play one match between named bots, and show it turn by turn. Nothing is stored."""
    from arena import rulebook
    from arena.cli.doors import TellingDoor

    changed = options.overrides((), sandbox=sandbox, unsafe=unsafe or None)
    wanted = known.tournament(changed | (seating.UNLIMITED if no_limits else {}))
    one = seating.one_board(board, "--board")
    named = [known.bot_named(word) for word in bots]
    holder = seating.holders(one, one.roles, [seating.unlimited(bot) for bot in named] if no_limits else named)
    planned = seating.planned(one, holder, seed, wanted.conditions())
    screen.warn_of(planned.conditions.sandbox)
    game = rulebook.game_of(planned)
    with signals.listening() as stop, TellingDoor(told=no_limits) as door:
        stop.at_once()
        if json:
            _as_json(game, planned, door)
        elif draw and terminal.able():
            _on_the_screen(game, planned, door, watch=watch)
        else:
            _as_text(game, planned, door, draw=draw, watch=watch, pace=pace)
    if stop:
        raise typer.Exit(stop.code)


def _as_json(game: Game[Any], planned: Match, door: "TellingDoor") -> None:
    from arena import play

    record = play.play(planned, door=door)
    turns = [row for scene in scenes(game, record.turns) for row in telling.turn_rows(planned, scene)]
    screen.print_json([telling.row(record) | {"turns": turns}])


def _as_text(game: Game[Any], planned: Match, door: "TellingDoor", *, draw: bool, watch: bool, pace: float) -> None:
    """Each turn as lines, when it is played."""
    from arena import play
    from arena.cli.live.viewer import LeftEarlyError

    retelling = Retelling(game)

    def tell(referee: "Referee") -> None:
        for scene in retelling.go_on(referee.turns):
            telling.show(game, planned, scene, draw=draw)
            sys.stdout.flush()
            time.sleep(pace)
            if watch and not telling.enter():
                raise LeftEarlyError

    print(telling.heading(planned))
    telling.show(game, planned, retelling.opening(), draw=draw)
    try:
        record = play.play(planned, door=door, watch=tell)
    except LeftEarlyError:
        _left()
    for scene in retelling.go_on(record.turns):  # what the referee played at the end, when nobody was asked any more
        telling.show(game, planned, scene, draw=draw)
    print("\n".join(telling.verdict(record)))


def _on_the_screen(game: Game[Any], planned: Match, door: "TellingDoor", *, watch: bool) -> None:
    """As a picture that moves; with `watch` a turn is played when it is asked for."""
    from arena import play
    from arena.cli.live.reel import Reel
    from arena.cli.live.stage import Story
    from arena.cli.live.viewer import LeftEarlyError, Viewer

    retelling = Retelling(game)
    story = Story(game, planned, telling.names_of(planned), screen.colourful(), [retelling.opening()])
    story.movers = game.to_move(game.start())
    reel = Reel(over=False, playing=not watch)

    def tell(referee: "Referee") -> None:
        story.scenes += retelling.go_on(referee.turns)
        story.movers = game.to_move(referee.state)
        viewer.follow()
        viewer.until_wanted()

    try:
        with terminal.taken() as ours:
            viewer = Viewer(ours, story, reel)
            viewer.draw()
            story.record = play.play(planned, door=door, watch=tell)
            story.scenes += retelling.go_on(story.record.turns)
            viewer.follow()
            viewer.to_the_end(stay=watch)
    except LeftEarlyError:
        if story.record is None:
            _left()
    _sum_up(game, planned, story.record)


def _left() -> None:
    screen.notice("left before its end; nothing is stored")
    raise typer.Exit(1)


def _sum_up(game: Game[Any], planned: Match, record: Record | None) -> None:
    """What stays on the terminal."""
    if record is not None:
        print(telling.heading(planned))
        print(f"\n{telling.drawing(game, list(scenes(game, record.turns))[-1])}\n")
        print("\n".join(telling.verdict(record)))
