"""When rounds begin: "each hour", "each 20 minutes", "at 18:00", "at 12:00 and 18:00". It knows no web."""

import re
from datetime import datetime, timedelta
from typing import Final

from arena.errors import ArenaError

UNITS: Final = {"minute": 1, "hour": 60, "day": 24 * 60}
EACH = re.compile(r"each (?:(\d{1,4}) )?(minute|hour|day)s?")
AT = re.compile(r"at (\d{1,2}:\d{2}(?:(?:,| and|, and)? \d{1,2}:\d{2})*)")


def checked(rule: str) -> str:
    """Return a rule as it is stored; ArenaError for what is none."""
    rule = " ".join(rule.lower().split())
    _read(rule)
    return rule


def is_due(rule: str, since: datetime, now: datetime) -> bool:
    """Return whether a round is due, when the last one began at `since`, or the rule is as old; both in local time."""
    interval, times = _read(rule)
    if interval is not None:
        return now - since >= interval
    moments = (now.replace(hour=hour, minute=minute, second=0, microsecond=0) for hour, minute in times)
    return any(since < moment <= now or since < moment - timedelta(days=1) for moment in moments)


def _read(rule: str) -> tuple[timedelta | None, list[tuple[int, int]]]:
    """Return the time between two rounds, or else the hours and minutes of a day."""
    if (each := EACH.fullmatch(rule)) and (minutes := int(each[1] or 1) * UNITS[each[2]]):
        return timedelta(minutes=minutes), []
    if at := AT.fullmatch(rule):
        times = [(int(hour), int(minute)) for hour, minute in re.findall(r"(\d+):(\d+)", at[1])]
        if all(hour < 24 and minute < 60 for hour, minute in times):
            return None, times
    raise ArenaError(f'{rule!r} is no time for rounds: expected "each hour", "each 20 minutes", "at 18:00" or "off"')
