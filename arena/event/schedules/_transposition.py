"""Give each of several rows a partner of its own, the first rows the best: FIDE's transpositions.

It knows no bots. The Dutch system asks it for the first order of a bracket's lower half in which
nobody meets again (`_dutch.py`).
"""

# All rows get partners by augmenting paths, as in any matching of two sides. Then each row in turn
# tries its better partners: one is taken if the row that loses it, and others behind that, can be
# served otherwise. No row before them loses anything. So nothing is tried twice, where a search
# with backtracking could take exponential time.

from collections import deque
from collections.abc import Mapping, Sequence


def first_matching(allowed: Sequence[Sequence[int]]) -> list[int] | None:
    """Return a partner for each row, all of them different, or None if there are no such partners.

    `allowed` has the possible partners of each row, in order of preference. The first row has the
    best of its partners with which all rows can have one, then the second row, and so on.
    """
    matching = _Transposition(allowed)
    if not all(map(matching.enter, range(len(allowed)))):
        return None
    for row in range(len(allowed)):
        matching.improve(row)
    return matching.partners


class _Transposition:
    """Rows with their partners, exchanged until each row has the best that it can have."""

    def __init__(self, allowed: Sequence[Sequence[int]]) -> None:
        self._allowed = allowed
        self._rows: dict[int, int] = {}
        """The row of each partner that has one."""
        self.partners = [-1] * len(allowed)

    def enter(self, row: int) -> bool:
        """Give a row some partner, and others to the rows before it where needed."""
        for partner in self._allowed[row]:
            if partner not in self._rows:
                self._give(row, partner)
                return True
        return self._find_free(row, first=0)

    def improve(self, row: int) -> None:
        """Give a row its best partner with which the rows behind it can have partners, too."""
        before = self.partners[row]
        for partner in self._allowed[row]:
            if partner == before:
                return
            loser = self._rows.get(partner, row)
            if loser < row:
                continue
            self._give(row, partner)
            del self._rows[before]
            if loser == row or self._find_free(loser, first=row + 1):
                return
            self._give(row, before)
            self._give(loser, partner)

    def _give(self, row: int, partner: int) -> None:
        self.partners[row] = partner
        self._rows[partner] = row

    def _find_free(self, start: int, first: int) -> bool:
        """Give a row a partner by the shortest chain of exchanges; return whether there is any.

        The rows before `first` keep their partners.
        """
        wanted_by: dict[int, int] = {}
        rows = deque([start])
        while rows:
            row = rows.popleft()
            for partner in self._allowed[row]:
                owner = self._rows.get(partner)
                if partner in wanted_by or (owner is not None and owner < first):
                    continue
                wanted_by[partner] = row
                if owner is None:
                    self._exchange(start, partner, wanted_by)
                    return True
                rows.append(owner)
        return False

    def _exchange(
        self,
        start: int,
        partner: int,
        wanted_by: Mapping[int, int],
    ) -> None:
        """Give a free partner to the row that wants it, its former partner to the next row.

        The chain ends at `start`, which had no partner.
        """
        row = wanted_by[partner]
        while row != start:
            former = self.partners[row]
            self._give(row, partner)
            partner = former
            row = wanted_by[partner]
        self._give(start, partner)
