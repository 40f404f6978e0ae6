"""The machines of a cluster in one table, and a test whether they played alike. Pure.

The test asks: did any bot score more on some machine than on the others, against the same opponents
on the same board? If all machines play alike, it makes no difference which of them got a block (the
legs of one pairing with one repeat). So the names of the machines are shuffled among the blocks of
each pairing, and the spread over machines that was seen is compared with the spreads after
shuffling. It is a permutation test: it assumes nothing about how scores are distributed. Nothing is
ever discarded because of it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.results.anytext import pd
from arena.results.arrays import Ints

SHUFFLES = 499
"""The smallest p-value is 1 / (SHUFFLES + 1)."""
MOST_SEATS = 50_000
"""The seats that the test looks at, the newest: it takes about a second for them."""
SUSPECT = 0.01
"""A p-value below is reported as a difference between machines."""


class MachineRow(NamedTuple):
    """The matches of one machine."""

    machine: str
    matches: int
    scale: float
    """The mean of the factors by which its time was scaled."""
    seconds: float
    """The mean time of a match."""
    timeouts: int
    """Matches in which a bot lost on time."""
    crashes: int
    """Matches in which a bot crashed."""


@dataclass(frozen=True)
class Machines:
    """The table of an event that several machines played."""

    rows: tuple[MachineRow, ...]
    """In order of name."""
    p: float | None
    """How likely so large a difference is if all play alike.

    It is None where no pairing was played on two machines.
    """

    @property
    def sentence(self) -> str:
        """Return the result of the test as a sentence."""
        if self.p is None:
            return "No pairing was played on two machines, so the machines cannot be compared"
        if self.p < SUSPECT:
            return (
                f"The machines did not play alike (p = {self.p:.3f}): some bots scored more on "
                "one machine than on "
                "another against the same opponents; compare their speed, and what else ran there"
            )
        return f"There is no sign that the machines played differently (p = {self.p:.2f})"


class BlockSeat(NamedTuple):
    """A seat of a match, with what the test needs of it."""

    machine: str
    label: str
    repeat: int
    match: int
    bot: str
    score: int


def homogeneity(seats: Sequence[BlockSeat]) -> float | None:
    """Return the p-value of the test, the same each time.

    It is None where no pairing was played on two machines.
    """
    rows = _scores_of_blocks(seats)
    blocks = rows.drop_duplicates("block")
    machines_of_pairings = blocks[["pairing", "machine"]].drop_duplicates()
    count_of_pairings = blocks["pairing"].nunique()
    if len(machines_of_pairings) == count_of_pairings:
        return None

    pairing_array, _ = pd.factorize(blocks["pairing"])  # (blocks,)
    machine_array, machines = pd.factorize(blocks["machine"])  # (blocks,)
    block = rows["block"].to_numpy()  # (rows,)
    value = rows["score"].to_numpy()  # (rows,)
    bot, _ = pd.factorize(rows["bot"])  # (rows,)

    def spread(machine: Ints) -> float:
        """Return how far the sums of bots on machines are from 0, by their numbers of blocks."""
        group = bot * len(machines) + machine[block]  # (rows,)
        sums = np.bincount(group, value)  # (groups,)
        counts = np.bincount(group)  # (groups,)
        squares = sums**2 / np.maximum(counts, 1)
        return float(squares.sum())

    draws = np.random.default_rng(0)
    order = np.argsort(pairing_array, kind="stable")
    as_wide = spread(machine_array) * (1 - 1e-12)
    at_least = 0
    for _ in range(SHUFFLES):
        # The machines of a pairing change places, and those of different pairings do not.
        lots = draws.random(len(order))
        shuffled_order = np.lexsort((lots, pairing_array))
        shuffled = np.empty_like(machine_array)
        shuffled[shuffled_order] = machine_array[order]
        at_least += spread(shuffled) >= as_wide
    return (1 + at_least) / (1 + SHUFFLES)


def _scores_of_blocks(seats: Sequence[BlockSeat]) -> pd.DataFrame:
    """Return a row for each bot of each block.

    `score` is the bot's mean there, minus its mean in the pairing; `block` numbers the blocks.
    """
    bots_by_match: dict[int, set[str]] = {}
    for seat in seats:
        bots_by_match.setdefault(seat.match, set()).add(seat.bot)
    pairings = []
    for seat in seats:
        bots = sorted(bots_by_match[seat.match])
        pairings.append(f"{seat.label} {bots}")
    frame = pd.DataFrame(seats, columns=BlockSeat._fields)  # a row for each seat
    frame["pairing"] = pd.Series(pairings, dtype=object)

    grouped = frame.groupby(["pairing", "repeat", "machine", "bot"], sort=False)
    rows = grouped["score"].mean().reset_index()
    scores_of_pairings = rows.groupby(["pairing", "bot"])["score"]
    rows["score"] -= scores_of_pairings.transform("mean")
    rows_of_blocks = rows.groupby(["pairing", "repeat", "machine"], sort=False)
    rows["block"] = rows_of_blocks.ngroup()
    return rows


def table(rows: Iterable[MachineRow], seats: Sequence[BlockSeat]) -> Machines | None:
    """Return the table; None for an event that no cluster played."""
    by_name = sorted(rows, key=lambda row: row.machine)
    if not any(row.machine for row in by_name):
        return None
    p = homogeneity(seats)
    return Machines(tuple(by_name), p)
