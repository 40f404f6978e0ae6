"""The end of a run: its tables and its report, what the user can do next, and the webhook."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import rulefile
from arena.cli import output, paths, results, watching
from arena.cli.command_line import command_line, program
from arena.cli.run.planned import PlannedRun
from arena.errors import ArenaError
from arena.event import result_files, run_words
from arena.game import Game
from arena.games import rulebook
from arena.values import Event, Match

if TYPE_CHECKING:
    from arena.event.config.keys import NotifyTable
    from arena.event.tournament import Progress


def report(
    run: PlannedRun,
    watcher: watching.Watcher,
    outcome: "Progress",
    *,
    charts: bool,
    json: bool,
) -> None:
    """Write the tables, charts and report; print absences, leaderboard and the files' paths."""
    read = results.read(run.folder)
    result_files.write_tables(read)
    read.store_ranks()

    for bot, fault in sorted(watcher.absentees.items()):
        absence = run_words.absence(bot, fault)
        if json:
            output.notice(absence)
        else:
            print(absence)
    results.print_leaderboard(read, json=json, brief=True)
    if json:
        for sentence in read.end_sentences:
            output.notice(sentence)
    watching.notice_given_up(outcome.failed)
    if not outcome.complete:
        _print_due(watcher, outcome)

    is_shipped = _has_shipped_bots_only(run.event)
    if isinstance(run.event.seed, int) and not is_shipped:
        output.notice(
            f"seed {run.event.seed} is a number: a bot that guesses it can foretell all chance; "
            "for strangers' bots take a secret one (`arena docs seeds`)"
        )
    if not charts:
        read.close()
        output.notice(
            f"tables: {paths.displayed(run.folder)}; `arena report` draws the charts and the "
            "report, `arena replay` lists the matches"
        )
        return

    if not json and sys.stderr.isatty():
        print()
    rules = {board.rules: Path(board.rules) for board in run.event.boards}

    def game_of(match: Match) -> Game[Any]:
        return rulebook.game_of_record(match, rules)

    page = results.write_report(read, game_of)
    read.close()
    output.notice(
        "all tables, charts and matches to replay are in one page, for a browser:\n  open "
        f"{paths.displayed(page)}"
    )
    if is_shipped:
        _print_next_steps(run.folder)


def _print_due(watcher: watching.Watcher, outcome: "Progress") -> None:
    """Print how many matches are due, why no more were begun, and how to go on."""
    reason = run_words.reason(outcome.phase)
    if reason is not None:
        output.notice(reason)
    due = f"{watcher.at_most}{outcome.planned - outcome.finished}"
    output.notice(
        f"{due} of {outcome.planned} matches are still due; to go on:\n  {command_line()}"
    )


def _print_next_steps(folder: Path) -> None:
    """Print the commands with which a new user of arena may go on."""
    arena = shlex.join(program())
    home = folder.parent.parent
    move = ""
    if home.resolve() != Path.cwd():
        move = f"cd {shlex.quote(str(home))}; "
    output.notice(
        f"next: `{move}{arena} replay` lists the matches; `{arena} new NAME` makes your own bot"
    )


def _has_shipped_bots_only(event: Event) -> bool:
    """Return whether all bots of the event come with arena; these guess no seed."""
    from arena.event import discovery

    folder = rulefile.shipped().parent / "bots"
    try:
        shipped = {bot.digest for bot in discovery.gather(folder)}
    except ArenaError:  # somebody put a file there that is no bot
        return False
    return all(bot.digest in shipped for bot in event.bots)


def notify(
    table: "NotifyTable",
    folder: Path,
    watcher: watching.Watcher,
    outcome: "Progress",
) -> None:
    """Tell the webhook how the run ended, in sentences without a name of a bot or a person."""
    from arena.event import notify

    matches = f"{outcome.finished} of {watcher.at_most}{outcome.planned} matches"
    sentences = [f"{watcher.name}: {matches} are played."]
    if watcher.absentees:
        absent = output.counted(len(watcher.absentees), "bot")
        sentences.append(f"{absent} did not start, and forfeits its matches.")

    read = results.read(folder)
    for league in read.leagues:
        changes = league.rank_changes
        first = [standing.bot for standing in league.standings if standing.rank == 1]
        is_changed = any(changes.get(bot, 0) != 0 for bot in first)
        if is_changed:
            sentences.append(f"{league.game} has another first.")
    read.close()

    try:
        notify.post(table.url, " ".join(sentences), private=table.private)
    except ArenaError as error:  # the event is over, and its results are stored
        output.notice(str(error))
