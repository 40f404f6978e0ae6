"""`arena duel`: is one bot better than another? Pairings are played until a sequential test has decided.

The duel is an event of its own (event/duel.py), whose matches are played as those of a run are.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import duel_text, options, output, paths, signals, watching, workspace
from arena.cli.run import command_line, make_archive
from arena.errors import ArenaError
from arena.values import Abort, Bot, Event, Fault, Played, Record

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from arena.event.duel import Duel

UNDECIDED_CODE = 3
MOST_PAIRINGS = 100_000  # their plan takes some 100 MB
BOUNDS_METAVAR = "LOW HIGH"
Bounds = tuple[float, float] | None


def duel(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The bot that may be better: a name, a path, or `ada@2` for a version.")
    ],
    opponent: Annotated[str, typer.Argument(metavar="BOT", help="The bot that it is compared with.")],
    boards: options.BoardNames = None,
    points: Annotated[
        Bounds,
        typer.Option(
            metavar=BOUNDS_METAVAR, help="Better by more than LOW points, or by less than HIGH; default: 0 5."
        ),
    ] = None,
    elo: Annotated[Bounds, typer.Option(metavar=BOUNDS_METAVAR, help="The same two bounds in Elo.")] = None,
    alpha: Annotated[float, typer.Option(help="The probability of a wrong `better`, at most.")] = 0.05,
    beta: Annotated[float, typer.Option(help="The probability of a wrong `not better`, at most.")] = 0.05,
    max_pairings: Annotated[
        int, typer.Option(min=1, max=MOST_PAIRINGS, help="The number of pairings after which it is undecided.")
    ] = 5000,
    workers: Annotated[str | None, typer.Option(help="Matches at once: a number, or auto.")] = None,
    seed: options.Seed = None,
    name: Annotated[
        str | None, typer.Option(help="The results go to results/NAME; default: duel, with both names.")
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    settings: options.Settings = None,
    json: options.Json = False,
) -> None:
    """Test whether a bot is better than another: play pairings until it is proven, either way.

    Exit codes: 0 it is better; 1 it is not better; 3 undecided.
    The same command goes on with a duel that was stopped.
    """
    from arena.event.duel import ELO, POINTS, Duel, with_openings
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
    if _is_same(*bots):
        raise ArenaError(f"{bot} and {opponent} are the same bot, file by file: name two")
    event = tournament.event(
        Path(), boards=options.names_in(boards), entrants=bots, sampled_boards=paths.boards_folder(Path())
    )
    event = _playable(event, named=bool(boards))
    pairings = sum(board.variants for board in event.boards)
    rounds = max_pairings // pairings
    if not rounds:
        raise ArenaError(f"--max-pairings {max_pairings}: one round of all boards has {pairings}")
    names = bots[0].name, bots[1].name
    conditions = workspace.conditions_here(tournament)
    event = replace(event, name=name or f"duel-{names[0]}-{names[1]}", repeats=rounds, conditions=conditions)
    if "openings" not in tournament.model_fields_set:
        try:
            event = with_openings(event)
        except ArenaError as error:
            output.notice(f"without openings: {error}")
    count = tournament.workers.count
    if count == "auto":
        count = cores.matches_at_once(event, len(cores.available()))
    output.warn_about_confinement(event.conditions)
    state = Duel(event, names, sequential.SequentialTest(question), scale)
    folder = paths.results_folder(Path(), event.name)
    with signals.listening() as interrupt:
        given_up = _play(state, folder, count, interrupt, tournament.workers.pinned)
    if interrupt and state.test.decision is None:
        output.notice(f"{duel_text.pairings(state)} are complete; to go on:\n  {command_line()}")
        raise typer.Exit(interrupt.code)
    watching.notice_given_up(given_up)
    if json:
        output.print_json([duel_text.row(state, folder)])
    else:
        print("\n".join(duel_text.report(state)))
    if given_up and state.test.decision is None:
        output.notice(f"its pairing comes before others, so the test cannot go on; to try again:\n  {command_line()}")
    output.notice(f"stored in {paths.displayed(folder)}; `arena report {paths.displayed(folder)}` shows every match")
    if state.test.decision is None:
        raise typer.Exit(UNDECIDED_CODE)
    if state.test.decision is not sequential.Decision.BETTER:
        raise typer.Exit(1)


class DuelWatcher(watching.Watcher):
    """Shows how near the test of a duel is to each decision."""

    def __init__(self, duel: "Duel", workers: int, live: "Live | None") -> None:
        super().__init__(duel.event.name, f"{workers} matches at a time", "", live)
        self._duel = duel
        self.blocked = False
        """True once a match was given up: no later round can count in this run."""

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""
        self.planned, self.done = planned, finished
        before = f", {finished} matches played before" if finished else ""
        most = self._duel.event.repeats * self._duel.pairings_a_round
        self.line(f"{self.name}: at most {output.counted(most, 'pairing')}{before}, {self.lanes}")

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.absentees[bot] = fault  # ends the duel, whose error reports it

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        self._duel.add(Played.of(record))
        super().finished(record)

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        from arena.event.director import ATTEMPTS

        super().aborted(abort)
        self.blocked |= abort.attempt >= ATTEMPTS

    def summary(self) -> str:
        """Return the state of the test as one line."""
        return "; ".join(self._lines())

    def frame(self) -> "RenderableType":
        """Return the state of the test."""
        from rich.text import Text

        return Text("\n".join(self._lines()))

    def _lines(self) -> list[str]:
        speed = "" if self.rate is None else f", {self.rate:.1f} matches/s"
        bot, opponent = map(output.safe_line, self._duel.names)
        return [
            f"{bot} against {opponent}: {duel_text.pairings(self._duel)}{speed}",
            *duel_text.evidence(self._duel),
        ]


def _play(
    duel: "Duel", folder: Path, workers: int, interrupt: signals.Interrupt, pin: bool | None
) -> tuple[Abort, ...]:
    """Play until the test has decided; return the matches that were given up."""
    from arena.event import tournament
    from arena.event.director import RunPhase
    from arena.results.archive import Archive

    make_archive(duel.event, folder)
    with Archive.open(folder) as archive:
        duel.add_stored(archive)
    if duel.is_over:
        return ()
    with watching.live_frame() as live:
        watcher = DuelWatcher(duel, workers, live)

        def stopped() -> bool:
            watcher.tick()  # the run calls this about ten times a second, also when no match ends
            return bool(interrupt or duel.is_over or watcher.blocked or watcher.absentees)

        outcome = tournament.run(duel.event, folder, workers=workers, audience=watcher, pin=pin, stopped=stopped)
    if outcome.unlogged:
        output.notice(outcome.unlogged)
    if outcome.phase is RunPhase.HALTED and not duel.is_over:
        output.notice(f"stopped by `arena stop`; to go on:\n  {command_line()}")
    for bot, fault in watcher.absentees.items():  # to forfeit all its matches would prove nothing about how it plays
        raise ArenaError(f"{watching.absence(bot, fault, forfeits=False)}; `arena check` says more")
    return outcome.failed


def _is_same(bot: Bot, other: Bot) -> bool:
    """Return True for the same files under one name; `ada@1` and `ada@2` have the name `ada`."""
    return bot.digest == other.digest and bot.name.partition("@")[0] == other.name.partition("@")[0]


def _playable(event: Event, *, named: bool) -> Event:
    """Return the event on the boards on which both bots play every role.

    ArenaError if none is left, or if one that was named is left out.
    """
    from arena.event.duel import refusals

    refused = dict(refusals(event))
    words = "; ".join(refused.values())
    if refused and (named or len(refused) == len(event.boards)):
        raise ArenaError(f"{words}: choose boards on which both play every role, --board NAME")
    if refused:
        output.notice(f"left out: {words}")
    return replace(event, boards=tuple(board for board in event.boards if board not in refused))
