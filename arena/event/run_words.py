"""Sentences about a run: why a bot is absent, and why no more matches were begun."""

from arena.event.director import RunPhase
from arena.protocol import clean
from arena.values import Fault

LONGEST_REASON = 500
LONGEST_NAME = 200
REASONS = {
    RunPhase.HALTED: (
        "stopped by `arena stop`: the matches that were under way are finished and stored"
    ),
    RunPhase.SPENT: (
        "the budget for the language model is used up: raise model.event_tokens or model.event_cost"
    ),
}
"""Why a run began no more matches, where its user may not know the reason."""


def absence(bot: str, fault: Fault, *, forfeits: bool = True) -> str:
    """Return a line about a bot that never said `ready`, with the reason."""
    reason = f"{fault.ending}: {clean(fault.words, LONGEST_REASON)}"
    if forfeits:
        return f"{absence_of(bot)}, its matches are forfeited: {reason}"
    return f"{absence_of(bot)}: {reason}"


def absence_of(bot: str) -> str:
    """Return a line about a bot that never said `ready`, without the reason."""
    return f"{clean(bot, LONGEST_NAME)} is absent"
