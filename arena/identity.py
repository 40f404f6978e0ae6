"""The identity of matches: their ids, seeds and keys, as hashes of plain values.

The same on every machine and run.

Every digest of several values, here and elsewhere, is a `digest_of` them: their JSON marks where
each of them ends, so that no two lists of values have the same text. A file is a value too, as its
name and its `file_digest`. Values that were joined by a separator would not do: whoever may choose
one of them can write the separator and the next one.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

ADDED_LATER = {"added_later": True}
"""The metadata of a field of Conditions, Limits or TimeControl that is newer than stored matches:
`field(default=..., metadata=ADDED_LATER)`. A match's id has such a field only where its value is
not the default. Any other new field changes the id of every match, so that a stored event is played
again. So it is with the fields of Event and Bot that are in a commitment: a new one without it
contradicts each commitment that was published before."""

LATEST = {**ADDED_LATER, "optional_in_texts": True}
"""The metadata of such a field that the texts of matches (replay/notation.py) leave out, too, where
it has its default: the first texts of their format do not have it."""


def digest_of(*parts: object, length: int = 12) -> str:
    """Return a short hash of plain values (strings, numbers, tuples, mappings)."""
    text = json.dumps(
        parts,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:length]


def file_digest(path: Path) -> str:
    """Return the whole SHA-256 of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def keyed(secret: str, text: str) -> str:
    """Return 32 hex digits that nobody can foretell from a text without the secret.

    The secret is in hex digits.
    """
    key = bytes.fromhex(secret)
    digest = hmac.digest(key, text.encode(), "sha256")
    return digest.hex()[:32]


@lru_cache  # called for every match of an event, which all have the same conditions
def plain(values: Any) -> Mapping[str, object]:
    """Return the fields of a dataclass for a match's id.

    Fields that were added later are left out where they have their default.
    """
    names = [column.name for column in fields(values)]
    plain_values: dict[str, object] = {}
    for name, value in stated(values, names).items():
        if is_dataclass(value):
            plain_values[name] = plain(value)  # type: ignore[arg-type]
        elif isinstance(value, tuple):
            items: list[object] = []
            for item in value:
                if is_dataclass(item):
                    items.append(plain(item))  # type: ignore[arg-type]
                else:
                    items.append(item)
            plain_values[name] = items
        else:
            plain_values[name] = value
    return plain_values


def stated(values: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return these fields of a dataclass as they are.

    Fields that were added later are left out where they have their default.
    """
    columns = {column.name: column for column in fields(values)}
    chosen = {}
    for name in names:
        value = getattr(values, name)
        column = columns[name]
        is_new = column.metadata.get("added_later")
        if value != column.default or not is_new:
            chosen[name] = value
    return chosen


def boards_key(seed: int | str, label: str) -> str:
    """Return the key from which the boards of this name are sampled in an event of this seed."""
    if isinstance(seed, int):
        return digest_of("boards", seed, label, length=32)
    digest = digest_of("boards", label, length=64)
    return keyed(seed, digest)


def openings_key(
    seed: int | str,
    label: str,
    bots: Iterable[tuple[str, str]],
) -> str:
    """Return the key of the openings of these bots, by name and digest, on a board."""
    pairing = digest_of("openings", label, sorted(bots), length=64)
    if isinstance(seed, int):
        return digest_of(seed, pairing, length=32)
    # Keys of matches are HMACs of 12 hex digits, and this text has 64, so the two kinds never meet.
    return keyed(seed, pairing)
