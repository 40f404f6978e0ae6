"""Submissions under examination, one after the other: built, and checked as by `arena check`.

A bot that is too much for the processes that arena starts bots by is refused, and the next one finds new ones.
"""

from types import TracebackType
from typing import TYPE_CHECKING, Self

from arena.bot import OverloadedError
from arena.checkup import Checkup, Finding, Weight, checkup
from arena.cli import check, known
from arena.errors import ArenaError
from arena.match import Bot
from arena.sandbox.door import ConfinementError, Door, SpawnerLostError

if TYPE_CHECKING:
    from arena.config import Tournament

SERVED = 20  # bots by one door, which keeps a copy of each
ATTEMPTS = 2


class Examiner:
    """Says what speaks against a bot, a paragraph each. A context manager, as its door is."""

    def __init__(self, wanted: "Tournament", boards: tuple[str, ...]) -> None:
        self._wanted, self._boards = wanted, boards
        self._conditions = wanted.conditions()
        self._door: Door | None = None
        self._served = 0

    def __call__(self, bot: Bot) -> tuple[str, ...]:
        """ArenaError when it cannot be tried at all."""
        (ready,) = known.ready([bot], self._conditions.sandbox)
        found = self._found(ready)
        return tuple(_paragraph(one) for one in found.findings if one.weight is Weight.FAULT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._door is not None:
            self._door.__exit__(kind, error, trace)
        self._door, self._served = None, 0

    def _found(self, bot: Bot) -> Checkup:
        boards = check.boards_of(bot, self._boards, self._wanted)
        lost: Exception | None = None
        for _ in range(ATTEMPTS):
            try:
                return checkup(bot, boards, self._conditions, self._opened())
            except (SpawnerLostError, ConfinementError, OverloadedError) as error:
                lost = error
                self.__exit__(None, None, None)
        raise ArenaError(f"arena itself failed {ATTEMPTS} times while it was tried ({lost}); look at it by hand")

    def _opened(self) -> Door:
        if self._served >= SERVED:
            self.__exit__(None, None, None)
        self._served += 1
        self._door = self._door or Door()
        return self._door


def _paragraph(one: Finding) -> str:
    log = "\n".join(f"stderr: {line}" for line in one.log)
    return f"{one.where}: {one.words}\n-> {one.cure}" + (f"\n\n{log}" if log else "")
