"""Sentences on why an event ended, where its tournament.toml has a rule for that, and which ranks are open."""

from collections.abc import Callable

from arena.errors import counted
from arena.protocol import clean
from arena.results.ranked import ranked_bots
from arena.values import Event, OpenRanks, Stop

BOTS_NAMED = 5
"""Of one run of open ranks."""


def sentences(stop: Stop, event: Event, display_name: Callable[[str], str]) -> tuple[str, ...]:
    """Return a sentence about the end and one about the open ranks, without full stops; `display_name` names a bot."""
    matches = counted(stop.matches, "match")
    chance = f"{100 * event.confidence:g} %"
    if stop.rule == "stop_when":
        end = f"the event ended after {matches}, because the {event.stop_when} at {chance} (stop_when)"
    elif stop.rule == "max_matches":
        end = f"the event ended after {matches} (max_matches)"
    elif stop.rule == "stop_after":
        end = (
            f"the last run ended after {event.stop_after or 0:g} s, at {matches} (stop_after); the next run goes on, "
            "and on another day this rule ends at another match"
        )
    else:
        end = f"the event ended after all {matches} of its plan"
    if not any(map(ranked_bots, event.leagues)):
        return end, "no bot has a rank: at least two must play all roles of a game"
    if not stop.open:
        return end, f"no rank is open at {chance}"
    ranks = "; ".join(_named(ranks, display_name) for ranks in stop.open)
    return end, f"still open at {chance}: {ranks}"


def _named(ranks: OpenRanks, display_name: Callable[[str], str]) -> str:
    names = [clean(display_name(bot), 60) for bot in ranks.bots[:BOTS_NAMED]]
    more = len(ranks.bots) - len(names)
    game = f"{ranks.game}: " if ranks.game else ""
    return f"{game}ranks {ranks.first} to {ranks.last} ({', '.join(names)}{f' and {more} more' if more else ''})"
