"""A bot's checkup: the protocol step by step, at each board that it plays; findings in words, each with a cure.

It owns which sittings there are and what they add up to. It stores nothing, and its opponents are dice.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from arena.checkup.finding import Finding, Weight, gathered
from arena.checkup.sitting import Sitting, sit
from arena.checkup.twists import TWISTS, plain
from arena.event import Board, Event
from arena.game import Role
from arena.match import Bot, Conditions, Match
from arena.sandbox.door import Door

__all__ = ["Checkup", "Finding", "Sitting", "Weight", "checkup"]

NEAR = 0.5
"""Share of a limit from which on it is worth a word: another machine may be half as fast."""
HANGS_UP = "its input ends in the middle of a match"
AGAIN = "the same match again"
SEED = 1


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """What was found out about a bot."""

    bot: Bot
    conditions: Conditions
    sittings: tuple[Sitting, ...]
    findings: tuple[Finding, ...]
    skipped: int
    """Sittings that were given up because of a fault before them."""

    @property
    def sound(self) -> bool:
        """Whether no fault was found."""
        return all(one.weight is not Weight.FAULT for one in self.findings)

    @property
    def ready(self) -> float | None:
        """The most seconds from its start to `ready`."""
        return max((one.report.ready for one in self.sittings if one.greeted and one.report.ready), default=None)

    @property
    def memory(self) -> int:
        """Peak resident bytes."""
        return max((one.report.memory for one in self.sittings), default=0)

    @property
    def cpu(self) -> float:
        """The most seconds of CPU in one match."""
        return max((one.report.cpu for one in self.sittings), default=0.0)

    def wall(self, share: float) -> float | None:
        """Seconds within which this share of its answers came; None = it gave none."""
        walls = sorted(wall for one in self.sittings for wall in one.walls)
        return walls[max(0, math.ceil(share * len(walls)) - 1)] if walls else None


def checkup(
    bot: Bot, boards: Iterable[Board], conditions: Conditions, door: Door, tell: Callable[[Sitting], object] = id
) -> Checkup:
    """Examine a bot in every role that it plays on these boards, one process a sitting; `tell` hears of each.

    The conditions' level of confinement must be resolved. Nothing is forgiven: strikes count for nothing here.
    """
    strict = replace(conditions, strikes=0)
    course = _Course(bot, strict, door, tell)
    for board in boards:
        for role in board.roles:
            if bot.plays(board.game, board.name, role):
                course.take(board, role)
    findings = [finding for one in course.sittings for finding in one.findings]
    examined = Checkup(bot=bot, conditions=strict, sittings=tuple(course.sittings), findings=(), skipped=course.skipped)
    tight = _tight(examined) if all(one.sound for one in course.sittings) else ()
    return replace(examined, findings=gathered([*findings, *course.advice, *tight]))


class _Course:
    """The sittings of one bot; what cannot teach anything new is left out."""

    def __init__(self, bot: Bot, conditions: Conditions, door: Door, tell: Callable[[Sitting], object]) -> None:
        self.sittings: list[Sitting] = []
        self.advice: list[Finding] = []
        self.skipped = 0
        self._bot, self._conditions, self._door, self._tell = bot, conditions, door, tell
        self._failed: set[tuple[str, Role]] = set()
        self._twisted: set[str] = set()

    def take(self, board: Board, role: Role) -> None:
        """A whole match in this role, and for the first of a game every twist."""
        if self._hopeless or (board.game, role) in self._failed:
            self.skipped += 1
            return
        match = self._match(board)
        first = self._add(sit(match, role, self._door, "", plain))
        if not first.sound:
            self._failed.add((board.game, role))
        elif board.game not in self._twisted:
            self._twisted.add(board.game)
            for name, twist in TWISTS.items():
                self._add(sit(match, role, self._door, name, twist))
            self._add(sit(match, role, self._door, HANGS_UP, plain, until=2))
            self._compare(first, self._add(sit(match, role, self._door, AGAIN, plain)))

    @property
    def _hopeless(self) -> bool:
        """Whether it fails before it is asked anything: no other board will help."""
        return any(not one.greeted and not one.twist for one in self.sittings)

    def _add(self, one: Sitting) -> Sitting:
        self.sittings.append(one)
        self._tell(one)
        return one

    def _match(self, board: Board) -> Match:
        event = Event(name="check", seed=SEED, boards=(board,), bots=(self._bot,), conditions=self._conditions)
        return event.match(board, (self._bot,) * len(board.roles), 0)

    def _compare(self, first: Sitting, again: Sitting) -> None:
        """Whether it plays the same when everything is the same."""
        if again.sound and first.moves != again.moves:
            self.advice.append(
                Finding(
                    weight=Weight.ADVICE,
                    where=f"{first.board} as {first.role}",
                    words="it played otherwise when the very same match was played again",
                    cure="seed your dice with the number after `seed`, and search by depth and not by the clock: "
                    "then a rerun shows why it lost",
                )
            )


def _tight(one: Checkup) -> Iterator[Finding]:
    """Where it is close to what it may use."""
    time, limits = one.conditions.time, one.conditions.limits.tightened(one.bot.limits)
    figures = (
        ("1 answer of 100 takes", one.wall(0.99), time.move, "s", 1, "look at the clock: `go` says what is left"),
        ("`ready` takes", one.ready, time.start, "s", 1, "prepare less before `ready`"),
        ("a match takes", one.cpu, limits.cpu, "s of CPU", 1, "compute less: the limit is for a whole match"),
        ("it needs", one.memory, limits.memory, "MB of memory", 1_000_000, "use less memory, or set a smaller heap"),
    )
    for what, value, limit, unit, scale, cure in figures:
        if value is not None and limit is not None and value > NEAR * limit:
            words = f"{what} {value / scale:.3g} of the {limit / scale:.3g} {unit} that it may"
            yield Finding(weight=Weight.ADVICE, where="in all", words=words, cure=cure)
