"""Which machines of a cluster play an event, and why a machine is refused.

Its software and its speed are judged in words.

A machine plays any match of an event or none, because all of them have the same conditions. Where
moves have no clock, a machine may be as slow as it likes.
"""

from arena.errors import ArenaError
from arena.extras.cluster.calibration import NOISIEST, Speed
from arena.extras.cluster.session import Facts
from arena.values import Conditions

# How many times longer a machine may take than the driver's when its bots get no more time for
# that.
SLOWEST = 2.0
# The same when `scale_time` gives its bots more time: a match should not take ten times as long.
SLOWEST_SCALED = 10.0
SAME_SPEED = 0.02
"""Two measurements of the same machine differ by about this much, so a smaller difference scales
nothing."""


def refuse_other_software(driver: Facts, worker: Facts) -> None:
    """Raise ArenaError for a worker whose software is not the driver's, or that offers no lanes."""
    if worker.python != driver.python:
        raise ArenaError(
            f"it runs {worker.python}, and the driver {driver.python}: start its worker with the "
            "same version"
        )
    if worker.arena != driver.arena:
        raise ArenaError(
            f"it has arena {worker.arena}, and the driver {driver.arena}: install the same "
            "version there"
        )
    if worker.code != driver.code:
        raise ArenaError(
            f"its files of arena {worker.arena} are not those of the driver ({worker.code}, and "
            f"here {driver.code}): "
            "install the same version there"
        )
    if worker.lanes < 1:
        raise ArenaError("it offers no lanes: start it with `arena worker --lanes 1` or more")


def scale(
    speed: Speed,
    reference: Speed,
    conditions: Conditions,
    *,
    scale_time: bool,
) -> float:
    """Return the factor of the event's times for the bots on a machine of this speed.

    Raise ArenaError if it is not fit.

    The reference is the speed of the driver's machine. Where no move has a clock, every machine is
    fit. Two limits remain there, the time to start and the CPU time. They end broken bots and rank
    nobody. On a very slow machine they would end a healthy bot, so they are always scaled on a
    slower machine.
    """
    factor = speed.factor(reference)
    if conditions.time.move is None:
        is_slower = factor > 1 + SAME_SPEED
        if not is_slower:
            return 1.0
        return round(factor, 3)
    if speed.spread > NOISIEST:
        raise ArenaError(
            "it is too noisy for matches that a clock decides: the same work took it up to "
            f"{speed.spread:.1f} times "
            f"the median, and {NOISIEST:g} is the limit: end what else runs there, or use fewer "
            "lanes"
        )
    slowest = SLOWEST
    advice = "set scale_time = true in [workers], or leave it out"
    if scale_time:
        slowest = SLOWEST_SCALED
        advice = "leave it out"
    if factor > slowest:
        raise ArenaError(
            f"it is too slow for matches that a clock decides: it takes {factor:.1f} times as "
            "long as the driver's "
            f"machine, and {slowest:g} is the limit: {advice}"
        )
    is_same_speed = abs(factor - 1) <= SAME_SPEED
    if not scale_time or is_same_speed:
        return 1.0
    return round(factor, 3)
