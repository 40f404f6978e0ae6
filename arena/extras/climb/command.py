"""`arena climb`: agents edit bots, round by round, and what is proven good enough is promoted.

The order of the steps is that of climbing.py; here are the agents, the event, the tests and the
display.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import signals, whole_files, workspace
from arena.cli import duel as duels
from arena.cli import options, output, paths, results, stored_match, watching
from arena.cli.command_line import command_line
from arena.errors import ArenaError, writing
from arena.event import discovery, histories, result_files, run_words, schedules, service
from arena.extras.climb.table import table_of
from arena.identity import digest_of
from arena.results.sequential import Decision, SequentialTest
from arena.values import Bot, Event

if TYPE_CHECKING:
    from arena.author.submissions.bot_store import BotStore, Version
    from arena.event.config import Tournament
    from arena.event.service import Opener
    from arena.extras.climb.agent import AgentWork
    from arena.extras.climb.climbing import Proof
    from arena.extras.climb.history import Edit, History

ROUNDS = 10


def climb(
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT...", help="The bots that agents are to improve, by name."),
    ],
    agents: Annotated[
        list[str],
        typer.Option(
            "--agent",
            metavar="COMMAND",
            help="The agent: one for all bots, or one for each of them, in their order.",
        ),
    ],
    readable: Annotated[
        list[Path],
        typer.Option(
            "--agent-reads",
            metavar="FOLDER",
            help="A folder that agents may read with all in it, "
            "such as what they are installed in.",
        ),
    ] = [],  # noqa: B006 (typer wants a list, and nobody changes it)
    rounds: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000,
            help="The number of rounds.",
        ),
    ] = ROUNDS,
    boards: options.BoardNames = None,
    workers: options.Workers = None,
    seed: options.Seed = None,
    name: Annotated[
        str | None, typer.Option(help="The results go to results/NAME; default: climb-BOT.")
    ] = None,
    sandbox: options.Sandbox = None,
    unsafe: options.Unsafe = False,
    settings: options.Settings = None,
    charts: Annotated[
        bool, typer.Option("--charts/--no-charts", help="Draw the charts, write the report.")
    ] = True,
    json: options.Json = False,
) -> None:
    """Let agents edit bots, round by round; a version is promoted only if it is proven good enough.

    An agent is a program that edits the files in its folder, confined. The same command goes on
    after an interruption.
    """
    from arena.extras.climb.agent import refuse_private, refuse_without_network, words_of
    from arena.extras.climb.climbing import Climb, begun

    for bot in bots:
        if not discovery.may_be_called(bot):
            raise ArenaError(f"{bot}: name a bot of this workspace, as `arena bots` lists it")
    if len(set(bots)) < len(bots):
        raise ArenaError(f"{' '.join(bots)}: each bot climbs once: name it once")
    if len(agents) not in {1, len(bots)}:
        raise ArenaError(
            f"--agent: {len(agents)} for {len(bots)} bots: name one for all, or one for each"
        )
    name = name or f"climb-{'-'.join(bots)}"
    overrides = options.overrides(
        settings,
        seed=seed,
        name=name,
        workers=workers,
        sandbox=sandbox,
        unsafe=unsafe,
    )
    tournament = workspace.own_tournament(overrides)
    tournament_file = Path(paths.TOURNAMENT_FILE)
    store = workspace.bot_store(tournament)
    board_names = options.names_in(boards)
    event, _ = workspace.event_of(tournament, tournament_file, boards=board_names)
    entered = {bot.name for bot in event.bots}
    missing = [bot for bot in bots if bot not in entered]
    if missing:
        raise ArenaError(f"{missing[0]}: is no bot of this event; `arena bots` lists them")
    screening = workspace.screening(tournament, board_names)
    if len(agents) < len(bots):
        agents = agents * len(bots)  # one for all
    commands = dict(zip(bots, agents, strict=True))
    openers = workspace.services(tournament, Path())
    folder = paths.results_folder(Path(), name)
    private: list[Path] = []
    for known in service.known().values():
        private += known.secret_files(tournament)
    private += [store.bots, folder.parent, tournament_file]
    words: dict[str, tuple[str, ...]] = {}
    for bot, command in commands.items():
        words[bot] = words_of(command, private)
    folders = tuple(folder.resolve() for folder in readable)
    refuse_private(folders, private)

    table = table_of(tournament)
    if table.door == "http":
        refuse_without_network()
    rules = table.model_dump(include={"promote", "points", "pairings"})
    board_digests = [(board.label, board.digest) for board in event.boards]
    deciding = digest_of("climb", event.seed, rules, board_digests)
    lock = histories.locked(folder, ".climb.lock", "this climb")
    with signals.listening() as interrupt, lock, ExitStack() as stack:
        history = begun(store, folder, commands, deciding)
        services: dict[str, object] = {}
        for service_name, opener in openers.items():
            services[service_name] = stack.enter_context(opener(folder))
        step = _Step(tournament, folder, boards, words, folders, interrupt, services)
        climbing = Climb(
            folder=folder,
            store=store,
            history=history,
            play=step.play,
            work=step.work,
            examine=screening.faults,
            test=step.test,
            tell=_tell,
        )
        climbing.climb(rounds)
    history = climbing.history
    if interrupt:
        edits = output.counted(len(history.edits), "edit")
        output.notice(f"{edits} stored; to go on:\n  {command_line()}")
        raise typer.Exit(interrupt.code)
    _report(folder, store, history, charts=charts, json=json)


@dataclass(frozen=True)
class _Step:
    """The steps of a climb on this machine."""

    tournament: "Tournament"
    folder: Path
    boards: list[str] | None
    words: dict[str, tuple[str, ...]]
    readable: tuple[Path, ...]
    """Folders that agents may read."""
    interrupt: signals.Interrupt
    services: Mapping[str, object]
    """What serves agents and bots, open for the whole climb, by name."""

    def _openers(self) -> "dict[str, Opener]":
        """Return what opens services that are open already."""
        openers: dict[str, Opener] = {}
        for name, opened in self.services.items():
            openers[name] = service.already_open(opened)
        return openers

    def _event(self) -> Event:
        board_names = options.names_in(self.boards)
        event, _ = workspace.event_of(
            self.tournament,
            Path(paths.TOURNAMENT_FILE),
            boards=board_names,
        )
        return event

    def play(self) -> None:
        """Play what is due of the event."""
        from arena.event.tournament import make_archive

        event = self._event()
        make_archive(event, self.folder)
        count = workspace.matches_at_once(self.tournament, event)
        watcher = watching.Watcher(event.name, f"{count} at a time", schedules.at_most(event))
        outcome = watching.play(
            event,
            self.folder,
            watcher,
            lambda: self.interrupt,
            workers=count,
            pin=self.tournament.workers.pinned,
            services=self._openers(),
        )
        watching.notice_given_up(outcome.failed)
        with self.interrupt.aborting():  # what follows needs the whole event
            pass
        if not outcome.complete and outcome.stop is None:
            reason = run_words.reason(outcome.phase)
            reason = reason or "the event between the rounds is not complete"
            raise ArenaError(f"{self.folder}: {reason}; to go on: {command_line()}")

    def work(
        self,
        history: "History",
        bot: Bot,
        number: int,
        target: Path,
    ) -> "AgentWork":
        """Let an agent work in a round."""
        from arena.extras.climb import feedback
        from arena.extras.climb.agent import AgentTask, perform

        event = self._event()
        limits = table_of(self.tournament)
        seed = int(digest_of("climb", event.seed, bot.name, number), 16)
        agent = replace(bot, command=self.words[bot.name])
        workspace.refuse_exposed([agent], event.conditions.sandbox)
        model = event.conditions.model_of(bot)
        terms = None
        limits_of_calls = None
        door = ""
        if model is not None:
            terms = limits.terms(model)
            limits_of_calls = {"calls": limits.calls, "tokens": limits.tokens}
            door = limits.door
        task_fields = {
            "round": number,
            "bot": bot.name,
            "seed": seed,
            "boards": [board.label for board in event.boards],
            "promote": limits.promote,
            "seconds": limits.time,
            "model": limits_of_calls,
        }
        task = AgentTask(
            agent=agent,
            round=number,
            seed=seed,
            conditions=event.conditions,
            terms=terms,
            seconds=limits.time,
            rules=Path(event.boards[0].rules),
            door=limits.door,
            readable=self.readable,
            log=self._log(bot.name, number),
        )
        earlier = [edit for edit in history.of(bot.name) if edit.round < number]

        def write_feedback(folder: Path) -> None:
            feedback.write(
                self.folder,
                folder,
                bot.name,
                rules=stored_match.game_of,
                task=task_fields,
                edits=earlier,
                door=door,
            )

        output.notice(f"round {number}: the agent of {output.safe_line(bot.name)} works")
        with self.interrupt.aborting():
            return perform(task, self.services, write_feedback, target)

    def _log(self, bot: str, number: int) -> Path:
        """Return the file for the output of an agent in a round."""
        logs = self.folder / "agents"
        with writing(logs):
            whole_files.make_folder(logs)
        return logs / f"{bot}-{number}.log"

    def test(self, bot: str, version: "Version", before: "Version") -> "Proof":
        """Test a version against the one before, by a duel."""
        from arena.event.duel import POINTS, AbsentError, Duel
        from arena.extras.climb.climbing import Proof, question

        limits = table_of(self.tournament)
        first = _bot_of(version, bot)
        second = _bot_of(before, bot)
        name = f"{first.name}-{second.name}"
        most = ("climb.pairings", limits.pairings)
        event = duels.prepared(self.tournament, (first, second), name, most, self.boards)

        test = SequentialTest(question(limits))
        duel = Duel(event, (first.name, second.name), test, POINTS)
        folder = self.folder / "duels" / event.name
        try:
            run = duels.play(duel, folder, self.tournament, self.interrupt, self._openers())
        except AbsentError as error:  # a version that does not start loses to one that does
            decision = Decision.BETTER
            if first.name in error.absentees:
                decision = Decision.NOT_BETTER
            return Proof(decision=decision, words=str(error))

        watching.notice_given_up(run.given_up)
        if not duel.is_over:
            with self.interrupt.aborting():
                raise ArenaError(
                    f"{paths.displayed(folder)}: the test is not over; to go on: {command_line()}"
                )
        low, high = test.interval()
        return Proof(
            decision=test.decision,
            pairings=duel.pairings,
            difference=test.mean,
            low=low,
            high=high,
        )


def _bot_of(version: "Version", bot: str) -> Bot:
    """Return a version as the bot NAME@NUMBER."""
    of_files = discovery.from_path(version.path, bot)
    return replace(of_files, name=f"{bot}@{version.number}")


def _tell(edit: "Edit") -> None:
    """Print what became of an edit, when it is decided."""
    output.notice(f"round {edit.round}, {output.safe_line(edit.bot)}: {_became(edit)}")
    if edit.words:
        indented_lines = [f"  {line}" for line in edit.words.splitlines()]
        indented = "\n".join(indented_lines)
        output.notice(output.safe_lines(indented))


def _became(edit: "Edit") -> str:
    if edit.difference is None or edit.low is None or edit.high is None:
        return str(edit.outcome)
    interval = f"90 % interval {edit.low:+.1f} to {edit.high:+.1f}"
    pairings = output.counted(edit.pairings, "pairing")
    return f"{edit.outcome}: {edit.difference:+.1f} points ({interval}) in {pairings}"


def _report(
    folder: Path,
    store: "BotStore",
    history: "History",
    *,
    charts: bool,
    json: bool,
) -> None:
    """Write tables, charts and the report of the event; print a row for each edit."""
    from arena.results.archive import Archive

    event_results = results.read(folder)
    result_files.write_tables(event_results)
    page = None
    if charts:
        page = results.write_report(event_results, stored_match.game_of)
    event_results.close()
    # A process that only reads leaves SQLite's two files beside the event's; the last writer
    # removes them.
    Archive.make(folder)

    numbers: dict[str, int] = {}
    for bot in history.agents:
        for version in store.versions(bot):
            numbers[version.digest] = version.number
    names = (
        "round",
        "bot",
        "outcome",
        "difference",
        "low",
        "high",
        "pairings",
        "calls",
        "tokens",
        "cost",
    )
    if json:
        rows: list[dict[str, object]] = []
        for edit in history.edits:
            row = output.fields(edit, *names)
            row["version"] = numbers.get(edit.digest)
            row["words"] = edit.words
            rows.append(row)
        output.print_json(rows)
    else:
        heads = ("round", "bot", "version", "became", "calls", "tokens", "cost")
        lines: list[tuple[object, ...]] = []
        for edit in history.edits:
            cells = (
                edit.round,
                edit.bot,
                numbers.get(edit.digest, ""),
                _became(edit),
                edit.calls,
                edit.tokens,
                edit.cost,
            )
            lines.append(cells)
        output.print_table(output.make_table(heads, lines))
    if page is None:
        output.notice(
            f"tables: {paths.displayed(folder)}; `arena report` draws the charts and the report"
        )
    else:
        output.notice(
            "the chart `climb` and all matches are in one page, for a browser:\n"
            f"  open {paths.displayed(page)}"
        )
