"""`arena check`: find out whether a bot is fit to play, and if it is not, say what to do."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from arena import workspace
from arena.author.checkup import WHOLE_MATCHES_S, CheckRun, Checkup
from arena.cli import options, output, writers
from arena.errors import ArenaError
from arena.event import service
from arena.sandbox.launcher import Launcher
from arena.sandbox.toolchain import PYTHON_HERE
from arena.values import Bot

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from arena.author.checkup.screening import Screening
    from arena.event.config import Tournament
    from arena.event.service import Opened


def check(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The file or folder of a bot, or its name.")
    ],
    boards: options.BoardNames = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask/--no-ask",
            help="Have a language model answer the bot, which costs tokens; or nobody.",
        ),
    ] = True,
    json: options.Json = False,
) -> None:
    """Test a bot against the protocol, step by step, at each board that it plays.

    The exit code is 1 when it is not fit.
    """
    built = candidate_of(
        bot,
        options.names_in(boards),
        sandbox=sandbox,
        unsafe=unsafe,
        json=json,
    )
    tournament = built.tournament
    serving = []
    for known in service.known().values():
        if known.serves(built.bot):
            serving.append(known)
    with Launcher(watches=True) as launcher:
        if not json:
            built.print_head(launcher)
            print(
                "each role on each board, and one role of each game again with unusual questions",
                flush=True,
            )
            if not boards and built.screening.is_idle(built.bot):
                print("  on other boards than the event's: it plays none of these, and is left out")

        reasons = [known.unasked(tournament) for known in serving]
        unasked = list(filter(None, reasons))
        if serving and not ask:
            unasked.append("by --no-ask nobody answers it, so it plays as when it is refused")
        asking: AbstractContextManager[Opened] = nullcontext({})
        if serving and not unasked:
            asking = workspace.asking(tournament)
        with asking as services:
            if not json:
                for sentence in unasked or _who_answers(services, tournament, built.bot):
                    print(f"  {output.safe_line(sentence)}", flush=True)
            printer = RunPrinter(silent=json)
            result = built.screening.checkup(built.bot, launcher, printer.print, services)

    left_out = tournament.left_out(built.bot)
    if json:
        row = _row(result) | {"left_out": left_out}
        output.print_json([row])
    else:
        print("\n".join(_report(result, left_out, printer.at_most)))
    if left_out or not result.sound:
        raise typer.Exit(1)


def _who_answers(
    services: service.Opened,
    tournament: "Tournament",
    bot: Bot,
) -> Iterator[str]:
    """Yield who serves a bot, and what came when each service was asked once."""
    for name, known in service.known().items():
        if not known.serves(bot):
            continue
        yield known.who(tournament, bot)
        if name not in services:
            continue
        answer = known.trial(services[name], tournament, bot)
        if answer:
            yield answer


def _row(result: Checkup) -> dict[str, object]:
    """Return a checkup as JSON values."""
    sittings: list[dict[str, object]] = []
    for run in result.runs:
        sitting = output.fields(run, "board", "role", "sound")
        sitting["twist"] = run.variation
        sitting["turns"] = len(run.moves)
        sittings.append(sitting)
    return {
        "bot": result.bot.name,
        "digest": result.bot.digest,
        "wall_p50": result.wall(0.5),
        "wall_p99": result.wall(0.99),
        "wall_max": result.wall(1.0),
        **output.fields(
            result, "sound", "ready", "memory", "cpu", "skipped", "shortened", "refused"
        ),
        "sittings": sittings,
        "findings": [asdict(finding) for finding in result.findings],
    }


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A bot that was built to be checked."""

    bot: Bot
    tournament: "Tournament"
    screening: "Screening"

    def print_head(self, launcher: Launcher) -> None:
        """Print which bot it is, how it is confined, and what it asks for in vain."""
        level = self.screening.conditions.sandbox
        if launcher.protection:
            level = f"{level}, {launcher.protection}"
        name = output.safe_line(self.bot.name)
        print(
            f"check of {name}, digest {self.bot.digest}, confined at the level {level}:", flush=True
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
    tournament = workspace.tournament(options.overrides(sandbox=sandbox, unsafe=unsafe))
    try:
        candidate = workspace.bot_named(name)
    except ArenaError as error:
        if not Path(name).exists():
            raise
        _refuse(name, error, json=json)
    screening = workspace.screening(tournament, boards, by_hand=True)
    if needs_boards:
        writers.warn(screening.boards_of(candidate))
    workspace.refuse_exposed((candidate,), screening.conditions.sandbox)
    try:
        (candidate,) = screening.build([candidate])
    except ArenaError as error:
        _refuse(name, error, json=json)
    return Candidate(bot=candidate, tournament=tournament, screening=screening)


def _refuse(name: str, error: ArenaError, *, json: bool) -> NoReturn:
    """Report a bot that cannot even be started, and exit with code 1."""
    if json:
        finding: dict[str, object] = {
            "weight": "fault",
            "where": "before it is started",
            "words": str(error),
            "cure": "",
            "log": [],
            "again": [],
        }
        row = {
            "bot": name,
            "sound": False,
            "findings": [finding],
        }
        output.print_json([row])
    else:
        print(f"FAULT   {output.safe_lines(str(error))}")
    raise typer.Exit(1)


class RunPrinter:
    """Prints a line for each run of a checkup when it has ended, with its number."""

    def __init__(self, *, silent: bool) -> None:
        self.at_most = 0
        self._silent = silent
        self._number = 0

    def print(self, run: CheckRun, at_most: int) -> None:
        """Print a run; there are `at_most` of them."""
        self.at_most = at_most
        if self._silent:
            return
        self._number += 1
        if not run.findings:
            result = "ok"
        elif run.sound:
            result = "advice"
        else:
            result = "FAULT"
        variation = ""
        if run.variation:
            variation = f", {run.variation}"
        shortened = ""
        if run.shortened:
            shortened = ", then it was ended"
        answers = output.counted(len(run.moves), "legal answer")
        where = f"{run.board} as {run.role}{variation}"
        print(
            f"  {result:6}  {self._number:2} of {at_most}  {where}: {answers}{shortened}",
            flush=True,
        )


def _report(result: Checkup, left_out: str, at_most: int) -> Iterator[str]:
    """Yield lines: the figures of a checkup, its findings, and the conclusion.

    The findings come first if one of them is a fault. `left_out` says why the event does not have
    the bot; `at_most` is the largest number of runs.
    """
    if result.sound:
        yield from _figures(result)
        yield from _findings(result)
    else:
        yield from _findings(result)
        yield from _figures(result)
    name = output.safe_line(result.bot.name)
    tried = output.counted(len(result.runs), "situation")
    if not result.sound:
        yield f"\n{name} would lose matches as it is: tried {tried} of at most {at_most}"
    elif left_out:
        yield f"\n{name} has no fault in {tried}, but the event leaves it out: it {left_out}"
    else:
        yield f"\n{name} is fit to play: no fault in {tried}"


def _figures(result: Checkup) -> Iterator[str]:
    """Yield lines: the time and memory that the bot needs, and what it may use."""
    yield ""
    yield from _time_lines(result)
    yield _usage_line(result)
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


def _findings(result: Checkup) -> Iterator[str]:
    """Yield lines: each finding, with what the author can do."""
    for finding in result.findings:
        more = ""
        if finding.again:
            more = f", and {len(finding.again)} more"
        yield f"\n{finding.weight.upper():7} {finding.where}{more}"
        yield f"        {output.safe_lines(finding.words)}"
        for line in finding.log:
            yield f"        stderr: {output.safe_lines(line)}"
        yield f"        -> {output.safe_lines(finding.cure)}"


def _time_lines(result: Checkup) -> Iterator[str]:
    """Yield lines: when the bot was ready, and how long its answers took, beside the limits."""
    time = result.conditions.time
    if result.ready is not None:
        yield f"`ready` after {_milliseconds(result.ready)}{_limit_words(time.start)}"
    median = result.wall(0.5)
    if median is None:
        return
    slow = _milliseconds(result.wall(0.99))
    slowest = _milliseconds(result.wall(1.0))
    bank = ""
    if time.bank and time.move is not None:
        bank = f", and {time.bank:g} s a match beyond that"
    yield (
        f"answers: the slowest after {slowest}{_limit_words(time.move)}{bank}; half of them within "
        f"{_milliseconds(median)}, 99 of 100 within {slow}"
    )


def _milliseconds(seconds: float | None) -> str:
    return f"{(seconds or 0.0) * 1000:.1f} ms"


def _limit_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f" (limit {seconds * 1000:g} ms)"


def _usage_line(result: Checkup) -> str:
    """Return a line with the memory, the CPU time and the processes of the bot."""
    limits = result.conditions.limits_of(result.bot)
    memory = f"memory {result.memory / 1e6:.0f} MB"
    if limits.memory is not None:
        memory += f" (limit {limits.memory / 1e6:.0f} MB)"
    processes = ""
    if limits.processes != 1:
        processes = f", up to {limits.processes or 'any number of'} processes"
    cpu = f"CPU {result.cpu:.2f} s a match"
    if limits.cpu is not None:
        cpu += f" (limit {limits.cpu:g} s)"
    return f"{memory}, {cpu}{processes}"
