"""How the ranks changed since the last run with other bots: who rose, who fell, who is new.

A file `.ranks.json` beside the archive, one for each league, has the ranks at the end of the last run, and those at the
end of the last run before it that had other bots, or other versions of them. It may be deleted at any time. It is apart
from the archive and from the CSV files because these depend on the stored matches only, and not on when somebody ran
the event.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena import whole_files
from arena.values import Event

NEW = "new"
Ranks = Mapping[str, int | None]
"""By bot; None for a bot without an overall rank."""


def store(file: Path, event: Event, ranks: Ranks) -> None:
    """Store the ranks at the end of a run."""
    before, now = _entry_before(file, event), _entry(event, ranks)
    whole_files.write_cache(file, json.dumps({"now": now, "before": before}).encode())


def changes(file: Path, event: Event, ranks: Ranks) -> dict[str, int | None]:
    """Return how many ranks each ranked bot rose, below 0 if it fell, None if it had no rank; empty if unknown."""
    before = _entry_before(file, event)
    if before is None:
        return {}
    earlier = before["ranks"]
    return {
        bot: None if earlier.get(bot) is None else earlier[bot] - rank
        for bot, rank in ranks.items()
        if rank is not None
    }


def text(change: int | None, signs: tuple[str, str] = ("\u25b2", "\u25bc")) -> str:
    """Return a change for a table: `▲2`, `▼1`, `new`; empty for a bot that keeps its rank."""
    if change is None:
        return NEW
    return f"{signs[0] if change > 0 else signs[1]}{abs(change)}" if change else ""


def _entry(event: Event, ranks: Ranks) -> dict[str, Any]:
    return {
        "bots": {bot.name: bot.digest for bot in event.bots},
        "boards": sorted([board.label, board.digest] for board in event.boards),
        "rating": event.rating,
        "ranks": dict(ranks),
    }


def _entry_before(file: Path, event: Event) -> Any:
    """Return the entry of the last run that had other bots, None if there is none that compares with this event."""
    try:
        stored = json.loads(whole_files.read_cache(file))
        this, last = _entry(event, {}), stored["now"]
        before = stored["before"] if last["bots"] == this["bots"] else last
        if before is None or any(before[key] != this[key] for key in ("boards", "rating")):
            return None
        ranks = before["ranks"]
        return (
            before if all(rank is None or type(rank) is int for rank in ranks.values()) else None
        )  # True is an int
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ):  # none yet, or damaged
        return None
