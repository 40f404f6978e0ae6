"""The facts of each turn as changes since the turn before. Pure."""

from collections.abc import Sequence

from arena.game import Fact

Delta = tuple[list[int], list[int | Fact]]
"""Indices of the facts that are gone, then the new facts: index, fact, index, fact, ..., in the resulting order."""


def delta(before: Sequence[Fact], after: Sequence[Fact]) -> Delta:
    """Return the change that turns `before` into `after`: all facts, where facts that stay changed their order."""
    if len(before) == len(after):  # as nearly always: what differs is replaced where it stands
        changed = [index for index, fact in enumerate(before) if fact != after[index]]
        return changed, [part for index in changed for part in (index, after[index])]
    later, earlier = set(after), set(before)
    change = (
        [index for index, fact in enumerate(before) if fact not in later],
        [part for index, fact in enumerate(after) if fact not in earlier for part in (index, fact)],
    )
    if applied(before, change) == list(after):
        return change
    return list(range(len(before))), [part for numbered in enumerate(after) for part in numbered]


def applied(before: Sequence[Fact], change: Delta) -> list[Fact]:
    """Return the facts after a change; facts.js does the same."""
    gone, new = set(change[0]), change[1]
    facts = [fact for index, fact in enumerate(before) if index not in gone]
    for index, fact in zip(new[::2], new[1::2], strict=True):
        facts.insert(int(index), str(fact))
    return facts
