"""`arena duel`: is one bot better than another? Pairings are played until a sequential test has decided.

The test is in results/sequential.py, the matches are played as those of a run are, and their results are an event of
their own. So a duel that was stopped goes on from its stored matches, and a duel that was decided is decided again
without a match.
"""

# A duel is a round robin of two bots with as many repeats as the limit of pairings allows, which is stopped as soon as
# the test has decided. It needs no schedule of its own: the plan is that of the event, and only the callback `stopped`
# reads results. Lanes finish matches in any order, so a round counts when all rounds before it are complete: else quick
# matches would count first, and who wins quickly would decide. Matches of later rounds that are done by then stay
# stored and do not count; with another question they may. For the same reason a match that arena gave up ends the duel
# for now: to leave its round out would be a choice that the match itself made.

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options, output, paths, signals, workspace
from arena.cli.run import command_line, make_archive
from arena.cli.run.watching import FRAME_INTERVAL_S, LINE_INTERVAL_S, Watcher, absence
from arena.errors import ArenaError
from arena.values import Abort, Board, Bot, Ending, Event, Fault, Openings, Played, Record

if TYPE_CHECKING:
    from rich.live import Live

    from arena.results.sequential import SequentialTest

UNDECIDED_CODE = 3
FEWEST_ALIKE = 10  # rounds with one and the same result, before a notice says so
MOST_PAIRINGS = 100_000  # the plan of so many takes some 100 MB
OPENING_PLIES = 6  # lead to 60 to 800 different states on the shipped boards; 4 plies to 20 to 150
BOUNDS_METAVAR = "LOW HIGH"
Bounds = tuple[float, float] | None


def duel(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The bot that may be better: a name, a path, or `ada@2` for a version.")
    ],
    opponent: Annotated[str, typer.Argument(metavar="BOT", help="The bot that it is compared with.")],
    boards: Annotated[
        list[str] | None, typer.Option(help="Only these boards, such as hunt,duel. Default: those of tournament.toml.")
    ] = None,
    points: Annotated[
        Bounds,
        typer.Option(
            metavar=BOUNDS_METAVAR, help="Better by more than LOW points, or by less than HIGH. Default: 0 5."
        ),
    ] = None,
    elo: Annotated[Bounds, typer.Option(metavar=BOUNDS_METAVAR, help="The same two bounds in Elo.")] = None,
    alpha: Annotated[float, typer.Option(help="The probability of a wrong `better`, at most.")] = 0.05,
    beta: Annotated[float, typer.Option(help="The probability of a wrong `not better`, at most.")] = 0.05,
    max_pairings: Annotated[
        int, typer.Option(min=1, max=MOST_PAIRINGS, help="Undecided after so many pairings.")
    ] = 5000,
    workers: Annotated[str | None, typer.Option(help="Matches at once: a number, or auto.")] = None,
    seed: Annotated[str | None, typer.Option(help="Fixes every draw: a number, or 32 hex digits.")] = None,
    name: Annotated[
        str | None, typer.Option(help="The results go to results/NAME. Default: duel, with both names.")
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any key of tournament.toml, such as time.move=0.5."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Test whether a bot is better than another: play pairings until it is proven, either way.

    Exit codes: 0 it is better; 1 it is not better; 3 undecided; 2 a mistake, named; 130, 143, 129 after a signal.
    The same command goes on with a duel that was stopped.
    """
    from arena.results import sequential
    from arena.sandbox import cores

    if points is not None and elo is not None:
        raise ArenaError("--points and --elo are two ways to say the same bounds: choose one")
    scale = ELO if elo is not None else POINTS
    low, high = elo or points or (0.0, 5.0)
    if not low < high:
        raise ArenaError(f"--{scale.unit.lower()} {low:g} {high:g}: the first bound must be lower than the second")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise ArenaError(f"--alpha {alpha:g} and --beta {beta:g}: both must be above 0 and below 0.5")
    try:
        question = sequential.Question(low=scale.to_points(low), high=scale.to_points(high), alpha=alpha, beta=beta)
    except ValueError as error:
        hint = "both bounds must be between -100 and 100" if scale is POINTS else "no match can show such a difference"
        raise ArenaError(f"--{scale.unit.lower()} {low:g} {high:g}: {hint}") from error
    overrides = options.overrides(
        settings or (),
        schedule="round_robin",
        repeats=1,
        seating="sides",
        seed=None if seed is None else options.seed_of(seed),
        name=name,
        workers__count=options.worker_count(workers),
        sandbox=sandbox,
        unsafe=unsafe or None,
    )
    of_an_event = ("rounds", "references", "seed_order", "max_matches", "stop_after", "stop_when", "grade")
    tournament = workspace.own_tournament(overrides)
    tournament = tournament.model_copy(update={key: type(tournament).model_fields[key].default for key in of_an_event})
    bots = workspace.bot_named(bot), workspace.bot_named(opponent)
    if bots[0] == bots[1] or (bots[0].digest == bots[1].digest and _family(bots[0]) == _family(bots[1])):
        raise ArenaError(f"{bot} and {opponent} are the same bot, file by file: name two")
    event = tournament.event(Path(), boards=options.split(boards or ()), entered=bots)
    playable = tuple(_playable(event, named=bool(boards)))
    rounds = max_pairings // len(playable)
    if not rounds:
        raise ArenaError(f"--max-pairings {max_pairings}: {len(playable)} boards need {len(playable)} at least")
    names = bots[0].name, bots[1].name
    event = replace(event, name=name or f"duel-{names[0]}-{names[1]}", boards=playable, repeats=rounds)
    if "openings" not in tournament.model_fields_set:
        event = _with_openings(event)
    count = tournament.workers.count
    if count == "auto":
        count = cores.matches_at_once(event, len(cores.available()))
    output.warn_about_confinement(event.conditions)
    state = Duel(event, names, sequential.SequentialTest(question), scale)
    folder = paths.results_folder(Path(), event.name)
    with signals.listening() as stop:
        given_up = _play(state, folder, count, stop, tournament.workers.pinned)
    if stop and state.test.decision is None:
        output.notice(f"{_pairings(state)} are complete; to go on:\n  {command_line()}")
        raise typer.Exit(stop.code)
    for abort in given_up:
        cause = abort.cause.strip().splitlines()[-1:] or [""]
        output.notice(f"match {abort.match} was given up after {abort.attempt} attempts: {output.safe_line(cause[0])}")
    if json:
        output.print_json([_row(state, folder)])
    else:
        print("\n".join(_report(state)))
    if given_up and state.test.decision is None:
        output.notice(f"its pairing comes before others, so the test cannot go on; to try again:\n  {command_line()}")
    output.notice(f"stored in {paths.displayed(folder)}; `arena report {paths.displayed(folder)}` shows every match")
    if state.test.decision is None:
        raise typer.Exit(UNDECIDED_CODE)
    if state.test.decision is not sequential.Decision.BETTER:
        raise typer.Exit(1)


@dataclass(frozen=True)
class Scale:
    """A unit for differences."""

    unit: str
    to_points: Callable[[float], float]
    of_points: Callable[[float], float]

    def text(self, points: float) -> str:
        """Return a difference in points as text in this unit, with its sign."""
        return f"{self.of_points(points) + 0.0:+.1f}"


def _points_of_elo(elo: float) -> float:
    from arena.results.sequential import points_of_elo

    return points_of_elo(elo)


def _elo_of_points(points: float) -> float:
    from arena.results.sequential import elo_of_points

    return elo_of_points(points)


POINTS = Scale("points", float, float)
ELO = Scale("Elo", _points_of_elo, _elo_of_points)


class Duel:
    """The test of a duel, and the matches of rounds that do not count yet."""

    def __init__(self, event: Event, names: tuple[str, str], test: "SequentialTest", scale: Scale) -> None:
        from arena.event import schedules

        self.event, self.names, self.test, self.scale = event, names, test, scale
        self.round_matches = sum(schedules.find(event.schedule).count(replace(event, repeats=1)).values())
        self.faults: Counter[tuple[str, Ending]] = Counter()
        """Seats at fault in the rounds that count, by bot and ending."""
        self._waiting: dict[int, list[Played]] = {}

    @property
    def rounds(self) -> int:
        """The number of rounds that count."""
        return len(self.test.differences)

    @property
    def is_over(self) -> bool:
        """True if the test has decided, or no more rounds may be played."""
        return self.test.decision is not None or self.rounds == self.event.repeats

    def add(self, match: Played) -> None:
        """Count a match as soon as its round and all rounds before it are complete."""
        from arena.results.sequential import difference

        self._waiting.setdefault(match.repeat, []).append(match)
        while not self.is_over and len(self._waiting.get(self.rounds, ())) == self.round_matches:
            matches = self._waiting.pop(self.rounds)
            self.faults.update((done.seats[role], ending) for done in matches for role, ending in done.endings.items())
            self.test.add(difference(matches, *self.names))


class _DuelWatcher(Watcher):
    """Shows how far the test has come: on a terminal in a frame, in a pipe in a line now and then."""

    def __init__(self, duel: Duel, workers: int, live: "Live | None") -> None:
        super().__init__(duel.event.name, workers)
        self._duel, self._live = duel, live
        self._shown_at = time.monotonic()
        self.blocked = False
        """True once a match was given up: no later round can count in this run."""

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned, self.done, self.begun = planned, finished, time.monotonic()
        before = f", {finished} matches played before" if finished else ""
        most = self._duel.event.repeats * len(self._duel.event.boards)
        self.line(f"{self.name}: at most {output.counted(most, 'pairing')}{before}, {self.workers} matches at a time")

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.absentees[bot] = fault  # ends the duel, whose error reports it

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        super().finished(record)
        self._duel.add(Played.of(record))

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        from arena.event.tournament import ATTEMPTS

        super().aborted(abort)
        self.blocked |= abort.attempt >= ATTEMPTS

    def line(self, text: str) -> None:
        """Print a line at once, above the frame."""
        if self._live is None:
            output.notice(text)
        else:
            from rich.text import Text

            self._live.console.print(Text(output.safe_lines(text)))

    def tick(self) -> None:
        """Show the test if that is due."""
        if time.monotonic() - self._shown_at < (LINE_INTERVAL_S if self._live is None else FRAME_INTERVAL_S):
            return
        self._shown_at = time.monotonic()
        rate = self.progress.rate
        speed = "" if rate is None else f", {rate:.1f} matches/s"
        bot, opponent = map(output.safe_line, self._duel.names)
        lines = [f"{bot} against {opponent}: {_pairings(self._duel)}{speed}", *_evidence(self._duel)]
        if self._live is None:
            self.line("; ".join(lines))
        else:
            from rich.text import Text

            self._live.update(Text("\n".join(lines)), refresh=True)


def _play(duel: Duel, folder: Path, workers: int, stop: signals.Stop, pin: bool | None) -> tuple[Abort, ...]:
    """Play until the test has decided; return the matches that were given up."""
    from arena.event import plan, tournament
    from arena.results.archive import Archive

    make_archive(duel.event, folder)
    with Archive.open(folder) as archive:
        stored = [planned.match.id for planned in plan.known(duel.event, archive) if planned.stored]
        for match in archive.played_of(stored):
            duel.add(match)
    if duel.is_over:
        return ()
    with ExitStack() as stack:
        watcher = _DuelWatcher(duel, workers, stack.enter_context(_live()))

        def stopped() -> bool:
            watcher.tick()  # the run calls this about ten times a second, also when no match ends
            return bool(stop or duel.is_over or watcher.blocked or watcher.absentees)

        outcome = tournament.run(duel.event, folder, workers=workers, audience=watcher, pin=pin, stopped=stopped)
    if outcome.unlogged:
        output.notice(outcome.unlogged)
    for bot, fault in watcher.absentees.items():  # to forfeit all its matches would prove nothing about how it plays
        raise ArenaError(f"{absence(bot, fault).replace(', its matches are forfeited', '')}; `arena check` says more")
    return outcome.failed


def _live() -> "AbstractContextManager[Live | None]":
    """Return a frame at the bottom of the terminal, or None where stderr is none."""
    console = output.console(sys.stderr)
    if not sys.stderr.isatty() or not console.is_terminal or console.is_dumb_terminal:
        return nullcontext()
    from rich.live import Live

    return Live(console=console, auto_refresh=False, transient=True)


def _family(bot: Bot) -> str:
    """Return the name of a bot without its version."""
    return bot.name.partition("@")[0]


def _playable(event: Event, *, named: bool) -> Iterator[Board]:
    """Yield the boards on which both bots play every role; ArenaError if none is left, or if one was named."""
    from arena.event import schedules

    refusals = []
    for board in event.boards:
        misses = [
            f"{bot.name} does not play {role}"
            for bot in event.bots
            for role in board.roles
            if not bot.plays(board.game, board.name, role)
        ]
        if not misses and not sum(schedules.find(event.schedule).count(replace(event, boards=(board,))).values()):
            misses = [f"it has {len(board.sides)} sides, and a duel has two bots"]
        if misses:
            refusals.append(f"{board.label}: {misses[0]}")
        else:
            yield board
    if refusals and (named or len(refusals) == len(event.boards)):
        raise ArenaError(f"{'; '.join(refusals)}: choose boards on which both play every role, --boards NAME")
    if refusals:
        output.notice(f"left out: {'; '.join(refusals)}")


def _with_openings(event: Event) -> Event:
    """Return the event with drawn openings: else bots that play the same each time would repeat one pairing for ever.

    Where a board is over too soon for them, there are none. Openings are drawn without repetition until a board has no
    more; if pairings repeat after that, the answer is about the mean over the openings of the board.
    """
    from arena.games import openings, rulebook

    for board in event.boards:
        try:
            openings.refuse_rare(rulebook.game_of(board), OPENING_PLIES)
        except ArenaError as error:
            output.notice(f"without openings: {board.label}: {error}")
            return event
    return replace(event, openings=Openings(plies=OPENING_PLIES))


def _pairings(duel: Duel) -> str:
    """Return the number of pairings that count, in words."""
    return output.counted(duel.rounds * len(duel.event.boards), "pairing")


def _evidence(duel: Duel) -> Iterator[str]:
    """Yield the difference so far, and how near the test is to each decision."""
    test = duel.test
    low, high = map(duel.scale.text, test.interval())
    interval = f"{100 * test.level:g} % interval {low} to {high}"
    yield f"difference {duel.scale.text(test.mean)} {duel.scale.unit} ({interval})"
    yield f"better: LLR {test.llr_better:+.2f} of {test.bound_better:.2f}"
    yield f"not better: LLR {test.llr_not_better:+.2f} of {test.bound_not_better:.2f}"


def _report(duel: Duel) -> Iterator[str]:
    """Yield the outcome in sentences."""
    from arena.results.sequential import Decision

    test, scale, question = duel.test, duel.scale, duel.test.question
    bot, opponent = map(output.safe_line, duel.names)
    boards = ", ".join(board.label for board in duel.event.boards)
    yield f"{bot} against {opponent} on {boards}: {_pairings(duel)}, {duel.rounds * duel.round_matches} matches"
    yield from _evidence(duel)
    for name, faults in sorted(_faults(duel)):
        yield f"{output.safe_line(name)} failed: {faults}"
    low, high = _bound(question.low, scale), _bound(question.high, scale)
    if test.decision is Decision.BETTER:
        yield f"yes: {bot} is better than {opponent}" + (f" by more than {low}" if question.low else "")
    elif test.decision is Decision.NOT_BETTER and test.interval()[1] < 0:
        yield f"no: {bot} is worse than {opponent}"
    elif test.decision is Decision.NOT_BETTER:
        yield f"no: {bot} is not better than {opponent}" + (f" by {high} or more" if question.high else "")
    elif duel.is_over:
        yield (
            f"undecided after {_pairings(duel)}, the limit: neither more than {low} nor less than {high} is proven; "
            "with a larger --max-pairings the duel goes on"
        )
    else:
        yield f"undecided: {_pairings(duel)} were complete when the duel ended early"
    if len(test.differences) >= FEWEST_ALIKE and len(set(test.differences)) == 1:
        yield (
            "Every pairing had the same result: if neither bots nor boards leave anything to chance, more pairings "
            "tell nothing new; other openings might (--set openings.plies=8)."
        )


def _bound(points: float, scale: Scale) -> str:
    return f"{scale.of_points(points):.4g} {scale.unit}"


def _faults(duel: Duel) -> Iterator[tuple[str, str]]:
    """Yield the bots at fault, each with the number of its seats by ending."""
    for name in duel.names:
        endings = [f"{times} x {ending}" for (bot, ending), times in sorted(duel.faults.items()) if bot == name]
        if endings:
            yield name, ", ".join(endings)


def _row(duel: Duel, folder: Path) -> dict[str, object]:
    """Return the outcome for `--json`; differences and bounds are in `unit`."""
    test, question, of_points = duel.test, duel.test.question, duel.scale.of_points
    low, high = test.interval()
    figures: Iterable[tuple[str, float]] = (
        ("difference", of_points(test.mean)),
        ("low", of_points(low)),
        ("high", of_points(high)),
        ("level", test.level),
        ("bound_low", of_points(question.low)),
        ("bound_high", of_points(question.high)),
        ("alpha", question.alpha),
        ("beta", question.beta),
        ("llr_better", test.llr_better),
        ("llr_better_bound", test.bound_better),
        ("llr_not_better", test.llr_not_better),
        ("llr_not_better_bound", test.bound_not_better),
    )
    return {
        "bot": duel.names[0],
        "opponent": duel.names[1],
        "verdict": test.decision or "undecided",
        "boards": [board.label for board in duel.event.boards],
        "pairings": duel.rounds * len(duel.event.boards),
        "matches": duel.rounds * duel.round_matches,
        "unit": duel.scale.unit,
        **{key: round(value, 4) + 0.0 for key, value in figures},  # 0.0 for -0.0
        "faults": dict(_faults(duel)),
        "results": paths.displayed(folder),
    }
