"""Frames of seats, turns and clock readings, a row each, read from the archive.

`all_versions` adds the matches of earlier versions of bots, boards and rules to those of the current plan.
"""

from collections import Counter
from collections.abc import Iterator

from arena.results import columns
from arena.results.anytext import pd
from arena.results.archive import Archive
from arena.results.leaderboard import match_frames
from arena.values import Ending


def seats(archive: Archive, *, all_versions: bool) -> pd.DataFrame:
    """Return a row for each match and role."""
    return pd.DataFrame(archive.seats(all_versions=all_versions), columns=columns.SEATS.names)


def turns(archive: Archive, *, all_versions: bool) -> pd.DataFrame:
    """Return a row for each move."""

    def rows() -> Iterator[tuple[object, ...]]:
        for record in archive.records(all_versions=all_versions):
            bots = {seat.role: seat.bot.name for seat in record.match.seats}
            for turn in record.turns:
                head = (
                    record.match.id,
                    turn.number,
                    turn.role,
                    bots.get(turn.role),
                    turn.move,
                    turn.by,
                    turn.rejected_text,
                )
                yield (*head, turn.wall, turn.cpu, turn.waited, "\n".join(turn.remarks))

    return pd.DataFrame(rows(), columns=columns.TURNS.names)


def timing(archive: Archive, *, all_versions: bool) -> pd.DataFrame:
    """Return a row for each bot, board and role: answers, losses on time, quantiles of wall and CPU time in seconds."""
    timeouts = Counter[tuple[str, str, str]]()
    for tally in archive.tallies(all_versions=all_versions):
        timeouts[tally.bot, tally.board, tally.role] += tally.seats * (tally.ending is Ending.TIMEOUT)
    answers: dict[tuple[str, str, str], list[tuple[bytes, bytes, bytes]]] = {}
    for bot, board, role, walls, cpus, waits in archive.clocks(all_versions=all_versions):
        answers.setdefault((bot, board, role), []).append((walls, cpus, waits))
    return match_frames.timing(answers, timeouts)
