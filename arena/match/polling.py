"""Waits for bots: asks several at once, and writes their last lines.

It owns the wait, and knows when the referee looked later than it planned. All other code of a match
waits for moments only. This file knows no rules and no line of a bot.
"""

# Theory of operation
# -------------------
# One thread waits for all bots that are asked, with one poll(2) over all of their pipes. It writes
# the questions, drains stdout and stderr, and writes the part of a question that did not fit into a
# pipe, in the order in which the kernel reports descriptors. So neither side can block the other: a
# bot that writes and does not read, or reads and does not write, delays nobody.
#
# A bot that is asked alone is first given a moment for a short answer (match/bot/__init__.py), and
# what is said here begins when it gave none.
#
# Each bot has one deadline: the seconds that it may be charged with, from the moment at which its
# question was written. No output changes it, so neither a line that comes byte by byte nor a flood
# of remarks gains time. The stopwatch has the moment `due`, at which the deadline may have passed,
# and postpones it by the time that is not charged. A wait ends when the first bot is due, or after
# WATCHDOG_INTERVAL_S, when the limits of the bots are checked.
#
# The referee itself may come late: it has no core when its wait ends, or it was serving another
# bot. That must cost no bot anything, and give none time. The kernel notes when an answer is
# written (sandbox/timed_pipe.py), and only the time after that is excused. A bot whose answer is
# not there when the referee comes late has lost nothing by that. It is only excused the time in
# which the referee was stopped from outside, since the bot may have been stopped as well.
#
# Where the kernel notes no times, three delays are measured and not charged instead:
#
#   1. poll(2) returns later than planned. If an answer is there then, nobody can know when it came,
#      so the whole wait is excused for it. For a bot that has not answered, only the late part of
#      the wait is not charged.
#   2. The referee works for another bot: a flood to read, a process to end. `_work_for` excuses all
#      other bots for that time.
#   3. The referee has no core while it runs. The stopwatch reads this in schedstat.
#
# CPU time stays charged in all of this (clock.py), so a bot that thinks on in such a moment gains
# nothing.
#
# While some bots think, the others must stay frozen. SIGSTOP alone is not certain
# (sandbox/freezer.py), so they are looked at every WATCHDOG_INTERVAL_S seconds, and less often
# where such a look takes long.
#
# Late freezing. To stop a bot and to wake it takes about 10 of the 35 microseconds of a turn
# between quick bots, and nearly every bot sleeps anyway when it has answered, until its next
# question. So with `freeze_late` a bot that gave a short answer stays awake. It is stopped when the
# next bot has been asked and gave no short answer, after SHORT_ANSWER_S, before the wait goes on.
# The promise of the freeze is kept:
#
#   - No thinking time is free. The CPU time that a bot used unasked is charged to its next answer,
#     since its clock is read at its answers only. The kernel brings the clock of a running thread
#     up to date at each tick (4 ms at 250 Hz) and whenever the thread leaves its core. So one
#     reading may lack one tick for each thread; the next one has it. The sum over a match is exact
#     but for the last reading. A child that ends may take its CPU time along, so a match in which a
#     bot may be several processes is not frozen late (live_bots.py).
#   - Nobody who is asked is harmed. A bot that shares its core with one that is awake waits for the
#     core, and such a wait is excused (clock.py). A short answer costs nothing of the bank, even if
#     most of it was a wait. A bot whose waits may not be excused, because it may be several
#     processes, has no opponent that is awake.
#   - Only SHORT_ANSWER_S of a turn can be used unasked, and as long as the referee needs to play
#     the move.
#
# A bot is frozen at once if one of these holds: the referee took longer than SHORT_ANSWER_S after
# its last answer; a person looks at the match; its answer was not short, be it by what it used
# unasked; it has several threads; it is doubted because it used more CPU time than passed
# (sandbox/freezer.py).

import math
import select
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVarTuple

from arena.clock import lateness
from arena.game import Role
from arena.match.bot import LiveBot
from arena.protocol import Ask, Reply
from arena.sandbox.freezer import LOOKS_APART
from arena.sandbox.watchdog import WATCHDOG_INTERVAL_S

ROUNDING_MS = 0.01
"""poll(2) knows whole milliseconds only. A wait of 20.000001 ms is 20 ms, and not 21."""
FAREWELL_S = 0.05
"""How long a bot stays awake after its last lines (docs/protocol.md)."""

Arguments = TypeVarTuple("Arguments")


def ask_all(
    bots: Mapping[Role, LiveBot],
    asks: Mapping[Role, Ask],
    *,
    freeze_late: bool = False,
) -> dict[Role, Reply]:
    """Ask these roles at once, and return their replies when each has answered or failed.

    `freeze_late`: a bot that gives a short answer is left awake, until a bot is asked that gives
    none.
    """
    asked_bots = [bots[role] for role in asks]
    first = asked_bots[0]
    fast = len(asks) == 1 and first.may_take_fast_path(asks[first.role])
    if fast:
        reply = first.short_answer(asks[first.role], stays_awake=freeze_late)
        if reply is not None:
            return {first.role: reply}
    for bot in bots.values():
        if bot.role not in asks:
            _work_for(bot, [*asked_bots, bot], bot.freeze)
    now = time.monotonic()
    if not fast:
        for number, bot in enumerate(asked_bots, 1):
            _work_for(bot, asked_bots[:number], bot.begin, asks[bot.role])
        now = asked_bots[-1].stopwatch.begun
    _wait_for_answers(bots, asked_bots, now)
    for bot in asked_bots:
        # Last, because an end takes time, in which no other answer would be read.
        if bot.reply is None:
            bot.explain_exit()
    return {bot.role: bot.reply for bot in asked_bots if bot.reply is not None}


def _wait_for_answers(
    bots: Mapping[Role, LiveBot],
    asked_bots: Sequence[LiveBot],
    now: float,
) -> None:
    """Wait from `now` (monotonic) until no reply is awaited of the bots that were asked.

    All other bots stay frozen meanwhile.
    """
    look_at_frozen = now + WATCHDOG_INTERVAL_S
    waiting = [bot for bot in asked_bots if bot.awaited]
    while waiting:
        first_due = min([bot.stopwatch.due for bot in waiting])
        now, late = _wait_once(waiting, now, first_due)
        waiting = [bot for bot in waiting if bot.awaited]
        if not waiting:
            return
        if now >= look_at_frozen:
            for bot in bots.values():
                _work_for(bot, [*waiting, bot], bot.freeze_again)
            look_s = time.monotonic() - now
            look_at_frozen = now + WATCHDOG_INTERVAL_S + LOOKS_APART * look_s
        for bot in waiting:
            _work_for(bot, waiting, bot.look, now, late)
        now = time.monotonic()  # the looks took a moment, which is no lateness of the next wait
        waiting = [bot for bot in waiting if bot.awaited]


def write_last_lines(bots: Collection[LiveBot], text: bytes) -> None:
    """Write the last lines to these bots, and leave them awake for a moment.

    In this moment they may leave by themselves.
    """
    for bot in bots:
        bot.close_input(text)
    now = time.monotonic()
    until = now + FAREWELL_S
    running = [bot for bot in bots if not bot.output_ended]
    while running and now < until:
        now, _ = _wait_once(running, now, until)
        running = [bot for bot in bots if not bot.output_ended]
    for bot in bots:
        bot.grace = FAREWELL_S if bot.output_ended else 0.0


def _wait_once(
    bots: Sequence[LiveBot],
    since: float,
    until: float,
) -> tuple[float, float]:
    """Wait from `since` (monotonic) for descriptors, and serve those that are ready.

    Stop at `until`, or when the next look is due. Return the moment at which the wait ended, and by
    how many seconds it ended later than planned.
    """
    planned_ms = min(until - since, WATCHDOG_INTERVAL_S) * 1000
    timeout_ms = max(0, math.ceil(planned_ms - ROUNDING_MS))
    if len(bots) == 1:
        ready = [(bots[0], descriptor) for descriptor, _ in bots[0].wire.wait(timeout_ms)]
    else:
        poll = select.poll()
        owners: dict[int, LiveBot] = {}
        for bot in bots:
            owners |= dict.fromkeys(bot.wire.watch(poll), bot)
        ready = [(owners[descriptor], descriptor) for descriptor, _ in poll.poll(timeout_ms)]
    now = time.monotonic()
    late = lateness(now, since + timeout_ms / 1000)
    unseen = now - since if late else 0.0
    for bot, descriptor in ready:
        _work_for(bot, bots, bot.attend, descriptor, now, unseen)
    return now, late


def _work_for(
    bot: LiveBot,
    bots: Sequence[LiveBot],
    work: Callable[[*Arguments], None],
    *arguments: *Arguments,
) -> None:
    """Do some work for one of these bots.

    The others are not charged for the time, because their answers are not seen meanwhile.
    """
    if len(bots) == 1:
        work(*arguments)
        return
    begun = time.monotonic()
    work(*arguments)
    seconds = time.monotonic() - begun
    for delayed in bots:
        if delayed is not bot:
            delayed.stopwatch.excuse(seconds)
