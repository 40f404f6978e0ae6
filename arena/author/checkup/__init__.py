"""A bot's checkup: the protocol step by step, on each board that it plays; findings, each with advice.

It decides which runs there are, and sums them up. It stores nothing, and its opponents move at random.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from arena.author.checkup.check_run import CheckRun, run_check
from arena.author.checkup.finding import Finding, Weight, merge
from arena.author.checkup.variations import VARIATIONS, plain
from arena.errors import ArenaError
from arena.game import Role
from arena.games import openings, rulebook
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Conditions, Event, Match, Opening

__all__ = ["CheckRun", "Checkup", "Finding", "Weight", "checkup"]

NEAR = 0.5  # share of a limit from which on a bot is close to it: another machine may be half as fast
HANGS_UP = "its input ends in the middle of a match"
HANGS_UP_AFTER = 2  # answers
AGAIN = "the same match again"
SEED = 1
OPENED = "after an opening"
OPENING = Opening(plies=2, key="0" * 32)  # few plies, so that nearly every board has such an opening


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """The results of a checkup."""

    bot: Bot
    conditions: Conditions
    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]
    skipped: int
    """Runs that were left out because of a fault before them."""

    @property
    def sound(self) -> bool:
        """True if no fault was found."""
        return all(finding.weight is not Weight.FAULT for finding in self.findings)

    @property
    def ready(self) -> float | None:
        """The most seconds from its start to `ready`."""
        return max((run.report.ready for run in self.runs if run.greeted and run.report.ready), default=None)

    @property
    def memory(self) -> int:
        """Peak resident bytes."""
        return max((run.report.memory for run in self.runs), default=0)

    @property
    def refused(self) -> tuple[str, ...]:
        """Names of system calls that were refused to it, except those that programs expect to be refused, in order."""
        return tuple(sorted({name for run in self.runs for name in run.refused}))

    @property
    def cpu(self) -> float:
        """The most seconds of CPU in one match."""
        return max((run.report.cpu for run in self.runs), default=0.0)

    def wall(self, share: float) -> float | None:
        """Return the seconds within which this share of its answers came; None if it gave no answer."""
        walls = sorted(wall for run in self.runs for wall in run.walls)
        return walls[max(0, math.ceil(share * len(walls)) - 1)] if walls else None


def checkup(
    bot: Bot,
    boards: Iterable[Board],
    conditions: Conditions,
    launcher: Launcher,
    tell: Callable[[CheckRun], object] = id,
    *,
    opened: bool = False,
) -> Checkup:
    """Examine a bot in every role that it plays on these boards, one process a run; call `tell` after each run.

    `opened` says that the event has openings: then every role is also played after one. The conditions' level of
    confinement must be resolved. Nothing is forgiven: there are no strikes here.
    """
    strict = replace(conditions, strikes=0)
    course = _Course(bot, strict, launcher, tell, opened=opened)
    for board in boards:
        for role in board.roles:
            if bot.plays(board.game, board.name, role):
                course.take(board, role)
    findings = [finding for run in course.runs for finding in run.findings]
    examined = Checkup(bot=bot, conditions=strict, runs=tuple(course.runs), findings=(), skipped=course.skipped)
    near_limits = _near_limits(examined) if all(run.sound for run in course.runs) else ()
    return replace(examined, findings=merge([*findings, *course.advice, *near_limits]))


class _Course:
    """The runs of one bot; runs that cannot show anything new are left out."""

    def __init__(
        self, bot: Bot, conditions: Conditions, launcher: Launcher, tell: Callable[[CheckRun], object], *, opened: bool
    ) -> None:
        self.runs: list[CheckRun] = []
        self.advice: list[Finding] = []
        self.skipped = 0
        self._bot, self._conditions, self._launcher, self._tell = bot, conditions, launcher, tell
        self._opened = opened
        self._failed: set[tuple[str, Role]] = set()
        """Games and roles in which it has a fault; other boards of the game would show the same."""
        self._varied: set[str] = set()
        """Games that were played with every variation."""

    def take(self, board: Board, role: Role) -> None:
        """Play a whole match in this role, one after an opening, and for the first role of a game every variation."""
        fails_at_start = any(not run.greeted and not run.variation for run in self.runs)
        if fails_at_start or (board.game, role) in self._failed:
            self.skipped += 1
            return
        event = Event(name="check", seed=SEED, boards=(board,), bots=(self._bot,), conditions=self._conditions)
        match = event.match(board, (self._bot,) * len(board.roles), 0)
        first = self._add(run_check(match, role, self._launcher, "", plain))
        if not first.sound:
            self._failed.add((board.game, role))
            return
        if self._opened and _has_openings(board):
            self._add(run_check(replace(match, opening=OPENING), role, self._launcher, OPENED, plain))
        if board.game not in self._varied:
            self._varied.add(board.game)
            self._vary(match, role, first)

    def _vary(self, match: Match, role: Role, first: CheckRun) -> None:
        """Play a match with every variation, with an early end of the input, and once more as it was."""
        for name, variation in VARIATIONS.items():
            self._add(run_check(match, role, self._launcher, name, variation))
        self._add(run_check(match, role, self._launcher, HANGS_UP, plain, until=HANGS_UP_AFTER))
        again = self._add(run_check(match, role, self._launcher, AGAIN, plain))
        if again.sound and first.moves != again.moves:
            self.advice.append(
                Finding(
                    weight=Weight.ADVICE,
                    where=f"{first.board} as {first.role}",
                    words="it played otherwise when the very same match was played again",
                    cure="seed your random numbers with the number after `seed`, and search by depth and not by the "
                    "clock: then a rerun shows why it lost",
                )
            )

    def _add(self, run: CheckRun) -> CheckRun:
        self.runs.append(run)
        self._tell(run)
        return run


def _has_openings(board: Board) -> bool:
    try:
        openings.refuse_rare(rulebook.game_of(board), OPENING.plies)
    except ArenaError:
        return False
    return True


def _near_limits(examined: Checkup) -> Iterator[Finding]:
    """Yield a finding for each limit that the bot came close to."""
    time, limits = examined.conditions.time, examined.conditions.limits.tightened(examined.bot.limits)
    figures = (
        ("1 answer of 100 takes", examined.wall(0.99), time.move, "s", 1, "look at the clock: `go` says what is left"),
        ("`ready` takes", examined.ready, time.start, "s", 1, "prepare less before `ready`"),
        ("a match takes", examined.cpu, limits.cpu, "s of CPU", 1, "compute less: the limit is for a whole match"),
        ("it needs", examined.memory, limits.memory, "MB of memory", 10**6, "use less memory, or set a smaller heap"),
    )
    for subject, value, limit, unit, scale, advice in figures:
        if value is not None and limit is not None and value > NEAR * limit:
            text = f"{subject} {value / scale:.3g} of the {limit / scale:.3g} {unit} that it may"
            yield Finding(weight=Weight.ADVICE, where="in all", words=text, cure=advice)
