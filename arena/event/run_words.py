"""What is said of a run in sentences: why a bot is absent, and why no more matches were begun."""

from arena.event.director import RunPhase
from arena.protocol import clean
from arena.values import Fault

LONGEST_REASON, LONGEST_NAME = 500, 200
REASONS = {
    RunPhase.HALTED: "stopped by `arena stop`: the matches that were under way are finished and stored",
    RunPhase.SPENT: "the budget for the language model is used up: raise model.event_tokens or model.event_cost",
}
"""Why a run began no more matches, where its user may not know."""


def absence(bot: str, fault: Fault, *, forfeits: bool = True) -> str:
    """Return a line about a bot that never said `ready`."""
    reason = f"{fault.ending}: {clean(fault.words, LONGEST_REASON)}"
    return f"{absence_of(bot)}{', its matches are forfeited' if forfeits else ''}: {reason}"


def absence_of(bot: str) -> str:
    """Return that a bot never said `ready`, without the reason."""
    return f"{clean(bot, LONGEST_NAME)} is absent"
