"""The examination of submissions: each is built, and checked as by `arena check`; of a class, several bots at once.

A bot that breaks the processes that arena starts bots by is refused, and the next bot gets new processes.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from arena.author.checkup import Checkup, Weight, checkup
from arena.cli import check, output, workspace
from arena.errors import ArenaError, MachineError
from arena.event.workers import Workers
from arena.match.bot import OverloadedError
from arena.sandbox import cores
from arena.sandbox.launcher import ConfinementError, Launcher, SpawnerLostError
from arena.values import Bot

if TYPE_CHECKING:
    from arena.event.config import Tournament

BOTS_PER_LAUNCHER = 20  # a launcher keeps a copy of each bot until it ends
ATTEMPTS = 2


class SubmissionCheck:
    """Returns the faults of a bot, a paragraph each. A context manager, because its launcher is one."""

    def __init__(self, tournament: "Tournament", boards: tuple[str, ...]) -> None:
        self._tournament, self._boards = tournament, boards
        self._conditions, self._opened = tournament.conditions(), tournament.openings.used
        self._launcher: Launcher | None = None
        self._served = 0

    def __call__(self, bot: Bot) -> tuple[str, ...]:
        """Examine a bot; ArenaError when it cannot be tried at all."""
        (bot,) = workspace.built([bot], self._conditions.sandbox)
        boards = check.boards_of(bot, self._boards, self._tournament)
        lost: Exception | None = None
        for _ in range(ATTEMPTS):
            if self._served >= BOTS_PER_LAUNCHER:
                self.__exit__(None, None, None)
            self._served += 1
            self._launcher = self._launcher or Launcher(watches=True)
            try:
                return _faults(checkup(bot, boards, self._conditions, self._launcher, opened=self._opened))
            except (SpawnerLostError, ConfinementError, OverloadedError) as error:
                lost = error
                self.__exit__(None, None, None)
        raise ArenaError(_failed(lost))

    def all(self, bots: Iterable[Bot]) -> Iterator[tuple[str, ...]]:
        """Yield the faults of each bot, in the order of the bots; as many are examined at once as there are cores."""
        every = list(bots)  # before the lanes begin: archives are unpacked in forks, and threads feed the lanes
        count = len(cores.available())
        size = BOTS_PER_LAUNCHER * count
        for start in range(0, len(every), size):
            with Workers(count, pin=True, watches=True) as lanes:
                yield from self._examine_together(lanes, every[start : start + size])

    def _examine_together(self, lanes: Workers, bots: list[Bot]) -> Iterator[tuple[str, ...]]:
        waiting = deque((number, 1) for number in range(len(bots)))  # with the number of the attempt
        faults: dict[int, tuple[str, ...]] = {}
        due = 0

        def next_bot() -> tuple[Bot, int, int] | None:
            if not waiting:
                return None
            number, attempt = waiting.popleft()
            return bots[number], number, attempt

        for done in lanes.map(self._examine_in_lane, next_bot):
            if isinstance(done.error, MachineError):
                raise done.error
            _, number, attempt = done.item
            if done.result is not None:
                faults[number] = done.result
            elif attempt < ATTEMPTS:
                waiting.append((number, attempt + 1))
            else:
                output.notice(done.failure)
                faults[number] = (_failed(done.failure.strip().rpartition("\n")[2]),)
            while due in faults:
                yield faults.pop(due)
                due += 1

    def _examine_in_lane(self, launcher: Launcher, item: tuple[Bot, int, int]) -> tuple[str, ...]:
        """Examine a bot with the launcher of a lane; after an exception the lane gets a new launcher."""
        try:
            (bot,) = workspace.built([item[0]], self._conditions.sandbox)
            boards = check.boards_of(bot, self._boards, self._tournament)
            return _faults(checkup(bot, boards, self._conditions, launcher, opened=self._opened))
        except (OverloadedError, MachineError):  # an ArenaError too, but no fault of the bot
            raise
        except ArenaError as error:
            return (str(error),)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._launcher is not None:
            self._launcher.__exit__(kind, error, trace)
        self._launcher, self._served = None, 0


def _failed(error: object) -> str:
    return f"arena itself failed {ATTEMPTS} times while it was tried ({error}); look at it by hand"


def _faults(result: Checkup) -> tuple[str, ...]:
    """Return a paragraph for each fault: what is wrong, what to do, and the end of stderr."""
    paragraphs = []
    for finding in result.findings:
        if finding.weight is Weight.FAULT:
            log = "\n".join(f"stderr: {line}" for line in finding.log)
            paragraphs.append(f"{finding.where}: {finding.words}\n-> {finding.cure}" + (f"\n\n{log}" if log else ""))
    return tuple(paragraphs)
