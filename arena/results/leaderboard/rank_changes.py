"""How the ranks changed since the last run with other bots: who rose, who fell, who is new.

A file `.ranks.json` beside the archive, one for each league, has the ranks at the end of the last
run. It also has those at the end of the last run before it that had other bots, or other versions
of them. It may be deleted at any time. It is apart from the archive and from the CSV files because
these depend on the stored matches only, and not on when somebody ran the event.
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
    entries = {
        "now": _entry(event, ranks),
        "before": _entry_before(file, event),
    }
    content = json.dumps(entries).encode()
    whole_files.write_cache(file, content)


def changes(file: Path, event: Event, ranks: Ranks) -> dict[str, int | None]:
    """Return how many ranks each ranked bot rose, below 0 if it fell.

    It is None for a bot that had no rank. There are no changes where no earlier run compares.
    """
    before = _entry_before(file, event)
    if before is None:
        return {}
    risen: dict[str, int | None] = {}
    for bot, rank in ranks.items():
        if rank is None:
            continue
        earlier = before["ranks"].get(bot)
        if earlier is None:
            risen[bot] = None
        else:
            risen[bot] = earlier - rank
    return risen


def text(change: int | None, signs: tuple[str, str] = ("\u25b2", "\u25bc")) -> str:
    """Return a change for a table: `▲2`, `▼1`, `new`; empty for a bot that keeps its rank."""
    if change is None:
        return NEW
    if change == 0:
        return ""
    up, down = signs
    if change > 0:
        return f"{up}{change}"
    return f"{down}{-change}"


def _entry(event: Event, ranks: Ranks) -> dict[str, Any]:
    bots = {bot.name: bot.digest for bot in event.bots}
    boards = [[board.label, board.digest] for board in event.boards]
    rating = event.rating
    if not event.has_prior:
        rating += " without prior"
    return {
        "bots": bots,
        "boards": sorted(boards),
        "rating": rating,
        "ranks": dict(ranks),
    }


def _entry_before(file: Path, event: Event) -> Any:
    """Return the entry of the last run that had other bots.

    It is None if there is none that compares with this event, or if the file is damaged.
    """
    try:
        stored = json.loads(whole_files.read_cache(file))
        current = _entry(event, {})
        before = stored["now"]
        if before["bots"] == current["bots"]:
            before = stored["before"]
        if before is None:
            return None
        for key in ("boards", "rating"):
            if before[key] != current[key]:
                return None
        for rank in before["ranks"].values():
            if rank is not None and type(rank) is not int:  # True would be an int, too
                return None
    # There is none yet, or anybody may have written it.
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return before
