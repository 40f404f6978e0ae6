"""Metrics that bots report in remarks: `# depth 5`, `# nodes 1200 score -3`, `# depth=5`.

A remark has metrics if it is nothing but pairs of a name and a number, with a blank or `=` between
them. A name begins with a letter and has at most 24 letters, digits, `_`, `-` or `.`; a number is a
decimal one (`-3`, `0.5`, `1e6`) and finite. Every other remark is talk. Remarks come from bots, so
nothing in them is trusted.
"""

import re
from collections.abc import Iterator
from math import isfinite

from arena.results.anytext import pd
from arena.results.archive import Archive
from arena.results.columns import METRICS

NAME = r"[A-Za-z][A-Za-z0-9_.-]{0,23}"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
PAIR = re.compile(rf"({NAME})(?: *= *| +)({NUMBER})(?:[ ,;]+|$)")
LONGEST_CHARACTERS = 300
"""A longer remark is talk."""
SAMPLE = 1000
"""Matches that a chart reads: more of them change no quantile visibly, and take long to unpack."""


def read(remark: str) -> dict[str, float]:
    """Return the metrics in a remark by name, the last of each name.

    There are none where any part of the remark is something else.
    """
    metrics: dict[str, float] = {}
    if len(remark) > LONGEST_CHARACTERS:
        return metrics
    at = 0
    while at < len(remark):
        pair = PAIR.match(remark, at)
        if pair is None:
            return {}
        value = float(pair[2])
        if not isfinite(value):
            return {}
        metrics[pair[1]] = value
        at = pair.end()
    return metrics


def frame(archive: Archive, most: int | None = None) -> pd.DataFrame:
    """Return a row for each match, turn, role and metric: bot and value.

    Of more than `most` matches only a fair sample is read.
    """
    rows = _rows(archive, most)
    return pd.DataFrame(rows, columns=METRICS.names)


def _rows(archive: Archive, most: int | None) -> Iterator[tuple[object, ...]]:
    for record in archive.records(most):
        match = record.match
        bots = {seat.role: seat.bot.name for seat in match.seats}
        for turn in record.turns:
            bot = bots.get(turn.role)
            for remark in turn.remarks:
                metrics = read(remark)
                for metric, value in metrics.items():
                    yield (
                        match.id,
                        turn.number,
                        turn.role,
                        bot,
                        metric,
                        value,
                    )
