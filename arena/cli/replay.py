"""`arena replay`: a recorded match, by keys on a terminal, else turn by turn as text."""

import shlex
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from arena.cli import archived, options, screen, signals, telling
from arena.cli.live import terminal
from arena.errors import ArenaError
from arena.game import Game
from arena.match import Record
from arena.scenes import Scene, scenes


def replay(
    match: options.MatchId,
    event: options.EventName = None,
    turn: Annotated[int | None, typer.Option(help="Print this turn only; 0 is the start.")] = None,
    step: Annotated[bool, typer.Option("--step", help="Print it, and wait for Enter after each turn.")] = False,
    draw: Annotated[bool, typer.Option("--draw/--no-draw", help="Draw the board, or print the moves only.")] = True,
    json: options.Json = False,
) -> None:
    """Look at a recorded match by keys, or print it turn by turn in a pipe; steps that a wall stopped are marked."""
    record = archived.recorded(match, event)
    game = archived.rules_of(record.match)
    chosen = list(_chosen(game, record, turn))
    if json:
        screen.print_json(row for scene in chosen for row in telling.turn_rows(record.match, scene))
        return
    if draw and not step and turn is None and terminal.able():
        _look(game, record, chosen)
        print(telling.heading(record.match))
    else:
        print(telling.heading(record.match))
        if not _print(game, record, chosen, draw=draw, step=step):
            return
    if turn is None:
        print("\n".join(telling.verdict(record)))
        if record.verdict.faults:
            print(f"to see it again: {shlex.join(['arena', 'rerun', record.match.id, *([event] if event else [])])}")


def _look(game: Game[Any], record: Record, told: list[Scene]) -> None:
    """On a terminal, until whoever looks on leaves."""
    from arena.cli.live.reel import Reel
    from arena.cli.live.stage import Story
    from arena.cli.live.viewer import Viewer

    names = telling.names_of(record.match)
    story = Story(game, record.match, names, screen.colourful(), told, record)
    with signals.listening() as stop:
        stop.at_once()
        with terminal.taken() as ours:
            Viewer(ours, story, Reel(last=story.last)).until_left()
    if stop:
        raise typer.Exit(stop.code)


def _print(game: Game[Any], record: Record, chosen: list[Scene], *, draw: bool, step: bool) -> bool:
    """As text; False when whoever steps has seen enough."""
    for scene in chosen:
        telling.show(game, record.match, scene, draw=draw)
        if step and not telling.enter():
            return False
    return True


def _chosen(game: Game[Any], record: Record, turn: int | None) -> Iterator[Scene]:
    told = list(scenes(game, record.turns))
    last = told[-1].number
    if turn is not None and not 0 <= turn <= last:
        raise ArenaError(f"--turn {turn}: match {record.match.id} has turns 0 (the start) to {last}")
    return (scene for scene in told if turn is None or scene.number == turn)
