"""Who may be the best on each board, and how sure that is, in one sentence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BOARDS_IN_A_SENTENCE = 4
NAMES_IN_A_LIST = 3
CONFIDENCE = "95 % confidence"
OTHER_BOARDS = "; matches on other boards count a little, too"
"""Why a bot with a lower score on a board may be the best there."""


def best_on_boards(rankings: Iterable[Mapping[str, Any]], boards: Mapping[str, str]) -> str:
    """Return which bots may be the best on each board, those with the highest score there first.

    `rankings` are rows of `Results.rankings`; `boards` are the names of the boards by `game/board`.
    It is empty for many boards, and where a board ranks nobody.
    """
    # By the score, since the columns of boards show it: by strength, which leans on the other
    # boards, the first name was taken for the best although another had more points.
    if not 0 < len(boards) <= BOARDS_IN_A_SENTENCE:
        return ""
    possible: dict[str, list[Mapping[str, Any]]] = {label: [] for label in boards}
    for row in rankings:
        label = row["board"]
        may_be_best = row["role"] is None and row["rank_low"] == 1
        if may_be_best and label in possible:
            possible[label].append(row)

    parts: list[str] = []
    verb = " is"  # of the first part alone
    for label, name in boards.items():
        rows = sorted(possible[label], key=lambda row: -row["score"])
        if not rows:
            return ""
        bots = [row["display"] for row in rows]
        parts.append(f"on {name}{verb} {_alternatives(bots)}")
        verb = ""
    basis = CONFIDENCE
    if len(parts) > 1:
        basis += OTHER_BOARDS
    return f"the best {'; '.join(parts)} ({basis})"


def _alternatives(bots: Sequence[str]) -> str:
    """Return the first of some bots by name and the others as a number: `ann, bob or 4 more`."""
    names = list(bots)
    unnamed = len(bots) - NAMES_IN_A_LIST
    if unnamed > 1:  # a single name is as short as `1 more`
        names = names[:NAMES_IN_A_LIST]
        names.append(f"{unnamed} more")
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}"
