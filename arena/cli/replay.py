"""`arena replay`: show a recorded match by keys or as text, or list the matches."""

import shlex
from typing import Annotated

import typer

from arena.cli import match_list, match_text, options, output, stored_match
from arena.cli.live import terminal
from arena.cli.live.layout import Story
from arena.cli.live.viewer import Playback, Viewer
from arena.cli.match import playing
from arena.errors import ArenaError
from arena.games.quality import qualities_of
from arena.replay.replayer import scenes

MOST_LISTED = 20


def replay(
    match: options.MatchOrNone = None,
    turn: Annotated[int | None, typer.Option(help="Print this turn only; 0 is the start.")] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Print it, and wait for Enter after each turn.")
    ] = False,
    draw: options.Draw = True,
    lines: Annotated[
        bool, typer.Option("--lines", help="Print every line, seat by seat, with times.")
    ] = False,
    role: options.RoleName = None,
    bot: Annotated[
        str | None, typer.Option("--bot", metavar="NAME", help="List the matches of this bot.")
    ] = None,
    lost: Annotated[
        bool,
        typer.Option("--lost", help="List only matches that were lost: by --bot, or by any bot."),
    ] = False,
    most: Annotated[
        int,
        typer.Option(
            "--most",
            metavar="N",
            min=1,
            help="The most matches to list.",
        ),
    ] = MOST_LISTED,
    json: options.Json = False,
) -> None:
    """Look at a recorded match by keys, or print it turn by turn in a pipe.

    Without MATCH, list the newest matches.

    Steps that a wall stopped are marked.
    """
    if match is None or match.endswith("/"):
        if turn is not None or step or lines or role is not None:
            raise ArenaError("MATCH: missing; `arena replay` alone lists the newest matches")
        event = None
        if match is not None:
            event = match.rstrip("/")
        match_list.show(
            event,
            bot=bot,
            lost=lost,
            most=most,
            json=json,
        )
        return

    if bot is not None or lost:
        raise ArenaError(
            f"--bot and --lost list matches: leave out {match}, or name an event by EVENT/"
        )
    record = stored_match.load_record(match)
    if lines and (turn is not None or step):
        raise ArenaError("--lines prints a whole match: leave out --turn and --step")
    if role is not None and not lines:
        raise ArenaError("--role chooses from the lines that were said: add --lines")
    if lines:
        match_text.show_dialogue(record, role, json=json)
        return

    game = stored_match.game_of(record.match)
    qualities = qualities_of(game, record.turns)
    chosen = list(scenes(game, record.turns, qualities))
    if turn is not None:
        last = chosen[-1].number
        if not 0 <= turn <= last:
            raise ArenaError(
                f"--turn {turn}: match {record.match.id} has turns 0 (the start) to {last}"
            )
        chosen = [scene for scene in chosen if scene.number == turn]
    if json:
        rows: list[dict[str, object]] = []
        for scene in chosen:
            rows += match_text.turn_rows(record.match, scene)
        output.print_json(rows)
        return

    if draw and not step and turn is None and terminal.is_usable():
        names = match_text.names_of(record.match)
        story = Story(
            game=game,
            match=record.match,
            names=names,
            colour=output.wants_colour(),
            scenes=chosen,
            record=record,
        )
        with playing(), terminal.full_screen() as screen:
            viewer = Viewer(screen, story, Playback(last=story.last))
            viewer.run_until_left()
        print(match_text.heading(record.match))
    else:
        print(match_text.heading(record.match))
        for scene in chosen:
            match_text.print_scene(
                game,
                record.match,
                scene,
                draw=draw,
                calls=record.calls,
            )
            if step and not match_text.goes_on():
                return
    if turn is None:
        print("\n".join(match_text.verdict(record)))
        if record.verdict.faults:
            command = shlex.join(["arena", "rerun", match])
            print(f"to see it again: {command}")
