"""The files that are made of an archive: which of them are still those that it makes.

A note beside the files has their digests, under a key of all that they are made of, with a seal
(seals.py). So files of the same are not made again, and those that somebody edited, removed or
forged are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from arena import seals
from arena.identity import digest_of, file_digest
from arena.results import memo

PURPOSE = "made files"


@dataclass(frozen=True, kw_only=True)
class MadeFiles:
    """Files that were made of an archive."""

    files: tuple[Path, ...]
    words: Mapping[str, str] = field(default_factory=dict)
    """What their maker found out beside them, by name."""


NOTE = TypeAdapter(tuple[dict[str, str], dict[str, str], str])
"""The digests of the files by their paths from the note's folder, the words, and the seal."""


def recall(note: Path, key: str) -> MadeFiles | None:
    """Return the files that were noted under this key, if they are as they were, else None."""
    noted = memo.recall(note, key, NOTE)
    if noted is None:
        return None
    digests, words, mark = noted
    if mark != _seal(key, digests, words):
        return None
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
    memo.store(note, key, (digests, words, _seal(key, digests, words)), NOTE)


def digests_of(files: Iterable[Path], folder: Path) -> dict[str, str]:
    """Return the digest of each file by its path from a folder above it."""
    return {str(file.relative_to(folder)): file_digest(file) for file in files}


def _seal(key: str, digests: Mapping[str, str], words: Mapping[str, str]) -> str:
    content = digest_of(key, list(digests.items()), list(words.items()), length=64)
    return seals.seal(PURPOSE, content.encode()).hex()
