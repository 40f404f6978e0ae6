"""The checkup of a bot: it plays the protocol on each of its boards, and findings give advice.

It decides which runs there are, and sums them up. It stores nothing, and its opponents move at
random. conversation.py plays a run, and words the answer that was expected and the answer that
came; advice.py says what the author can do; findings.py has both as values; variations.py changes
the questions of a run; screening.py checks many bots at once.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from arena.author.checkup.conversation import run_check
from arena.author.checkup.findings import CheckRun, Finding, Weight, is_sound, merge
from arena.author.checkup.variations import of_event
from arena.errors import ArenaError
from arena.event.discovery.files import left_out, left_out_words
from arena.game import Role
from arena.games import openings, rulebook
from arena.sandbox.launcher import Launcher
from arena.values import Board, Bot, Conditions, Event, Match, Opening

__all__ = ["CheckRun", "Checkup", "Finding", "Weight", "checkup"]

WHOLE_MATCHES_S = 60.0
"""Whole matches are played for this time. After it a run ends after its first answers, so that the
check of a slow bot ends within minutes. The first match is played to its end in any case."""
NEAR = 0.5
"""The share of a limit above which a bot is close to it: another machine may be half as fast."""
HANGS_UP = "its input ends in the middle of a match"
HANGS_UP_AFTER = 2  # answers
AGAIN = "the same match again"
OTHERWISE = "it played otherwise when the very same match was played again"
SEEDED = (
    "seed your random numbers with the number after `seed`, and search by depth and not by the "
    "clock: then a rerun shows why it lost"
)
FEW_PATHS = 5  # that a finding lists
PACKAGES = (
    "if the bot needs a package from there, copy that package beside the program (for Python: "
    "pip install --target . NAME)"
)
SEED = 1
OPENED = "after an opening"
OPENING = Opening(plies=2, key="0" * 32)
"""It has few plies, so that nearly every board has such an opening."""


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
        return is_sound(self.findings)

    @property
    def shortened(self) -> int:
        """The number of runs that were ended after their first answers, because the bot is slow."""
        return sum(run.shortened for run in self.runs)

    @property
    def ready(self) -> float | None:
        """The most seconds from its start to `ready`."""
        times: list[float] = []
        for run in self.runs:
            if run.greeted and run.report.ready:
                times.append(run.report.ready)
        return max(times, default=None)

    @property
    def memory(self) -> int:
        """Peak resident bytes."""
        return max((run.report.memory for run in self.runs), default=0)

    @property
    def refused(self) -> tuple[str, ...]:
        """The names of refused system calls, in order, without those that programs expect."""
        names: set[str] = set()
        for run in self.runs:
            names.update(run.refused)
        return tuple(sorted(names))

    @property
    def cpu(self) -> float:
        """The most seconds of CPU in one match."""
        return max((run.report.cpu for run in self.runs), default=0.0)

    def wall(self, share: float) -> float | None:
        """Return the seconds in which this share of its answers came; None without an answer."""
        walls: list[float] = []
        for run in self.runs:
            walls += run.walls
        if not walls:
            return None
        walls.sort()
        rank = math.ceil(share * len(walls))
        return walls[max(0, rank - 1)]


def checkup(
    bot: Bot,
    boards: Iterable[Board],
    conditions: Conditions,
    launcher: Launcher,
    tell: Callable[[CheckRun, int], object] = lambda _, __: None,
    *,
    opened: bool = False,
    services: Mapping[str, object] | None = None,
) -> Checkup:
    """Examine a bot in every role that it plays on these boards, one process a run.

    `tell` is called after each run, with the number of runs that there are at most.

    `opened` says that the event has openings: then every role is also played after one. `services`
    serve the bot from outside, by name. The level of confinement must be resolved. All limits are
    those of the conditions, and a fault that they forgive is advice. Runs that cannot show anything
    new are left out: of another role if the bot cannot begin, of another board of the game if it
    has a fault in this role, and all others if it is silent without a limit.
    """
    seats = _seats(bot, boards)
    variations = of_event(conditions.time.move)
    games = {board.game for board, _ in seats}
    runs_of_seat = 1
    if opened:
        runs_of_seat = 2
    runs_of_game = len(variations) + 2  # HANGS_UP and AGAIN
    most = len(seats) * runs_of_seat + len(games) * runs_of_game
    examiner = _Examiner(launcher, services, tell, most)

    advice: list[Finding] = []
    failed: set[tuple[str, Role]] = set()
    varied: set[str] = set()
    skipped = 0
    for board, role in seats:
        if (board.game, role) in failed or examiner.is_hopeless:
            skipped += 1
            continue

        event = Event(
            name="check",
            seed=SEED,
            boards=(board,),
            bots=(bot,),
            conditions=conditions,
        )
        seating = (bot,) * len(board.roles)
        match = event.match(board, seating, 0)
        first = examiner.run(match, role, "")
        if not first.sound:
            failed.add((board.game, role))
            continue
        if opened and _has_openings(board):
            examiner.run(replace(match, opening=OPENING), role, OPENED)

        if board.game in varied:
            continue
        varied.add(board.game)
        ready_s = first.report.ready or 0.0
        slowest_answer_s = max(first.walls, default=0.0)
        usual = max(ready_s, slowest_answer_s)
        for name in variations:
            examiner.run(match, role, name, usual=usual)
        examiner.run(match, role, HANGS_UP, until=HANGS_UP_AFTER)
        again = examiner.run(match, role, AGAIN)
        common = min(len(first.moves), len(again.moves))
        moves = first.moves[:common]
        moves_again = again.moves[:common]
        if again.sound and moves != moves_again:
            where = f"{first.board} as {role}"
            finding = Finding(
                weight=Weight.ADVICE,
                where=where,
                words=OTHERWISE,
                cure=SEEDED,
            )
            advice.append(finding)

    runs = tuple(examiner.runs)
    examined = Checkup(
        bot=bot,
        conditions=conditions,
        runs=runs,
        findings=(),
        skipped=skipped,
    )
    findings: list[Finding] = []
    for run in runs:
        findings += run.findings
    findings += advice
    findings += _left_out(bot)
    if all(run.sound for run in runs):
        findings += _near_limits(examined)
    return replace(examined, findings=merge(findings))


def _seats(bot: Bot, boards: Iterable[Board]) -> list[tuple[Board, Role]]:
    """Return the boards and roles that a bot plays."""
    seats: list[tuple[Board, Role]] = []
    for board in boards:
        for role in board.roles:
            if bot.plays(board.game, board.name, role):
                seats.append((board, role))
    return seats


def _has_openings(board: Board) -> bool:
    """Return whether enough openings of the length of OPENING can be drawn."""
    try:
        openings.refuse_rare(rulebook.game_of(board), OPENING.plies)
    except ArenaError:
        return False
    return True


class _Examiner:
    """The runs of a checkup under way."""

    def __init__(
        self,
        launcher: Launcher,
        services: Mapping[str, object] | None,
        tell: Callable[[CheckRun, int], object],
        most: int,
    ) -> None:
        """`tell` is called after each run, also with `most`, the largest number of runs."""
        self.runs: list[CheckRun] = []
        self._launcher = launcher
        self._services = services
        self._tell = tell
        self._most = most
        self._whole_until = time.monotonic() + WHOLE_MATCHES_S

    def run(
        self,
        match: Match,
        role: Role,
        name: str,
        until: int | None = None,
        usual: float = math.inf,
    ) -> CheckRun:
        """Play one run, as `run_check` describes it."""
        whole_until = math.inf
        if self.runs:
            whole_until = self._whole_until
        run = run_check(
            match,
            role,
            self._launcher,
            name,
            until,
            self._services,
            whole_until=whole_until,
            usual=usual,
        )
        self.runs.append(run)
        self._tell(run, self._most)
        return run

    @property
    def is_hopeless(self) -> bool:
        """True if another run would show nothing: the bot cannot begin, or never answers."""
        for run in self.runs:
            cannot_begin = not run.greeted and not run.variation
            if cannot_begin or run.gave_up:
                return True
        return False


def _left_out(bot: Bot) -> Iterator[Finding]:
    """Yield a finding on the files in the bot's folder that it plays without."""
    folder = Path(bot.files or "")
    if not bot.files or not folder.is_dir():
        return
    paths = left_out(folder)
    if paths:
        message = left_out_words(paths[:FEW_PATHS])
        yield Finding(
            weight=Weight.ADVICE,
            where="its files",
            words=message,
            cure=PACKAGES,
        )


class _Figure(NamedTuple):
    """A figure of a checkup beside its limit."""

    subject: str
    value: float | None
    limit: float | None
    unit: str
    scale: int
    """The number that one unit has of the value."""
    advice: str


def _near_limits(examined: Checkup) -> Iterator[Finding]:
    time = examined.conditions.time
    limits = examined.conditions.limits_of(examined.bot)
    answer_s = None  # with `clock = "cpu"` these seconds on the wall are not what is charged
    if time.move is not None and time.clock == "wall":
        answer_s = time.move + time.bank

    answers = "1 answer of 100 takes at least"
    share = 0.99
    quickest = examined.wall(0.0)
    if quickest is not None and answer_s is not None and quickest > NEAR * answer_s:
        answers = "each answer takes at least"
        share = 0.0

    look = "look at the clock: `go` says what is left"
    compute_less = "compute less: the limit is for a whole match"
    heap = "use less memory, or set a smaller heap"
    figures = (
        _Figure(answers, examined.wall(share), answer_s, "s", 1, look),
        _Figure("`ready` takes", examined.ready, time.start, "s", 1, "prepare less before `ready`"),
        _Figure("a match takes", examined.cpu, limits.cpu, "s of CPU", 1, compute_less),
        _Figure("it needs", examined.memory, limits.memory, "MB of memory", 10**6, heap),
    )
    for subject, value, limit, unit, scale, advice in figures:
        if value is not None and limit is not None and value > NEAR * limit:
            measured = f"{value / scale:.3g} {unit}"
            allowed = f"{limit / scale:.3g} {unit}"
            text = f"{subject} {measured}, and the limit is {allowed}"
            yield Finding(
                weight=Weight.ADVICE,
                where="in all",
                words=text,
                cure=advice,
            )
