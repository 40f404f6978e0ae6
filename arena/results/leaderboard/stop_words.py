"""Sentences on why an event ended by a rule of its tournament.toml, and which ranks are open."""

from collections.abc import Callable

from arena.errors import counted
from arena.protocol import clean
from arena.results.ranked import ranked_bots
from arena.values import Event, OpenRanks, Stop

BOTS_NAMED = 5
"""The bots that are named in a run of open ranks."""


def sentences(
    stop: Stop,
    event: Event,
    display_name: Callable[[str], str],
) -> tuple[str, ...]:
    """Return a sentence about the end and one about the open ranks, without full stops.

    `display_name` names a bot.
    """
    end = _end(stop, event)
    open_ranks = _open_ranks(stop, event, display_name)
    return end, open_ranks


def _end(stop: Stop, event: Event) -> str:
    """Return why the event ended."""
    matches = counted(stop.matches, "match")
    chance = f"{100 * event.confidence:g} %"
    if stop.rule == "stop_when":
        return (
            f"the event ended after {matches}, because the {event.stop_when} at {chance} "
            "(stop_when)"
        )
    if stop.rule == "max_matches":
        return f"the event ended after {matches} (max_matches)"
    if stop.rule == "stop_after":
        return (
            f"the last run ended after {event.stop_after or 0:g} s, at {matches} (stop_after); "
            "the next run goes on, and on another day this rule ends at another match"
        )
    return f"the event ended after all {matches} of its plan"


def _open_ranks(
    stop: Stop,
    event: Event,
    display_name: Callable[[str], str],
) -> str:
    """Return which ranks the matches leave open."""
    if not any(map(ranked_bots, event.leagues)):
        return "no bot has a rank: at least two must play all roles of a game"
    chance = f"{100 * event.confidence:g} %"
    if not stop.open:
        return f"no rank is open at {chance}"
    runs = [_named(ranks, display_name) for ranks in stop.open]
    return f"still open at {chance}: {'; '.join(runs)}"


def _named(ranks: OpenRanks, display_name: Callable[[str], str]) -> str:
    """Return a run of open ranks with the names of its first bots."""
    names = [clean(display_name(bot), 60) for bot in ranks.bots[:BOTS_NAMED]]
    bots = ", ".join(names)
    unnamed = len(ranks.bots) - len(names)
    if unnamed:
        bots += f" and {unnamed} more"
    run = f"ranks {ranks.first} to {ranks.last} ({bots})"
    if ranks.game:
        return f"{ranks.game}: {run}"
    return run
