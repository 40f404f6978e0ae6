"""`arena run`: play an event, or what is left of it. Beside it: the plan, and what is shown while it runs."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, places, screen, signals
from arena.cli.run import planning
from arena.errors import ArenaError
from arena.event import Event

if TYPE_CHECKING:
    from arena.cli.run.watching import Watcher
    from arena.config import Tournament
    from arena.tournament import Progress

Many = list[str] | None


def run(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Default: the tournament.toml here.")] = None,
    workers: Annotated[str | None, typer.Option(help="Matches at once: a number, or auto.")] = None,
    seed: Annotated[int | None, typer.Option(help="Fixes every draw.")] = None,
    name: Annotated[str | None, typer.Option(help="The results go to results/NAME.")] = None,
    repeats: Annotated[int | None, typer.Option(help="How often each seating is played.")] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    boards: Annotated[Many, typer.Option(help="Only these boards, such as hunt,duel.")] = None,
    bots: Annotated[Many, typer.Option(help="Only these bots, such as dice,oracle.")] = None,
    settings: Annotated[
        Many, typer.Option("--set", metavar="KEY=VALUE", help="Any key of the file, such as time.move=0.5.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say how many matches, and how long.")] = False,
    charts: Annotated[bool, typer.Option("--charts/--no-charts", help="Draw the charts, write the report.")] = True,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when any seat was at fault.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the leaderboard as JSON.")] = False,
) -> None:
    """Play the event of a tournament.toml; after an interruption, go on with it."""
    from arena import config

    changed = options.overrides(
        settings or (),
        seed=seed,
        name=name,
        repeats=repeats,
        workers__count=options.count_of(workers),
        sandbox=sandbox,
        unsafe=unsafe or None,
    )
    path = places.file_of(file)
    wanted = config.load(path, changed)
    event = _event(wanted, path, options.split(bots or ()), options.split(boards or ()))
    count = _count(wanted, event)
    folder = places.results_folder(path.parent, event.name)
    if plan:
        planning.show(event, folder, count, json=json)
        return
    screen.warn_of(event.conditions.sandbox)
    text = _as_played(path, wanted, event, narrowed=bool(changed or bots or boards))
    with signals.listening() as stop:
        outcome, watcher = _play(event, folder, count, stop, wanted.workers.pinned)
        if not stop:
            stop.at_once()
            options.keep_played(folder, text)
            _report(event, folder, watcher, outcome, charts=charts, json=json)
    if stop:
        screen.notice(f"{outcome.finished} of {outcome.planned} matches are stored; to go on:\n  {_again()}")
        raise typer.Exit(stop.code)
    if not outcome.complete or (strict and _any_fault(folder)):
        raise typer.Exit(1)


def _event(wanted: "Tournament", path: Path, bots: tuple[str, ...], boards: tuple[str, ...]) -> Event:
    try:
        return wanted.event(path.parent, bots=bots, boards=boards)
    except ArenaError as error:
        raise ArenaError(f"{path}: {error}") from error


def _play(event: Event, folder: Path, workers: int, stop: signals.Stop, pin: bool | None) -> "tuple[Progress, Watcher]":
    from arena import tournament
    from arena.cli.run import display, totals

    with display.watcher(event.name, workers, totals.resumed(event, folder)) as watcher:

        def stopped() -> bool:
            watcher.tick()  # the run looks here about ten times a second, also when no match ends
            return bool(stop)

        return tournament.run(event, folder, workers=workers, audience=watcher, pin=pin, stopped=stopped), watcher


def _report(event: Event, folder: Path, watcher: "Watcher", outcome: "Progress", *, charts: bool, json: bool) -> None:
    """Write the tables, charts and report; print who was absent, the leaderboard, and where everything is."""
    from arena import rulebook
    from arena.cli import results
    from arena.cli.run.watching import absence

    read = results.read(folder)
    written = results.write_tables(read, folder)
    say = screen.notice if json else print
    for bot, fault in sorted(watcher.absentees.items()):
        say(absence(bot, fault))
    results.standings(read, json=json)
    for abort in outcome.failed:
        cause = abort.cause.strip().splitlines()[-1:] or [""]
        screen.notice(f"match {abort.match} was given up after {abort.attempt} attempts: {screen.shown(cause[0])}")
    if not outcome.complete:
        left = outcome.planned - outcome.finished
        screen.notice(f"{left} of {outcome.planned} matches are still due; to go on:\n  {_again()}")
    if charts:
        drawn = results.write_charts(read, folder)
        boards = {board.label: board for board in event.boards}
        page = results.write_report(read, folder, drawn, lambda match: rulebook.game_of(boards[match.label]))
        written += (*drawn, page)
    screen.notice(f"written: {', '.join(_places(written))}")


def _places(written: tuple[Path, ...]) -> list[str]:
    """Where files are: tables and report one by one, the charts by their folder."""
    named = (path if path.suffix in {".csv", ".html"} else path.parent for path in written)
    return list(dict.fromkeys(places.shortest(path) for path in named))


def _as_played(path: Path, wanted: "Tournament", event: Event, *, narrowed: bool) -> str:
    """The text of the tournament.toml; written anew when the command line changed something."""
    if not narrowed:
        return path.read_text("utf-8")
    table = wanted.model_dump() | {"boards": [board.label for board in event.boards]}
    return f"# As played by: {screen.shown(_again(), 1000)}\n{options.toml(_given(table))}"


def _given(table: dict[str, object]) -> dict[str, object]:
    """Without what the file may leave out."""
    return {key: value for key, value in table.items() if value is not None and value != ()}


def _any_fault(folder: Path) -> bool:
    from arena.archive import Archive

    with Archive.open(folder, writing=False) as archive:
        return any(tally.ending for tally in archive.tallies())


def _count(wanted: "Tournament", event: Event) -> int:
    from arena import cores

    if wanted.workers.count == "auto":
        return cores.matches_at_once(event, len(cores.available()))
    return wanted.workers.count


def _again() -> str:
    """The command line that goes on where this run stopped: its own."""
    script = Path(sys.argv[0])
    program = ["python", "-m", "arena"] if script.name == "__main__.py" else [script.name]
    return shlex.join([*program, *sys.argv[1:]])
