"""Round robin: every ordered seating of distinct bots, so each group of bots meets in every distribution of roles.

With `seating = "sides"` one bot takes all roles of a side; with `distinct` every role has a bot of its own.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import islice, product

from arena.event import Board, Event
from arena.match import Bot, Match

WINDOW = 256


def due(event: Event, played: Collection[str]) -> tuple[Match, ...]:
    """The next matches of the plan that are not played, at most a window of them; `()` = over."""
    return tuple(islice((match for match in plan(event) if match.id not in played), WINDOW))


@lru_cache(maxsize=4)
def plan(event: Event) -> tuple[Match, ...]:
    """Every match of the event; all boards and pairings once before any of them again, so that a part is balanced."""
    return tuple(
        event.match(board, seating, repeat)
        for repeat in range(event.repeats)
        for board in event.boards
        for seating in seatings(board, event.bots, event.seating)
    )


def seatings(board: Board, bots: tuple[Bot, ...], kind: str) -> Iterator[tuple[Bot, ...]]:
    """Every way to give the board's roles to distinct bots that play them; a bot for each role, in order of play."""
    places = board.sides if kind == "sides" else tuple((role,) for role in board.roles)
    able = ([bot for bot in bots if all(bot.plays(board.game, board.name, role) for role in place)] for place in places)
    for chosen in product(*able):
        if len({bot.name for bot in chosen}) == len(chosen):
            holder = {role: bot for place, bot in zip(places, chosen, strict=True) for role in place}
            yield tuple(holder[role] for role in board.roles)
