"""Round robin: every group of bots meets in every distribution of roles.

With `seating = "sides"` one bot takes all roles of a side; with `distinct` every role has a bot of its own.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import islice, product

from arena.values import Board, Bot, Event, Match

WINDOW = 256  # matches that `due` returns at most


def due(event: Event, played: Collection[str]) -> tuple[Match, ...]:
    """Return the next matches of the plan that are not played, at most a window of them; `()` = over."""
    return tuple(islice((match for match in plan(event) if match.id not in played), WINDOW))


def count(event: Event) -> dict[str, int]:
    """Return how many matches of each board are planned, by its label; quick for any number of repeats."""
    return {
        board.label: event.repeats * sum(1 for _ in seatings(board, event.bots, event.seating))
        for board in event.boards
    }


@lru_cache(maxsize=4)
def plan(event: Event) -> tuple[Match, ...]:
    """Return every match; each repeat plays all boards and pairings, so that a part of an event is balanced."""
    return tuple(
        event.match(board, seating, repeat)
        for repeat in range(event.repeats)
        for board in event.boards
        for seating in seatings(board, event.bots, event.seating)
    )


def seatings(board: Board, bots: tuple[Bot, ...], kind: str) -> Iterator[tuple[Bot, ...]]:
    """Yield every way to give the board's roles to distinct bots that play them: a bot for each role, in order."""
    groups = board.sides if kind == "sides" else tuple((role,) for role in board.roles)
    able = ([bot for bot in bots if all(bot.plays(board.game, board.name, role) for role in group)] for group in groups)
    for chosen in product(*able):
        if len({bot.name for bot in chosen}) == len(chosen):
            holder = {role: bot for group, bot in zip(groups, chosen, strict=True) for role in group}
            yield tuple(holder[role] for role in board.roles)
