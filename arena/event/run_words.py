"""Words about a run: why a bot is absent, why no more matches were begun, and when it is over."""

from datetime import UTC, datetime, timedelta

from arena.event import service
from arena.event.director import RunPhase
from arena.protocol import clean
from arena.values import Fault

LONGEST_REASON = 500
LONGEST_NAME = 200
HALTED = "stopped by `arena stop`: the matches that were under way are finished and stored"
SPENT = "a budget of the event is used up: raise it in tournament.toml"


def reason(phase: RunPhase) -> str | None:
    """Return why a run began no more matches; None where its user knows the reason."""
    if phase is RunPhase.HALTED:
        return HALTED
    if phase is RunPhase.SPENT:
        reasons: list[str] = []
        for known in service.known().values():
            words = known.when_spent()
            if words:
                reasons.append(words)
        return "; ".join(reasons) or SPENT
    return None


def absence(bot: str, fault: Fault, *, forfeits: bool = True) -> str:
    """Return a line about a bot that never said `ready`, with the reason."""
    cause = f"{fault.ending}: {clean(fault.words, LONGEST_REASON)}"
    if forfeits:
        return f"{absence_of(bot)}, its matches are forfeited: {cause}"
    return f"{absence_of(bot)}: {cause}"


def absence_of(bot: str) -> str:
    """Return a line about a bot that never said `ready`, without the reason."""
    return f"{clean(bot, LONGEST_NAME)} is absent"


def clock_in(seconds: float, *, to_second: bool = False) -> str:
    """Return the local time of day in some seconds: `14:32`, `tomorrow 09:05`, or a date.

    `to_second`: `14:32:05` and so on.
    """
    # Each moment is converted by itself: the offset of the zone may change between them.
    now = datetime.now(UTC)
    later = now + timedelta(seconds=seconds)
    then = later.astimezone()
    today = now.astimezone().date()
    text = f"{then:%H:%M}"
    if to_second:
        text = f"{then:%H:%M:%S}"
    days = (then.date() - today).days
    if days == 0:
        return text
    if days == 1:
        return f"tomorrow {text}"
    return f"{then:%Y-%m-%d} {text}"
