"""Replays in chunks that the page unpacks one at a time, prepared side by side.

It owns how many matches are together, and what is left out where there is no more room.
"""

import base64
import contextlib
import json
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby
from pathlib import Path

from arena import parallel
from arena.report.replays import Games, replay
from arena.results.archive import Archive
from arena.values import Played, Record

TURNS = 3000  # of a chunk: some 60 matches, unpacked in a few milliseconds
FEW = 8  # chunks: to prepare fewer takes no longer than to start processes


@dataclass(frozen=True)
class Chunk:
    """Replays that are unpacked together."""

    matches: tuple[str, ...]
    text: str


def prepared(
    games: Games,
    folder: Path,
    matches: Sequence[Played],
    free_characters: int,
    tell: Callable[[int], None] = lambda _: None,
    cut: Callable[[Record], Record] = lambda record: record,
) -> tuple[Chunk, ...]:
    """Return the replays of the first of these matches, as many as fit into `free_characters`.

    They are prepared side by side, one process a core: no archive may be open. `tell` hears how many are done.
    `cut` leaves out of a record what the reader must not see.
    """
    totals = accumulate(match.turns + 5 for match in matches)
    numbered = groupby(zip(totals, matches, strict=True), key=lambda pair: pair[0] // TURNS)
    batches = [tuple(match.id for _, match in batch) for _, batch in numbered]

    @cache  # an archive for each process
    def archive(_process: int) -> Archive:
        return Archive.open(folder)

    def prepare(ids: tuple[str, ...]) -> Chunk:
        records = ((match, cut(archive(os.getpid()).record(match))) for match in ids)
        texts = (f"{safe_json(match)}:{safe_json(replay(record, games))}" for match, record in records)
        # A browser unpacks a zlib stream with DecompressionStream("deflate").
        text = base64.b64encode(zlib.compress(f"{{{','.join(texts)}}}".encode(), 6)).decode("ascii")
        return Chunk(ids, text)

    chunks: list[Chunk] = []
    few = len(batches) < FEW
    with contextlib.closing(parallel.parallel_map(prepare, batches, cores=1 if few else None)) as ready:
        for chunk in ready:
            free_characters -= len(chunk.text) + 100  # with the element around it
            if free_characters < 0:
                break
            chunks.append(chunk)
            tell(sum(len(each.matches) for each in chunks))
    return tuple(chunks)


def safe_json(value: object) -> str:
    """Return JSON in which no HTML parser sees a tag, an entity or a comment; letters outside ASCII are escaped."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
