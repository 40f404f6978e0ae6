"""Round robin: every group of bots meets in every distribution of roles.

With `seating = "sides"` one bot takes all roles of a side; with `distinct` every role has a bot of
its own. With `rounds` it is a partial round robin: in each round each bot sits at one table, which
is a pair on a board of two sides, and the bots of a table meet in every distribution of roles. No
pair meets in two rounds. Of an odd number of bots one sits out each round, another one each time.
`count` is exact.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import comb, perm

from arena.game import Role
from arena.identity import digest_of
from arena.values import Batch, Board, Bot, Event, Match

BEHIND = 0
LOOKS_EACH_REPEAT = True
Seating = tuple[Bot, ...]
"""A bot for each role of a board, in order."""
TableBots = tuple[Bot, ...]
"""The bots of a table, which meet in every distribution of roles."""
DRAWS = 20
"""The draws of a round of larger tables, until none of its tables was there before."""


def batch(
    event: Event,
    number: int,
    history: Sequence[Batch],
) -> Iterator[Match]:
    """Yield every match; each repeat plays all boards and pairings, so a part is balanced."""
    del history  # results decide nothing
    if number:
        return
    for repeat in range(event.repeats):
        for board, legs in _legs_of(event):
            for number in event.repeats_on(board, repeat):
                for seating in legs:
                    yield event.match(board, seating, number)


def count(event: Event) -> dict[str, int]:
    """Return how many matches of each board are planned, by its label, without making them."""
    seatings_of: dict[Board, int] = {}
    for board in event.boards:
        number = 0
        if not _by_rounds(event, board):
            number = number_of_seatings(board, event.bots, event.seating)
        seatings_of[board] = number
    for board, table in _tables_of(event):
        seatings_of[board] += number_of_seatings(board, table, event.seating)

    planned: dict[str, int] = {}
    for board, number in seatings_of.items():
        repeats = event.repeats * board.variants
        planned[board.label] = repeats * number
    return planned


def seatings(
    board: Board,
    bots: Sequence[Bot],
    kind: str,
) -> Iterator[Seating]:
    """Yield every way to give the board's roles to distinct bots that play them."""
    groups = groups_of(board, kind)
    able = _able(board, bots, kind)
    for chosen in product(*able):
        distinct = {id(bot) for bot in chosen}
        if len(distinct) < len(chosen):
            continue  # a bot was chosen twice

        bot_of_role: dict[Role, Bot] = {}
        for group, bot in zip(groups, chosen, strict=True):
            for role in group:
                bot_of_role[role] = bot
        yield tuple(bot_of_role[role] for role in board.roles)


def number_of_seatings(board: Board, bots: Sequence[Bot], kind: str) -> int:
    """Return how many seatings `seatings` yields, without making them.

    A thousand bots have a million seatings.
    """
    names: list[frozenset[str]] = []
    for players in _able(board, bots, kind):
        names.append(frozenset(bot.name for bot in players))
    return _choices(names)


def groups_of(board: Board, kind: str) -> tuple[tuple[Role, ...], ...]:
    """Return the groups of roles that one bot takes together: the sides, or each role alone."""
    if kind == "sides":
        return board.sides
    return tuple((role,) for role in board.roles)


def _able(board: Board, bots: Sequence[Bot], kind: str) -> list[list[Bot]]:
    """Return for each group of roles the bots that play all of them."""
    return [_players(board, bots, group) for group in groups_of(board, kind)]


def _players(
    board: Board,
    bots: Sequence[Bot],
    roles: Sequence[Role],
) -> list[Bot]:
    """Return the bots that play all of these roles of a board."""

    def plays_all(bot: Bot) -> bool:
        return all(bot.plays(board.game, board.name, role) for role in roles)

    return [bot for bot in bots if plays_all(bot)]


def _choices(sets: Sequence[frozenset[str]]) -> int:
    """Return in how many ways each set can give a member so that all members differ."""
    if len(set(sets)) == 1:
        return perm(len(sets[0]), len(sets))
    # Of all ways to choose from the first set and from the others, those are left out in which
    # another set has given the same member; it then lies in both.
    first = sets[0]
    others = list(sets[1:])
    total = len(first) * _choices(others)
    for index, other in enumerate(others):
        with_common = others.copy()
        with_common[index] = first & other
        total -= _choices(with_common)
    return total


def _by_rounds(event: Event, board: Board) -> bool:
    """Return whether bots meet in rounds on this board, which bots that play alone do not."""
    return event.rounds is not None and len(groups_of(board, event.seating)) > 1


def _legs_of(event: Event) -> Iterator[tuple[Board, tuple[Seating, ...]]]:
    """Yield the legs of each pairing of a repeat, with its board.

    They are played together: a cluster gives them to one machine, and a board with variants plays
    all of them on a variant before the next variant.
    """
    number_of = {id(bot): number for number, bot in enumerate(event.bots)}

    def order(bot: Bot) -> int:
        return number_of[id(bot)]

    for board in event.boards:
        if _by_rounds(event, board):
            continue
        for first in seatings(board, event.bots, event.seating):
            distinct = {id(bot): bot for bot in first}
            seated = sorted(distinct.values(), key=order)
            legs = tuple(seatings(board, seated, event.seating))
            if legs[0] == first:  # otherwise an earlier seating has brought these legs
                yield board, legs
    for board, table in _tables_of(event):
        legs = tuple(seatings(board, table, event.seating))
        yield board, legs


def _tables_of(event: Event) -> Iterator[tuple[Board, TableBots]]:
    """Yield the tables of a partial round robin, each with its board, round by round."""
    boards = [board for board in event.boards if _by_rounds(event, board)]
    rounds = {board: _rounds(event, board) for board in boards}
    for _ in range(event.rounds or 0):
        is_over = True
        for board in boards:
            tables = next(rounds[board], None)
            if tables is None:
                continue
            is_over = False
            for table in tables:
                yield board, table
        if is_over:
            return  # all pairs have met, and further rounds would be empty


def _rounds(event: Event, board: Board) -> Iterator[list[TableBots]]:
    """Yield the tables of each round on a board, by lot."""
    size = len(groups_of(board, event.seating))
    playing: dict[str, Bot] = {}
    for bots in _able(board, event.bots, event.seating):
        for bot in bots:
            playing[bot.name] = bot
    if size == 2:
        yield from _rounds_of_pairs(event, playing)
    elif len(playing) >= size:
        yield from _rounds_of_tables(event, playing, size)


def _lot(event: Event, *parts: object) -> str:
    """Return a text that decides an order by lot."""
    return digest_of("rounds", event.seed, *parts, length=64)


def _rounds_of_pairs(event: Event, playing: Mapping[str, Bot]) -> Iterator[list[TableBots]]:
    """Yield the pairs of each round by the circle method: no pair meets twice.

    One bot stays, and the others move by one each round, so that there are no more rounds than
    bots.
    """
    if not playing:
        return
    # The lot prevents that a name gives a bot certain neighbours. It is the same on every board, so
    # that bots that play all boards meet the same bots everywhere.
    names = sorted(playing, key=lambda name: _lot(event, name))
    order: list[Bot | None] = [playing[name] for name in names]
    if len(order) % 2:
        order.append(None)  # the bot that meets nobody sits out
    staying = order[-1]
    moving = order[:-1]
    # The rounds come by lot, too: in consecutive rounds the opponents of a bot are each other's
    # opponents, and the strengths of two bots far apart in the circle could hardly be compared.
    count = len(moving)
    numbers = sorted(range(count), key=lambda number: _lot(event, "round", number))
    for number in numbers:
        pairs = [(staying, moving[number])]
        for step in range(1, len(order) // 2):
            ahead = moving[(number + step) % count]
            behind = moving[number - step]
            pairs.append((ahead, behind))

        tables: list[TableBots] = []
        for first, second in pairs:
            if first is not None and second is not None:
                tables.append((first, second))
        yield tables


def _rounds_of_tables(
    event: Event,
    playing: Mapping[str, Bot],
    size: int,
) -> Iterator[list[TableBots]]:
    """Yield the tables of more than two bots of each round; no table comes twice.

    There is no circle method for them. They are drawn anew each round, so bots may meet again. The
    bots that played the fewest rounds are seated first.
    """
    names = sorted(playing)
    rounds_played: Counter[str] = Counter()
    earlier_tables: set[frozenset[str]] = set()
    for number in range(comb(len(playing), size)):
        new_tables: list[list[str]] = []
        for attempt in range(DRAWS):
            tables = _drawn_tables(event, size, rounds_played, names, (number, attempt))
            new_tables = []
            for table in tables:
                if frozenset(table) not in earlier_tables:
                    new_tables.append(table)
            if len(new_tables) == len(tables):
                break

        for table in new_tables:
            earlier_tables.add(frozenset(table))
            rounds_played.update(table)
        yield [tuple(playing[name] for name in table) for table in new_tables]


def _drawn_tables(
    event: Event,
    size: int,
    rounds_played: Counter[str],
    names: Sequence[str],
    draw: tuple[int, int],
) -> list[list[str]]:
    """Return tables of this size, by lot among the bots that played equally many rounds."""

    def key(name: str) -> tuple[int, str]:
        return rounds_played[name], _lot(event, *draw, name)

    order = sorted(names, key=key)
    tables = len(order) // size
    seated = order[: tables * size]
    return [seated[start::tables] for start in range(tables)]
