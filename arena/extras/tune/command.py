"""`arena tune`: find better values of a bot's parameters by playing, and test them.

The search is spsa.py. Each of its steps is a duel of a fixed number of pairings with an archive of
its own, `results/NAME/steps/N`, so a kill loses no match that finished: the next run goes on with
the step. The test at the end is a duel in `results/NAME`, which `arena report` shows with the chart
of the way.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import signals, workspace
from arena.cli import duel as duels
from arena.cli import options, output, paths, results, stored_match, watching
from arena.cli.command_line import command_line
from arena.errors import ArenaError
from arena.event import duel_words, histories
from arena.extras.tune import history, variants
from arena.extras.tune.spsa import Point, Range, Spsa
from arena.identity import digest_of
from arena.results.sequential import Decision, Question, SequentialTest
from arena.values import Bot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.event.config import Tournament
    from arena.event.duel import Duel
    from arena.event.service import Opener
    from arena.event.tournament import Progress

STEPS = 60
PAIRINGS = 10
MOST_PAIRINGS = 2000
UNDECIDED_CODE = 3


class QuietWatcher(duels.DuelWatcher):
    """Says nothing of a step while it is played; its result has a line of its own."""

    def line(self, text: str) -> None:
        """Leave the line out."""


def tune(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A bot whose bot.toml has [parameters].")
    ],
    steps: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000,
            help="The number of steps.",
        ),
    ] = STEPS,
    pairings: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=1000,
            help="Pairings of a step on each board.",
        ),
    ] = PAIRINGS,
    max_pairings: Annotated[
        int,
        typer.Option(
            min=1,
            max=100_000,
            help="Pairings after which the test is undecided.",
        ),
    ] = MOST_PAIRINGS,
    boards: options.BoardNames = None,
    workers: options.Workers = None,
    seed: options.Seed = None,
    name: Annotated[
        str | None, typer.Option(help="The results go to results/NAME; default: tune-BOT.")
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    settings: options.Settings = None,
    json: options.Json = False,
) -> None:
    """Find better values of a bot's parameters by playing, and test whether they beat the start.

    Exit codes: 0 they are better; 1 they are not; 3 undecided. The same command goes on after an
    interruption.
    """
    overrides = options.overrides(
        settings,
        seed=seed,
        name=name,
        workers=workers,
        sandbox=sandbox,
        unsafe=unsafe,
    )
    tournament = workspace.own_tournament(overrides)
    tuned = workspace.bot_named(bot)
    parameters = variants.parameters_of(tuned)
    folder = paths.results_folder(Path(), name or f"tune-{tuned.name}")
    start: Point = {}
    ranges: dict[str, Range] = {}
    for key, parameter in parameters.items():
        start[key] = parameter.start
        ranges[key] = Range(parameter.low, parameter.high, parameter.step)
    board_names = sorted(options.names_in(boards))
    rules = digest_of("tune", tournament.seed, tuned.digest, steps, pairings, board_names)
    lock = histories.locked(folder, ".tune.lock", "this tuning")
    with signals.listening() as interrupt, lock:
        tuning = history.read(folder)
        if tuning is None:
            tuning = history.Tuning(
                settings=rules,
                bot=tuned.name,
                ranges=ranges,
                start=start,
            )
        elif tuning.settings != rules:
            raise ArenaError(
                f"{paths.displayed(folder)}: this tuning was begun with another bot, seed, boards "
                "or numbers: say the same again, or take another --name"
            )

        services = workspace.services(tournament, Path())
        work = _Work(tournament, folder, tuned, boards, interrupt, services)
        search = Spsa(ranges, start, steps, str(tournament.seed))
        for step in tuning.steps:
            search.hear(step.difference)
        for number in range(len(tuning.steps) + 1, steps + 1):
            up, down = search.pair()
            difference = work.step(number, up, down, pairings)
            search.hear(difference)
            step = history.Step(
                up=up,
                down=down,
                difference=difference,
                guess=search.best,
            )
            tuning = tuning.with_step(step)
            history.store(folder, tuning)
            output.notice(
                f"step {number} of {steps}: {difference:+.1f} points; best so far: "
                f"{_words(search.best)}"
            )

        best = search.best
        if best == start:
            output.print_result(
                [{"bot": tuned.name, "verdict": "start", **best}],
                f"{tuned.name}: the start is best: {_words(best)}",
                json=json,
            )
            raise typer.Exit(1)
        work.test(best, start, max_pairings, json=json)


class _Work:
    """What plays: the steps, and the test at the end."""

    def __init__(
        self,
        tournament: "Tournament",
        folder: Path,
        bot: Bot,
        boards: list[str] | None,
        interrupt: signals.Interrupt,
        services: "Mapping[str, Opener]",
    ) -> None:
        self._tournament = tournament
        self._folder = folder
        self._bot = bot
        self._boards = boards
        self._interrupt = interrupt
        self._services = services
        self._said: set[str] = set()
        """What was said already about the events."""

    def step(
        self,
        number: int,
        up: Point,
        down: Point,
        pairings: int,
    ) -> float:
        """Play a step; return how many points the bot with the values `up` had more."""
        if up == down:
            return 0.0
        # Every step has the same number of pairings, so nothing may decide it earlier.
        test = SequentialTest(Question(low=0.0, high=5.0), decides=False)
        duel = self._duel(
            ("up", up),
            ("down", down),
            self._folder / "steps" / str(number),
            pairings,
            test,
            quiet=True,
        )
        return duel.test.mean

    def test(
        self,
        best: Point,
        start: Point,
        most: int,
        *,
        json: bool,
    ) -> None:
        """Test the best values against the start, and say which is better."""
        test = SequentialTest(Question(low=0.0, high=5.0))
        duel = self._duel(
            ("tuned", best),
            ("start", start),
            self._folder,
            most,
            test,
            quiet=False,
        )
        heading = f"{self._bot.name}: {_words(best)} against {_words(start)}"
        row = {
            "bot": self._bot.name,
            "verdict": duel.test.decision or "undecided",
            "best": best,
            "start": start,
            "difference": round(duel.test.mean, 4),
            "pairings": duel.pairings,
        }
        report = duel_words.report(duel)
        output.print_result([row], heading, *report, json=json)

        read = results.read(self._folder)
        page = results.write_report(read, stored_match.game_of)
        read.close()
        output.notice(
            "the chart `tune` and the matches of the test are in one page, for a browser:\n"
            f"  open {paths.displayed(page)}"
        )
        if duel.test.decision is None:
            raise typer.Exit(UNDECIDED_CODE)
        if duel.test.decision is not Decision.BETTER:
            raise typer.Exit(1)

    def _duel(
        self,
        first: tuple[str, Point],
        second: tuple[str, Point],
        folder: Path,
        most: int,
        test: SequentialTest,
        *,
        quiet: bool,
    ) -> "Duel":
        """Play a duel of two variants of the bot; `quiet` leaves out how far it is."""
        from arena.event import duel as event_duel

        bots = []
        for suffix, values in (first, second):
            variant = variants.make(self._bot, values, self._folder / "variants")
            bots.append(replace(variant, name=f"{self._bot.name}-{suffix}"))
        names = (bots[0].name, bots[1].name)
        event, notices = event_duel.prepared(
            self._tournament,
            (bots[0], bots[1]),
            folder.name,
            ("--pairings", most),
            options.names_in(self._boards),
            workspace.conditions_here(self._tournament),
            paths.results_folder(Path(), paths.SAMPLED_BOARDS),
        )
        for words in notices:
            if words not in self._said:
                self._said.add(words)
                output.notice(words)
        duel = event_duel.Duel(event, names, test, event_duel.POINTS)
        workers = workspace.matches_at_once(self._tournament, event)
        kind_of_watcher = duels.DuelWatcher
        if quiet:
            kind_of_watcher = QuietWatcher
        watcher = kind_of_watcher(duel, workers)

        def run(is_over: "Callable[[], bool]") -> "Progress":
            return watching.play(
                event,
                folder,
                watcher,
                is_over,
                workers=workers,
                pin=self._tournament.workers.pinned,
                services=self._services,
            )

        done = event_duel.play(
            duel,
            folder,
            watcher.heard,
            lambda: bool(self._interrupt),
            run,
        )
        try:
            done.refuse_absentees()
        except event_duel.AbsentError as error:
            raise ArenaError(f"{error}; its files are in {paths.displayed(folder)}") from error
        watching.notice_given_up(done.given_up)
        if not duel.is_over:
            with self._interrupt.aborting():
                raise ArenaError(f"{paths.displayed(folder)}: not over; to go on: {command_line()}")
        return duel


def _words(values: Point) -> str:
    words = [f"{name} {value:g}" for name, value in values.items()]
    return ", ".join(words)
