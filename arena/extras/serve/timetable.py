"""The rules by which rounds begin: "each hour", "each 20 minutes", "at 12:00 and 18:00".

This module knows no web.
"""

# Theory of operation
#
# A time of day becomes a moment in UTC before anything is compared, because two times of day around
# a change of the clock say nothing about the time between them. Python's `datetime` asks the C
# library for that, which knows all rules of this machine's zone (TZ, or /etc/localtime) and not
# only its offset now. So a round begins at the time that `date` shows, also on a machine without
# its zone's rules, where the C library shows UTC.
#
#   - 02:30 does not exist in the night in which the clock is set forward. The round begins when
#     02:30 would have been: at 03:30.
#   - 01:30 comes twice in the night in which the clock is set back. The round begins at the first.
#   - A round is missed when nobody began one since its moment. Then one round begins, however many
#     were missed.
#
# Somebody may also set the clock of the machine. A round that began later than now keeps its
# moment, so that no time of day has two rounds. But it cannot hold others back for longer than one
# period of the rule: what is later than that was noted by a clock that was wrong.

import re
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from arena.errors import ArenaError

UNITS: Final = {"minute": 1, "hour": 60, "day": 24 * 60}
EACH = re.compile(r"each (?:(\d{1,4}) )?(minute|hour|day)s?")
DAY: Final = timedelta(days=1)
LONG_AGO: Final = datetime(1970, 1, 2, tzinfo=UTC)
AT = re.compile(r"at (\d{1,2}:\d{2}(?:(?:,| and|, and)? \d{1,2}:\d{2})*)")
CLOCK_TIME = re.compile(r"(\d+):(\d+)")


def checked(rule: str) -> str:
    """Return a rule as it is stored; raise ArenaError for a text that is no rule."""
    rule = " ".join(rule.lower().split())
    _read(rule)
    return rule


def is_due(
    rule: str,
    since: datetime,
    now: datetime,
    *,
    elapsed: timedelta | None = None,
) -> bool:
    """Return whether a round is due, when the last one began at `since`, or the rule is as old.

    Times of day are those of the zone of `now`, if it has a ZoneInfo; otherwise those of this
    machine, since an offset from UTC is no zone. `elapsed` is the time since the last round by a
    clock that nobody sets, if it is known.
    """
    interval, times = _read(rule)
    since_utc = since.astimezone(UTC)
    now_utc = now.astimezone(UTC)
    if interval is not None:
        if elapsed is None:
            elapsed = now_utc - since_utc
        return elapsed >= interval
    zone = None
    if isinstance(now.tzinfo, ZoneInfo):
        zone = now.tzinfo
    return since_utc < _last_moment(times, now_utc, zone)


def last_begun(
    rule: str,
    moments: Iterable[datetime],
    now: datetime,
) -> datetime:
    """Return the latest of some moments that no wrong clock has noted; LONG_AGO if none."""
    interval, _ = _read(rule)
    latest = now + (interval or DAY)
    credible = [moment for moment in moments if moment <= latest]
    return max(credible, default=LONG_AGO)


def _last_moment(
    times: Iterable[tuple[int, int]],
    now: datetime,
    zone: tzinfo | None,
) -> datetime:
    """Return the last moment until now, in UTC, that has one of these hours and minutes in a zone.

    The zone None is that of this machine.
    """
    today = now.astimezone(zone).date()
    past_moments = []
    # A zone that moves over the date line leaves out a day, so the day before yesterday counts.
    for days in range(3):
        day = today - days * DAY
        for hour, minute in times:
            local = datetime.combine(day, time(hour, minute), zone)
            # `local.astimezone` is an hour off when the clock is set forward.
            moment = datetime.fromtimestamp(local.timestamp(), UTC)
            if moment <= now:
                past_moments.append(moment)
    return max(past_moments)


def _read(rule: str) -> tuple[timedelta | None, list[tuple[int, int]]]:
    """Return the time between two rounds, or None and the hours and minutes of a day."""
    interval = EACH.fullmatch(rule)
    if interval:
        count = int(interval[1] or 1)
        minutes = count * UNITS[interval[2]]
        if minutes:
            return timedelta(minutes=minutes), []
    daily = AT.fullmatch(rule)
    if daily:
        times: list[tuple[int, int]] = []
        for clock_time in CLOCK_TIME.finditer(daily[1]):
            hour = int(clock_time[1])
            minute = int(clock_time[2])
            times.append((hour, minute))
        if all(hour < 24 and minute < 60 for hour, minute in times):
            return None, times
    expected = '"each hour", "each 20 minutes", "at 18:00" or "off"'
    raise ArenaError(f"{rule!r} is no time for rounds: expected {expected}")
