"""The gate before a provider: when a call may begin, by its rate and while the provider is away.

All calls of one model pass one gate, whichever lane and bot they are from. So what one call hears
(a refused connection, HTTP 429 with Retry-After) holds for all others. This module knows neither
requests nor the tape.
"""

# Theory of operation
# -------------------
# After a fault that may pass the gate is shut, each time for longer, with jitter: other events may
# wait for the same provider. Then a single call goes through, and the others wait for what becomes
# of it. If it is answered the gate is open for all; if not it is shut again. So a provider that
# comes back is not met by all lanes at once, and one that is away hears of one call every ten
# seconds, however many lanes there are.
#
# `patience` counts from the first fault since the provider last answered. It is a limit of the
# model and not of a call. A single call that keeps failing while others are answered has the same
# limit (broker.py).

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator

from arena.event.run_words import clock_in
from arena.extras.models.faults import AwayError

BACKOFF_S = 0.5
"""How long the gate is shut after the first fault; after each later one it is twice as long."""
MOST_BACKOFF_S = 10.0
JITTER = 0.5
"""The share of that time which is drawn at random."""


class PatienceError(Exception):
    """The provider has been away for longer than the organiser waits."""


class Gate:
    """The gate before one provider. `rate` is in calls a minute, `patience` in seconds."""

    def __init__(self, *, rate: float | None, patience: float) -> None:
        self._rate = rate
        self._patience = patience
        self._line = asyncio.Lock()
        """The call that has it is the next; while the provider is away it keeps it to its end."""
        self._next_start = 0.0
        """The time from which on the rate allows another call. All times are monotonic."""
        self._opens = 0.0
        self._shut_at = 0.0
        self._failures = 0
        self._away_since: float | None = None
        self._fault = ""

    @contextlib.asynccontextmanager
    async def passage(self) -> AsyncIterator[None]:
        """Wait until a call may begin, and hold the others back if it is to try the provider."""
        async with contextlib.AsyncExitStack() as holding:
            await holding.enter_async_context(self._line)
            await self._opening()
            if self._away_since is None:
                await holding.aclose()
            yield

    async def _opening(self) -> None:
        """Wait until rate and gate allow another call; calls under way may shut the gate again."""
        while True:
            now = time.monotonic()
            pause = max(self._opens, self._next_start) - now
            if pause <= 0:
                break
            await asyncio.sleep(pause)
        if self._rate is not None:
            self._next_start = now + 60 / self._rate

    def answered(self) -> None:
        """Take note that the provider is there."""
        self._away_since = None
        self._failures = 0
        self._opens = 0.0

    def failed(self, fault: AwayError, begun: float) -> None:
        """Shut the gate after the fault of a call that began then.

        PatienceError if the provider was away for longer than `patience`, or says that it will be.
        """
        now = time.monotonic()
        if self._away_since is None:
            self._away_since = now
        if self._failures == 0 or begun >= self._shut_at:
            # Otherwise the call was under way when another one failed, and says the same again.
            self._failures += 1
            self._shut_at = now
        self._fault = str(fault)
        end = self._away_since + self._patience
        if now >= end:
            raise PatienceError(f"waited {self._patience:g} s (`patience`): {fault}")
        if now + fault.after > end:
            words = f"it is to be asked again in {fault.after:.0f} s, which is beyond `patience`"
            raise PatienceError(f"{words}: {fault}")
        pause = backoff(self._failures)
        if fault.after:
            pause = max(pause, fault.after + min(pause, BACKOFF_S))
        self._opens = max(self._opens, min(now + pause, end))

    @property
    def wait(self) -> str:
        """Until when calls wait and why, in words; empty while the provider answers."""
        if self._away_since is None:
            return ""
        now = time.monotonic()
        again = "now"
        if self._opens > now:
            again = f"at {clock_in(self._opens - now, to_second=True)}"
        left = max(0.0, self._away_since + self._patience - now)
        end = clock_in(left, to_second=True)
        return f"{self._fault}; it is asked again {again}, until {end} at most"


def backoff(failures: int) -> float:
    """Return the seconds to wait after this number of faults in a row, with jitter."""
    pause: float = min(BACKOFF_S * 2 ** (failures - 1), MOST_BACKOFF_S)
    return pause * random.uniform(1 - JITTER, 1)
