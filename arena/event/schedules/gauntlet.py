"""Gauntlet: challengers play against reference bots, not against each other.

`references` names the reference bots; all others are challengers. Each challenger meets each
reference, or each group of references on a board of more than two sides, in every distribution of
roles. On a board where each bot plays alone, references play as well, so that challengers can be
compared with them. `count` is exact.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from arena.event.schedules.round_robin import (
    TableBots,
    groups_of,
    number_of_seatings,
    seatings,
)
from arena.values import Batch, Board, Bot, Event, Match

BEHIND = 0
LOOKS_EACH_REPEAT = True


def batch(
    event: Event,
    number: int,
    history: Sequence[Batch],
) -> Iterator[Match]:
    """Yield every match: in each repeat, challenger by challenger, on all boards."""
    del history  # results decide nothing
    if number:
        return
    for repeat in range(event.repeats):
        for board, table in _tables(event):
            for number in event.repeats_on(board, repeat):
                for seating in seatings(board, table, event.seating):
                    yield event.match(board, seating, number)


def count(event: Event) -> dict[str, int]:
    """Return how many matches of each board are planned, by its label."""
    planned = {board.label: 0 for board in event.boards}
    for board, table in _tables(event):
        seatings_of_table = number_of_seatings(board, table, event.seating)
        repeats = event.repeats * board.variants
        planned[board.label] += repeats * seatings_of_table
    return planned


def _tables(event: Event) -> Iterator[tuple[Board, TableBots]]:
    """Yield each group of bots that meets, with its board."""
    references: list[Bot] = []
    challengers: list[Bot] = []
    for bot in event.bots:
        if bot.name in event.references:
            references.append(bot)
        else:
            challengers.append(bot)

    sizes: dict[Board, int] = {}
    """The number of bots that meet, by board."""
    for board in event.boards:
        sizes[board] = len(groups_of(board, event.seating))
    for board, size in sizes.items():
        if size == 1:
            for reference in references:
                yield board, (reference,)
    for challenger in challengers:
        for board, size in sizes.items():
            for opponents in combinations(references, size - 1):
                yield board, (challenger, *opponents)
