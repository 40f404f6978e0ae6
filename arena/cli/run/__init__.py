"""`arena run`: play an event or the rest of it, or print the plan. watcher.py displays a run."""

import contextlib
import shlex
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import rulefile, signals, workspace
from arena.cli import options, output, paths, results, watching
from arena.cli.init import making
from arena.errors import ArenaError
from arena.event import elsewhere, result_files, run_words, schedules, service
from arena.event.schedules import round_robin
from arena.games import rulebook
from arena.values import Event

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.event.config.keys import NotifyTable
    from arena.event.service import Opener
    from arena.event.tournament import Progress

FIRST_MATCHES = 5  # of an event, after which a run says what its services will take for the others
GUESSED_MATCH_S = 0.3  # a match of the shipped bots on a small machine


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
    from arena.event import config
    from arena.event.config import extended
    from arena.results.archive import Archive

    if demo:
        file = _demo(file)
    is_elsewhere = workers is not None and elsewhere.is_address(workers)
    changed = options.overrides(
        settings,
        seed=seed,
        name=name,
        repeats=repeats,
        workers=None if is_elsewhere else workers,
        sandbox=sandbox,
        unsafe=unsafe,
    )
    if workers is not None:
        changed |= elsewhere.keys_of(workers)
    path = paths.tournament_file(file)
    tournament = config.load(path, changed)
    event, entrants = workspace.event_of(
        tournament, path, options.names_in(bots), options.names_in(boards)
    )
    count = workspace.matches_at_once(tournament, event)
    folder = paths.results_folder(path.parent, event.name)
    if not bots:  # otherwise nobody would notice a bot.toml by which a bot plays no board
        playing = {bot.name for bot in event.bots}
        askers = {bot.name for bot in entrants if bot.model and event.conditions.model is None}
        idle = [
            output.safe_line(bot.name)
            for bot in entrants
            if bot.name not in playing | askers and not bot.remote
        ]
        if idle:
            output.notice(f"left out, since they play none of the boards: {', '.join(idle)}")
    for board in event.boards:
        if not round_robin.number_of_seatings(board, event.bots, event.seating):
            needed = len(round_robin.groups_of(board, event.seating))
            output.notice(
                f"{board.label}: no match, since it needs {needed} different bots that play its "
                "roles; add bots"
            )
    if plan:
        _show_plan(event, folder, count, tournament, json=json)
        return
    services = workspace.services(tournament, path.parent)
    workspace.warn_about_confinement(event.conditions)
    _warn_about_writers([path, *{Path(board.rules) for board in event.boards}])
    for bot in event.bots:
        for sentence in tournament.unmet_requests(bot):
            output.notice(sentence)
    absent = sorted(tournament.bots_with_settings - {bot.name for bot in entrants})
    if absent:
        output.notice(
            f"[[bot]] {', '.join(absent)}: no bot of this name is in the folder {tournament.bots}"
        )
    text = path.read_text("utf-8")
    if changed or bots or boards:
        table = tournament.model_dump() | {"boards": [board.label for board in event.boards]}
        stated = {key: value for key, value in table.items() if value is not None and value != ()}
        for name, added in tournament.added.items():
            if extended.may_be_absent(type(added)):  # keys that were left out have no word for it
                stated[name] = added.model_dump(exclude_unset=True)
        text = f"# As played by: {output.safe_line(command_line(), 1000)}\n{options.toml(stated)}"
    with output.silence() if quiet else contextlib.nullcontext(), signals.listening() as interrupt:
        for sentence in service.sentences(event, folder, tournament):
            output.notice(sentence)
        outcome, watcher = _play(event, folder, count, interrupt, tournament, services)
        with interrupt.aborting():
            options.store_played_tournament(folder, text, secret=isinstance(event.seed, str))
            _report(event, folder, watcher, outcome, charts=charts, json=json)
            if tournament.notify is not None:
                _notify(tournament.notify, folder, watcher, outcome)
    if interrupt:
        planned = f"{watcher.at_most}{outcome.planned}"
        output.notice(
            f"{outcome.finished} of {planned} matches are stored; to go on:\n  {command_line()}"
        )
        raise typer.Exit(interrupt.code)
    fault = False
    if strict:
        with Archive.open(folder, writing=False) as archive:
            fault = any(tally.ending for tally in archive.tallies())
    with contextlib.suppress(ArenaError):  # the next run has begun
        # Who only reads makes SQLite's two files beside the event's, and cannot remove them; the
        # last writer can.
        Archive.make(folder)
    # A run that `stop_after` ended did what it was asked to.
    unfinished = not outcome.complete and (outcome.stop is None or outcome.failed)
    if fault or unfinished:
        raise typer.Exit(1)


def _warn_about_writers(files: Collection[Path]) -> None:
    """Warn about each file that decides which programs run as our user, and that all may write.

    Who may write to the folder of a file can exchange it, unless the folder is sticky, as /tmp is.
    The run goes on: on some file systems, such as those of Windows in WSL, every file looks like
    that. A group may write, because the organisers of a course share their folder.
    """
    for path in sorted({*files, *(file.parent for file in files)}):
        mode = path.stat().st_mode
        is_sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
        if mode & stat.S_IWOTH and not is_sticky:
            name = paths.displayed(path)
            output.notice(
                f"warning: {name}: everybody on this machine may write into it, and so run "
                f"programs as you: `chmod o-w {shlex.quote(name)}`"
            )


def _demo(file: Path | None) -> Path:
    """Return the tournament.toml of the demo; make its workspace in demo/ unless it is there."""
    if file is not None:
        raise ArenaError(f"--demo: plays an event of its own; leave out {file}")
    folder = Path("demo")
    if not (folder / paths.TOURNAMENT_FILE).is_file():
        with making(folder):
            pass  # it stays as it is, so that the event has the seed and the results of the demo
    return folder / paths.TOURNAMENT_FILE


def _play(
    event: Event,
    folder: Path,
    count: int,
    interrupt: signals.Interrupt,
    tournament: "Tournament",
    services: "Mapping[str, Opener]",
) -> "tuple[Progress, watching.Watcher]":
    from arena.cli.run.watcher import RunWatcher, stored
    from arena.event.tournament import make_archive

    workers = tournament.workers
    make_archive(event, folder)
    lanes = elsewhere.lanes_of(tournament)
    where = f"{count} at a time" if lanes is None else lanes.where
    watcher = RunWatcher(event, where, stored(folder))
    estimated = False

    def is_over() -> bool:
        nonlocal estimated
        if not estimated and watcher.planned > watcher.done == watcher.played >= FIRST_MATCHES:
            estimated = True
            for sentence in service.sentences(event, folder, tournament):
                watcher.line(sentence)
        return bool(interrupt)

    opened = None if lanes is None else lanes.opened(watcher.line)
    settings = {"workers": count, "pin": workers.pinned, "elsewhere": opened, "services": services}
    return watching.play(event, folder, watcher, is_over, **settings), watcher


def _show_plan(
    event: Event, folder: Path, workers: int, tournament: "Tournament", *, json: bool
) -> None:
    """Print the plan of an event.

    The time of a board that was never played is the mean of the others, or a guess.
    """
    from arena.event import plan
    from arena.results.archive import Archive, NoResultsError

    played: Counter[str] = Counter()
    measured: Mapping[str, float] = {}
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        measured = archive.mean_seconds()
        played.update(match.label for match in plan.Plan(event, archive).stored())
    mean_s = sum(measured.values()) / len(measured) if measured else GUESSED_MATCH_S
    rows = [
        (
            label,
            matches,
            played[label],
            (matches - played[label]) * measured.get(label, mean_s) / workers,
        )
        for label, matches in plan.counts(event).items()
    ]
    if json:
        headers = ("board", "matches", "played", "seconds")
        output.print_json(dict(zip(headers, row, strict=True)) for row in rows)
        return
    rows.append(("all", schedules.total(event), played.total(), sum(row[3] for row in rows)))
    cells = [(*row[:3], watching.duration(row[3])) for row in rows]
    output.print_table(
        output.make_table(("board", f"{schedules.at_most(event)}matches", "played", "time"), cells)
    )
    source = (
        "by the mean time of the matches played before"
        if measured
        else f"guessed at {GUESSED_MATCH_S} s a match"
    )
    print(f"{len(event.bots)} bots; time left {source}, with {workers} at a time")
    if event.stop_when is not None:
        print(f"the event ends earlier when the {event.stop_when} (stop_when)")
    for sentence in service.sentences(event, folder, tournament):
        print(sentence)
    if event.stop_after is not None:
        print(
            f"a run begins no more matches after {watching.duration(event.stop_after)} (stop_after)"
        )


def _report(
    event: Event,
    folder: Path,
    watcher: watching.Watcher,
    outcome: "Progress",
    *,
    charts: bool,
    json: bool,
) -> None:
    """Write the tables, charts and report; print absences, leaderboard and the files' paths."""
    read = results.read(folder)
    result_files.write_tables(read)
    read.store_ranks()
    for bot, fault in sorted(watcher.absentees.items()):
        (output.notice if json else print)(run_words.absence(bot, fault))
    results.print_leaderboard(read, json=json, brief=True)
    if json:
        for sentence in read.end_sentences:
            output.notice(sentence)
    watching.notice_given_up(outcome.failed)
    if not outcome.complete:
        if outcome.phase in run_words.REASONS:
            output.notice(run_words.REASONS[outcome.phase])
        due = f"{watcher.at_most}{outcome.planned - outcome.finished}"
        output.notice(
            f"{due} of {outcome.planned} matches are still due; to go on:\n  {command_line()}"
        )
    if isinstance(event.seed, int) and not _bots_come_with_arena(event):
        output.notice(
            f"seed {event.seed} is a number: a bot that guesses it can foretell all chance; for "
            "strangers' bots take a secret one (`arena docs seeds`)"
        )
    if not charts:
        read.close()
        output.notice(
            f"tables: {paths.displayed(folder)}; `arena report` draws the charts and the report, "
            "`arena replay` lists the matches"
        )
        return
    if not json and sys.stderr.isatty():
        print()
    rules = {board.rules: Path(board.rules) for board in event.boards}
    page = results.write_report(read, lambda match: rulebook.game_of_record(match, rules))
    read.close()
    output.notice(
        "all tables, charts and matches to replay are in one page, for a browser:\n  open "
        f"{paths.displayed(page)}"
    )
    if not _bots_come_with_arena(event):
        return
    arena, home = shlex.join(_program()), folder.parent.parent
    there = "" if home.resolve() == Path.cwd() else f"cd {shlex.quote(str(home))}; "
    output.notice(
        f"next: `{there}{arena} replay` lists the matches, to look at one; `{arena} new NAME` "
        f"makes your own bot, `{arena} run` plays it against these"
    )


def _bots_come_with_arena(event: Event) -> bool:
    """Return whether the event has arena's own bots only, which guess no seed."""
    from arena.event import discovery

    try:
        own = {bot.digest for bot in discovery.gather(rulefile.shipped().parent / "bots")}
    except ArenaError:  # somebody put there what is no bot
        return False
    return all(bot.digest in own for bot in event.bots)


def _notify(
    table: "NotifyTable", folder: Path, watcher: watching.Watcher, outcome: "Progress"
) -> None:
    """Tell the webhook how the run ended, in sentences without a name of a bot or a person."""
    from arena.event import notify

    matches = f"{outcome.finished} of {watcher.at_most}{outcome.planned} matches"
    sentences = [f"{watcher.name}: {matches} are played."]
    if watcher.absentees:
        sentences.append(
            f"{output.counted(len(watcher.absentees), 'bot')} did not start, and forfeits its "
            "matches."
        )
    read = results.read(folder)
    for league in read.leagues:
        changes = league.rank_changes
        if any(
            standing.rank == 1 and changes.get(standing.bot, 0) != 0
            for standing in league.standings
        ):
            sentences.append(f"{league.game} has another first.")
    read.close()
    try:
        notify.post(table.url, " ".join(sentences), private=table.private)
    except ArenaError as error:  # the event is over, and its results are stored
        output.notice(str(error))


def command_line() -> str:
    """Return the command line of this run, which also goes on where it stopped."""
    return shlex.join([*_program(), *sys.argv[1:]])


def _program() -> list[str]:
    """Return the words that start arena here; of a program that is not on the PATH, its path."""
    script = Path(sys.argv[0])
    if script.name == "__main__.py":
        return ["python", "-m", "arena"]
    return [
        script.name
        if shutil.which(script.name) or not script.is_file()
        else paths.displayed(script)
    ]
