"""Measure how well this machine measures time.

It measures the jitter of clocks, and the number of matches that can be refereed fairly at once.
Both are measured with a dummy bot that computes for a known CPU time. If it is charged more, that
is an error of the machine.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from arena import rulefile, system
from arena.clock import TimeControl
from arena.event.doctor import measuring_bot
from arena.event.doctor.checks import Health, MachineCheck
from arena.event.workers import Workers
from arena.games import rulebook
from arena.match.play import play
from arena.sandbox.launcher import Launcher
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot, Conditions, Ending, Event, Match, Record

THINKING_S = 0.003
"""The CPU time of each answer of the dummy bot."""
CONTROL = TimeControl(start=20.0, move=0.02)
"""Quick for a bot that needs 3 ms, with the usual margin."""
BOARD = "mummy_maze.py/duel"


@dataclass(frozen=True)
class Measured:
    """The results of a measurement with several matches at once."""

    lanes: int
    matches: int
    answers: int
    seconds: float
    """The wall time of all matches."""
    median: float
    """The median error: an answer was charged this number of seconds more than the bot computed."""
    high: float
    """99 of 100 errors are below it."""
    highest: float
    """The highest error."""
    lost: int
    """Seats that lost on time, though the bot never takes too long."""
    failed: int
    """Matches that arena could not play, for example because the machine kept them waiting."""
    reason: str = ""
    """Why one of these matches failed."""

    @property
    def answers_per_second(self) -> float:
        """The number of answers in a second, of all lanes together."""
        return self.answers / self.seconds


def measure(lanes: int, level: str, seconds: float) -> Measured:
    """Play matches of the dummy bot until the seconds are over, but at least one a lane."""
    records: list[Record] = []
    failures: list[str] = []
    matches = _matches(level)
    pin = lanes <= len(system.cores())
    with Workers(lanes, pin=pin) as workers:
        first_matches = [next(matches) for _ in range(lanes)]

        def first_due() -> Match | None:
            if first_matches:
                return first_matches.pop()
            return None

        # The first matches start all processes that later matches find ready.
        for _ in workers.map(_play, first_due):
            pass
        begun = time.monotonic()
        numbers = count()

        def due() -> Match | None:
            # Each lane plays a match even on a very busy machine.
            if next(numbers) < lanes or time.monotonic() - begun < seconds:
                return next(matches)
            return None

        for done in workers.map(_play, due):
            if done.result is None:
                _, _, last_line = done.failure.strip().rpartition("\n")
                failures.append(last_line)
            else:
                records.append(done.result)
        elapsed = time.monotonic() - begun
    return _figures_of(lanes, records, failures, elapsed)


def _figures_of(
    lanes: int,
    records: Sequence[Record],
    failures: list[str],
    seconds: float,
) -> Measured:
    """Return the figures of matches; `failures` has a line for each that was not played."""
    reasons = [*failures]
    answers = 0
    lost = 0
    errors: list[float] = []
    for record in records:
        answers += len(record.turns)
        charges = [CONTROL.charged(turn.spent) for turn in record.turns]
        errors += [max(0.0, charge - THINKING_S) for charge in charges]
        for fault in record.verdict.faults:
            if fault.ending is Ending.TIMEOUT:
                lost += 1
            else:
                reasons.append(fault.words)
    errors = sorted(errors) or [0.0]
    last = len(errors) - 1
    middle = len(errors) // 2
    high_index = len(errors) * 99 // 100
    reason = ""
    if reasons:
        reason = reasons[0]
    return Measured(
        lanes=lanes,
        matches=len(records),
        answers=answers,
        seconds=seconds,
        median=errors[middle],
        high=errors[min(last, high_index)],
        highest=errors[last],
        lost=lost,
        failed=len(reasons),
        reason=reason,
    )


def lane_counts(cores_available: int) -> tuple[int, ...]:
    """Return the numbers of lanes to try: one, one for each core, and two for each core."""
    return tuple(sorted({1, cores_available, 2 * cores_available}))


def clock_check(measured: Measured) -> MachineCheck:
    """Judge the jitter of one match at a time by the usual margin."""
    figures = {
        "answers": measured.answers,
        "median": measured.median,
        "high": measured.high,
        "highest": measured.highest,
        "margin": CONTROL.margin,
    }
    if not measured.answers:
        text = f"the dummy bot could not play: {measured.reason}"
        cure = "`arena match dice dice --board duel` shows more"
        return MachineCheck("clock", Health.BAD, text, cure, figures)
    charges = (
        f"in {measured.answers} answers a dummy bot was charged {_ms(measured.median)} too much "
        f"in the median, {_ms(measured.high)} in 1 of 100, {_ms(measured.highest)} at most"
    )
    if measured.highest > CONTROL.margin / 2:
        text = f"{charges}; margin is {_ms(CONTROL.margin)}"
        margin = max(0.1, round(2 * measured.highest, 2))
        cure = f"set margin = {margin:g} under [time]"
        return MachineCheck("clock", Health.WEAK, text, cure, figures)
    return MachineCheck("clock", Health.GOOD, charges, figures=figures)


def lanes_check(measured: Sequence[Measured]) -> MachineCheck:
    """Judge how many matches at once the machine plays without making a bot lose on time."""
    fair: list[Measured] = []
    unfair: list[Measured] = []
    speeds: list[str] = []
    tried: list[dict[str, object]] = []
    for result in measured:
        is_fair = result.matches > 0 and not result.lost and not result.failed
        if is_fair:
            fair.append(result)
        else:
            unfair.append(result)
        speeds.append(f"{result.lanes} at once: {result.answers_per_second:.0f} answers/s")
        tried.append(
            {
                "lanes": result.lanes,
                "matches": result.matches,
                "answers_per_second": result.answers_per_second,
                "highest": result.highest,
                "lost": result.lost,
                "failed": result.failed,
            }
        )
    rates = ", ".join(speeds)
    most_lanes = max((result.lanes for result in fair), default=0)
    figures = {"at_once": most_lanes, "tried": tried}
    if not unfair:
        text = f"{measured[-1].lanes} were refereed without a false time loss ({rates})"
        return MachineCheck("matches at once", Health.GOOD, text, figures=figures)
    worst = unfair[0]
    text = (
        f"at {worst.lanes} at once {worst.lost} seats lost on time that should not have, "
        f"and {worst.failed} matches failed ({rates})"
    )
    cure = "end other programs and try again"
    if fair:
        cure = f"set count = {fair[-1].lanes} under [workers]"
    cure += ", or raise margin under [time]"
    return MachineCheck("matches at once", Health.WEAK, text, cure, figures)


def _matches(level: str) -> Iterator[Match]:
    """Yield matches of the dummy bot against itself, without end."""
    rules = rulefile.shipped() / BOARD
    (board,) = rulebook.find(str(rules))
    bot = Bot(
        name="dummy",
        command=(PYTHON, "measuring_bot.py", str(THINKING_S)),
        digest="dummy",
        files=measuring_bot.__file__,
    )
    event = Event(
        name="doctor",
        seed=1,
        boards=(board,),
        bots=(bot,),
        conditions=Conditions(time=CONTROL, sandbox=level),
    )
    for number in count():
        yield event.match(board, (bot, bot), number)


def _play(launcher: Launcher, match: Match) -> Record:
    """Play a match in a lane."""
    return play(match, launcher=launcher)


def _ms(seconds: float) -> str:
    """Return seconds as milliseconds, in words."""
    return f"{seconds * 1000:.1f} ms"
