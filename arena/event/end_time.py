"""The time after which a run with `stop_after` begins no more matches. It knows no run."""

import time
from typing import NamedTuple, Self


class EndTime(NamedTuple):
    """A moment by one of two clocks, as a lane may carry it along, here or on another machine."""

    moment: float
    on_wall: bool
    """True: by the wall clock (`time.time`), the only clock that machines share.

    False: by the monotonic clock."""

    @classmethod
    def after(cls, seconds: float, *, on_wall: bool) -> Self:
        """Return the moment that is this number of seconds from now."""
        return cls(_now(on_wall=on_wall) + seconds, on_wall)

    def is_over(self) -> bool:
        """Return whether the moment has come."""
        return _now(on_wall=self.on_wall) >= self.moment


def _now(*, on_wall: bool) -> float:
    if on_wall:
        return time.time()
    return time.monotonic()
