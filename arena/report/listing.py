"""The matches as columns of numbers, a row each: small in the file, and quick to filter in the page. Pure."""

from collections.abc import Sequence

from arena.protocol import clean
from arena.report.index import Index
from arena.values import Ending, Played

ENDINGS = tuple(Ending)


def columns(matches: Sequence[Played], index: Index) -> dict[str, list[object]]:
    """Return columns of equal length; `bots`, `scores` and `endings` have a list a row, in the board's order of roles.

    Bots, boards and reasons are numbers; the words of the reasons stand in `reasons`. An ending is 0 for none, else its
    place in Ending, counted from 1.
    """
    reasons = {reason: number for number, reason in enumerate(sorted({match.reason for match in matches}))}
    return {
        "id": [match.id for match in matches],
        "board": [index.boards[match.label] for match in matches],
        "repeat": [match.repeat for match in matches],
        "seed": [match.seed for match in matches],
        "turns": [match.turns for match in matches],
        "reason": [reasons[match.reason] for match in matches],
        "bots": [[index.bots[match.seats[role]] for role in index.roles[match.label]] for match in matches],
        "scores": [[match.scores[role] for role in index.roles[match.label]] for match in matches],
        "endings": [_endings(match, index) for match in matches],
        "reasons": [clean(reason) for reason in reasons],
    }


def _endings(match: Played, index: Index) -> object:
    """Return a list, or 0 where every seat finished by the rules, as nearly all do."""
    endings = [match.endings.get(role) for role in index.roles[match.label]]
    return [ENDINGS.index(ending) + 1 if ending else 0 for ending in endings] if any(endings) else 0
