"""Match totals that grow match by match, for a schedule that asks for a fit after each of its batches.

match_totals.py adds up all matches at once, and is quicker for that. Here a match costs the same however many came
before it. All sums are of whole numbers, so both give the same totals, in whatever order the matches come.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from arena.results.arrays import BoardRole, Ints
from arena.results.ratings.fitting.match_totals import MatchTotals
from arena.values import Played


@dataclass
class _Seating:
    """The matches of the same bots in the same roles of a board; its roles stand in order of board role."""

    scores: list[int]
    """The sum of each role's scores."""
    products: list[list[int]]
    """The sum of the products of each two roles' scores."""
    matches: int = 0
    endings: set[object] = field(default_factory=set)
    """The scores, reason and number of turns with which matches ended; of more than two, two."""


class RunningTotals:
    """The totals of the matches that were added so far.

    Transcripts are not part of `Played`. So matches of a seating count as one while all of them ended alike; a single
    one that ended differently shows that there is chance, and then each of them counts.
    """

    def __init__(self) -> None:
        self._seatings: dict[tuple[str, tuple[str, ...]], _Seating] = {}
        """By board label, and the bots in order of board role."""
        self._board_roles: dict[str, list[BoardRole]] = {}
        self._unlike: set[tuple[str, int]] = set()
        """Each (label, side) whose roles had different scores in some match."""
        self._not_opposed: set[str] = set()
        """Labels of boards on which the scores of the sides did not add up to 100 in some match."""

    def add(self, match: Played) -> bool:
        """Add a match; return whether two matches of its seating have ended differently by now."""
        label = match.label
        if label not in self._board_roles:
            roles = [BoardRole(label, number, role) for number, side in enumerate(match.sides) for role in side]
            self._board_roles[label] = sorted(roles)
        board_roles = self._board_roles[label]
        bots = tuple(match.seats[each.role] for each in board_roles)
        scores = [match.scores[each.role] for each in board_roles]
        if (seating := self._seatings.get((label, bots))) is None:
            count = len(scores)
            seating = self._seatings[label, bots] = _Seating([0] * count, [[0] * count for _ in scores])
        seating.matches += 1
        if len(seating.endings) < 2:
            seating.endings.add((match.reason, match.turns, *scores))
        by_side: dict[int, set[int]] = {}
        for column, (board_role, score) in enumerate(zip(board_roles, scores, strict=True)):
            by_side.setdefault(board_role.side, set()).add(score)
            seating.scores[column] += score
            for second, second_score in enumerate(scores):
                seating.products[column][second] += score * second_score
        self._unlike |= {(label, side) for side, different in by_side.items() if len(different) > 1}
        if sum(map(min, by_side.values())) != 100:
            self._not_opposed.add(label)
        return len(seating.endings) > 1

    def totals(self) -> MatchTotals:
        """Return the sums by seating, as `add_up` does; there are no parts, because only intervals need them."""
        board_roles = sorted(each for roles in self._board_roles.values() for each in roles)
        bots = sorted({bot for _, seated in self._seatings for bot in seated})
        role_index = {each: number for number, each in enumerate(board_roles)}
        bot_index = {bot: number for number, bot in enumerate(bots)}
        rows = sorted(
            ([role_index[each] for each in self._board_roles[label]], [bot_index[bot] for bot in seated], label, seated)
            for label, seated in self._seatings
        )
        seatings = [self._seatings[label, seated] for _, _, label, seated in rows]
        depth = max(map(len, self._board_roles.values()), default=1)

        def table(values: Iterable[list[int]], filler: int) -> Ints:
            """Return a row for each list, with the filler beyond its end."""
            filled = [[*row, *[filler] * (depth - len(row))] for row in values]
            return np.array(filled, dtype=np.int64).reshape(-1, depth)

        sides = {(each.label, each.side) for each in board_roles}
        shared = frozenset(sides - self._unlike)
        by_label = [(label, {each.side for each in roles}) for label, roles in self._board_roles.items()]
        opposed = frozenset(
            label
            for label, numbers in by_label
            if len(numbers) == 2 and label not in self._not_opposed and {(label, side) for side in numbers} <= shared
        )
        no_parts = np.zeros(0, dtype=np.int64)
        matches = np.array([each.matches for each in seatings], dtype=np.int64)
        alike = np.array([len(each.endings) == 1 for each in seatings], dtype=np.bool_)
        return MatchTotals(
            bots=tuple(bots),
            board_roles=tuple(board_roles),
            seats=table((row[1] for row in rows), -1),
            board_role=table((row[0] for row in rows), -1),
            matches=matches,
            different=np.where(alike, 1, matches),
            scores=table((each.scores for each in seatings), 0),
            products=np.stack(
                [
                    table((each.products[column] if column < len(each.products) else [] for each in seatings), 0)
                    for column in range(depth)
                ],
                1,
            ),
            shared=shared,
            opposed=opposed,
            seating=no_parts,
            block=no_parts,
            part_matches=no_parts,
            part_scores=np.zeros((0, depth), dtype=np.int64),
        )
