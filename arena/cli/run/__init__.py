"""`arena run`: play an event or the rest of it, or print the plan.

The command is here, with the play itself. What the user reads before it is in notices.py, the plan
in plan_text.py, the display while matches are played in watcher.py, the end in ending.py, and the
tournament.toml that is kept beside the results in as_played.py.
"""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import signals, workspace
from arena.cli import options, output, paths, watching
from arena.cli.command_line import command_line
from arena.cli.init import making
from arena.cli.run import as_played, ending, notices, plan_text, planned
from arena.cli.run.planned import PlannedRun
from arena.errors import ArenaError
from arena.event import elsewhere, service

if TYPE_CHECKING:
    from arena.cli.run.watcher import RunWatcher
    from arena.event.service import Opener
    from arena.event.tournament import Progress

FIRST_MATCHES = 5  # of an event, after which a run says what its services will take for the others


def run(
    file: options.TournamentFile = None,
    workers: Annotated[str | None, typer.Option(help=elsewhere.help_of_workers())] = None,
    seed: options.Seed = None,
    name: Annotated[str | None, typer.Option(help="The results go to results/NAME.")] = None,
    repeats: Annotated[int | None, typer.Option(help="How often each seating is played.")] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    boards: options.BoardNames = None,
    bots: Annotated[
        list[str] | None, typer.Option("--bot", metavar="BOT,...", help="Only these bots.")
    ] = None,
    settings: options.Settings = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Play the demo, in a folder demo/ made for it.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only print how many matches, and how long.")
    ] = False,
    charts: Annotated[
        bool, typer.Option("--charts/--no-charts", help="Draw the charts, write the report.")
    ] = True,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 when any seat was at fault.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only mistakes; the exit code tells.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the leaderboard as JSON.")] = False,
) -> None:
    """Play the event of a tournament.toml; after an interruption, go on with it."""
    from arena.results.archive import Archive

    if demo:
        file = _demo(file)

    count = workers
    if workers is not None and elsewhere.is_address(workers):
        count = None
    changed = options.overrides(
        settings,
        seed=seed,
        name=name,
        repeats=repeats,
        workers=count,
        sandbox=sandbox,
        unsafe=unsafe,
    )
    if workers is not None:
        changed |= elsewhere.keys_of(workers)

    path = paths.tournament_file(file)
    bot_names = options.names_in(bots)
    board_names = options.names_in(boards)
    this_run = planned.load(path, changed, bot_names, board_names)
    event = this_run.event
    if not bots:  # otherwise nobody would notice a bot.toml by which a bot plays no board
        notices.name_idle_bots(this_run)
    notices.name_empty_boards(event)
    if plan:
        plan_text.show(this_run, json=json)
        return

    services = workspace.services(this_run.tournament, path.parent)
    notices.warn(this_run)
    text = path.read_text("utf-8")
    if changed or bots or boards:
        text = as_played.changed_text(this_run)

    silence: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if quiet:
        silence = output.silence()
    with silence, signals.listening() as interrupt:
        for sentence in service.sentences(event, this_run.folder, this_run.tournament):
            output.notice(sentence)
        outcome, watcher = _play(this_run, interrupt, services)
        with interrupt.aborting():
            secret = isinstance(event.seed, str)
            as_played.store(this_run.folder, text, secret=secret)
            ending.report(this_run, watcher, outcome, charts=charts, json=json)
            webhook = this_run.tournament.notify
            if webhook is not None:
                ending.notify(webhook, this_run.folder, watcher, outcome)

    if interrupt:
        most = f"{watcher.at_most}{outcome.planned}"
        output.notice(
            f"{outcome.finished} of {most} matches are stored; to go on:\n  {command_line()}"
        )
        raise typer.Exit(interrupt.code)

    fault = False
    if strict:
        with Archive.open(this_run.folder, writing=False) as archive:
            fault = any(tally.ending for tally in archive.tallies())
    with contextlib.suppress(ArenaError):  # the next run has begun
        # A reader makes SQLite's two files beside the event's, and cannot remove them; the last
        # writer can.
        Archive.make(this_run.folder)
    # A run that `stop_after` ended did what it was asked to.
    stopped_as_asked = outcome.stop is not None and not outcome.failed
    unfinished = not outcome.complete and not stopped_as_asked
    if fault or unfinished:
        raise typer.Exit(1)


def _demo(file: Path | None) -> Path:
    """Return the tournament.toml of the demo; make its workspace in demo/ unless it is there."""
    if file is not None:
        raise ArenaError(f"--demo: plays an event of its own; leave out {file}")
    folder = Path("demo")
    path = folder / paths.TOURNAMENT_FILE
    if not path.is_file():
        with making(folder):
            pass  # it stays as it is, so that the event has the seed and the results of the demo
    return path


def _play(
    run: PlannedRun,
    interrupt: signals.Interrupt,
    services: "Mapping[str, Opener]",
) -> "tuple[Progress, RunWatcher]":
    """Play what is due, and show it; the watcher that is returned has heard of every match."""
    from arena.cli.run.watcher import RunWatcher, stored
    from arena.event.tournament import make_archive

    make_archive(run.event, run.folder)
    lanes = elsewhere.lanes_of(run.tournament)
    where = f"{run.lanes} at a time"
    if lanes is not None:
        where = lanes.where
    watcher = RunWatcher(run.event, where, stored(run.folder))
    lanes_elsewhere = None
    if lanes is not None:
        lanes_elsewhere = lanes.opened(watcher.line)
    estimated = False

    def is_over() -> bool:
        nonlocal estimated
        if not estimated and watcher.planned > watcher.done == watcher.played >= FIRST_MATCHES:
            estimated = True
            for sentence in service.sentences(run.event, run.folder, run.tournament):
                watcher.line(sentence)
        return bool(interrupt)

    outcome = watching.play(
        run.event,
        run.folder,
        watcher,
        is_over,
        workers=run.lanes,
        pin=run.tournament.workers.pinned,
        elsewhere=lanes_elsewhere,
        services=services,
    )
    return outcome, watcher
