"""`arena duel`: play pairings until a sequential test decides whether one bot is better.

The duel is an event of its own (event/duel.py), whose matches are played as those of a run are.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import signals, workspace
from arena.cli import options, output, paths, watching, writers
from arena.cli.command_line import command_line
from arena.errors import ArenaError
from arena.event import duel_words, run_words
from arena.event.duel import DuelAudience, DuelRun
from arena.results import sequential
from arena.values import Abort, Bot, Event, Fault, Record

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.event.duel import Duel, Scale
    from arena.event.service import Opener
    from arena.event.tournament import Progress

UNDECIDED_CODE = 3
FAULTS_CODE = 4
"""By default a forfeit is a won match, as in an event. A script that continues with the better bot
may need to know."""
MOST_PAIRINGS = 100_000  # their plan takes some 100 MB
BOUNDS_METAVAR = "LOW HIGH"
Bounds = tuple[float, float] | None
DEFAULT_POINTS = (0.0, 5.0)


def duel(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="The bot that may be better: a name, a path, or `ada@2`."
        ),
    ],
    opponent: Annotated[
        str, typer.Argument(metavar="BOT", help="The bot that it is compared with.")
    ],
    boards: options.BoardNames = None,
    points: Annotated[
        Bounds,
        typer.Option(
            metavar=BOUNDS_METAVAR,
            help="Better by more than LOW points, or by less than HIGH; default: 0 5.",
        ),
    ] = None,
    elo: Annotated[
        Bounds, typer.Option(metavar=BOUNDS_METAVAR, help="The same two bounds in Elo.")
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="The probability of a wrong `better`, at most.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(help="The probability of a wrong `not better`, at most.")
    ] = 0.05,
    max_pairings: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_PAIRINGS, help="The number of pairings after which it is undecided."
        ),
    ] = 5000,
    no_faults: Annotated[
        bool,
        typer.Option(
            "--no-faults", help="Exit with code 4 when it is better by faults of the other alone."
        ),
    ] = False,
    workers: options.Workers = None,
    seed: options.Seed = None,
    name: Annotated[
        str | None, typer.Option(help="The results go to results/NAME; default: duel-BOT-BOT.")
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    settings: options.Settings = None,
    json: options.Json = False,
) -> None:
    """Test whether a bot is better than another: play pairings until it is proven, either way.

    Exit codes: 0 it is better; 1 it is not better; 3 undecided; with --no-faults, 4 it is better by
    faults alone. The same command goes on with a duel that was stopped.
    """
    from arena.event.duel import Duel

    scale, question = question_of(points, elo, alpha, beta)
    overrides = options.overrides(
        settings,
        seed=seed,
        name=name,
        workers=workers,
        sandbox=sandbox,
        unsafe=unsafe,
    )
    tournament = workspace.own_tournament(overrides)
    first, second = _two_bots(bot, opponent)
    names = (first.name, second.name)
    if not name:
        name = f"duel-{first.name}-{second.name}"
    most = ("--max-pairings", max_pairings)
    event = prepared(tournament, (first, second), name, most, boards)
    workspace.warn_about_confinement(event.conditions)
    writers.warn(event.boards)

    test = sequential.SequentialTest(question)
    state = Duel(event, names, test, scale)
    folder = paths.results_folder(Path(), event.name)
    with signals.listening() as interrupt:
        services = workspace.services(tournament, Path())
        given_up = play(state, folder, tournament, interrupt, services).given_up
    if interrupt and state.test.decision is None:
        pairings = duel_words.pairings_of(state)
        output.notice(f"{pairings} are complete; to go on:\n  {command_line()}")
        raise typer.Exit(interrupt.code)

    watching.notice_given_up(given_up)
    row = _row(state, folder)
    lines = duel_words.report(state)
    output.print_result([row], *lines, json=json)
    if given_up and state.test.decision is None:
        output.notice(
            "its pairing comes before others, so the test cannot go on; to try again:\n  "
            f"{command_line()}"
        )
    results = paths.displayed(folder)
    output.notice(f"stored in {results}; `arena report {results}` shows every match")

    if state.test.decision is None:
        raise typer.Exit(UNDECIDED_CODE)
    if no_faults and state.won_by_faults_alone:
        raise typer.Exit(FAULTS_CODE)
    if state.test.decision is not sequential.Decision.BETTER:
        raise typer.Exit(1)


def question_of(
    points: Bounds,
    elo: Bounds,
    alpha: float,
    beta: float,
) -> "tuple[Scale, sequential.Question]":
    """Return the question of the test, with the unit in which the user put it."""
    from arena.event.duel import ELO, POINTS

    if points is not None and elo is not None:
        raise ArenaError("--points and --elo are two ways to say the same bounds: choose one")
    scale = POINTS
    if elo is not None:
        scale = ELO
    low, high = elo or points or DEFAULT_POINTS
    bounds = f"--{scale.unit.lower()} {low:g} {high:g}"
    if not low < high:
        raise ArenaError(f"{bounds}: the first bound must be lower than the second")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise ArenaError(
            f"--alpha {alpha:g} and --beta {beta:g}: both must be above 0 and below 0.5"
        )
    try:
        low_points = scale.to_points(low)
        high_points = scale.to_points(high)
        question = sequential.Question(
            low=low_points,
            high=high_points,
            alpha=alpha,
            beta=beta,
        )
    except ValueError as error:
        hint = "no match can show such a difference"
        if scale is POINTS:
            hint = "both bounds must be between -100 and 100"
        raise ArenaError(f"{bounds}: {hint}") from error
    return scale, question


def _two_bots(bot: str, opponent: str) -> tuple[Bot, Bot]:
    """Return the bots of these names; ArenaError if they are one and the same."""
    first = workspace.bot_named(bot)
    second = workspace.bot_named(opponent)
    # `ada@1` and `ada@2` have the name `ada`.
    first_name, _, _ = first.name.partition("@")
    second_name, _, _ = second.name.partition("@")
    if first_name == second_name and first.digest == second.digest:
        raise ArenaError(f"{bot} and {opponent} are the same bot, file by file: name two")
    return first, second


class DuelWatcher(watching.Watcher):
    """Shows how near the test of a duel is to each decision."""

    def __init__(self, duel: "Duel", workers: int) -> None:
        super().__init__(duel.event.name, f"{workers} matches at a time", "")
        self._duel = duel
        self.heard = DuelAudience(duel)

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned = planned
        self.done = finished
        before = ""
        if finished:
            before = f", {finished} matches played before"
        most = self._duel.event.repeats * self._duel.pairings_a_round
        pairings = output.counted(most, "pairing")
        self.line(f"{self.name}: at most {pairings}{before}, {self.lanes}")

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.heard.absent(bot, fault)  # ends the duel, whose error reports it

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        self.heard.finished(record)
        super().finished(record)

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        super().aborted(abort)
        self.heard.aborted(abort)

    def lines(self) -> list[str]:
        """Return the state of the test."""
        bot, opponent = map(output.safe_line, self._duel.names)
        line = f"{bot} against {opponent}: {duel_words.pairings_of(self._duel)}"
        if self.rate is not None:
            line += f", {self.rate:.1f} matches/s"
        return [line, *duel_words.evidence(self._duel)]


def prepared(
    tournament: "Tournament",
    bots: tuple[Bot, Bot],
    name: str,
    most: tuple[str, int],
    boards: list[str] | None = None,
) -> Event:
    """Return the duel of two bots here as an event.

    After the number of pairings in `most` it is undecided.
    """
    from arena.event import duel

    sampled_folder = paths.results_folder(Path(), paths.SAMPLED_BOARDS)
    conditions = workspace.conditions_here(tournament)
    board_names = options.names_in(boards)
    event, notices = duel.prepared(
        tournament, bots, name, most, board_names, conditions, sampled_folder
    )
    for words in notices:
        output.notice(words)
    return event


def play(
    duel: "Duel",
    folder: Path,
    tournament: "Tournament",
    interrupt: signals.Interrupt,
    services: "Mapping[str, Opener]",
) -> DuelRun:
    """Play until the test has decided, and show its state.

    AbsentError if a bot never said `ready`.
    """
    from arena.event import duel as duels

    workers = workspace.matches_at_once(tournament, duel.event)
    watcher = DuelWatcher(duel, workers)

    def run(is_over: Callable[[], bool]) -> "Progress":
        return watching.play(
            duel.event,
            folder,
            watcher,
            is_over,
            workers=workers,
            pin=tournament.workers.pinned,
            services=services,
        )

    def is_interrupted() -> bool:
        return bool(interrupt)

    done = duels.play(duel, folder, watcher.heard, is_interrupted, run)
    reason = run_words.reason(done.phase)
    if reason is not None and not duel.is_over:
        output.notice(f"{reason}; to go on:\n  {command_line()}")
    done.refuse_absentees()
    return done


def _row(duel: "Duel", folder: Path) -> dict[str, object]:
    """Return the outcome for `--json`; differences and bounds are in `unit`."""
    test = duel.test
    question = test.question
    low, high = test.interval()
    of_points = duel.scale.of_points
    figures = {
        "difference": of_points(test.mean),
        "low": of_points(low),
        "high": of_points(high),
        "bound_low": of_points(question.low),
        "bound_high": of_points(question.high),
        "alpha": question.alpha,
        "beta": question.beta,
        "level": test.level,
        "llr_better": test.llr_better,
        "llr_not_better": test.llr_not_better,
        "llr_better_bound": test.bound_better,
        "llr_not_better_bound": test.bound_not_better,
    }
    row: dict[str, object] = {
        "bot": duel.names[0],
        "opponent": duel.names[1],
        "verdict": test.decision or "undecided",
        "boards": [board.label for board in duel.event.boards],
        "pairings": duel.pairings,
        "matches": duel.rounds * duel.round_matches,
        "unit": duel.scale.unit,
    }
    for key, figure in figures.items():
        row[key] = round(figure, 4) + 0.0  # 0.0 for -0.0
    row["faults"] = duel_words.faults_of(duel)
    row["by_faults_alone"] = duel.won_by_faults_alone
    row["results"] = paths.displayed(folder)
    return row
