"""The files that are made of an archive: which of them are still those that it makes.

A memo beside the files has their digests, under a key of all that they are made of. So files
of the same archive are not made again, unless somebody edited, removed or forged one of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from arena.identity import file_digest
from arena.results import memo


@dataclass(frozen=True, kw_only=True)
class MadeFiles:
    """Files that were made of an archive."""

    files: tuple[Path, ...]
    words: Mapping[str, str] = field(default_factory=dict)
    """What their maker found out beside them, by name."""


NOTE = TypeAdapter(tuple[dict[str, str], dict[str, str]])
"""The digests of the files by their paths from the note's folder, and the words."""


def recall(note: Path, key: str) -> MadeFiles | None:
    """Return the files that were noted under this key, or None if one of them has changed."""
    noted = memo.recall(note, key, NOTE)
    if noted is None:
        return None
    digests, words = noted
    files = tuple(note.parent / name for name in digests)
    try:
        current = [file_digest(file) for file in files]
    except OSError:
        return None
    if current != list(digests.values()):
        return None
    return MadeFiles(files=files, words=words)


def store(note: Path, key: str, written: MadeFiles) -> None:
    """Note the files, which stand below the note's folder, under a key of what they are made of."""
    digests = digests_of(written.files, note.parent)
    words = dict(written.words)
    memo.store(note, key, (digests, words), NOTE)


def digests_of(files: Iterable[Path], folder: Path) -> dict[str, str]:
    """Return the digest of each file by its path from a folder above it."""
    digests = {}
    for file in files:
        name = str(file.relative_to(folder))
        digests[name] = file_digest(file)
    return digests
