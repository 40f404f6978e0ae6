"""`arena check`: find out whether a bot is fit to play, and if it is not, say what to do."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from arena import workspace
from arena.author.checkup import WHOLE_MATCHES_S, CheckRun, Checkup
from arena.cli import options, output
from arena.errors import ArenaError
from arena.event import service
from arena.sandbox.launcher import Launcher
from arena.sandbox.toolchain import PYTHON_HERE
from arena.values import Bot

if TYPE_CHECKING:
    from arena.author.checkup.screening import Screening
    from arena.event.config import Tournament


def check(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The file or folder of a bot, or its name.")
    ],
    boards: options.BoardNames = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    json: options.Json = False,
) -> None:
    """Test a bot against the protocol, step by step, at each board that it plays.

    The exit code is 1 when it is not fit.
    """
    built = candidate_of(bot, options.names_in(boards), sandbox=sandbox, unsafe=unsafe, json=json)
    candidate, tournament, screening = built.bot, built.tournament, built.screening
    with Launcher(watches=True) as launcher:
        if not json:
            built.print_head(launcher)
        serving = [each for each in service.known().values() if each.serves(candidate)]
        with workspace.asking(tournament) if serving else nullcontext({}) as services:
            for each in [] if json else serving:
                print(f"  {output.safe_line(each.who(tournament))}", flush=True)
            printer = RunPrinter(silent=json)
            result = screening.checkup(candidate, launcher, printer.print, services)
    if json:
        row = {
            "bot": result.bot.name,
            "digest": result.bot.digest,
            "wall_p50": result.wall(0.5),
            "wall_p99": result.wall(0.99),
            "wall_max": result.wall(1.0),
            **output.fields(
                result, "sound", "ready", "memory", "cpu", "skipped", "shortened", "refused"
            ),
            "sittings": [
                {
                    **output.fields(run, "board", "role", "sound"),
                    "twist": run.variation,
                    "turns": len(run.moves),
                }
                for run in result.runs
            ],
            "findings": [asdict(finding) for finding in result.findings],
        }
        output.print_json([row])
    else:
        print("\n".join(_report(result)))
    if not result.sound:
        raise typer.Exit(1)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A bot that was built to be checked."""

    bot: Bot
    tournament: "Tournament"
    screening: "Screening"

    def print_head(self, launcher: Launcher) -> None:
        """Print which bot it is, how it is confined, and what it asks for in vain."""
        level = ", ".join(filter(None, (self.screening.conditions.sandbox, launcher.protection)))
        print(
            f"{output.safe_line(self.bot.name)}  {self.bot.digest}  at the level {level}",
            flush=True,
        )
        for sentence in self.tournament.unmet_requests(self.bot):
            print(f"  {output.safe_line(sentence)}", flush=True)


def candidate_of(
    name: str,
    boards: tuple[str, ...],
    *,
    sandbox: str | None,
    unsafe: bool,
    json: bool,
    needs_boards: bool = True,
) -> Candidate:
    """Build the bot to check; exit code 1, with a finding, if it cannot even be started.

    With `needs_boards` a mistake in the boards is found before a long build.
    """

    def refuse(error: ArenaError) -> NoReturn:
        """Report a bot that cannot even be started."""
        if json:
            finding = {
                "weight": "fault",
                "where": "before it is started",
                "words": str(error),
                "cure": "",
            }
            output.print_json(
                [{"bot": name, "sound": False, "findings": [finding | {"log": [], "again": []}]}]
            )
        else:
            print(f"FAULT   {output.safe_lines(str(error))}")
        raise typer.Exit(1)

    tournament = workspace.tournament(options.overrides(sandbox=sandbox, unsafe=unsafe))
    try:
        candidate = workspace.bot_named(name)
    except ArenaError as error:
        if not Path(name).exists():
            raise
        refuse(error)
    screening = workspace.screening(tournament, boards, by_hand=True)
    if needs_boards:
        screening.boards_of(candidate)
    workspace.refuse_exposed((candidate,), screening.conditions.sandbox)
    try:
        (candidate,) = screening.build([candidate])
    except ArenaError as error:
        refuse(error)
    return Candidate(bot=candidate, tournament=tournament, screening=screening)


class RunPrinter:
    """Prints a line for each run of a checkup when it has ended, with its number."""

    def __init__(self, *, silent: bool) -> None:
        self._silent, self._number = silent, 0

    def print(self, run: CheckRun, at_most: int) -> None:
        """Print a run; there are `at_most` of them."""
        if self._silent:
            return
        self._number += 1
        result = "ok"
        if run.findings:
            result = "advice" if run.sound else "FAULT"
        variation = f", {run.variation}" if run.variation else ""
        answers = output.counted(len(run.moves), "legal answer")
        shortened = ", then it was ended" if run.shortened else ""
        where = f"{run.board} as {run.role}{variation}"
        print(
            f"  {result:6}  {self._number:2} of {at_most}  {where}: {answers}{shortened}",
            flush=True,
        )


def _report(result: Checkup) -> Iterator[str]:
    """Yield lines: the figures of a checkup, its findings, and the conclusion."""

    def ms(seconds: float | None) -> str:
        return f"{(seconds or 0.0) * 1000:.1f} ms"

    def of(limit: float | None) -> str:
        return "" if limit is None else f" of {limit * 1000:g} ms"

    limits, time = result.conditions.limits_of(result.bot), result.conditions.time
    if result.ready is not None:
        yield f"\nready in {ms(result.ready)}{of(time.start)}"
    if (median := result.wall(0.5)) is not None:
        slow, slowest = ms(result.wall(0.99)), ms(result.wall(1.0))
        bank = (
            f", and {time.bank:g} s a match beyond that"
            if time.bank and time.move is not None
            else ""
        )
        yield (
            f"answers in {ms(median)} (median), {slow} (99 of 100), {slowest} "
            f"(all){of(time.move)}{bank}"
        )
    memory = f" of {limits.memory / 1e6:.0f} MB" if limits.memory is not None else ""
    processes = (
        "" if limits.processes == 1 else f", up to {limits.processes or 'any number of'} processes"
    )
    yield f"memory {result.memory / 1e6:.0f} MB{memory}, CPU {result.cpu:.2f} s a match{processes}"
    if result.bot.command[:1] == ("{python}",):
        yield (
            f"it may import {PYTHON_HERE}'s own library, arena.kit, its own folder, and what `pip "
            "list` shows here"
        )
    if result.shortened:
        matches = output.counted(result.shortened, "match")
        yield (
            f"{matches} ended early, because the bot is slow: a check plays whole matches for "
            f"{WHOLE_MATCHES_S:g} s"
        )
    if result.refused:
        yield f"system calls that were refused to it: {', '.join(result.refused)}"
    for finding in result.findings:
        more = f", and {len(finding.again)} more" if finding.again else ""
        yield f"\n{finding.weight.upper():7} {finding.where}{more}"
        yield f"        {output.safe_lines(finding.words)}"
        yield from (f"        stderr: {output.safe_lines(line)}" for line in finding.log)
        yield f"        -> {output.safe_lines(finding.cure)}"
    skipped = (
        f"; {result.skipped} more {'match was' if result.skipped == 1 else 'matches were'} not "
        "tried"
    )
    ending = (
        "is fit to play"
        if result.sound
        else f"would lose matches as it is{skipped if result.skipped else ''}"
    )
    yield f"\n{output.safe_line(result.bot.name)} {ending}"
