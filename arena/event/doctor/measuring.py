"""How well this machine measures time: the jitter of clocks, and how many matches at once it referees fairly.

Both are measured with a dummy bot that computes for a known CPU time. Whatever else it is charged
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

THINKING_S = 0.003  # the CPU time of each answer of the dummy bot
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
    """The wall time of all."""
    median: float
    """Of the errors of all answers: the seconds that an answer was charged beyond what the bot has computed."""
    high: float
    """99 of 100 errors are below it."""
    highest: float
    lost: int
    """Seats that lost on time, though the bot never takes too long."""
    failed: int
    """Matches that arena could not play, such as those that the machine kept waiting too long."""
    reason: str = ""
    """Why the last of these failed."""

    @property
    def answers_per_second(self) -> float:
        """The rate at which all lanes together asked and were answered."""
        return self.answers / self.seconds


def measure(lanes: int, level: str, seconds: float) -> Measured:
    """Play matches of the dummy bot until the seconds are over, but at least one a lane."""
    records: list[Record] = []
    failures: list[str] = []
    matches = _matches(level)
    pin = lanes <= len(system.cores())
    with Workers(lanes, pin=pin) as workers:
        first = [next(matches) for _ in range(lanes)]
        list(
            workers.map(_play, lambda: first.pop() if first else None)
        )  # starts all that later matches find ready
        begun, numbers = time.monotonic(), count()

        def due() -> Match | None:  # on a very busy machine, too, each lane plays a match
            return (
                next(matches)
                if next(numbers) < lanes or time.monotonic() - begun < seconds
                else None
            )

        for done in workers.map(_play, due):
            if done.result is None:
                failures.append(done.failure.strip().rpartition("\n")[2])
            else:
                records.append(done.result)
        elapsed = time.monotonic() - begun
    errors = sorted(
        max(0.0, CONTROL.charged(turn.spent) - THINKING_S)
        for record in records
        for turn in record.turns
    ) or [0.0]
    faults = [fault for record in records for fault in record.verdict.faults]
    others = [fault.words for fault in faults if fault.ending is not Ending.TIMEOUT]
    return Measured(
        lanes=lanes,
        matches=len(records),
        answers=sum(len(record.turns) for record in records),
        seconds=elapsed,
        median=errors[len(errors) // 2],
        high=errors[min(len(errors) - 1, len(errors) * 99 // 100)],
        highest=errors[-1],
        lost=sum(fault.ending is Ending.TIMEOUT for fault in faults),
        failed=len(failures) + len(others),
        reason=[*failures, *others, ""][0],
    )


def lane_counts(cores_available: int) -> tuple[int, ...]:
    """Return the numbers of matches at once that are tried: a lane, a lane for each core, and twice as many."""
    return tuple(sorted({1, cores_available, 2 * cores_available}))


def clock_check(measured: Measured) -> MachineCheck:
    """Judge the jitter of one match at a time by the usual margin."""
    figures = {name: getattr(measured, name) for name in ("answers", "median", "high", "highest")}
    figures["margin"] = CONTROL.margin
    charges = (
        f"in {measured.answers} answers a dummy bot was charged {_ms(measured.median)} too much in the median, "
        f"{_ms(measured.high)} in 1 of 100, {_ms(measured.highest)} at most"
    )
    if not measured.answers:
        cure = "`arena match dice dice --board duel` shows more"
        return MachineCheck(
            "clock", Health.BAD, f"the dummy bot could not play: {measured.reason}", cure, figures
        )
    if measured.highest > CONTROL.margin / 2:
        cure = f"set margin = {max(0.1, round(2 * measured.highest, 2)):g} under [time]"
        return MachineCheck(
            "clock", Health.WEAK, f"{charges}; margin is {_ms(CONTROL.margin)}", cure, figures
        )
    return MachineCheck("clock", Health.GOOD, charges, figures=figures)


def lanes_check(measured: Sequence[Measured]) -> MachineCheck:
    """Judge how many matches at once were played without a loss on time that is the machine's."""
    fair = [each for each in measured if each.matches and not each.lost and not each.failed]
    rates = ", ".join(
        f"{each.lanes} at once: {each.answers_per_second:.0f} answers/s" for each in measured
    )
    names = ("lanes", "matches", "answers_per_second", "highest", "lost", "failed")
    tried = [{name: getattr(each, name) for name in names} for each in measured]
    figures = {"at_once": max((each.lanes for each in fair), default=0), "tried": tried}
    if len(fair) == len(measured):
        text = f"{measured[-1].lanes} were refereed without a false time loss ({rates})"
        return MachineCheck("matches at once", Health.GOOD, text, figures=figures)
    worst = next(each for each in measured if each not in fair)
    text = (
        f"at {worst.lanes} at once {worst.lost} seats lost on time that should not have, and {worst.failed} matches "
        f"failed ({rates})"
    )
    cure = (
        f"set count = {fair[-1].lanes} under [workers]"
        if fair
        else "end other programs and try again"
    )
    return MachineCheck(
        "matches at once", Health.WEAK, text, f"{cure}, or raise margin under [time]", figures
    )


def _matches(level: str) -> Iterator[Match]:
    (board,) = rulebook.find(str(rulefile.shipped() / BOARD))
    command = (PYTHON, "measuring_bot.py", str(THINKING_S))
    bot = Bot(name="dummy", command=command, digest="dummy", files=measuring_bot.__file__)
    conditions = Conditions(time=CONTROL, sandbox=level)
    event = Event(name="doctor", seed=1, boards=(board,), bots=(bot,), conditions=conditions)
    return (event.match(board, (bot, bot), number) for number in count())


def _play(launcher: Launcher, match: Match) -> Record:
    return play(match, launcher=launcher)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
