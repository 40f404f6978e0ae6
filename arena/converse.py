"""The one place that waits for bots: ask several at once, and part from them.

A deadline is absolute, counted from the moment the question was written, and no output moves it. Every pipe of a bot
that is asked is written and drained meanwhile, so neither side can block the other.
"""

import select
import time
from collections.abc import Iterable, Mapping

from arena.bot import LiveBot
from arena.game import Role
from arena.protocol import Ask, Heard
from arena.sandbox.watchdog import LOOK

FAREWELL = 0.05  # seconds a bot stays awake after its last words (protocol.md)


def converse(bots: Mapping[Role, LiveBot], asks: Mapping[Role, Ask]) -> dict[Role, Heard]:
    """Ask these roles at once; returns when each has answered or failed."""
    asked = [bots[role] for role in asks]
    for bot in asked:
        bot.begin(asks[bot.role])
    while waiting := [bot for bot in asked if bot.awaited]:
        _attend(waiting, min([time.monotonic() + LOOK, *(bot.due for bot in waiting if bot.due is not None)]))
        now = time.monotonic()
        for bot in waiting:
            if bot.awaited and bot.due is not None and now >= bot.due:
                bot.expire()
            bot.inspect(now)
    for bot in asked:
        if bot.heard is None:  # only now: its end takes a moment, and the others' answers are timed at arrival
            bot.bury()
    return {bot.role: bot.heard for bot in asked if bot.heard is not None}


def in_turn(bots: Mapping[Role, LiveBot], asks: Mapping[Role, Ask]) -> dict[Role, Heard]:
    """Ask these roles one after another, each with its own deadline, the others frozen: where cores are few."""
    return {role: heard for role, ask in asks.items() for heard in converse(bots, {role: ask}).values()}


def part(bots: Iterable[LiveBot], text: bytes) -> None:
    """Say the last words to these bots, leave them awake for a moment, and make sure that they are gone."""
    parting = list(bots)
    for bot in parting:
        bot.tell(text)
    until = time.monotonic() + FAREWELL
    while time.monotonic() < until and (staying := [bot for bot in parting if not bot.gone]):
        _attend(staying, until)
    for bot in parting:
        bot.end(FAREWELL if bot.gone else 0.0)


def _attend(bots: Iterable[LiveBot], until: float) -> None:
    """One poll, until a moment (monotonic); attend to every descriptor that is ready."""
    owners: dict[int, LiveBot] = {}
    poll = select.poll()
    for bot in bots:
        for descriptor, events in bot.events():
            owners[descriptor] = bot
            poll.register(descriptor, events)
    # Rounded up: a poll that wakes a fraction early would spin until the deadline.
    patience = max(0.0, until - time.monotonic()) * 1000 + 1
    for descriptor, _ in poll.poll(patience):
        if any(descriptor == known for known, _ in owners[descriptor].events()):  # not closed meanwhile
            owners[descriptor].attend(descriptor)
