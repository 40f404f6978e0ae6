"""`arena duel --bisect`: find the version that made a bot worse.

The search is bisection.py. Each of its comparisons is a duel with an archive of its own,
`results/NAME/duels/ada@1-ada@5`. These archives are all that is stored: a duel that was decided is
decided again without a match, so the same command takes the same way after a kill, and goes on.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import signals, workspace
from arena.cli import duel as duels
from arena.cli import options, output, paths, watching
from arena.cli.command_line import command_line
from arena.errors import ArenaError, BotError
from arena.event import duel as event_duel
from arena.event import duel_words
from arena.event.duel import Duel, Scale
from arena.extras.versions import ranges
from arena.extras.versions.bisection import Answer, BisectionStep, PairTest, Result, search
from arena.results.sequential import Decision, Question, SequentialTest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.event.config import Tournament
    from arena.event.service import Opener


def duel(
    boards: list[str] | None,
    points: tuple[float, float] | None,
    elo: tuple[float, float] | None,
    alpha: float,
    beta: float,
    max_pairings: int,
    no_faults: bool,
    workers: str | None,
    seed: str | None,
    name: str | None,
    sandbox: str | None,
    unsafe: bool,
    settings: list[str] | None,
    json: bool,
    bot: str | None = None,
    opponent: str | None = None,
    bisect: Annotated[
        str | None,
        typer.Option(
            "--bisect",
            metavar="FIRST..LAST",
            help="Find the version that made a bot worse: ada@1..ada@9. "
            "Exit codes: 0 found; 1 the last is not worse; 3 undecided.",
        ),
    ] = None,
) -> None:
    """Find the version of a bot that made it worse; the help of the option has the exit codes."""
    if bisect is None or bot is not None or opponent is not None:
        raise ArenaError("--bisect names all versions: leave out the two bots")
    if no_faults:
        raise ArenaError("--no-faults is for a duel of two bots: leave it out with --bisect")
    scale, question = duels.question_of(points, elo, alpha, beta)
    overrides = options.overrides(
        settings,
        seed=seed,
        name=name,
        workers=workers,
        sandbox=sandbox,
        unsafe=unsafe,
    )
    tournament = workspace.own_tournament(overrides)

    history = ranges.history_of(bisect)
    for words in history.omissions:
        output.notice(output.safe_line(words))
    first = history.versions[0].bot.name
    last = history.versions[-1].bot.name
    folder = paths.results_folder(Path(), name or f"bisect-{first}-{last}")
    count_of_later = len(history.versions) - 1
    steps = math.ceil(math.log2(count_of_later))
    duels_at_most = 1
    if steps:
        duels_at_most = steps + 2  # with the first and the last
    duels_in_words = output.counted(duels_at_most, "duel")
    output.notice(f"{len(history.versions)} versions: {duels_in_words} at most")
    workspace.warn_about_confinement(workspace.conditions_here(tournament))

    with signals.listening() as interrupt:
        work = _Duels(
            tournament=tournament,
            folder=folder,
            history=history,
            boards=boards,
            most=max_pairings,
            scale=scale,
            interrupt=interrupt,
        )
        result = search(len(history.versions), question, work.compare, work.hear)

    row = _row(result, history, scale, folder)
    lines = _lines(result, history, scale, question)
    output.print_result([row], *lines, json=json)
    output.notice(f"stored in {paths.displayed(folder)}; the same command says the same again")
    if result.answer is Answer.UNDECIDED:
        raise typer.Exit(duels.UNDECIDED_CODE)
    if result.answer is Answer.NOT_WORSE:
        raise typer.Exit(1)


class _Duels:
    """Plays the comparisons of a search."""

    def __init__(
        self,
        *,
        tournament: "Tournament",
        folder: Path,
        history: ranges.VersionRange,
        boards: list[str] | None,
        most: int,
        scale: Scale,
        interrupt: signals.Interrupt,
    ) -> None:
        self._tournament = tournament
        self._folder = folder
        self._history = history
        self._boards = boards
        self._most = most
        self._scale = scale
        self._interrupt = interrupt
        self._said: set[str] = set()
        """The notices about boards so far; all duels have the same."""
        self._services: Mapping[str, Opener] = workspace.services(tournament, Path())

    def compare(
        self,
        first: int,
        second: int,
        question: Question,
    ) -> PairTest | None:
        """Play a duel of two versions; return None if the second cannot play."""
        versions = self._history.versions
        older = versions[first].bot
        newer = versions[second].bot
        if older.digest == newer.digest:
            return PairTest(decision=Decision.NOT_BETTER, difference=0.0)
        folder = self._folder / "duels" / f"{older.name}-{newer.name}"
        most = ("--max-pairings", self._most)
        event, notices = event_duel.prepared(
            self._tournament,
            (older, newer),
            folder.name,
            most,
            options.names_in(self._boards),
            workspace.conditions_here(self._tournament),
            paths.results_folder(Path(), paths.SAMPLED_BOARDS),
        )

        for notice in notices:
            if notice not in self._said:
                self._said.add(notice)
                output.notice(notice)
        test = SequentialTest(question)
        duel = Duel(event, (older.name, newer.name), test, self._scale)
        try:
            done = duels.play(
                duel,
                folder,
                self._tournament,
                self._interrupt,
                self._services,
            )
        except BotError as error:  # it never said `ready`, or cannot be built
            is_end = second == len(versions) - 1
            if is_end or error.bot != newer.name:
                raise
            output.notice(output.safe_line(f"{newer.name} is left out: {error}"))
            return None

        if not duel.is_over:
            pairings = duel_words.pairings_of(duel)
            output.notice(f"{folder.name}: {pairings} are complete; to go on:\n  {command_line()}")
            watching.notice_given_up(done.given_up)
            raise typer.Exit(self._interrupt.code or duels.UNDECIDED_CODE)
        return PairTest(
            decision=test.decision,
            difference=test.mean,
            pairings=duel.pairings,
        )

    def hear(self, step: BisectionStep) -> None:
        """Say at once what a comparison found."""
        output.notice(_words(step, self._history, self._scale))


def _names(history: ranges.VersionRange) -> list[str]:
    return [output.safe_line(version.bot.name) for version in history.versions]


def _words(
    step: BisectionStep,
    history: ranges.VersionRange,
    scale: Scale,
) -> str:
    """Return what a comparison found, as a line."""
    names = _names(history)
    comparison = step.comparison
    finding = "not worse"
    if step.is_worse:
        finding = "worse"
    if comparison.decision is None:
        finding = f"undecided, taken as {finding}"
    difference = f"{scale.text(-comparison.difference)} {scale.unit}"
    pairings = output.counted(comparison.pairings, "pairing")
    bots = f"{names[step.second]} against {names[step.first]}"
    return f"{bots}: {finding} ({difference} in {pairings})"


def _lines(
    result: Result,
    history: ranges.VersionRange,
    scale: Scale,
    question: Question,
) -> list[str]:
    """Return the way and the answer in words."""
    names = _names(history)
    lines = [_words(step, history, scale) for step in result.steps]
    pairings = sum(step.comparison.pairings for step in result.steps)
    duels_played = output.counted(len(result.steps), "duel")
    lines.append(f"{duels_played}, {output.counted(pairings, 'pairing')}")
    if result.answer is Answer.NOT_WORSE:
        high = f"{scale.of_points(question.high):.4g} {scale.unit}"
        lines.append(f"no: {names[-1]} is not worse than {names[0]} by {high} or more")
    elif result.culprit is None:
        lines.append(
            f"undecided: it is not proven that {names[-1]} is worse than {names[0]}; with a larger "
            "--max-pairings the search goes on"
        )
    elif result.answer is Answer.UNDECIDED:
        lines.append(
            f"undecided: the way led to {names[result.culprit]}, but it is not proven worse than "
            f"{names[result.before]}: perhaps several versions lost a little, or a test erred; a "
            "larger --max-pairings or a lower --alpha may tell"
        )
    else:
        lines.append(
            f"found: {names[result.culprit]} is worse than {names[result.before]} "
            f"(this is wrong in at most {100 * question.alpha:g} % of all searches)"
        )
        before = paths.displayed(history.versions[result.before].path)
        culprit = paths.displayed(history.versions[result.culprit].path)
        lines.append(output.safe_line(f"what changed: diff -r {before} {culprit}"))
    return lines


def _row(
    result: Result,
    history: ranges.VersionRange,
    scale: Scale,
    folder: Path,
) -> dict[str, object]:
    """Return the outcome for `--json`; a difference is above 0 if the first is better."""
    names = [version.bot.name for version in history.versions]
    steps: list[dict[str, object]] = []
    for step in result.steps:
        comparison = step.comparison
        difference = round(scale.of_points(comparison.difference), 4)
        values: dict[str, object] = {
            "first": names[step.first],
            "second": names[step.second],
            "decision": comparison.decision or "undecided",
            "worse": step.is_worse,
            "difference": difference + 0.0,  # 0.0 for -0.0
            "pairings": comparison.pairings,
        }
        steps.append(values)
    before = None
    culprit = None
    if result.culprit is not None:
        before = names[result.before]
        culprit = names[result.culprit]
    return {
        "first": names[0],
        "last": names[-1],
        "verdict": result.answer,
        "before": before,
        "culprit": culprit,
        "unit": scale.unit,
        "pairings": sum(step.comparison.pairings for step in result.steps),
        "steps": steps,
        "results": paths.displayed(folder),
    }
