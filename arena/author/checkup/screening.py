"""The check of submissions: each bot is built and examined, one on each core at a time.

A bot that breaks the processes by which arena starts bots is refused, and the next bot gets new
processes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena import system
from arena.author.checkup import CheckRun, Checkup, Finding, Weight, checkup
from arena.errors import ArenaError, MachineError
from arena.event.workers import Workers
from arena.games import rulebook
from arena.match.bot import OverloadedError
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Conditions

BOTS_PER_LAUNCHER = 20  # a launcher keeps a copy of each bot until it ends
ATTEMPTS = 2


@dataclass(frozen=True, kw_only=True)
class Screening:
    """What bots have to pass before they are accepted."""

    conditions: Conditions
    """The level of confinement must be resolved."""
    build: Callable[[Iterable[Bot]], tuple[Bot, ...]]
    """Returns bots as they play here, built and with what the event allows them.

    It is called in other processes."""
    boards: tuple[str, ...] = ()
    """Names of the boards at which bots are checked; `()` = those of the event."""
    events: tuple[str, ...] = ()
    """The names of the event's boards; a bot that plays none of them is checked at all others."""
    opened: bool = False
    """True if the event has openings."""
    report: Callable[[str], object] = id
    """Called with the traceback when arena itself failed at a bot."""

    def boards_of(self, bot: Bot) -> tuple[Board, ...]:
        """Return the boards at which a bot is checked; ArenaError if it plays none of them."""
        boards = _played(bot, _found(self.boards or self.events))
        if not boards and not self.boards:
            boards = _played(bot, rulebook.all_boards())
        if not boards:
            plays = " ".join(bot.games + bot.roles)
            raise ArenaError(
                f"{bot.name}: plays none of these boards: its bot.toml says {plays}; `arena games` "
                "lists them"
            )
        return boards

    def is_idle(self, bot: Bot) -> bool:
        """Return whether there is an event, and the bot plays none of its boards."""
        if not self.events:
            return False
        boards = _found(self.events)
        return not _played(bot, boards)

    def checkup(
        self,
        bot: Bot,
        launcher: Launcher,
        tell: Callable[[CheckRun, int], object] = lambda _, __: None,
        services: Mapping[str, object] | None = None,
    ) -> Checkup:
        """Examine a bot that `build` has returned.

        `tell` is called after each run, with the number of runs that there are at most; `services`
        serve the bot from outside, by name.
        """
        boards = self.boards_of(bot)
        return checkup(
            bot,
            boards,
            self.conditions,
            launcher,
            tell,
            opened=self.opened,
            services=services,
        )

    def faults(self, bots: Iterable[Bot]) -> Iterator[tuple[str, ...]]:
        """Yield the faults of each bot, a paragraph each, in the order of the bots.

        A bot without faults is fit to play.
        """
        # All bots come before the lanes begin: archives are unpacked in forks, and threads feed the
        # lanes.
        bots = list(bots)
        cores = len(system.cores())
        lane_count = min(cores, len(bots))
        batch_size = BOTS_PER_LAUNCHER * max(1, lane_count)
        for start in range(0, len(bots), batch_size):
            batch = bots[start : start + batch_size]
            with Workers(lane_count, pin=True, watches=True) as lanes:
                yield from self._faults_of(lanes, batch)

    def _faults_of(self, lanes: Workers, bots: list[Bot]) -> Iterator[tuple[str, ...]]:
        waiting = deque((number, 1) for number in range(len(bots)))
        """The number of each bot, with that of the attempt."""
        faults: dict[int, tuple[str, ...]] = {}
        due = 0

        def next_bot() -> tuple[Bot, int, int] | None:
            if not waiting:
                return None
            number, attempt = waiting.popleft()
            return bots[number], number, attempt

        for done in lanes.map(self._examine, next_bot):
            if isinstance(done.error, MachineError):
                raise done.error
            _, number, attempt = done.item
            if done.result is not None:
                faults[number] = done.result
            elif attempt < ATTEMPTS:
                waiting.append((number, attempt + 1))
            else:
                self.report(done.failure)
                error = done.failure.strip().rpartition("\n")[2]
                words = (
                    f"arena itself failed {ATTEMPTS} times while it was tried ({error}); look at "
                    "it by hand"
                )
                faults[number] = (words,)
            while due in faults:
                yield faults.pop(due)
                due += 1

    def _examine(
        self,
        launcher: Launcher,
        item: tuple[Bot, int, int],
    ) -> tuple[str, ...]:
        """Return the faults of a bot; after an exception the lane gets a new launcher."""
        submitted, _, _ = item
        try:
            (bot,) = self.build([submitted])
            findings = self.checkup(bot, launcher).findings
        except (OverloadedError, MachineError):  # an ArenaError too, but no fault of the bot
            raise
        except ArenaError as error:
            # The author of the bot knows no such folder.
            folder = Path(submitted.files or "").parent
            return (error.seen_from(folder),)
        faults = [finding for finding in findings if finding.weight is Weight.FAULT]
        return tuple(_paragraph(fault) for fault in faults)


def _found(names: Iterable[str]) -> Iterable[Board]:
    """Return the boards of these names, each once: two names may stand for the same board."""
    boards: dict[Board, None] = {}
    for name in names:
        for board in rulebook.find(name, most=1):
            boards[board] = None
    return boards


def _played(bot: Bot, boards: Iterable[Board]) -> tuple[Board, ...]:
    """Return the boards on which a bot plays a role."""
    played: list[Board] = []
    for board in boards:
        plays = any(bot.plays(board.game, board.name, role) for role in board.roles)
        if plays:
            played.append(board)
    return tuple(played)


def _paragraph(fault: Finding) -> str:
    """Return a fault as its author reads it, with the lines of stderr below it."""
    text = f"{fault.where}: {fault.words}\n-> {fault.cure}"
    if fault.log:
        log = "\n".join(f"stderr: {line}" for line in fault.log)
        text += f"\n\n{log}"
    return text
