"""The checkup of a bot: it plays the protocol on each of its boards, and findings give advice.

It decides which runs there are, and sums them up. It stores nothing, and its opponents move at
random. conversation.py plays a run and words what was expected and what came; advice.py says what
the author can do; findings.py has both as values; variations.py changes the questions of a run.
screening.py checks many bots at once.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

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
NEAR = (
    0.5  # share of a limit from which on a bot is close to it: another machine may be half as fast
)
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
    "nothing, unless the bot needs a package from there: then copy that package beside the "
    "program (for Python: pip install --target . NAME)"
)
SEED = 1
OPENED = "after an opening"
OPENING = Opening(
    plies=2, key="0" * 32
)  # few plies, so that nearly every board has such an opening


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
        return max(
            (run.report.ready for run in self.runs if run.greeted and run.report.ready),
            default=None,
        )

    @property
    def memory(self) -> int:
        """Peak resident bytes."""
        return max((run.report.memory for run in self.runs), default=0)

    @property
    def refused(self) -> tuple[str, ...]:
        """The names of refused system calls, in order, without those that programs expect."""
        return tuple(sorted({name for run in self.runs for name in run.refused}))

    @property
    def cpu(self) -> float:
        """The most seconds of CPU in one match."""
        return max((run.report.cpu for run in self.runs), default=0.0)

    def wall(self, share: float) -> float | None:
        """Return the seconds in which this share of its answers came; None without an answer."""
        walls = sorted(wall for run in self.runs for wall in run.walls)
        return walls[max(0, math.ceil(share * len(walls)) - 1)] if walls else None


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
    those of the conditions, and what they forgive is advice. Runs that cannot show anything new are
    left out: of another role if it cannot begin, of another board of the game if it has a fault in
    this role, and of all if it is silent without a limit.
    """
    whole_until = time.monotonic() + WHOLE_MATCHES_S
    runs: list[CheckRun] = []
    advice: list[Finding] = []
    failed: set[tuple[str, Role]] = set()
    varied: set[str] = set()
    skipped = 0

    def run(
        match: Match, role: Role, name: str, until: int | None = None, usual: float = math.inf
    ) -> CheckRun:
        limit = whole_until if runs else math.inf
        runs.append(
            run_check(match, role, launcher, name, until, services, whole_until=limit, usual=usual)
        )
        tell(runs[-1], at_most)
        return runs[-1]

    seats = [
        (board, role)
        for board in boards
        for role in board.roles
        if bot.plays(board.game, board.name, role)
    ]
    variations = of_event(conditions.time.move)
    games = len({board.game for board, _ in seats})
    runs_of_game = [*variations, HANGS_UP, AGAIN]
    at_most = len(seats) * (2 if opened else 1) + games * len(runs_of_game)
    for board, role in seats:
        cannot_begin = any(not each.greeted and not each.variation for each in runs)
        if (board.game, role) in failed or cannot_begin or any(each.gave_up for each in runs):
            skipped += 1
            continue
        event = Event(name="check", seed=SEED, boards=(board,), bots=(bot,), conditions=conditions)
        match = event.match(board, (bot,) * len(board.roles), 0)
        first = run(match, role, "")
        if not first.sound:
            failed.add((board.game, role))
            continue
        if opened:
            try:
                openings.refuse_rare(rulebook.game_of(board), OPENING.plies)
            except ArenaError:
                pass
            else:
                run(replace(match, opening=OPENING), role, OPENED)
        if board.game in varied:
            continue
        varied.add(board.game)
        usual = max([first.report.ready or 0.0, *first.walls])
        for name in variations:
            run(match, role, name, usual=usual)
        run(match, role, HANGS_UP, until=HANGS_UP_AFTER)
        again = run(match, role, AGAIN)
        if again.sound and any(
            before != now for before, now in zip(first.moves, again.moves, strict=False)
        ):
            advice.append(
                Finding(
                    weight=Weight.ADVICE,
                    where=f"{first.board} as {role}",
                    words=OTHERWISE,
                    cure=SEEDED,
                )
            )
    findings = [*(finding for each in runs for finding in each.findings), *advice, *_left_out(bot)]
    examined = Checkup(
        bot=bot, conditions=conditions, runs=tuple(runs), findings=(), skipped=skipped
    )
    if all(each.sound for each in runs):
        findings += _near_limits(examined)
    return replace(examined, findings=merge(findings))


def _left_out(bot: Bot) -> Iterator[Finding]:
    """Yield what the bot plays without, though it lies in its folder."""
    folder = Path(bot.files or "")
    paths = left_out(folder) if bot.files and folder.is_dir() else []
    if paths:
        words = left_out_words(paths[:FEW_PATHS])
        yield Finding(weight=Weight.ADVICE, where="its files", words=words, cure=PACKAGES)


def _near_limits(examined: Checkup) -> Iterator[Finding]:
    time, limits = examined.conditions.time, examined.conditions.limits_of(examined.bot)
    answer = None  # with `clock = "cpu"` these seconds on the wall are not what is charged
    if time.move is not None and time.clock == "wall":
        answer = time.move + time.bank
    figures = (
        (
            "1 answer of 100 takes",
            examined.wall(0.99),
            answer,
            "s",
            1,
            "look at the clock: `go` says what is left",
        ),
        ("`ready` takes", examined.ready, time.start, "s", 1, "prepare less before `ready`"),
        (
            "a match takes",
            examined.cpu,
            limits.cpu,
            "s of CPU",
            1,
            "compute less: the limit is for a whole match",
        ),
        (
            "it needs",
            examined.memory,
            limits.memory,
            "MB of memory",
            10**6,
            "use less memory, or set a smaller heap",
        ),
    )
    for subject, value, limit, unit, scale, advice in figures:
        if value is not None and limit is not None and value > NEAR * limit:
            text = f"{subject} {value / scale:.3g} of the {limit / scale:.3g} {unit} that it may"
            yield Finding(weight=Weight.ADVICE, where="in all", words=text, cure=advice)
