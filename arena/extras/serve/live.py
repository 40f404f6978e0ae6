"""The live match of an event, turn by turn, for everybody who watches; its page, and the wall.

Everybody who watches an event sees its `LiveView`, which reads each match once for all of them. It
decides which match is shown and when. A process of its own (jobs.py) computes what is sent of a
match.
"""

# Theory of operation
#
# Which match. A match that a lane has played for SLOW_S is shown as it is played, if everybody may
# see all of it (event/broadcast.py). Most matches are over within milliseconds, and others must not
# be seen before their end: then the newest match that is over is shown, at a pace that the eye can
# follow, and after it the newest one again. When no run plays the event, the view shows its newest
# match once and ends, and so do the streams of all who watch.
#
# Who watches. Each watcher has a stream of server-sent events: `match` (names, board), `turns` (a
# list), `result`, and at last `over`. A watcher keeps no queue but its position in the turns of the
# view. A slow watcher gets more turns at once, or misses some, which does no harm: each turn has
# its whole state. The server drops a watcher that takes nothing (server.py, WRITE_S). Whoever loads
# the page without scripts counts as a watcher for GLANCE_S.
#
# A browser connects again by itself when the server was restarted, and gets the match with its
# newest turns. Before each part is sent, the server asks again whether its reader may see the
# event: results can be hidden at any moment.

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import Context
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.event import broadcast
from arena.event.control import RunState
from arena.extras.serve import guard, jobs, pages, people, readers
from arena.extras.serve.frames import Frames
from arena.extras.serve.jobs import PartOfMatch
from arena.extras.serve.streams import WAIT_S, EventStream, EventStreamResponse, event
from arena.extras.serve.worker import BusyError, JobError

SLOW_S = 1.5
"""A match that has lasted longer is shown while it is played."""
FOLLOW_S = 0.3
"""The time between two looks at a match that is played."""
SHARE = 5
"""A look is followed by a pause of five times the time that it took."""
STORED_S = 5.0
"""The time in which a match that is over comes into the archive."""
PACE_S = 0.6
"""The time for a turn of a match that is over."""
SHOW_S = 30.0
"""The time in which a match that is over is shown to its end."""
STEP_S = 0.1
"""The time between two parts of a match that has too many turns for SHOW_S."""
HOLD_S = 3.0
"""The time for the result of a match."""
IDLE_S = 1.0
"""The time between two looks for a match."""
GLANCE_S = 20.0
"""The time for which a page without scripts counts as a watcher."""
WATCH_S = 3.0
"""The time between two requests to the lanes."""
MOST_TURNS = 30
"""The turns of a match that a watcher gets who comes late."""
MOST_VIEWS = 20
"""The events that can be watched at once, beside those that are played."""
FIRST_S = 2.0
"""The time for which a page waits for its first match."""


class LiveView:
    """The match that everybody sees who watches an event."""

    def __init__(self, frames: Frames, event: str) -> None:
        self._frames = frames
        self._event = event
        self.watchers = 0
        self.match = ""
        """The match that is shown."""
        self.lane = ""
        """The lane that plays it; empty when it is over."""
        self._events = EventStream(MOST_TURNS)
        self._result = ""
        self._over = False
        self._glanced = 0.0
        """The time (monotonic) of the last look at the page without scripts."""
        self._asked = 0.0
        """The time (monotonic) of the last request to the lanes."""
        self._task: asyncio.Task[None] | None = None

    @property
    def names(self) -> dict[str, Any]:
        """Return the board and the bots of the match that is shown; nothing if there is none."""
        names: dict[str, Any] = json.loads(self._events.head or "{}")
        return names

    @property
    def text(self) -> str:
        """Return the newest state of the match as lines of text."""
        return self._events.text

    @property
    def is_watched(self) -> bool:
        """Return whether anybody watches."""
        return self.watchers > 0 or time.monotonic() - self._glanced < GLANCE_S

    def begin(self) -> None:
        """Show matches as long as somebody watches."""
        if self._task is None:
            self._over = False
            self._clear()
            # Not in the name of the first who watches: what others ask of the same address would
            # end it for all.
            self._task = asyncio.create_task(self._show(), context=Context())

    def close(self) -> None:
        """End at once."""
        if self._task is not None:
            self._task.cancel()

    async def glance(self) -> None:
        """Wait a moment for the first match."""
        self._glanced = time.monotonic()
        self.begin()
        until = time.monotonic() + FIRST_S
        while time.monotonic() < until:
            if self._events.head or self._over:
                return
            seconds_left = until - time.monotonic()
            await self._events.news(seconds_left)

    async def parts(self) -> AsyncIterator[str]:
        """Yield events for a watcher until nothing is played any more; "" if there is no news."""
        self.begin()
        events = self._events
        count = 0
        has_result = False
        while True:
            if events is not self._events:  # another match is shown
                events = self._events
                count = 0
                has_result = False
            part = events.since(count)
            count = max(count, events.count)
            if self._result and not has_result:
                part += event("result", self._result)
                has_result = True
            if self._over:
                yield part + event("over", "{}")
                return
            yield part
            await events.news(WAIT_S)

    async def _show(self) -> None:
        """Show one match after another, until nobody watches or nothing new is played."""
        last = ""
        try:
            while self.is_watched:
                state = self._frames.state(self._event)
                if state is not None:
                    under_way = await self._under_way(state)
                    if under_way is not None:
                        last = await self._follow(*under_way)
                        continue
                listed = await self._frames.match(self._event, jobs.matches, 1, ())
                match = ""
                if listed.lines:
                    match = listed.lines[0].id
                if match != last:
                    last = match
                    await self._replay(match)
                elif state is None:
                    return
                if state is not None:
                    await self._pause(IDLE_S)
        except (BusyError, JobError):
            return
        finally:
            self._task = None
            self._over = True
            self._events.ring()

    async def _under_way(self, state: RunState) -> tuple[str, str, PartOfMatch] | None:
        """Return the lane, the id and the turns of the match that has lasted longest.

        Only matches count that can be watched; None if there is none.
        """
        self._ask()
        latest = datetime.now(UTC) - timedelta(seconds=SLOW_S)
        begun = latest.isoformat(timespec="milliseconds")
        slow = [status for status in state.lanes if status.match and status.since < begun]
        slow.sort(key=lambda status: (status.since, status.lane))
        for status in slow:
            lane = status.lane
            match = status.match
            part = await self._frames.fresh(
                self._event,
                jobs.under_way,
                lane,
                match,
                0,
            )
            if part is not None:
                return lane, match, part
        return None

    async def _follow(
        self,
        lane: str,
        match: str,
        part: PartOfMatch | None,
    ) -> str:
        """Show a match while it is played; return its id."""
        self._clear(match, lane)
        while part is not None and self.is_watched:
            if part.count < self._events.count:  # it is played again
                self._clear(match, lane)
            begun = time.monotonic()
            self._add(part)
            state = self._frames.state(self._event)
            if state is None:
                break
            matches_under_way = {status.match for status in state.lanes}
            if match not in matches_under_way:
                break
            part = await self._frames.fresh(
                self._event,
                jobs.under_way,
                lane,
                match,
                self._events.count,
            )
            took = time.monotonic() - begun
            await self._pause(max(FOLLOW_S, SHARE * took))
        await self._finish(match)
        return match

    async def _finish(self, match: str) -> None:
        """Show the end of a match that was followed, as soon as the archive has it."""
        until = time.monotonic() + STORED_S
        self.lane = ""
        while self.is_watched and time.monotonic() < until:
            count = self._events.count
            part = await self._frames.fresh(self._event, jobs.finished, match, count)
            if part is not None:
                self._add(part)
                await self._pause(HOLD_S)
                return
            await self._pause(FOLLOW_S)

    async def _replay(self, match: str) -> None:
        """Show a match that is over, from its start."""
        part = await self._frames.fresh(self._event, jobs.finished, match, 0)
        if part is None:
            return
        self._clear(match)
        all_turns = part.turns
        pace = min(PACE_S, SHOW_S / len(all_turns))
        step = max(1, round(STEP_S / pace))
        count = part.count - len(all_turns)
        for start in range(0, len(all_turns), step):
            turns = all_turns[start : start + step]
            count += len(turns)
            self._add(replace(part, turns=turns, count=count, result=""))
            await self._pause(pace * step)
            if not self.is_watched:
                return
        self._add(replace(part, turns=()))
        await self._pause(HOLD_S)

    def _clear(self, match: str = "", lane: str = "") -> None:
        """Begin another match, of which nothing is known yet."""
        before = self._events
        self._events = EventStream(MOST_TURNS)
        self.match = match
        self.lane = lane
        self._result = ""
        before.ring()

    def _add(self, part: PartOfMatch) -> None:
        """Show a part of a match to everybody."""
        if not self._events.head:
            self._events.head = part.head
        self._events.text = part.text
        self._result = part.result
        self._events.add(part.turns, part.count)
        self._events.ring()

    async def _pause(self, seconds: float) -> None:
        """Wait, and ask the lanes meanwhile to go on writing."""
        until = time.monotonic() + seconds
        seconds_left = seconds
        while seconds_left > 0 and self.is_watched:
            self._ask()
            await asyncio.sleep(min(seconds_left, WATCH_S))
            seconds_left = until - time.monotonic()

    def _ask(self) -> None:
        """Ask the lanes to write their turns, if they were not asked just now."""
        now = time.monotonic()
        if now - self._asked < WATCH_S:
            return
        self._asked = now
        with contextlib.suppress(OSError):  # then matches are shown when they are over
            broadcast.watch(self._frames.results / self._event)


class LiveViews:
    """The live views of all events, and how many watch them."""

    def __init__(self, frames: Frames, settings: guard.Settings) -> None:
        self._frames = frames
        self._settings = settings
        self._views: dict[str, LiveView] = {}
        self._networks: Counter[str] = Counter()

    def close(self) -> None:
        """End all of them."""
        for view in self._views.values():
            view.close()

    def of(self, event: str) -> LiveView:
        """Return the view of an event.

        Raise 429 if too many other events are watched, unless a run plays this one now.
        """
        for name, other_view in list(self._views.items()):
            if name != event and not other_view.is_watched:
                del self._views[name]
        if event in self._views:
            return self._views[event]
        is_full = len(self._views) >= MOST_VIEWS
        if is_full and self._frames.state(event) is None:
            raise HTTPException(429, "too many events are watched at once: wait a moment")
        view = LiveView(self._frames, event)
        self._views[event] = view
        return view

    @contextlib.contextmanager
    def watching(self, view: LiveView, network: str) -> Iterator[None]:
        """Count a watcher."""
        self._networks[network] += 1
        view.watchers += 1
        try:
            yield
        finally:
            view.watchers -= 1
            self._networks[network] -= 1
            self._networks += Counter()  # this leaves out networks with no watcher

    def is_full(self, network: str) -> bool:
        """Return whether one more watcher is too many."""
        settings = self._settings
        if self._networks.total() >= settings.watchers:
            return True
        return self._networks[network] >= settings.watchers_of_network


def live_views(request: Request) -> LiveViews:
    """Return the live views of all events."""
    live_views: LiveViews = request.app.state.live_views
    return live_views


async def page(request: Request) -> Response:
    """Show what is played now; without scripts its newest state, as text."""
    event = readers.event_of(request)
    view = live_views(request).of(event)
    await view.glance()
    return await readers.event_page(request, "live.html.j2", tab="live", view=view)


async def stream(request: Request) -> Response:
    """Send what is played now, turn by turn."""
    event = readers.event_of(request)
    sees = partial(people.sees, request, event)
    return _stream(request, event, sees)


async def wall_stream(request: Request) -> Response:
    """Send what a projector shows, as long as everybody may see it, whoever has signed in there."""
    events = _public(request)
    if not events:
        raise HTTPException(404)
    event = events[0]
    accounts = people.accounts_of(request)
    everybody_sees = partial(accounts.may_see, event, None)
    return _stream(request, event, everybody_sees)


def _stream(
    request: Request,
    event: str,
    goes_on: Callable[[], bool],
) -> Response:
    """Return the stream of an event for one more watcher, as long as it may see the event."""
    views = live_views(request)
    network = guard.network_of(request.scope)
    view = views.of(event)
    if views.is_full(network):
        raise HTTPException(429, "too many watch at once: wait a moment")
    counted = views.watching(view, network)
    return EventStreamResponse(request, view.parts(), counted, goes_on)


def _public(request: Request) -> list[str]:
    """Return the events for a projector, which shows the first that can be read.

    It is the event that the address names, or the event that is played now, or the newest event.
    Everybody may see it, whoever has signed in at the projector.
    """
    names = readers.events(request, None)
    event_name = request.query_params.get("event")
    if event_name is not None:
        if event_name not in names:
            raise HTTPException(404)
        return [event_name]
    frames = readers.frames(request)
    return sorted(names, key=lambda name: frames.state(name) is None)


async def wall(request: Request) -> Response:
    """Show an event on a projector, which turns its pages by itself."""
    event = ""
    html = ""
    for name in _public(request):
        try:
            html = await readers.frames(request).table(name, jobs.wall)
        except JobError:
            # A run begins it at this moment, or was killed there. A page of an error would stay on
            # the projector for ever.
            continue
        event = name
        break
    query = pages.query({"event": event})
    return pages.render(
        request,
        "wall.html.j2",
        title="Wall",
        event=event,
        html=html,
        live=f"/wall/live?{query}",
    )


ROUTES = [
    Route("/wall", wall),
    Route("/wall/live", wall_stream),
    Route("/events/{event}/live", page),
    Route("/events/{event}/live/events", stream),
]
