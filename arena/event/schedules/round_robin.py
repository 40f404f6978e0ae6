"""Round robin: every group of bots meets in every distribution of roles.

With `seating = "sides"` one bot takes all roles of a side; with `distinct` every role has a bot of
its own. With `rounds` it is a partial round robin: in each round each bot sits at one table, which
is a pair on a board of two sides, and the bots of a table meet in every distribution of roles. No
pair meets in two rounds. Of an odd number of bots one sits out each round, another one each time.
`count` is exact.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, product
from math import comb, perm

from arena.game import Role
from arena.identity import digest_of
from arena.values import Batch, Board, Bot, Event, Match

BEHIND = 0
LOOKS_EACH_REPEAT = True
DRAWS = 20  # draws of a round of larger tables, until none of its tables was there before


def batch(event: Event, number: int, history: Sequence[Batch]) -> Iterator[Match]:
    """Yield every match; each repeat plays all boards and pairings, so that a part of an event is balanced."""
    del history  # results decide nothing
    if number:
        return
    for repeat in range(event.repeats):
        for board, legs in _legs_of(event):
            for number in event.repeats_on(board, repeat):
                for seating in legs:
                    yield event.match(board, seating, number)


def count(event: Event) -> dict[str, int]:
    """Return how many matches of each board are planned, by its label; quick for any number of repeats."""
    planned = {
        board.label: 0
        if _by_rounds(event, board)
        else number_of_seatings(board, event.bots, event.seating)
        for board in event.boards
    }
    for board, table in _tables_of(event):
        planned[board.label] += number_of_seatings(board, table, event.seating)
    return {
        board.label: event.repeats * board.variants * planned[board.label] for board in event.boards
    }


def seatings(board: Board, bots: Sequence[Bot], kind: str) -> Iterator[tuple[Bot, ...]]:
    """Yield every way to give the board's roles to distinct bots that play them: a bot for each role, in order."""
    groups = groups_of(board, kind)
    for chosen in product(*_able(board, bots, kind)):
        if len(set(map(id, chosen))) == len(chosen):
            holder = {
                role: bot for group, bot in zip(groups, chosen, strict=True) for role in group
            }
            yield tuple(holder[role] for role in board.roles)


def number_of_seatings(board: Board, bots: Sequence[Bot], kind: str) -> int:
    """Return how many seatings `seatings` yields, without making them: of a thousand bots there are a million."""
    return _choices([frozenset(bot.name for bot in able) for able in _able(board, bots, kind)])


def groups_of(board: Board, kind: str) -> tuple[tuple[Role, ...], ...]:
    """Return the groups of roles of a board that one bot takes together: its sides, or each role alone."""
    return board.sides if kind == "sides" else tuple((role,) for role in board.roles)


def _able(board: Board, bots: Sequence[Bot], kind: str) -> list[list[Bot]]:
    return [
        [bot for bot in bots if all(bot.plays(board.game, board.name, role) for role in group)]
        for group in groups_of(board, kind)
    ]


def _choices(sets: Sequence[frozenset[str]]) -> int:
    """Return in how many ways each set can give a member so that all members differ."""
    if len(set(sets)) == 1:
        return perm(len(sets[0]), len(sets))
    # Of all ways to choose from the first set and from the others, those are left out in which
    # another set has given the same member; it then lies in both.
    first, *rest = sets
    total = len(first) * _choices(rest)
    for index, other in enumerate(rest):
        total -= _choices([*rest[:index], first & other, *rest[index + 1 :]])
    return total


def _by_rounds(event: Event, board: Board) -> bool:
    """Return whether bots meet in rounds on this board; where each bot plays alone there is nothing to leave out."""
    return event.rounds is not None and len(groups_of(board, event.seating)) > 1


def _legs_of(event: Event) -> Iterator[tuple[Board, tuple[tuple[Bot, ...], ...]]]:
    """Yield the legs of each pairing of a repeat, with its board.

    They are played together: a cluster gives them to one machine, and a board with variants plays
    all of them on a variant before the next variant.
    """
    order = {id(bot): number for number, bot in enumerate(event.bots)}
    for board in event.boards:
        for first in () if _by_rounds(event, board) else seatings(board, event.bots, event.seating):
            seated = sorted(
                {id(bot): bot for bot in first}.values(), key=lambda bot: order[id(bot)]
            )
            legs = tuple(seatings(board, seated, event.seating))
            if legs[0] == first:  # else they were yielded with an earlier seating
                yield board, legs
    for board, table in _tables_of(event):
        yield board, tuple(seatings(board, table, event.seating))


def _tables_of(event: Event) -> Iterator[tuple[Board, tuple[Bot, ...]]]:
    """Yield the tables of a partial round robin, each with its board: round by round, so that any part is balanced."""
    boards = [board for board in event.boards if _by_rounds(event, board)]
    rounds = {board: _rounds(event, board) for board in boards}
    for _ in range(event.rounds or 0):
        sampled = [(board, next(rounds[board], None)) for board in boards]
        if all(tables is None for _, tables in sampled):
            return  # all pairs have met, however many rounds are asked for
        for board, tables in sampled:
            for table in tables or ():
                yield board, table


def _rounds(event: Event, board: Board) -> Iterator[list[tuple[Bot, ...]]]:
    """Yield the tables of each round on a board; a full round robin of pairs has no more rounds than bots."""
    size = len(groups_of(board, event.seating))
    playing = {bot.name: bot for bots in _able(board, event.bots, event.seating) for bot in bots}

    def sampled(*parts: object) -> str:
        return digest_of("rounds", event.seed, *parts, length=64)

    # The draw makes neighbours in no order that a name could ask for. It is the same on every
    # board, so that bots that play all boards meet the same bots everywhere.
    order: list[Bot | None] = [playing[name] for name in sorted(playing, key=sampled)]
    if size == 2:
        # The circle method: one bot stays, the others move by one each round. So no pair meets
        # twice. The rounds are sampled, too: in consecutive ones a bot's opponents are each other's
        # opponents, and the strengths of two bots far apart in the circle could hardly be compared.
        if len(order) % 2:
            order.append(None)  # whoever meets nobody sits out
        last, moving = len(order) - 1, order[:-1]
        for number in sorted(range(last), key=lambda number: sampled("round", number)):
            pairs = [(order[last], moving[number])]
            pairs += [
                (moving[(number + step) % last], moving[number - step])
                for step in range(1, len(order) // 2)
            ]
            yield [
                (first, second)
                for first, second in pairs
                if first is not None and second is not None
            ]
    elif len(order) >= size:
        # Larger tables are sampled anew each round. There is no circle method for them, and bots
        # may meet again in another round, but no table comes twice. The bots that sat least so far
        # are seated first.
        sat = Counter[str]()
        seen: set[frozenset[str]] = set()
        for number in range(comb(len(playing), size)):
            fresh: list[list[str]] = []
            for attempt in range(DRAWS):
                names = sorted(
                    playing, key=lambda name: (sat[name], sampled(number, attempt, name))
                )
                names = names[: len(names) - len(names) % size]
                tables = [names[start :: len(names) // size] for start in range(len(names) // size)]
                fresh = [table for table in tables if frozenset(table) not in seen]
                if len(fresh) == len(tables):
                    break
            seen |= set(map(frozenset, fresh))
            sat.update(chain(*fresh))
            yield [tuple(playing[name] for name in table) for table in fresh]
