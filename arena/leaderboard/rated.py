"""The ratings of an event: fitted to its matches, or read back from where the last fit was kept.

It owns which matches and which seed a fit is given, and `.ratings-*.npz` beside the archive. What is kept there may be
deleted at any time: it is looked at only where it was fitted to these very matches, by this very code.
"""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from arena import ratings
from arena.archive import Archive
from arena.event import Event
from arena.leaderboard.arrays import Arrays
from arena.match import digest_of
from arena.ratings import REFITS, Rating, Ratings, Strength
from arena.ratings.fitting.columns import Columns, Place
from arena.standings import Tally


def of(
    archive: Archive,
    event: Event,
    tallies: Sequence[Tally],
    read: Callable[[], Arrays],
    *,
    rating: str,
    all_versions: bool,
) -> Ratings:
    """The ratings of the matches that count; `read` gives them, and is called only where they must be fitted anew.

    `tallies` are read before: whoever is counted there is rated here, however many matches come meanwhile.
    """
    path = archive.folder / f".ratings-{ratings.known(rating)}{'-all' if all_versions else ''}.npz"
    key = _key(archive, event, rating, tallies)
    if (kept := _kept(path, key)) is not None:
        return kept
    found = ratings.find(rating).rate(columns(read()), seed=event.seed, refits=REFITS)
    _keep(path, key, found)
    return found


def columns(arrays: Arrays) -> Columns:
    """The matches of an archive as ratings read them: only bots and places of matches that count."""
    played = np.bincount(arrays.entry, minlength=len(arrays.entries)) > 0
    used = replace(arrays, entries=tuple(each for each, counts in zip(arrays.entries, played, strict=True) if counts))
    entry = (np.cumsum(played) - 1)[arrays.entry]
    bots, bot = used.coded(attrgetter("bot"))
    places, place = used.coded(lambda entry: (entry.label, entry.role, entry.side))
    return Columns(
        bots=tuple(bots),
        places=tuple(Place(*each) for each in places),
        seed=arrays.seed,
        transcript=arrays.transcript,
        match=arrays.match,
        bot=bot[entry],
        place=place[entry],
        score=arrays.score,
    )


def _key(archive: Archive, event: Event, rating: str, tallies: Sequence[Tally]) -> str:
    """What a fit hangs on: the matches (by their last row, sums and times), the seed, and the code."""
    times = list(archive.rows("select started from matches where number in (select max(number) from matches)"))
    sums = [(*_names(one), one.seats, one.score) for one in tallies]
    return digest_of(_code(), rating, REFITS, event.seed, archive.mark(), times, sums)


def _names(tally: Tally) -> tuple[str, ...]:
    return tally.board, tally.role, tally.bot, str(tally.result), str(tally.ending)


@cache
def _code() -> str:
    """A hash of the files that make a rating: a kept fit of other code is none."""
    found = sorted(Path(ratings.__file__).parent.rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in found) + np.__version__.encode()).hexdigest()


def _kept(path: Path, key: str) -> Ratings | None:
    """What is kept there under this key; anything else there is as good as nothing."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["key"]) != key:
                return None
            return _unpacked(json.loads(file["told"].tobytes()), file["better"], file["draws"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile):
        return None


def _keep(path: Path, key: str, found: Ratings) -> None:
    """Keep it for the next reader; results that may only be read are fitted each time."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    told = np.frombuffer(json.dumps(_packed(found)).encode(), dtype=np.uint8)
    with contextlib.suppress(OSError):
        try:
            with part.open("wb") as file:
                np.savez(file, key=np.array(key), told=told, better=found.better, draws=found.draws)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def _packed(found: Ratings) -> dict[str, Any]:
    """All but the arrays, as JSON holds it."""
    return {
        "unit": found.unit,
        "ratings": [
            [one.rank, one.bot, one.matches, one.strength, one.ranks, one.tier, _rows(one.roles)]
            for one in found.ratings
        ],
        "advantages": _rows(found.advantages),
        "groups": found.groups,
        "repeated": found.repeated,
    }


def _unpacked(told: dict[str, Any], better: Any, draws: Any) -> Ratings:
    return Ratings(
        unit=told["unit"],
        ratings=tuple(_rating(*one) for one in told["ratings"]),
        better=better,
        draws=draws,
        advantages=_places(told["advantages"]),
        groups=tuple(tuple(group) for group in told["groups"]),
        repeated=told["repeated"],
    )


def _rating(
    rank: int, bot: str, matches: int, strength: list[float], ranks: list[int], tier: int, roles: list[Any]
) -> Rating:
    best, worst = ranks
    return Rating(
        rank=rank,
        bot=bot,
        matches=matches,
        strength=Strength(*strength),
        ranks=(best, worst),
        tier=tier,
        roles=_places(roles),
    )


def _rows(by_place: Any) -> list[tuple[str, str, Strength]]:
    return [(label, role, strength) for (label, role), strength in by_place.items()]


def _places(rows: Sequence[Any]) -> dict[tuple[str, str], Strength]:
    return {(label, role): Strength(*strength) for label, role, strength in rows}
