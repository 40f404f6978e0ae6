"""What bots measured and said in remarks: `# depth 5`, `# nodes 1200 score -3`, `# depth=5`.

The form: a remark is metrics if it is nothing but pairs of a name and a number, with a blank or `=` between them. A
name begins with a letter and has at most 24 letters, digits, `_`, `-` or `.`; a number is a decimal one (`-3`, `0.5`,
`1e6`) and finite. Any other remark is talk. Bots write remarks: nothing in them is trusted.
"""

import re
from collections.abc import Iterable, Iterator
from math import isfinite

import pandas as pd

from arena.archive import Archive
from arena.archive.records import unpacked
from arena.match import Record

COLUMNS = ["match", "turn", "role", "bot", "metric", "value"]
PAIR = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,23})(?: *= *| +)([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:[ ,;]+|$)")
LONGEST = 300
"""Letters of a remark; a longer one is talk."""
SAMPLE = 1000
"""Matches that a chart looks into: more change no quantile that is seen, and take long to unpack."""


def read(remark: str) -> dict[str, float]:
    """The metrics in a remark by name, the last of a name; none where any of it is something else."""
    found: dict[str, float] = {}
    at = 0
    while at < len(remark) <= LONGEST:
        pair = PAIR.match(remark, at)
        if pair is None or not isfinite(value := float(pair[2])):
            return {}
        found[pair[1]] = value
        at = pair.end()
    return found


def frame(archive: Archive, *, all_versions: bool, most: int | None = None) -> pd.DataFrame:
    """A row for each match, turn, role and metric: bot and value. Of more than `most` matches a fair share is read."""
    return pd.DataFrame(_rows(_records(archive, all_versions=all_versions, most=most)), columns=COLUMNS)


def _records(archive: Archive, *, all_versions: bool, most: int | None) -> Iterator[Record]:
    """Records by id: an id is a hash, so that the first so many are of all boards and pairs alike."""
    query = "select record from matches join records on match = number where planned or ? order by id limit ?"
    for (blob,) in archive.rows(query, all_versions, -1 if most is None else most):
        yield unpacked(blob)


def _rows(records: Iterable[Record]) -> Iterator[tuple[object, ...]]:
    for record in records:
        bots = {seat.role: seat.bot.name for seat in record.match.seats}
        for turn in record.turns:
            for remark in turn.remarks:
                for metric, value in read(remark).items():
                    yield (record.match.id, turn.number, turn.role, bots.get(turn.role), metric, value)
