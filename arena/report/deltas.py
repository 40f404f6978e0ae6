"""The facts of each turn as what changed since the turn before. Pure."""

from collections.abc import Sequence

from arena.game import Fact

Delta = tuple[list[int], list[int | Fact]]
"""Places of the facts that are gone, then the new ones: place, fact, place, fact, ..., in the order that results."""


def delta(before: Sequence[Fact], after: Sequence[Fact]) -> Delta:
    """What makes `after` of `before`; everything, where facts that stay changed their order."""
    if len(before) == len(after):  # as nearly always: what differs is replaced where it stands
        places = [place for place, fact in enumerate(before) if fact != after[place]]
        return places, [part for place in places for part in (place, after[place])]
    came, went = set(after), set(before)
    change = (
        [place for place, fact in enumerate(before) if fact not in came],
        [part for place, fact in enumerate(after) if fact not in went for part in (place, fact)],
    )
    if applied(before, change) == list(after):
        return change
    return list(range(len(before))), [part for numbered in enumerate(after) for part in numbered]


def applied(before: Sequence[Fact], change: Delta) -> list[Fact]:
    """The facts after a change; the page does the same."""
    gone, new = set(change[0]), change[1]
    facts = [fact for place, fact in enumerate(before) if place not in gone]
    for place, fact in zip(new[::2], new[1::2], strict=True):
        facts.insert(int(place), str(fact))
    return facts
