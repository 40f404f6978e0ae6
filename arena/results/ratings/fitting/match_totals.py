"""Matches added up by seating and by block: all that ratings need of them.

The order of the matches changes nothing. A *seating* is the bots in the roles of a board. A *block*
is all matches of the same bots with the same seed: the legs of one meeting, which share their luck.
All sums here are of whole numbers, so they are exact in any order.

Copies say nothing new. `archive.records.transcript` says which matches of a seating began alike,
and how they went. If all that began alike went alike, all but one are copies. If one of them went
otherwise, there is chance, and none is a copy, also where two are equal: in a small game of chance
most are. In every estimate a copy weighs as much as any match, so that bots stand in the order of
their points. Only intervals know of copies: R matches of a seating of which D differ are put
together into D blocks, which are resampled as a whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from arena.results.arrays import PLAY_BITS, Arrays, BoardRole, Ints, Mask

LARGEST = 2**62
"""Keys stay below this, within 64 bits: the parts of a larger key are numbered anew."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchTotals:
    """The sums of the matches by seating (there are S), and by seating and block, a *part* (B)."""

    bots: tuple[str, ...]
    """In order of name."""
    board_roles: tuple[BoardRole, ...]
    """In order of label, side, role."""
    seats: Ints
    """S x K: the bot of each role, as an index; K is the most roles of any board. -1 beyond a
    board's last role."""
    board_role: Ints
    """S x K: the board and role of each seat, as an index, or -1."""
    matches: Ints
    """S: number of matches."""
    different: Ints
    """S: number of matches without those that repeat others."""
    scores: Ints
    """S x K: sum of each role's scores."""
    products: Ints
    """S x K x K: sum of the products of each two roles' scores."""
    shared: frozenset[tuple[str, int]]
    """Each (label, side) whose roles had the same score in every match."""
    opposed: frozenset[str]
    """Labels of boards with two such sides whose scores always added up to 100: zero-sum boards."""
    seating: Ints
    """B: the seating of each part."""
    block: Ints
    """B: the block of each part, ascending."""
    seed: Ints
    """B: the seed of each part's block; blocks of different bots may have the same."""
    part_matches: Ints
    """B: number of matches of this seating in this block."""
    part_scores: Ints
    """B x K: sum of each role's scores in these matches."""

    @property
    def repeated(self) -> int:
        """The number of matches that are copies of others."""
        return int((self.matches - self.different).sum())

    @property
    def copies(self) -> float:
        """The number of matches for each that differs: 1 without copies."""
        matches = self.matches.sum()
        different = self.different.sum()
        return float(matches / max(1, different))

    @property
    def side(self) -> Ints:
        """S x K: the side of each role, or -1."""
        sides = [role.side for role in self.board_roles]
        sides.append(-1)  # the last, which the index -1 finds
        by_board_role = np.array(sides, dtype=np.int64)
        return by_board_role[self.board_role]

    @property
    def played(self) -> Ints:
        """The number of matches of each bot."""
        return self._by_bot(self.matches)

    @property
    def played_different(self) -> Ints:
        """The number of matches of each bot without those that repeat others."""
        return self._by_bot(self.different)

    def _by_bot(self, counts: Ints) -> Ints:
        """Return the sum of the counts, which are by seating, of the seatings of each bot."""
        is_first = self.seats >= 0  # a bot with several roles in a match played one match
        for column in range(1, self.seats.shape[1]):
            before = self.seats[:, :column]
            seat = self.seats[:, [column]]
            differs = before != seat
            is_first[:, column] &= differs.all(axis=1)
        by_seat = np.broadcast_to(counts[:, None], self.seats.shape)
        sums = np.bincount(
            self.seats[is_first],
            weights=by_seat[is_first],
            minlength=len(self.bots),
        )
        return sums.astype(np.int64)

    def pairs_of_parts(self) -> Iterator[tuple[Ints, Ints, float]]:
        """Yield pairs of parts of the same block, and their weight.

        The weight is 1 for a part with itself, and 2 for two parts. Two parts come in part order
        only: half of the sum with its transpose is the sum over all pairs.
        """
        count = len(self.block)
        parts = np.bincount(self.block)  # by block
        most_parts = int(parts.max(initial=0))
        for distance in range(most_parts):
            block = self.block[: count - distance]
            later_block = self.block[distance:]
            part = np.flatnonzero(block == later_block)
            weight = 1.0 if distance == 0 else 2.0
            yield part, part + distance, weight


def add_up(arrays: Arrays) -> MatchTotals:
    """Add the matches up by seating and block."""
    # The matches in order of seating, seed and transcript.
    bots, board_roles, seats, board_role, scores = _tables(arrays)
    seating_key = key(*board_role.T, *seats.T)  # by match
    order = np.lexsort((arrays.transcript, arrays.seed, seating_key))
    seats = seats[order]
    board_role = board_role[order]
    scores = scores[order]
    seed = arrays.seed[order]
    transcript = arrays.transcript[order]

    is_new = changes(seats, board_role)
    first = np.flatnonzero(is_new)  # S: the first match of each seating
    seating = np.cumsum(is_new) - 1  # by match
    matches = np.bincount(seating)
    different = _different(seating, transcript)
    seats = seats[first]
    board_role = board_role[first]
    products = _products(scores, first)
    shared = _shared_sides(board_roles, board_role, scores, seating)
    opposed = _opposed_boards(board_roles, board_role, scores, seating, shared)

    # The same in order of block; a part is a run of matches of one seating in a block.
    block_seed = _block_seeds(seed, seating, matches, different)  # by match
    bot_set = _bot_sets(seats)  # S
    block = key(bot_set[seating], block_seed)  # by match
    by_block = np.lexsort((seating, block))
    block = block[by_block]
    seating_by_block = seating[by_block]
    is_new_part = changes(block, seating_by_block)
    part = np.flatnonzero(is_new_part)  # B: the first match of each part
    is_new_block = changes(block[part])  # B
    seed_by_block = block_seed[by_block]
    scores_by_block = scores[by_block]
    return MatchTotals(
        bots=tuple(bots),
        board_roles=tuple(board_roles),
        seats=seats,
        board_role=board_role,
        matches=matches,
        different=different,
        scores=sums(scores, first),
        products=products,
        shared=shared,
        opposed=opposed,
        seating=seating_by_block[part],
        block=np.cumsum(is_new_block) - 1,
        seed=seed_by_block[part],
        part_matches=np.diff(part, append=len(seed)),
        part_scores=sums(scores_by_block, part),
    )


def _products(scores: Ints, first: Ints) -> Ints:
    """Return S x K x K: the sums of the products of each two roles' scores."""
    roles = range(scores.shape[1])
    rows = []
    for left in roles:
        row = []
        for right in roles:
            products = scores[:, left] * scores[:, right]  # by match
            by_seating = sums(products, first)
            row.append(by_seating)
        rows.append(np.stack(row, 1))
    return np.stack(rows, 1)


def _tables(arrays: Arrays) -> tuple[list[str], list[BoardRole], Ints, Ints, Ints]:
    """Return the bots and the board roles, and tables of the bot, the board role and the score.

    The tables have a row for each match and a column for each role. The columns stand in order of
    board role; beyond a board's last role they are -1, -1 and 0.
    """
    bots, bot = arrays.coded(attrgetter("bot"))
    board_roles, board_role = arrays.coded(attrgetter("board_role"))
    role_of_seat = board_role[arrays.entry]  # by seat
    width = len(board_roles) + 1
    code = arrays.match * width + role_of_seat  # by seat
    order = np.argsort(code, kind="stable")  # quick: it is nearly in order
    match = arrays.match[order]
    entry = arrays.entry[order]
    matches = len(arrays.seed)
    roles = np.bincount(match, minlength=matches)  # by match
    first_seat = np.cumsum(roles) - roles  # by match
    first_by_seat = np.repeat(first_seat, roles)
    seat = np.arange(len(match))
    column = seat - first_by_seat  # by seat

    most_roles = int(roles.max(initial=1))
    shape = (matches, most_roles)
    cells = (match, column)

    seats = np.full(shape, -1)
    seats[cells] = bot[entry]
    seat_roles = np.full(shape, -1)
    seat_roles[cells] = board_role[entry]
    scores = np.zeros(shape, dtype=np.int64)
    scores[cells] = arrays.score[order]
    return bots, board_roles, seats, seat_roles, scores


def _different(seating: Ints, transcript: Ints) -> Ints:
    """Return, by seating, the number of its matches without those that repeat others."""
    order = np.lexsort((transcript, seating))
    seating = seating[order]
    transcript = transcript[order]
    # A group is the matches of a seating that began alike; a play is a way in which they went.
    beginning = transcript >> PLAY_BITS
    is_new_group = changes(seating, beginning)
    group = np.cumsum(is_new_group) - 1  # by match
    is_new_play = changes(seating, transcript)
    plays = np.bincount(group[is_new_play])  # by group
    matches = np.bincount(group)  # by group
    counted = np.where(plays == 1, 1, matches)
    seating_of_group = seating[is_new_group]
    different = np.bincount(seating_of_group, weights=counted)
    return different.astype(np.int64)


def _block_seeds(
    seed: Ints,
    seating: Ints,
    matches: Ints,
    different: Ints,
) -> Ints:
    """Return the seed that names each match's block.

    It is the match's own seed where all R transcripts of its seating differ. With D < R the matches
    of a seating are cut, in order of seed, into D runs of nearly equal length, and each run has the
    seed of its first match.
    """
    first_of_seating = np.cumsum(matches) - matches
    first = first_of_seating[seating]  # by match, as all that follow
    number = np.arange(len(seed)) - first
    count = matches[seating]
    runs = different[seating]
    run = number * runs // count
    run_start = -(-run * count // runs)  # rounded up
    return seed[first + run_start]


def _bot_sets(seats: Ints) -> Ints:
    """Return a number for the set of bots of each seating, in whatever roles."""
    members = np.sort(seats, axis=1)
    later = members[:, 1:]
    before = members[:, :-1]
    is_repeated = later == before
    later[is_repeated] = -1
    members.sort(axis=1)
    keys = key(*members.T)
    numbers, _ = ranked(keys)
    return numbers


def _shared_sides(
    board_roles: list[BoardRole],
    board_role: Ints,
    scores: Ints,
    seating: Ints,
) -> frozenset[tuple[str, int]]:
    """Return each side whose roles never scored differently: they all report the same score."""
    number: dict[tuple[str, int], int] = {}
    number_by_role = []
    for role in board_roles:
        role_side = (role.label, role.side)
        number.setdefault(role_side, len(number))
        number_by_role.append(number[role_side])
    number_by_role.append(-1)  # the last, which the index -1 finds
    side = np.array(number_by_role)[board_role]  # S x K
    unlike: set[int] = set()
    for column in range(1, board_role.shape[1]):
        before = column - 1
        column_side = side[:, column]  # S
        is_same = column_side == side[:, before]
        is_mate = is_same & (column_side >= 0)  # S
        differs = scores[:, column] != scores[:, before]  # by match
        seatings = seating[differs]
        of_mates = is_mate[seatings]
        unlike_sides = column_side[seatings][of_mates]
        unlike.update(unlike_sides.tolist())
    return frozenset(side for side in number if number[side] not in unlike)


def _opposed_boards(
    board_roles: list[BoardRole],
    board_role: Ints,
    scores: Ints,
    seating: Ints,
    shared: frozenset[tuple[str, int]],
) -> frozenset[str]:
    """Return the boards of two sides, each with one score, whose scores always added up to 100."""
    first_role: dict[str, int] = {}
    boards: dict[str, list[int]] = {}
    for index, role in enumerate(board_roles):
        first_role.setdefault(role.label, index)
        boards.setdefault(role.label, []).append(role.side)
    opposed = set()
    for label, sides in boards.items():
        if len(set(sides)) != 2:
            continue
        if not all((label, side) in shared for side in sides):
            continue
        is_on_board = board_role[:, 0] == first_role[label]  # S
        on_board = is_on_board[seating]  # by match
        second_side = sides.index(max(sides))
        scores_there = scores[on_board]
        total = scores_there[:, 0] + scores_there[:, second_side]
        if (total == 100).all():
            opposed.add(label)
    return frozenset(opposed)


# Rows of whole numbers as values: all of this is exact.


def key(*columns: Ints) -> Ints:
    """Return a number for each row: equal for equal rows, and in the order of the rows."""
    number = np.zeros_like(columns[0])
    values = 1
    for column in columns:
        low = int(column.min(initial=0))
        high = int(column.max(initial=0))
        width = high - low + 1
        if values * width >= LARGEST:
            number, values = ranked(number)
        if values * width >= LARGEST:
            column, width = ranked(column)
            low = 0
        number = number * width + (column - low)
        values *= width
    return number


def ranked(values: Ints) -> tuple[Ints, int]:
    """Return each value's index among the different values, and the number of these."""
    unique, index = np.unique(values, return_inverse=True)
    return index.astype(np.int64), len(unique)


def changes(*columns: Ints) -> Mask:
    """Return True for each row that differs from the row before it, and for the first."""
    rows = np.column_stack(columns)
    later = rows[1:]
    before = rows[:-1]
    differs = later != before
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = differs.any(axis=1)
    return new


def sums(rows: Ints, starts: Ints) -> Ints:
    """Return the sum of each run of rows; `starts` has the first row of each run."""
    if not len(starts):
        return rows[:0]
    return np.add.reduceat(rows, starts, axis=0)
