"""The frame of the machines that played, and the test whether they played alike."""

import pandas as pd

from arena.extras.cluster import comparison
from arena.extras.cluster.comparison import BlockSeat, MachineRow, Machines
from arena.results.archive import Archive
from arena.results.columns import Column, Columns
from arena.results.leaderboard import Results
from arena.values import Ending

MACHINES = Columns(
    Column("machine", "The machine of a cluster; empty for the machine of the run"),
    Column("matches", "Matches of the plan that it played"),
    Column("scale", "The mean of the factors by which its time was scaled"),
    Column("seconds", "The mean time of a match", "seconds"),
    Column("timeouts", "Matches in which a bot lost on time"),
    Column("crashes", "Matches in which a bot crashed"),
)


def machines(results: Results) -> pd.DataFrame:
    """Return a row for each machine that played matches of the plan.

    There is no row where only the machine of the run did.
    """
    rows = _rows(results.archive)
    if not any(row.machine for row in rows):
        rows = []
    return pd.DataFrame(rows, columns=MACHINES.names)


def compared(results: Results) -> Machines | None:
    """Return the machines that played, with the test of the newest `MOST_SEATS` seats.

    It is None without a cluster.
    """
    rows = _rows(results.archive)
    seats: list[BlockSeat] = []
    if len(rows) > 1:
        seats = _block_seats(results.archive, comparison.MOST_SEATS)
    return comparison.table(rows, seats)


def _rows(archive: Archive) -> list[MachineRow]:
    """Return a row for each machine that played matches of the plan.

    "" is the machine of the run.
    """
    at_fault = "sum(exists (select 1 from seats where match = number and ending = ?))"
    query = (
        f"select machine, count(*), avg(scale), avg(seconds), {at_fault}, {at_fault} from matches "
        "where planned group by machine order by machine"
    )
    rows = archive.select(query, Ending.TIMEOUT.value, Ending.CRASHED.value)
    return [MachineRow(*row) for row in rows]


def _block_seats(archive: Archive, most: int) -> list[BlockSeat]:
    """Return the newest seats of the plan, at most `most`, for the comparison of machines."""
    query = (
        "select machine, matches.game || '/' || matches.board, repeat, matches.number, bot, score "
        "from matches join seats on match = matches.number join entries on entry = entries.number "
        "where planned order by matches.number desc limit ?"
    )
    return [BlockSeat(*row) for row in archive.select(query, most)]
