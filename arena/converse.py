"""The one place that waits for bots: ask several at once, and part from them.

A deadline is absolute, counted from the moment the question was written, and no output moves it. Every pipe of a bot
that is asked is written and drained meanwhile, so neither side can block the other.
"""

import math
import select
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVarTuple

from arena.bot import LiveBot
from arena.game import Role
from arena.protocol import Ask, Heard
from arena.sandbox.watchdog import LOOK

ROUNDING = 0.01  # milliseconds: a poll knows whole ones only, and 20.000001 are 20
Words = TypeVarTuple("Words")
FAREWELL = 0.05  # seconds a bot stays awake after its last words (protocol.md)


def converse(bots: Mapping[Role, LiveBot], asks: Mapping[Role, Ask]) -> dict[Role, Heard]:
    """Ask these roles at once; returns when each has answered or failed."""
    asked = [bots[role] for role in asks]
    for number, (bot, ask) in enumerate(zip(asked, asks.values(), strict=True), 1):
        _beside(asked[:number], bot, bot.begin, ask)
    now = asked[-1].begun
    while waiting := [bot for bot in asked if bot.awaited]:
        now, late = _attend(waiting, now, min([bot.due for bot in waiting]))
        if still := [bot for bot in waiting if bot.awaited]:
            for bot in still:
                _beside(still, bot, bot.look, now, late)
            now = time.monotonic()  # to look takes a moment, which nobody is to be forgiven
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
    now = time.monotonic()
    until = now + FAREWELL
    while now < until and (staying := [bot for bot in parting if not bot.gone]):
        now, _ = _attend(staying, now, until)
    for bot in parting:
        bot.end(FAREWELL if bot.gone else 0.0)


def _attend(bots: Sequence[LiveBot], since: float, until: float) -> tuple[float, float]:
    """Wait once, from a moment (monotonic) to another or to the next look at what they use; attend to what is ready.

    Returns the moment at which it looked, and by how many seconds that is later than it was to be. An answer that is
    found by a late look may have lain there all the while.
    """
    patience = max(0, math.ceil(min(until - since, LOOK) * 1000 - ROUNDING))
    until = since + patience / 1000
    ready = _wait_for_any(bots, patience) if len(bots) > 1 else [(bots[0], one) for one, _ in bots[0].wait(patience)]
    now = time.monotonic()
    late = now - until if now > until else 0.0
    for bot, descriptor in ready:
        _beside(bots, bot, bot.attend, descriptor, now, now - since if late else 0.0)
    return now, late


def _beside(bots: Sequence[LiveBot], bot: LiveBot, work: Callable[[*Words], None], *words: *Words) -> None:
    """Do some work for one of these bots, and excuse the others for as long: else one's floods were another's loss."""
    if len(bots) == 1:
        work(*words)
        return
    begun = time.monotonic()
    work(*words)
    took = time.monotonic() - begun
    for other in bots:
        if other is not bot:
            other.excuse(took)


def _wait_for_any(bots: Sequence[LiveBot], patience: int) -> list[tuple[LiveBot, int]]:
    """One poll over several bots: each descriptor that is ready, with whose it is."""
    poll = select.poll()
    owners = {descriptor: bot for bot in bots for descriptor in bot.wire.watch(poll)}
    return [(owners[descriptor], descriptor) for descriptor, _ in poll.poll(patience)]
