"""`arena duel`: is one bot better than another? Pairings are played until a sequential test has decided.

The test is in results/sequential.py, the matches are played as those of a run are, and their results are an event of
their own. So a duel that was stopped goes on from its stored matches, and a duel that was decided is decided again
without a match.
Beside it stand the state of a duel, its display while it is played, and its words.
"""

# A duel is a round robin of two bots with as many repeats as the limit of pairings allows, which is stopped as soon as
# the test has decided. It needs no schedule of its own: the plan is that of the event, and only the callback `stopped`
# reads results. Lanes finish matches in any order, so a round counts when all rounds before it are complete: else quick
# matches would count first, and who wins quickly would decide. Matches of later rounds that are done by then stay
# stored and do not count; with another question they may. For the same reason a match that arena gave up ends the duel
# for now: to leave its round out would be a choice that the match itself made.

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, output, paths, signals, workspace
from arena.cli.duel import wording
from arena.cli.duel.state import ELO, POINTS, Duel
from arena.cli.duel.watching import DuelWatcher, live_frame
from arena.cli.run import command_line, make_archive
from arena.cli.run.watching import absence
from arena.errors import ArenaError
from arena.values import Abort, Board, Bot, Event, Openings

UNDECIDED_CODE = 3
MOST_PAIRINGS = 100_000  # their plan takes some 100 MB
OPENING_PLIES = 6  # lead to 60 to 800 different states on the shipped boards; 4 plies to 20 to 150
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
    seed: Annotated[str | None, typer.Option(help="Fixes every draw: a number, or 32 hex digits.")] = None,
    name: Annotated[
        str | None, typer.Option(help="The results go to results/NAME; default: duel, with both names.")
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

    Exit codes: 0 it is better; 1 it is not better; 3 undecided.
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
    event = tournament.event(
        Path(), boards=options.names_in(boards), entered=bots, sampled_boards=paths.boards_folder(Path())
    )
    playable = tuple(_playable(event, named=bool(boards)))
    pairings = sum(board.variants for board in playable)
    rounds = max_pairings // pairings
    if not rounds:
        raise ArenaError(f"--max-pairings {max_pairings}: one round of all boards has {pairings}")
    names = bots[0].name, bots[1].name
    conditions = workspace.conditions_here(tournament)
    event = replace(
        event, name=name or f"duel-{names[0]}-{names[1]}", boards=playable, repeats=rounds, conditions=conditions
    )
    if "openings" not in tournament.model_fields_set:
        event = _with_openings(event)
    count = tournament.workers.count
    if count == "auto":
        count = cores.matches_at_once(event, len(cores.available()))
    output.warn_about_confinement(event.conditions)
    state = Duel(event, names, sequential.SequentialTest(question), scale)
    folder = paths.results_folder(Path(), event.name)
    with signals.listening() as interrupt:
        given_up = _play(state, folder, count, interrupt, tournament.workers.pinned)
    if interrupt and state.test.decision is None:
        output.notice(f"{wording.pairings(state)} are complete; to go on:\n  {command_line()}")
        raise typer.Exit(interrupt.code)
    for abort in given_up:
        cause = abort.cause.strip().splitlines()[-1:] or [""]
        output.notice(f"match {abort.match} was given up after {abort.attempt} attempts: {output.safe_line(cause[0])}")
    if json:
        output.print_json([wording.row(state, folder)])
    else:
        print("\n".join(wording.report(state)))
    if given_up and state.test.decision is None:
        output.notice(f"its pairing comes before others, so the test cannot go on; to try again:\n  {command_line()}")
    output.notice(f"stored in {paths.displayed(folder)}; `arena report {paths.displayed(folder)}` shows every match")
    if state.test.decision is None:
        raise typer.Exit(UNDECIDED_CODE)
    if state.test.decision is not sequential.Decision.BETTER:
        raise typer.Exit(1)


def _play(duel: Duel, folder: Path, workers: int, interrupt: signals.Interrupt, pin: bool | None) -> tuple[Abort, ...]:
    """Play until the test has decided; return the matches that were given up."""
    from arena.event import plan, tournament
    from arena.event.director import Phase
    from arena.results.archive import Archive

    make_archive(duel.event, folder)
    with Archive.open(folder) as archive:
        stored = [match.id for match in plan.stored(duel.event, archive)]
        for match in archive.played_of(stored):
            duel.add(match)
    if duel.is_over:
        return ()
    with ExitStack() as stack:
        watcher = DuelWatcher(duel, workers, stack.enter_context(live_frame()))

        def stopped() -> bool:
            watcher.tick()  # the run calls this about ten times a second, also when no match ends
            return bool(interrupt or duel.is_over or watcher.blocked or watcher.absentees)

        outcome = tournament.run(duel.event, folder, workers=workers, audience=watcher, pin=pin, stopped=stopped)
    if outcome.unlogged:
        output.notice(outcome.unlogged)
    if outcome.phase is Phase.HALTED and not duel.is_over:
        output.notice(f"stopped by `arena stop`; to go on:\n  {command_line()}")
    for bot, fault in watcher.absentees.items():  # to forfeit all its matches would prove nothing about how it plays
        raise ArenaError(f"{absence(bot, fault).replace(', its matches are forfeited', '')}; `arena check` says more")
    return outcome.failed


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
        raise ArenaError(f"{'; '.join(refusals)}: choose boards on which both play every role, --board NAME")
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
