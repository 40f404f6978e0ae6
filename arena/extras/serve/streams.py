"""Server-sent events: how an open page hears of a match, turn by turn, to watch or to play it."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractContextManager
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

PING_S = 15.0
"""The time after which a silent stream says that it is there."""
WAIT_S = 0.5
"""The time between two looks of a stream whether to end."""


class EventStream:
    """A match as far as it is known: each page gets the part that it has not heard yet."""

    def __init__(self, most: int) -> None:
        self.head = ""
        """JSON of the board and the names."""
        self.text = ""
        """The newest state as lines of text."""
        self.count = 0
        """The number of states so far; a page that comes late gets the last `most` of them."""
        self._turns: deque[str] = deque(maxlen=most)
        self._news = asyncio.Event()

    def add(self, turns: Iterable[str], count: int) -> None:
        """Take the JSON of new states, with the moves that led to them; now there are `count`."""
        self._turns.extend(turns)
        self.count = count

    def ring(self) -> None:
        """Wake up every page that waits for news."""
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, seconds: float) -> bool:
        """Wait for news; False if there are none by then."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def since(self, count: int) -> str:
        """Return the events for a page that has heard of `count` states."""
        if count >= self.count:
            return ""
        forgotten = self.count - len(self._turns)
        start = max(0, count - forgotten)
        new = islice(self._turns, start, None)
        turns = event("turns", f"[{','.join(new)}]")
        if count:
            return turns
        return event("match", self.head) + turns


class EventStreamResponse(StreamingResponse):
    """The events for one page, which is counted as open until the connection ends."""

    media_type = "text/event-stream"

    def __init__(
        self,
        request: Request,
        parts: AsyncIterator[str],
        counted: AbstractContextManager[None],
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        # A proxy must not keep parts back in order to send several at once.
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(_sent(request, parts, goes_on), headers=headers)
        self._counted = counted

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Send until the stream ends, or the client has gone."""
        if scope["method"] == "HEAD":  # the stream would never end
            answer = Response(headers=self.headers)
            await answer(scope, receive, send)
            return
        with self._counted:
            await super().__call__(scope, receive, send)


def event(name: str, text: str) -> str:
    """Return an event with its JSON, as it is sent."""
    return f"event: {name}\ndata: {text}\n\n"


async def _sent(
    request: Request,
    parts: AsyncIterator[str],
    goes_on: Callable[[], bool],
) -> AsyncIterator[str]:
    """Yield what is sent, as long as the page may go on and the server does."""
    yield "retry: 3000\n\n"
    sent = time.monotonic()
    async for part in parts:
        if request.app.state.is_ending() or not goes_on():
            return
        is_silent = time.monotonic() - sent >= PING_S
        if part or is_silent:
            sent = time.monotonic()
            yield part or ": still here\n\n"
