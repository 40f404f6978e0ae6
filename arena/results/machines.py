"""The machines of a cluster in one table, and a test whether they played alike. Pure.

The test asks: did any bot score more on some machine than on the others, against the same opponents on the same board?
If all machines play alike, it makes no difference which of them got a block (the legs of one pairing with one repeat).
So the names of the machines are shuffled among the blocks of each pairing, and the spread over machines that was seen
is compared with the spreads after shuffling. It is a permutation test: it assumes nothing about how scores are
distributed. Nothing is ever discarded because of it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

SHUFFLES = 499
"""The smallest p-value is 1 / (SHUFFLES + 1)."""
MOST_SEATS = 50_000
"""The seats that the test looks at, the newest: it takes about a second for them."""
SUSPECT = 0.01
"""A p-value below is reported as a difference between machines."""


@dataclass(frozen=True, kw_only=True)
class MachineRow:
    """The matches of one machine."""

    machine: str
    matches: int
    scale: float
    """The mean of the factors by which its time was scaled."""
    seconds: float
    """The mean time of a match."""
    timeouts: int
    """Seats that lost on time."""
    crashes: int
    """Seats that crashed."""


@dataclass(frozen=True)
class Machines:
    """The table of an event that several machines played."""

    rows: tuple[MachineRow, ...]
    """In order of name."""
    p: float | None
    """How likely so large a difference is if all play alike; None where no pairing was played on two machines."""

    @property
    def sentence(self) -> str:
        """Return the result of the test as a sentence."""
        if self.p is None:
            return "No pairing was played on two machines, so the machines cannot be compared"
        if self.p < SUSPECT:
            return (
                f"The machines did not play alike (p = {self.p:.3f}): some bots scored more on one machine than on "
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


def homogeneity(seats: Sequence[BlockSeat], seed: int = 0) -> float | None:
    """Return the p-value of the test; None where no pairing was played on two machines. `seed` fixes the shuffling."""
    import numpy as np  # the archive imports this module, and a run without rules to stop needs no numpy

    bots_of: dict[int, set[str]] = {}
    for seat in seats:
        bots_of.setdefault(seat.match, set()).add(seat.bot)
    blocks: dict[tuple[object, ...], dict[str, list[int]]] = {}
    for seat in seats:
        pairing = seat.label, tuple(sorted(bots_of[seat.match]))
        blocks.setdefault((pairing, seat.repeat, seat.machine), {}).setdefault(seat.bot, []).append(seat.score)
    # A row of `values` for each bot of a block: its mean score there, minus the mean of the pairing's blocks.
    machine_index = {name: number for number, name in enumerate(sorted({seat.machine for seat in seats}))}
    bot_index = {name: number for number, name in enumerate(sorted({seat.bot for seat in seats}))}
    pairings: dict[object, int] = {}
    pairing_of, machine_of, rows = [], [], []
    for number, ((block_pairing, _, machine), scores) in enumerate(blocks.items()):
        pairing_of.append(pairings.setdefault(block_pairing, len(pairings)))
        machine_of.append(machine_index[str(machine)])
        rows += [(number, bot_index[bot], float(np.mean(own))) for bot, own in scores.items()]
    if not rows:
        return None
    pairing_array, machine_array = np.array(pairing_of), np.array(machine_of)
    if len(np.unique(np.stack([pairing_array, machine_array]), axis=1).T) == len(pairings):
        return None
    block, bot, value = (np.array(column) for column in zip(*rows, strict=True))
    _, cell = np.unique(pairing_array[block] * len(bot_index) + bot, return_inverse=True)
    value = value - (np.bincount(cell, value) / np.bincount(cell))[cell]

    def spread(machines: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> float:
        """Return how far the sums of bots on machines are from 0, each sum by its number of blocks."""
        group = bot * len(machine_index) + machines[block]
        counts = np.bincount(group)
        return float((np.bincount(group, value) ** 2 / np.maximum(counts, 1)).sum())

    draws = np.random.default_rng(seed)
    order = np.argsort(pairing_array, kind="stable")
    seen, at_least = spread(machine_array), 0
    for _ in range(SHUFFLES):
        shuffled = np.empty_like(machine_array)
        shuffled[np.lexsort((draws.random(len(order)), pairing_array))] = machine_array[order]
        at_least += spread(shuffled) >= seen * (1 - 1e-12)
    return (1 + at_least) / (1 + SHUFFLES)


def table(rows: Iterable[MachineRow], seats: Sequence[BlockSeat]) -> Machines | None:
    """Return the table; None for an event that no cluster played."""
    every = tuple(sorted(rows, key=lambda row: row.machine))
    if not any(row.machine for row in every):
        return None
    return Machines(every, homogeneity(seats))
