"""The ratings of an event: fitted to its matches, or loaded from the cache of the last fit.

The cache is the file `.ratings-*.json` beside the archive. It may be deleted at any time, and it is used only if it was
fitted to these very matches, by this very code.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from arena import whole_files
from arena.identity import digest_of
from arena.results import arrays, ratings
from arena.results.archive import Archive
from arena.results.arrays import Arrays
from arena.results.ratings import REFITS, Ratings
from arena.results.standings import Tally
from arena.values import Event

_cached = TypeAdapter(tuple[str, Ratings])
"""A key and the ratings that were fitted under it."""


def load_or_fit(
    archive: Archive,
    event: Event,
    tallies: Sequence[Tally],
    read: Callable[[], Arrays],
    *,
    rating: str,
    all_versions: bool,
) -> Ratings:
    """Return the ratings of the matches that count; `read` returns these, and is called only for a new fit."""
    # Results under other names of bots have a file of their own, so that they do not replace the event's fit.
    kind = f"{'-all' if all_versions else ''}{'-renamed' if archive.renamed else ''}"
    path = archive.folder / f".ratings-{ratings.known(rating)}{kind}.json"
    # The key has all that decides the fit: the code, the seed, and the matches, by the archive's version key and by
    # their sums. The sums differ, too, where the same matches are read under other names of bots
    # (`Archive.by_version`).
    key = digest_of(_code_digest(rating), rating, REFITS, event.resampling_seed, archive.cache_version(), sums(tallies))
    if (cached := _load(path, key)) is not None:
        return cached
    fitted = ratings.find(rating).rate(read(), seed=event.resampling_seed, refits=REFITS)
    text = json.dumps(_cached.dump_python((key, fitted)))  # not `dump_json`, which has no infinity
    whole_files.write_cache(path, text.encode())
    return fitted


def sums(tallies: Iterable[Tally]) -> list[tuple[object, ...]]:
    """Return the tallies as plain values, for a key."""
    return [
        (*map(str, (tally.board, tally.role, tally.bot, tally.result, tally.ending)), tally.seats, tally.score)
        for tally in tallies
    ]


@cache
def _code_digest(rating: str) -> str:
    """Return a hash of the files that make a rating: a fit of other code is not used."""
    own = ratings.module_of(rating).__file__ or arrays.__file__
    paths = [Path(arrays.__file__), Path(own), *sorted(Path(ratings.__file__).parent.rglob("*.py"))]
    return sha256(b"".join(path.read_bytes() for path in paths) + np.__version__.encode()).hexdigest()


def _load(path: Path, key: str) -> Ratings | None:
    """Return the cached ratings if the key matches, else None."""
    try:
        content = json.loads(whole_files.read_cache(path))
        if not isinstance(content, list) or content[:1] != [key]:
            return None
        return _cached.validate_python(content)[1]
    except Exception:  # noqa: BLE001  whatever damage json, pydantic or numpy complains of: the ratings are fitted anew
        return None
