"""Which machines of a cluster play an event, and why one is refused: its software and its speed, judged in words.

A machine plays any match of an event or none, because all of them have the same conditions. Where moves have no clock,
a machine may be as slow as it likes.
"""

from dataclasses import dataclass

from arena.event.cluster.calibration import NOISIEST, Speed
from arena.event.cluster.session import Facts
from arena.values import Conditions

SLOWEST = 2.0
"""How many times longer a machine may take than the driver's when its bots get no more time for that."""
SLOWEST_SCALED = 10.0
"""The same when `scale_time` gives its bots more time: a match should not take ten times as long."""
SAME_SPEED = 0.02
"""Two measurements of the same machine differ by about this much, so a smaller difference scales nothing."""


@dataclass(frozen=True)
class Admission:
    """The decision about one machine."""

    refusal: str = ""
    """Why it gets no matches; empty when it gets some."""
    scale: float = 1.0
    """The factor of the event's times for its bots."""


def compared(driver: Facts, worker: Facts) -> str:
    """Return in words how the software of a worker differs from the driver's; empty when it does not."""
    if worker.python != driver.python:
        return f"it runs {worker.python}, and the driver {driver.python}: start its worker with the same version"
    if worker.arena != driver.arena:
        return f"it has arena {worker.arena}, and the driver {driver.arena}: install the same version there"
    if worker.code != driver.code:
        return (
            f"its files of arena {worker.arena} are not those of the driver ({worker.code}, and here {driver.code}): "
            "install the same version there"
        )
    if worker.lanes < 1:
        return "it offers no lanes: start it with `arena worker --lanes 1` or more"
    return ""


def judged(speed: Speed, reference: Speed, conditions: Conditions, *, scale_time: bool) -> Admission:
    """Return whether a machine of this speed plays matches under these conditions, and how its time is scaled.

    The reference is the speed of the driver's machine. Where no move has a clock, every machine is fit. Two limits
    remain there, the time to start and the CPU time. They end broken bots and rank nobody. On a very slow machine they
    would end a healthy bot, so they are always scaled on a slower machine.
    """
    factor = speed.factor(reference)
    if conditions.time.move is None:
        return Admission(scale=round(factor, 3) if factor > 1 + SAME_SPEED else 1.0)
    if speed.spread > NOISIEST:
        return Admission(
            f"it is too noisy for matches that a clock decides: the same work took it up to {speed.spread:.1f} times "
            f"the median, and {NOISIEST:g} is the limit: end what else runs there, or use fewer lanes"
        )
    if factor > (SLOWEST_SCALED if scale_time else SLOWEST):
        advice = "leave it out" if scale_time else "set scale_time = true in [workers], or leave it out"
        return Admission(
            f"it is too slow for matches that a clock decides: it takes {factor:.1f} times as long as the driver's "
            f"machine, and {SLOWEST_SCALED if scale_time else SLOWEST:g} is the limit: {advice}"
        )
    if not scale_time or abs(factor - 1) <= SAME_SPEED:
        return Admission()
    return Admission(scale=round(factor, 3))
